// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU computes only if its memory is enough.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace tesseray {

// What on_gpu() returns; or, with a warning, what on_cpu() does when the GPU's memory is not enough for it, so that the
// CPU computes `what`. All other errors go on.
template <class OnGpu, class OnCpu>
auto if_it_fits(const std::string& what, const OnGpu& on_gpu, const OnCpu& on_cpu, Progress& progress)
    -> decltype(on_gpu()) {
  try {
    return on_gpu();
  } catch (const Error& error) {
    if (error.code() != "gpu_memory") throw;
    progress.warn({"gpu_too_small", error.message() + "; the CPU computes " + what});
  }
  return on_cpu();
}

}  // namespace tesseray
