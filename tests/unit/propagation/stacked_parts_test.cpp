// SPDX-License-Identifier: GPL-3.0-or-later
// A house cut into parts that stand on each other sends on what the whole one does: launched and by images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

// A house of 15 m, cut at these heights.
Scene house_cut_at(const std::vector<double>& joints_z) {
  Scene scene = testing::flat_ground(260, 200);
  Prism part = testing::box_prism(1, {80, 80}, {100, 92}, 0, 15);
  for (const double joint_z : joints_z) {
    Prism lower = part;
    lower.top_z = part.bottom_z = joint_z;
    part.on_ground = false;
    scene.prisms.push_back(lower);
  }
  scene.prisms.push_back(part);
  return scene;
}

std::vector<Receiver> receivers_behind() {
  std::vector<Vec3> places;
  for (double x = 105; x < 250; x += 12) {
    for (const double height_m : {1.5, 4.0}) places.push_back({x, 84 + 0.37 * (x - 100), height_m});
  }
  return testing::receivers_at(places);
}

// By receiver, what goes on, and how long it is.
std::vector<Ray> in_order(std::vector<Ray> rays) {
  const auto key = [](const Ray& ray) {
    return std::tuple{ray.target_id, ray.interactions, std::llround(1000 * ray.delay_ns)};
  };
  std::sort(rays.begin(), rays.end(), [&](const Ray& a, const Ray& b) { return key(a) < key(b); });
  return rays;
}

void expect_same(const std::vector<Ray>& of_parts, const std::vector<Ray>& of_whole, double within_db) {
  ASSERT_EQ(of_parts.size(), of_whole.size());
  const std::vector<Ray> parts = in_order(of_parts), whole = in_order(of_whole);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    ASSERT_EQ(parts[r].target_id, whole[r].target_id) << r;
    ASSERT_EQ(parts[r].interactions, whole[r].interactions) << parts[r].target_id;
    EXPECT_NEAR(parts[r].delay_ns, whole[r].delay_ns, 1e-3) << parts[r].interactions;
    EXPECT_NEAR(parts[r].power_dbm, whole[r].power_dbm, within_db) << parts[r].target_id << parts[r].interactions;
  }
}

void expect_same(const std::vector<ArrivalSums>& parts, const std::vector<ArrivalSums>& whole, std::size_t count,
                 double within_db) {
  for (std::size_t t = 0; t < count; ++t) {
    ASSERT_EQ(testing::total_gain(parts[t]) > 0, testing::total_gain(whole[t]) > 0) << t;
    if (!(testing::total_gain(whole[t]) > 0)) continue;
    EXPECT_NEAR(decibels(testing::total_gain(parts[t]) / testing::total_gain(whole[t])), 0, within_db) << t;
  }
}

// What the ground reflects behind a corner comes from lower down than what goes straight on: across the joint.
TEST(StackedParts, DiffractAsTheWholeHouse) {
  const testing::Environment whole(house_cut_at({}), 10);
  const std::vector<Receiver> receivers = receivers_behind();
  const Transmitter transmitter = testing::test_transmitter({30, 60, 6});
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.rays_per_receiver = 1000;
  const auto ground =
      static_cast<std::size_t>(std::count_if(whole.tiling.tiles.begin(), whole.tiling.tiles.end(),
                                             [](const Tile& tile) { return tile.kind == SurfaceKind::ground; }));
  for (const OverRooftop over_rooftop : {OverRooftop::none, OverRooftop::screens}) {
    options.over_rooftop = over_rooftop;
    const RayLaunchingResult of_whole = whole.launch(transmitter, receivers, options);
    EXPECT_TRUE(std::any_of(of_whole.rays.begin(), of_whole.rays.end(),
                            [](const Ray& ray) { return ray.interactions == "T-D-G"; }));
    for (const std::vector<double>& joints_z :
         {std::vector{1.5}, std::vector{2.9}, std::vector{4.1}, std::vector{12.0}, std::vector{2.0, 3.1, 4.3}}) {
      SCOPED_TRACE(joints_z[0]);
      const testing::Environment parts(house_cut_at(joints_z), 10);
      const RayLaunchingResult of_parts = parts.launch(transmitter, receivers, options);
      expect_same(of_parts.rays, of_whole.rays, 0.05);
      expect_same(of_parts.receivers, of_whole.receivers, receivers.size(), 0.05);
      expect_same(of_parts.tiles, of_whole.tiles, ground, 0.05);
    }
  }
}

TEST(StackedParts, BringTheImagesOfTheWholeHouse) {
  ImageTracingOptions exact;
  exact.max_reflections = 2;
  exact.max_diffractions = 2;
  const std::vector<Receiver> receivers = receivers_behind();
  const Transmitter transmitter = testing::test_transmitter({30, 60, 6});
  const testing::Environment whole(house_cut_at({}), 10);
  const ImageTracingResult of_whole =
      ImageTracer(whole.scene, whole.occlusion, receivers, exact).trace(transmitter, no_progress());
  for (const std::vector<double>& joints_z : {std::vector{2.9}, std::vector{2.0, 3.1, 4.3}}) {
    SCOPED_TRACE(joints_z[0]);
    const testing::Environment parts(house_cut_at(joints_z), 10);
    const ImageTracingResult of_parts =
        ImageTracer(parts.scene, parts.occlusion, receivers, exact).trace(transmitter, no_progress());
    expect_same(of_parts.rays, of_whole.rays, 1e-6);
    expect_same(of_parts.receivers, of_whole.receivers, receivers.size(), 1e-3);
  }
}

}  // namespace
}  // namespace tesseray
