// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/path_loss_input.h"

namespace tesseray {

namespace {

std::vector<std::string> layers_read(const std::string& source) {
  const PathLossNames names = path_loss_names(source);
  return {names.path_loss, names.transmitters};
}

}  // namespace

Parameter path_loss_input(const std::string& what) {
  return {.name = "PATH_LOSS",
          .label = "Path loss",
          .help = what,
          .kind = ParameterKind::vector_any,
          .layer = "path_loss",
          .companions = {"transmitters"},
          .layers_read = layers_read};
}

void warn_of_reached_only(Run& run, const PathLossLayer& path_loss, const std::string& what) {
  if (!path_loss.holds_reached_only) return;
  run.progress().warn({"reached_only", "PATH_LOSS holds only tiles that something reaches (REACHED_ONLY), so that " +
                                           what + "; predict without REACHED_ONLY for all"});
}

Parameter least_received_power(const std::string& effect) {
  return {.name = "MIN_RECEIVED_POWER",
          .label = "Least received power",
          .help = effect,
          .kind = ParameterKind::number,
          .unit = "dBm",
          .minimum = -300,
          .maximum = 100,
          .optional = true};
}

}  // namespace tesseray
