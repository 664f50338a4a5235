// SPDX-License-Identifier: GPL-3.0-or-later
// How a run takes over what earlier ones have predicted, and keeps its own predictions for later ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/prediction/kept_predictions.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/scene/scene.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/predict_each.h"

namespace tesseray {

// KEPT_PREDICTIONS.
Parameter kept_predictions_parameter();

// Where a run looks for predictions and keeps its own.
struct PredictionFolders {
  // Beside the visibility file (NAME.predictions); beside the result, for as long as the run is not done, where nothing
  // may be kept there. Null where neither is of use: for a single transmitter without the former.
  std::unique_ptr<KeptPredictions> kept;
  // Beside the result, of runs that were not done and kept theirs there. Null where that is `kept`, or not there.
  std::unique_ptr<KeptPredictions> unfinished;
};
PredictionFolders open_kept_predictions(Run& run, const Scene& scene, const Tiling& tiling,
                                        const Visibility& visibility, const RayLauncher& launcher,
                                        const std::vector<Transmitter>& transmitters);

// What is there of these transmitters; tells of it. What is taken over from unfinished runs is kept with the others.
std::vector<TransmitterPrediction> find_kept_predictions(Run& run, const PredictionFolders& folders,
                                                         const std::vector<Transmitter>& transmitters);

// When the result is written: no more stays beside the visibility than KEPT_PREDICTIONS, and nothing beside the result
// unless transmitters failed, for which a run may be made again, and what succeeded is kept nowhere else.
void close_kept_predictions(Run& run, const PredictionFolders& folders, const Predictions& predictions);

}  // namespace tesseray
