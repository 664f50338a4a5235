// SPDX-License-Identifier: GPL-3.0-or-later
// What a prediction writes: layers, and figures of the summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/results/result_writer.h"
#include "core/prediction/prediction.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/predict_each.h"
#include "processing_algorithms/stages/site_stage.h"

namespace tesseray {

// Which tiles get rows in PATH_LOSS, and their geometry.
std::vector<Parameter> row_parameters();
// PATH_LOSS, RECEIVER_PATH_LOSS, TRANSMITTERS_OUT and RAYS, what is predicted for them, and row_parameters().
std::vector<Parameter> prediction_layer_parameters();

PathLossLayout path_loss_layout(const ParameterValues& values);

// Each adds one layer to `writer` where it is wanted, and its name to `written`: TRANSMITTERS_OUT, RECEIVER_PATH_LOSS,
// RAYS. What is given must live until commit.
void add_transmitters_layer(const Run& run, const std::vector<Transmitter>& transmitters, ResultWriter& writer,
                            std::vector<std::string>& written);
void add_receiver_path_loss_layer(const Run& run, const std::vector<Receiver>& receivers,
                                  const Predictions& predictions, ResultWriter& writer,
                                  std::vector<std::string>& written);
void add_rays_layer(const Run& run, const Predictions& predictions, RaysOf of, ResultWriter& writer,
                    std::vector<std::string>& written);
// All of these as far as they are wanted, and PATH_LOSS.
void add_prediction_layers(const Run& run, const Scene& scene, const Tiling& tiling, const Sites& sites,
                           const Predictions& predictions, ResultWriter& writer, std::vector<std::string>& written);

// Warns of layers that stay and tell of what this run replaces, since they are not `written` now: in TRANSMITTERS_OUT's
// file path losses of other transmitters, in PATH_LOSS's all that was made from the earlier prediction. Before commit.
void warn_of_results_that_stay(Run& run, const std::vector<std::string>& written);

// About how large PATH_LOSS will be; 0 with REACHED_ONLY, of which nobody knows before the work how many rows there
// will be, so that the writer alone looks.
std::uint64_t bytes_of_path_loss(const Run& run, const Tiling& tiling, std::size_t transmitters);
// Throws Error(resources) when the disk has no room for that. Before the work.
void require_disk_space_for_path_loss(const Run& run, const Tiling& tiling, std::size_t transmitters);

void add_prediction_figures(const Sites& sites, const Tiling& tiling, const Predictions& predictions,
                            nlohmann::ordered_json& figures);

}  // namespace tesseray
