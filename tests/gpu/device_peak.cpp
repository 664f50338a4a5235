// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/device_peak.h"

#include "cuda/device_memory.h"

namespace tesseray {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, 0), "asking for the GPU's properties");
  return value;
}

}  // namespace

double peak_single_operations_per_s() {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor), minor = attribute(cudaDevAttrComputeCapabilityMinor);
  // Turing and the A100 have half as many lanes as what came later.
  const double lanes_of_multiprocessor = major < 8 || (major == 8 && minor == 0) ? 64 : 128;
  return lanes_of_multiprocessor * attribute(cudaDevAttrMultiProcessorCount) * 1e3 * attribute(cudaDevAttrClockRate);
}

double peak_double_operations_per_s() {
  return peak_single_operations_per_s() / attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
}

}  // namespace tesseray
