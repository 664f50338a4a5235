// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "core/base/listed.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/name_spellings.h"
#include "core/prediction/explanation.h"
#include "core/propagation/rays/link.h"
#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/stages/clutter_stage.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/prediction_results.h"
#include "processing_algorithms/stages/ray_parameters.h"
#include "processing_algorithms/stages/site_stage.h"
#include "processing_algorithms/stages/surface_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

Receiver read_point(Run& run, const Scene& scene) {
  const Vec2 position = read_map_point(run.values().text("POINT"), scene.frame, "POINT", run.progress());
  return place_map_point(position, run.values().number("RECEIVER_HEIGHT"), "RECEIVER_HEIGHT", scene, run.progress());
}

// Before a number: that of a transmitter, whatever names are like.
constexpr std::string_view id_key = "transmitter_id=";

// The one that TRANSMITTER names, or all.
std::vector<Transmitter> chosen_transmitters(const std::string& wanted, std::vector<Transmitter> transmitters) {
  if (wanted.empty()) return transmitters;
  std::vector<std::string> names;
  names.reserve(transmitters.size());
  for (const Transmitter& transmitter : transmitters) names.push_back(transmitter.name);
  const auto named = std::find(names.begin(), names.end(), NameSpellings(names).known(wanted));
  if (named != names.end()) return {transmitters[static_cast<std::size_t>(named - names.begin())]};
  const std::string number = wanted.starts_with(id_key) ? wanted.substr(id_key.size()) : wanted;
  for (const Transmitter& transmitter : transmitters) {
    if (std::to_string(transmitter.transmitter_id) == number) return {transmitter};
  }
  throw Error(ErrorKind::invalid_input, "unknown_transmitter",
              "there is no transmitter '" + wanted + "'" + did_you_mean(wanted, names),
              "give one of " + listed(names) + ", or leave TRANSMITTER out to explain the strongest one",
              {.field = "TRANSMITTER"});
}

// Whether more power arrives from `a` than from `b`; where nothing arrives, the nearer one is told of.
bool is_stronger(const PointExplanation& a, const PointExplanation& b) {
  if (a.prediction.reached() != b.prediction.reached()) return a.prediction.reached();
  if (!a.prediction.reached()) return a.distance_m < b.distance_m;
  return a.prediction.received_power_dbm > b.prediction.received_power_dbm;
}

struct Explained {
  PointExplanation strongest;
  Predictions predictions;
};

Explained explain_strongest(Run& run, const RayLauncher& launcher, const Scene& scene, const Tiling& tiling,
                            const std::vector<Transmitter>& transmitters) {
  run.progress().begin_stage("prediction");
  const Receiver& receiver = launcher.receivers().front();
  std::optional<PointExplanation> strongest;
  Predictions predictions = predict_each(
      transmitters,
      [&](const Transmitter& transmitter, Progress& progress) {
        const RayLaunchingResult result = launcher.launch(transmitter, progress);
        const double gain_dbi = maximum_receiver_gain_dbi(launcher.options());
        PointExplanation explanation = explain(result, transmitter, receiver, scene, tiling, gain_dbi);
        TransmitterPrediction prediction{.transmitter_id = transmitter.transmitter_id};
        prediction.receivers = {explanation.prediction};
        prediction.receivers_wideband = WidebandPredictions(
            result.wideband, result.tiles.size(), result.receivers, [&](std::size_t) { return receiver.position; },
            transmitter, gain_dbi);
        if (!strongest || is_stronger(explanation, *strongest)) strongest = std::move(explanation);
        return prediction;
      },
      run.progress());
  return {std::move(*strongest), std::move(predictions)};
}

// Over which times and angles the power is spread.
void add_wideband_figures(const PointExplanation& explanation, Json& figures) {
  const TargetPrediction& prediction = explanation.prediction;
  const WidebandPrediction& angles = explanation.angles;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, float>>{
           {"first_delay_ns", prediction.first_delay_ns},
           {"mean_excess_delay_ns", prediction.mean_excess_delay_ns()},
           {"delay_spread_ns", prediction.delay_spread_ns},
           {"arrival_azimuth_deg", prediction.arrival_azimuth_deg},
           {"angle_spread_deg", prediction.angle_spread_deg},
           {"arrival_elevation_deg", angles.arrival_elevation_deg},
           {"elevation_spread_deg", angles.elevation_spread_deg},
           {"departure_azimuth_spread_deg", angles.departure_azimuth_spread_deg},
           {"departure_elevation_spread_deg", angles.departure_elevation_spread_deg},
           {"k_factor_db", angles.k_factor_db}}) {
    figures[name] = or_null(static_cast<double>(value));
  }
}

void add_figures(const PointExplanation& explanation, Json& figures) {
  const TargetPrediction& prediction = explanation.prediction;
  figures["explanation"] = in_words(explanation);
  figures["transmitter"] = explanation.transmitter;
  figures["distance_m"] = explanation.distance_m;
  figures["line_of_sight"] = prediction.line_of_sight;
  figures["path_loss_db"] = or_null(static_cast<double>(prediction.path_loss_db));
  figures["received_power_dbm"] = or_null(static_cast<double>(prediction.received_power_dbm));
  figures["mechanism"] = prediction.reached() ? Json(to_string(prediction.mechanism)) : Json(nullptr);
  figures["ray_count"] = prediction.ray_count;
  figures["power_sum_dbm"] = or_null(explanation.power_sum_dbm);
  figures["interference_db"] = or_null(explanation.interference_db);
  figures["roofs_in_sight_db"] = explanation.roofs_in_sight_db;
  figures["ground_in_sight_db"] = explanation.ground_in_sight_db;
  figures["clutter_class"] = or_null(explanation.clutter_class);
  figures["clutter_loss_db"] = static_cast<double>(prediction.clutter_loss_db);
  const PowerShares& shares = explanation.shares;
  for (const auto& [name, share] :
       std::initializer_list<std::pair<const char*, double>>{{"direct_percent", shares.direct},
                                                             {"reflection_percent", shares.reflection},
                                                             {"diffraction_percent", shares.diffraction},
                                                             {"over_rooftop_percent", shares.over_rooftop},
                                                             {"through_building_percent", shares.through_building},
                                                             {"scattering_percent", shares.scattering},
                                                             {"rays_shown_percent", shares.shown},
                                                             {"other_rays_percent", shares.other_rays},
                                                             {"other_scattering_percent", shares.other_scattering}}) {
    figures[name] = 100 * share;
  }
  add_wideband_figures(explanation, figures);
}

// What all that were looked at bring to the point, one row each.
Json at_the_point(const std::vector<Transmitter>& transmitters, const Predictions& predictions) {
  Json rows = Json::array();
  for (const TransmitterPrediction& prediction : predictions.of_transmitters) {
    const auto transmitter = std::find_if(transmitters.begin(), transmitters.end(), [&](const Transmitter& each) {
      return each.transmitter_id == prediction.transmitter_id;
    });
    const TargetPrediction& here = prediction.receivers.front();
    rows.push_back({{"transmitter", transmitter->name},
                    {"path_loss_db", or_null(static_cast<double>(here.path_loss_db))},
                    {"received_power_dbm", or_null(static_cast<double>(here.received_power_dbm))},
                    {"line_of_sight", here.line_of_sight}});
  }
  return rows;
}

void add_layers(const Run& run, const std::vector<Receiver>& receivers, const Explained& explained,
                ResultWriter& writer, std::vector<std::string>& written) {
  const Destinations& destinations = run.destinations();
  if (const auto destination = destinations.layer("RAYS")) {
    writer.add_explained_rays(*destination, explained.strongest);
    written.emplace_back("RAYS");
  }
  if (const auto destination = destinations.layer("PROFILE")) {
    writer.add_power_delay_profile(*destination, explained.strongest);
    written.emplace_back("PROFILE");
  }
  add_receiver_path_loss_layer(run, receivers, explained.predictions, writer, written);
}

Outcome explain_point(Run& run) {
  const Environment environment = read_environment(run);
  const std::vector<Transmitter> transmitters =
      chosen_transmitters(run.values().text("TRANSMITTER"), read_transmitters(run, environment.scene));
  const Receiver receiver = read_point(run, environment.scene);
  const Scene scene = with_clutter_losses(run, with_surfaces(run, environment.scene, transmitters));
  const Tiling tiling = tile_scene(run, environment.scene, environment.tiling_options);
  const Occlusion occlusion(environment.scene);
  const std::unique_ptr<Visibility> visibility = find_or_compute_visibility(run, environment, tiling, occlusion);
  const RayRows rows(run.values(), *visibility, tiling);
  run.progress().begin_stage("rays");
  RayLaunchingOptions options = ray_launching_options(run.values());
  options.tiles_are_targets = false;
  options.scattered_rays = true;
  options.ray_losses = true;
  options.wideband = true;
  options.rays_per_receiver = static_cast<std::size_t>(run.values().integer("MAX_RAYS"));
  const RayLauncher launcher(scene, tiling, occlusion, rows.visibility(), {receiver}, options);
  const Explained explained = explain_strongest(run, launcher, scene, tiling, transmitters);

  ResultWriter writer(scene.frame, run.settings().overwrite);
  std::vector<std::string> written;
  add_layers(run, launcher.receivers(), explained, writer, written);
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(scene.frame, explained.predictions.failed), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  outcome.failed_transmitters = explained.predictions.failed;
  add_figures(explained.strongest, outcome.figures);
  outcome.figures["transmitters"] = at_the_point(transmitters, explained.predictions);
  return outcome;
}

std::vector<Parameter> point_parameters() {
  using Kind = ParameterKind;
  return {
      map_point_parameter(),
      {.name = "TRANSMITTER",
       .label = "Transmitter",
       .help = "name or transmitter_id (transmitter_id=2 where a name is a number, too); the strongest at the point "
               "if not given",
       .kind = Kind::string,
       .optional = true},
  };
}

std::vector<Parameter> explanation_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "MAX_RAYS",
       .label = "Rays",
       .help = "how many of the strongest rays are shown, diffusely scattered ones among them",
       .kind = Kind::number,
       .default_value = "50",
       .minimum = 1,
       .maximum = 10000,
       .integer = true},
      {.name = "RAYS",
       .label = "Rays",
       .help = "the strongest rays as lines, with where they interacted and their share of the power",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "rays",
       .geometry = "LineString Z"},
      {.name = "PROFILE",
       .label = "Power-delay profile",
       .help = "the same rays by delay",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "power_delay_profile",
       .geometry = "None"},
      {.name = "RECEIVER_PATH_LOSS",
       .label = "Path loss at the point",
       .help = "what arrives at the point, one row per transmitter",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "receiver_path_loss",
       .geometry = "Point Z"},
  };
}

}  // namespace

Tool explainpoint() {
  return {.id = "explainpoint",
          .title = "Why this value?",
          .group = "Coverage",
          .help =
              "Takes the value predicted at one point of the map apart: the strongest rays as lines, their mechanisms "
              "and shares of the power, the power-delay profile, and the spreads of delays and angles. The value is "
              "the one that Predict coverage gives "
              "for a receiver point at the same place with the same settings.",
          .parameters = concatenated({{environment_parameter(), visibility_file_parameter()},
                                      point_parameters(),
                                      transmitter_parameters("ENVIRONMENT"),
                                      receiver_parameters(),
                                      propagation_parameters(),
                                      explanation_layer_parameters(),
                                      {output_parameter()}}),
          .roles = {"map_click"},
          .run = explain_point};
}

}  // namespace tesseray
