// SPDX-License-Identifier: GPL-3.0-or-later
// A tool: what it takes and gives, as data, and the function that runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "processing_algorithms/run/parameter.h"

namespace tesseray {

class Run;
struct Outcome;

// The least memory of a run that cuts an area into pieces: bytes_per_piece × area of `extent` (or of `layer`, where no
// extent is given) / `piece_area`. The names are parameters.
struct PieceMemory {
  std::string layer, extent, piece_area;
  std::uint64_t bytes_per_piece = 0;
};

struct Tool {
  std::string id;     // as on the command line: "coveragestudy"
  std::string title;  // as in the toolbox: "Coverage study"
  std::string group;
  std::string help;
  std::vector<Parameter> parameters;  // inputs first, destinations last
  // What a front end may do with it: "report_input" makes a report from the results, "antenna_page" a page on an
  // antenna, "map_click" takes a point, "exact_rays" leaves layers with the rays of the image method alone.
  std::vector<std::string> roles;
  std::optional<PieceMemory> memory = std::nullopt;
  Outcome (*run)(Run& run) = nullptr;
};

// Several lists of parameters as one.
std::vector<Parameter> concatenated(const std::vector<std::vector<Parameter>>& lists);

// What every tool takes besides its own parameters: where and how to compute, and whether to replace what is there.
std::vector<Parameter> run_options();

// OUTPUT, which every tool has: the GeoPackage for the layers that were given no destination of their own.
Parameter output_parameter();

}  // namespace tesseray
