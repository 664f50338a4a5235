// SPDX-License-Identifier: GPL-3.0-or-later
// What is left out before it is asked exactly makes no difference: members of rows, and blocks of terrain.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/infinity.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"
#include "core/propagation/rooftops/rooftop_profiles.h"
#include "core/propagation/rows/row_targets.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

// The targets of a whole row that a source hits, each asked by itself.
std::vector<std::uint32_t> hits_one_by_one(const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                                           const std::vector<std::uint32_t>& row, bool onward,
                                           const IntervalBounds& bounds) {
  std::vector<std::uint32_t> hits;
  for (const std::uint32_t member : row) {
    const auto ask = [&](std::uint32_t point, std::uint32_t target) {
      const Vec3 at = points.view().points[point];
      if (is_hit(intervals_at_tile(frame, at.x, at.y, at.z), bounds, true)) hits.push_back(target);
    };
    for_targets_of_tile(points.view(), points.is_ground(tile), member, onward, ask);
  }
  return hits;
}

TEST(LeftOutEarly, NoMemberOfARowIsThatASourceHits) {
  const testing::Environment city(testing::synthetic_city(testing::small_city(8)), 10.0);
  const TargetPoints points(city.tiling, {}, 1.5);
  std::vector<std::uint32_t> row(points.element_count());
  for (std::uint32_t e = 0; e < row.size(); ++e) row[e] = e;
  testing::Random random(5);
  RowLayout layout;
  RowIntervals intervals;
  BlockSearch search;
  std::size_t hit = 0, laid_out = 0, asked = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const auto tile = static_cast<std::uint32_t>(random.below(points.tile_count()));
    const TileFrame frame(city.tiling.tiles[tile]);
    // Grazing ones, too.
    const Vec3 source{random.uniform(-60, 60), random.uniform(-60, 60), trial % 3 == 0 ? 0.002 : random.uniform(0, 80)};
    const IntervalBounds bounds = tile_bounds(source);
    const bool onward = trial % 2 == 0;
    lay_out_tile_row(points, frame, tile, row, {}, onward, bounds, layout, intervals);
    std::vector<std::uint32_t> places, found;
    find_hits(intervals, bounds, search, places);
    for (const std::uint32_t place : places) found.push_back(intervals.target[place]);
    EXPECT_EQ(found, hits_one_by_one(points, frame, tile, row, onward, bounds)) << "trial " << trial;
    hit += found.size();
    laid_out += intervals.size();
    asked += row.size();
  }
  EXPECT_GT(hit, 300u);
  EXPECT_LT(laid_out, asked / 4);
}

TEST(LeftOutEarly, NoBlockOfTerrainIsThatReachesALine) {
  const Scene scene = testing::synthetic_city(testing::small_city(15));
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  RooftopSceneView all = profiles.view();
  const std::vector<float> endless(std::size_t{all.terrain_blocks.columns} * all.terrain_blocks.rows, infinity_f);
  all.terrain_blocks.highest_m = endless.data();
  testing::Random random(6);
  std::size_t crests = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    // Beyond the terrain's border, too.
    const auto place = [&] { return Vec2{random.uniform(-300, 900), random.uniform(-300, 900)}; };
    const auto point = [&] {
      const Vec2 at = trial % 10 == 0 ? Vec2{place().x, 100} : place();
      return Vec3{at.x, at.y, scene.terrain.height_at(at) + random.uniform(0.5, 20)};
    };
    const Vec3 from = point(), to = point();
    const RooftopLine line(from, to, 5);
    ProfileMemory memory, memory_of_all;
    ProfileRow<1> row = memory.row(), row_of_all = memory_of_all.row();
    ASSERT_TRUE((RooftopProfileTrace<ProfileRow<1>>(profiles.view(), line, row).run()));
    ASSERT_TRUE((RooftopProfileTrace<ProfileRow<1>>(all, line, row_of_all).run()));
    ASSERT_EQ(row.size(), row_of_all.size()) << "trial " << trial;
    for (std::uint32_t k = 0; k < row.size(); ++k) {
      ASSERT_EQ(row[k].x, row_of_all[k].x);
      ASSERT_EQ(row[k].y, row_of_all[k].y);
      if (row.material(k) == profiles.view().ground_material) ++crests;
    }
  }
  EXPECT_GT(crests, 500u);
}

}  // namespace
}  // namespace tesseray
