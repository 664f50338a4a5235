// SPDX-License-Identifier: GPL-3.0-or-later
// The content of scene files, whose checksum somebody else may have made.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/scene/file/scene_file.h"
#include "tests/fuzz/mutations.h"

namespace tesseray {
namespace {

SceneFile small_town() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 150;
  options.park_share = 0.3;
  SceneFile file;
  file.scene = testing::synthetic_city(options);
  file.scene.materials.push_back({"glass", 6.31, 0.0, 0.0036, 1.3394});
  file.scene.clutter = {.step_x = 50, .step_y = 50, .columns = 3, .rows = 3, .cells = {1, 1, 1, 0, 0, 2, 2, 2, 1}};
  file.scene.clutter.classes = {"forest", "21"};
  file.transmitters = {Transmitter{}, Transmitter{}};
  file.transmitters[0].name = "Höhe";
  return file;
}

TEST(ScenesFuzz, AreReadOrRefused) {
  const std::vector<std::uint8_t> valid = encoded_scene(small_town());
  testing::Mutations mutations(1);
  int read = 0;
  for (int round = 0; round < testing::fuzz_rounds(5'000); ++round) {
    const std::vector<std::uint8_t> bytes = mutations.of_bytes(valid);
    try {
      const SceneFile file = decoded_scene(bytes);
      ++read;
      // What has been read can be written, and read again.
      EXPECT_NO_THROW(decoded_scene(encoded_scene(file))) << round;
    } catch (const std::length_error&) {
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace tesseray
