// SPDX-License-Identifier: GPL-3.0-or-later
// A block of threads that works together on one thing: on a GPU in lockstep, on the host one index after the other.
// Kernel bodies are templates over it, so that the host's tests run the very code that the GPU runs.
//
// A body is a sequence of loops over indices, in which each index may write only what no other index touches, or by
// `claim` and `raise`. What is between loops is done by every thread with the same values.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/host_device.h"

namespace tesseray {

// The host's block: no threads at all.
struct HostBlock {
  // Calls body(0) … body(count − 1), in any order. All is done, and seen by all, when it returns.
  template <class Body>
  void for_each(std::uint32_t count, const Body& body) const {
    for (std::uint32_t k = 0; k < count; ++k) body(k);
  }
  template <class Body>
  void once(const Body& body) const {
    body();
  }
  // A number that the next loop may change, as it is now for every thread.
  template <class Number>
  Number settled(const Number& shared) const {
    return shared;
  }
  // Adds to a counter of the block; returns what it was.
  std::uint32_t claim(std::uint32_t& counter, std::uint32_t count) const {
    const std::uint32_t before = counter;
    counter += count;
    return before;
  }
  // The same for a counter that all blocks share.
  std::uint64_t claim_of_all(std::uint64_t& counter, std::uint64_t count) const {
    return std::atomic_ref(counter).fetch_add(count, std::memory_order_relaxed);
  }
  // place = max(place, value).
  void raise(std::int32_t& place, std::int32_t value) const {
    if (value > place) place = value;
  }
};

#ifdef __CUDACC__

// A block of a running kernel. Host compilation only parses it.
struct DeviceBlock {
  template <class Body>
  TESSERAY_HD void for_each(std::uint32_t count, const Body& body) const {
#ifdef __CUDA_ARCH__
    for (std::uint32_t k = threadIdx.x; k < count; k += blockDim.x) body(k);
    __syncthreads();
#endif
  }
  template <class Body>
  TESSERAY_HD void once(const Body& body) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) body();
    __syncthreads();
#endif
  }
  template <class Number>
  TESSERAY_HD Number settled(const Number& shared) const {
    const Number value = shared;
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
    return value;
  }
  TESSERAY_HD std::uint32_t claim(std::uint32_t& counter, std::uint32_t count) const {
#ifdef __CUDA_ARCH__
    return atomicAdd(&counter, count);
#else
    return counter + count;
#endif
  }
  TESSERAY_HD std::uint64_t claim_of_all(std::uint64_t& counter, std::uint64_t count) const {
#ifdef __CUDA_ARCH__
    return atomicAdd(reinterpret_cast<unsigned long long*>(&counter), static_cast<unsigned long long>(count));
#else
    return counter + count;
#endif
  }
  TESSERAY_HD void raise([[maybe_unused]] std::int32_t& place, [[maybe_unused]] std::int32_t value) const {
#ifdef __CUDA_ARCH__
    atomicMax(&place, value);
#endif
  }
};

#endif

}  // namespace tesseray
