// SPDX-License-Identifier: GPL-3.0-or-later
// Frequencies beyond what a model is defined for are told of when the run uses the model, and only then.
#include "processing_algorithms/stages/frequency_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "core/physics/material.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

class Warnings final : public Progress {
 public:
  void warn(const Warning& warning) override { told.emplace(warning.code, warning.message); }
  std::multimap<std::string, std::string> told;
};

// A house of the material without a name, whose law holds everywhere, and a wood.
Scene house_and_wood() {
  Scene scene = testing::flat_ground(200, 200);
  scene.prisms = {testing::box_prism(1, {40, 40}, {60, 60}, 0, 10)};
  scene.vegetation.push_back({1, {{{100, 100}, {150, 100}, {150, 150}, {100, 150}}}, 0, 15});
  return scene;
}

RayLaunchingOptions woodland_and_walls() {
  RayLaunchingOptions options;
  options.vegetation = VegetationModel::p833;
  options.transmission.nearest_building = true;
  return options;
}

std::multimap<std::string, std::string> told_of(const Scene& scene, const RayLaunchingOptions& options,
                                                std::initializer_list<double> frequencies_mhz) {
  std::vector<Transmitter> transmitters;
  for (const double mhz : frequencies_mhz) transmitters.emplace_back().frequency_hz = 1e6 * mhz;
  Warnings warnings;
  warn_of_frequencies(scene, transmitters, options, warnings);
  return warnings.told;
}

TEST(FrequencyRanges, WoodlandAndWallsAreToldOfBeyondTheirEnds) {
  const auto codes = [](double mhz) {
    std::string text;
    for (const auto& [code, message] : told_of(house_and_wood(), woodland_and_walls(), {mhz})) text += code + " ";
    return text;
  };
  const std::string vegetation = "vegetation_frequency ", wall = "wall_frequency ";
  EXPECT_EQ(codes(100), vegetation + wall);
  EXPECT_EQ(codes(106), wall);  // P.833 begins at 105.9 MHz
  EXPECT_EQ(codes(499), wall);
  EXPECT_EQ(codes(500), "");
  EXPECT_EQ(codes(2117.5), "");
  EXPECT_EQ(codes(2118), vegetation);
  EXPECT_EQ(codes(100'000), vegetation);
  EXPECT_EQ(codes(100'001), vegetation + wall);
}

TEST(FrequencyRanges, EachFrequencyIsToldOfOnceWithItsRange) {
  const auto told = told_of(house_and_wood(), woodland_and_walls(), {3500, 300, 3500, 900, 300});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told.find("vegetation_frequency")->second,
            "ITU-R P.833 gives the loss in woodland from 105.9 to 2117.5 MHz; at 3500 MHz it is extrapolated");
  EXPECT_EQ(told.find("wall_frequency")->second,
            "3GPP TR 38.901 gives the loss of walls from 500 to 100000 MHz; at 300 MHz it is extrapolated");
}

TEST(FrequencyRanges, NothingIsSaidOfModelsThatARunDoesNotUse) {
  const auto silent = [](const Scene& scene, const RayLaunchingOptions& options) {
    return told_of(scene, options, {100, 200'000}).empty();
  };
  EXPECT_FALSE(silent(house_and_wood(), woodland_and_walls()));
  EXPECT_TRUE(silent(house_and_wood(), {}));
  EXPECT_TRUE(silent(testing::flat_ground(200, 200), woodland_and_walls()));
  RayLaunchingOptions given_losses = woodland_and_walls();
  given_losses.vegetation = VegetationModel::per_metre;
  given_losses.transmission.wall_loss_db = 10;
  EXPECT_TRUE(silent(house_and_wood(), given_losses));
}

TEST(FrequencyRanges, MaterialsInUseAreToldOf) {
  Scene scene = house_and_wood();
  for (const char* name : {"concrete", "medium_dry_ground"}) {
    const MaterialPowerLaw& law = find_itu_material(name)->law;
    scene.materials.push_back({name, law.a, law.b, law.c, law.d, law.minimum_ghz, law.maximum_ghz});
  }
  EXPECT_TRUE(told_of(scene, {}, {900}).empty());
  scene.prisms[0].material = 1;
  scene.default_materials.ground = 2;
  const auto told = told_of(scene, {}, {900, 20'000});
  ASSERT_EQ(told.size(), 2u);
  const std::string at_900 = told.begin()->second, at_20_ghz = std::next(told.begin())->second;
  EXPECT_NE(at_900.find("concrete (1 to 100 GHz), medium_dry_ground (1 to 10 GHz) at 900 MHz"), std::string::npos);
  EXPECT_NE(at_20_ghz.find("define medium_dry_ground (1 to 10 GHz) at 20000 MHz"), std::string::npos);
}

}  // namespace
}  // namespace tesseray
