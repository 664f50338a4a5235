// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of the executable, made from the tools' declarations.
#pragma once

#include <string>
#include <vector>

#include "processing_algorithms/run/parameter_values.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/run/run_progress.h"
#include "processing_algorithms/run/tool.h"

namespace tesseray {

// What a command line asks for.
struct Command {
  enum class Action { print, run };
  Action action = Action::print;
  std::string text;            // to print
  const Tool* tool = nullptr;  // to run
  GivenParameters given;       // of the tool
  bool parameters_from_stdin = false;
  bool cancel_on_eof = false;
  bool json_result = false;  // one JSON object on standard output rather than a table
  ProgressStyle progress = ProgressStyle::bar;
  RunSettings settings;
};

// `arguments` without the program's name. Throws Error(invalid_input) for anything that is wrong.
Command parse_command_line(const std::vector<std::string>& arguments);

// How errors of the command line itself should be told, as far as it can be read.
ProgressStyle progress_style_of(const std::vector<std::string>& arguments);

}  // namespace tesseray
