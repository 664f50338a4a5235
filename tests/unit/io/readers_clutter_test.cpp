// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::box;
using testing::count;
using testing::proj_transform;
using testing::ProjTransform;
using testing::TemporaryFolder;
using testing::TestLayer;
using testing::TestRaster;
using testing::write_layer;
using testing::write_raster;

class ClutterReading : public ::testing::Test {
 protected:
  ClutterReading() {
    buildings_ = write_layer(folder_ / "b.gpkg",
                             {.fields = {{"height", 'r'}}, .features = {{box(500190, 5000190, 20, 20), {10.0}}}});
  }
  EnvironmentInput input() const { return {.buildings = buildings_}; }
  EnvironmentInput with_raster(const TestRaster& raster) const {
    EnvironmentInput all = input();
    all.clutter = write_raster(folder_ / "clutter.tif", raster);
    return all;
  }
  EnvironmentInput with_areas(const TestLayer& layer) const {
    EnvironmentInput all = input();
    all.clutter_areas = write_layer(folder_ / "clutter.gpkg", layer);
    return all;
  }
  static CleanScene clean(const EnvironmentInput& input) {
    return build_scene(read_environment_input(input, no_progress()), {}, no_progress());
  }
  // What is found at a place in CRS coordinates; "" for no class.
  static std::string class_at(const Scene& scene, Vec2 place) {
    const std::uint8_t number = scene.clutter.at(place - scene.frame.origin);
    return number == 0 ? "" : scene.clutter.classes[number - 1u];
  }
  static std::string refusal(const EnvironmentInput& input) {
    try {
      read_environment_input(input, no_progress());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_FALSE(error.hint().empty());
      return error.code();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::string buildings_;
};

// Stripes of three classes and a hole, 10 m pixels; −1 is no-data.
double stripes(int column, int row) { return row == 21 && column == 20 ? -1 : 10.0 * ((column + row) % 3); }

TEST_F(ClutterReading, ARasterOfTheEnvironmentsGridKeepsItsPixels) {
  for (const bool from_south : {false, true}) {
    TestRaster raster{.type = "Int16", .no_data = -1, .value = stripes};
    if (from_south) raster.geo_transform = {500000, 10, 0, 5000000, 0, 10};
    const Scene scene = clean(with_raster(raster)).scene;
    EXPECT_EQ(scene.clutter.step_x, 10);
    for (int row = 16; row < 24; ++row) {
      for (int column = 16; column < 24; ++column) {
        const double y = from_south ? 5000000 + 10 * row : 5000400 - 10 * (row + 1);
        const double value = stripes(column, row);
        const std::string expected = value < 0 ? "" : std::to_string(static_cast<int>(value));
        for (const double off : {0.1, 5.0, 9.9}) {
          EXPECT_EQ(class_at(scene, {500000 + 10 * column + off, y + off}), expected) << column << " " << row;
        }
      }
    }
  }
}

TEST_F(ClutterReading, CategoriesAreClassesByTheirNames) {
  const TestRaster raster{.type = "Byte",
                          .categories = {"meadow", " old forest ", "  ", "5\" pipe"},
                          .value = [](int column, int) { return double{1} * (column % 5); }};
  const Scene scene = clean(with_raster(raster)).scene;
  const std::vector<std::string> names = {"meadow", "old forest", "2", "5\" pipe", "4"};
  for (int column = 17; column < 23; ++column) {
    EXPECT_EQ(class_at(scene, {500005 + 10.0 * column, 5000200}), names[static_cast<std::size_t>(column % 5)]);
  }
}

TEST_F(ClutterReading, CodesMayHaveManyDigits) {
  const TestRaster raster{.type = "Float64", .value = [](int column, int) { return 1000000006.0 + column % 2; }};
  const Scene scene = clean(with_raster(raster)).scene;
  EXPECT_EQ(class_at(scene, {500185, 5000200}), "1000000006");
  EXPECT_EQ(class_at(scene, {500195, 5000200}), "1000000007");
}

TEST_F(ClutterReading, ARasterOfAnotherCrsGivesTheClassAtTheMiddleOfCells) {
  // 0.0002° are 22 m and 16 m.
  const Vec2 corner = proj_transform("EPSG:32632", "EPSG:4326", {499900, 5000500});
  TestRaster raster{.crs = "EPSG:4326",
                    .geo_transform = {corner.x, 2e-4, 0, corner.y, 0, -2e-4},
                    .type = "Byte",
                    .value = [](int column, int row) { return 1.0 + (column + 2 * row) % 5; }};
  const Scene scene = clean(with_raster(raster)).scene;
  const Clutter& clutter = scene.clutter;
  EXPECT_NEAR(clutter.step_x, 15.8, 0.3);
  const ProjTransform to_raster("EPSG:32632", "EPSG:4326");
  int checked = 0;
  for (std::uint32_t row = 0; row < clutter.rows; ++row) {
    for (std::uint32_t column = 0; column < clutter.columns; ++column) {
      const Vec2 middle = clutter.south_west + Vec2{(column + 0.5) * clutter.step_x, (row + 0.5) * clutter.step_y};
      const Vec2 p = to_raster(middle + scene.frame.origin);
      const double x = (p.x - corner.x) / 2e-4, y = (corner.y - p.y) / 2e-4;
      if (std::fabs(x - std::round(x)) < 1e-3 || std::fabs(y - std::round(y)) < 1e-3) continue;
      const bool is_there = x >= 0 && x < raster.columns && y >= 0 && y < raster.rows;
      const std::string expected =
          is_there ? std::to_string(1 + (static_cast<int>(x) + 2 * static_cast<int>(y)) % 5) : "";
      ASSERT_EQ(class_at(scene, middle + scene.frame.origin), expected) << middle.x << ", " << middle.y;
      checked += is_there ? 1 : 0;
    }
  }
  EXPECT_GT(checked, 100);
}

// GDAL gives rows by the spatial index where only some are asked for.
TEST_F(ClutterReading, OfAreasTheLaterLieOnTopInAnyOrderOfReading) {
  testing::Random random(4);
  struct Square {
    double x, y, side;
    std::string name;
  };
  std::vector<Square> squares;
  TestLayer layer{.fields = {{"landuse", 's'}}};
  for (int i = 0; i < 2000; ++i) {
    const double side = random.uniform(10, 150);
    squares.push_back({random.uniform(499000, 501500), random.uniform(4999000, 5001500), side,
                       std::string(1, static_cast<char>('a' + random.below(6)))});
    layer.features.push_back({box(squares.back().x, squares.back().y, side, side), {squares.back().name}});
  }
  const Scene scene = clean(with_areas(layer)).scene;
  int classed = 0;
  for (int i = 0; i < 400; ++i) {
    const Vec2 place{500172.5 + 3 * (i % 20), 5000172.5 + 3 * (i / 20)};
    bool is_near_border = false;
    std::string expected;
    for (const Square& square : squares) {
      const double off =
          std::max(std::fabs(place.x - square.x - square.side / 2), std::fabs(place.y - square.y - square.side / 2)) -
          square.side / 2;
      is_near_border |= std::fabs(off) < 1;
      if (off < 0) expected = square.name;
    }
    if (is_near_border) continue;
    EXPECT_EQ(class_at(scene, place), expected) << place.x << ", " << place.y;
    classed += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(classed, 50);
}

TEST_F(ClutterReading, OfAreasTheLaterLieOnTop) {
  const TestLayer layer{.fields = {{"landuse", 's'}},
                        .features = {{box(500100, 5000100, 200, 200), {std::string("open")}},
                                     {box(500150, 5000150, 60, 60), {std::string("Forest")}},
                                     {box(500200, 5000200, 20, 20), {std::string("water")}},
                                     {box(500205, 5000205, 5, 5), {}}}};
  const CleanScene result = clean(with_areas(layer));
  const Scene& scene = result.scene;
  EXPECT_EQ(scene.clutter.classes, (std::vector<std::string>{"open", "Forest", "water"}));
  EXPECT_EQ(class_at(scene, {500149.4, 5000180}), "open");
  EXPECT_EQ(class_at(scene, {500150.6, 5000180}), "Forest");
  EXPECT_EQ(class_at(scene, {500199.4, 5000205}), "Forest");
  EXPECT_EQ(class_at(scene, {500207, 5000207}), "water");
  EXPECT_EQ(class_at(scene, {500219.4, 5000219.4}), "water");
  EXPECT_EQ(class_at(scene, {500219.4, 5000220.6}), "open");
  const auto without = std::find_if(result.issues.begin(), result.issues.end(),
                                    [](const Issue& issue) { return issue.code == "clutter_without_class"; });
  ASSERT_NE(without, result.issues.end());
  EXPECT_NE(without->message.find("1 area of clutter has no "), std::string::npos);
}

TEST_F(ClutterReading, CellsOfAnAreaAreThoseWhoseMiddlesAreInside) {
  const TestLayer layer{
      .fields = {{"class", 'i'}},
      .features = {
          {"POLYGON((500160.21 5000150, 500240.37 5000171, 500203.43 5000250, 500190.57 5000199, "
           "500160.21 5000150),(500195.31 5000180, 500200.13 5000200.3, 500210.87 5000185, 500195.31 5000180))",
           {7}}}};
  const Scene scene = clean(with_areas(layer)).scene;
  const Rings rings = {{{500160.21, 5000150}, {500240.37, 5000171}, {500203.43, 5000250}, {500190.57, 5000199}},
                       {{500195.31, 5000180}, {500200.13, 5000200.3}, {500210.87, 5000185}}};
  const Clutter& clutter = scene.clutter;
  EXPECT_EQ(clutter.step_x, 1);
  int inside = 0;
  for (std::uint32_t row = 0; row < clutter.rows; ++row) {
    for (std::uint32_t column = 0; column < clutter.columns; ++column) {
      const Vec2 middle = scene.frame.origin + clutter.south_west + Vec2{column + 0.5, row + 0.5};
      ASSERT_EQ(class_at(scene, middle), contains(rings, middle) ? "7" : "") << middle.x << ", " << middle.y;
      inside += contains(rings, middle) ? 1 : 0;
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST_F(ClutterReading, DatumsAreNotTakenAsOneInSilence) {
  const std::string unknown = "+proj=utm +zone=32 +ellps=GRS80";
  const auto count_in = [](const EnvironmentInput& input) {
    return count(read_environment_input(input, no_progress()).issues, "unknown_datum_shift");
  };
  EXPECT_EQ(count_in(with_raster({.crs = unknown})), 1u);
  EXPECT_EQ(count_in(with_areas(
                {.crs = unknown, .fields = {{"class", 's'}}, .features = {{box(500190, 5000190, 20, 20), {"wood"}}}})),
            1u);
  EXPECT_EQ(count_in(with_raster({})), 0u);
}

TEST_F(ClutterReading, WithoutClutterThereIsNone) { EXPECT_TRUE(clean(input()).scene.clutter.empty()); }

TEST_F(ClutterReading, WhatIsWrongIsSaid) {
  EXPECT_EQ(refusal(with_raster({.value = [](int, int) { return 1.5; }})), "not_classes");
  EXPECT_EQ(refusal(with_raster({.type = "Float64", .value = [](int, int) { return 1e17; }})), "not_classes");
  EXPECT_EQ(refusal(with_raster({.geo_transform = {700000, 10, 0, 5000400, 0, -10}})), "clutter_elsewhere");
  EXPECT_EQ(refusal(with_raster({.type = "Int16", .no_data = 5, .value = [](int, int) { return 5.0; }})),
            "clutter_elsewhere");
  EXPECT_EQ(refusal(with_raster({.crs = ""})), "missing_crs");
  EXPECT_EQ(refusal(with_raster({.value = [](int column, int row) { return 40.0 * row + column; }})),
            "too_many_classes");
  EXPECT_EQ(refusal(with_areas({.fields = {{"size", 'r'}}, .features = {{box(500100, 5000100, 9, 9), {1.0}}}})),
            "missing_field");
  EnvironmentInput wrong_field =
      with_areas({.name = "second", .fields = {{"kind", 's'}}, .features = {{box(500100, 5000100, 9, 9), {1.0}}}});
  wrong_field.clutter_areas += "|layername=second";
  wrong_field.clutter_field = "knd";
  EXPECT_EQ(refusal(wrong_field), "unknown_field");
  EnvironmentInput both = with_raster({});
  both.clutter_areas = buildings_;
  EXPECT_EQ(refusal(both), "bad_parameter");
}

}  // namespace
}  // namespace tesseray
