// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/prediction_results.h"

#include <algorithm>
#include <cmath>

#include "core/base/listed.h"
#include "core/base/units.h"
#include "core/comparison/statistics.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/path_loss_reader.h"
#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/json_values.h"

namespace tesseray {
namespace {

constexpr Choice<SurfaceKind> surface_kinds[] = {
    {"ground", SurfaceKind::ground}, {"wall", SurfaceKind::wall}, {"roof", SurfaceKind::roof}};
constexpr Choice<TargetGeometry> geometries[] = {
    {"polygon", TargetGeometry::polygon}, {"point", TargetGeometry::point}, {"none", TargetGeometry::none}};

// Rough sizes of one row in a GeoPackage, spatial index included, for the check of free space.
std::uint64_t bytes_per_row(TargetGeometry geometry) {
  switch (geometry) {
    case TargetGeometry::polygon:
      return 400;
    case TargetGeometry::point:
      return 260;
    case TargetGeometry::none:
      break;
  }
  return 130;
}

// What is drawn by chance; levels are against what is there already.
std::string in_words(const Pruning& pruning) {
  if (pruning.scattering_sources == 0) return "none";
  const auto below = [](double part) { return "below " + std::to_string(std::lround(decibels(part))) + " dB"; };
  const std::size_t sources = pruning.scattering_sources;
  return std::to_string(sources) + " scattering tiles at an edge, " + std::to_string(2 * sources) + " at a mirror, " +
         std::to_string(pruning.tubes) + " tubes at either; tubes and diffractions " + below(pruning.roulette) +
         ", scattered rays " + below(pruning.scattered) + " or " + below(pruning.of_all_scattered) +
         " of their sum, by way of an edge " + below(pruning.then_diffracted);
}

}  // namespace

std::vector<Parameter> row_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "KINDS",
       .label = "Kinds of tiles",
       .help = "the tiles that get rows in PATH_LOSS",
       .kind = Kind::enumeration,
       .default_value = "ground,wall,roof",
       .choices = words(surface_kinds),
       .multiple = true,
       .advanced = true},
      {.name = "REACHED_ONLY",
       .label = "Only tiles that are reached",
       .help = "leave out the rows of tiles at which nothing arrives",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
      {.name = "GEOMETRY",
       .label = "Geometry of path loss",
       .help = "tiles as polygons, as points, or a table without geometry",
       .kind = Kind::enumeration,
       .default_value = "polygon",
       .choices = words(geometries),
       .advanced = true},
  };
}

namespace {

// What is predicted.
std::vector<Parameter> prediction_detail_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "PRUNING",
       .label = "Draw weak rays by chance",
       .help =
           "from 20,000 tiles on, a few of many weak rays stand for all: tiles change by some 0.1 dB and the mean by "
           "none, and a whole city takes a fraction of the time; how many is chosen by transmitter and reported",
       .kind = Kind::boolean,
       .default_value = "true",
       .advanced = true},
      {.name = "WIDEBAND",
       .label = "Angles at both ends",
       .help = "adds fields for arrival elevation, spreads of elevation and of departure angles, and the K factor",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
      {.name = "DELAY_PROFILE_RAYS",
       .label = "Rays of the power-delay profile",
       .help = "delay and power of so many of the strongest rays at each place, in delay_profile; 0 for none",
       .kind = Kind::number,
       .default_value = "0",
       .minimum = 0,
       .maximum = 64,
       .integer = true,
       .advanced = true},
      {.name = "RAYS_PER_RECEIVER",
       .label = "Rays per receiver point",
       .help = "how many of the strongest rays go to RAYS",
       .kind = Kind::number,
       .default_value = "20",
       .minimum = 1,
       .maximum = 100000,
       .integer = true,
       .advanced = true},
  };
}

// Where it goes.
std::vector<Parameter> prediction_destination_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "PATH_LOSS",
       .label = "Path loss",
       .help = "what arrives at each tile, one row per transmitter and tile",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "path_loss",
       .geometry = "Polygon Z"},
      {.name = "RECEIVER_PATH_LOSS",
       .label = "Path loss at receiver points",
       .help = "what arrives at each of RECEIVERS",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "receiver_path_loss",
       .geometry = "Point Z",
       .needs = "RECEIVERS"},
      {.name = "TRANSMITTERS_OUT",
       .label = "Transmitters as used",
       .help =
           "the transmitters with all that was assumed; in the file of PATH_LOSS or RECEIVER_PATH_LOSS if not given",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "transmitters",
       .geometry = "Point Z",
       .beside = {"PATH_LOSS", "RECEIVER_PATH_LOSS"}},
      {.name = "RAYS",
       .label = "Rays",
       .help = "the strongest rays to each of RECEIVERS but the diffusely scattered ones: the power of those is in the "
               "sums alone, and explainpoint shows them",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "rays",
       .geometry = "LineString Z",
       .needs = "RECEIVERS"},
  };
}

}  // namespace

std::vector<Parameter> prediction_layer_parameters() {
  return concatenated({row_parameters(), prediction_detail_parameters(), prediction_destination_parameters()});
}

PathLossLayout path_loss_layout(const ParameterValues& values) {
  PathLossLayout layout;
  layout.kinds.clear();
  for (const Choice<SurfaceKind>& kind : surface_kinds) {
    const std::vector<std::string>& chosen = values.chosen_words("KINDS");
    if (std::find(chosen.begin(), chosen.end(), kind.word) != chosen.end()) layout.kinds.push_back(kind.value);
  }
  layout.reached_only = values.flag("REACHED_ONLY");
  layout.geometry = values.choice("GEOMETRY", geometries);
  return layout;
}

namespace {

// True when one of the outputs that are `written` takes the layer's place. --output gives every layer a place, also
// those that this run has nothing for.
bool is_replaced(const Run& run, const std::vector<std::string>& written, const std::filesystem::path& file,
                 const std::string& layer) {
  return std::any_of(written.begin(), written.end(), [&](const std::string& parameter) {
    const auto own = run.destinations().layer(parameter);
    return own && own->file == file && lower_case(own->layer) == lower_case(layer);
  });
}

// Path losses of an earlier run that stay in a file speak of transmitters by their numbers in that run.
void warn_of_path_losses_that_stay(Run& run, const std::vector<std::string>& written) {
  const auto transmitters = run.destinations().layer("TRANSMITTERS_OUT");
  if (!transmitters || std::find(written.begin(), written.end(), "TRANSMITTERS_OUT") == written.end()) return;
  if (!run.settings().overwrite || !is_database(transmitters->file)) return;
  for (const PathLossNames& earlier : path_losses_in(transmitters->file)) {
    if (lower_case(earlier.transmitters) != lower_case(transmitters->layer)) continue;
    if (is_replaced(run, written, transmitters->file, earlier.path_loss)) continue;
    run.progress().warn(
        {"transmitters_replaced",
         transmitters->file.string() + ": the layer " + earlier.path_loss +
             " of an earlier run stays, and its transmitters are replaced by this run's; where they differ, "
             "it names others than were predicted. Write to another file to keep both"});
  }
}

}  // namespace

void add_transmitters_layer(const Run& run, const std::vector<Transmitter>& transmitters, ResultWriter& writer,
                            std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("TRANSMITTERS_OUT");
  if (!destination) return;
  writer.add_transmitters(*destination, transmitters);
  written.emplace_back("TRANSMITTERS_OUT");
}

void add_receiver_path_loss_layer(const Run& run, const std::vector<Receiver>& receivers,
                                  const Predictions& predictions, ResultWriter& writer,
                                  std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("RECEIVER_PATH_LOSS");
  if (!destination) return;
  writer.add_receiver_path_loss(*destination, receivers, predictions.of_transmitters);
  written.emplace_back("RECEIVER_PATH_LOSS");
}

void add_rays_layer(const Run& run, const Predictions& predictions, RaysOf of, ResultWriter& writer,
                    std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("RAYS");
  if (!destination) return;
  writer.add_rays(*destination, predictions.of_transmitters, of);
  written.emplace_back("RAYS");
}

void warn_of_results_that_stay(Run& run, const std::vector<std::string>& written) {
  warn_of_path_losses_that_stay(run, written);
  const auto path_loss = run.destinations().layer("PATH_LOSS");
  if (!path_loss || !run.settings().overwrite) return;
  if (!is_database(path_loss->file) || !has_layer(path_loss->file, path_loss->layer)) return;
  std::vector<std::string> stay;
  for (const std::string& layer : layers_made_from_predictions(path_loss->file)) {
    if (!is_replaced(run, written, path_loss->file, layer)) stay.push_back(layer);
  }
  if (stay.empty()) return;
  run.progress().warn({"earlier_results_stay", path_loss->file.string() +
                                                   ": what was made from the prediction that is replaced stays as it "
                                                   "is, and tells of that one: " +
                                                   listed(stay) +
                                                   ". Make it anew, or write to another file to keep both"});
}

std::uint64_t bytes_of_path_loss(const Run& run, const Tiling& tiling, std::size_t transmitters) {
  const PathLossLayout layout = path_loss_layout(run.values());
  if (!run.destinations().layer("PATH_LOSS") || layout.reached_only) return 0;
  const auto tiles = std::count_if(tiling.tiles.begin(), tiling.tiles.end(), [&](const Tile& tile) {
    return std::find(layout.kinds.begin(), layout.kinds.end(), tile.kind) != layout.kinds.end();
  });
  return static_cast<std::uint64_t>(tiles) * transmitters * bytes_per_row(layout.geometry);
}

void require_disk_space_for_path_loss(const Run& run, const Tiling& tiling, std::size_t transmitters) {
  const auto destination = run.destinations().layer("PATH_LOSS");
  if (destination) require_disk_space(destination->file, bytes_of_path_loss(run, tiling, transmitters));
}

void add_prediction_layers(const Run& run, const Scene& scene, const Tiling& tiling, const Sites& sites,
                           const Predictions& predictions, ResultWriter& writer, std::vector<std::string>& written) {
  add_transmitters_layer(run, sites.transmitters, writer, written);
  if (const auto destination = run.destinations().layer("PATH_LOSS")) {
    // Others may have filled the disk since.
    require_disk_space_for_path_loss(run, tiling, predictions.of_transmitters.size());
    writer.add_path_loss(*destination, scene, tiling, predictions.of_transmitters, path_loss_layout(run.values()));
    written.emplace_back("PATH_LOSS");
  }
  if (sites.receivers.empty()) return;
  add_receiver_path_loss_layer(run, sites.receivers, predictions, writer, written);
  add_rays_layer(run, predictions, RaysOf::path_losses, writer, written);
}

namespace {

// How many ground tiles, or receivers where rays arrive at these alone, are reached, and their median path loss.
void add_reached(const Tiling& tiling, const TransmitterPrediction& prediction, nlohmann::ordered_json& row) {
  const bool of_tiles = !prediction.tiles.empty();
  std::size_t targets = 0;
  std::vector<double> losses;
  const auto count = [&](const TargetPrediction& target) {
    ++targets;
    if (target.reached()) losses.push_back(static_cast<double>(target.path_loss_db));
  };
  for (std::size_t t = 0; t < prediction.tiles.size(); ++t) {
    if (tiling.tiles[t].kind == SurfaceKind::ground) count(prediction.tiles[t]);
  }
  if (!of_tiles) std::for_each(prediction.receivers.begin(), prediction.receivers.end(), count);
  row[of_tiles ? "ground_tiles_reached" : "receivers_reached"] = losses.size();
  row["reached_percent"] =
      targets == 0 ? 0.0 : 100.0 * static_cast<double>(losses.size()) / static_cast<double>(targets);
  row["median_path_loss_db"] = or_null(percentile(losses, 0.5));
}

}  // namespace

void add_prediction_figures(const Sites& sites, const Tiling& tiling, const Predictions& predictions,
                            nlohmann::ordered_json& figures) {
  figures["transmitters"] = sites.transmitters.size();
  figures["receivers"] = sites.receivers.size();
  figures["transmitters_taken_over"] = predictions.taken_over;
  auto rows = nlohmann::ordered_json::array();
  for (const TransmitterPrediction& prediction : predictions.of_transmitters) {
    const auto transmitter = std::find_if(sites.transmitters.begin(), sites.transmitters.end(), [&](const auto& site) {
      return site.transmitter_id == prediction.transmitter_id;
    });
    nlohmann::ordered_json row{{"transmitter", transmitter->name}};
    row["frequency_mhz"] = transmitter->frequency_hz / 1e6;
    add_reached(tiling, prediction, row);
    row["pruning"] = in_words(prediction.pruning);
    rows.push_back(std::move(row));
  }
  figures["coverage"] = std::move(rows);
}

}  // namespace tesseray
