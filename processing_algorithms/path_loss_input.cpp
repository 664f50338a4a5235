// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/path_loss_input.h"

namespace tesseray {

Parameter path_loss_input(const std::string& what) {
  return {.name = "PATH_LOSS",
          .label = "Path loss",
          .help = what,
          .kind = ParameterKind::vector_any,
          .layer = "path_loss",
          .companions = {"transmitters"}};
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
