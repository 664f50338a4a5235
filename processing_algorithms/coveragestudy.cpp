// SPDX-License-Identifier: GPL-3.0-or-later
// The whole row in one go. Each line of coverage_study is one stage; the single tools run the same ones.
#include <optional>

#include "processing_algorithms/stages/clutter_stage.h"
#include "processing_algorithms/stages/comparison_stage.h"
#include "processing_algorithms/stages/prediction_keeping.h"
#include "processing_algorithms/stages/prediction_results.h"
#include "processing_algorithms/stages/prediction_stage.h"
#include "processing_algorithms/stages/ray_parameters.h"
#include "processing_algorithms/stages/scene_layers.h"
#include "processing_algorithms/stages/scene_parameters.h"
#include "processing_algorithms/stages/scene_stage.h"
#include "processing_algorithms/stages/site_stage.h"
#include "processing_algorithms/stages/surface_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"
#include "processing_algorithms/stages/visibility_stage.h"

namespace tesseray {
namespace {

struct Study {
  const CleanScene& clean;
  const Tiling& tiling;
  const Visibility& visibility;
  const Sites& sites;
  const Predictions& predictions;
  const std::optional<Comparison>& comparison;
};

Outcome write_geopackage(Run& run, const Study& study) {
  const Scene& scene = study.clean.scene;
  const std::vector<std::uint32_t> visible_tiles = visible_tile_counts(study.visibility);
  ResultWriter writer(scene.frame, run.settings().overwrite);
  std::vector<std::string> written;
  if (const auto file = run.destinations().file("ENVIRONMENT")) {
    writer.add_environment(*file, scene, study.tiling, study.clean.issues);
    written.emplace_back("ENVIRONMENT");
  }
  if (run.destinations().file("VISIBILITY")) written.emplace_back("VISIBILITY");
  add_scene_layers(run, study.clean, study.tiling, visible_tiles, writer, written);
  add_prediction_layers(run, scene, study.tiling, study.sites, study.predictions, writer, written);
  if (study.comparison) add_comparison_layers(run, *study.comparison, writer, written);
  warn_of_results_that_stay(run, written);

  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(scene.frame, study.predictions.failed), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  outcome.failed_transmitters = study.predictions.failed;
  add_scene_figures(study.clean, outcome.figures);
  add_tiling_figures(study.tiling, outcome.figures);
  add_visibility_figures(study.visibility, outcome.figures);
  add_prediction_figures(study.sites, study.tiling, study.predictions, outcome.figures);
  if (study.comparison) add_comparison_figures(*study.comparison, outcome.figures);
  return outcome;
}

std::optional<std::vector<Measurement>> read_drive_test_if_given(Run& run, const LocalFrame& frame) {
  if (run.values().has("DRIVE_TEST")) return read_measurements(run, frame);
  for (const char* output : {"PREDICTION_ERROR", "ERROR_STATISTICS"}) {
    if (!run.destinations().asked_for(output)) continue;
    throw Error(ErrorKind::invalid_input, "no_drive_test", std::string(output) + " is asked for without DRIVE_TEST",
                "give the drive test, or leave the output out");
  }
  return std::nullopt;
}

Outcome coverage_study(Run& run) {
  CleanScene clean = read_scene(run);
  // Sites and drive test are read before the long work, so that what is wrong with them is said at once.
  const Sites sites = read_sites(run, clean.scene);
  const std::optional<std::vector<Measurement>> drive_test = read_drive_test_if_given(run, clean.scene.frame);
  const Scene scene = with_clutter_losses(run, with_surfaces(run, clean.scene, sites.transmitters));
  const Tiling tiling = tile_scene(run, clean.scene, tiling_options(run.values()));
  note_tiling_issues(run, tiling, clean);
  require_targets(tiling, sites);
  require_disk_space_for_path_loss(run, tiling, sites.transmitters.size());
  const Occlusion occlusion(clean.scene);
  const VisibilityKey key{environment_hash(clean.scene, tiling.options), visibility_options(run.values())};
  const std::unique_ptr<Visibility> visibility =
      compute_visibility(run, clean.scene, occlusion, tiling, key, run.destinations().file("VISIBILITY"));
  const RayRows rows(run.values(), *visibility, tiling);
  const RayLauncher launcher =
      launch_rays(run, scene, tiling, occlusion, rows, sites, PredictedAt::tiles_and_receivers);
  const PredictionFolders folders =
      open_kept_predictions(run, scene, tiling, *visibility, launcher, sites.transmitters);
  const Predictions predictions = predict_path_loss(run, launcher, rows, scene, tiling, sites, folders);
  std::optional<Comparison> comparison;
  if (drive_test) {
    // Of all tiles, whichever the layer is to hold.
    const std::vector<PredictedTransmitter> transmitters = predicted_transmitters(sites);
    const TilesOfPredictions predicted(tiling, predictions.of_transmitters, transmitters);
    comparison = compare_with_drive_test(run, predicted, transmitters, *drive_test);
  }
  Outcome outcome = write_geopackage(run, {clean, tiling, *visibility, sites, predictions, comparison});
  close_kept_predictions(run, folders, predictions);
  return outcome;
}

// A study is about its prediction: front ends make layers of the scene's geometry only when asked for.
std::vector<Parameter> on_request(std::vector<Parameter> destinations) {
  for (Parameter& destination : destinations) destination.skipped_by_default = destination.layer != "issues";
  return destinations;
}

}  // namespace

Tool coveragestudy() {
  return {.id = "coveragestudy",
          .title = "Coverage study",
          .group = "Coverage",
          .help =
              "From buildings, terrain and transmitters to predicted coverage in one go, compared with a drive test "
              "if there is one.",
          .parameters = concatenated({scene_parameters(),
                                      tiling_parameters(),
                                      visibility_parameters(),
                                      site_parameters("BUILDINGS"),
                                      propagation_parameters(),
                                      drive_test_parameters(true, "LOCAL_METRES"),
                                      {{.name = "ENVIRONMENT",
                                        .label = "Environment",
                                        .help = "keep the environment in this file, for the single tools",
                                        .kind = ParameterKind::file_destination,
                                        .optional = true,
                                        .advanced = true,
                                        .extension = "gpkg"},
                                       {.name = "VISIBILITY",
                                        .label = "Visibility",
                                        .help = "keep the visibility in this file",
                                        .kind = ParameterKind::file_destination,
                                        .optional = true,
                                        .advanced = true,
                                        .extension = "tvis",
                                        .may_exist = true}},
                                      {kept_predictions_parameter()},
                                      prediction_layer_parameters(),
                                      comparison_layer_parameters(),
                                      on_request(scene_layer_parameters()),
                                      {output_parameter()}}),
          .roles = {"report_input"},
          .memory = tile_memory(),
          .run = coverage_study};
}

}  // namespace tesseray
