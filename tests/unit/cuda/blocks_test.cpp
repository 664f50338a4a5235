// SPDX-License-Identifier: GPL-3.0-or-later
// Searches by blocks of threads, on the host and on the GPU if there is one, against every pair by the exact test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/block_horizon.h"
#include "cuda/cuda_sight_runner.h"
#include "cuda/rows_by_blocks.h"
#include "cuda/scene_copy.h"
#include "small_cities.h"
#include "tests/support/all_pairs.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Rows rows_of(const Visibility& visibility) {
  Rows rows(visibility.element_count());
  for (std::uint32_t element = 0; element < rows.size(); ++element) visibility.read_row(element, rows[element]);
  return rows;
}

class Blocks : public OnHostAndGpu<MakeSightRunner> {
 protected:
  static const MakeSightRunner& make_runner() { return GetParam().make; }
};

INSTANTIATE_TEST_SUITE_P(On, Blocks,
                         ::testing::Values(Runs<MakeSightRunner>{"host", make_host_sight_runner},
                                           Runs<MakeSightRunner>{"cuda", make_cuda_sight_runner}),
                         named_by_device);

struct City {
  explicit City(const Scene& scene, double tile_area_m2 = 100)
      : occlusion(scene), tiling(tile_scene(scene, {.tile_area_m2 = tile_area_m2}, no_progress())) {}
  Rows by_blocks(const MakeSightRunner& make_runner, const VisibilityOptions& options = {}) const {
    return rows_of(*compute_visibility_by_blocks(make_runner, occlusion, tiling, options, no_progress()));
  }
  Rows plain(const VisibilityOptions& options = {}) const {
    return rows_of(*testing::compute_visibility_of_all_pairs(occlusion, tiling, options, no_progress()));
  }

  Occlusion occlusion;
  Tiling tiling;
};

TEST_P(Blocks, FindTheRowsOfAllPairsOnHardCities) {
  for (CityOptions options : hard_cities()) {
    for (std::uint32_t seed = 31; seed <= 32; ++seed) {
      options.seed = seed;
      const City city(make_city(options));
      EXPECT_EQ(city.by_blocks(make_runner()), city.plain()) << options.name << ", seed " << seed;
    }
  }
}

// Large enough for far rings, blocks of cells and hills that hide.
TEST_P(Blocks, FindTheRowsOfAllPairsOnSyntheticCities) {
  for (const std::uint64_t seed : {1, 2}) {
    testing::SyntheticCityOptions options;
    options.width_m = seed == 1 ? 1200 : 500;
    options.depth_m = seed == 1 ? 260 : 500;
    options.hill_m = seed == 2 ? 60 : 15;
    options.seed = seed + 40;
    const City city(testing::synthetic_city(options));
    EXPECT_EQ(city.by_blocks(make_runner()), city.plain()) << "seed " << seed;
  }
}

TEST_P(Blocks, FindTheRowsWithSmallTilesAndMaximumDistance) {
  CityOptions options = hard_cities().back();
  options.blocks = 3;
  const City city(make_city(options), 20);
  const VisibilityOptions near = {.max_distance_m = 60};
  EXPECT_EQ(city.by_blocks(make_runner(), near), city.plain(near));
}

// What does not fit is searched again until it does; the rows stay the same.
TEST_P(Blocks, FindTheSameRowsInTooLittleMemory) {
  const City city(make_city(hard_cities().front()));
  const std::size_t elements = city.tiling.tiles.size() + city.tiling.edges.size();
  const auto expected = city.plain();
  for (const std::uint32_t sources : {64u, 1000u}) {
    const auto small = [&](const SightSceneView& scene, const BatchCapacity&) {
      return make_runner()(scene, {.sources = sources, .slots = 2, .numbers = elements, .runs = 5});
    };
    EXPECT_EQ(city.by_blocks(small), expected) << sources;
  }
}

TEST_P(Blocks, FindWhatPointsSee) {
  for (CityOptions options : hard_cities()) {
    options.seed = 33;
    const Scene scene = make_city(options);
    const City city(scene);
    testing::Random random(7);
    std::vector<Vec3> points;
    for (int k = 0; k < 80; ++k) {
      const Tile& tile = city.tiling.tiles[random.below(static_cast<std::uint32_t>(city.tiling.tiles.size()))];
      points.push_back(tile.centroid + random.uniform(0.5, 3) * tile.normal + Vec3{0, 0, random.uniform(0, 20)});
    }
    // Over, at and beside corners, and in the planes of walls.
    for (std::size_t k = 0; k < scene.prisms.size(); k += 5) {
      const Prism& prism = scene.prisms[k];
      const Vec2 corner = prism.rings[0][0], beyond = corner + 0.5 * (corner - prism.rings[0][1]);
      points.push_back({corner.x, corner.y, prism.top_z + 4});
      points.push_back({corner.x, corner.y, prism.top_z});
      points.push_back({beyond.x, beyond.y, prism.top_z - 1});
    }
    points.push_back({-500, 900, 40});  // outside of the grid of cells
    points.push_back({20, 20, -300});   // below the ground
    PointVisibilityByBlocks by_blocks(make_runner(), city.occlusion, city.tiling);
    const VisibilityOptions near = {.max_distance_m = 90};
    const Rows all = by_blocks.visible_from(points), nearby = by_blocks.visible_from(points, near);
    std::size_t seen = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      EXPECT_EQ(all[k], visible_from(city.occlusion, city.tiling, points[k])) << options.name << " " << k;
      EXPECT_EQ(nearby[k], visible_from(city.occlusion, city.tiling, points[k], near)) << options.name << " " << k;
      seen += all[k].size();
    }
    EXPECT_GT(seen, 1000u) << options.name;
  }
}

// What a GPU gets: nothing but the copies, with garbage behind each.
TEST(SceneCopy, IsAllThatSearchesRead) {
  CityOptions options = hard_cities().back();
  options.blocks = 3;
  const City city(make_city(options));
  std::vector<std::vector<std::byte>> copies;
  SightSceneView copy;
  const auto from_copies = [&](const SightSceneView& scene, const BatchCapacity& capacity) {
    copy = scene;
    for_each_array(copy, [&]<class Item>(const Item*& items, std::size_t count) {
      constexpr std::size_t garbage_items = 64;
      std::vector<std::byte>& bytes = copies.emplace_back((count + garbage_items) * sizeof(Item), std::byte{0xd5});
      std::copy_n(reinterpret_cast<const std::byte*>(items), count * sizeof(Item), bytes.data());
      items = reinterpret_cast<const Item*>(bytes.data());
    });
    return make_host_sight_runner(copy, capacity);
  };
  EXPECT_EQ(city.by_blocks(from_copies), city.plain());
  EXPECT_GE(copies.size(), 13u);
}

// Where azimuths begin, a wall in line with the eye has no bins at all, not all of them.
TEST_P(Blocks, LookAlongAWallWhereAzimuthsBegin) {
  Scene scene = testing::flat_ground(100, 100);
  const Vec3 eye{50, 50, 5};
  Prism prism;
  for (const Vec2 corner : {Vec2{-5, -30}, Vec2{20, -30}, Vec2{20, -20}, Vec2{10, -10}, Vec2{5, -20}, Vec2{-3, -20},
                            Vec2{-3, 5}, Vec2{-5, 5}}) {
    if (prism.rings.empty()) prism.rings.emplace_back();
    prism.rings[0].push_back(eye.xy() + corner);
  }
  prism.bottom_z = 0;
  prism.top_z = 12;
  scene.prisms.push_back(prism);
  const City city(scene);
  PointVisibilityByBlocks by_blocks(make_runner(), city.occlusion, city.tiling);
  const std::vector<std::uint32_t> expected = visible_from(city.occlusion, city.tiling, eye);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(by_blocks.visible_from(std::span(&eye, 1)), Rows{expected});
}

TEST(BlockHorizon, OrdersFloatsAsIntegers) {
  const float numbers[] = {-std::numeric_limits<float>::infinity(), -2.5F, -1e-30F, 0.0F, 1e-30F, 3.0F, 1e30F};
  for (std::size_t k = 0; k + 1 < std::size(numbers); ++k) {
    EXPECT_LT(ordered(numbers[k]), ordered(numbers[k + 1]));
    EXPECT_EQ(slope_of(ordered(numbers[k])), numbers[k]);
  }
}

TEST(BlockHorizon, KnowsTheLeastSlopeOfAnyRangeOfBins) {
  const auto horizon = std::make_unique<BlockHorizon>();
  const HostBlock block;
  reset_horizon(block, *horizon, 0);
  testing::Random random(3);
  for (std::uint32_t bin = 0; bin < horizon_bins; ++bin) {
    block.raise(horizon->nodes[horizon_bins + bin], ordered(static_cast<float>(random.uniform(-1, 2))));
  }
  settle_horizon(block, *horizon);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint32_t first = random.below(horizon_bins), last = first + random.below(horizon_bins - first);
    EXPECT_EQ(least_of_bins(*horizon, first, last),
              *std::min_element(horizon->nodes + horizon_bins + first, horizon->nodes + horizon_bins + last + 1));
  }
  EXPECT_EQ(horizon->nodes[1], least_of_bins(*horizon, 0, horizon_bins - 1));
}

}  // namespace
}  // namespace tesseray::test
