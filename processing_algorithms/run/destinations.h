// SPDX-License-Identifier: GPL-3.0-or-later
// Where the outputs of a run go.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/results/result_writer.h"
#include "processing_algorithms/run/parameter_values.h"

namespace tesseray {

// Throws Error(invalid_input) when `file` cannot be made: no folder, a folder that cannot be written, itself a folder.
void check_folder(const std::filesystem::path& file);

class Destinations {
 public:
  // Resolves all destinations (OUTPUT takes the layers that were given none) and refuses, with Error(invalid_input):
  // none at all, one that is an input or what an input was copied from, two outputs in one place, a folder or file that
  // is not there or cannot be written, also behind a link, a name that is no GeoPackage's, an existing file or layer
  // without `overwrite`, with it a file that is no earlier result, and a database that another program is writing to.
  Destinations(const ParameterValues& values, bool overwrite, const Copies& copies);

  // Empty when the output is not wanted.
  std::optional<LayerDestination> layer(std::string_view name) const;
  std::optional<std::filesystem::path> file(std::string_view name) const;
  // Throws Error(invalid_input) where a file that may be replaced is no earlier result any more: others may have put
  // their own in its place since.
  void require_nothing_else_is_lost(const std::filesystem::path& file) const;
  // True when the output was given a destination of its own, rather than falling to OUTPUT.
  bool asked_for(std::string_view name) const;
  // Every file that layers go to, each once.
  std::vector<std::filesystem::path> layer_files() const;
  // Whether any output is a database, which has a record of the run.
  bool has_database() const;

  // The outputs that were `written`, as the end of a run tells them: "TILES" → "x.gpkg|layername=tiles".
  std::vector<std::pair<std::string, std::string>> spelled(const std::vector<std::string>& written) const;

 private:
  void check(const ParameterValues& values, bool overwrite) const;
  void check_inputs_are_safe(const ParameterValues& values, const Copies& copies) const;
  void require_some_output(const ParameterValues& values) const;

  std::map<std::string, LayerDestination, std::less<>> layers_;
  std::map<std::string, std::filesystem::path, std::less<>> files_;
  std::map<std::filesystem::path, std::string> replaceable_;  // files, and their extensions
  std::vector<std::string> asked_for_;
};

}  // namespace tesseray
