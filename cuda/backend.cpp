// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/backend.h"

#include <cuda_runtime.h>

#include <cmath>

#include "cuda/cuda_sight_runner.h"
#include "cuda/rows_by_blocks.h"

namespace tesseray {

CudaDevice find_cuda_device() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    const bool has_driver = status == cudaSuccess || status == cudaErrorNoDevice;
    cudaGetLastError();  // so that no later call reports it
    return {.missing = has_driver ? "there is no CUDA GPU" : "there is no CUDA driver"};
  }
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess) {
    return {.missing = std::string("the GPU does not answer: ") + cudaGetErrorString(status)};
  }
  constexpr int oldest_major = 7, oldest_minor = 5;  // Turing: what the kernels are compiled for at least
  if (properties.major < oldest_major || (properties.major == oldest_major && properties.minor < oldest_minor)) {
    return {.missing = std::string(properties.name) + " is too old: it needs compute capability 7.5"};
  }
  const auto gibibytes = std::lround(static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0));
  return {.is_there = true, .name = std::string(properties.name) + ", " + std::to_string(gibibytes) + " GiB"};
}

std::unique_ptr<Visibility> compute_visibility_with_cuda(const Occlusion& occlusion, const Tiling& tiling,
                                                         const VisibilityOptions& options, Progress& progress) {
  return compute_visibility_by_blocks(make_cuda_sight_runner, occlusion, tiling, options, progress);
}

}  // namespace tesseray
