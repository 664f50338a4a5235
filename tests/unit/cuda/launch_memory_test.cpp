// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a launch, with what batches take.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/bounce_batch.h"
#include "cuda/rooftop_batch.h"
#include "cuda/scatter_batch.h"
#include "tests/support/environment.h"
#include "tests/unit/cuda/launch_cases.h"

namespace tesseray::test {
namespace {

TEST(LaunchMemory, HasWhatBatchesTake) {
  const testing::Environment environment(city(), 20);
  const auto bytes_with = [&](const MakeRooftopSearch& search, const MakeTubeBouncer& bouncer,
                              const MakeRowScatterer& scatterer) {
    const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility,
                               {}, all_effects(), search, bouncer, scatterer);
    launcher.prepare(no_progress());
    return launcher.bytes_of_launch(1);
  };
  std::size_t host_bytes = 0;
  const auto noted = [&](auto made) {
    host_bytes = made->host_bytes();
    return made;
  };
  const std::uint64_t none = bytes_with({}, {}, {});
  const std::uint64_t searching = bytes_with(
      [&](const RooftopSceneView& scene) { return noted(make_host_rooftop_search(scene, {.points = 512})); }, {}, {});
  EXPECT_GE(host_bytes, 16'384u * 512 * sizeof(Vec2));
  EXPECT_GE(searching, none + host_bytes);
  const std::uint64_t bouncing =
      bytes_with({}, [&](const EnvironmentView& view) { return noted(make_host_tube_bouncer(view, {})); }, {});
  EXPECT_GE(host_bytes, 16'384u * sizeof(Tube));
  EXPECT_GE(bouncing, none + host_bytes);
  const std::uint64_t scattering =
      bytes_with({}, {}, [&](const EnvironmentView& view) { return noted(make_host_row_scatterer(view, {})); });
  EXPECT_GE(host_bytes, (std::size_t{1} << 19) * sizeof(SourceAtEdge));
  EXPECT_GE(scattering, none + host_bytes);
}

}  // namespace
}  // namespace tesseray::test
