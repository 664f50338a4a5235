// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tesseray {

// Additions or multiplications in double precision, none of them fused, that the GPU can do per second at its highest
// clock rate. REQUIRES: find_cuda_device().is_there.
double peak_double_operations_per_s();
// The same in single precision.
double peak_single_operations_per_s();

}  // namespace tesseray
