// SPDX-License-Identifier: GPL-3.0-or-later
// Loops that the compiler turns into vectors, built for several instruction sets and chosen when the program runs.
#pragma once

// Before a loop: what one turn writes, no other turn reads. More columns than the compiler checks for overlap need it.
#if defined(__clang__)
#define TESSERAY_INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TESSERAY_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#else
#define TESSERAY_INDEPENDENT_TURNS
#endif

namespace tesseray {

enum class InstructionSet { baseline, avx2, avx512 };

// The best one that this machine has; those before it are there too.
inline InstructionSet best_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return InstructionSet::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

namespace vector_dispatch_detail {

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
[[gnu::target("avx2")]] void run_avx2(Arguments... arguments) {
  Kernel::run(arguments...);
}
template <class Kernel, class... Arguments>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] void run_avx512(Arguments... arguments) {
  Kernel::run(arguments...);
}
#endif

}  // namespace vector_dispatch_detail

// Calls Kernel::run(arguments...) as compiled for `set`. REQUIRES: run is static and always inlined
// ([[gnu::always_inline]]), takes scalars and pointers, and does only what is the same on every instruction set:
// comparisons, and + − × ÷ √ without fused operations (the project's flags).
template <class Kernel, class... Arguments>
void run_vectorized(InstructionSet set, Arguments... arguments) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return vector_dispatch_detail::run_avx512<Kernel>(arguments...);
  if (set == InstructionSet::avx2) return vector_dispatch_detail::run_avx2<Kernel>(arguments...);
#endif
  (void)set;
  Kernel::run(arguments...);
}

}  // namespace tesseray
