// SPDX-License-Identifier: GPL-3.0-or-later
// Of builds without CUDA, where no GPU is ever there.
#include "tests/gpu/device_peak.h"

namespace tesseray {

double peak_double_operations_per_s() { return 0; }
double peak_single_operations_per_s() { return 0; }

}  // namespace tesseray
