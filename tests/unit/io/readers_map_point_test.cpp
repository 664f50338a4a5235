// SPDX-License-Identifier: GPL-3.0-or-later
// Points as QGIS writes them, in the environment's CRS and in others.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "tests/support/kept_warnings.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

LocalFrame utm() { return {.origin = {}, .crs_wkt = Crs::from_text("EPSG:25832").wkt(), .crs_name = "EPSG:25832"}; }

Vec2 read_point(const std::string& text, const LocalFrame& frame = utm()) {
  return read_map_point(text, frame, "POINT", no_progress());
}

void expect_refused(const std::string& text, const std::string& code, const LocalFrame& frame = utm()) {
  try {
    read_point(text, frame);
    ADD_FAILURE() << text << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << text;
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.place().field, "POINT");
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(MapPoint, InTheEnvironmentsCrsStaysBitForBit) {
  const Vec2 expected{340520.123456789, 6020520.25};
  EXPECT_EQ(read_point("340520.123456789,6020520.25"), expected);
  EXPECT_EQ(read_point(" 340520.123456789 , 6020520.25 "), expected);
  EXPECT_EQ(read_point("340520.123456789,6020520.25 [EPSG:25832]"), expected);
  EXPECT_EQ(read_point("340520.123456789,6020520.25 [epsg:25832]"), expected);
  EXPECT_EQ(read_point("340520.123456789,6020520.25 []"), expected);
}

TEST(MapPoint, InAnotherCrsIsTransformed) {
  const Vec2 degrees{6.5484, 54.3067};
  const Vec2 expected = testing::proj_transform("EPSG:4326", "EPSG:25832", degrees);
  EXPECT_LT(norm(read_point("6.5484,54.3067 [EPSG:4326]") - expected), 1e-3);
  const Vec2 web = testing::proj_transform("EPSG:4326", "EPSG:3857", degrees);
  EXPECT_LT(norm(read_point(std::to_string(web.x) + "," + std::to_string(web.y) + " [EPSG:3857]") - expected), 1e-3);
}

TEST(MapPoint, DatumsAreNotTakenAsOneInSilence) {
  const auto warnings_of = [](const std::string& text) {
    testing::KeptWarnings warnings;
    read_map_point(text, utm(), "POINT", warnings);
    return warnings.all;
  };
  const std::vector<Warning> warned = warnings_of("500000,5316000 [+proj=utm +zone=32 +ellps=bessel]");
  ASSERT_EQ(warned.size(), 1u);
  EXPECT_EQ(warned[0].code, "unknown_datum_shift");
  EXPECT_TRUE(warned[0].message.starts_with("POINT: no transformation is known")) << warned[0].message;
  EXPECT_TRUE(warnings_of("500000,5316000 [EPSG:23032]").empty());
  EXPECT_TRUE(warnings_of("500000,5316000").empty());
}

TEST(MapPoint, WhatIsNoPointIsRefused) {
  for (const char* text : {"", "340520", "340520;6020520", "340520,5,6020520", "x,y", "340520,6020520 [EPSG:25832",
                           "nan,6020520", "340520,"}) {
    expect_refused(text, "bad_point");
  }
}

TEST(MapPoint, CoordinatesMustFitTheirCrs) {
  expect_refused("340520,6020520 [EPSG:4326]", "metres_as_degrees");
  expect_refused("6.5,54.3 [EPSG:32632]", "degrees_as_metres");
  expect_refused("6.5,54.3 [nowhere]", "unknown_crs");
}

TEST(MapPoint, LocalMetresKnowNoOtherCrs) {
  const LocalFrame local{.crs_name = "local metres"};
  EXPECT_EQ(read_point("12.5,-3", local), (Vec2{12.5, -3}));
  expect_refused("6.5,54.3 [EPSG:4326]", "point_in_local_metres", local);
}

}  // namespace
}  // namespace tesseray
