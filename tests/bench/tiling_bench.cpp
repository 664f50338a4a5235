// SPDX-License-Identifier: GPL-3.0-or-later
// Tiling of a dense block city (0.5 km²) and of a large city (20 km²). The bar: 20 km² in less than 3 s on 2 cores.
#include <benchmark/benchmark.h>

#include "core/tiling/tiling.h"
#include "tests/support/synthetic_city.h"

namespace {

// Checks the work before it is timed: the city has the tiles that the bar is about.
void tile_city(benchmark::State& state, const tesseray::testing::SyntheticCityOptions& options,
               std::size_t least_tiles) {
  const tesseray::Scene scene = tesseray::testing::synthetic_city(options);
  const tesseray::Tiling checked = tesseray::tile_scene(scene, {}, tesseray::no_progress());
  if (checked.tiles.size() < least_tiles || checked.edges.empty()) {
    state.SkipWithError("the city has too few tiles or no edges");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(tesseray::tile_scene(scene, {}, tesseray::no_progress()));
  state.counters["tiles"] = static_cast<double>(checked.tiles.size());
  state.counters["edges"] = static_cast<double>(checked.edges.size());
  state.counters["prisms"] = static_cast<double>(scene.prisms.size());
}

void dense_block_city(benchmark::State& state) { tile_city(state, tesseray::testing::dense_block_city(), 5'100); }
void large_city(benchmark::State& state) { tile_city(state, tesseray::testing::large_city(), 412'000); }

BENCHMARK(dense_block_city)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(large_city)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
