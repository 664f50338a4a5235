// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU computes only if its memory is enough.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace tesseray {

// What make() returns, a pointer; or nullptr with a warning when the GPU's memory is not enough for it, so that the CPU
// computes `what`. All other errors go on.
template <class Make>
auto if_it_fits(const std::string& what, const Make& make, Progress& progress) -> decltype(make()) {
  try {
    return make();
  } catch (const Error& error) {
    if (error.code() != "gpu_memory") throw;
    progress.warn({"gpu_too_small", error.message() + "; the CPU computes " + what});
    return nullptr;
  }
}

}  // namespace tesseray
