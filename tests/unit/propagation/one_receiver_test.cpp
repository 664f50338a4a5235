// SPDX-License-Identifier: GPL-3.0-or-later
// Rays to receivers alone: less is launched, and what arrives at the receivers stays the same bit for bit.
#include <gtest/gtest.h>

#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

const Environment& hilly_town() {
  static const Environment made(
      [] {
        testing::SyntheticCityOptions options;
        options.width_m = options.depth_m = 260;
        options.seed = 9;
        return testing::synthetic_city(options);
      }(),
      10);
  return made;
}

// Above roofs, over a street, and low: in sight of the antenna, and not.
std::vector<Vec3> points() {
  std::vector<Vec3> places;
  for (const Vec2 p : {Vec2{31.3, 60.1}, Vec2{131, 30.2}, Vec2{220.4, 201.7}, Vec2{77.7, 141.9}, Vec2{18.1, 233.3}}) {
    const double ground = hilly_town().scene.terrain.height_at(p);
    for (const double height : {1.5, 25.0}) places.push_back({p.x, p.y, ground + height});
  }
  return places;
}

Transmitter transmitter() {
  Transmitter made = testing::test_transmitter({130.7, 128.3, 45});
  made.erp_dbm = 40;
  return made;
}

RayLaunchingResult launch(const Visibility& visibility, RayLaunchingOptions options, bool tiles_are_targets,
                          const std::vector<Vec3>& places) {
  options.tiles_are_targets = tiles_are_targets;
  options.rays_per_receiver = 100;
  const Environment& town = hilly_town();
  return RayLauncher(town.scene, town.tiling, town.occlusion, visibility, testing::receivers_at(places), options)
      .launch(transmitter(), no_progress());
}

void expect_same_at_receivers(const RayLaunchingResult& alone, const RayLaunchingResult& whole, std::size_t receiver) {
  testing::expect_same(alone.receivers[0], whole.receivers[receiver]);
  std::vector<const Ray*> expected;
  for (const Ray& ray : whole.rays) {
    if (ray.target_id == static_cast<std::int64_t>(receiver) + 1) expected.push_back(&ray);
  }
  ASSERT_EQ(alone.rays.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(alone.rays[i].path_gain, expected[i]->path_gain);
    EXPECT_EQ(alone.rays[i].elements, expected[i]->elements);
  }
}

void expect_same_one_by_one(const Visibility& visibility, const RayLaunchingOptions& options) {
  const RayLaunchingResult whole = launch(visibility, options, true, points());
  std::size_t reached = 0;
  for (std::size_t r = 0; r < points().size(); ++r) {
    SCOPED_TRACE(r);
    const RayLaunchingResult alone = launch(visibility, options, false, {points()[r]});
    EXPECT_TRUE(alone.tiles.empty());
    expect_same_at_receivers(alone, whole, r);
    if (options.max_bounces > 1) {
      EXPECT_LT(alone.tubes, whole.tubes);
    }
    reached += alone.receivers[0].rays > 0 ? 1 : 0;
  }
  EXPECT_GE(reached, 5u);
}

TEST(OneReceiver, GetsWhatTheWholePredictionBringsThere) {
  for (const int bounces : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(bounces);
    RayLaunchingOptions options;
    options.max_bounces = bounces;
    expect_same_one_by_one(*hilly_town().visibility, options);
  }
}

TEST(OneReceiver, GetsTheSameUnderAllOptions) {
  RayLaunchingOptions two_edges;
  two_edges.max_diffractions = 2;
  two_edges.scattering_model = ScatteringModel::incident;
  RayLaunchingOptions reflections_only = testing::without_scattering(4, 0, 4);
  RayLaunchingOptions threshold;
  threshold.min_power_dbm = -80;
  threshold.summation = Summation::coherent;
  RayLaunchingOptions scattering_last;
  scattering_last.max_after_scattering = 0;
  RayLaunchingOptions two_after_scattering;
  two_after_scattering.max_after_scattering = 2;
  two_after_scattering.max_diffractions = 2;
  two_after_scattering.min_power_dbm = -110;
  for (const RayLaunchingOptions& options :
       {two_edges, reflections_only, threshold, scattering_last, two_after_scattering}) {
    expect_same_one_by_one(*hilly_town().visibility, options);
  }
}

TEST(OneReceiver, GetsTheSameByTheRowsOfParentTiles) {
  const auto parents = with_parents_edge_rows(*hilly_town().visibility, hilly_town().tiling);
  expect_same_one_by_one(*parents, {});
}

// Behind low houses, near whose roofs the height of targets over the ground decides what comes there past their edges.
TEST(OneReceiver, GetsTheSameForAnyHeightOfTargetsOverTheGround) {
  Scene scene = testing::flat_ground(160, 120);
  scene.prisms.push_back(testing::box_prism(1, {60, 40}, {80, 52}, 0, 4));
  scene.prisms.push_back(testing::box_prism(2, {100, 70}, {112, 84}, 0, 5.5));
  const Environment houses(std::move(scene), 8);
  std::vector<Vec3> places;
  for (double x = 84; x < 160; x += 7) {
    for (const double height_m : {1.5, 3.0}) places.push_back({x, 45 + 0.5 * (x - 80), height_m});
  }
  RayLaunchingOptions options;
  options.max_bounces = 2;
  options.rays_per_receiver = 100;
  for (const OverRooftop over_rooftop : {OverRooftop::screens, OverRooftop::none}) {
    options.over_rooftop = over_rooftop;
    options.receiver_height_m = 1.5;
    const auto launch_over_houses = [&](bool tiles_are_targets) {
      options.tiles_are_targets = tiles_are_targets;
      return houses.launch(testing::test_transmitter({20, 30, 6}), testing::receivers_at(places), options);
    };
    const RayLaunchingResult usual = launch_over_houses(true);
    for (const double height_m : {0.05, 4.0, 10.0}) {
      options.receiver_height_m = height_m;
      for (const bool tiles_are_targets : {true, false}) {
        const RayLaunchingResult found = launch_over_houses(tiles_are_targets);
        ASSERT_EQ(found.rays.size(), usual.rays.size()) << height_m << " m";
        for (std::size_t r = 0; r < places.size(); ++r) testing::expect_same(found.receivers[r], usual.receivers[r]);
      }
    }
  }
}

TEST(OneReceiver, SeveralAtOnceGetTheSameToo) {
  const RayLaunchingResult whole = launch(*hilly_town().visibility, {}, true, points());
  const RayLaunchingResult some = launch(*hilly_town().visibility, {}, false, points());
  ASSERT_EQ(some.receivers.size(), whole.receivers.size());
  for (std::size_t r = 0; r < points().size(); ++r) testing::expect_same(some.receivers[r], whole.receivers[r]);
}

}  // namespace
}  // namespace tesseray
