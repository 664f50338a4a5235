// SPDX-License-Identifier: GPL-3.0-or-later
// From transmitters to what arrives at tiles and receivers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/prediction/finished_predictions.h"
#include "core/prediction/prediction.h"
#include "core/propagation/ray_launcher.h"
#include "core/scene/transmitter.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/predict_each.h"
#include "processing_algorithms/run.h"

namespace tesseray {

// TRANSMITTERS, RECEIVERS and what is read from them.
// `site`: the parameter in whose extent the sites should lie.
std::vector<Parameter> transmitter_parameters(const std::string& site);
std::vector<Parameter> receiver_point_parameters(const std::string& site);
std::vector<Parameter> receiver_parameters();
// RECEIVER_GAIN, which is among them: the antenna of what is predicted, and of what was measured.
Parameter receiver_gain_parameter();
// All of these, in this order.
std::vector<Parameter> site_parameters(const std::string& site);
// How rays are launched and summed.
std::vector<Parameter> propagation_parameters();
// PATH_LOSS, RECEIVER_PATH_LOSS, TRANSMITTERS_OUT and RAYS, and what rows they have.
std::vector<Parameter> prediction_layer_parameters();

struct Sites {
  std::vector<Transmitter> transmitters;
  std::vector<Receiver> receivers;
};

// Reads and places transmitters.
std::vector<Transmitter> read_transmitters(Run& run, const Scene& scene);

// Reads and places transmitters and receivers. A place outside the scene or inside a building is an error that names
// all of them.
Sites read_sites(Run& run, const Scene& scene);

// The rows by which rays find their targets: the visibility's own, or the paper's rows of parent tiles.
class RayRows {
 public:
  RayRows(const ParameterValues& values, const Visibility& visibility, const Tiling& tiling);
  const Visibility& visibility() const { return parents_ ? *parents_ : own_; }

 private:
  const Visibility& own_;
  std::unique_ptr<Visibility> parents_;
};

// What the parameters say of how rays are launched and summed.
RayLaunchingOptions ray_launching_options(const ParameterValues& values);
// Of these, what any model of single rays needs: receivers, vegetation and the summation.
void read_link_options(const ParameterValues& values, RayLaunchingOptions& options);

// Everything that launching the rays of any transmitter needs. What is given must outlive it.
RayLauncher launch_rays(Run& run, const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                        const RayRows& rows, const Sites& sites);

// Launches the rays of every transmitter and sums them up, of as many at once as threads and memory allow; but for
// those that an earlier run has `finished`, where the others are kept as well. `finished` may be null.
Predictions predict_path_loss(Run& run, const RayLauncher& launcher, const Scene& scene, const Tiling& tiling,
                              const Sites& sites, FinishedPredictions* finished);

PathLossLayout path_loss_layout(const ParameterValues& values);

// Each adds one layer to `writer` where it is wanted, and its name to `written`: TRANSMITTERS_OUT, RECEIVER_PATH_LOSS,
// RAYS. What is given must live until commit.
void add_transmitters_layer(const Run& run, const std::vector<Transmitter>& transmitters, ResultWriter& writer,
                            std::vector<std::string>& written);
void add_receiver_path_loss_layer(const Run& run, const std::vector<Receiver>& receivers,
                                  const Predictions& predictions, ResultWriter& writer,
                                  std::vector<std::string>& written);
void add_rays_layer(const Run& run, const Predictions& predictions, ResultWriter& writer,
                    std::vector<std::string>& written);
// All of these as far as they are wanted, and PATH_LOSS.
void add_prediction_layers(const Run& run, const Scene& scene, const Tiling& tiling, const Sites& sites,
                           const Predictions& predictions, ResultWriter& writer, std::vector<std::string>& written);

void add_prediction_figures(const Sites& sites, const Tiling& tiling, const Predictions& predictions,
                            nlohmann::ordered_json& figures);

}  // namespace tesseray
