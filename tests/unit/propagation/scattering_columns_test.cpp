// SPDX-License-Identifier: GPL-3.0-or-later
// The vector loops over tiles that scatter: estimates against plain arithmetic, and the same for each instruction set.
#include "core/propagation/scattering/scattering_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

class ScatteringEstimates : public ::testing::Test {
 protected:
  ScatteringEstimates() {
    for (std::uint32_t t = 0; t < city_.tiling.tiles.size(); ++t) {
      if (t % 3 == 1) continue;
      tiles_.push_back(t);
    }
    testing::Random random(7);
    for (std::size_t t = 0; t < city_.tiling.tiles.size(); ++t) {
      per_tile_.push_back(static_cast<float>(std::pow(10.0, random.uniform(-12, -6))));
    }
  }

  const testing::Environment city_{testing::synthetic_city(testing::small_city()), 10.0};
  const RayLaunchingOptions options_;
  const Transmitter transmitter_ = testing::test_transmitter({120, 120, 40});
  const Link link_{city_.scene, transmitter_, options_};
  const TargetPoints points_{city_.tiling, {}, options_.receiver_height_m};
  const ScatteringColumns columns_{city_.scene, city_.tiling, points_, link_, true};
  std::vector<std::uint32_t> tiles_;
  std::vector<float> per_tile_;
};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  if (best_instruction_set() != InstructionSet::baseline) sets.push_back(InstructionSet::avx2);
  if (best_instruction_set() == InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

TEST_F(ScatteringEstimates, FallWithTheSquaredDistance) {
  const Vec3 point{130, 90, 12};
  std::vector<RoughScatterer> scatterers;
  for (std::uint32_t t = 0; t < per_tile_.size(); ++t) scatterers.push_back(columns_.scatterer(t, per_tile_[t]));
  std::vector<float> first, estimates;
  for (const InstructionSet set : instruction_sets()) {
    columns_.estimate(tiles_, scatterers, point, 1e6f, estimates, set);
    ASSERT_EQ(estimates.size(), tiles_.size());
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      const double strength = 1e6 * static_cast<double>(per_tile_[tiles_[i]]);
      const double expected = strength / squared_norm(points_.reference(tiles_[i]) - point);
      ASSERT_NEAR(static_cast<double>(estimates[i]) / expected, 1, 1e-4) << i;
    }
    if (first.empty()) first = estimates;
    EXPECT_EQ(estimates, first);
  }
}

// What estimated_diffraction_share() says of each of some sources all around an edge, by a plain sum. Most
// are as good as exact; off are those nearest to one of many shadow boundaries.
TEST_F(ScatteringEstimates, PastAnEdgeAreThoseOfAllItsSources) {
  testing::Random random(23);
  const double wave_number = link_.wave_number();
  double squares = 0, sum = 0;
  std::size_t count = 0;
  for (std::size_t e = 0; e < city_.tiling.edges.size(); e += 4) {
    const EdgeSegment& edge = city_.tiling.edges[e];
    const Wedge wedge{edge.direction, edge.tangent_0, edge.normal_0, edge.wedge_angle, {5, -0.3}, {5, -0.3}};
    const double length_m = random.uniform(10, 60);
    std::vector<SourceAboutEdge> sources;
    std::vector<WedgeIncidence> incidences;
    for (int s = 0; s < 1 + static_cast<int>(e % 7); ++s) {
      const double angle = random.uniform(0.02, 0.98) * edge.wedge_angle;
      const Vec3 way = std::cos(angle) * edge.tangent_0 + std::sin(angle) * edge.normal_0;
      sources.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)),
                         static_cast<float>(std::pow(10.0, random.uniform(-12, -10)))});
      incidences.push_back(wedge_incidence(wedge, -1.0 * way));
    }
    ScatteredAtEdge at_edge{0, length_m};
    for (const SourceAboutEdge& source : sources) at_edge.gain += static_cast<double>(source.power);
    std::vector<float> first, estimates;
    for (const InstructionSet set : instruction_sets()) {
      columns_.estimate_past_edge(tiles_, per_tile_, edge.midpoint, {edge, at_edge, 500, wave_number},
                                  {sources, edge.wedge_angle, set}, estimates, set);
      if (first.empty()) first = estimates;
      ASSERT_EQ(estimates, first);
    }
    for (std::size_t i = 0; i < tiles_.size(); i += 7) {
      const Vec3 way = points_.arrival(tiles_[i]) - edge.midpoint;
      const double distance = norm(way), spread = length_m / (length_m + distance);
      double expected = 0;
      for (std::size_t s = 0; s < sources.size(); ++s) {
        ASSERT_TRUE(incidences[s].in_air);
        expected += static_cast<double>(sources[s].power) *
                    estimated_diffraction_share(incidences[s], (1 / distance) * way, spread * distance, wave_number);
      }
      expected *= 500 * spread * spread / static_cast<double>(per_tile_[tiles_[i]]);
      const double off_db = decibels(static_cast<double>(estimates[i]) / expected);
      ASSERT_NEAR(off_db, 0, 10) << "edge " << e << ", tile " << tiles_[i];
      sum += off_db;
      squares += off_db * off_db;
      ++count;
    }
  }
  ASSERT_GT(count, 10'000u);
  EXPECT_NEAR(sum / static_cast<double>(count), 0, 0.3);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(count)), 1.5);
}

// True when the ray from `source` to `target` by way of the edge's line has its Keller point on the segment, in double
// precision and without intervals.
bool is_by_way_of(const EdgeSegment& edge, Vec3 source, Vec3 target) {
  const auto place = [&](Vec3 point) {
    const Vec3 way = point - edge.midpoint;
    const double along = dot(way, edge.direction);
    return std::pair{along, norm(way - along * edge.direction)};
  };
  const auto [source_z, source_rho] = place(source);
  const auto [target_z, target_rho] = place(target);
  if (!(source_rho > 1e-3 && target_rho > 1e-3)) return false;
  const double keller = source_z + (target_z - source_z) * source_rho / (source_rho + target_rho);
  return std::fabs(keller) < 0.5 * edge.length_m;
}

// Every edge with three sources about it: all tiles that any of them lights are found, and of the others most are not.
TEST_F(ScatteringEstimates, LitPastAnEdgeAreAllThatAnySourceReaches) {
  testing::Random random(11);
  std::size_t lit_tiles = 0, found_tiles = 0, all_tiles = 0;
  for (const EdgeSegment& edge : city_.tiling.edges) {
    std::vector<Vec3> sources;
    LitCotangents lit;
    for (int s = 0; s < 3; ++s) {
      sources.push_back(edge.midpoint + Vec3{random.uniform(-90, 90), random.uniform(-90, 90), random.uniform(-30, 5)});
      lit.add(edge_bounds(edge, sources.back()));
    }
    std::vector<std::int32_t> work;
    std::vector<std::uint32_t> first, found;
    for (const InstructionSet set : instruction_sets()) {
      columns_.find_lit_past_edge(tiles_, edge, lit, work, found, set);
      if (set == InstructionSet::baseline) first = found;
      ASSERT_EQ(found, first);
    }
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    for (const std::uint32_t tile : tiles_) {
      const bool reached = std::any_of(sources.begin(), sources.end(),
                                       [&](Vec3 source) { return is_by_way_of(edge, source, points_.arrival(tile)); });
      if (!reached) continue;
      ++lit_tiles;
      ASSERT_TRUE(std::binary_search(found.begin(), found.end(), tile)) << "edge " << edge.id << ", tile " << tile;
    }
    found_tiles += found.size();
    all_tiles += tiles_.size();
  }
  EXPECT_GT(lit_tiles, all_tiles / 50);
  EXPECT_LT(found_tiles, all_tiles / 2);
  EXPECT_LT(found_tiles, 4 * lit_tiles);
}

TEST(LitCotangents, WithoutSourcesAreNone) {
  const auto is_lit = [](const LitCotangents& lit, float first, float last) {
    return LitCotangents::is_marked_between(first, last, 1, lit.next_places().data());
  };
  LitCotangents lit;
  EXPECT_FALSE(is_lit(lit, -1e6f, 1e6f));
  lit.add({.upper_u = 0.2f, .lower_u = 0.1f});
  EXPECT_TRUE(is_lit(lit, -1e6f, 1e6f));
  EXPECT_TRUE(is_lit(lit, 0.15f, 0.16f));
  EXPECT_TRUE(is_lit(lit, -1, 0.1f));
  EXPECT_TRUE(is_lit(lit, 0.2f, 3));
  EXPECT_FALSE(is_lit(lit, -1e6f, 0));
  EXPECT_FALSE(is_lit(lit, 0.3f, 1e6f));
}

}  // namespace
}  // namespace tesseray
