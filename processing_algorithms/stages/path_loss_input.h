// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of tools that start from a prediction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/results/path_loss_layer.h"
#include "processing_algorithms/run/parameter.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// PATH_LOSS. `what`: which layers of predictcoverage will do.
Parameter path_loss_input(const std::string& what);

// What a tool needs of it.
struct PathLossUse {
  Outlines outlines = Outlines::leave;
  std::vector<std::string> fields = {"received_power_dbm"};
  // That it holds for each row and each tile beside what is read.
  std::uint64_t bytes_per_row = 0, bytes_per_tile = 0;
};
// Reads PATH_LOSS. Throws Error(resources) before it does where memory is too little for that.
PathLossLayer read_path_loss(Run& run, const PathLossUse& use);
// Warns when tiles that nothing reaches are not among those predicted, where that changes `what`.
void warn_of_reached_only(Run& run, const PathLossLayer& path_loss, const std::string& what);
// MIN_RECEIVED_POWER. `effect`: what becomes of weaker transmitters.
Parameter least_received_power(const std::string& effect);

}  // namespace tesseray
