// SPDX-License-Identifier: GPL-3.0-or-later
// A path_loss layer of 466,000 polygon tiles with all fields, spatial index and style: the size of Lyon's centre.
// Issue of record: less than 10 s on 2 cores; OGR's own driver takes 7.4 s. Written to /tmp or $TMPDIR.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/io/results/path_loss_reader.h"
#include "core/io/results/result_writer.h"

namespace {

using namespace tesseray;

constexpr std::uint32_t columns = 683, rows = 683;  // 466,489 tiles of 10 m

struct Case {
  Scene scene;
  Tiling tiling;
  std::vector<TransmitterPrediction> predictions{1};
  std::vector<Transmitter> transmitters{1};
  std::filesystem::path file = std::filesystem::temp_directory_path() / "tesseray_writer_bench.gpkg";

  Case() {
    scene.frame = {{1840 * 1024.0, 5050 * 1024.0}, "", "local metres"};
    transmitters[0].transmitter_id = 1;
    transmitters[0].name = std::string(1, 'A');
    predictions[0].transmitter_id = 1;
    for (std::uint32_t i = 0; i < columns * rows; ++i) {
      Tile tile;
      tile.id = 1000 + i;
      tile.centroid = {10.0 * (i % columns), 10.0 * (i / columns), 200 + 20 * std::sin(0.001 * i)};
      tile.normal = {0, 0, 1};
      tile.half_u = {5, 0, 0.1};
      tile.half_v = {0, 5, 0.2};
      tile.kind = static_cast<SurfaceKind>(i % 3);
      tiling.tiles.push_back(tile);
      TargetPrediction prediction;
      const auto wave = static_cast<float>(std::sin(0.37 * i));
      prediction.path_loss_db = 110 + 30 * wave;
      prediction.basic_loss_db = 112 + 30 * wave;
      prediction.received_power_dbm = -70 - 30 * wave;
      prediction.field_dbuvm = 50 - 30 * wave;
      prediction.first_delay_ns = 1000 + 900 * wave;
      prediction.mean_delay_ns = 1100 + 900 * wave;
      prediction.delay_spread_ns = 90 + 80 * wave;
      prediction.angle_spread_deg = 30 + 20 * wave;
      prediction.arrival_azimuth_deg = 180 + 170 * wave;
      prediction.ray_count = i % 100;
      prediction.mechanism = Mechanism::reflection;
      predictions[0].tiles.push_back(prediction);
    }
  }
  ~Case() { std::filesystem::remove(file); }

  void write() const {
    ResultWriter writer(scene.frame, true);
    std::filesystem::remove(file);
    writer.add_path_loss({file, "path_loss"}, scene, tiling, predictions, {});
    writer.add_transmitters({file, "transmitters"}, transmitters);
    writer.commit({}, no_progress());
  }
};

void write_path_loss(benchmark::State& state) {
  const Case city;
  for (auto _ : state) city.write();
  state.counters["rows"] = columns * rows;
  state.counters["MB"] = static_cast<double>(std::filesystem::file_size(city.file)) / 1e6;
}
BENCHMARK(write_path_loss)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_path_loss_layer(benchmark::State& state) {
  const Case city;
  city.write();
  for (auto _ : state) {
    const PathLossLayer layer = read_path_loss(city.file.string(), Outlines::leave, no_progress());
    if (layer.targets.size() != city.tiling.tiles.size()) state.SkipWithError("rows are missing");
  }
}
BENCHMARK(read_path_loss_layer)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
