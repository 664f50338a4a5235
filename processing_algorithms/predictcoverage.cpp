// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/clutter_stage.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/prediction_keeping.h"
#include "processing_algorithms/stages/prediction_results.h"
#include "processing_algorithms/stages/prediction_stage.h"
#include "processing_algorithms/stages/ray_parameters.h"
#include "processing_algorithms/stages/site_stage.h"
#include "processing_algorithms/stages/surface_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"

namespace tesseray {
namespace {

Outcome predict_coverage(Run& run) {
  const Environment environment = read_environment(run);
  const Sites sites = read_sites(run, environment.scene);
  const Scene scene = with_clutter_losses(run, with_surfaces(run, environment.scene, sites.transmitters));
  const Tiling tiling = tile_scene(run, environment.scene, environment.tiling_options);
  require_targets(tiling, sites);
  require_disk_space_for_path_loss(run, tiling, sites.transmitters.size());
  const Occlusion occlusion(environment.scene);
  const std::unique_ptr<Visibility> visibility = find_or_compute_visibility(run, environment, tiling, occlusion);
  const RayRows rows(run.values(), *visibility, tiling);
  const RayLauncher launcher = launch_rays(run, scene, tiling, occlusion, rows, sites, PredictedAt::layers_asked_for);
  const PredictionFolders folders =
      open_kept_predictions(run, scene, tiling, *visibility, launcher, sites.transmitters);
  const Predictions predictions = predict_path_loss(run, launcher, rows, scene, tiling, sites, folders);

  ResultWriter writer(scene.frame, run.settings().overwrite);
  std::vector<std::string> written;
  add_prediction_layers(run, scene, tiling, sites, predictions, writer, written);
  warn_of_results_that_stay(run, written);
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(scene.frame, predictions.failed), run.progress());
  close_kept_predictions(run, folders, predictions);
  outcome.outputs = run.destinations().spelled(written);
  outcome.failed_transmitters = predictions.failed;
  add_prediction_figures(sites, tiling, predictions, outcome.figures);
  return outcome;
}

}  // namespace

Tool predictcoverage() {
  return {.id = "predictcoverage",
          .title = "Predict coverage",
          .group = "Steps",
          .help =
              "Launches rays from transmitters through an environment and predicts path loss, delay and angles at "
              "its tiles and at receiver points.",
          .parameters = concatenated({{environment_parameter(), visibility_file_parameter()},
                                      site_parameters("ENVIRONMENT"),
                                      propagation_parameters(),
                                      {kept_predictions_parameter()},
                                      prediction_layer_parameters(),
                                      {output_parameter()}}),
          .roles = {},
          .run = predict_coverage};
}

}  // namespace tesseray
