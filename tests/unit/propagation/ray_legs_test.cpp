// SPDX-License-Identifier: GPL-3.0-or-later
// Rays to receivers and ground tiles go where they are drawn: rows of middles say which tiles and edges see each other,
// but on its way to a target a ray meets them elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/comparison/statistics.h"
#include "core/propagation/images/image_tracer.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/outline.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct Box {
  Vec3 low, high;
};

// The first hides the second from the antenna, but for what its corner sends there.
const std::vector<Box> blocks{{{0, -40, 0}, {30, 0, 20}}, {{60, -60, 0}, {66, -12, 20}}};

const testing::Environment& two_blocks() {
  static const testing::Environment made(
      [] {
        Scene scene = testing::flat_ground(200, 100);
        const Vec2 south_west{60, 60};
        for (std::size_t b = 0; b < blocks.size(); ++b) {
          scene.prisms.push_back(testing::box_prism(static_cast<std::int64_t>(b) + 1, blocks[b].low.xy() + south_west,
                                                    blocks[b].high.xy() + south_west, 0, blocks[b].high.z));
        }
        return scene;
      }(),
      10);
  return made;
}

Vec3 in_scene(Vec3 beside_blocks) { return beside_blocks + Vec3{60, 60, 0}; }

// By slabs, a millimetre within the box: brushing past a wall is no hit.
bool goes_through(Vec3 a, Vec3 b, const Box& box) {
  constexpr double brushing_m = 1e-3;
  double from = 0, to = 1;
  for (const double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    const double low = box.low.*axis + brushing_m, high = box.high.*axis - brushing_m, way = b.*axis - a.*axis;
    if (way == 0) {
      if (a.*axis <= low || a.*axis >= high) return false;
      continue;
    }
    const double one = (low - a.*axis) / way, other = (high - a.*axis) / way;
    from = std::max(from, std::min(one, other));
    to = std::min(to, std::max(one, other));
  }
  return from < to;
}

// Its surface included.
bool holds(const Box& box, Vec3 p) {
  constexpr double rounding_m = 1e-6;
  for (const double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    if (p.*axis < box.low.*axis - rounding_m || p.*axis > box.high.*axis + rounding_m) return false;
  }
  return true;
}

TEST(RayLegs, PassNoBuilding) {
  const Vec3 antenna = in_scene({-40, 10, 6});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> x(-58, 138), y(-58, 38);
  std::vector<Vec3> places{in_scene({74, -15, 1.5}), in_scene({98, -14, 1.5})};
  while (places.size() < 400) {
    const Vec3 place{x(random), y(random), 1.5};
    const auto holds = [&](const Box& box) {
      return place.x > box.low.x && place.x < box.high.x && place.y > box.low.y && place.y < box.high.y;
    };
    if (std::none_of(blocks.begin(), blocks.end(), holds)) places.push_back(in_scene(place));
  }
  RayLaunchingOptions options = testing::without_scattering(3, 2, 4);
  options.tiles_are_targets = false;
  const auto receivers = testing::receivers_at(places);
  const RayLaunchingResult result = two_blocks().launch(testing::test_transmitter(antenna), receivers, options);
  std::size_t legs = 0;
  for (const Ray& ray : result.rays) {
    for (const Vec3& point : ray.points) EXPECT_GT(point.z, -1e-3) << ray.interactions << " to " << ray.target_id;
    for (std::size_t leg = 0; leg + 1 < ray.points.size(); ++leg, ++legs) {
      for (const Box& box : blocks) {
        const Vec3 a = ray.points[leg] - in_scene({}), b = ray.points[leg + 1] - in_scene({});
        EXPECT_FALSE(goes_through(a, b, box)) << ray.interactions << " to " << ray.target_id << ", leg " << leg;
      }
    }
    for (std::size_t i = 0; i < ray.elements.size(); ++i) {
      if (ray.letter_of(i) == 'G') continue;
      const bool is_on_a_block = std::any_of(
          blocks.begin(), blocks.end(), [&](const Box& box) { return holds(box, ray.points[i + 1] - in_scene({})); });
      EXPECT_TRUE(is_on_a_block) << ray.interactions << " to " << ray.target_id << ", interaction " << i;
    }
  }
  EXPECT_GT(legs, 4000u);
}

// But for what the limits of the launch leave of the ground's reflections, and houses where these would be.
TEST(RayLegs, GroundTilesHaveWhatReceiversInTheirMiddlesHave) {
  const testing::Environment town(testing::synthetic_city(testing::small_city(0)), 10);
  std::vector<std::uint32_t> ground;
  std::vector<Vec3> places;
  for (std::uint32_t t = 0; t < town.tiling.tiles.size(); ++t) {
    if (town.tiling.tiles[t].kind != SurfaceKind::ground) continue;
    ground.push_back(t);
    places.push_back(town.tiling.tiles[t].centroid + Vec3{0, 0, 1.5});
  }
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  for (const OverRooftop over_rooftop : {OverRooftop::none, OverRooftop::screens}) {
    options.over_rooftop = over_rooftop;
    std::vector<double> differences_db;
    std::size_t tiles_alone = 0;
    for (const Vec3 antenna : {Vec3{125, 125, 6}, Vec3{41.3, 52.7, 50}}) {
      const RayLaunchingResult result =
          town.launch(testing::test_transmitter(antenna), testing::receivers_at(places), options);
      for (std::size_t i = 0; i < ground.size(); ++i) {
        const ArrivalSums &tile = result.tiles[ground[i]], &receiver = result.receivers[i];
        if (tile.direct || receiver.direct) continue;
        const double at_tile = testing::total_gain(tile), at_receiver = testing::total_gain(receiver);
        tiles_alone += at_tile > 0 && !(at_receiver > 0) ? 1 : 0;
        if (at_tile > 0 && at_receiver > 0) differences_db.push_back(decibels(at_tile / at_receiver));
      }
    }
    EXPECT_EQ(tiles_alone, 0u);
    ASSERT_GT(differences_db.size(), 450u);
    EXPECT_NEAR(mean(differences_db), 0, 0.04);
    for (double& db : differences_db) db = std::fabs(db);
    EXPECT_LT(mean(differences_db), 0.11);
    EXPECT_LT(percentile(differences_db, 0.8), 0.06);
    EXPECT_LT(percentile(differences_db, 0.9), 0.125);
  }
}

// The profile over the roofs is that to a tile's middle: to the place where the tile reflects to a receiver a house may
// stand in the way.
TEST(RayLegs, ComeDownFromRoofsBesideHouses) {
  constexpr double low_m = 9;
  const std::vector<Box> houses{{{170, 105, 0}, {200, 160, 40}}, {{170, 20, 0}, {190, 85, 30}}};
  Scene scene = testing::flat_ground(300, 200);
  scene.prisms = {testing::box_prism(1, {100, 20}, {130, 180}, 0, low_m)};
  for (const Box& house : houses) {
    const auto id = static_cast<std::int64_t>(scene.prisms.size()) + 1;
    scene.prisms.push_back(testing::box_prism(id, house.low.xy(), house.high.xy(), 0, house.high.z));
  }
  const testing::Environment town(scene, 10);
  std::vector<Vec3> places;
  for (double x = 203; x < 297; x += 3) {
    for (double y = 23; y < 177; y += 3) places.push_back({x, y, 1.5});
  }
  RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.tiles_are_targets = false;
  const RayLaunchingResult result =
      town.launch(testing::test_transmitter({20, 100, 6}), testing::receivers_at(places), options);
  std::size_t come_down = 0;
  for (const Ray& ray : result.rays) {
    if (!ray.goes_over_rooftops() || ray.elements.empty()) continue;
    const std::size_t last_edge = ray.points.size() - ray.elements.size() - 2;
    if (ray.points[last_edge].z > low_m) continue;
    ++come_down;
    for (std::size_t leg = last_edge; leg + 1 < ray.points.size(); ++leg) {
      for (const Box& house : houses) {
        EXPECT_FALSE(goes_through(ray.points[leg], ray.points[leg + 1], house))
            << ray.interactions << " to " << ray.target_id << ", leg " << leg << ", " << ray.power_dbm << " dBm";
      }
    }
  }
  EXPECT_GT(come_down, 300u);
}

// Tubes that the middles of tiles have found may meet ground and wall in another order than the ray does, or bring it
// in both: it is asked as it goes, and there is one.
TEST(RayLegs, MeetGroundAndWallsInTheirOrderAndOnce) {
  std::size_t by_ground_and_wall = 0;
  for (const std::uint32_t seed : {1u, 2u, 5u}) {
    testing::SyntheticCityOptions city = testing::small_city(0);
    city.seed = seed;
    const testing::Environment town(testing::synthetic_city(city), 10);
    std::vector<Vec3> places;
    for (const Tile& tile : town.tiling.tiles) {
      if (tile.kind == SurfaceKind::ground && tile.area_m2() > 30)
        places.push_back(tile.centroid + Vec3{0.3, 0.7, 1.5});
    }
    RayLaunchingOptions options = testing::without_scattering(3, 1, 3);
    options.tiles_are_targets = false;
    options.rays_per_receiver = 3000;
    options.ray_losses = seed == 1;
    const auto receivers = testing::receivers_at(places);
    for (const Vec3 antenna : {Vec3{125, 125, 6}, Vec3{200, 60, 12}}) {
      const Transmitter transmitter = testing::test_transmitter(antenna);
      const RayLaunchingResult result = town.launch(transmitter, receivers, options);
      const auto is_on_a_building = [&](Vec3 p) {
        const double before_a_curve_m = lift_m + greatest_shift_m(town.tiling.options);
        return std::any_of(town.scene.prisms.begin(), town.scene.prisms.end(), [&](const Prism& prism) {
          const bool is_roof = std::fabs(p.z - prism.top_z) < 1e-9 && contains(prism.rings, p.xy());
          return is_roof ||
                 (p.z > -1e-3 && p.z < prism.top_z && distance_to_sides(prism.rings, p.xy()) < before_a_curve_m);
        });
      };
      constexpr double rounding_m = 1e-6;
      // By receiver, where rays seem to come from.
      std::vector<std::pair<std::int64_t, Vec3>> images;
      for (const Ray& ray : result.rays) {
        if (ray.interactions.find('G') == std::string::npos || ray.interactions.find('R') == std::string::npos)
          continue;
        if (ray.goes_over_rooftops()) continue;
        ++by_ground_and_wall;
        double length_m = 0;
        for (std::size_t i = 0; i + 1 < ray.points.size(); ++i) length_m += norm(ray.points[i + 1] - ray.points[i]);
        EXPECT_NEAR(length_m, ray.delay_ns * 1e-9 * speed_of_light, 0.02) << ray.interactions;
        for (std::size_t i = 0; i < ray.elements.size(); ++i) {
          const Vec3 p = ray.points[i + 1];
          const char letter = ray.letter_of(i);
          const bool is_there = letter == 'G' ? std::fabs(p.z) < 1e-9 : letter != 'R' || is_on_a_building(p);
          EXPECT_TRUE(is_there) << letter << " of " << ray.interactions << " to " << ray.target_id;
        }
        const Vec3 end = ray.points.back(), before = ray.points[ray.points.size() - 2];
        // Of two that are alike behind an edge, what comes to that need not be.
        if (ray.interactions.find('D') == std::string::npos)
          images.emplace_back(ray.target_id, end + length_m * normalized(before - end));
        if (!options.ray_losses) continue;
        double losses_db = 0;
        for (const RayLoss& loss : ray.losses) losses_db += loss.loss_db;
        EXPECT_NEAR(losses_db, transmitter.erp_dbm - ray.power_dbm, 1e-6) << ray.interactions;
      }
      std::sort(images.begin(), images.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first, a.second.x) < std::pair(b.first, b.second.x);
      });
      for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t j = i + 1; j < images.size() && images[j].first == images[i].first &&
                                    images[j].second.x < images[i].second.x + rounding_m;
             ++j) {
          EXPECT_GT(norm(images[j].second - images[i].second), rounding_m) << "twice to " << images[i].first;
        }
      }
    }
  }
  EXPECT_GT(by_ground_and_wall, 10000u);
}

// Two buildings with a party wall, and a part upon another: where they meet the wall goes on.
TEST(RayLegs, AreReflectedWherePartsOfAWallMeet) {
  struct Case {
    const char* name;
    std::vector<Prism> prisms;
    Vec3 opposite, along;  // the receiver whose ray meets the joint, and a way across that
  };
  Prism upper = testing::box_prism(2, {100, 20}, {120, 180}, 8, 20);
  upper.on_ground = false;
  const std::vector<Case> cases{
      {"side by side",
       {testing::box_prism(1, {100, 20}, {120, 100}, 0, 20), testing::box_prism(2, {100, 100}, {120, 180}, 0, 20)},
       {60, 120, 9},
       {0, 1, 0}},
      {"one upon the other", {testing::box_prism(1, {100, 20}, {120, 180}, 0, 8), upper}, {60, 90.3, 6}, {0, 0, 1}}};
  for (const Case& c : cases) {
    Scene scene = testing::flat_ground(200, 200);
    scene.prisms = c.prisms;
    const testing::Environment town(scene, 10);
    std::vector<Vec3> places;
    for (const double beside_m : {-1e-2, -1e-9, 0.0, 1e-9, 1e-2}) places.push_back(c.opposite + beside_m * c.along);
    RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
    options.tiles_are_targets = false;
    const RayLaunchingResult result =
        town.launch(testing::test_transmitter({60, 80, 10}), testing::receivers_at(places), options);
    for (std::size_t r = 0; r < places.size(); ++r) {
      const auto reflections = std::count_if(result.rays.begin(), result.rays.end(), [&](const Ray& ray) {
        return ray.target_id == static_cast<std::int64_t>(r) + 1 && ray.interactions == "T-R";
      });
      EXPECT_EQ(reflections, 1) << c.name << ", receiver " << r;
    }
  }
}

// A wall, or a roof, and another 20 cm behind it that begins where it ends: each reflects as far as it goes, however
// near the tiled outline of a curve may be to what stands behind it. A house across sends on what comes from there.
TEST(RayLegs, AreReflectedNoFartherThanTheirWallGoes) {
  struct Case {
    const char* name;
    Box first, second;
    Vec3 antenna;
  };
  const Box across{{40, 20, 0}, {60, 180, 40}};
  const std::vector<Case> cases{
      {"side by side", {{100, 20, 0}, {120, 100, 20}}, {{100.2, 100, 0}, {120, 180, 20}}, {80, 92, 6}},
      {"one upon the other", {{100, 20, 0}, {120, 180, 8}}, {{100.2, 20, 8}, {120, 180, 20}}, {80, 92, 4.2}},
      {"roofs", {{100, 20, 0}, {120, 100, 20}}, {{100, 100, 0}, {120, 180, 19.8}}, {125, 96.5, 23}},
  };
  for (const Case& c : cases) {
    const std::vector<Box> houses{across, c.first, c.second};
    Scene scene = testing::flat_ground(200, 200);
    for (const Box& box : houses) {
      const auto id = static_cast<std::int64_t>(scene.prisms.size()) + 1;
      scene.prisms.push_back(testing::box_prism(id, box.low.xy(), box.high.xy(), box.low.z, box.high.z));
      scene.prisms.back().on_ground = box.low.z == 0;
    }
    const testing::Environment town(scene, TilingOptions{});
    std::vector<Vec3> places;
    for (double y = 101; y < 140; y += 3) {
      for (double z = 1.5; z < 46; z += 3) places.push_back({80, y, z});
    }
    RayLaunchingOptions options = testing::without_scattering(2, 0, 2);
    options.tiles_are_targets = false;
    const RayLaunchingResult result =
        town.launch(testing::test_transmitter(c.antenna), testing::receivers_at(places), options);
    std::size_t by_two = 0;
    for (const Ray& ray : result.rays) {
      if (ray.interactions != "T-R-R") continue;
      ++by_two;
      for (const Vec3& place : {ray.points[1], ray.points[2]}) {
        const bool is_on_a_house =
            std::any_of(houses.begin(), houses.end(), [&](const Box& box) { return holds(box, place); });
        EXPECT_TRUE(is_on_a_house) << c.name << ", " << place.x << " " << place.y << " " << place.z;
      }
    }
    EXPECT_GT(by_two, 50u) << c.name;
  }
}

// A street that falls by 6 m to a quay: a corner's middle sees farther down than the place, near the ground, at which
// the corner sends a ray there.
TEST(RayLegs, FromAnEdgePassAboveTheGround) {
  const auto ground = [](Vec2 p) { return std::clamp(104.0 - p.x, -6.0, 0.0); };
  const testing::Environment quay(
      [&] {
        Scene scene = testing::terrain_of(160, 120, 2, ground);
        scene.prisms.push_back(testing::box_prism(1, {60, 60}, {96, 80}, 0, 9));
        return scene;
      }(),
      10);
  const Vec3 antenna{90, 90, 2.5};
  std::vector<Vec3> places;
  for (double x = 112; x < 150; x += 2) {
    for (double y = 20; y < 70; y += 2) places.push_back({x, y, ground({x, y}) + 1.5});
  }
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.tiles_are_targets = false;
  const auto receivers = testing::receivers_at(places);
  const RayLaunchingResult result = quay.launch(testing::test_transmitter(antenna), receivers, options);
  std::size_t low = 0, diffracted = 0;
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T-D") continue;
    ++diffracted;
    const Vec3 begin = ray.points[1], way = ray.points[2] - begin;
    if (begin.z < 2) ++low;
    for (double t = 0.02; t < 1; t += 0.02) {
      const Vec3 p = begin + t * way;
      EXPECT_GT(p.z, ground(p.xy()) - lift_m) << "to " << places[static_cast<std::size_t>(ray.target_id) - 1].x;
    }
  }
  EXPECT_GT(diffracted, 50u);
  EXPECT_GT(low, 10u);
}

// Behind the second block, and next to the corner that hides the antenna: what the image tracer finds.
TEST(RayLegs, BesideCornersLossIsThatOfExactRays) {
  const auto receivers = testing::receivers_at({in_scene({98, -14, 1.5})});
  Transmitter transmitter = testing::test_transmitter(in_scene({-40, 10, 6}));
  transmitter.frequency_hz = 450e6;
  RayLaunchingOptions options = testing::without_scattering(3, 1, 3);
  options.tiles_are_targets = false;
  const testing::Environment& town = two_blocks();
  const RayLaunchingResult launched = town.launch(transmitter, receivers, options);
  for (const Ray& ray : launched.rays) EXPECT_TRUE(ray.interactions.starts_with("T-D")) << ray.interactions;
  const Occlusion occlusion(town.scene);
  ImageTracingOptions exact;
  exact.max_reflections = 3;
  exact.max_diffractions = 1;
  exact.max_reflections_with_diffractions = 2;
  const ImageTracingResult traced =
      ImageTracer(town.scene, occlusion, receivers, exact).trace(transmitter, no_progress());
  EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[0]) / testing::total_gain(traced.receivers[0])), 0, 0.1);
}

// On the wall of the block that hides the antenna, on either side of where rounding may put a crossing with it.
TEST(RayLegs, OnAWallTheBuildingIsInTheWay) {
  const std::vector<double> beside_walls_m{0.01, 0.001, 0.0};
  std::vector<Vec3> places;
  for (const double beside_wall_m : beside_walls_m) {
    places.push_back(in_scene({30 + beside_wall_m, -13, 1.5}));
    places.push_back(in_scene({12, -40 - beside_wall_m, 1.5}));
  }
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  for (const Vec3 antenna : {Vec3{-40, -13, 6}, Vec3{12, 35, 6}}) {
    const RayLaunchingResult result =
        two_blocks().launch(testing::test_transmitter(in_scene(antenna)), testing::receivers_at(places), options);
    for (std::size_t r = 2; r < places.size(); ++r) {
      const double here = decibels(result.receivers[r].gain.value()),
                   there = decibels(result.receivers[r % 2].gain.value());
      // From the wall's own corner the field is the weaker, the nearer to the wall (docs/physics.md §5.2).
      const bool is_along_wall = antenna.x < 0 && r % 2 == 1;
      const double nearer = is_along_wall ? beside_walls_m[r / 2] / beside_walls_m[0] : 1;
      if (nearer > 0) {
        EXPECT_NEAR(here, there + 20 * std::log10(nearer), 0.5) << r << " from " << antenna.x;
      } else {
        // On the wall itself less than 0.1 mm before it, and not nothing, since coordinates are rounded.
        EXPECT_LT(here, there + 20 * std::log10(1e-4 / beside_walls_m[0])) << r << " from " << antenna.x;
        EXPECT_TRUE(std::isfinite(here)) << r << " from " << antenna.x;
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
