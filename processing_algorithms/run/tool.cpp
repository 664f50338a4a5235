// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/tool.h"

namespace tesseray {

std::vector<Parameter> concatenated(const std::vector<std::vector<Parameter>>& lists) {
  std::vector<Parameter> all;
  for (const std::vector<Parameter>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Parameter> run_options() {
  return {{.name = "DEVICE",
           .label = "Device",
           .help = "where to compute; auto takes the graphics processor if there is one",
           .kind = ParameterKind::enumeration,
           .default_value = "auto",
           .choices = {"auto", "cpu", "cuda"},
           .advanced = true},
          {.name = "THREADS",
           .label = "Threads",
           .help = "number of threads; 0 for all. Results do not depend on it",
           .kind = ParameterKind::number,
           .default_value = "0",
           .minimum = 0,
           .maximum = 1024,
           .integer = true,
           .advanced = true},
          {.name = "MEMORY",
           .label = "Memory",
           .help = "how much memory may be used; what is free if not given",
           .kind = ParameterKind::number,
           .unit = "GiB",
           .minimum = 0.001,
           .maximum = 1e6,
           .optional = true,
           .advanced = true},
          {.name = "OVERWRITE",
           .label = "Replace existing files and layers",
           .help = "without it, a run that would replace a file or layer is refused",
           .kind = ParameterKind::boolean,
           .default_value = "false"}};
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
