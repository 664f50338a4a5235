// SPDX-License-Identifier: GPL-3.0-or-later
// The fast relation against every pair by its definition, and what must hold of any such relation.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "core/base/error.h"
#include "core/tiling/tiling.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"
#include "tests/support/all_pairs.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::test {
namespace {

std::vector<std::vector<std::uint32_t>> rows_of(const Visibility& visibility) {
  std::vector<std::vector<std::uint32_t>> rows(visibility.element_count());
  for (std::uint32_t element = 0; element < rows.size(); ++element) visibility.read_row(element, rows[element]);
  return rows;
}

struct City {
  explicit City(const Scene& scene, double tile_area_m2 = 100)
      : occlusion(scene), tiling(tile_scene(scene, tiles_of(tile_area_m2), no_progress())) {}
  static TilingOptions tiles_of(double area_m2) {
    TilingOptions options;
    options.tile_area_m2 = area_m2;
    return options;
  }
  std::unique_ptr<Visibility> fast(const VisibilityOptions& options = {}) const {
    return compute_visibility(occlusion, tiling, options, no_progress());
  }
  std::unique_ptr<Visibility> plain(const VisibilityOptions& options = {}) const {
    return testing::compute_visibility_of_all_pairs(occlusion, tiling, options, no_progress());
  }

  Occlusion occlusion;
  Tiling tiling;
};

TEST(Relation, IsThatOfAllPairsOnHardCities) {
  for (CityOptions options : hard_cities()) {
    for (std::uint32_t seed = 11; seed <= 14; ++seed) {
      options.seed = seed;
      const City city(make_city(options));
      EXPECT_EQ(rows_of(*city.fast()), rows_of(*city.plain())) << options.name << ", seed " << seed;
    }
  }
}

TEST(Relation, IsThatOfAllPairsWithSmallTilesAndMaximumDistance) {
  CityOptions options = hard_cities().back();
  options.blocks = 3;
  const City city(make_city(options), 20);
  VisibilityOptions near;
  near.max_distance_m = 60;
  EXPECT_EQ(rows_of(*city.fast(near)), rows_of(*city.plain(near)));
  EXPECT_EQ(rows_of(*city.fast()), rows_of(*city.plain()));
}

// Large enough for far rings, blocks of cells and hills that hide.
TEST(Relation, IsThatOfAllPairsOnSyntheticCities) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    testing::SyntheticCityOptions options;
    options.width_m = seed == 3 ? 1100 : 520;
    options.depth_m = seed == 3 ? 240 : 480;
    options.hill_m = seed == 2 ? 60 : 15;
    options.open_lot_share = seed == 3 ? 0.3 : 0.1;
    options.seed = seed;
    const City city(testing::synthetic_city(options));
    EXPECT_EQ(rows_of(*city.fast()), rows_of(*city.plain())) << "seed " << seed;
  }
}

TEST(Relation, IsSymmetricAscendingAndCounted) {
  const City city(make_city(hard_cities().back()));
  const auto visibility = city.fast();
  const auto rows = rows_of(*visibility);
  ASSERT_EQ(visibility->tile_count(), city.tiling.tiles.size());
  ASSERT_EQ(visibility->edge_count(), city.tiling.edges.size());
  std::uint64_t entries = 0;
  for (std::uint32_t a = 0; a < rows.size(); ++a) {
    entries += rows[a].size();
    EXPECT_TRUE(std::is_sorted(rows[a].begin(), rows[a].end()));
    EXPECT_TRUE(std::adjacent_find(rows[a].begin(), rows[a].end()) == rows[a].end());
    EXPECT_EQ(visibility->row_length(a), rows[a].size());
    EXPECT_EQ(visibility->visible_tiles(a), std::count_if(rows[a].begin(), rows[a].end(), [&](std::uint32_t b) {
                return b < visibility->tile_count();
              }));
    for (const std::uint32_t b : rows[a]) {
      EXPECT_TRUE(std::binary_search(rows[b].begin(), rows[b].end(), a)) << a << " " << b;
    }
  }
  EXPECT_GT(entries, 100'000u);
}

TEST(Relation, ItsTilesAreReadAlone) {
  const City city(make_city(hard_cities().front()));
  const auto visibility = city.fast();
  std::vector<std::uint32_t> row, tiles;
  bool run_goes_on_to_edges = false;  // from the last tile
  for (std::uint32_t element = 0; element < visibility->element_count(); ++element) {
    visibility->read_row(element, row);
    visibility->read_tiles_of_row(element, tiles);
    const std::uint32_t count = visibility->visible_tiles(element);
    ASSERT_LE(count, row.size());
    EXPECT_EQ(tiles, std::vector<std::uint32_t>(row.begin(), row.begin() + count));
    run_goes_on_to_edges |=
        count > 0 && count < row.size() && row[count - 1] + 1 == row[count] && row[count] == visibility->tile_count();
  }
  EXPECT_TRUE(run_goes_on_to_edges) << "another city is needed";
}

TEST(Relation, MaximumDistanceTakesTheNearPairsAndNoOthers) {
  const City city(make_city(hard_cities()[2]));
  const auto elements = make_elements(city.occlusion.view(), city.tiling);
  VisibilityOptions options;
  options.max_distance_m = 50;
  auto expected = rows_of(*city.fast());
  for (std::uint32_t a = 0; a < expected.size(); ++a) {
    std::erase_if(expected[a], [&](std::uint32_t b) { return norm(elements[a].point - elements[b].point) > 50; });
  }
  EXPECT_EQ(rows_of(*city.fast(options)), expected);
}

TEST(Relation, AQuarterTurnOfACityOnFlatGroundKeepsIt) {
  for (const CityOptions& options : hard_cities()) {
    if (options.hill_height_m > 0) continue;
    const Scene scene = make_city(options);
    const City city(scene);
    // The elements are turned, not made anew: ground cells and the numbers of tiles depend on the axes.
    const Occlusion occlusion(quarter_turn(scene));
    Tiling tiling = city.tiling;
    const auto turn = [](Vec3& v) { v = {-v.y, v.x, v.z}; };
    for (Tile& tile : tiling.tiles) {
      for (Vec3* v : {&tile.centroid, &tile.normal, &tile.half_u, &tile.half_v}) turn(*v);
    }
    for (EdgeSegment& edge : tiling.edges) {
      for (Vec3* v :
           {&edge.midpoint, &edge.direction, &edge.tangent_0, &edge.normal_0, &edge.tangent_n, &edge.normal_n}) {
        turn(*v);
      }
    }
    EXPECT_EQ(rows_of(*compute_visibility(occlusion, tiling, {}, no_progress())), rows_of(*city.fast()))
        << options.name;
  }
}

TEST(Relation, EdgeSegmentsOfOneLineDoNotSeeEachOther) {
  Scene scene = testing::flat_ground(200, 200);
  scene.prisms.push_back(testing::box_prism(1, {80, 80}, {120, 100}, 0, 10));
  const City city(scene);
  const auto elements = make_elements(city.occlusion.view(), city.tiling);
  const std::uint32_t tiles = static_cast<std::uint32_t>(city.tiling.tiles.size());
  const auto visibility = city.fast();
  std::vector<std::uint32_t> row;
  int of_one_line = 0, across_the_roof = 0;
  for (std::uint32_t a = tiles; a < elements.size(); ++a) {
    visibility->read_row(a, row);
    for (std::uint32_t b = tiles; b < elements.size(); ++b) {
      const EdgeSegment& edge_a = city.tiling.edges[a - tiles];
      const EdgeSegment& edge_b = city.tiling.edges[b - tiles];
      const bool sees = std::binary_search(row.begin(), row.end(), b);
      if (a != b && on_one_line(elements[a], elements[b])) {
        ++of_one_line;
        EXPECT_FALSE(sees);
      }
      // Opposite eaves see each other along the roof that they share.
      if (edge_a.kind == EdgeKind::roof && edge_b.kind == EdgeKind::roof && edge_a.midpoint.y == 80 &&
          edge_b.midpoint.y == 100) {
        ++across_the_roof;
        EXPECT_TRUE(sees);
      }
    }
  }
  EXPECT_GT(of_one_line, 10);
  EXPECT_GT(across_the_roof, 8);
}

TEST(Relation, IsTheSameForAnyNumberOfThreads) {
  const City city(make_city(hard_cities().back()));
  std::vector<std::vector<std::uint32_t>> first;
  for (const std::size_t threads : {1, 2, 7}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const auto rows = rows_of(*city.fast());
    if (first.empty()) first = rows;
    EXPECT_EQ(rows, first) << threads;
  }
}

TEST(Relation, NothingIsARelationToo) {
  Scene scene = testing::flat_ground(100, 100);
  const Occlusion occlusion(scene);
  const auto visibility = compute_visibility(occlusion, Tiling{}, {}, no_progress());
  EXPECT_EQ(visibility->element_count(), 0u);
  // Flat ground does not see itself.
  const City ground(scene);
  const auto flat = ground.fast();
  ASSERT_EQ(flat->element_count(), 100u);
  for (std::uint32_t tile = 0; tile < 100; ++tile) EXPECT_EQ(flat->row_length(tile), 0u);
}

class CancelAfter final : public Progress {
 public:
  explicit CancelAfter(int calls) : left_(calls) {}
  void advance(double fraction) override {
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    --left_;
  }
  bool is_cancelled() const override { return left_ <= 0; }

 private:
  std::atomic<int> left_;
};

TEST(Relation, CanBeCancelled) {
  const City city(make_city(hard_cities()[0]));
  for (const int calls : {0, 1, 5}) {
    CancelAfter progress(calls);
    try {
      compute_visibility(city.occlusion, city.tiling, {}, progress);
      ADD_FAILURE() << "not cancelled after " << calls;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
  }
}

// Remembers how far it was and whether it ever went back.
class Rising final : public Progress {
 public:
  void advance(double fraction) override {
    goes_back = goes_back || fraction < done;
    done = fraction;
  }
  double done = 0;
  bool goes_back = false;
};

TEST(Relation, ItsProgressRisesToTheEnd) {
  // Threads tell of it in no order.
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  const City city(make_city(hard_cities()[0]));
  Rising progress;
  (void)compute_visibility(city.occlusion, city.tiling, {}, progress);
  EXPECT_FALSE(progress.goes_back);
  EXPECT_EQ(progress.done, 1);
}

TEST(FirstLevel, IsByItsDefinitionInBothWays) {
  for (const CityOptions& options : hard_cities()) {
    const Scene scene = make_city(options);
    const City city(scene);
    const PointVisibility prepared(city.occlusion, city.tiling);
    const auto middle = static_cast<std::uint32_t>(city.tiling.tiles.size() / 2);
    const PointVisibility lower_half(city.occlusion, city.tiling, {.end = middle});
    const PointVisibility upper_half(city.occlusion, city.tiling, {.begin = middle});
    const SightFromPoints one_by_one(city.occlusion, city.tiling), many(city.occlusion, city.tiling, 60);
    std::mt19937 random(5);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    std::size_t seen = 0;
    for (int k = 0; k < 60; ++k) {
      const Vec2 p = {uniform(-150, 150), uniform(-150, 150)};  // outside of the city too
      const Vec3 point = {p.x, p.y, scene.terrain.height_at(p) + (k % 3 == 0 ? 1.5 : uniform(-2, 60))};
      VisibilityOptions limits;
      if (k % 4 == 0) limits.max_distance_m = 80;
      std::vector<std::uint32_t> expected;
      const std::vector<Element> elements = make_elements(city.occlusion.view(), city.tiling);
      for (const Element& element : elements) {
        const bool front =
            element.kind != Element::Kind::tile || dot(element.axis, point - element.anchor) > in_front_m;
        if (front && norm(point - element.point) <= limits.max_distance_m &&
            city.occlusion.is_free(point, element.point)) {
          expected.push_back(element.number);
        }
      }
      seen += expected.size();
      EXPECT_EQ(visible_from(city.occlusion, city.tiling, point, limits), expected) << options.name << " " << k;
      EXPECT_EQ(prepared.visible_from(point, limits), expected) << options.name << " " << k;
      const auto upper = std::lower_bound(expected.begin(), expected.end(), middle);
      EXPECT_EQ(lower_half.visible_from(point, limits), std::vector(expected.begin(), upper)) << options.name << k;
      EXPECT_EQ(upper_half.visible_from(point, limits), std::vector(upper, expected.end())) << options.name << k;
      if (k % 4 == 0) continue;
      EXPECT_EQ(one_by_one.visible_from(point), expected) << options.name << " " << k;
      EXPECT_EQ(many.visible_from(point), expected) << options.name << " " << k;
      std::vector<std::uint32_t> some, expected_among;
      for (std::uint32_t e = 0; e < elements.size(); e += 3) some.push_back(e);
      std::set_intersection(some.begin(), some.end(), expected.begin(), expected.end(),
                            std::back_inserter(expected_among));
      EXPECT_EQ(visible_among(city.occlusion, city.tiling, point, some), expected_among) << options.name << " " << k;
    }
    EXPECT_GT(seen, 2000u);
  }
}

TEST(FirstLevel, OfATileIsItsRow) {
  for (const CityOptions& options : hard_cities()) {
    const City city(make_city(options));
    VisibilityOptions limits;
    limits.max_distance_m = 90;
    const auto rows = rows_of(*city.plain(limits));
    for (std::uint32_t tile = 0; tile < city.tiling.tiles.size(); tile += 7) {
      EXPECT_EQ(visible_from_tile(city.occlusion, city.tiling, tile, limits), rows[tile]) << options.name;
    }
  }
}

TEST(ParentsEdgeRows, AreTheUnionOfTheParentsTiles) {
  const City city(make_city(hard_cities()[3]));
  const auto own = city.fast();
  const auto visibility = with_parents_edge_rows(*own, city.tiling);
  const auto rows = rows_of(*visibility);
  const std::uint32_t tiles = own->tile_count();
  ASSERT_EQ(visibility->element_count(), own->element_count());
  std::vector<std::uint32_t> of_parent;
  std::uint64_t entries = 0;
  for (std::uint32_t e = 0; e < own->edge_count(); ++e) {
    std::vector<bool> seen(tiles);
    for (const std::uint32_t parent : {city.tiling.edges[e].tile_a, city.tiling.edges[e].tile_b}) {
      if (parent == no_index) continue;
      own->read_row(parent, of_parent);
      for (const std::uint32_t other : of_parent) {
        if (other < tiles) seen[other] = true;
      }
    }
    std::vector<std::uint32_t> expected;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      if (seen[tile]) expected.push_back(tile);
    }
    EXPECT_EQ(rows[tiles + e], expected);
    EXPECT_EQ(visibility->row_length(tiles + e), expected.size());
    EXPECT_EQ(visibility->visible_tiles(tiles + e), expected.size());
    entries += expected.size();
  }
  EXPECT_GT(entries, 10'000u);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    std::vector<std::uint32_t> expected;
    own->read_row(tile, expected);
    expected.resize(own->visible_tiles(tile));
    EXPECT_EQ(visibility->visible_tiles(tile), expected.size());
    for (std::uint32_t e = 0; e < own->edge_count(); ++e) {
      if (std::binary_search(rows[tiles + e].begin(), rows[tiles + e].end(), tile)) expected.push_back(tiles + e);
    }
    EXPECT_EQ(rows[tile], expected);
    EXPECT_EQ(visibility->row_length(tile), expected.size());
  }
}

TEST(LiftedPoint, IsACentimetreOffItsSurface) {
  const City city(make_city(hard_cities()[3]));
  for (const Tile& tile : city.tiling.tiles) {
    EXPECT_NEAR(dot(lifted_point(tile) - tile.centroid, tile.normal), 0.01, 1e-12);
  }
  for (const EdgeSegment& edge : city.tiling.edges) {
    const Vec3 lift = lifted_point(edge) - edge.midpoint;
    EXPECT_NEAR(norm(lift), 0.01, 1e-12);
    EXPECT_GT(dot(lift, edge.normal_0), 0);
    EXPECT_GT(dot(lift, edge.normal_n), 0);
  }
}

}  // namespace
}  // namespace tesseray::test
