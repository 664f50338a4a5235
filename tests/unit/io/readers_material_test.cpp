// SPDX-License-Identifier: GPL-3.0-or-later
// Materials of buildings in names and numbers, as tables have them.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "core/io/readers/material_text.h"
#include "core/io/readers/readers.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::box;
using testing::count;
using testing::TemporaryFolder;
using testing::TestLayer;
using testing::write_layer;

struct NumbersCase {
  const char* text;
  double permittivity, conductivity;
};
void PrintTo(const NumbersCase& numbers, std::ostream* out) { *out << numbers.text; }

class MaterialNumbers : public ::testing::TestWithParam<NumbersCase> {};

TEST_P(MaterialNumbers, AreReadAsPeopleWriteThem) {
  const auto [text, permittivity, conductivity] = GetParam();
  const std::optional<ElectricProperties> numbers = parse_electric_properties(text);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->permittivity, permittivity);
  EXPECT_EQ(numbers->conductivity, conductivity);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, MaterialNumbers,
    ::testing::Values(NumbersCase{"5.31/0.0326", 5.31, 0.0326}, NumbersCase{"5.31; 0.0326 S/m", 5.31, 0.0326},
                      NumbersCase{"5,31/0,0326", 5.31, 0.0326}, NumbersCase{"5,31; 0,0326 S/m", 5.31, 0.0326},
                      NumbersCase{" 5.31 / 0.0326 ", 5.31, 0.0326}, NumbersCase{"5.31;0.0326S/m", 5.31, 0.0326},
                      NumbersCase{"5.31 0.0326", 5.31, 0.0326}, NumbersCase{"5,31 0,0326 S/m", 5.31, 0.0326},
                      NumbersCase{"5.31,   0.0326", 5.31, 0.0326}, NumbersCase{"5,31, 0,0326", 5.31, 0.0326},
                      NumbersCase{"5.31,0.0326", 5.31, 0.0326}, NumbersCase{"5,0.01", 5, 0.01},
                      NumbersCase{"5.31/3.26e-2 s/m", 5.31, 0.0326}, NumbersCase{"1/1E7", 1, 1e7},
                      NumbersCase{"5.31; 32.6 mS/m", 5.31, 0.0326}, NumbersCase{"4/0", 4, 0},
                      NumbersCase{"5.31/0.0326\u00a0S/m", 5.31, 0.0326},
                      // Out of range, and numbers all the same.
                      NumbersCase{"0.5/0.01", 0.5, 0.01}, NumbersCase{"5/-0.01", 5, -0.01}));

TEST(MaterialText, IsNoPairOfNumbers) {
  for (const char* text : {"",        "brick",          "5.31",        "5,01",          "5,31,0,0326", "1/2/3",
                           "5.31/",   "/0.03",          "5.31/0.03 S", "S/m",           "5.31/brick",  "5.31-0.3j",
                           "a/b",     "5.31/nan",       "5.31/inf",    "5.31; 0.03; 2", "58 MS/m",     "1.234.5/0.01",
                           "brick 2", "5.31/0.03 uS/cm"}) {
    EXPECT_FALSE(parse_electric_properties(text)) << text;
  }
}

TEST(MaterialText, OutOfThePhysicalRangeSaysWhy) {
  EXPECT_EQ(out_of_range({1, 0}), "");
  EXPECT_EQ(out_of_range({100, 1e8}), "");
  EXPECT_EQ(out_of_range({0.999, 0.01}), "the permittivity 0.999 is below 1, that of vacuum");
  EXPECT_EQ(out_of_range({100.5, 0.01}), "the permittivity 100.5 is above 100");
  EXPECT_EQ(out_of_range({5, -0.01}), "the conductivity -0.01 S/m is below 0");
  EXPECT_EQ(out_of_range({5, 2e8}), "the conductivity 200000000 S/m is above 100000000");
}

TEST(MaterialText, OneNameForEachPairThatReadsBackToTheLastBit) {
  EXPECT_EQ(material_name({5.31, 0.0326}), "5.31/0.0326");
  for (const ElectricProperties numbers : {ElectricProperties{0.1 + 5.2, 1.0 / 3}, ElectricProperties{1, 1e7},
                                           ElectricProperties{2.5, 3e-9}, ElectricProperties{4, 0}}) {
    const std::optional<Material> material = material_named(material_name(numbers));
    ASSERT_TRUE(material) << material_name(numbers);
    EXPECT_EQ(material->name, material_name(numbers));
    EXPECT_EQ(material->a, numbers.permittivity);
    EXPECT_EQ(material->c, numbers.conductivity);
    // Of all frequencies the same, and valid at all.
    EXPECT_EQ(material->b, 0);
    EXPECT_EQ(material->d, 0);
    EXPECT_LT(material->minimum_ghz, 1e-6);
    EXPECT_GT(material->maximum_ghz, 1e6);
  }
  EXPECT_EQ(material_named("steel")->name, "steel");
  EXPECT_EQ(material_named("steel")->c, 1e7);
  EXPECT_FALSE(material_named("gingerbread"));
}

class BuildingMaterials : public ::testing::Test {
 protected:
  // One building for each text.
  RawScene read(const std::vector<std::string>& texts) {
    TestLayer layer{.fields = {{"height", 'r'}, {"walls", 's'}}};
    double x = 500000;
    for (const std::string& text : texts) {
      layer.features.push_back({box(x, 5000000, 10, 10), {20.0, text}});
      x += 20;
    }
    const std::string path = write_layer(folder_ / ("m" + std::to_string(files_++) + ".gpkg"), layer);
    return read_environment_input({.buildings = path, .material_field = "walls"}, no_progress());
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(BuildingMaterials, NamesAndNumbersMayBeMixed) {
  const RawScene scene = read({"Brick", "5,31; 0,0326 S/m", "", "5.310/0.0326", "steel", "4/0"});
  const std::vector<std::string> expected{"brick", "5.31/0.0326", "", "5.31/0.0326", "steel", "4/0"};
  ASSERT_EQ(scene.buildings.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(scene.buildings[i].material, expected[i]);
  // However it is written, one pair is one material.
  ASSERT_EQ(scene.materials.size(), 4u);
  EXPECT_EQ(scene.materials[0].name, "4/0");
  EXPECT_EQ(scene.materials[1].name, "5.31/0.0326");
  EXPECT_EQ(scene.materials[1].a, 5.31);
  EXPECT_EQ(scene.materials[1].c, 0.0326);
  EXPECT_EQ(scene.materials[2].name, "brick");
  EXPECT_EQ(count(scene.issues, "unknown_material") + count(scene.issues, "unusable_material"), 0u);
}

TEST_F(BuildingMaterials, WhatIsOutOfRangeIsAnIssueOfItsFeature) {
  const RawScene scene = read({"brick", "0.5/0.01", "5/-1", "0.0326/5.31"});
  ASSERT_EQ(count(scene.issues, "unusable_material"), 3u);
  std::vector<std::int64_t> features;
  for (const Issue& issue : scene.issues) {
    if (issue.code != "unusable_material") continue;
    features.push_back(issue.feature_id);
    for (const char* words : {"walls \"", "default material", "ITU-R P.2040", "5.31/0.0326"}) {
      EXPECT_NE(issue.message.find(words), std::string::npos) << issue.message;
    }
  }
  EXPECT_EQ(features, (std::vector<std::int64_t>{2, 3, 4}));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(scene.buildings[i].material, "");
  EXPECT_EQ(scene.materials.size(), 1u);
}

TEST_F(BuildingMaterials, WhatIsNeitherNameNorNumbersSaysWhatToDo) {
  const RawScene scene = read({"brick", "5.31", "straw", "5.31"});
  ASSERT_EQ(count(scene.issues, "unknown_material"), 2u);
  for (const Issue& issue : scene.issues) {
    if (issue.code != "unknown_material") continue;
    for (const char* words : {"walls \"", "feature", "5.31/0.0326", "default material"}) {
      EXPECT_NE(issue.message.find(words), std::string::npos) << issue.message;
    }
    const bool is_number = issue.message.find("\"5.31\" of 2 buildings (the first: feature 2)") != std::string::npos;
    EXPECT_NE(is_number, issue.message.find("\"straw\" of 1 building (feature 3)") != std::string::npos);
  }
}

TEST_F(BuildingMaterials, MoreThanScenesHoldAreRefused) {
  std::vector<std::string> texts(10'001);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = "5/" + std::to_string(i);
  try {
    read(texts);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "too_many_materials");
    EXPECT_NE(std::string(error.what()).find("walls holds 10001"), std::string::npos) << error.what();
    EXPECT_NE(error.hint().find("round"), std::string::npos);
  }
  texts.pop_back();
  EXPECT_EQ(read(texts).materials.size(), 10'000u);
}

}  // namespace
}  // namespace tesseray
