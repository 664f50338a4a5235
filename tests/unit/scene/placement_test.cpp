// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/scene/transmitter.h"
#include "tests/support/kept_warnings.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

class PlacementTest : public ::testing::Test {
 protected:
  PlacementTest() {
    scene_ = testing::flat_ground(200, 200);
    scene_.frame.origin = {500'736, 5'000'192};
    scene_.terrain.height_m.assign(4, 100.0F);
    scene_.prisms = {testing::box_prism(7, {50, 50}, {80, 80}, 100, 120),
                     testing::box_prism(8, {60, 60}, {70, 70}, 120, 150)};
  }

  RawTransmitter at(double x, double y, double height, HeightReference reference) const {
    RawTransmitter raw;
    raw.feature_id = 42;
    raw.name = "north mast";
    raw.position = scene_.frame.origin + Vec2{x, y};
    raw.height_m = height;
    raw.reference = reference;
    raw.source = {.file = "sites.csv", .line = 4};
    return raw;
  }

  // The message of the error that placing throws.
  std::string error_of(const std::vector<RawTransmitter>& raw) const {
    try {
      place_transmitters(raw, scene_, no_progress());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_FALSE(error.hint().empty());
      return error.message();
    }
    return "placed";
  }

  Scene scene_;
};

TEST_F(PlacementTest, ErrorsTellTheLineOfATable) {
  try {
    place_transmitters({at(55, 55, 3, HeightReference::ground)}, scene_, no_progress());
    FAIL() << "it is inside a building";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sites.csv, line 4"), std::string::npos) << error.what();
  }
}

TEST_F(PlacementTest, HeightsAreAboveGroundRoofOrSea) {
  const auto placed = place_transmitters({at(20, 30, 24, HeightReference::ground), at(55, 55, 3, HeightReference::roof),
                                          at(65, 65, 3, HeightReference::roof), at(20, 30, 131, HeightReference::sea)},
                                         scene_, no_progress());
  ASSERT_EQ(placed.size(), 4u);
  EXPECT_EQ(placed[0].position, (Vec3{20, 30, 124}));
  EXPECT_EQ(placed[1].position.z, 123);
  EXPECT_EQ(placed[2].position.z, 153);  // the highest roof under the site
  EXPECT_EQ(placed[2].height_above_ground_m, 53);
  EXPECT_EQ(placed[3].position.z, 131);
  EXPECT_EQ(placed[3].height_above_ground_m, 31);
  EXPECT_EQ(placed[0].transmitter_id, 1);
  EXPECT_EQ(placed[3].transmitter_id, 4);
}

// What a result tells of a transmitter is its height above the ground, whatever it counted from before.
TEST_F(PlacementTest, PlacedAgainByTheHeightAboveGroundItIsAtTheSameBits) {
  scene_.terrain.height_m = {-3.7F, 1.9F, 0.3F, 22.1F};
  std::mt19937_64 random(7);
  scene_.prisms = {testing::box_prism(7, {50, 50}, {80, 80}, -4, 20.3)};
  std::uniform_real_distribution<double> beside_the_house(0.5, 45), across(50.5, 79.5), height(0.1, 60);
  std::vector<RawTransmitter> first, again;
  for (const HeightReference reference : {HeightReference::ground, HeightReference::roof, HeightReference::sea}) {
    for (int i = 0; i < 3000; ++i) {
      const bool on_roof = reference == HeightReference::roof;
      const double x = on_roof ? across(random) : beside_the_house(random);
      const double y = across(random);
      const double above_the_terrain = reference == HeightReference::sea ? 22.1 : 0;
      first.push_back(at(x, y, height(random) + above_the_terrain, reference));
    }
  }
  const std::vector<Transmitter> placed = place_transmitters(first, scene_, no_progress());
  ASSERT_EQ(placed.size(), first.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    again.push_back(first[i]);
    again.back().height_m = placed[i].height_above_ground_m;
    again.back().reference = HeightReference::ground;
  }
  const std::vector<Transmitter> placed_again = place_transmitters(again, scene_, no_progress());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    EXPECT_EQ(placed_again[i].position, placed[i].position) << i;
    EXPECT_EQ(placed_again[i].height_above_ground_m, placed[i].height_above_ground_m) << i;
  }
}

TEST_F(PlacementTest, GridAzimuthIsTrueAzimuthLessConvergence) {
  // Where grid north points 2° east of true north, a true azimuth of 90° is 88° from grid north.
  RawTransmitter raw = at(20, 30, 24, HeightReference::ground);
  raw.azimuth_deg = 90;
  raw.meridian_convergence_deg = 2;
  EXPECT_DOUBLE_EQ(place_transmitters({raw}, scene_, no_progress())[0].grid_azimuth_deg, 88);
  EXPECT_DOUBLE_EQ(place_transmitters({raw}, scene_, no_progress())[0].azimuth_deg, 90);
  raw.azimuth_deg = 1;
  EXPECT_DOUBLE_EQ(place_transmitters({raw}, scene_, no_progress())[0].grid_azimuth_deg, 359);
  raw.azimuth_deg = 359;
  raw.meridian_convergence_deg = -2;
  EXPECT_DOUBLE_EQ(place_transmitters({raw}, scene_, no_progress())[0].grid_azimuth_deg, 1);
}

TEST_F(PlacementTest, InsideABuildingIsAnErrorThatNamesIt) {
  const std::string error = error_of({at(55, 55, 10, HeightReference::ground)});
  EXPECT_NE(error.find("sites.csv"), std::string::npos) << error;
  EXPECT_NE(error.find("\"north mast\""), std::string::npos) << error;
  EXPECT_NE(error.find("inside a building (feature 7"), std::string::npos) << error;
}

TEST_F(PlacementTest, HeightsThatDifferReadDifferently) {
  const auto contains_text = [](const std::string& message, const std::string& text) {
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  contains_text(error_of({at(55, 55, 19.999, HeightReference::ground)}), "roof at 120.000 m, point at 119.999 m");
  contains_text(error_of({at(55, 55, 10, HeightReference::ground)}), "roof at 120.00 m, point at 110.00 m");
  contains_text(error_of({at(20, 20, 0.004, HeightReference::ground)}), "ground at 100.000 m, point at 100.004 m");
  contains_text(error_of({at(20, 20, 0, HeightReference::ground)}), "ground at 100.00 m, point at 100.00 m");
  contains_text(error_of({at(49.997, 60, 3, HeightReference::roof)}), "the nearest roof is 3.0 mm away");
}

TEST_F(PlacementTest, OutsideTheAreaSaysHowFar) {
  EXPECT_NE(error_of({at(230, 240, 10, HeightReference::ground)}).find("outside the area, 50.00 m"), std::string::npos);
}

TEST_F(PlacementTest, ThousandsOfKilometresOutsideDegreesMayBeExchanged) {
  const auto hint_of = [&](const RawTransmitter& raw) {
    try {
      place_transmitters({raw}, scene_, no_progress());
    } catch (const Error& error) {
      return error.hint();
    }
    return std::string("placed");
  };
  const char* suspicion = "degrees may be exchanged";
  EXPECT_NE(hint_of(at(-4e6, 6e6, 10, HeightReference::ground)).find(suspicion), std::string::npos);
  EXPECT_EQ(hint_of(at(230, 240, 10, HeightReference::ground)).find(suspicion), std::string::npos);
}

// An extent that is taken from the points themselves has them on its border, and both are rounded on their way.
TEST_F(PlacementTest, OnTheBorderButForRounding) {
  EXPECT_EQ(error_of({at(-0.001, 200.001, 10, HeightReference::ground)}), "placed");
  EXPECT_NE(error_of({at(-0.02, 100, 10, HeightReference::ground)}).find("0.02 m from its border"), std::string::npos);
}

TEST_F(PlacementTest, RoofWithoutBuildingNamesTheNearest) {
  EXPECT_NE(error_of({at(40, 60, 3, HeightReference::roof)}).find("nearest roof is 10.00 m away"), std::string::npos);
}

TEST_F(PlacementTest, UnderOrOnTheGroundIsRefused) {
  EXPECT_NE(error_of({at(20, 20, 30, HeightReference::sea)}).find("not above the ground"), std::string::npos);
  EXPECT_NE(error_of({at(20, 20, 0, HeightReference::ground)}).find("not above the ground"), std::string::npos);
}

TEST_F(PlacementTest, NotANumberIsRefused) {
  EXPECT_NE(error_of({at(std::nan(""), 20, 30, HeightReference::ground)}).find("no finite position"),
            std::string::npos);
  EXPECT_NE(error_of({at(20, 20, std::nan(""), HeightReference::ground)}).find("no finite position"),
            std::string::npos);
}

TEST_F(PlacementTest, OneErrorNamesAll) {
  RawTransmitter second = at(500, 500, 3, HeightReference::ground);
  second.name = "far away";
  const std::string error =
      error_of({at(55, 55, 10, HeightReference::ground), at(20, 20, 5, HeightReference::ground), second});
  EXPECT_NE(error.find("2 transmitters"), std::string::npos) << error;
  EXPECT_NE(error.find("north mast"), std::string::npos) << error;
  EXPECT_NE(error.find("far away"), std::string::npos) << error;
}

TEST_F(PlacementTest, OfManyTheFirstOnesAreNamed) {
  const std::string error = error_of(std::vector(12, at(55, 55, 10, HeightReference::ground)));
  EXPECT_NE(error.find("12 transmitters"), std::string::npos) << error;
  EXPECT_NE(error.find("and 2 more"), std::string::npos) << error;
}

TEST_F(PlacementTest, ReceiversAreAboveGround) {
  const auto placed = place_receivers({{11, scene_.frame.origin + Vec2{20, 30}, 1.5, "points.gpkg", "walk"}},
                                      MisplacedReceivers::fail, scene_, no_progress());
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_EQ(placed[0].receiver_id, 11);
  EXPECT_EQ(placed[0].position, (Vec3{20, 30, 101.5}));
}

// The sides of house 7 from the middle of each, with the way out.
struct WallOfHouse {
  Vec2 middle, outwards;
};
constexpr WallOfHouse walls_of_house[] = {
    {{65, 50}, {0, -1}}, {{80, 65}, {1, 0}}, {{65, 80}, {0, 1}}, {{50, 65}, {-1, 0}}};

void expect_near(Vec2 found, Vec2 expected) {
  EXPECT_NEAR(found.x, expected.x, 1e-8);
  EXPECT_NEAR(found.y, expected.y, 1e-8);
}

TEST_F(PlacementTest, PointsAtOuterWallsStandInFrontOfThem) {
  for (const WallOfHouse& wall : walls_of_house) {
    for (const double in_front_m : {-0.0009, -0.0004, 0.0, 0.0006, 0.005, 0.0099}) {
      const Vec2 given = wall.middle + in_front_m * wall.outwards, expected = wall.middle + 0.01 * wall.outwards;
      testing::KeptWarnings of_transmitter, of_receiver, of_point;
      const auto transmitter =
          place_transmitters({at(given.x, given.y, 10, HeightReference::ground)}, scene_, of_transmitter);
      expect_near(transmitter.at(0).position.xy(), expected);
      EXPECT_EQ(transmitter[0].position.z, 110);
      const RawReceiver raw{5, scene_.frame.origin + given, 1.5, {}};
      const auto receivers = place_receivers({raw}, MisplacedReceivers::fail, scene_, of_receiver);
      expect_near(receivers.at(0).position.xy(), expected);
      expect_near(place_map_point(raw.position, 1.5, "HEIGHT", scene_, of_point).position.xy(), expected);
      for (const testing::KeptWarnings* told : {&of_transmitter, &of_receiver, &of_point}) {
        EXPECT_EQ(told->codes(), std::vector<std::string>{"moved_before_walls"});
      }
      EXPECT_NE(of_transmitter.all.at(0).message.find("north mast"), std::string::npos);
    }
  }
}

TEST_F(PlacementTest, PointsFartherFromWallsStayWhereTheyAre) {
  for (const WallOfHouse& wall : walls_of_house) {
    for (const double in_front_m : {0.01, 0.012, 0.5}) {
      const Vec2 given = wall.middle + in_front_m * wall.outwards;
      testing::KeptWarnings told;
      const RawReceiver raw{5, scene_.frame.origin + given, 1.5, {}};
      EXPECT_EQ(place_receivers({raw}, MisplacedReceivers::fail, scene_, told).at(0).position.xy(),
                raw.position - scene_.frame.origin);
      EXPECT_TRUE(told.all.empty());
    }
    const Vec2 inside = wall.middle - 0.0012 * wall.outwards;
    EXPECT_NE(error_of({at(inside.x, inside.y, 10, HeightReference::ground)}).find("is inside a building (feature 7"),
              std::string::npos);
  }
}

TEST_F(PlacementTest, MovedPointsThatAreReadAgainStayWhereTheyAre) {
  for (const WallOfHouse& wall : walls_of_house) {
    const Vec3 moved =
        place_transmitters({at(wall.middle.x, wall.middle.y, 10, HeightReference::ground)}, scene_, no_progress())
            .at(0)
            .position;
    testing::KeptWarnings told;
    EXPECT_EQ(place_transmitters({at(moved.x, moved.y, 10, HeightReference::ground)}, scene_, told).at(0).position.z,
              moved.z);
    EXPECT_TRUE(told.all.empty());
  }
}

TEST_F(PlacementTest, PointsAtCornersStandInFrontOfBothWalls) {
  // A house around a yard that is open to the north-east: at (80, 80) is an inner corner.
  Prism bent = scene_.prisms[0];
  bent.rings = {{{50, 50}, {110, 50}, {110, 80}, {80, 80}, {80, 110}, {50, 110}}};
  const auto place_of = [&](Vec2 given) {
    const RawReceiver raw{5, scene_.frame.origin + given, 1.5, {}};
    return place_receivers({raw}, MisplacedReceivers::fail, scene_, no_progress()).at(0).position.xy();
  };
  for (const double east_m : {-0.0005, 0.0, 0.004}) {
    for (const double north_m : {-0.0005, 0.0, 0.004}) {
      expect_near(place_of({80 + east_m, 80 + north_m}), {80.01, 80.01});
    }
  }
  // Around the corner it is no wall of theirs.
  expect_near(place_of({80, 79.98}), {80.01, 79.98});
  scene_.prisms[0] = bent;
  for (const Vec2 given : {Vec2{80, 80}, Vec2{80.004, 80}, Vec2{80, 80.007}, Vec2{80.002, 80.003}}) {
    expect_near(place_of(given), {80.01, 80.01});
  }
}

TEST_F(PlacementTest, PointsOverOrUnderWallsAreNotAtThem) {
  scene_.prisms = {testing::box_prism(7, {50, 50}, {80, 80}, 105, 120)};
  for (const double height_m : {2.0, 5.0, 20.0, 20.3}) {
    testing::KeptWarnings told;
    const auto placed = place_transmitters({at(50, 65, height_m, HeightReference::ground)}, scene_, told);
    EXPECT_EQ(placed.at(0).position.xy(), (Vec2{50, 65})) << height_m;
    EXPECT_TRUE(told.all.empty()) << height_m;
  }
}

TEST_F(PlacementTest, TheRoofIsThereAtTheEavesOfAllSides) {
  for (const WallOfHouse& wall : walls_of_house) {
    const auto placed =
        place_transmitters({at(wall.middle.x, wall.middle.y, 3, HeightReference::roof)}, scene_, no_progress());
    EXPECT_EQ(placed.at(0).position.z, 123);
  }
}

// Of two houses side by side, the higher one to the west.
TEST_F(PlacementTest, AtPartyWallsIsInside) {
  scene_.prisms = {testing::box_prism(7, {50, 50}, {80, 80}, 100, 115),
                   testing::box_prism(8, {80, 50}, {100, 80}, 100, 109)};
  const auto place_of = [&](Vec3 given) {
    const RawReceiver raw{5, scene_.frame.origin + given.xy(), given.z, {}};
    return place_receivers({raw}, MisplacedReceivers::fail, scene_, no_progress()).at(0).position.xy();
  };
  for (const double across_m : {-0.005, -0.0004, 0.0, 0.0004, 0.005}) {
    EXPECT_THROW(place_of({80 + across_m, 65, 8}), Error) << across_m;
    // Where it ends in the street front, and over the lower roof.
    expect_near(place_of({80 + across_m, 80, 8}), {80 + across_m, 80.01});
    if (across_m > -0.001) expect_near(place_of({80 + across_m, 65, 12}), {80.01, 65});
  }
}

TEST_F(PlacementTest, GapsThatLeaveNoRoomAreInside) {
  const auto is_placed_in_gap_of = [&](double width_m) {
    scene_.prisms = {testing::box_prism(7, {50, 50}, {80, 80}, 100, 115),
                     testing::box_prism(8, {80 + width_m, 50}, {100, 80}, 100, 115)};
    return error_of({at(80 + 0.5 * width_m, 65, 8, HeightReference::ground)}) == "placed";
  };
  EXPECT_FALSE(is_placed_in_gap_of(0.004));
  EXPECT_FALSE(is_placed_in_gap_of(0.015));
  EXPECT_TRUE(is_placed_in_gap_of(0.025));
}

TEST_F(PlacementTest, ReceiversThatCannotBeWhereTheyAreFailOrAreDropped) {
  const RawReceiver in_house{11, scene_.frame.origin + Vec2{55, 55}, 1.5, {}}, outside{12, {}, 1.5, {}},
      in_street{13, scene_.frame.origin + Vec2{20, 30}, 1.5, {}},
      nowhere{14, {NAN, NAN}, 1.5, {}, "there is no geometry"};
  const std::vector<RawReceiver> walk{in_house, outside, in_street, nowhere};
  const auto place = [&](const std::vector<RawReceiver>& raw, MisplacedReceivers misplaced, Progress& progress) {
    return place_receivers(raw, misplaced, scene_, progress);
  };
  EXPECT_THROW(place(walk, MisplacedReceivers::fail, no_progress()), Error);
  testing::KeptWarnings log;
  const auto placed = place(walk, MisplacedReceivers::drop, log);
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_EQ(placed[0].receiver_id, 13);
  ASSERT_EQ(log.all.size(), 1u);
  EXPECT_EQ(log.all[0].code, "receivers_left_out");
  for (const char* text : {"3 receivers", "receiver 11 is inside a building", "receiver 12 is outside the area",
                           "receiver 14 (there is no geometry)"}) {
    EXPECT_NE(log.all[0].message.find(text), std::string::npos) << log.all[0].message;
  }
  // Where none is left, there is nothing to predict.
  EXPECT_THROW(place({in_house, outside}, MisplacedReceivers::drop, no_progress()), Error);
}

}  // namespace
}  // namespace tesseray
