// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/io/sources/text_values.h"
#include "core/prediction/prediction.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/images/image_tree.h"
#include "core/propagation/rays/link.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/prediction_results.h"
#include "processing_algorithms/stages/ray_parameters.h"
#include "processing_algorithms/stages/site_stage.h"
#include "processing_algorithms/stages/surface_stage.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

// Those of `parameters` that have these names, in the order of the names.
std::vector<Parameter> named(const std::vector<Parameter>& parameters, std::initializer_list<const char*> names) {
  std::vector<Parameter> chosen;
  for (const char* name : names) {
    chosen.push_back(*std::find_if(parameters.begin(), parameters.end(),
                                   [&](const Parameter& parameter) { return parameter.name == name; }));
  }
  return chosen;
}

ImageTracingOptions image_tracing_options(const Run& run, const TilingOptions& tiling) {
  const ParameterValues& values = run.values();
  ImageTracingOptions options;
  options.max_reflections = values.integer("MAX_REFLECTIONS");
  options.max_diffractions = values.integer("MAX_DIFFRACTIONS");
  options.max_reflections_with_diffractions = values.integer("MAX_REFLECTIONS_WITH_DIFFRACTIONS");
  options.max_length_m = values.number("MAX_LENGTH");
  options.ridge_angle_deg = tiling.ridge_angle_deg;
  options.rays_per_receiver =
      run.destinations().layer("RAYS") ? static_cast<std::size_t>(values.integer("RAYS_PER_RECEIVER")) : 0;
  read_link_options(values, options.link);
  return options;
}

// Receivers at which nothing can arrive within MAX_LENGTH, said once for all.
void warn_of_far_receivers(const Sites& sites, double max_length_m, Progress& progress) {
  std::size_t far = 0;
  for (const Transmitter& transmitter : sites.transmitters) {
    for (const Receiver& receiver : sites.receivers) {
      if (norm(receiver.position - transmitter.position) > max_length_m) ++far;
    }
  }
  if (far == 0) return;
  progress.warn(
      {"beyond_max_length", "MAX_LENGTH is " + shortest(max_length_m) + " m: " + std::to_string(far) +
                                (far == 1 ? " pair of a transmitter and a receiver is farther apart and gets no rays"
                                          : " pairs of a transmitter and a receiver are farther apart and get no "
                                            "rays")});
}

struct Traced {
  Predictions predictions;
  Json figures = Json::array();  // one row per transmitter
};

Traced trace_each(Run& run, const ImageTracer& tracer, const Sites& sites) {
  run.progress().begin_stage("prediction");
  Traced traced;
  traced.predictions = predict_each(
      sites.transmitters,
      [&](const Transmitter& transmitter, Progress& progress) {
        ImageTracingResult result = tracer.trace(transmitter, progress);
        const double gain_dbi = maximum_receiver_gain_dbi(tracer.options().link);
        TransmitterPrediction prediction{.transmitter_id = transmitter.transmitter_id};
        for (std::size_t r = 0; r < result.receivers.size(); ++r) {
          prediction.receivers.push_back(
              predict_target(result.receivers[r], tracer.receivers()[r].position, transmitter, gain_dbi));
        }
        prediction.rays = std::move(result.rays);
        const auto reached = std::count_if(prediction.receivers.begin(), prediction.receivers.end(),
                                           [](const TargetPrediction& target) { return target.reached(); });
        traced.figures.push_back({{"transmitter", transmitter.name},
                                  {"receivers_reached", reached},
                                  {"rays", result.found},
                                  {"images", result.images},
                                  {"sequences_tried", result.candidates}});
        return prediction;
      },
      run.progress());
  return traced;
}

Outcome trace_images(Run& run) {
  const Environment environment = read_environment(run);
  const Sites sites = read_sites(run, environment.scene);
  const Scene scene = with_materials(run, environment.scene, sites.transmitters);
  const Occlusion occlusion(environment.scene);
  const ImageTracingOptions options = image_tracing_options(run, environment.tiling_options);
  warn_of_far_receivers(sites, options.max_length_m, run.progress());
  run.progress().begin_stage("rays");
  const ImageTracer tracer(scene, occlusion, sites.receivers, options);
  const Traced traced = trace_each(run, tracer, sites);

  ResultWriter writer(scene.frame, run.settings().overwrite);
  std::vector<std::string> written;
  add_transmitters_layer(run, sites.transmitters, writer, written);
  add_receiver_path_loss_layer(run, sites.receivers, traced.predictions, writer, written);
  add_rays_layer(run, traced.predictions, RaysOf::images, writer, written);
  warn_of_results_that_stay(run, written);
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(scene.frame, traced.predictions.failed), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  outcome.failed_transmitters = traced.predictions.failed;
  outcome.figures["receivers"] = sites.receivers.size();
  outcome.figures["traced"] = traced.figures;
  return outcome;
}

std::vector<Parameter> limit_parameters() {
  std::vector<Parameter> limits =
      named(propagation_parameters(), {"MAX_REFLECTIONS", "MAX_DIFFRACTIONS", "MAX_REFLECTIONS_WITH_DIFFRACTIONS"});
  limits[0].maximum = most_image_reflections;
  limits[1].maximum = most_image_diffractions;
  limits[1].help += "; one with two has one reflection at most";
  for (Parameter& limit : limits) limit.advanced = false;
  limits.push_back({.name = "MAX_LENGTH",
                    .label = "Greatest length of a ray",
                    .help = "length of all its legs together; all rays up to it are found",
                    .kind = ParameterKind::distance,
                    .default_value = shortest(ImageTracingOptions{}.max_length_m),
                    .unit = "m",
                    .minimum = 1,
                    .maximum = 100000});
  return limits;
}

std::vector<Parameter> receiver_point_inputs() {
  std::vector<Parameter> points = receiver_point_parameters("ENVIRONMENT");
  points.front().optional = false;
  points.front().help = "the points to which rays are traced";
  return points;
}

std::vector<Parameter> ray_layer_parameters() {
  std::vector<Parameter> layers =
      named(prediction_layer_parameters(), {"RAYS_PER_RECEIVER", "RECEIVER_PATH_LOSS", "TRANSMITTERS_OUT", "RAYS"});
  layers[2].beside = {"RECEIVER_PATH_LOSS"};
  layers[2].help = "the transmitters with all that was assumed; beside RECEIVER_PATH_LOSS if not given";
  layers[3].help = "the strongest rays to each of RECEIVERS";
  for (Parameter& layer : layers) layer.needs.clear();
  return layers;
}

}  // namespace

Tool traceimage() {
  return {.id = "traceimage",
          .title = "Trace exact rays",
          .group = "Coverage",
          .help =
              "Traces all rays from transmitters to receiver points by the image method: reflections and diffractions "
              "at the exact points of the real walls, roofs, terrain and edges, without tiles. Slow, and the reference "
              "that Predict coverage is judged by.",
          .parameters =
              concatenated({{environment_parameter()},
                            transmitter_parameters("ENVIRONMENT"),
                            receiver_point_inputs(),
                            receiver_parameters(),
                            limit_parameters(),
                            material_parameters(),
                            named(propagation_parameters(), {"VEGETATION_LOSS", "VEGETATION_DB_PER_M", "SUMMATION"}),
                            ray_layer_parameters(),
                            {output_parameter()}}),
          .roles = {"exact_rays"},
          .run = trace_images};
}

}  // namespace tesseray
