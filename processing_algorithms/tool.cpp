// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/tool.h"

namespace tesseray {

std::vector<Parameter> concatenated(const std::vector<std::vector<Parameter>>& lists) {
  std::vector<Parameter> all;
  for (const std::vector<Parameter>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Parameter output_parameter() {
  return {.name = "OUTPUT",
          .label = "Output GeoPackage",
          .help = "the file for every layer output that is not given a destination of its own, each under its own name",
          .kind = ParameterKind::file_destination,
          .optional = true,
          .extension = "gpkg"};
}

}  // namespace tesseray
