// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/destinations.h"

#include <algorithm>
#include <functional>
#include <system_error>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/base/is_there.h"
#include "core/base/staged_file.h"
#include "core/io/antennas/antenna_file.h"
#include "core/io/results/coverage_raster.h"
#include "core/io/results/environment_format.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/output_database.h"
#include "core/io/results/sqlite_database.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/passwords.h"
#include "core/scene/file/scene_file.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/run/sources.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/run/tool.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& code, const std::string& message, const std::string& hint,
                         const fs::path& file, const std::string& layer = {}) {
  throw Error(ErrorKind::invalid_input, code, message, hint, {.file = without_password(file.string()), .layer = layer});
}

// Programs tell rasters and GeoPackages by the endings of their names; of Tesseray's own formats the content tells.
void check_ending(const Parameter& parameter, const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  const bool is_raster = parameter.extension == "tif", is_geopackage = parameter.extension == "gpkg";
  const bool is_good = is_raster ? ending == ".tif" || ending == ".tiff" : !is_geopackage || ending == ".gpkg";
  if (is_good) return;
  refuse("unsupported_format",
         ending.empty() ? parameter.name + " has no file extension"
                        : (is_raster ? "a GeoTIFF cannot be called " : "a GeoPackage cannot be called ") + ending,
         "give a name that ends in ." + parameter.extension, file);
}

// What reads a file splits its name at the one, and takes the other for an address.
void check_name(const fs::path& file) {
  if (file.string().find('|') != std::string::npos) {
    refuse("bad_name", "the name has a |, behind which the name of a layer would be looked for",
           "give a name, and a folder, without |", file);
  }
  if (file.string().starts_with("file:")) {
    refuse("bad_name", "the name begins as an address does, and would not be found again",
           "write it as ./" + file.string() + ", or the path alone", file);
  }
}

void check_is_no_pipe_or_device(const fs::path& file) {
  if (!is_pipe_or_device(file)) return;
  refuse("no_regular_file", "this is a pipe or a device", "name a file, and read it when it is complete", file);
}

// What a link points at is written, and is found to be nowhere when all has been computed.
void check_link(const fs::path& file) {
  std::error_code problem;
  if (!fs::is_symlink(file, problem)) return;
  const fs::path to = behind_links(file);
  if (fs::is_symlink(to, problem)) {
    refuse("bad_link", "it is a symbolic link that leads round in a circle", "correct the link, or name another file",
           file);
  }
  const fs::path folder = fs::absolute(to).parent_path();
  if (!fs::is_directory(folder, problem)) {
    refuse("no_such_folder", "it is a symbolic link into " + folder.string() + ", and there is no such folder",
           "make it, correct the link, or name another file", file);
  }
  check_folder(to);
}

const char* const overwrite_hint = "give another name, or allow replacing it with --overwrite";

void check_file_is_new(const fs::path& file) {
  if (is_there(file)) refuse("file_exists", "the file exists already", overwrite_hint, file);
}

bool is_readable(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// By the name, so that a damaged file of the kind can be replaced, or else by the content. Rasters and antenna files
// are written by others, too.
bool is_of_kind(const fs::path& file, const std::string& extension) {
  if (is_database(file)) return false;
  if (extension == "tif") return may_be_ground_raster(file);
  const bool is_named_so = lower_case(file.extension().string()) == "." + extension;
  if (extension == "msi") {
    bool is_ours = is_named_so;
    is_readable([&] { is_ours = is_from_to_msi(file); });
    return is_ours;
  }
  if (is_named_so) return true;
  if (extension == "tscene") return is_scene_file(file);
  if (extension == "tvis") return is_readable([&] { read_visibility_info(file); });
  return false;
}

// Replacing is for results of earlier runs, not for what somebody chose by mistake.
void check_nothing_else_is_lost(const fs::path& file, const std::string& extension) {
  if (content_of(file) == FileContent::absent) return;
  if (extension != "gpkg") {
    if (is_of_kind(file, extension)) return;
    refuse("file_of_another_kind",
           std::string("the file is ") +
               (is_database(file) ? "a GeoPackage or other database" : "not one that Tesseray wrote") + ", which a ." +
               extension + " file is not to replace",
           "give another name, or delete the file yourself if nobody needs it", file);
  }
  if (!is_database(file)) return;
  require_nothing_of_others(file);
  require_replaceable_database(file);
}

void check_layer_is_new(const LayerDestination& destination) {
  const FileContent content = content_of(destination.file);
  if (content == FileContent::absent) return;
  if (content != (is_spatialite(destination.file) ? FileContent::sqlite : FileContent::geopackage)) {
    refuse("file_exists", "the file exists already", overwrite_hint, destination.file);
  }
  if (has_layer(destination.file, destination.layer)) {
    refuse("layer_exists", "the layer exists already", overwrite_hint, destination.file, destination.layer);
  }
}

// The same of one layer.
void check_no_layer_of_others_is_lost(const LayerDestination& destination) {
  if (!is_database(destination.file)) return;
  if (is_of_others(destination.file, destination.layer)) throw_layer_of_others(destination.file, destination.layer);
}

// What makes an environment replaces all of its file, and what reads one takes all of its layers.
void check_is_no_environment(const fs::path& file) {
  if (!is_database(file) || !has_layer(file, environment_table)) return;
  refuse("output_in_environment", "the file is an environment, which holds nothing else", "write to another file",
         file);
}

// The layers of its file that a source is read from; empty when it may be any.
std::vector<std::string> layers_read(const Parameter& input, const std::string& source) {
  if (input.kind == ParameterKind::file) return {};
  if (input.layers_read != nullptr) return input.layers_read(source);
  const std::string layer = layer_of_source(source);
  return layer.empty() ? std::vector<std::string>() : std::vector<std::string>{layer};
}

// The same of what was copied, of which front ends tell in words of their own.
std::vector<std::string> layers_copied(const Parameter& input, const std::string& source) {
  try {
    return layers_read(input, source);
  } catch (const Error&) {
    return {};
  }
}

// What is read for a parameter: what it is given, or stands beside another one's file; "" where that is nothing.
std::string source_of(const Parameter& parameter, const ParameterValues& values) {
  if (values.has(parameter.name)) return values.text(parameter.name);
  for (const std::string& neighbour : parameter.beside) {
    if (!values.has(neighbour)) continue;
    return path_of_source(values.text(neighbour)).replace_extension(parameter.extension).string();
  }
  return {};
}

// An input stays as it is: no file destination on it, no layer in place of its own, nothing into an environment and
// nothing into what is no GeoPackage.
void check_input_is_safe(const Parameter& input, const std::string& source, bool is_copied,
                         const std::vector<fs::path>& files, const LayerDestination& destination) {
  const bool is_input = std::any_of(files.begin(), files.end(), [&destination](const fs::path& file) {
    std::error_code not_there;  // two names of one file, as hard links are
    return resolved(file) == resolved(destination.file) || fs::equivalent(file, destination.file, not_there);
  });
  if (!is_input) return;
  std::vector<std::string> layers = is_copied ? layers_copied(input, source) : layers_read(input, source);
  // What shows other files has names of its own for their layers.
  if (files.size() > 1) layers.clear();
  // SQLite's names have no case.
  const std::string wanted = lower_case(destination.layer);
  const bool is_other_layer =
      !layers.empty() && !wanted.empty() &&
      std::none_of(layers.begin(), layers.end(), [&](const std::string& layer) { return lower_case(layer) == wanted; });
  if (is_other_layer) return;
  const bool have_layers = input.kind != ParameterKind::file && !destination.layer.empty();
  refuse("output_is_input", "it is the input " + input.name + ", which stays as it is",
         std::string("write to another file") +
             (have_layers ? ", or name the layers of both (file.gpkg|layername=…)" : ""),
         destination.file, destination.layer);
}

// Which files, and which layers in them, outputs go to.
class TakenPlaces {
 public:
  // False when an output goes there already. `layer`: "" for the whole file.
  bool take(const fs::path& file, const std::string& layer) {
    std::vector<std::string>& layers = layers_in_[resolved(file)];
    const std::string wanted = lower_case(layer);
    const bool collides = std::any_of(layers.begin(), layers.end(), [&wanted](const std::string& other) {
      return wanted.empty() || other.empty() || other == wanted;
    });
    layers.push_back(wanted);
    return !collides;
  }

 private:
  std::map<fs::path, std::vector<std::string>> layers_in_;
};

}  // namespace

void check_folder(const fs::path& file) {
  require_writable_folder(file);
  std::error_code problem;
  if (fs::is_directory(file, problem)) refuse("is_a_folder", "it is a folder", "give the name of a file", file);
  if (problem == std::errc::filename_too_long) refuse("bad_name", "the name is too long", "give a shorter one", file);
}

namespace {

std::string collecting_file(const ParameterValues& values) {
  const std::string name = output_parameter().name;
  const std::vector<Parameter>& declared = values.declared();
  const bool is_declared =
      std::any_of(declared.begin(), declared.end(), [&](const Parameter& parameter) { return parameter.name == name; });
  return is_declared ? values.text(name) : std::string();
}

}  // namespace

Destinations::Destinations(const ParameterValues& values, bool overwrite, const Copies& copies) {
  // Tools that write no layers have no file that collects them.
  const std::string output = collecting_file(values);
  for (const Parameter& parameter : values.declared()) {
    if (parameter.name == output_parameter().name || !is_destination(parameter.kind)) continue;
    const std::string& given = values.text(parameter.name);
    if (!given.empty()) asked_for_.push_back(parameter.name);
    if (parameter.kind == ParameterKind::file_destination) {
      if (!given.empty()) files_.emplace(parameter.name, given);
    } else if (!given.empty()) {
      layers_.emplace(parameter.name, parse_layer_destination(given, parameter.layer));
    } else if (!output.empty()) {
      layers_.emplace(parameter.name, parse_layer_destination(output, parameter.layer));
    }
  }
  for (const Parameter& parameter : values.declared()) {
    for (const std::string& neighbour_name : parameter.beside) {
      const std::optional<LayerDestination> neighbour = layer(neighbour_name);
      if (neighbour) layers_.try_emplace(parameter.name, LayerDestination{neighbour->file, parameter.layer});
    }
  }
  check(values, overwrite);
  check_inputs_are_safe(values, copies);
  for (const fs::path& file : layer_files()) check_is_no_environment(file);
  if (overwrite) {
    for (const auto& [name, destination] : layers_) check_no_layer_of_others_is_lost(destination);
    for (const Parameter& parameter : values.declared()) {
      if (const std::optional<fs::path> replaced = file(parameter.name)) {
        check_nothing_else_is_lost(*replaced, parameter.extension);
        replaceable_.emplace(*replaced, parameter.extension);
      }
    }
  }
  // Last, since a lock is waited for: whoever holds it would otherwise be found when all has been computed.
  for (const auto& [name, replaced] : files_) require_unlocked(replaced);
  for (const fs::path& file : layer_files()) require_unlocked(file);
}

void Destinations::check(const ParameterValues& values, bool overwrite) const {
  require_some_output(values);
  TakenPlaces taken;
  for (const Parameter& parameter : values.declared()) {
    const std::optional<fs::path> wanted = file(parameter.name);
    if (!wanted) continue;
    check_name(*wanted);
    check_folder(*wanted);
    check_link(*wanted);
    check_ending(parameter, *wanted);
    check_is_no_pipe_or_device(*wanted);
    if (!taken.take(*wanted, "")) {
      refuse("outputs_collide", "two outputs go to this file", "give each its own", *wanted);
    }
    if (parameter.may_exist) continue;
    if (!overwrite) check_file_is_new(*wanted);
    require_replaceable(*wanted);
  }
  for (const auto& [name, destination] : layers_) {
    check_name(destination.file);
    check_folder(destination.file);
    check_link(destination.file);
    check_is_no_pipe_or_device(destination.file);
    if (!taken.take(destination.file, destination.layer)) {
      refuse("outputs_collide", "two outputs go to this place", "give each its own file or layer name",
             destination.file, destination.layer);
    }
    if (!overwrite) check_layer_is_new(destination);
    require_replaceable(destination.file);
  }
}

void Destinations::check_inputs_are_safe(const ParameterValues& values, const Copies& copies) const {
  // What is not there yet is no input.
  std::vector<LayerDestination> existing;
  const auto add_if_there = [&existing](const LayerDestination& destination) {
    if (is_there(destination.file)) existing.push_back(destination);
  };
  for (const auto& [name, destination] : layers_) add_if_there(destination);
  for (const auto& [name, file] : files_) add_if_there({.file = file, .layer = {}});
  if (existing.empty()) return;
  for (const Parameter& parameter : values.declared()) {
    const std::string given = is_input_source(parameter.kind) ? source_of(parameter, values) : std::string();
    if (given.empty()) continue;
    std::vector<std::string> sources{given};
    const auto copy = copies.find(path_of_source(sources.front()).string());
    if (copy != copies.end()) sources.insert(sources.end(), copy->second.sources.begin(), copy->second.sources.end());
    for (const std::string& source : sources) {
      const std::vector<fs::path> files = files_of_dataset(path_of_source(source).string());
      const bool is_copied = &source != &sources.front();
      for (const LayerDestination& destination : existing) {
        check_input_is_safe(parameter, source, is_copied, files, destination);
      }
    }
  }
}

void Destinations::require_some_output(const ParameterValues& values) const {
  if (!layers_.empty() || !files_.empty()) return;
  std::vector<std::string> options;
  for (const Parameter& parameter : values.declared()) {
    if (!is_destination(parameter.kind)) continue;
    const bool has_default_place = parameter.kind == ParameterKind::file_destination && !parameter.beside.empty();
    if (has_default_place || parameter.figures_suffice) return;
    options.push_back(option_name(parameter.name));
  }
  throw Error(ErrorKind::invalid_input, "no_output", "no output is asked for", "give " + join(options, " or "));
}

void Destinations::require_nothing_else_is_lost(const fs::path& file) const {
  const auto found = replaceable_.find(file);
  if (found != replaceable_.end()) check_nothing_else_is_lost(file, found->second);
}

std::optional<LayerDestination> Destinations::layer(std::string_view name) const {
  const auto found = layers_.find(name);
  return found == layers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<fs::path> Destinations::file(std::string_view name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

bool Destinations::asked_for(std::string_view name) const {
  return std::find(asked_for_.begin(), asked_for_.end(), name) != asked_for_.end();
}

std::vector<fs::path> Destinations::layer_files() const {
  std::vector<fs::path> files;
  for (const auto& [name, destination] : layers_) {
    if (std::find(files.begin(), files.end(), destination.file) == files.end()) files.push_back(destination.file);
  }
  return files;
}

bool Destinations::has_database() const {
  return !layers_.empty() || std::any_of(files_.begin(), files_.end(), [](const auto& named) {
    return lower_case(named.second.extension().string()) == ".gpkg";
  });
}

std::vector<std::pair<std::string, std::string>> Destinations::spelled(const std::vector<std::string>& written) const {
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const std::string& name : written) {
    if (const std::optional<LayerDestination> destination = layer(name)) {
      outputs.emplace_back(name, destination->file.string() + "|layername=" + destination->layer);
    } else if (const std::optional<fs::path> path = file(name)) {
      outputs.emplace_back(name, path->string());
    }
  }
  return outputs;
}

}  // namespace tesseray
