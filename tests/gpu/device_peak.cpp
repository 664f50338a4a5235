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

double peak_double_operations_per_s() {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor), minor = attribute(cudaDevAttrComputeCapabilityMinor);
  // In single precision: Turing and the A100 have half as many as what came later.
  const double lanes_of_multiprocessor = major < 8 || (major == 8 && minor == 0) ? 64 : 128;
  const double lanes = lanes_of_multiprocessor / attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  return lanes * attribute(cudaDevAttrMultiProcessorCount) * 1e3 * attribute(cudaDevAttrClockRate);
}

}  // namespace tesseray
