// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/comparison_stage.h"
#include "processing_algorithms/stages/path_loss_input.h"
#include "processing_algorithms/stages/ray_parameters.h"

namespace tesseray {
namespace {

Outcome compare_prediction_with_drive_test(Run& run) {
  const PathLossLayer path_loss = read_path_loss(run, {.fields = compared_fields(run.values()),
                                                       .bytes_per_row = TilesOfRows::bytes_per_row,
                                                       .bytes_per_tile = TilesOfRows::bytes_per_tile});
  warn_of_reached_only(run, path_loss, "measurements where nothing arrives are compared with tiles nearby");
  const std::vector<Measurement> measurements = read_measurements(run, path_loss.frame);
  const TilesOfRows predicted(path_loss.targets, path_loss.transmitters);
  const Comparison comparison = compare_with_drive_test(run, predicted, path_loss.transmitters, measurements);

  ResultWriter writer(path_loss.frame, run.settings().overwrite);
  std::vector<std::string> written;
  add_comparison_layers(run, comparison, writer, written);
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(path_loss.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_comparison_figures(comparison, outcome.figures);
  return outcome;
}

}  // namespace

Tool comparewithdrivetest() {
  return {
      .id = "comparewithdrivetest",
      .title = "Compare with drive test",
      .group = "Steps",
      .help =
          "Compares a prediction with measurements: the error at each measured point, and its statistics per "
          "transmitter and over the sites.",
      .parameters = concatenated({{path_loss_input("the layer that predictcoverage wrote, its transmitters beside it")},
                                  drive_test_parameters(false, "PATH_LOSS"),
                                  {receiver_gain_parameter()},
                                  comparison_layer_parameters(),
                                  {output_parameter()}}),
      .roles = {"report_input"},
      .run = compare_prediction_with_drive_test};
}

}  // namespace tesseray
