// SPDX-License-Identifier: GPL-3.0-or-later
// What the rest of Tesseray knows of CUDA: whether there is a GPU, and what it computes in place of the CPU: visibility
// with the same bits, fields over the roofs within 1e-9 of themselves, bounces by the same hits in the same order, and
// scattered power by the same draws.
#pragma once

#include <memory>
#include <string>

#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/rooftops/rooftop_search.h"
#include "core/propagation/scattering/row_scatterer.h"
#include "core/propagation/tubes/tube_bouncer.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// The GPU that takes the work, or why there is none.
struct CudaDevice {
  bool is_there = false;
  bool is_unusable = false;  // there is one, on which nothing runs
  std::string name;          // "NVIDIA H200, 139 GiB"
  std::string missing;       // "this build of Tesseray has no CUDA", "there is no CUDA driver", …
};
// Starts it, which takes some tenths of a second at the first call.
CudaDevice find_cuda_device();

// compute_visibility on the GPU and the CPU beside it. Throws Error(resources) when its memory is not enough,
// Error(internal) when it fails. REQUIRES: find_cuda_device().is_there.
std::unique_ptr<Visibility> compute_visibility_with_cuda(const Occlusion& occlusion, const Tiling& tiling,
                                                         const VisibilityOptions& options, Progress& progress);

// Works out rays over the roofs on the GPU, over a scene that it copies. Throws Error(resources) when its memory is not
// enough, and its find() Error(internal) when the GPU fails. REQUIRES: find_cuda_device().is_there.
std::unique_ptr<RooftopSearch> make_cuda_rooftop_search(const RooftopSceneView& scene);

// Bounces tubes on the GPU, over an environment that it copies. Throws Error(resources) when its memory is not enough,
// as start() does, and the bouncers of launches Error(internal) when the GPU fails. REQUIRES:
// find_cuda_device().is_there.
std::unique_ptr<TubeBouncer> make_cuda_tube_bouncer(const EnvironmentView& environment);

// Works out scattered power on the GPU, over an environment that it copies. Throws as make_cuda_tube_bouncer().
// REQUIRES: find_cuda_device().is_there.
std::unique_ptr<RowScatterer> make_cuda_row_scatterer(const EnvironmentView& environment);

// All three, for one launcher: the last two over one copy of the environment, that of the first call.
LaunchMakers cuda_launch_makers();

}  // namespace tesseray
