// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/search/sight_kernels.h"

#include <cmath>
#include <cstring>

#include "core/base/infinity.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Explicit vectors are cut to the size that an instruction set has where a function is defined, before it is inlined:
// so the functions themselves are defined once for each set. Nothing but them may be between the pragmas.
namespace tesseray {

namespace baseline {
constexpr int width = 4;
#define TESSERAY_SIGHT_WIDTH 4
#include "core/visibility/search/sight_kernels.inc"
}  // namespace baseline

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
constexpr int width = 8;
#undef TESSERAY_SIGHT_WIDTH
#define TESSERAY_SIGHT_WIDTH 8
#include "core/visibility/search/sight_kernels.inc"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")
#endif
namespace avx512 {
constexpr int width = 16;
#undef TESSERAY_SIGHT_WIDTH
#define TESSERAY_SIGHT_WIDTH 16
#include "core/visibility/search/sight_kernels.inc"
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

const SightKernels& sight_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return avx512::kernels;
  if (set == InstructionSet::avx2) return avx2::kernels;
#endif
  (void)set;
  return baseline::kernels;
}

}  // namespace tesseray
