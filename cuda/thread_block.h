// SPDX-License-Identifier: GPL-3.0-or-later
// A block of threads that works together on one thing: on a GPU in lockstep, on the host one index after the other.
// Kernel bodies are templates over it, so that the host's tests run the very code that the GPU runs.
//
// A body is a sequence of loops over indices, in which each index may write only what no other index touches, or by
// `claim` and `raise`. What is between loops is done by every thread with the same values.
//
// A group of threads in lockstep (a warp) may share work by itself, without the rest of its block.
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

// The host's group: one thread.
struct HostGroup {
  static constexpr std::uint32_t threads() { return 1; }
  // For how many threads of the group it is true, and for how many before this one. All of them ask at once.
  std::uint32_t how_many(bool is_so) const { return is_so ? 1 : 0; }
  std::uint32_t how_many_before(bool) const { return 0; }
  // Adds to a counter that all groups share, once for the whole group; returns what it was.
  std::uint64_t claim_together(std::uint64_t& counter, std::uint64_t count) const {
    return std::atomic_ref(counter).fetch_add(count, std::memory_order_relaxed);
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

// A warp of a running kernel, of which no thread has ended. Host compilation only parses it.
struct DeviceGroup {
#ifdef __CUDA_ARCH__
  TESSERAY_HD static std::uint32_t threads() { return warpSize; }
  TESSERAY_HD std::uint32_t how_many(bool is_so) const { return __popc(__ballot_sync(all, is_so)); }
  TESSERAY_HD std::uint32_t how_many_before(bool is_so) const {
    return __popc(__ballot_sync(all, is_so) & ((1u << place()) - 1));
  }
  TESSERAY_HD std::uint64_t claim_together(std::uint64_t& counter, std::uint64_t count) const {
    unsigned long long before = 0;
    if (place() == 0) {
      before = atomicAdd(reinterpret_cast<unsigned long long*>(&counter), static_cast<unsigned long long>(count));
    }
    return __shfl_sync(all, before, 0);
  }

 private:
  static constexpr unsigned all = 0xffffffff;
  TESSERAY_HD static unsigned place() { return threadIdx.x % warpSize; }
#else
  static std::uint32_t threads() { return 1; }
  std::uint32_t how_many(bool is_so) const { return is_so ? 1 : 0; }
  std::uint32_t how_many_before(bool) const { return 0; }
  std::uint64_t claim_together(std::uint64_t& counter, std::uint64_t) const { return counter; }
#endif
};

#endif

}  // namespace tesseray
