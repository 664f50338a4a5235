// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of tools that start from a prediction.
#pragma once

#include <string>

#include "core/io/results/result_writer.h"
#include "processing_algorithms/run/parameter.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// PATH_LOSS, which read_path_loss() reads. `what`: which layers of predictcoverage will do.
Parameter path_loss_input(const std::string& what);
// Warns when tiles that nothing reaches are not among those predicted, where that changes `what`.
void warn_of_reached_only(Run& run, const PathLossLayer& path_loss, const std::string& what);
// MIN_RECEIVED_POWER. `effect`: what becomes of weaker transmitters.
Parameter least_received_power(const std::string& effect);

}  // namespace tesseray
