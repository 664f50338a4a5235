// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cuda/sight_runner.h"

namespace tesseray {

// Runs the blocks on the GPU; copies the scene. Throws Error when there is none, or its memory is not enough.
std::unique_ptr<SightRunner> make_cuda_sight_runner(const SightSceneView& scene, const BatchCapacity& capacity);

}  // namespace tesseray
