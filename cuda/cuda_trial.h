// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

namespace tesseray {

// Runs a kernel that does nothing, compiled as all others are, and gives what the runtime says of it: a GPU may be
// there and let no process in, be taken by another one, or understand neither the code nor the PTX of this build.
cudaError_t try_kernel();

}  // namespace tesseray
