// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths in vegetation beside the visibility's file: what they are, when they are taken, and when made anew.
#include "core/propagation/vegetation/vegetation_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/vegetation/vegetation_pairs.h"
#include "tests/support/environment.h"
#include "tests/support/kept_warnings.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

Scene wooded_city() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 300;
  options.seed = 9;
  Scene scene = testing::synthetic_city(options);
  for (int k = 0; k < 12; ++k) {
    const Vec2 min{20.0 * k + 5, 25.0 * ((5 * k) % 12)}, max = min + Vec2{35, 20};
    scene.vegetation.push_back({1, {{min, {max.x, min.y}, max, {min.x, max.y}}}, -20, 18});
  }
  return scene;
}

// What is launched with lengths from a file, and what the file costs where it cannot be used.
class VegetationFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    write_visibility(*town_.visibility, {}, environment_hash, folder_ / "town.tvis", no_progress());
    visibility_ = open_visibility(folder_ / "town.tvis", town_.tiling, environment_hash);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Prepares a launcher as a run does; returns the codes of its warnings.
  std::vector<std::string> prepare() const {
    testing::KeptWarnings warnings;
    RayLauncher(town_.scene, town_.tiling, town_.occlusion, *visibility_, {}, {})
        .prepare(warnings, kept_beside(*visibility_, 1.5));
    return warnings.codes();
  }
  std::optional<VegetationPairs> kept() const { return read_vegetation_pairs(*kept_beside(*visibility_, 1.5)); }
  std::string content() const {
    std::ifstream file(lengths_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& content) const { std::ofstream(lengths_, std::ios::binary) << content; }

  static constexpr std::uint64_t environment_hash = 7;
  const Environment town_{wooded_city(), 10};
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tesseray-vegetation-" + std::to_string(getpid()));
  const std::filesystem::path lengths_ = folder_ / "town.tveg";
  std::unique_ptr<Visibility> visibility_;
};

TEST_F(VegetationFiles, HoldTheLengths) {
  EXPECT_FALSE(kept_beside(*town_.visibility, 1.5).has_value()) << "in memory";
  EXPECT_FALSE(kept()) << "no file";
  ASSERT_TRUE(prepare().empty());
  const TargetPoints points(town_.tiling, {}, 1.5);
  const SightOverGround sight = look_over_ground(town_.occlusion, town_.tiling, *visibility_, points, no_progress());
  const VegetationPairs made(VegetationPrisms(town_.scene.vegetation), *visibility_, sight, points, no_progress());
  const std::optional<VegetationPairs> found = kept();
  ASSERT_TRUE(found);
  std::size_t members = 0;
  for (std::uint32_t element = 0; element < visibility_->element_count(); ++element) {
    const auto expected = made.row(element), row = found->row(element);
    ASSERT_EQ(row.size(), expected.size()) << element;
    for (std::size_t k = 0; k < row.size(); ++k) {
      ASSERT_EQ(row[k].number, expected[k].number);
      ASSERT_EQ(row[k].length_m, expected[k].length_m);
    }
    members += row.size();
  }
  EXPECT_GT(members, 10'000u);
  EXPECT_LT(content().size(), 4 * members) << "each pair once, in less than 8 bytes";
}

TEST_F(VegetationFiles, AreTakenByLaterRuns) {
  prepare();
  // A length that no vegetation gives tells where lengths came from.
  const KeptBeside beside = *kept_beside(*visibility_, 1.5);
  const std::optional<VegetationPairs> lengths = kept();
  ASSERT_TRUE(lengths.has_value());
  std::vector<std::vector<VegetationPairs::Member>> higher(visibility_->element_count());
  for (std::uint32_t element = 0; element < visibility_->element_count(); ++element) {
    for (const VegetationPairs::Member member : lengths->row(element)) {
      if (member.number > element) higher[element].push_back({member.number, 1e4f});
    }
    if (element == 50) break;
  }
  write_vegetation_pairs(VegetationPairs(higher), beside);
  const std::string written = content();
  EXPECT_TRUE(prepare().empty());
  EXPECT_EQ(content(), written) << "taken as it is, not made anew";
}

TEST_F(VegetationFiles, OfAnotherEnvironmentOrDamagedAreMadeAnew) {
  prepare();
  const std::string right = content();
  const KeptBeside beside = *kept_beside(*visibility_, 1.5);
  KeptBeside of_another = beside, farther = beside, higher = beside, fewer = beside;
  of_another.environment_hash = 8;
  farther.options.max_distance_m = 100;
  higher.receiver_height_m = 2;
  ++fewer.elements;
  for (const KeptBeside& other : {of_another, farther, higher, fewer}) EXPECT_FALSE(read_vegetation_pairs(other));
  std::string damaged = right;
  damaged[damaged.size() / 2] ^= 1;
  for (const std::string& wrong : {damaged, right.substr(0, right.size() - 1), right.substr(0, 20), right + "x"}) {
    write(wrong);
    EXPECT_FALSE(kept());
    EXPECT_TRUE(prepare().empty());
    EXPECT_EQ(content(), right);
  }
}

TEST_F(VegetationFiles, OfOtherKindsAreLeftAlone) {
  write("a user's own file");
  EXPECT_EQ(prepare(), std::vector<std::string>{"not_kept"});
  EXPECT_EQ(content(), "a user's own file");
}

}  // namespace
}  // namespace tesseray
