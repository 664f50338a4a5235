// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/prediction_keeping.h"

#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/is_there.h"
#include "core/visibility/file/visibility_file.h"
#include "processing_algorithms/stages/comparison_stage.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/prediction_results.h"
#include "processing_algorithms/stages/scene_parameters.h"
#include "processing_algorithms/stages/site_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"
#include "processing_algorithms/stages/visibility_stage.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

void add(StableHash& hash, const Clutter& clutter) {
  hash.add(static_cast<std::uint64_t>(clutter.cells.size()));
  for (const std::uint8_t cell : clutter.cells) hash.add_byte(cell);
  for (const double number : {clutter.south_west.x, clutter.south_west.y, clutter.step_x, clutter.step_y}) {
    hash.add(number);
  }
  hash.add(clutter.columns);
  for (const std::string& name : clutter.classes) hash.add(std::string_view(name));
}

// What no hash of an environment has of a material: sight does not depend on it, but penetration goes by the name, and
// by the frequencies that its law holds for it is clamped.
void add(StableHash& hash, const Material& material) {
  hash.add(std::string_view(material.name));
  hash.add(material.minimum_ghz);
  hash.add(material.maximum_ghz);
}

void add(StableHash& hash, const std::vector<Receiver>& receivers) {
  hash.add(static_cast<std::uint64_t>(receivers.size()));
  for (const Receiver& receiver : receivers) {
    hash.add(receiver.receiver_id);
    for (const double number : {receiver.position.x, receiver.position.y, receiver.position.z}) hash.add(number);
  }
}

// What says where things are read from, or what is made of a prediction once it is there.
std::vector<Parameter> parameters_beside_predictions() {
  return concatenated({{environment_parameter(), visibility_file_parameter()},
                       scene_parameters(),
                       tiling_parameters(),
                       visibility_parameters(),
                       transmitter_parameters(""),
                       receiver_point_parameters(""),
                       drive_test_parameters(true, "LOCAL_METRES"),
                       row_parameters(),
                       {kept_predictions_parameter()}});
}

// The parameters that a prediction depends on and nothing else in its key stands for.
std::string parameters_of(const ParameterValues& values) {
  auto parameters = nlohmann::ordered_json::parse(values.to_json());
  for (const Parameter& parameter : values.declared()) {
    if (is_destination(parameter.kind)) parameters.erase(parameter.name);
  }
  for (const Parameter& parameter : parameters_beside_predictions()) parameters.erase(parameter.name);
  parameters.erase("MIN_POWER");  // KeptPredictions takes it with the transmitter's power
  return parameters.dump();
}

// Of this very program: another version, or one that was built from changed sources, may predict otherwise. Read part
// by part: a limit of memory may leave no room for all of it.
std::uint64_t program_hash() {
  const char file[] = "/proc/self/exe";
  std::ifstream program(file, std::ios::binary);
  std::vector<std::uint8_t> part(std::size_t{1} << 20);
  StableHash hash;
  do {
    program.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    hash.add(xxh64({part.data(), static_cast<std::size_t>(program.gcount())}));
  } while (program);
  if (program.eof()) return hash.value();
  throw Error(ErrorKind::resources, "cannot_read_file", "the program cannot read itself, to know its predictions again",
              "give KEPT_PREDICTIONS 0", {.file = file});
}

// Of all that a prediction depends on besides its transmitter: what was read rather than the files that it was read
// from, since a source may stand for others (a VRT, a database).
std::uint64_t prediction_key(Run& run, const Scene& scene, const Tiling& tiling, const Visibility& visibility,
                             const RayLauncher& launcher) {
  StableHash hash;
  hash.add(program_hash());
  hash.add(run.uses_cuda());
  hash.add(std::string_view(parameters_of(run.values())));
  hash.add(environment_hash(scene, tiling.options));
  for (const Material& material : scene.materials) add(hash, material);
  add(hash, scene.clutter);
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    hash.add(visibility.row_length(element));
  }
  add(hash, launcher.receivers());
  // Depend on which layers there are.
  hash.add(static_cast<std::uint64_t>(launcher.options().rays_per_receiver));
  hash.add(launcher.options().tiles_are_targets);
  return hash.value();
}

std::uint64_t most_kept_bytes(const Run& run) {
  return static_cast<std::uint64_t>(std::llround(run.values().number("KEPT_PREDICTIONS") * 0x1p30));
}

fs::path folder_beside(fs::path file) { return file.replace_extension(".predictions"); }

// Whether runs with that visibility keep their predictions there.
bool is_beside_visibility(fs::path folder) { return is_there(folder.replace_extension(".tvis")); }

bool may_be_made_or_written(const fs::path& folder) {
  const fs::path there = is_there(folder) ? folder : fs::absolute(folder).parent_path();
  return access(there.c_str(), W_OK) == 0;
}

// The folder of the predictions that outlive this run's success.
std::optional<fs::path> folder_beside_visibility(const Run& run, const Visibility& visibility) {
  const VisibilityFile* const file = visibility.file();
  if (!file || !is_there(file->path()) || most_kept_bytes(run) == 0) return std::nullopt;
  const fs::path folder = folder_beside(file->path());
  return may_be_made_or_written(folder) ? std::optional(folder) : std::nullopt;
}

// Beside the result that is there in any case where it is asked for, before those that may go elsewhere.
std::optional<fs::path> folder_beside_result(const Destinations& destinations) {
  for (const char* const of_targets : {"PATH_LOSS", "RECEIVER_PATH_LOSS"}) {
    if (const auto path_loss = destinations.layer(of_targets)) return folder_beside(path_loss->file);
  }
  const std::vector<fs::path> files = destinations.layer_files();
  return files.empty() ? std::nullopt : std::optional(folder_beside(files.front()));
}

bool is_same_folder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

std::vector<Transmitter> without(const std::vector<TransmitterPrediction>& found,
                                 const std::vector<Transmitter>& transmitters) {
  std::unordered_set<std::int64_t> ids;
  for (const TransmitterPrediction& prediction : found) ids.insert(prediction.transmitter_id);
  std::vector<Transmitter> others;
  for (const Transmitter& transmitter : transmitters) {
    if (!ids.contains(transmitter.transmitter_id)) others.push_back(transmitter);
  }
  return others;
}

void tell_of_found(Run& run, const KeptPredictions& kept, std::size_t found, std::size_t transmitters) {
  if (found == 0) return;
  run.progress().warn(
      {"predictions_reused", kept.folder().string() + ": " + std::to_string(found) + " of " +
                                 std::to_string(transmitters) + " transmitters " + (found == 1 ? "was" : "were") +
                                 " predicted before, with the same environment and parameters; " +
                                 (found == 1 ? "this prediction is" : "these predictions are") + " taken over"});
}

}  // namespace

Parameter kept_predictions_parameter() {
  return {.name = "KEPT_PREDICTIONS",
          .label = "Predictions kept",
          .help =
              "so much is kept of predictions beside the visibility file (NAME.predictions): a later run takes "
              "over those of transmitters that are the same, or differ by a few decibels in power alone, and "
              "predicts the others; 0 keeps none",
          .kind = ParameterKind::number,
          .default_value = "1",
          .unit = "GiB",
          .minimum = 0,
          .maximum = 1e6,
          .advanced = true};
}

PredictionFolders open_kept_predictions(Run& run, const Scene& scene, const Tiling& tiling,
                                        const Visibility& visibility, const RayLauncher& launcher,
                                        const std::vector<Transmitter>& transmitters) {
  const std::optional<fs::path> lasting = folder_beside_visibility(run, visibility);
  const std::optional<fs::path> passing =
      transmitters.size() > 1 ? folder_beside_result(run.destinations()) : std::nullopt;
  if (!lasting && !passing) return {};
  const std::uint64_t key = prediction_key(run, scene, tiling, visibility, launcher);
  const std::uint64_t left_free_bytes = bytes_of_path_loss(run, tiling, transmitters.size());
  const auto open_passing = [&] {
    const KeptPredictions::Limits limits{.left_free_bytes = left_free_bytes,
                                         .is_for_others = is_beside_visibility(*passing)};
    return std::make_unique<KeptPredictions>(*passing, key, launcher.options(), limits);
  };
  if (!lasting) return {open_passing(), nullptr};
  const KeptPredictions::Limits limits{.most_bytes = most_kept_bytes(run), .left_free_bytes = left_free_bytes};
  PredictionFolders folders{std::make_unique<KeptPredictions>(*lasting, key, launcher.options(), limits), nullptr};
  if (passing && is_there(*passing) && !is_same_folder(*passing, *lasting)) folders.unfinished = open_passing();
  return folders;
}

std::vector<TransmitterPrediction> find_kept_predictions(Run& run, const PredictionFolders& folders,
                                                         const std::vector<Transmitter>& transmitters) {
  if (folders.kept == nullptr) return {};
  std::vector<TransmitterPrediction> found = folders.kept->find(transmitters, run.progress());
  tell_of_found(run, *folders.kept, found.size(), transmitters.size());
  if (folders.unfinished == nullptr) return found;
  const std::vector<Transmitter> others = without(found, transmitters);
  std::unordered_map<std::int64_t, const Transmitter*> by_id;
  for (const Transmitter& transmitter : others) by_id.emplace(transmitter.transmitter_id, &transmitter);
  std::vector<TransmitterPrediction> of_unfinished = folders.unfinished->find(others, run.progress());
  tell_of_found(run, *folders.unfinished, of_unfinished.size(), transmitters.size());
  for (TransmitterPrediction& prediction : of_unfinished) {
    folders.kept->keep(*by_id.at(prediction.transmitter_id), prediction, run.progress());
    found.push_back(std::move(prediction));
  }
  return found;
}

void close_kept_predictions(Run& run, const PredictionFolders& folders, const Predictions& predictions) {
  if (folders.unfinished != nullptr) folders.unfinished->shrink();
  const KeptPredictions* const kept = folders.kept.get();
  if (kept == nullptr) return;
  if (kept->outlive_success() || predictions.failed.empty()) return kept->shrink();
  run.progress().warn({"predictions_kept",
                       kept->folder().string() + ": keeps the " + std::to_string(predictions.of_transmitters.size()) +
                           (predictions.of_transmitters.size() == 1 ? " prediction" : " predictions") +
                           " that succeeded for another run with --overwrite; remove "
                           "it if there will be none"});
}

}  // namespace tesseray
