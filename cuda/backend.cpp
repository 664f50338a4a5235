// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/backend.h"

#include <cuda_runtime.h>

#include <cmath>
#include <mutex>

#include "cuda/cuda_sight_runner.h"
#include "cuda/cuda_trial.h"
#include "cuda/device_environment.h"
#include "cuda/rows_by_blocks.h"

namespace tesseray {

namespace {

// 13000 is CUDA 13.0.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string older_driver(int driver) {
  return "the driver knows CUDA " + version_text(driver) + ", and this build of Tesseray needs " +
         version_text(CUDART_VERSION);
}

CudaDevice unusable(const std::string& gpu, const std::string& why) {
  return {.is_unusable = true, .missing = gpu + " cannot be used (" + why + ")"};
}

}  // namespace

CudaDevice find_cuda_device() {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return {.missing = "there is no CUDA driver"};
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();  // so that no later call reports what this one says
  if (status == cudaErrorInsufficientDriver) return {.missing = older_driver(driver)};
  if (status != cudaSuccess || count == 0) return {.missing = "there is no CUDA GPU"};
  cudaDeviceProp properties{};
  if (const cudaError_t failed = cudaGetDeviceProperties(&properties, 0); failed != cudaSuccess) {
    return unusable("the GPU", cudaGetErrorString(failed));
  }
  constexpr int oldest_major = 7, oldest_minor = 5;  // Turing: what the kernels are compiled for at least
  if (properties.major < oldest_major || (properties.major == oldest_major && properties.minor < oldest_minor)) {
    return {.missing = std::string(properties.name) + " is too old: it needs compute capability 7.5"};
  }
  if (const cudaError_t failed = try_kernel(); failed != cudaSuccess) {
    const bool is_older = failed == cudaErrorUnsupportedPtxVersion;
    return unusable(properties.name, is_older ? older_driver(driver) : cudaGetErrorString(failed));
  }
  const auto gibibytes = std::lround(static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0));
  return {.is_there = true, .name = std::string(properties.name) + ", " + std::to_string(gibibytes) + " GiB"};
}

std::unique_ptr<TubeBouncer> make_cuda_tube_bouncer(const EnvironmentView& environment) {
  return make_cuda_tube_bouncer(std::make_shared<const DeviceEnvironment>(environment));
}

std::unique_ptr<RowScatterer> make_cuda_row_scatterer(const EnvironmentView& environment) {
  return make_cuda_row_scatterer(std::make_shared<const DeviceEnvironment>(environment));
}

LaunchMakers cuda_launch_makers() {
  struct Shared {
    std::once_flag is_copied;
    std::shared_ptr<const DeviceEnvironment> copy;
  };
  const auto copy_of = [shared = std::make_shared<Shared>()](const EnvironmentView& environment) {
    std::call_once(shared->is_copied, [&] { shared->copy = std::make_shared<const DeviceEnvironment>(environment); });
    return shared->copy;
  };
  return {make_cuda_rooftop_search,
          [copy_of](const EnvironmentView& environment) { return make_cuda_tube_bouncer(copy_of(environment)); },
          [copy_of](const EnvironmentView& environment) { return make_cuda_row_scatterer(copy_of(environment)); }};
}

std::unique_ptr<Visibility> compute_visibility_with_cuda(const Occlusion& occlusion, const Tiling& tiling,
                                                         const VisibilityOptions& options, Progress& progress) {
  return compute_visibility_by_blocks(make_cuda_sight_runner, occlusion, tiling, options, progress,
                                      Searchers::blocks_and_cpu);
}

}  // namespace tesseray
