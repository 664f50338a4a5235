// SPDX-License-Identifier: GPL-3.0-or-later
// Where antenna, receiver and a border between tiles lie in one vertical plane, one of the two tiles reflects, as a few
// centimetres beside it. So one of two segments of an edge diffracts what meets it at their border.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/scattering/edge_observer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double wall_x = 450;

// A house across the way, and a second one whose wall looks back to it, by tiles of three sizes. The borders of tiles
// lie off round numbers.
const std::array<testing::Environment, 3>& towns() {
  const auto two_houses = [] {
    constexpr double south = 30.137, north = south + 200;
    Scene scene = testing::flat_ground(480, 260);
    scene.prisms.push_back(testing::box_prism(1, {350, south}, {365, north}, 0, 12));
    scene.prisms.push_back(testing::box_prism(2, {wall_x, south}, {470, north}, 0, 11));
    return scene;
  };
  static const std::array<testing::Environment, 3> made{{{two_houses(), 4.9}, {two_houses(), 7.3}, {two_houses(), 10}}};
  return made;
}

RayLaunchingOptions reflections_over_roofs(Summation summation) {
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  options.max_reflections_with_diffractions = 3;
  options.over_rooftop = OverRooftop::screens;
  options.summation = summation;
  options.rays_per_receiver = 50;
  options.tiles_are_targets = false;
  return options;
}

// Distinct ordinates of the borders between tiles of one kind.
std::vector<double> borders(const Tiling& tiling, SurfaceKind kind) {
  std::vector<double> found;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != kind || (kind == SurfaceKind::wall && std::fabs(tile.centroid.x - wall_x) > 1e-6)) continue;
    found.push_back(tile.centroid.y + std::fabs(tile.half_u.y) + std::fabs(tile.half_v.y));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end(), [](double a, double b) { return b - a < 1e-6; }), found.end());
  std::erase_if(found, [](double y) { return y < 100 || y > 130; });
  return found;
}

struct Counted {
  std::size_t by_ground = 0, by_wall = 0;
  double gain = 0;
};

// In the vertical plane at y, to each place.
std::vector<Counted> reflected(const testing::Environment& town, double antenna_z, double y,
                               const std::vector<double>& places_x, Summation summation) {
  std::vector<Vec3> places;
  for (const double x : places_x) places.push_back({x, y, 1.5});
  const RayLaunchingResult result = town.launch(testing::test_transmitter({100.3, y, antenna_z}),
                                                testing::receivers_at(places), reflections_over_roofs(summation));
  std::vector<Counted> counted(places.size());
  for (std::size_t r = 0; r < places.size(); ++r) counted[r].gain = testing::total_gain(result.receivers[r]);
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T-R" && ray.interactions != "T-O-R") continue;
    Counted& at = counted[static_cast<std::size_t>(ray.target_id) - 1];
    ++(std::fabs(ray.points[ray.points.size() - 2].z) < 0.01 ? at.by_ground : at.by_wall);
  }
  return counted;
}

void expect_as_beside(const testing::Environment& town, SurfaceKind kind, double antenna_z,
                      const std::vector<double>& places_x) {
  const std::vector<double> on = borders(town.tiling, kind);
  ASSERT_GE(on.size(), 3u);
  std::size_t by_ground = 0, by_wall = 0;
  for (const double y : on) {
    for (const Summation summation : {Summation::power, Summation::coherent}) {
      const std::vector<Counted> at_border = reflected(town, antenna_z, y, places_x, summation);
      for (const double aside_m : {-0.04, 0.04}) {
        const std::vector<Counted> beside = reflected(town, antenna_z, y + aside_m, places_x, summation);
        for (std::size_t i = 0; i < places_x.size(); ++i) {
          EXPECT_EQ(at_border[i].by_ground, beside[i].by_ground) << "x " << places_x[i] << ", y " << y;
          EXPECT_EQ(at_border[i].by_wall, beside[i].by_wall) << "x " << places_x[i] << ", y " << y;
          EXPECT_NEAR(decibels(at_border[i].gain / beside[i].gain), 0, 0.1) << "x " << places_x[i] << ", y " << y;
          by_ground += beside[i].by_ground;
          by_wall += beside[i].by_wall;
        }
      }
    }
  }
  EXPECT_GT(by_ground + by_wall, 50u);
}

// A level tile whose middle is at a place of its grid.
Tile tile_at(Vec3 origin, double side_m, int column) {
  Tile tile;
  tile.centroid = origin + Vec3{(column + 0.5) * side_m, 0.5 * side_m, 0};
  tile.half_u = {0.5 * side_m, 0, 0};
  tile.half_v = {0, 0.5 * side_m, 0};
  tile.normal = {0, 0, 1};
  return tile;
}

TEST(TileBorders, OfTwoTilesOneTakesARayAboveTheirBorder) {
  testing::Random random(11);
  for (int trial = 0; trial < 20'000; ++trial) {
    const Vec3 origin{random.uniform(-9000, 9000), random.uniform(-9000, 9000), random.uniform(-50, 50)};
    const double side_m = random.uniform(1, 20);
    const int column = static_cast<int>(random.below(500));
    const Tile west = tile_at(origin, side_m, column), east = tile_at(origin, side_m, column + 1);
    // Both ends above the border; their ray meets the ground somewhere between.
    const double border_x = origin.x + (column + 1) * side_m;
    const double z = random.uniform(1, 60), receiver_z = random.uniform(1, 20), way = random.uniform(0.05, 0.95);
    const double place = origin.y + way * side_m;
    const double before_m = random.uniform(1, 400);
    const Vec3 source{border_x, place - before_m, origin.z + z};
    const Vec3 target{border_x, place + before_m * receiver_z / z, origin.z + receiver_z};
    int taken = 0;
    for (const Tile& tile : {west, east}) {
      const TileFrame frame(tile);
      const PointIntervals at = intervals_at_tile(frame, target.x, target.y, target.z);
      if (is_hit(at, tile_bounds(frame.coordinates(source)), true)) ++taken;
    }
    ASSERT_EQ(taken, 1) << "trial " << trial;
  }
}

const std::vector<double> behind_house = {368.3, 375.7, 383.1, 394.9, 402.2, 411.7, 423.3, 431.9, 440.6, 446.2};

TEST(TileBorders, OneGroundTileReflectsWhatComesOverTheRoofs) {
  for (const testing::Environment& town : towns()) expect_as_beside(town, SurfaceKind::ground, 14, behind_house);
}

TEST(TileBorders, OneWallTileReflectsWhatComesOverTheRoofs) {
  for (const testing::Environment& town : towns()) expect_as_beside(town, SurfaceKind::wall, 14, behind_house);
}

TEST(TileBorders, OneTileReflectsTheDirectRay) {
  for (const testing::Environment& town : towns()) {
    for (const SurfaceKind kind : {SurfaceKind::ground, SurfaceKind::wall}) {
      expect_as_beside(town, kind, 60, {402.2, 411.7, 423.3, 431.9, 440.6, 446.2});
    }
  }
}

// What comes over a roof's edge along the roof meets the wall behind at its foot.
TEST(TileBorders, AWallReflectsWhatRunsAlongTheRoofBeforeIt) {
  for (const double roof_z : {11.0, 12.3, 17.9}) {
    Scene scene = testing::flat_ground(700, 260);
    scene.prisms.push_back(testing::box_prism(1, {350, 30}, {390, 230}, 0, roof_z));
    scene.prisms.push_back(testing::box_prism(1, {390, 30}, {420, 230}, 0, roof_z + 20));
    const testing::Environment town(scene, 7.3);
    std::vector<Vec3> places;
    for (const double x : {362.1, 370.4, 381.7}) {
      for (const double y : {121.3, 127.9, 134.2}) places.push_back({x, y, roof_z});
    }
    const RayLaunchingResult result =
        town.launch(testing::test_transmitter({300, 128, 5}), testing::receivers_at(places),
                    reflections_over_roofs(Summation::power));
    std::vector<int> reflected_by_wall(places.size());
    for (const Ray& ray : result.rays) {
      if (ray.interactions == "T-O-R") ++reflected_by_wall[static_cast<std::size_t>(ray.target_id) - 1];
    }
    EXPECT_EQ(reflected_by_wall, std::vector<int>(places.size(), 1)) << roof_z;
  }
}

// The pieces below and above a border of an edge.
std::array<EdgeSegment, 2> pieces_at(Vec3 start, Vec3 direction, double length_m, std::uint32_t border) {
  EdgeSegment segment;
  segment.direction = direction;
  segment.length_m = length_m;
  segment.tangent_0 = normalized(cross(direction, std::fabs(direction.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}));
  segment.normal_0 = cross(direction, segment.tangent_0);
  segment.wedge_angle = 1.5 * pi;
  std::array<EdgeSegment, 2> pieces{segment, segment};
  pieces[0].midpoint = start + (border - 0.5) * length_m * direction;
  pieces[1].midpoint = start + (border + 0.5) * length_m * direction;
  return pieces;
}

void expect_one_takes(const std::array<EdgeSegment, 2>& pieces, Vec3 source, Vec3 target, int trial) {
  int taken = 0, observed = 0;
  for (const EdgeSegment& segment : pieces) {
    const IntervalBounds bounds = edge_bounds(segment, source);
    const PointIntervals at =
        intervals_at_edge(segment.midpoint, segment.direction, 0.5 * segment.length_m, target.x, target.y, target.z);
    taken += is_hit(at, bounds, false) ? 1 : 0;
    const ObservedFaces faces(Wedge{segment.direction, segment.tangent_0, segment.normal_0, segment.wedge_angle},
                              segment);
    const EdgeObserver observer = observer_at(place_about(segment, target.x, target.y, target.z), faces);
    observed += observer.first_u <= bounds.upper_u && observer.last_u > bounds.lower_u ? 1 : 0;
  }
  ASSERT_EQ(taken, 1) << "trial " << trial;
  ASSERT_EQ(observed, 1) << "trial " << trial;
}

TEST(EdgeBorders, OfTwoSegmentsOneTakesARayAcrossTheirBorder) {
  testing::Random random(12);
  for (int trial = 0; trial < 20'000; ++trial) {
    const bool is_upright = random.below(2) == 0;
    const double turn = random.uniform(0, 2 * pi);
    const Vec3 direction = is_upright ? Vec3{0, 0, 1} : Vec3{std::cos(turn), std::sin(turn), 0};
    const Vec3 start{random.uniform(-9000, 9000), random.uniform(-9000, 9000), random.uniform(-50, 50)};
    const double length_m = random.uniform(0.5, 30) / (1 + random.below(5));
    const std::uint32_t border = 1 + random.below(9);
    const auto pieces = pieces_at(start, direction, length_m, border);
    const Vec3 at = start + (border * length_m) * direction;
    const auto aside = [&](double distance_m) {
      const double about = random.uniform(0, 2 * pi);
      return at + distance_m * (std::cos(about) * pieces[0].tangent_0 + std::sin(about) * pieces[0].normal_0);
    };
    expect_one_takes(pieces, aside(random.uniform(0.5, 500)), aside(random.uniform(0.5, 500)), trial);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// A house with corners of several segments, antenna and receivers at the height of each border: rays by one corner are
// those of a centimetre above and below.
TEST(EdgeBorders, OneSegmentDiffractsAtTheHeightOfABorder) {
  std::size_t rays_at_borders = 0;
  for (const double side_m : {3.3, 2.0, 1.0}) {
    Scene scene = testing::flat_ground(80, 70);
    scene.extent = {};
    scene.prisms.push_back(testing::box_prism(1, {30, 30}, {50, 45}, 0, 10));
    const testing::Environment house(scene, side_m);
    std::vector<double> borders;
    for (const EdgeSegment& edge : house.tiling.edges) {
      const double top = edge.midpoint.z + 0.5 * edge.length_m;
      if (edge.kind == EdgeKind::corner && top < 9.9) borders.push_back(top);
    }
    ASSERT_FALSE(borders.empty());
    RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
    options.rays_per_receiver = 100;
    options.tiles_are_targets = false;
    const auto by_corner = [&](double z) {
      const std::vector<Vec3> places{{28, 35, z}, {29, 43, z}, {35, 28, z}, {47, 29, z}, {40, 47, z}, {52, 40, z}};
      std::vector<int> rays(places.size());
      const auto result =
          house.launch(testing::test_transmitter({12.3, 17.9, z}), testing::receivers_at(places), options);
      for (const Ray& ray : result.rays) {
        const bool is_level = ray.points.size() == 3 && std::fabs(ray.points[1].z - z) < 0.1;
        rays[static_cast<std::size_t>(ray.target_id) - 1] += ray.interactions == "T-D" && is_level ? 1 : 0;
      }
      return rays;
    };
    for (const double z : borders) {
      const std::vector<int> rays = by_corner(z);
      EXPECT_EQ(rays, by_corner(z + 0.01)) << side_m << ", " << z;
      EXPECT_EQ(rays, by_corner(z - 0.01)) << side_m << ", " << z;
      for (const int of_receiver : rays) rays_at_borders += static_cast<std::size_t>(of_receiver);
    }
  }
  EXPECT_GT(rays_at_borders, 50u);
}

}  // namespace
}  // namespace tesseray
