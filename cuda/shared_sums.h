// SPDX-License-Identifier: GPL-3.0-or-later
// How a GPU's threads share sums and lists, so that no order of threads changes what is in them in the end.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace tesseray {

#ifdef __CUDACC__

// Host compilation only parses it.
struct DeviceSharing {
  // In place of AddAlone. `lock`: 0 while nobody has it.
  struct Adder {
    std::uint32_t* lock;

    TESSERAY_HD void add([[maybe_unused]] std::int64_t& sum, [[maybe_unused]] std::int64_t x) const {
#ifdef __CUDA_ARCH__
      // Whole numbers of two's complement: the sum of unsigned ones has the same bits.
      atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(x));
#endif
    }
    TESSERAY_HD void count([[maybe_unused]] std::uint32_t& number, [[maybe_unused]] std::uint32_t more) const {
#ifdef __CUDA_ARCH__
      atomicAdd(&number, more);
#endif
    }
    TESSERAY_HD void lower([[maybe_unused]] float& least, [[maybe_unused]] float x) const {
#ifdef __CUDA_ARCH__
      int* const place = reinterpret_cast<int*>(&least);
      int seen = *static_cast<volatile int*>(place);
      while (x < __int_as_float(seen)) {
        const int before = atomicCAS(place, seen, __float_as_int(x));
        if (before == seen) return;
        seen = before;
      }
#endif
    }
    template <class Real>
    TESSERAY_HD Real now(const Real& number) const {
      return *static_cast<const volatile Real*>(&number);
    }
    // Threads of a warp go on one by one since Volta, so that none waits for ever.
    template <class Work>
    TESSERAY_HD void exclusively([[maybe_unused]] const Work& work) const {
#ifdef __CUDA_ARCH__
      for (bool is_done = false; !is_done;) {
        if (atomicCAS(lock, 0u, 1u) != 0u) continue;
        __threadfence();
        work();
        __threadfence();
        atomicExch(lock, 0u);
        is_done = true;
      }
#endif
    }
  };

  TESSERAY_HD static std::uint64_t claim(std::uint64_t& counter) {
#ifdef __CUDA_ARCH__
    return atomicAdd(reinterpret_cast<unsigned long long*>(&counter), 1ull);
#else
    return counter;
#endif
  }
};

#endif

}  // namespace tesseray
