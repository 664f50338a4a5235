// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU computes only if there is enough memory for it.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace tesseray {

// Its memory, or the host's that it copies to and from, is not enough, or it has no numbers for so much.
inline bool is_want_of_gpu(const Error& error) {
  return error.kind() == ErrorKind::resources && error.code().starts_with("gpu_");
}

// What on_gpu() returns; or, with a warning, what on_cpu() does when it is too much for the GPU, so that the CPU
// computes `what`. All other errors go on.
template <class OnGpu, class OnCpu>
auto if_it_fits(const std::string& what, const OnGpu& on_gpu, const OnCpu& on_cpu, Progress& progress)
    -> decltype(on_gpu()) {
  try {
    return on_gpu();
  } catch (const Error& error) {
    if (!is_want_of_gpu(error)) throw;
    progress.warn({"gpu_too_small", error.message() + "; the CPU computes " + what});
  }
  return on_cpu();
}

}  // namespace tesseray
