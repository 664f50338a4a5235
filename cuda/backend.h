// SPDX-License-Identifier: GPL-3.0-or-later
// What the rest of Tesseray knows of CUDA: whether there is a GPU, and what it computes in place of the CPU, with the
// same bits.
#pragma once

#include <memory>
#include <string>

#include "core/visibility/visibility.h"

namespace tesseray {

// The GPU that takes the work, or why there is none.
struct CudaDevice {
  bool is_there = false;
  std::string name;     // "NVIDIA H200, 139 GiB"
  std::string missing;  // "this build of Tesseray has no CUDA", "there is no CUDA driver", …
};
CudaDevice find_cuda_device();

// compute_visibility on the GPU. Throws Error(resources) when its memory is not enough, Error(internal) when it fails.
// REQUIRES: find_cuda_device().is_there.
std::unique_ptr<Visibility> compute_visibility_with_cuda(const Occlusion& occlusion, const Tiling& tiling,
                                                         const VisibilityOptions& options, Progress& progress);

}  // namespace tesseray
