// SPDX-License-Identifier: GPL-3.0-or-later
// The scene file: what is written is read to the last bit, and whatever is not whole or not ours is refused.
#include "core/scene/file/scene_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "tests/support/spoilt_file.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

Transmitter beam_transmitter() {
  Transmitter transmitter;
  transmitter.transmitter_id = 7;
  transmitter.name = "Höhe";
  transmitter.position = {10.5, 20.25, 30.125};
  transmitter.height_above_ground_m = 25.5;
  transmitter.frequency_hz = 3.5e9;
  transmitter.erp_dbm = 47.5;
  transmitter.antenna = AntennaKind::beam;
  transmitter.antenna_details = {.beamwidth_deg = 80, .name = "beam_80"};
  transmitter.azimuth_deg = 120;
  transmitter.grid_azimuth_deg = 119.25;
  transmitter.downtilt_deg = 6;
  transmitter.polarization = Polarization::slant_minus_45;
  transmitter.diameter_m = 1.5;
  return transmitter;
}

SceneFile city_file(bool heights_on_grid) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 400;
  options.park_share = 0.3;
  options.tower_share = 0.2;
  SceneFile content;
  content.scene = testing::synthetic_city(options);
  for (float& height_m : content.scene.terrain.height_m) {
    height_m = heights_on_grid ? static_cast<float>(snapped(static_cast<double>(height_m))) : height_m + 1e-5F;
  }
  content.scene.frame = {{1024 * 1800, -1024 * 3.0}, "PROJCRS[…]", "EPSG:3946"};
  content.scene.materials.push_back({"glass", 6.31, 0.0, 0.0036, 1.3394});
  content.scene.clutter = {.south_west = {0.5, -20},
                           .step_x = 100,
                           .step_y = 150,
                           .columns = 4,
                           .rows = 3,
                           .cells = {1, 1, 1, 1, 0, 0, 2, 1, 2, 2, 2, 2},
                           .classes = {"forest", "21"}};
  content.tiling_options.tile_area_m2 = 36;
  content.tiling_options.ridge_angle_deg = 200;
  content.transmitters = {beam_transmitter(), Transmitter{}};
  return content;
}

class SceneFileTest : public testing::SpoiltFile {
 protected:
  SceneFileTest() : SpoiltFile("city.tscene") {}
  std::string refusal() const {
    return refusal_by([&] { read_scene_file(path_); });
  }
};

TEST_F(SceneFileTest, BringsBackWhatWasWritten) {
  for (const bool heights_on_grid : {true, false}) {
    const SceneFile written = city_file(heights_on_grid);
    ASSERT_FALSE(written.scene.vegetation.empty());
    write_scene_file(written, path_);
    EXPECT_TRUE(is_scene_file(path_));
    const SceneFile read = read_scene_file(path_);

    EXPECT_EQ(scene_hash(read.scene), scene_hash(written.scene));
    EXPECT_EQ(read.scene.terrain.height_m, written.scene.terrain.height_m);
    EXPECT_EQ(read.scene.frame.crs_wkt, "PROJCRS[…]");
    EXPECT_EQ(read.scene.frame.crs_name, "EPSG:3946");
    ASSERT_EQ(read.scene.materials.size(), 2u);
    EXPECT_EQ(read.scene.materials[1].name, "glass");
    const Clutter &clutter = read.scene.clutter, &expected_clutter = written.scene.clutter;
    EXPECT_EQ(clutter.cells, expected_clutter.cells);
    EXPECT_EQ(clutter.classes, expected_clutter.classes);
    EXPECT_EQ(clutter.south_west, expected_clutter.south_west);
    EXPECT_EQ(clutter.at({150, 200}), expected_clutter.at({150, 200}));
    EXPECT_EQ(read.tiling_options.tile_area_m2, 36);
    EXPECT_EQ(read.tiling_options.min_wall_width_m, written.tiling_options.min_wall_width_m);
    EXPECT_EQ(read.tiling_options.min_wall_area_m2, written.tiling_options.min_wall_area_m2);
    EXPECT_EQ(read.tiling_options.ridge_angle_deg, 200);
    ASSERT_EQ(read.transmitters.size(), 2u);
    const Transmitter expected = beam_transmitter(), &found = read.transmitters[0];
    EXPECT_EQ(found.transmitter_id, expected.transmitter_id);
    EXPECT_EQ(found.name, expected.name);
    EXPECT_EQ(found.position, expected.position);
    EXPECT_EQ(found.height_above_ground_m, expected.height_above_ground_m);
    EXPECT_EQ(found.frequency_hz, expected.frequency_hz);
    EXPECT_EQ(found.erp_dbm, expected.erp_dbm);
    EXPECT_EQ(found.antenna, expected.antenna);
    EXPECT_EQ(found.antenna_details.beamwidth_deg, expected.antenna_details.beamwidth_deg);
    EXPECT_EQ(found.antenna_details.name, expected.antenna_details.name);
    EXPECT_EQ(found.azimuth_deg, expected.azimuth_deg);
    EXPECT_EQ(found.grid_azimuth_deg, expected.grid_azimuth_deg);
    EXPECT_EQ(found.downtilt_deg, expected.downtilt_deg);
    EXPECT_EQ(found.polarization, expected.polarization);
    EXPECT_EQ(found.diameter_m, expected.diameter_m);
    EXPECT_EQ(read.transmitters[1].name, "");
    EXPECT_EQ(encoded_scene(read), encoded_scene(written));
  }
}

// The bytes of docs/formats.md, read here by their places.
TEST_F(SceneFileTest, IsLaidOutAsDocumented) {
  write_scene_file(city_file(true), path_);
  const std::string file = bytes();
  const auto u64_at = [&](std::size_t place) {
    std::uint64_t number = 0;
    for (int k = 7; k >= 0; --k)
      number = number << 8 | static_cast<std::uint8_t>(file[place + static_cast<std::size_t>(k)]);
    return number;
  };
  const auto f64_at = [&](std::size_t place) {
    const std::uint64_t bits = u64_at(place);
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  };
  const auto* data = reinterpret_cast<const std::uint8_t*>(file.data());
  EXPECT_EQ(file.substr(0, 8), std::string("TSCN\2\0\0\0", 8));
  EXPECT_EQ(u64_at(8), file.size());
  EXPECT_EQ(u64_at(16), scene_hash(city_file(true).scene));
  EXPECT_EQ(u64_at(24), xxh64({data + 40, file.size() - 40}));
  EXPECT_EQ(u64_at(32), xxh64({data, 32}));
  EXPECT_EQ(f64_at(40), 1024 * 1800);
  EXPECT_EQ(f64_at(48), -1024 * 3.0);
  EXPECT_EQ(file.substr(56, 4 + 12), std::string("\x0c\0\0\0", 4) + "PROJCRS[…]");
}

TEST_F(SceneFileTest, HeightsOnTheGridTakeLessThanHalf) {
  Scene scene = testing::flat_ground(100, 100);
  scene.terrain.columns = scene.terrain.rows = 500;
  scene.terrain.height_m.clear();
  for (int node = 0; node < 500 * 500; ++node) {
    scene.terrain.height_m.push_back(static_cast<float>(snapped(200 + 10 * std::sin(node * 1e-3))));
  }
  EXPECT_LT(encoded_scene({scene, {}, {}}).size(), 4u * 500 * 500 / 2);
}

TEST_F(SceneFileTest, RefusesWhatIsNotASceneFile) {
  put("GPKG and more than forty bytes of something else, to be sure");
  EXPECT_EQ(refusal(), "foreign_scene");
  EXPECT_FALSE(is_scene_file(path_));
  put("TS");
  EXPECT_EQ(refusal(), "foreign_scene");
  EXPECT_FALSE(is_scene_file(path_));
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "cannot_read_file");
  EXPECT_FALSE(is_scene_file(path_));
}

TEST_F(SceneFileTest, RefusesAnotherVersion) {
  write_scene_file(city_file(true), path_);
  std::string other = bytes();
  other[4] = 1;
  put(other);
  EXPECT_EQ(refusal(), "unsupported_scene_version");
}

TEST_F(SceneFileTest, RefusesEveryTruncationAndExtension) {
  write_scene_file(city_file(true), path_);
  const std::string whole = bytes();
  for (const std::size_t size :
       {std::size_t{4}, std::size_t{39}, std::size_t{40}, whole.size() / 2, whole.size() - 1}) {
    put(whole.substr(0, size));
    EXPECT_EQ(refusal(), "truncated_scene") << size;
  }
  put(whole + "x");
  EXPECT_EQ(refusal(), "damaged_scene");
}

TEST_F(SceneFileTest, RefusesEveryFlippedBit) {
  write_scene_file(city_file(true), path_);
  const std::string whole = bytes();
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = whole;
    const std::size_t place = trial < 40 ? static_cast<std::size_t>(trial) : random() % whole.size();
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    put(damaged);
    EXPECT_NE(refusal(), "") << place;
  }
}

// Content that checksums vouch for may still be nonsense: it is refused without crash or boundless memory.
TEST_F(SceneFileTest, RefusesContentThatIsNoScene) {
  const std::vector<std::uint8_t> whole = encoded_scene(city_file(false));
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 500) {
    EXPECT_THROW(decoded_scene(std::span(whole).first(size)), std::length_error) << size;
  }
  std::mt19937 random(6);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint8_t> changed = whole;
    for (int k = 0; k < 4; ++k) changed[random() % changed.size()] = 0xff;
    try {
      decoded_scene(changed);
    } catch (const std::length_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(SceneFileTest, RefusesAntennasFromFiles) {
  SceneFile content = city_file(true);
  content.transmitters[0].antenna = AntennaKind::pattern_file;
  content.transmitters[0].antenna_details.file = "panel.msi";
  try {
    write_scene_file(content, path_);
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "antenna_not_storable");
    EXPECT_NE(error.message().find("panel.msi"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace tesseray
