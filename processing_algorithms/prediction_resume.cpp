// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/prediction_resume.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "processing_algorithms/version.h"

namespace tesseray {
namespace {

void add(StableHash& hash, const Clutter& clutter) {
  hash.add(static_cast<std::uint64_t>(clutter.cells.size()));
  for (const std::uint8_t cell : clutter.cells) hash.add_byte(cell);
  for (const double number : {clutter.south_west.x, clutter.south_west.y, clutter.step_x, clutter.step_y}) {
    hash.add(number);
  }
  hash.add(clutter.columns);
  for (const std::string& name : clutter.classes) hash.add(std::string_view(name));
}

void add(StableHash& hash, const std::vector<Receiver>& receivers) {
  hash.add(static_cast<std::uint64_t>(receivers.size()));
  for (const Receiver& receiver : receivers) {
    hash.add(receiver.receiver_id);
    for (const double number : {receiver.position.x, receiver.position.y, receiver.position.z}) hash.add(number);
  }
}

// The parameters, without where results go.
std::string parameters_of(const ParameterValues& values) {
  auto parameters = nlohmann::ordered_json::parse(values.to_json());
  for (const Parameter& parameter : values.declared()) {
    if (is_destination(parameter.kind)) parameters.erase(parameter.name);
  }
  return parameters.dump();
}

// Of all that a prediction depends on besides its transmitter: what was read rather than the files that it was read
// from, since a source may stand for others (a VRT, a database).
std::uint64_t prediction_key(const Run& run, const Scene& scene, const Tiling& tiling, const Visibility& visibility,
                             const RayLauncher& launcher) {
  StableHash hash;
  hash.add(std::string_view(tesseray_version));
  hash.add(std::string_view(tesseray_git_commit));
  hash.add(std::string_view(parameters_of(run.values())));
  hash.add(environment_hash(scene, tiling.options));
  add(hash, scene.clutter);
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    hash.add(visibility.row_length(element));
  }
  add(hash, launcher.receivers());
  // Depend on which layers there are.
  hash.add(static_cast<std::uint64_t>(launcher.options().rays_per_receiver));
  hash.add_byte(launcher.options().tiles_are_targets ? 1 : 0);
  return hash.value();
}

// The one that is there in any case where it is asked for, before those that may go elsewhere.
std::optional<std::filesystem::path> file_of_result(const Destinations& destinations) {
  for (const char* const of_targets : {"PATH_LOSS", "RECEIVER_PATH_LOSS"}) {
    if (const auto path_loss = destinations.layer(of_targets)) return path_loss->file;
  }
  const std::vector<std::filesystem::path> files = destinations.layer_files();
  return files.empty() ? std::nullopt : std::optional(files.front());
}

}  // namespace

std::unique_ptr<FinishedPredictions> open_finished_predictions(Run& run, const Scene& scene, const Tiling& tiling,
                                                               const Visibility& visibility,
                                                               const RayLauncher& launcher,
                                                               const std::vector<Transmitter>& transmitters) {
  const std::optional<std::filesystem::path> file = file_of_result(run.destinations());
  if (!file || transmitters.size() < 2) return nullptr;
  const std::uint64_t key = prediction_key(run, scene, tiling, visibility, launcher);
  return std::make_unique<FinishedPredictions>(*file, key, transmitters, run.progress());
}

void close_finished_predictions(Run& run, FinishedPredictions* finished, const Predictions& predictions) {
  if (finished == nullptr) return;
  if (predictions.failed.empty()) return finished->remove();
  run.progress().warn({"predictions_kept", finished->path().string() + ": keeps the " +
                                               std::to_string(predictions.of_transmitters.size()) +
                                               " predictions that succeeded for another run with --overwrite; remove "
                                               "it if there will be none"});
}

}  // namespace tesseray
