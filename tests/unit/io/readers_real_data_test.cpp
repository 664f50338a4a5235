// SPDX-License-Identifier: GPL-3.0-or-later
// The sample town, and real cities where their data are present.
#include <gdal_priv.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "tests/support/test_folders.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {

using testing::count;

namespace {

const std::string data = testing::shared_folder() / "data";
const std::string samples = testing::source_folder() / "sample_data";

bool is_absent(const std::string& path) { return !std::filesystem::exists(path); }

std::size_t without_height(const std::vector<RawBuilding>& buildings) {
  return static_cast<std::size_t>(
      std::count_if(buildings.begin(), buildings.end(), [](const RawBuilding& b) { return !b.height_m; }));
}

TEST(Lyon, AllRoofsAndTheDemsOwnNodes) {
  if (is_absent(data + "/lyon/roofs.shp")) GTEST_SKIP() << "the data of Lyon are not here";
  const RawScene scene = read_environment_input(
      EnvironmentInput{.buildings = data + "/lyon/roofs.shp", .height_field = "htotale", .dem = data + "/lyon/dem.tif"},
      no_progress());
  EXPECT_EQ(scene.buildings.size(), 15725u);
  EXPECT_EQ(scene.crs_name, "EPSG:3946");
  EXPECT_EQ(without_height(scene.buildings), 0u);
  EXPECT_TRUE(scene.issues.empty()) << scene.issues.front().message;
  double highest = 0;
  for (const RawBuilding& building : scene.buildings) highest = std::max(highest, *building.height_m);
  EXPECT_NEAR(highest, 164.6, 0.1);

  const RawTerrain& terrain = *scene.terrain;
  ASSERT_EQ(terrain.columns, 352u);
  ASSERT_EQ(terrain.rows, 169u);
  const GDALDatasetUniquePtr dem(GDALDataset::Open((data + "/lyon/dem.tif").c_str(), GDAL_OF_RASTER));
  double g[6];
  ASSERT_EQ(dem->GetGeoTransform(g), CE_None);
  EXPECT_EQ(terrain.south_west, (Vec2{g[0] + 0.5 * g[1], g[3] + 168.5 * g[5]}));
  EXPECT_EQ(terrain.step_x, g[1]);
  EXPECT_EQ(terrain.step_y, -g[5]);
  std::vector<float> heights(352 * 169);
  ASSERT_EQ(
      dem->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, 352, 169, heights.data(), 352, 169, GDT_Float32, 0, 0, nullptr),
      CE_None);
  for (std::size_t row = 0; row < 169; ++row) {
    for (std::size_t column = 0; column < 352; ++column) {
      ASSERT_EQ(terrain.height_m[row * 352 + column], heights[(168 - row) * 352 + column]);
    }
  }
}

TEST(Lyon, RoofElevationsLieAboveTheTerrain) {
  if (is_absent(data + "/lyon/roofs.shp")) GTEST_SKIP() << "the data of Lyon are not here";
  const RawScene scene = read_environment_input(
      EnvironmentInput{.buildings = data + "/lyon/roofs.shp", .height_kind = HeightKind::roof_elevation},
      no_progress());
  EXPECT_EQ(scene.buildings.size(), 15725u);
  for (const RawBuilding& building : scene.buildings) {
    ASSERT_TRUE(building.roof_elevation_m.has_value());
    ASSERT_GT(*building.roof_elevation_m, 155);
  }
}

TEST(Duke, FootprintsWithMissingHeights) {
  if (is_absent(data + "/duke/buildings.gpkg")) GTEST_SKIP() << "the data of Duke are not here";
  const RawScene scene =
      read_environment_input(EnvironmentInput{.buildings = data + "/duke/buildings.gpkg"}, no_progress());
  EXPECT_EQ(scene.buildings.size(), 158u);
  EXPECT_EQ(scene.crs_name, "EPSG:32617");
  const std::size_t from_storeys = count(scene.issues, "height_from_storeys");
  EXPECT_GT(from_storeys, 0u);
  EXPECT_EQ(without_height(scene.buildings), 158u - 86u - from_storeys);
}

TEST(Duke, BuildingsOfOpenStreetMap) {
  if (is_absent(data + "/duke/buildings.osm")) GTEST_SKIP() << "the data of Duke are not here";
  const RawScene scene =
      read_environment_input(EnvironmentInput{.buildings = data + "/duke/buildings.osm"}, no_progress());
  EXPECT_EQ(scene.buildings.size(), 116u);
  EXPECT_EQ(scene.crs_name, "EPSG:32617");
  const auto building = std::find_if(scene.buildings.begin(), scene.buildings.end(),
                                     [](const RawBuilding& b) { return b.feature_id == 29025979; });
  ASSERT_NE(building, scene.buildings.end());
  EXPECT_DOUBLE_EQ(*building->height_m, 15.832924842834473);
}

LocalFrame duke_frame() {
  return {.origin = {685056, 3985408}, .crs_wkt = Crs::from_text("EPSG:32617").wkt(), .crs_name = "EPSG:32617"};
}

TEST(Duke, CellsAndTheirDriveTest) {
  if (is_absent(data + "/duke/transmitters.csv")) GTEST_SKIP() << "the data of Duke are not here";
  const auto cells = read_transmitters(
      {.source = data + "/duke/transmitters.csv", .antenna_height_m = 24, .erp_dbm = 40}, duke_frame(), no_progress());
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells[4].name, "E");
  EXPECT_DOUBLE_EQ(cells[4].frequency_hz, 3.69e9);
  EXPECT_EQ(cells[4].azimuth_deg, 216);
  EXPECT_NEAR(cells[4].meridian_convergence_deg, 1.212, 0.002);  // (−78.937° + 81°) · sin 36.003°

  const auto rows = read_drive_test({.source = data + "/duke/drive_test.csv"}, duke_frame(), no_progress());
  ASSERT_EQ(rows.size(), 46655u);
  std::set<std::string> names;
  for (const Measurement& row : rows) {
    ASSERT_TRUE(std::isfinite(row.value) && std::isfinite(row.position.x));
    ASSERT_LT(norm(row.position), 10000);
    names.insert(row.transmitter);
  }
  EXPECT_EQ(names, (std::set<std::string>{"A", "B", "C", "D", "E", "F"}));
  const Vec2 first = testing::proj_transform("EPSG:4326", "EPSG:32617", {-78.93946436, 36.00407567});
  EXPECT_LT(norm(rows[0].position + duke_frame().origin - first), 1e-3);
}

TEST(SampleTown, IsReadWholly) {
  const RawScene scene = read_environment_input(EnvironmentInput{.buildings = samples + "/buildings.gpkg",
                                                                 .base_field = "base_m",
                                                                 .material_field = "material",
                                                                 .dem = samples + "/dem.tif",
                                                                 .vegetation = samples + "/vegetation.gpkg"},
                                                no_progress());
  EXPECT_GE(scene.buildings.size(), 300u);
  EXPECT_EQ(scene.crs_name, "EPSG:25832");
  EXPECT_FALSE(scene.vegetation.empty());
  EXPECT_EQ(scene.terrain->step_x, 5);
  EXPECT_EQ(count(scene.issues, "unknown_material"), 0u);
  const auto raised = std::count_if(scene.buildings.begin(), scene.buildings.end(),
                                    [](const RawBuilding& b) { return b.base_m.has_value(); });
  EXPECT_GT(raised, 0);

  const LocalFrame frame{.crs_wkt = scene.crs_wkt, .crs_name = scene.crs_name};
  const auto sites = read_transmitters({.source = samples + "/transmitters.csv"}, frame, no_progress());
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[1].reference, HeightReference::roof);
  EXPECT_EQ(sites[2].antenna, AntennaKind::sector_3gpp);
  EXPECT_LT(sites[0].meridian_convergence_deg, -1.5) << "west of 9°";
  const auto drive = read_drive_test({.source = samples + "/drive_test_SYNTHETIC.gpkg"}, frame, no_progress());
  EXPECT_EQ(drive.size(), 1500u);
  EXPECT_EQ(drive.front().transmitter, "Market");
  EXPECT_TRUE(std::isfinite(drive.front().value));
}

}  // namespace
}  // namespace tesseray
