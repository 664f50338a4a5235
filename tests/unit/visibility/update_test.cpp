// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility after an edit, brought up to date from that before it: the bytes of a full computation.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/visibility/visibility.h"
#include "scene_edits.h"
#include "small_cities.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::test {
namespace {

constexpr std::uint64_t hash_before = 11, hash_after = 12;

class VisibilityUpdates : public ::testing::Test {
 protected:
  VisibilityUpdates()
      : folder_(std::filesystem::temp_directory_path() / ("tesseray-update-" + std::to_string(getpid()))),
        before_(folder_ / "before.tvis"),
        after_(folder_ / "after.tvis"),
        updated_(folder_ / "updated.tvis") {
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  struct Environment {
    explicit Environment(const Scene& made, double tile_area_m2 = 100) : scene(made) {
      TilingOptions options;
      options.tile_area_m2 = tile_area_m2;
      tiling = tile_scene(scene, options, no_progress());
    }
    Scene scene;
    Tiling tiling;
  };

  void write_whole(const Environment& of, std::uint64_t hash, const std::filesystem::path& path,
                   const VisibilityOptions& options = {}) {
    const auto visibility = compute_visibility(Occlusion(of.scene), of.tiling, options, no_progress());
    write_visibility(*visibility, options, hash, path, no_progress());
  }

  // Forth, and back again, for each edit.
  void expect_same_bytes(const Environment& before, const std::vector<SceneEdit>& edits, const std::string& name,
                         const VisibilityOptions& options = {}) {
    write_whole(before, hash_before, before_, options);
    for (const SceneEdit& edit : edits) {
      const Environment after(edit.scene);
      write_whole(after, hash_after, after_, options);
      const VisibilityUpdate there = update_visibility(
          {before.scene, before.tiling, before_, hash_before},
          {after.scene, after.tiling, Occlusion(after.scene), options, hash_after}, updated_, no_progress());
      ASSERT_EQ(there.why_not, "") << name << ", " << edit.name;
      ASSERT_TRUE(bytes(updated_) == bytes(after_)) << name << ", " << edit.name;
      const VisibilityUpdate back = update_visibility(
          {after.scene, after.tiling, after_, hash_after},
          {before.scene, before.tiling, Occlusion(before.scene), options, hash_before}, updated_, no_progress());
      ASSERT_EQ(back.why_not, "") << name << ", " << edit.name << ", undone";
      ASSERT_TRUE(bytes(updated_) == bytes(before_)) << name << ", " << edit.name << ", undone";
      changed_entries_ += there.changed_entries + back.changed_entries;
    }
  }

  VisibilityUpdate update(const Environment& before, const Environment& after, const VisibilityOptions& options = {}) {
    return update_visibility({before.scene, before.tiling, before_, hash_before},
                             {after.scene, after.tiling, Occlusion(after.scene), options, hash_after}, updated_,
                             no_progress());
  }

  std::filesystem::path folder_, before_, after_, updated_;
  std::uint64_t changed_entries_ = 0;
};

TEST_F(VisibilityUpdates, HaveTheBytesOfAFullComputationOnHardCities) {
  for (CityOptions options : hard_cities()) {
    options.seed = 31;
    const Environment before(make_city(options));
    changed_entries_ = 0;
    expect_same_bytes(before, random_edits(before.scene, 31), options.name);
    EXPECT_GT(changed_entries_, 1000u) << options.name;
  }
}

TEST_F(VisibilityUpdates, HaveTheBytesOfAFullComputationOnALongCity) {
  testing::SyntheticCityOptions options;
  options.width_m = 900;
  options.depth_m = 200;
  options.open_lot_share = 0.3;
  const Environment before(testing::synthetic_city(options));
  expect_same_bytes(before, random_edits(before.scene, 5), "long city");
}

TEST_F(VisibilityUpdates, KeepAMaximumDistance) {
  const Environment before(make_city(hard_cities().back()));
  VisibilityOptions near;
  near.max_distance_m = 70;
  expect_same_bytes(before, random_edits(before.scene, 9), "near", near);
}

// Without a DEM the ground reaches as far as the buildings do: one that sticks out of the extent makes it larger.
TEST_F(VisibilityUpdates, HaveTheBytesOfAFullComputationOnFlatGroundOfAnotherSize) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 250;
  options.hill_m = 0;
  Scene scene = testing::synthetic_city(options);
  const auto flat_ground_to = [&scene](double margin_m) {
    const Rectangle all = grown(scene.extent, margin_m);
    return Terrain{.south_west = all.min,
                   .step_x = all.max.x - all.min.x,
                   .step_y = all.max.y - all.min.y,
                   .columns = 2,
                   .rows = 2,
                   .height_m = std::vector<float>(4, 0.0f)};
  };
  scene.terrain = flat_ground_to(1);
  const Environment before(scene);
  std::vector<SceneEdit> edits = random_edits(scene, 7);
  const Vec2 corner = scene.extent.max;
  const Rectangle house{{corner.x - 9, corner.y - 30}, {corner.x + 4, corner.y - 20}};
  Scene with_house = scene;
  std::erase_if(with_house.prisms, [&house](const Prism& prism) { return touch(bounds(prism.rings), house); });
  with_house.prisms.push_back(testing::box_prism(scene.prisms.back().building_id + 1, house.min, house.max, 0, 9));
  edits.push_back({"a house beyond the extent", with_house});
  for (SceneEdit& edit : edits) edit.scene.terrain = flat_ground_to(5);
  expect_same_bytes(before, edits, "flat");
  EXPECT_GT(changed_entries_, 1000u);

  scene.terrain.height_m.assign(4, 1.0f);
  EXPECT_EQ(update(before, Environment(scene)).why_not, "the terrain is another one");
}

TEST_F(VisibilityUpdates, OfOneBuildingLookAtFewElements) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 900;
  const Environment before(testing::synthetic_city(options));
  write_whole(before, hash_before, before_);
  Scene scene = before.scene;
  testing::Random random(4);
  ASSERT_TRUE(add_box(scene, scene.extent, 8, 12, random));
  const VisibilityUpdate found = update(before, Environment(scene));
  EXPECT_EQ(found.why_not, "");
  EXPECT_GT(found.searched_elements, 0u);
  EXPECT_LT(found.searched_elements, before.tiling.tiles.size() / 4);
  EXPECT_LT(found.new_elements, 100u);
}

TEST_F(VisibilityUpdates, AreLeftToAFullComputationWhereTheyWouldNotBeExactOrNotBeShort) {
  const Environment before(make_city(hard_cities()[0]));
  write_whole(before, hash_before, before_);
  VisibilityOptions near;
  near.max_distance_m = 100;
  EXPECT_EQ(update(before, before, near).why_not, "MAX_DISTANCE is another one");

  Scene scene = before.scene;
  scene.terrain.height_m[7] += 1;
  EXPECT_EQ(update(before, Environment(scene)).why_not, "the terrain is another one");

  scene = before.scene;
  scene.frame.origin.x += 1024;
  EXPECT_EQ(update(before, Environment(scene)).why_not, "the origin of the local frame is another one");

  EXPECT_EQ(update(before, Environment(before.scene, 20)).why_not, "too much has changed");
  EXPECT_FALSE(std::filesystem::exists(updated_));
}

TEST_F(VisibilityUpdates, RefuseAnEarlierFileThatIsDamagedOrOfAnotherEnvironment) {
  const Environment before(make_city(hard_cities()[0]));
  write_whole(before, hash_before + 1, before_);
  EXPECT_THROW(update(before, before), Error);
  write_whole(before, hash_before, before_);
  std::string content = bytes(before_);
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 4);
  std::ofstream(before_, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  EXPECT_THROW(update(before, before), Error);
  EXPECT_FALSE(std::filesystem::exists(updated_));
}

}  // namespace
}  // namespace tesseray::test
