// SPDX-License-Identifier: GPL-3.0-or-later
// How a run of many transmitters goes on with what an earlier one has finished.
#pragma once

#include <memory>

#include "core/prediction/finished_predictions.h"
#include "core/propagation/ray_launcher.h"
#include "core/scene/scene.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/predict_each.h"
#include "processing_algorithms/run.h"

namespace tesseray {

// The predictions of an earlier run that was given the same, in a file beside the one with PATH_LOSS, or else with the
// first layer. Null for a single transmitter, and where no layer is written.
std::unique_ptr<FinishedPredictions> open_finished_predictions(Run& run, const Scene& scene, const Tiling& tiling,
                                                               const Visibility& visibility,
                                                               const RayLauncher& launcher,
                                                               const std::vector<Transmitter>& transmitters);

// When the result is written: removes the file, unless transmitters failed, for which a run may be made again.
void close_finished_predictions(Run& run, FinishedPredictions* finished, const Predictions& predictions);

}  // namespace tesseray
