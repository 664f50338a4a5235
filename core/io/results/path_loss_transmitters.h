// SPDX-License-Identifier: GPL-3.0-or-later
// The transmitters in the layer beside that of path losses.
#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/geometry/vector.h"
#include "core/io/results/path_loss_file.h"
#include "core/prediction/predicted_target.h"

namespace tesseray {

// In metres from `origin` (metres of the layer's CRS), in the layer's order. Where a filter chooses among the rows,
// only those that it leaves a row of: others would stand there as unheard. Throws Error(invalid_input) where there is
// no such layer, where it lacks one that the targets have, and where one is there twice or is not as it must be.
std::vector<PredictedTransmitter> read_transmitters_of(const std::vector<PredictedTarget>& targets, PathLossFile& file,
                                                       Vec2 origin);

// A later run may have replaced the layer of transmitters, or have written the path loss beside those of another one.
// REQUIRES: the file has transmitters.
void warn_of_other_transmitters(PathLossFile& file, Progress& progress);

}  // namespace tesseray
