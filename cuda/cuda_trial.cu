// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/cuda_trial.h"

namespace tesseray {
namespace {

__global__ void do_nothing() {}

}  // namespace

cudaError_t try_kernel() {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1);
  cudaError_t status = cudaLaunchKernelEx(&config, do_nothing);
  if (status == cudaSuccess) status = cudaStreamSynchronize(nullptr);
  cudaGetLastError();  // so that no later call reports what this one says
  return status;
}

}  // namespace tesseray
