// SPDX-License-Identifier: GPL-3.0-or-later
// What roof edges leave as an end is moved by centimetres, from one side of a limit of the model to the other: no step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rows/edge_runs.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/rooftop_profile.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct Losses {
  double horizontal_db, vertical_db;
};

double most_between(const Losses& a, const Losses& b) {
  return std::max(std::fabs(a.horizontal_db - b.horizontal_db), std::fabs(a.vertical_db - b.vertical_db));
}

// Houses across x, at 900 MHz.
class Houses {
 public:
  struct House {
    double front_x, rear_x, roof_z;
  };

  explicit Houses(const std::vector<House>& houses, Complex roof_permittivity = {5, -0.2})
      : scene_(town_of(houses)), permittivities_{{5, -0.2}, roof_permittivity} {}

  // Over the roofs, over free space. Points are (x, z).
  Losses loss(Vec2 from, Vec2 to) {
    const Vec3 start{from.x, 200, from.y}, end{to.x, 200, to.y};
    const RooftopRays rays{.from = start,
                           .wavelength_m = wavelength_m(900e6),
                           .permittivities = permittivities_,
                           .roof = paths_.roof_at(start)};
    EXPECT_TRUE(paths_.find(rays, {.point = end, .roof = paths_.roof_at(end)}, OverRooftop::screens, work_, path_))
        << from.x << ", " << from.y << " to " << to.x << ", " << to.y;
    return {-10 * std::log10(squared_norm(path_.horizontal)), -10 * std::log10(squared_norm(path_.vertical))};
  }
  // The same both ways.
  Losses reciprocal_loss(Vec2 from, Vec2 to) {
    const Losses forth = loss(from, to);
    EXPECT_LT(most_between(forth, loss(to, from)), 0.01) << from.x << ", " << from.y << " to " << to.x << ", " << to.y;
    return forth;
  }

  // In the sight of an antenna over its roof: what is left past the eaves, of both polarisations.
  double loss_in_sight_db(Vec2 from, Vec2 to, double horizontal_share) {
    const Vec3 start{from.x, 200, from.y}, end{to.x, 200, to.y};
    const RooftopRays rays{.from = start,
                           .wavelength_m = wavelength_m(900e6),
                           .permittivities = permittivities_,
                           .roof = paths_.roof_at(start),
                           .horizontal_share = horizontal_share};
    const auto left = paths_.left_in_sight(rays, {.point = end}, OverRooftopPaths::WayInSight::straight, work_);
    return -10 * std::log10(squared_norm(left.factor));
  }

 private:
  static Scene town_of(const std::vector<House>& houses) {
    Scene scene = testing::flat_ground(400, 400);
    scene.materials = {Material{"ground and walls"}, Material{"roofs"}};
    scene.default_materials.roof = 1;
    for (const House& house : houses) {
      const int id = static_cast<int>(scene.prisms.size()) + 1;
      scene.prisms.push_back(testing::box_prism(id, {house.front_x, 5}, {house.rear_x, 395}, 0, house.roof_z));
    }
    return scene;
  }

  Scene scene_;
  std::vector<Complex> permittivities_;
  OverRooftopPaths paths_{scene_};
  OverRooftopPaths::Workspace work_;
  RooftopPath path_;
};

// An antenna rises before a house: the front edge leaves the chain of screens, and the roof behind it, which absorbed,
// comes to reflect.
TEST(RoofEdges, RoofsComeIntoTheLightWithoutAStep) {
  for (const double depth_m : {6.0, 10.0, 20.0}) {
    Houses houses({{200, 200 + depth_m, 15}});
    for (const double behind_m : {10.0, 40.0}) {
      const Vec2 receiver{200 + depth_m + behind_m, 1.5};
      Losses before = houses.reciprocal_loss({50, 20}, receiver);
      double greatest_db = 0;
      for (double z = 20.1; z < 60; z += 0.1) {
        const Losses here = houses.loss({50, z}, receiver);
        greatest_db = std::max(greatest_db, most_between(here, before));
        before = here;
      }
      EXPECT_LT(greatest_db, 0.8) << depth_m << " m deep, " << behind_m << " m behind";
    }
  }
}

// The roof below an antenna takes from what the next house's edge gets what it takes from a place there in sight: the
// loss behind that house is more by the same as the antenna rises over its eaves. Roofs like the walls, and of metal.
TEST(RoofEdges, OwnRoofsTakeTheSameBeforeAnotherEdgeAsInSight) {
  const Vec2 above_edge{151.6, 14.05}, behind{200, 1.5};
  for (const Complex roof_permittivity : {Complex{5, -0.2}, Complex{1, -2e8}}) {
    Houses houses({{100, 120, 15}, {151.7, 152, 14}}, roof_permittivity);
    for (const double horizontal_share : {0.0, 1.0}) {
      const auto behind_edge_db = [&](double z) {
        const Losses loss = houses.reciprocal_loss({117, z}, behind);
        return (horizontal_share > 0 ? loss.horizontal_db : loss.vertical_db) -
               houses.loss_in_sight_db({117, z}, above_edge, horizontal_share);
      };
      const double lowest_db = behind_edge_db(15.13);
      for (const double z : {15.14, 15.16, 15.2, 15.3, 15.5}) EXPECT_NEAR(behind_edge_db(z), lowest_db, 0.4) << z;
    }
  }
}

// Two houses as high, so near to each other that the gap between is no two edges: the roof below an end counts as it
// does beside one hardly lower, seen from either end.
TEST(RoofEdges, OwnRoofsTakeTheSameBeforeANeighbourAsHigh) {
  Houses as_high({{100, 120, 15}, {121.5, 140, 15}}), lower({{100, 120, 15}, {121.5, 140, 14.999}});
  for (const Vec2 antenna : {Vec2{117, 15.3}, Vec2{113, 15.3}, Vec2{110, 16}}) {
    for (const Vec2 behind : {Vec2{142, 10}, Vec2{150, 1.5}, Vec2{200, 1.5}}) {
      EXPECT_LT(most_between(as_high.reciprocal_loss(antenna, behind), lower.reciprocal_loss(antenna, behind)), 1.2)
          << antenna.x << " to " << behind.x;
    }
  }
}

EdgeSegment roof_edge(Vec3 begin, Vec3 end) {
  EdgeSegment edge;
  edge.kind = EdgeKind::roof;
  edge.midpoint = 0.5 * (begin + end);
  edge.length_m = norm(end - begin);
  edge.direction = normalized(end - begin);
  edge.tangent_0 = cross(edge.direction, Vec3{0, 0, 1});
  edge.tangent_n = {0, 0, -1};
  return edge;
}

TEST(RoofEdges, GoOnOverNeighboursThatAreAllButInLineAndAsHigh) {
  Tiling tiling;
  tiling.edges = {roof_edge({0, 0, 10}, {0, 20, 10}), roof_edge({0.1, 20, 10.1}, {0.1, 32, 10.1}),
                  roof_edge({0.1, 32.1, 10}, {0.2, 40, 10}), roof_edge({0.2, 40, 11}, {0.2, 60, 11})};
  const std::vector<EdgeRun> runs = edge_runs(tiling);
  EXPECT_NEAR(runs[0].before_m, 0, 1e-9);
  EXPECT_NEAR(runs[0].after_m, 12 + tiling.edges[2].length_m, 1e-9);
  EXPECT_NEAR(runs[1].before_m, 20, 1e-9);
  EXPECT_NEAR(runs[1].after_m, tiling.edges[2].length_m, 1e-9);
  EXPECT_NEAR(runs[2].before_m, 32, 1e-9);
  EXPECT_EQ(runs[2].after_m, 0) << "the next is a metre higher";
  EXPECT_EQ(runs[3].before_m, 0);
}

// Either of two short ones that overlap begins near the other's end.
TEST(RoofEdges, GoOnToAnEnd) {
  Tiling tiling;
  tiling.edges = {roof_edge({0, 0, 10}, {0, 0.1, 10}), roof_edge({0, 0.05, 10}, {0, 0.15, 10})};
  const std::vector<EdgeRun> runs = edge_runs(tiling);
  EXPECT_NEAR(runs[0].after_m, 0.1, 1e-9);
  EXPECT_EQ(runs[1].after_m, 0);
}

EdgeSegment upright_edge(Vec2 place, double from_z, double to_z, Vec3 tangent_0 = {-1, 0, 0}) {
  EdgeSegment edge;
  edge.kind = EdgeKind::corner;
  edge.midpoint = at_height(place, 0.5 * (from_z + to_z));
  edge.length_m = to_z - from_z;
  edge.direction = {0, 0, 1};
  edge.tangent_0 = tangent_0;
  edge.tangent_n = {0, 1, 0};
  return edge;
}

TEST(UprightEdges, GoOnWherePartsStandOnEachOther) {
  Tiling tiling;
  const auto add = [&](EdgeSegment edge) { tiling.edges.push_back(edge); };
  add(upright_edge({10, 20}, 10, 30));  // a tower's, and of its podium, in two segments
  add(upright_edge({50, 20}, 0, 30));   // another house
  add(upright_edge({10, 20.01}, 5, 9.98));
  add(upright_edge({10, 20.01}, 0, 5));
  add(upright_edge({10, 20}, 30, 33, {-0.9, 0.1, 0}));  // walls askew
  add(upright_edge({50, 20}, 30.2, 35));                // air between
  add(upright_edge({50, 20.2}, 30, 32));                // beside it
  const std::vector<EdgeRun> runs = edge_runs(tiling);
  for (const std::size_t e : {0u, 2u, 3u}) {
    EXPECT_NEAR(runs[e].midpoint.z, 15, 1e-9) << e;
    EXPECT_NEAR(runs[e].half_length_m, 15, 1e-9) << e;
    EXPECT_EQ(runs[e].midpoint.xy(), tiling.edges[e].midpoint.xy()) << e;
    EXPECT_EQ(runs[e].number, runs[2].number) << e;
  }
  for (const std::size_t e : {1u, 4u, 5u, 6u}) {
    EXPECT_EQ(runs[e].midpoint, tiling.edges[e].midpoint) << e;
    EXPECT_EQ(runs[e].half_length_m, 0.5 * tiling.edges[e].length_m) << e;
    EXPECT_EQ(runs[e].number, e);
  }
}

// What comes over a roof and what its edge diffracts beside the vertical plane are one wave, also where the plane meets
// the neighbour's edge.
TEST(RoofEdges, OfATerraceDiffractAsThoseOfOneHouse) {
  const auto row_of = [](int houses) {
    Scene scene = testing::flat_ground(160, 200);
    const double width_m = 160.0 / houses;
    for (int i = 0; i < houses; ++i) {
      scene.prisms.push_back(testing::box_prism(i + 1, {80, 20 + width_m * i}, {92, 20 + width_m * (i + 1)}, 0, 10));
    }
    return scene;
  };
  std::vector<Vec3> places;
  for (double y = 35; y < 165; y += 1.3) places.push_back({94, y, 1.5});
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  const auto gains = [&](int houses, Vec3 antenna) {
    const testing::Environment town(row_of(houses), 5);
    std::vector<double> found;
    for (const ArrivalSums& sums :
         town.launch(testing::test_transmitter(antenna), testing::receivers_at(places), options).receivers) {
      found.push_back(decibels(testing::total_gain(sums)));
    }
    return found;
  };
  for (const Vec3 antenna : {Vec3{50, 103, 25}, Vec3{70, 103, 20}, Vec3{50, 40, 70}}) {
    const std::vector<double> one = gains(1, antenna), eight = gains(8, antenna);
    for (std::size_t k = 0; k < places.size(); ++k) {
      EXPECT_NEAR(eight[k], one[k], 0.05) << antenna.z << " m, y " << places[k].y;
    }
  }
}

// A terrace of one height is one roof, whatever sides its parts have within it.
TEST(RoofEdges, SidesWithinATerraceAreNone) {
  Houses one({{100, 120, 15}, {151.7, 152, 14}}), terrace({{100, 110, 15}, {110, 120, 15}, {151.7, 152, 14}});
  for (const double z : {15.1, 16.0, 18.0}) {
    for (const double receiver_x : {123.0, 135.0, 200.0}) {
      const Losses loss = terrace.reciprocal_loss({107, z}, {receiver_x, 1.5});
      EXPECT_EQ(most_between(loss, one.loss({107, z}, {receiver_x, 1.5})), 0) << z << ", " << receiver_x;
    }
  }
}

// And one of nearly one height: laser scans give no two parts the same. What is left is what the height of the front
// edge makes.
TEST(RoofEdges, StepsOfCentimetresWithinATerraceAreNone) {
  constexpr double db_per_m = 6;
  for (const double step_m : {0.0002, 0.001, 0.01, 0.049, -0.0002, -0.01, -0.049}) {
    const double rear_z = 15 + step_m;
    Houses as_rear({{100, 120, rear_z}, {151.7, 152, 14}}),
        terrace({{100, 110, 15}, {110, 113, 15 + 0.7 * step_m}, {113, 120, rear_z}, {151.7, 152, 14}});
    for (const Vec2 from : {Vec2{70, 5}, {99, 12}, {107, 15.1}, {107, 18}, {-100, 17}}) {
      for (const double receiver_x : {123.0, 135.0, 200.0}) {
        const Vec2 receiver{receiver_x, 1.5};
        const Losses loss = terrace.reciprocal_loss(from, receiver);
        EXPECT_LT(most_between(loss, as_rear.loss(from, receiver)), 0.001 + db_per_m * std::fabs(step_m))
            << step_m << ", " << from.x << ", " << receiver_x;
      }
    }
  }
}

// Where a house beside a terrace covers only a stretch of its side, the rest is an edge.
TEST(RoofEdges, EndWhereTheNextHouseEnds) {
  Scene scene = testing::flat_ground(400, 400), wide = scene, narrow = scene;
  scene.prisms = {testing::box_prism(1, {100, 5}, {110, 395}, 0, 15),
                  testing::box_prism(2, {110, 5}, {120, 200.3}, 0, 15)};
  wide.prisms = {testing::box_prism(1, {100, 5}, {120, 395}, 0, 15)};
  narrow.prisms = {testing::box_prism(1, {100, 5}, {110, 395}, 0, 15)};
  const RooftopProfiles profiles(scene, PrismIndex(scene)), of_wide(wide, PrismIndex(wide)),
      of_narrow(narrow, PrismIndex(narrow));
  for (const double y : {6.0, 100.0, 199.0, 200.2, 200.4, 201.0, 300.0}) {
    const Vec3 from{50, y, 10}, to{250, y, 1.5};
    const RooftopProfiles& other = y < 200.3 ? of_wide : of_narrow;
    EXPECT_EQ(testing::profile_between(profiles, from, to, 3), testing::profile_between(other, from, to, 3)) << y;
    EXPECT_EQ(testing::profile_between(profiles, to, from, 3), testing::profile_between(other, to, from, 3)) << y;
  }
}

// On its wall's line, and a hair before it, as roundings have it.
TEST(RoofEdges, AntennasOnAnOutlineStandOverItsRoof) {
  Houses houses({{150, 165, 15}});
  for (const double above_m : {0.3, 1.0, 3.0}) {
    for (const double receiver_x : {140.0, 120.0, 60.0}) {
      const Losses inside = houses.loss({164.999, 15 + above_m}, {receiver_x, 1.5});
      for (const double x : {165.0, 165.001, 165.008}) {
        const Losses here = houses.reciprocal_loss({x, 15 + above_m}, {receiver_x, 1.5});
        EXPECT_LT(most_between(here, inside), 0.05) << x << ", " << above_m << " m to " << receiver_x;
      }
    }
  }
}

// On a wall, up to its top: the wall stands in the way as it does farther below.
TEST(RoofEdges, EndsOnAWallAreBehindItUpToItsTop) {
  Houses houses({{150, 165, 15}});
  for (const double receiver_x : {140.0, 60.0}) {
    Losses before = houses.reciprocal_loss({165, 14.8}, {receiver_x, 1.5});
    for (const double below_m : {0.15, 0.11, 0.09, 0.05, 0.02}) {
      const Losses here = houses.reciprocal_loss({165, 15 - below_m}, {receiver_x, 1.5});
      EXPECT_LT(here.vertical_db, before.vertical_db) << below_m;
      EXPECT_LT(most_between(here, before), 6) << below_m;
      before = here;
    }
  }
}

}  // namespace
}  // namespace tesseray
