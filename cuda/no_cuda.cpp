// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the kernels where no nvcc was found.
#include "core/base/error.h"
#include "cuda/backend.h"
#include "cuda/cuda_sight_runner.h"

namespace tesseray {

CudaDevice find_cuda_device() { return {.missing = "this build of Tesseray has no CUDA"}; }

std::unique_ptr<Visibility> compute_visibility_with_cuda(const Occlusion&, const Tiling&, const VisibilityOptions&,
                                                         Progress&) {
  throw Error(ErrorKind::internal, "no_cuda_device", find_cuda_device().missing);
}

std::unique_ptr<RooftopSearch> make_cuda_rooftop_search(const RooftopSceneView&) {
  throw Error(ErrorKind::internal, "no_cuda_device", find_cuda_device().missing);
}

std::unique_ptr<TubeBouncer> make_cuda_tube_bouncer(const EnvironmentView&) {
  throw Error(ErrorKind::internal, "no_cuda_device", find_cuda_device().missing);
}

std::unique_ptr<RowScatterer> make_cuda_row_scatterer(const EnvironmentView&) {
  throw Error(ErrorKind::internal, "no_cuda_device", find_cuda_device().missing);
}

LaunchMakers cuda_launch_makers() {
  return {make_cuda_rooftop_search, make_cuda_tube_bouncer, make_cuda_row_scatterer};
}

std::unique_ptr<SightRunner> make_cuda_sight_runner(const SightSceneView&, const BatchCapacity&) {
  throw Error(ErrorKind::internal, "no_cuda_device", find_cuda_device().missing);
}

}  // namespace tesseray
