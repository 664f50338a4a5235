// SPDX-License-Identifier: GPL-3.0-or-later
// What receivers over ground tiles see beside the tiles' rows: which elements these are, what comes from them, and the
// file in which they are kept.
#include "core/propagation/rows/sight_over_ground.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/propagation/rows/sight_over_ground_file.h"
#include "tests/support/environment.h"
#include "tests/support/kept_warnings.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// Two houses on waves of the ground, behind whose crests middles of ground tiles see less than receivers. The ground
// reflects nothing.
Scene houses_on_waves() {
  Scene scene = testing::terrain_of(200, 200, 5, [](Vec2 p) { return std::cos(p.x / 7) * std::cos(p.y / 9); });
  scene.prisms = {testing::box_prism(1, {30, 110}, {150, 122}, -10, 8),
                  testing::box_prism(2, {60, 30}, {90, 50}, -10, 12)};
  Material as_air;
  as_air.name = "as air";
  as_air.a = 1;
  as_air.c = 0;
  scene.materials.push_back(as_air);
  scene.default_materials.ground = static_cast<std::uint16_t>(scene.materials.size() - 1);
  return scene;
}

// A house far behind such waves.
Scene house_far_over_waves() {
  Scene scene = testing::terrain_of(600, 40, 5, [](Vec2 p) { return 0.7 * std::cos(p.x / 7) * std::cos(p.y / 9); });
  scene.prisms = {testing::box_prism(1, {560, 5}, {590, 35}, -10, 15)};
  return scene;
}

SightOverGround sight_of(const Environment& town, const Visibility& visibility, double height_m = 1.5) {
  return look_over_ground(town.occlusion, town.tiling, visibility, TargetPoints(town.tiling, {}, height_m),
                          no_progress());
}

TEST(SightOverGround, IsWhatReceiversSeeAndTilesDoNot) {
  const Environment town(houses_on_waves(), 10);
  const SightOverGround sight = sight_of(town, *town.visibility);
  std::vector<std::vector<std::uint32_t>> seen_from(town.visibility->element_count());
  std::vector<std::uint32_t> row, expected;
  for (std::uint32_t t = 0; t < sight.ground_tiles(); ++t) {
    ASSERT_EQ(town.tiling.tiles[t].kind, SurfaceKind::ground);
    const auto seen = visible_from(town.occlusion, town.tiling, town.tiling.tiles[t].centroid + Vec3{0, 0, 1.5});
    town.visibility->read_row(t, row);
    expected.clear();
    std::set_difference(seen.begin(), seen.end(), row.begin(), row.end(), std::back_inserter(expected));
    const auto beside = sight.beside_row(t);
    ASSERT_TRUE(std::equal(beside.begin(), beside.end(), expected.begin(), expected.end())) << t;
    for (const std::uint32_t element : expected) {
      EXPECT_TRUE(sight.is_beside_row(t, element));
      if (element >= sight.ground_tiles()) seen_from[element].push_back(t);
    }
    EXPECT_FALSE(sight.is_beside_row(t, row.front()));
  }
  std::size_t pairs = 0;
  for (std::uint32_t element = 0; element < town.visibility->element_count(); ++element) {
    const auto tiles = sight.seen_from(element);
    ASSERT_TRUE(std::equal(tiles.begin(), tiles.end(), seen_from[element].begin(), seen_from[element].end()))
        << element;
    EXPECT_FALSE(sight.is_beside_row(element, element) && element >= sight.ground_tiles());
    pairs += tiles.size();
  }
  EXPECT_GT(pairs, 500u);
}

Vec3 lifted_centroid(const Tile& tile) { return tile.centroid + lift_m * tile.normal; }

// What receivers over ground tiles see and the tiles do not: ground so far, and whatever else.
void expect_sight(const Environment& town, const Visibility& visibility, double ground_m, double others_m) {
  const SightOverGround sight = sight_of(town, visibility);
  std::vector<std::uint32_t> row;
  std::size_t far = 0;
  for (std::uint32_t t = 0; t < sight.ground_tiles(); ++t) {
    const Vec3 receiver = town.tiling.tiles[t].centroid + Vec3{0, 0, 1.5};
    visibility.read_row(t, row);
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t e : visible_from(town.occlusion, town.tiling, receiver, {.max_distance_m = others_m})) {
      const bool is_ground = e < sight.ground_tiles();
      const bool in_reach = !is_ground || norm(lifted_centroid(town.tiling.tiles[e]) - receiver) <= ground_m;
      if (!in_reach || std::binary_search(row.begin(), row.end(), e)) continue;
      expected.push_back(e);
      if (!is_ground && e < town.tiling.tiles.size()) {
        far += norm(town.tiling.tiles[e].centroid - receiver) > 1.2 * ground_m ? 1 : 0;
      }
    }
    const auto beside = sight.beside_row(t);
    ASSERT_EQ(std::vector(beside.begin(), beside.end()), expected) << t;
  }
  EXPECT_EQ(far > 50, others_m > 1.4 * ground_m) << far;
}

TEST(SightOverGround, OfWallsIsAsFarAsTheVisibilityGoes) {
  const Environment town(house_far_over_waves(), 10);
  expect_sight(town, *town.visibility, SightOverGround::ground_reach_m, infinity);
}

// Of what would be too much to keep, far walls are left out before ground.
TEST(SightOverGround, IsLessFarWhereItWouldBeTooMuch) {
  const Environment town(house_far_over_waves(), 4);
  const TargetPoints points(town.tiling, {}, 1.5);
  const auto look = [&](std::uint64_t most_members) {
    return look_over_ground(town.occlusion, town.tiling, *town.visibility, points, no_progress(), most_members);
  };
  struct Counts {
    double ground = 0, others = 0;
  };
  const auto counts = [](const SightOverGround& sight) {
    Counts counted;
    for (std::uint32_t t = 0; t < sight.ground_tiles(); ++t) {
      for (const std::uint32_t e : sight.beside_row(t)) ++(e < sight.ground_tiles() ? counted.ground : counted.others);
    }
    return counted;
  };
  const Counts all = counts(look(SightOverGround::most_members));
  const Counts near = counts(look(static_cast<std::uint64_t>(all.ground + 0.6 * all.others)));
  EXPECT_EQ(near.ground, all.ground);
  EXPECT_LT(near.others, 0.75 * all.others);
  EXPECT_GT(near.others, 0.1 * all.others);
  const Counts few = counts(look(static_cast<std::uint64_t>(0.3 * (all.ground + all.others))));
  EXPECT_LT(few.ground, 0.85 * all.ground);
  EXPECT_LT(few.others, near.others);
}

TEST(SightOverGround, OfGroundIsAsFarAsItReaches) {
  Scene far = testing::flat_ground(700, 20);
  const Environment town(far, 10);
  const SightOverGround sight = sight_of(town, *town.visibility);
  std::size_t seen = 0;
  for (std::uint32_t t = 0; t < sight.ground_tiles(); ++t) {
    for (const std::uint32_t other : sight.beside_row(t)) {
      const Vec3 target = town.tiling.tiles[t].centroid + Vec3{0, 0, 1.5};
      EXPECT_LT(norm(town.tiling.tiles[other].centroid - target), SightOverGround::ground_reach_m + 0.1);
      ++seen;
    }
  }
  EXPECT_GT(seen, 50u * sight.ground_tiles());
}

// Among trees, too, whose shadows are known from the receivers.
TEST(SightOverGround, BringsGroundTilesWhatReceiversOverThemGet) {
  Scene bare = houses_on_waves(), wooded = bare;
  wooded.vegetation.push_back({1, {{{100, 60}, {140, 60}, {140, 100}, {100, 100}}}, -2, 9});
  for (const Scene& scene : {bare, wooded}) {
    const Environment town(scene, 10);
    std::vector<Vec3> over_ground;
    for (const Tile& tile : town.tiling.tiles) {
      if (tile.kind == SurfaceKind::ground) over_ground.push_back(tile.centroid + Vec3{0, 0, 1.5});
    }
    const SightOverGround sight = sight_of(town, *town.visibility);
    RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
    options.vegetation = VegetationModel::per_metre;
    const Vec3 sender{75, 75, 4};
    const auto result = town.launch(testing::test_transmitter(sender), testing::receivers_at(over_ground), options);
    std::size_t compared = 0;
    for (std::uint32_t t = 0; t < over_ground.size(); ++t) {
      if (town.occlusion.is_free(sender, over_ground[t])) continue;
      const double at_receiver = testing::total_gain(result.receivers[t]);
      EXPECT_NEAR(testing::total_gain(result.tiles[t]), at_receiver, 1e-3 * at_receiver)
          << over_ground[t].x << " " << over_ground[t].y;
      const auto beside = sight.beside_row(t);
      const bool has_more = !beside.empty() && beside.back() >= sight.ground_tiles();
      if (at_receiver > 0 && has_more) ++compared;
    }
    EXPECT_GE(compared, 40u);
  }
}

class SightOverGroundFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    write_visibility(*town_.visibility, {}, 7, folder_ / "town.tvis", no_progress());
    visibility_ = open_visibility(folder_ / "town.tvis", town_.tiling, 7);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  KeptBeside beside(double receiver_height_m = 1.5) const { return *kept_beside(*visibility_, receiver_height_m); }
  // The powers at tiles of a run that keeps; its warnings are told.
  std::vector<double> gains_of_run(std::vector<std::string>& warnings) const {
    testing::KeptWarnings told;
    const RayLauncher launcher(town_.scene, town_.tiling, town_.occlusion, *visibility_, {},
                               testing::without_scattering(1, 1, 1));
    launcher.prepare(told, beside());
    warnings = told.codes();
    std::vector<double> gains;
    for (const ArrivalSums& sums : launcher.launch(testing::test_transmitter({75, 75, 4}), no_progress()).tiles) {
      gains.push_back(testing::total_gain(sums));
    }
    return gains;
  }

  const Environment town_{houses_on_waves(), 10};
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tesseray-over-ground-" + std::to_string(getpid()));
  const std::filesystem::path file_ = folder_ / "town.tsog";
  std::unique_ptr<Visibility> visibility_;
};

TEST_F(SightOverGroundFiles, AreNoFartherThanTheirVisibility) {
  const Environment town(house_far_over_waves(), 10);
  for (const double farthest_m : {150.0, 450.0}) {
    const VisibilityOptions options{.max_distance_m = farthest_m};
    const auto near = compute_visibility(town.occlusion, town.tiling, options, no_progress());
    write_visibility(*near, options, 8, folder_ / "near.tvis", no_progress());
    const auto opened = open_visibility(folder_ / "near.tvis", town.tiling, 8);
    expect_sight(town, *opened, std::min(farthest_m, SightOverGround::ground_reach_m), farthest_m);
  }
}

TEST_F(SightOverGroundFiles, HoldWhatIsSeenAndAreTakenByLaterRuns) {
  EXPECT_FALSE(read_sight_over_ground(beside()).has_value()) << "no file";
  std::vector<std::string> warnings;
  const std::vector<double> gains = gains_of_run(warnings);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(share_of_receivers(town_.tiling, 3, {}, beside()), 1) << "the rest is read";
  const std::optional<SightOverGround> kept = read_sight_over_ground(beside());
  ASSERT_TRUE(kept.has_value());
  const SightOverGround seen = sight_of(town_, *town_.visibility);
  ASSERT_EQ(kept->ground_tiles(), seen.ground_tiles());
  for (std::uint32_t t = 0; t < seen.ground_tiles(); ++t) {
    const auto a = kept->beside_row(t), b = seen.beside_row(t);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << t;
  }
  EXPECT_EQ(gains_of_run(warnings), gains);
  // Where nobody sees more than the rows say less arrives: the file is what a run takes.
  const std::vector<std::vector<std::uint32_t>> nothing(seen.ground_tiles());
  write_sight_over_ground(SightOverGround(nothing, visibility_->element_count()), beside());
  const std::vector<double> without = gains_of_run(warnings);
  EXPECT_NE(without, gains);
}

TEST_F(SightOverGroundFiles, OfOtherHeightsOrDamagedAreMadeAnew) {
  std::vector<std::string> warnings;
  const std::vector<double> gains = gains_of_run(warnings);
  EXPECT_FALSE(read_sight_over_ground(beside(2)).has_value());
  std::ifstream read(file_, std::ios::binary);
  const std::string right{std::istreambuf_iterator<char>(read), {}};
  std::string damaged = right;
  damaged[damaged.size() / 2] ^= 1;
  for (const std::string& wrong : {damaged, right.substr(0, right.size() - 1), right.substr(0, 20), right + "x"}) {
    std::ofstream(file_, std::ios::binary) << wrong;
    EXPECT_FALSE(read_sight_over_ground(beside()).has_value());
    EXPECT_EQ(gains_of_run(warnings), gains);
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(read_sight_over_ground(beside()).has_value());
  }
  std::ofstream(file_, std::ios::binary) << "a user's own file";
  EXPECT_EQ(gains_of_run(warnings), gains);
  EXPECT_EQ(warnings, std::vector<std::string>{"not_kept"});
}

}  // namespace
}  // namespace tesseray
