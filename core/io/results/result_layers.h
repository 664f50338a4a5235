// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a result: their fields, units and geometries (the contract of docs/formats.md, in code).
// What is passed in must live as long as the layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/comparison/comparison.h"
#include "core/io/antennas/antenna_file.h"
#include "core/io/results/layer.h"
#include "core/io/results/result_writer.h"
#include "core/prediction/best_server.h"
#include "core/prediction/explanation.h"
#include "core/prediction/fingerprints.h"
#include "core/prediction/prediction.h"
#include "core/scene/scene.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// The environment.
Layer buildings_layer(const Scene& scene);
Layer vegetation_layer(const Scene& scene);
Layer materials_layer(const Scene& scene);
Layer clutter_classes_layer(const Scene& scene);
Layer environment_layer(const Scene& scene, const Tiling& tiling);  // one row: what the other layers do not say
// Which tile a row is about: number, kind, building, area.
std::vector<Field<Tile>> tile_identity_fields(const Scene& scene);
Layer tiles_layer(const std::string& name, const Scene& scene, const Tiling& tiling,
                  std::span<const std::uint32_t> visible_tiles);
Layer edges_layer(const std::string& name, const Scene& scene, const Tiling& tiling);
Layer issues_layer(const std::string& name, const LocalFrame& frame, const std::vector<Issue>& issues);

// The prediction.
Layer transmitters_layer(const std::string& name, const LocalFrame& frame,
                         const std::vector<Transmitter>& transmitters);
Layer path_loss_layer(const std::string& name, const Scene& scene, const Tiling& tiling,
                      std::span<const TransmitterPrediction> predictions, const PathLossLayout& layout);
Layer receiver_path_loss_layer(const std::string& name, const LocalFrame& frame, const std::vector<Receiver>& receivers,
                               std::span<const TransmitterPrediction> predictions);
Layer rays_layer(const std::string& name, const LocalFrame& frame, std::span<const TransmitterPrediction> predictions,
                 RaysOf of);
std::vector<Field<Ray>> ray_fields();

// The explanation of a point.
Layer explained_rays_layer(const std::string& name, const LocalFrame& frame, const PointExplanation& explanation);
Layer power_delay_profile_layer(const std::string& name, const PointExplanation& explanation);

// An antenna.
Layer antenna_pattern_layer(const std::string& name, const AntennaFile& antenna);

// The comparison.
Layer prediction_error_layer(const std::string& name, const LocalFrame& frame, const Comparison& comparison);
Layer error_statistics_layer(const std::string& name, const Comparison& comparison);

// What a point sees: numbers of tiles.
Layer visible_tiles_layer(const std::string& name, const Scene& scene, const Tiling& tiling, Vec3 viewpoint,
                          std::span<const std::uint32_t> visible);

// Coverage by several transmitters.
Layer best_server_layer(const std::string& name, const PathLossLayer& path_loss,
                        const std::vector<ServedPlace>& places);

// Districts.
Layer district_coverage_layer(const std::string& name, const LocalFrame& frame, const DistrictReport& report);
Layer district_transmitters_layer(const std::string& name, const DistrictReport& report);

// Fingerprints, and where queries fit.
Layer fingerprints_layer(const std::string& name, const PathLossLayer& path_loss, const Fingerprints& fingerprints);
Layer located_layer(const std::string& name, const PathLossLayer& path_loss, const Fingerprints& fingerprints,
                    const std::vector<LocatedQuery>& located);

// The run: one row, added to those of earlier runs.
struct WrittenLayers {
  std::vector<std::string> names, made_from_predictions;
};
Layer runs_layer(const RunRecord& run, const WrittenLayers& layers, const std::string& result_hash);

// The words for kinds in the layers, and back.
std::string_view to_text(SurfaceKind kind);
std::string_view to_text(EdgeKind kind);
std::string_view to_text(Issue::Action action);

// The tile's corners in order, seen from the air counter-clockwise.
TileCorners corners_of(const Tile& tile);

}  // namespace tesseray
