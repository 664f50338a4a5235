// SPDX-License-Identifier: GPL-3.0-or-later
// The visibility relation of synthetic cities, by the fast way and by all pairs; ms per element and entries per element
// as counters. On the small cities the two are compared before anything is timed.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "tests/support/all_pairs.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct City {
  explicit City(const testing::SyntheticCityOptions& options)
      : scene(testing::synthetic_city(options)), occlusion(scene), tiling(tile_scene(scene, {}, no_progress())) {}
  explicit City(double side_m) : City(square(side_m)) {}
  static testing::SyntheticCityOptions square(double side_m) {
    testing::SyntheticCityOptions options;
    options.width_m = options.depth_m = side_m;
    return options;
  }
  double elements() const { return static_cast<double>(tiling.tiles.size() + tiling.edges.size()); }

  Scene scene;
  Occlusion occlusion;
  Tiling tiling;
};

bool are_equal(const Visibility& a, const Visibility& b) {
  std::vector<std::uint32_t> row_a, row_b;
  for (std::uint32_t element = 0; element < a.element_count(); ++element) {
    a.read_row(element, row_a);
    b.read_row(element, row_b);
    if (row_a != row_b) return false;
  }
  return a.element_count() == b.element_count();
}

using Way = std::unique_ptr<Visibility> (&)(const Occlusion&, const Tiling&, const VisibilityOptions&, Progress&);

void time_way(benchmark::State& state, const City& city, Way compute) {
  std::uint64_t entries = 0;
  for (auto _ : state) {
    const auto visibility = compute(city.occlusion, city.tiling, {}, no_progress());
    entries = 0;
    for (std::uint32_t element = 0; element < visibility->element_count(); ++element) {
      entries += visibility->row_length(element);
    }
  }
  state.counters["elements"] = city.elements();
  state.counters["entries_per_element"] = static_cast<double>(entries) / city.elements();
  state.counters["elements_per_s"] = benchmark::Counter(city.elements(), benchmark::Counter::kIsIterationInvariantRate);
}

void BM_AllPairs(benchmark::State& state) {
  const City city(static_cast<double>(state.range(0)));
  time_way(state, city, testing::compute_visibility_of_all_pairs);
}
BENCHMARK(BM_AllPairs)->Arg(250)->Arg(500)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Visibility(benchmark::State& state) {
  const City city(static_cast<double>(state.range(0)));
  if (state.range(0) <= 500 &&
      !are_equal(*compute_visibility(city.occlusion, city.tiling, {}, no_progress()),
                 *testing::compute_visibility_of_all_pairs(city.occlusion, city.tiling, {}, no_progress()))) {
    state.SkipWithError("the fast way differs from all pairs");
    return;
  }
  time_way(state, city, compute_visibility);
}
BENCHMARK(BM_Visibility)->Arg(250)->Arg(500)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond)->UseRealTime();

// 0.5 km² with about 5,100 tiles, as in the paper's first case.
void BM_VisibilityOfDenseBlocks(benchmark::State& state) {
  const City city(testing::dense_block_city());
  time_way(state, city, compute_visibility);
}
BENCHMARK(BM_VisibilityOfDenseBlocks)->Unit(benchmark::kMillisecond)->UseRealTime();

Vec3 point_over(const Scene& scene, double height_m) {
  const Vec2 p = {0.5 * (scene.extent.min.x + scene.extent.max.x), 0.5 * (scene.extent.min.y + scene.extent.max.y)};
  return {p.x, p.y, scene.terrain.height_at(p) + height_m};
}

void BM_VisibleFromPoint(benchmark::State& state) {
  const City city(2000.0);
  const Vec3 point = point_over(city.scene, static_cast<double>(state.range(0)));
  std::size_t seen = 0;
  for (auto _ : state) seen = visible_from(city.occlusion, city.tiling, point).size();
  state.counters["seen"] = static_cast<double>(seen);
}
BENCHMARK(BM_VisibleFromPoint)->ArgName("height_m")->Arg(30)->Arg(60)->Unit(benchmark::kMillisecond);

void BM_PointVisibility(benchmark::State& state) {
  const City city(2000.0);
  const PointVisibility prepared(city.occlusion, city.tiling);
  const Vec3 point = point_over(city.scene, static_cast<double>(state.range(0)));
  std::size_t seen = 0;
  for (auto _ : state) seen = prepared.visible_from(point).size();
  state.counters["seen"] = static_cast<double>(seen);
}
BENCHMARK(BM_PointVisibility)->ArgName("height_m")->Arg(30)->Arg(60)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tesseray

BENCHMARK_MAIN();
