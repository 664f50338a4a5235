// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs to every tile of a 20 km² city that the transmitter does not see; µs per tile as a counter.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct City {
  City() : scene(testing::synthetic_city(testing::large_city())), occlusion(scene), surface(scene) {
    tiling = tile_scene(scene, {}, no_progress());
  }
  // Street 6 m, roof + 3 m, 50 m above the highest roof near the middle.
  Vec3 antenna(std::int64_t kind) const {
    const Rectangle area = scene.terrain.extent();
    const Vec2 middle = 0.5 * (area.min + area.max);
    for (double way = 0;; way += 7.3) {
      const Vec2 place{middle.x + way, middle.y + 0.37 * way};
      const double ground = scene.terrain.height_at(place), top = surface.surface_height(place);
      if (kind == 0 && top <= ground) return {place.x, place.y, ground + 6};
      if (kind == 1 && top > ground) return {place.x, place.y, top + 3};
      if (kind == 2) return {place.x, place.y, ground + 140};
    }
  }

  Scene scene;
  Occlusion occlusion;
  PrismIndex surface;
  Tiling tiling;
};

void over_rooftop(benchmark::State& state) {
  static const City city;
  const Transmitter transmitter = testing::test_transmitter(city.antenna(state.range(0)));
  const auto method = state.range(1) == 0 ? OverRooftop::screens : OverRooftop::deygout;
  const OverRooftopPaths paths(city.scene);
  const Link link(city.scene, transmitter, {});
  const std::vector<Complex> permittivities = link.permittivities();
  const RooftopRays rays = {.from = transmitter.position,
                            .wavelength_m = 2.0 * pi / link.wave_number(),
                            .permittivities = permittivities,
                            .may_reflect = state.range(0) != 1};
  std::vector<std::uint8_t> lit(city.tiling.tiles.size() + city.tiling.edges.size(), 0);
  for (const std::uint32_t element : visible_from(city.occlusion, city.tiling, transmitter.position)) lit[element] = 1;
  std::uint64_t found = 0, edges = 0, hidden = 0;
  for (auto _ : state) {
    std::atomic<std::uint64_t> all_found = 0, all_edges = 0, all_hidden = 0;
    parallel_blocks(city.tiling.tiles.size(), 512, no_progress(), [&](std::size_t begin, std::size_t end) {
      OverRooftopPaths::Workspace work;
      RooftopPath path;
      for (std::size_t tile = begin; tile < end; ++tile) {
        if (lit[tile] != 0) continue;
        ++all_hidden;
        const Vec3 target = target_point(city.tiling.tiles[tile], 1.5);
        if (!paths.find(rays, {target}, method, work, path)) continue;
        ++all_found;
        all_edges += path.edges.size();
      }
    });
    found = all_found;
    edges = all_edges;
    hidden = all_hidden;
  }
  state.counters["tiles"] = static_cast<double>(city.tiling.tiles.size());
  state.counters["hidden"] = static_cast<double>(hidden);
  state.counters["found"] = static_cast<double>(found);
  state.counters["edges_per_ray"] = static_cast<double>(edges) / static_cast<double>(found);
  state.counters["tiles_per_s"] =
      benchmark::Counter(static_cast<double>(hidden), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(over_rooftop)
    ->ArgNames({"antenna", "deygout"})
    ->ArgsProduct({{0, 1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tesseray

BENCHMARK_MAIN();
