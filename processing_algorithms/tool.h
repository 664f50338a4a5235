// SPDX-License-Identifier: GPL-3.0-or-later
// A tool: what it takes and gives, as data, and the function that runs it.
#pragma once

#include <string>
#include <vector>

#include "processing_algorithms/parameter.h"

namespace tesseray {

class Run;
struct Outcome;

struct Tool {
  std::string id;     // as on the command line: "coveragestudy"
  std::string title;  // as in the toolbox: "Coverage study"
  std::string group;
  std::string help;
  std::vector<Parameter> parameters;  // inputs first, destinations last
  // What a front end may do with it: "report_input" makes a report from the results, "map_click" takes a point.
  std::vector<std::string> roles;
  Outcome (*run)(Run& run) = nullptr;
};

// Several lists of parameters as one.
std::vector<Parameter> concatenated(const std::vector<std::vector<Parameter>>& lists);

// OUTPUT, which every tool has: the GeoPackage for the layers that were given no destination of their own.
Parameter output_parameter();

}  // namespace tesseray
