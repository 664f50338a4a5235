// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the path_loss layer that qgis_drawing.py times: 466,000 tiles of a made city, with
// losses that grow with the distance, written as every result is. Usage: qgis_drawing_layer OUTPUT.gpkg [TRANSMITTERS]
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/io/results/result_writer.h"
#include "tests/support/synthetic_city.h"

namespace {

using namespace tesseray;

constexpr std::size_t wanted_tiles = 466'000;

// 20 km² in the proportions of the large city, with tiles somewhat smaller than 100 m² and the surplus left out.
Tiling tiles_of(const Scene& scene) {
  Tiling tiling = tile_scene(scene, {.tile_area_m2 = 80}, no_progress());
  if (tiling.tiles.size() < wanted_tiles) throw std::runtime_error("the city has too few tiles");
  tiling.tiles.resize(wanted_tiles);
  return tiling;
}

// Of transmitter `id` out of `count`, which stand in a row from west to east.
TransmitterPrediction prediction_for(const Scene& scene, const Tiling& tiling, int id, int count) {
  TransmitterPrediction prediction;
  prediction.transmitter_id = static_cast<std::uint32_t>(id);
  const double share = static_cast<double>(id) / (count + 1);
  const Vec3 transmitter{scene.extent.min.x + share * (scene.extent.max.x - scene.extent.min.x),
                         0.5 * (scene.extent.min.y + scene.extent.max.y), 40};
  testing::Random random(static_cast<std::uint64_t>(id));
  for (const Tile& tile : tiling.tiles) {
    const double distance_m = norm(tile.centroid - transmitter);
    TargetPrediction target;
    target.path_loss_db = static_cast<float>(20 + 30 * std::log10(distance_m) + random.uniform(-12, 12));
    target.basic_loss_db = target.path_loss_db + 2.15F;
    target.received_power_dbm = 40 - target.path_loss_db;
    target.field_dbuvm = 135 - target.path_loss_db;
    target.mechanism = Mechanism::reflection;
    target.ray_count = 1 + random.below(100);
    target.first_delay_ns = static_cast<float>(distance_m / 0.299792458);
    target.mean_delay_ns = target.first_delay_ns + static_cast<float>(random.uniform(0, 400));
    target.delay_spread_ns = static_cast<float>(random.uniform(10, 300));
    target.angle_spread_deg = static_cast<float>(random.uniform(1, 60));
    target.arrival_azimuth_deg = static_cast<float>(random.uniform(0, 360));
    prediction.tiles.push_back(target);
  }
  return prediction;
}

void write(const char* file, int transmitters) {
  Scene scene = testing::synthetic_city(testing::large_city());
  const Tiling tiling = tiles_of(scene);
  std::vector<TransmitterPrediction> predictions;
  for (int id = 1; id <= transmitters; ++id) predictions.push_back(prediction_for(scene, tiling, id, transmitters));
  ResultWriter writer(scene.frame, true);
  writer.add_path_loss({file, "path_loss"}, scene, tiling, predictions, {});
  writer.commit({}, no_progress());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    std::fputs("usage: qgis_drawing_layer OUTPUT.gpkg [TRANSMITTERS]\n", stderr);
    return 2;
  }
  try {
    write(arguments[1], count == 3 ? std::stoi(arguments[2]) : 1);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
