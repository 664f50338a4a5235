// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave along a corner: each ray that it diffracts takes what the
// direct ray to its Keller point has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/rays/local_mean.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;
using testing::loss_of;
using testing::sum_of_losses;

RayLaunchingOptions options_for_rays(OverRooftop over_rooftop) {
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = over_rooftop;
  options.tiles_are_targets = false;
  options.ray_losses = true;
  options.rays_per_receiver = 100;
  return options;
}

// A corner of a tall house, and receivers just behind it.
struct Corner {
  Vec3 antenna;
  Vec2 edge, behind;
  double frequency_hz = 850e6;

  Transmitter transmitter() const {
    Transmitter made = testing::test_transmitter(antenna);
    made.frequency_hz = frequency_hz;
    return made;
  }
  Vec3 receiver(double z_m) const { return {behind.x, behind.y, z_m}; }
  // The rays by the vertical edge of the house, one for each height, or none of no points.
  std::vector<Ray> rays_to(const Environment& environment, const std::vector<double>& heights_m,
                           OverRooftop over_rooftop = OverRooftop::screens,
                           const std::string& interactions = "T-D") const {
    std::vector<Vec3> places;
    for (const double z_m : heights_m) places.push_back(receiver(z_m));
    const auto result =
        environment.launch_to_receivers(transmitter(), testing::receivers_at(places), options_for_rays(over_rooftop));
    std::vector<Ray> found(places.size());
    for (const Ray& ray : result.rays) {
      Ray& first = found[static_cast<std::size_t>(ray.target_id) - 1];
      if (!first.points.empty() || ray.interactions != interactions) continue;
      if (norm(ray.points[1].xy() - edge) < 1e-6) first = ray;
    }
    return found;
  }
  Ray ray_to(const Environment& environment, double z_m, OverRooftop over_rooftop = OverRooftop::screens,
             const std::string& interactions = "T-D") const {
    return rays_to(environment, {z_m}, over_rooftop, interactions).front();
  }
  // What comes there straight, through the air or over the roofs.
  Ray straight_to(const Environment& environment, Vec3 place) const {
    // In the air in front of the house's side.
    const auto result = environment.launch_to_receivers(
        transmitter(), testing::receivers_at({place + Vec3{0.01, -0.01, 0}}), options_for_rays(OverRooftop::screens));
    for (const Ray& ray : result.rays) {
      if (ray.interactions == "T" || ray.interactions == "T-O") return ray;
    }
    ADD_FAILURE() << "no ray";
    return {};
  }
};

const Corner behind_roof{{20, 100, 12}, {200, 105}, {220, 108}};

Scene house_behind_roof(double roof_z) {
  Scene scene = testing::flat_ground(300, 200);
  scene.prisms = {testing::box_prism(1, {170, 105}, {200, 160}, 0, 40)};
  if (roof_z > 0) scene.prisms.push_back(testing::box_prism(2, {100, 20}, {130, 180}, 0, roof_z));
  return scene;
}

TEST(SightOfEdges, RoofsLeaveAlongACornerWhatTheyLeaveOfTheDirectRay) {
  const Environment with(house_behind_roof(9), 20), without(house_behind_roof(0), 20);
  double least = 100, most = -100;
  std::size_t in_sight = 0, hidden = 0;
  for (double z = 2; z < 20; z += 0.5) {
    const Ray ray = behind_roof.ray_to(with, z), free = behind_roof.ray_to(without, z);
    if (ray.points.empty() || free.points.empty()) continue;
    const Vec3 keller = ray.points[1];
    EXPECT_NEAR(keller.z, (12 * 20.22 + z * 180.07) / 200.29, 0.05);
    const double taken = free.power_dbm - ray.power_dbm;
    const Ray there = behind_roof.straight_to(with, keller), free_there = behind_roof.straight_to(without, keller);
    (there.goes_over_rooftops() ? hidden : in_sight) += 1;
    testing::expect_roofs_take({ray, free}, {there, free_there}, 0.5, z);
    least = std::min(least, taken);
    most = std::max(most, taken);
  }
  EXPECT_GT(in_sight, 25u);
  EXPECT_GT(hidden, 5u);
  EXPECT_LT(least, -0.5);
  EXPECT_GT(most, 12);
}

// A wall behind the receivers reflects what the corner sends: to each at a Keller point of its own, whatever the
// tile's middle has.
TEST(SightOfEdges, WhatTilesReflectBehindACornerHasThatOfItsOwnKellerPoint) {
  const auto with_wall = [](Scene scene) {
    scene.prisms.push_back(testing::box_prism(3, {230, 80}, {235, 140}, 0, 40));
    return scene;
  };
  const Environment with(with_wall(house_behind_roof(9)), 20), without(with_wall(house_behind_roof(0)), 20);
  std::size_t compared = 0;
  for (double z = 2; z < 20; z += 1) {
    const auto to = [&](const Environment& environment) {
      return behind_roof.ray_to(environment, z, OverRooftop::screens, "T-D-R");
    };
    const Ray ray = to(with), free = to(without);
    if (ray.points.empty() || free.points.empty()) continue;
    const Vec3 keller = ray.points[1];
    const double taken =
        behind_roof.straight_to(without, keller).power_dbm - behind_roof.straight_to(with, keller).power_dbm;
    EXPECT_NEAR(free.power_dbm - ray.power_dbm, taken, 0.25) << z;
    EXPECT_NEAR(sum_of_losses(ray), -ray.power_dbm - 2.15, 1e-6) << z;
    ++compared;
  }
  EXPECT_GT(compared, 10u);
}

TEST(SightOfEdges, SegmentsOfAnyLengthDiffractTheSame) {
  const Environment fine(house_behind_roof(9), 3), coarse(house_behind_roof(9), 40);
  std::vector<double> heights_m;
  for (double z = 8; z < 20; z += 0.5) heights_m.push_back(z);
  const std::vector<Ray> by_fine = behind_roof.rays_to(fine, heights_m),
                         by_coarse = behind_roof.rays_to(coarse, heights_m);
  for (std::size_t r = 0; r < heights_m.size(); ++r) {
    ASSERT_FALSE(by_fine[r].points.empty()) << heights_m[r];
    EXPECT_NEAR(by_fine[r].power_dbm, by_coarse[r].power_dbm, 0.2) << heights_m[r];
  }
}

// The middle of the long segment is 1 m below the shadow's boundary.
TEST(SightOfEdges, ASegmentIsDiffractedFromWhatIsSeenOfItThoughItsMiddleIsHidden) {
  const Environment fine(house_behind_roof(16), 4), coarse(house_behind_roof(16), 40),
      without(house_behind_roof(0), 40);
  const double over_ground_m = norm(behind_roof.edge - behind_roof.antenna.xy());
  const double boundary_z = 12 + (16 - 12) * over_ground_m / 80.1;
  std::vector<double> heights_m;
  for (double z = 15; z < 38; z += 0.5) heights_m.push_back(z);
  const std::vector<Ray> by_fine = behind_roof.rays_to(fine, heights_m),
                         by_coarse = behind_roof.rays_to(coarse, heights_m);
  std::size_t seen = 0, hidden = 0;
  for (std::size_t r = 0; r < heights_m.size(); ++r) {
    const double z = heights_m[r], keller_z = (12 * 20.22 + z * 180.07) / 200.29;
    const Ray& ray = by_coarse[r];
    ASSERT_FALSE(ray.points.empty()) << z;
    const double there_dbm = behind_roof.straight_to(coarse, ray.points[1]).power_dbm,
                 free_dbm = behind_roof.straight_to(without, ray.points[1]).power_dbm;
    const bool is_hidden = keller_z < boundary_z;
    EXPECT_NEAR(loss_of(ray, "roofs"), free_dbm - there_dbm, is_hidden ? 0.6 : 0.25) << z;
    EXPECT_NEAR(sum_of_losses(ray), -ray.power_dbm - 2.15, 1e-6) << z;
    // Of short segments some are hidden whole.
    EXPECT_NEAR(ray.power_dbm, by_fine[r].power_dbm, is_hidden ? 0.6 : 0.2) << z;
    ++(is_hidden ? hidden : seen);
  }
  EXPECT_GT(seen, 25u);
  EXPECT_GT(hidden, 8u);
}

// There the phase turns against the free wave's by several radians a metre: a straight line between the fields of two
// places may have next to nothing halfway.
TEST(SightOfEdges, InTheShadowOfARoofFieldsBetweenTwoPlacesKeepTheirAmplitude) {
  Corner corner = behind_roof;
  corner.frequency_hz = 3.6e9;
  const Environment coarse(house_behind_roof(16), 40), without(house_behind_roof(0), 40);
  std::size_t hidden = 0;
  for (double z = 3; z < 20; z += 0.37) {
    const Ray ray = corner.ray_to(coarse, z);
    ASSERT_FALSE(ray.points.empty()) << z;
    const Ray there = corner.straight_to(coarse, ray.points[1]), free = corner.straight_to(without, ray.points[1]);
    if (!there.goes_over_rooftops()) continue;
    EXPECT_NEAR(loss_of(ray, "roofs"), free.power_dbm - there.power_dbm, 0.5) << z;
    ++hidden;
  }
  EXPECT_GT(hidden, 20u);
}

// The strongest of these rays that meets the edge, last of all; none: no points.
Ray ray_by(const std::vector<Ray>& rays, std::int64_t receiver, const std::string& interactions, Vec2 edge) {
  for (const Ray& ray : rays) {
    if (ray.target_id != receiver || ray.interactions != interactions) continue;
    if (norm(ray.points[ray.points.size() - 2].xy() - edge) < 1e-6) return ray;
  }
  return {};
}

Complex field_of(const Ray& ray) { return std::sqrt(ray.path_gain) * exp_j(radians(ray.phase_deg)); }

// What a low wall before a corner leaves of a direct ray, or of the ground's reflection, to a place just off that.
Complex field_at_corner(const Environment& environment, const Transmitter& transmitter, Vec3 place,
                        const std::string& interactions) {
  const auto result = environment.launch_to_receivers(
      transmitter, testing::receivers_at({place + Vec3{0.01, -0.01, 0}}), options_for_rays(OverRooftop::screens));
  for (const Ray& ray : result.rays) {
    if (ray.interactions == interactions) return field_of(ray);
  }
  ADD_FAILURE() << interactions << " is missing at " << place.z << " m";
  return {};
}

// A low wall stands before a corner: the antenna sees over it, its image in the ground does not. The ray by the corner
// and the one that the ground reflects before it are the image method's without the wall, each times what the wall
// leaves of what comes to its own place of the corner, in phase, too; they are added as far as they stay in step.
TEST(SightOfEdges, AWallBeforeACornerLeavesWhatItLeavesOfTheRayAndOfItsReflectionOnTheGround) {
  for (const double top_m : {5.0, 6.0}) {
    for (const double frequency_hz : {400e6, 850e6}) {
      const Corner corner{{20, 50, 12}, {200, 105}, {212, 125}, frequency_hz};
      Scene scene = house_behind_roof(0);
      const Environment without(scene, 20);
      scene.prisms.push_back(testing::box_prism(2, {110, 20}, {112, 180}, 0, top_m));
      const Environment with(scene, 20);
      RayLaunchingOptions options = options_for_rays(OverRooftop::screens);
      options.max_bounces = 1;  // so that the reflection is no ray of its own
      ImageTracingOptions exact_options;
      exact_options.max_reflections = exact_options.max_diffractions = 1;
      for (double z = 2; z < 7.6; z += 0.5) {
        const std::vector<Receiver> receivers = testing::receivers_at({corner.receiver(z)});
        const std::vector<Ray> exact = ImageTracer(without.scene, without.occlusion, receivers, exact_options)
                                           .trace(corner.transmitter(), no_progress())
                                           .rays;
        const auto left_of = [&](const std::string& before) {
          const Ray ray = ray_by(exact, 1, before + "-D", corner.edge);
          EXPECT_FALSE(ray.points.empty()) << before << " " << z;
          if (ray.points.empty()) return std::pair(Complex{}, Vec3{});
          const Vec3 place = ray.points[ray.points.size() - 2];
          const auto there = [&](const Environment& environment) {
            return field_at_corner(environment, corner.transmitter(), place, before);
          };
          return std::pair(field_of(ray) * (there(with) / there(without)), normalized(ray.points.back() - place));
        };
        const auto [straight, direction] = left_of("T");
        const auto [by_ground, other_direction] = left_of("T-G");
        const double in_step = coherence(direction, other_direction, {0, 0, 1}, 2 * pi / wavelength_m(frequency_hz));
        double expected =
            squared_norm(straight) + squared_norm(by_ground) + 2 * in_step * (straight * conj(by_ground)).re;
        const RayLaunchingResult launched = with.launch_to_receivers(corner.transmitter(), receivers, options);
        // Over the house comes a hundredth.
        for (const Ray& ray : launched.rays) expected += ray.interactions == "T-D" ? 0 : ray.path_gain;
        EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[0])), decibels(expected), 0.15)
            << top_m << " m, " << frequency_hz << " Hz, " << z << " m";
      }
    }
  }
}

// From higher up the ground reflects behind the corner what that sends. Beyond the limits, and at tiles, it comes with
// the ray around the corner, but from its own place of that, below the ray's: with what the wall leaves there.
TEST(SightOfEdges, AWallBeforeACornerLeavesOfAReflectionBehindItWhatItLeavesAtItsPlace) {
  const Corner corner{{20, 50, 30}, {200, 105}, {212, 125}};
  Scene scene = house_behind_roof(0);
  scene.prisms.push_back(testing::box_prism(2, {110, 20}, {112, 180}, 0, 16.5));
  const Environment town(scene, 20);
  RayLaunchingOptions options = options_for_rays(OverRooftop::screens), within_limits = options;
  options.max_bounces = 1;
  within_limits.max_bounces = 2;
  std::size_t compared = 0;
  for (double z = 0.5; z < 3; z += 0.5) {
    const std::vector<Receiver> receivers = testing::receivers_at({corner.receiver(z)});
    const RayLaunchingResult found = town.launch_to_receivers(corner.transmitter(), receivers, within_limits);
    const auto ray_of = [&](const std::string& interactions) {
      return *std::find_if(found.rays.begin(), found.rays.end(),
                           [&](const Ray& each) { return each.interactions == interactions; });
    };
    const Ray ray = ray_of("T-D"), by_ground = ray_of("T-D-G");
    const auto direction = [](const Ray& of) { return normalized(of.points.back() - of.points[of.points.size() - 2]); };
    const double in_step =
        coherence(direction(ray), direction(by_ground), {0, 0, 1}, 2 * pi / wavelength_m(corner.frequency_hz));
    double expected = squared_norm(field_of(ray)) + squared_norm(field_of(by_ground)) +
                      2 * in_step * (field_of(ray) * conj(field_of(by_ground))).re;
    const RayLaunchingResult launched = town.launch_to_receivers(corner.transmitter(), receivers, options);
    for (const Ray& other : launched.rays) expected += other.interactions == "T-D" ? 0 : other.path_gain;
    EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[0])), decibels(expected), 0.05) << z;
    ++compared;
  }
  EXPECT_GT(compared, 3u);
}

// A tower among low roofs, of which the antenna sees all but the foot. Close to the ground what goes around it comes
// over the roofs to its corner below what is seen of that, and is there as the image method's ray by both edges is,
// but for what a screen and a wedge differ, as they do beside the tower.
TEST(SightOfEdges, WhatGoesAroundATowerNearTheGroundHasComeOverTheRoofs) {
  Scene scene = testing::flat_ground(320, 200);
  scene.prisms = {testing::box_prism(1, {90, 40}, {110, 160}, 0, 12),
                  testing::box_prism(2, {180, 90}, {200, 110}, 0, 40)};
  const Environment environment(scene, 10);
  const Vec2 corner{180, 90};
  const Vec3 antenna{5, 100.7, 15};
  std::vector<Vec3> points;
  for (const double x : {215.0, 230.0, 260.0}) {
    for (double y = 80; y < 89.5; y += 1) points.push_back({x, y, 1.5});
  }
  const std::vector<Receiver> receivers = testing::receivers_at(points);
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 100;
  const std::vector<Ray> launched =
      environment.launch_to_receivers(testing::test_transmitter(antenna), receivers, options).rays;
  ImageTracingOptions exact_options;
  exact_options.max_reflections = 0;
  exact_options.max_diffractions = 2;
  const std::vector<Ray> exact = ImageTracer(scene, environment.occlusion, receivers, exact_options)
                                     .trace(testing::test_transmitter(antenna), no_progress())
                                     .rays;
  const auto level_of_one = [](const std::vector<Ray>& rays, std::int64_t receiver, const std::string& interactions) {
    double strongest = -1000;
    for (const Ray& ray : rays) {
      if (ray.target_id == receiver && ray.interactions == interactions) strongest = std::max(strongest, ray.power_dbm);
    }
    return strongest;
  };
  std::size_t compared = 0;
  for (std::size_t r = 0; r < points.size(); ++r) {
    const std::int64_t id = receivers[r].receiver_id;
    const Ray ray = ray_by(launched, id, "T-D", corner), by_both_edges = ray_by(exact, id, "T-D-D", corner);
    ASSERT_FALSE(ray.points.empty()) << points[r].x << " " << points[r].y;
    ASSERT_FALSE(by_both_edges.points.empty()) << points[r].x << " " << points[r].y;
    // Beside the tower, as far away.
    const std::int64_t beside = receivers[r - r % 10].receiver_id;
    const double screen_for_wedge_db = level_of_one(launched, beside, "T-O") - level_of_one(exact, beside, "T-D");
    EXPECT_NEAR(ray.power_dbm - by_both_edges.power_dbm, screen_for_wedge_db, 1) << points[r].x << " " << points[r].y;
    EXPECT_LT(ray.points[1].z, 7) << "the segment's end is in sight";
    ++compared;
  }
  EXPECT_EQ(compared, 30u);
}

// Below a bridge, which is no screen, the antenna sees the lower end: what diffracts there is the free field, and of
// what the bridge hides nothing comes to the wall behind, either.
TEST(SightOfEdges, WhatHidesOtherwiseLeavesNothing) {
  const auto scene = [](bool with_bridge) {
    Scene made = house_behind_roof(0);
    made.prisms.push_back(testing::box_prism(3, {230, 80}, {235, 140}, 0, 40));
    if (with_bridge) made.prisms.push_back(testing::box_prism(4, {100, 20}, {130, 180}, 14, 30));
    return made;
  };
  const Environment with(scene(true), 40), without(scene(false), 40), fine(scene(true), 4);
  for (const OverRooftop over_rooftop : {OverRooftop::screens, OverRooftop::none}) {
    for (double z = 2; z < 14; z += 1) {
      const Ray ray = behind_roof.ray_to(with, z, over_rooftop);
      ASSERT_FALSE(ray.points.empty()) << z;
      EXPECT_NEAR(ray.power_dbm, behind_roof.ray_to(without, z, over_rooftop).power_dbm, 1e-6) << z;
    }
    RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
    options.over_rooftop = over_rooftop;
    std::size_t compared = 0;
    const RayLaunchingResult at_tiles = with.launch(testing::test_transmitter(behind_roof.antenna), {}, options);
    for (std::size_t t = 0; t < with.tiling.tiles.size(); ++t) {
      const Tile& tile = with.tiling.tiles[t];
      const bool is_behind = tile.kind == SurfaceKind::wall && tile.normal.x < -0.5 && tile.centroid.x == 230;
      if (!is_behind || tile.centroid.y < 106) continue;
      RayLaunchingOptions to_receiver = options_for_rays(over_rooftop);
      to_receiver.max_reflections = 0;
      double exact = 0;
      for (const Ray& ray : fine.launch(testing::test_transmitter(behind_roof.antenna),
                                        testing::receivers_at({lifted_point(tile)}), to_receiver)
                                .rays) {
        exact += ray.path_gain;
      }
      EXPECT_NEAR(at_tiles.tiles[t].gain.value(), exact, 0.2 * exact);
      ++compared;
    }
    EXPECT_GT(compared, 0u);
  }
}

TEST(SightOfEdges, RoofsFarBelowChangeNothing) {
  const Environment low(house_behind_roof(2), 20);
  Corner high = behind_roof;
  high.antenna.z = 39;
  for (double z = 25; z < 38; z += 1) {
    const Ray ray = high.ray_to(low, z), free = high.ray_to(low, z, OverRooftop::none);
    ASSERT_FALSE(ray.points.empty());
    EXPECT_EQ(ray.power_dbm, free.power_dbm);
    EXPECT_EQ(ray.phase_deg, free.phase_deg);
  }
}

double hill_z(Vec2 p) {
  const double from_top = (p.x - 500) / 400;
  return 10 * std::exp(-from_top * from_top);
}

TEST(SightOfEdges, AHillLeavesAlongACornerWhatItLeavesOfTheDirectRay) {
  Scene scene = testing::terrain_of(1700, 60, 10, hill_z);
  scene.prisms = {testing::box_prism(1, {1550, 40}, {1570, 58}, 0, 40)};
  const Environment hill(scene, 40), finer(scene, 4);
  const Corner corner{{100, 33, 14}, {1570, 40}, {1590, 42}};
  std::vector<double> heights_m;
  for (double z = 2; z < 30; z += 1) heights_m.push_back(z);
  const std::vector<Ray> rays = corner.rays_to(hill, heights_m), by_finer = corner.rays_to(finer, heights_m);
  double least = 100, most = -100;
  std::size_t compared = 0;
  for (std::size_t r = 0; r < heights_m.size(); ++r) {
    const double z = heights_m[r];
    const Ray& ray = rays[r];
    if (ray.points.empty()) continue;
    // The ground, which is level there, reflects before the corner, but for the highest: what comes goes on from the
    // middle between the places where the ray and its image meet the corner.
    const Vec3 keller = ray.points[1];
    const double image_z = keller.z - 2 * z * norm(corner.edge - corner.antenna.xy()) /
                                          (norm(corner.edge - corner.antenna.xy()) + norm(corner.behind - corner.edge));
    const Vec3 place{keller.x, keller.y, image_z < 0 ? 0.5 * (keller.z - image_z) : keller.z};
    const Ray direct = corner.straight_to(hill, place);
    const double taken = loss_of(ray, "ground");
    const double free_db = -2 * decibels(wavelength_m(850e6) / (4 * pi * norm(place - corner.antenna)));
    EXPECT_NEAR(taken, -direct.power_dbm - free_db, 0.3) << z;
    EXPECT_NEAR(sum_of_losses(ray), -ray.power_dbm - 2.15, 1e-6) << z;
    const Ray& fine = by_finer[r];
    if (!fine.points.empty()) {
      EXPECT_NEAR(fine.power_dbm, ray.power_dbm, 0.3) << z;
    }
    least = std::min(least, taken);
    most = std::max(most, taken);
    ++compared;
  }
  EXPECT_GT(compared, 20u);
  EXPECT_GT(most - least, 8);
}

}  // namespace
}  // namespace tesseray
