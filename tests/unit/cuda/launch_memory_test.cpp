// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a launch, with what batches take.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/propagation/rows/sight_over_ground.h"
#include "cuda/bounce_batch.h"
#include "cuda/rooftop_batch.h"
#include "cuda/scatter_batch.h"
#include "tests/support/environment.h"
#include "tests/unit/cuda/launch_cases.h"

namespace tesseray::test {
namespace {

struct Bytes {
  std::uint64_t of_launch = 0, besides = 0;
};

// What batches of all launches take is not taken by each of them; what a thread gathers for a batch is.
void expect_has(const Bytes& found, const Bytes& without, std::uint64_t of_batches, std::uint64_t of_thread) {
  EXPECT_EQ(found.besides, without.besides + of_batches);
  EXPECT_GE(found.of_launch, without.of_launch + of_thread);
  EXPECT_LT(found.of_launch, without.of_launch + of_thread + of_batches);
}

TEST(LaunchMemory, HasWhatBatchesTake) {
  const testing::Environment environment(city(), 20);
  const auto bytes_with = [&](LaunchMakers makers) -> Bytes {
    const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility,
                               {}, all_effects(), std::move(makers));
    launcher.prepare(no_progress());
    return {launcher.bytes_of_launch(1), launcher.bytes_besides_launches()};
  };
  std::size_t host_bytes = 0;
  const auto noted = [&](auto made) {
    host_bytes = made->host_bytes();
    return made;
  };
  const Bytes none = bytes_with({});
  const SightFromPoints from_points(environment.occlusion, environment.tiling);
  const TargetPoints points(environment.tiling, {}, all_effects().receiver_height_m, true);
  const SightOverGround over_ground =
      look_over_ground(environment.occlusion, environment.tiling, *environment.visibility, points, no_progress());
  EXPECT_GT(over_ground.bytes(), 0u);
  EXPECT_EQ(none.besides, from_points.bytes() + over_ground.bytes());
  EXPECT_GT(none.besides, 100 * environment.tiling.tiles.size());
  const Bytes searching = bytes_with({.rooftop_search = [&](const RooftopSceneView& scene) {
    return noted(make_host_rooftop_search(scene, {.points = 512}));
  }});
  EXPECT_GE(host_bytes, RooftopCapacity().targets * 512 * sizeof(Vec2));
  expect_has(searching, none, host_bytes, RooftopCapacity().targets * sizeof(RooftopTarget));
  const Bytes bouncing = bytes_with(
      {.tube_bouncer = [&](const EnvironmentView& view) { return noted(make_host_tube_bouncer(view, {})); }});
  EXPECT_GE(host_bytes, BounceCapacity().tubes * sizeof(Tube));
  expect_has(bouncing, none, host_bytes, BounceCapacity().tubes * sizeof(const Tube*));
  const Bytes scattering = bytes_with(
      {.row_scatterer = [&](const EnvironmentView& view) { return noted(make_host_row_scatterer(view, {})); }});
  EXPECT_GE(host_bytes, (std::size_t{1} << 19) * sizeof(SourceAtEdge));
  expect_has(scattering, none, host_bytes, (std::uint64_t{1} << 19) * sizeof(std::uint32_t));
}

// What options add to the memory of two threads, by what there is of it at each tile, element or receiver.
TEST(LaunchMemory, HasWhatOptionsAdd) {
  const testing::Environment environment(city(), 20);
  const std::vector<Receiver> receivers = testing::receivers_at({{20, 20, 1.5}, {30, 20, 1.5}, {40, 20, 1.5}});
  constexpr std::size_t threads = 2;
  const auto bytes_with = [&](const RayLaunchingOptions& options) {
    return RayLauncher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility, receivers,
                       options)
        .bytes_of_launch(threads);
  };
  const std::size_t tiles = environment.tiling.tiles.size(), elements = tiles + environment.tiling.edges.size();
  RayLaunchingOptions plain;
  plain.max_scatterings = 0;
  RayLaunchingOptions rays = plain;
  rays.rays_per_receiver = 5;
  EXPECT_EQ(bytes_with(rays) - bytes_with(plain), (threads + 1) * receivers.size() * sizeof(RaysWithoutPower));

  RayLaunchingOptions over_roofs = plain, angles = plain;
  over_roofs.over_rooftop = OverRooftop::screens;
  EXPECT_EQ(bytes_with(over_roofs), bytes_with(plain));
  angles.wideband = true;
  RayLaunchingOptions angles_over_roofs = over_roofs;
  angles_over_roofs.wideband = true;
  const std::size_t place_and_mark = 32;
  EXPECT_EQ(bytes_with(angles_over_roofs) - bytes_with(angles), (elements + receivers.size()) * place_and_mark);

  RayLaunchingOptions scattering = rays;
  scattering.max_scatterings = 1;
  RayLaunchingOptions kept = scattering, lobes = scattering;
  kept.scattered_rays = true;
  EXPECT_EQ(bytes_with(kept) - bytes_with(scattering), tiles * sizeof(std::vector<int>));
  lobes.scattering_lobe_exponent = 4;
  const std::size_t kinds = 3,
                    coefficients = 35;  // after one scattering; of a polynomial of degree 4 in three variables
  EXPECT_EQ(bytes_with(lobes) - bytes_with(scattering), tiles * kinds * coefficients * sizeof(double));
}

}  // namespace
}  // namespace tesseray::test
