// SPDX-License-Identifier: GPL-3.0-or-later
// One transmitter's prediction on cities made by rule, default options, by number of bounces. Visibility is computed
// once and not timed. Bars on 2 cores: the dense block city in 0.1, 0.2 and 0.4 s for 1, 2 and 3 bounces.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "core/prediction/prediction.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

enum class City { dense_blocks, hilly_town };
enum class Site { street, rooftop, macro };

testing::SyntheticCityOptions options_of(City city) {
  if (city == City::dense_blocks) return testing::dense_block_city();
  testing::SyntheticCityOptions options;
  options.seed = 4;
  return options;
}

const testing::Environment& environment(City city) {
  static std::map<City, std::unique_ptr<testing::Environment>> made;
  auto& kept = made[city];
  if (!kept) kept = std::make_unique<testing::Environment>(testing::synthetic_city(options_of(city)), 10.0);
  return *kept;
}

// A free place near the middle of the city: 6 m above a street, 3 m above a roof, or 50 m above the ground.
Transmitter transmitter_at(const Scene& scene, Site site) {
  const PrismIndex index(scene);
  const Vec2 middle = 0.5 * (scene.extent.min + scene.extent.max);
  for (int row = 0; row < 50; ++row) {
    for (int column = 0; column < 50; ++column) {
      const Vec2 p = middle + Vec2{3.0 * column - 75.3, 3.0 * row - 74.7};
      const double ground = scene.terrain.height_at(p), top = index.surface_height(p);
      const bool built = top > ground + 1;
      if (built != (site == Site::rooftop)) continue;
      const double z = site == Site::street ? ground + 6 : site == Site::rooftop ? top + 3 : ground + 50;
      Transmitter transmitter = testing::test_transmitter({p.x, p.y, z});
      transmitter.erp_dbm = 40;
      return transmitter;
    }
  }
  throw std::runtime_error("no free place near the middle of the city");
}

void predict(benchmark::State& state) {
  const testing::Environment& city = environment(static_cast<City>(state.range(0)));
  const Transmitter transmitter = transmitter_at(city.scene, static_cast<Site>(state.range(1)));
  RayLaunchingOptions options;
  options.max_bounces = static_cast<int>(state.range(2));
  const RayLauncher launcher(city.scene, city.tiling, city.occlusion, *city.visibility, {}, options);
  std::size_t reached = 0;
  std::uint64_t tubes = 0;
  while (state.KeepRunning()) {
    RayLaunchingResult rays = launcher.launch(transmitter, no_progress());
    tubes = rays.tubes;
    const TransmitterPrediction prediction =
        predict_path_loss(std::move(rays), transmitter, city.tiling, {}, launcher.options());
    reached = 0;
    for (const TargetPrediction& tile : prediction.tiles) reached += tile.reached() ? 1 : 0;
  }
  if (reached == 0) state.SkipWithError("no tile is reached");
  state.counters["tiles"] = static_cast<double>(city.tiling.tiles.size());
  state.counters["edges"] = static_cast<double>(city.tiling.edges.size());
  state.counters["reached"] = static_cast<double>(reached);
  state.counters["tubes"] = static_cast<double>(tubes);
}

BENCHMARK(predict)
    ->ArgNames({"city", "site", "bounces"})
    ->ArgsProduct({{static_cast<int>(City::dense_blocks), static_cast<int>(City::hilly_town)},
                   {static_cast<int>(Site::street), static_cast<int>(Site::rooftop), static_cast<int>(Site::macro)},
                   {1, 2, 3, 5}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace tesseray

BENCHMARK_MAIN();
