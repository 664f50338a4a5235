// SPDX-License-Identifier: GPL-3.0-or-later
// From transmitters to what arrives at tiles and receivers.
#pragma once

#include "core/propagation/launching/ray_launcher.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/predict_each.h"
#include "processing_algorithms/stages/prediction_keeping.h"
#include "processing_algorithms/stages/ray_parameters.h"
#include "processing_algorithms/stages/site_stage.h"

namespace tesseray {

// Where a tool needs to know what arrives.
enum class PredictedAt { tiles_and_receivers, layers_asked_for };

// Throws Error where nothing could be predicted, before the long work.
void require_targets(const Tiling& tiling, const Sites& sites);

// What the rays of any transmitter are launched by. What is given must outlive it. Where a few receivers are
// enough rays arrive at them alone, which takes a fraction of the time: predictions then have no tiles.
RayLauncher launch_rays(Run& run, const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                        const RayRows& rows, const Sites& sites, PredictedAt predicted_at);

// Launches the rays of every transmitter and sums them up, of as many at once as threads and memory allow; but for
// those that earlier runs left in the folders, where the others are kept as well.
Predictions predict_path_loss(Run& run, const RayLauncher& launcher, const RayRows& rows, const Scene& scene,
                              const Tiling& tiling, const Sites& sites, const PredictionFolders& folders);

}  // namespace tesseray
