// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/io/readers/readers.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::box;
using testing::count;
using testing::proj_transform;
using testing::TemporaryFolder;
using testing::TestRaster;
using testing::write_layer;
using testing::write_raster;

Vec2 node_position(const RawTerrain& terrain, std::uint32_t column, std::uint32_t row) {
  return terrain.south_west + Vec2{column * terrain.step_x, row * terrain.step_y};
}

float node(const RawTerrain& terrain, std::uint32_t column, std::uint32_t row) {
  return terrain.height_m[static_cast<std::size_t>(row) * terrain.columns + column];
}

// Calls visit(position, height) for every node that has a height, and returns how many there are.
template <class Visit>
std::size_t for_each_height(const RawTerrain& terrain, const Visit& visit) {
  std::size_t heights = 0;
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      if (std::isnan(node(terrain, column, row))) continue;
      visit(node_position(terrain, column, row), static_cast<double>(node(terrain, column, row)));
      ++heights;
    }
  }
  return heights;
}

class TerrainReading : public ::testing::Test {
 protected:
  TerrainReading() {
    // In UTM 32N, in the middle of what the test rasters cover.
    buildings_ = write_layer(folder_ / "b.gpkg", {.features = {{box(500190, 5000190, 20, 20)}}});
  }
  RawScene read(const std::string& dem, const std::string& crs = {}) const {
    return read_environment_input(EnvironmentInput{.buildings = buildings_, .dem = dem, .crs = crs}, no_progress());
  }
  RawTerrain terrain(const TestRaster& raster) const {
    return read(write_raster(folder_ / "dem.tif", raster)).terrain.value();
  }

  TemporaryFolder folder_;
  std::string buildings_;
};

TEST_F(TerrainReading, DatumsAreNotTakenAsOneInSilence) {
  const std::string dem = write_raster(folder_ / "dem.tif", {.crs = "+proj=utm +zone=32 +ellps=bessel"});
  EXPECT_EQ(count(read(dem).issues, "unknown_datum_shift"), 1u);
}

// 40 × 40 pixels of 10 m from (500000, 5000000).
TEST_F(TerrainReading, NodesArePixelCentresBitForBit) {
  const auto height = [](int column, int row) { return 100.0 + 0.1 * column + 3.7 * row; };
  const RawTerrain found = terrain({.value = height});
  EXPECT_EQ(found.south_west, (Vec2{500005, 5000005}));
  EXPECT_EQ(found.step_x, 10);
  EXPECT_EQ(found.step_y, 10);
  ASSERT_EQ(found.columns, 40u);
  ASSERT_EQ(found.rows, 40u);
  for (std::uint32_t row = 0; row < 40; ++row) {
    for (std::uint32_t column = 0; column < 40; ++column) {
      const auto expected = static_cast<float>(height(static_cast<int>(column), 39 - static_cast<int>(row)));
      ASSERT_EQ(node(found, column, row), expected);
    }
  }
}

TEST_F(TerrainReading, RastersWithTheSouthOnTopAreTurned) {
  const RawTerrain found =
      terrain({.geo_transform = {500000, 10, 0, 5000000, 0, 10}, .value = [](int, int row) { return 1.0 * row; }});
  EXPECT_EQ(found.south_west, (Vec2{500005, 5000005}));
  EXPECT_EQ(node(found, 3, 0), 0.0F);
  EXPECT_EQ(node(found, 3, 39), 39.0F);
}

TEST_F(TerrainReading, OnlyTheSurroundingsOfTheBuildingsAreRead) {
  // 40 km × 40 km of 10 m pixels, of which 1,020 m around the building matter.
  const RawTerrain found = terrain({.geo_transform = {480000, 10, 0, 5020000, 0, -10},
                                    .columns = 4000,
                                    .rows = 4000,
                                    .type = "Int16",
                                    .value = [](int column, int) { return column; }});
  EXPECT_LE(found.columns, 104u);
  EXPECT_LE(found.rows, 104u);
  EXPECT_LE(found.south_west.x, 500190 - 500);
  EXPECT_GE(node_position(found, found.columns - 1, 0).x, 500210 + 500);
  for_each_height(found, [](Vec2 p, double h) { ASSERT_EQ(p.x, 480005 + 10 * h); });
}

TEST_F(TerrainReading, NoDataIsNaN) {
  for (const double marker : {-9999.0, -3.4028234663852886e38, 0.0}) {
    const RawTerrain found =
        terrain({.no_data = marker, .value = [&](int column, int) { return column < 10 ? marker : 55.0; }});
    EXPECT_TRUE(std::isnan(node(found, 9, 20))) << marker;
    EXPECT_EQ(node(found, 10, 20), 55.0F) << marker;
  }
}

// Markers for "unknown" that the file does not declare.
TEST_F(TerrainReading, HeightsBeyondThoseOfLandAreNoDataToo) {
  for (const double marker : {-32768.0, -9999.0, -999.0, 9999.0}) {
    const RawScene scene = read(
        write_raster(folder_ / "dem.tif", {.value = [&](int column, int) { return column == 0 ? marker : -430.0; }}));
    EXPECT_TRUE(std::isnan(node(*scene.terrain, 0, 5))) << marker;
    EXPECT_EQ(node(*scene.terrain, 1, 5), -430.0F) << marker;
    EXPECT_EQ(count(scene.issues, "implausible_terrain"), 1u) << marker;
  }
}

TEST_F(TerrainReading, TheLimitsOfHeightsAreInMetres) {
  const RawTerrain found =
      terrain({.unit = "ft", .value = [](int column, int) { return column == 0 ? -9999.0 : 29000.0; }});
  EXPECT_TRUE(std::isnan(node(found, 0, 5)));
  EXPECT_FLOAT_EQ(node(found, 1, 5), 8839.2F);
}

TEST_F(TerrainReading, ScaleOffsetAndFeetAreApplied) {
  const RawTerrain scaled =
      terrain({.type = "Int16", .scale = 0.1, .offset = 300, .value = [](int, int) { return 125.0; }});
  EXPECT_FLOAT_EQ(node(scaled, 5, 5), 312.5F);
  for (const auto& [unit, metres] :
       {std::pair{"ft", 30.48F}, std::pair{"US survey foot", 30.48006F}, std::pair{"metre", 100.F},
        std::pair{"cm", 1.F}, std::pair{"Centimetres", 1.F}, std::pair{"dm", 10.F}, std::pair{"mm", 0.1F}}) {
    EXPECT_FLOAT_EQ(node(terrain({.unit = unit}), 5, 5), metres) << unit;
  }
  EXPECT_FLOAT_EQ(node(terrain({.unit = "km", .value = [](int, int) { return 0.25; }}), 5, 5), 250.F);
}

TEST_F(TerrainReading, UnitsThatAreNotKnownAreTakenAsMetresWithAWarning) {
  for (const auto& [unit, warnings] :
       {std::pair{"K", 1u}, std::pair{"etre", 1u}, std::pair{"m", 0u}, std::pair{"", 0u}}) {
    const RawScene scene = read(write_raster(folder_ / "dem.tif", {.unit = unit}));
    EXPECT_EQ(node(*scene.terrain, 5, 5), 100.0F) << unit;
    EXPECT_EQ(count(scene.issues, "unknown_unit"), warnings) << unit;
  }
}

TEST_F(TerrainReading, FirstOfSeveralBandsIsTaken) {
  const RawScene scene = read(write_raster(folder_ / "dem.tif", {.bands = 3}));
  EXPECT_EQ(node(*scene.terrain, 5, 5), 100.0F);
  EXPECT_EQ(count(scene.issues, "several_bands"), 1u);
}

// A raster whose values are a linear function of its own coordinates: bilinear sampling gives that function back,
// wherever the nodes of the environment's grid fall.
TEST_F(TerrainReading, OtherCrssAreResampledWhereProjSaysThatTheyLie) {
  const Vec2 corner = proj_transform("EPSG:32632", "EPSG:4326", {500000, 5000400});
  const double pixel = 0.0001;
  const auto height = [&](Vec2 degrees) {
    return 200 + 20000 * (degrees.x - corner.x) - 30000 * (degrees.y - corner.y);
  };
  const RawTerrain found =
      terrain({.crs = "EPSG:4326",
               .geo_transform = {corner.x - 10 * pixel, pixel, 0, corner.y + 10 * pixel, 0, -pixel},
               .columns = 100,
               .rows = 80,
               .type = "Float64",
               .value = [&](int column, int row) {
                 return height({corner.x + (column + 0.5 - 10) * pixel, corner.y - (row + 0.5 - 10) * pixel});
               }});
  // 1e-4 degrees of longitude at 45°: 7.9 m, of latitude: 11.1 m.
  EXPECT_NEAR(found.step_x, 7.9, 0.1);
  EXPECT_EQ(found.step_x, found.step_y);
  EXPECT_EQ(found.step_x, snapped(found.step_x)) << "the scene would resample it once more";
  EXPECT_EQ(found.south_west.x, snapped(found.south_west.x));
  const testing::ProjTransform to_degrees("EPSG:32632", "EPSG:4326");
  double worst = 0;
  const std::size_t heights = for_each_height(found, [&](Vec2 p, double h) {
    const Vec2 degrees = to_degrees(p);
    const bool at_the_rim = degrees.x < corner.x - 9.4 * pixel || degrees.y > corner.y + 9.4 * pixel ||
                            degrees.x > corner.x + 89.4 * pixel || degrees.y < corner.y - 69.4 * pixel;
    if (!at_the_rim) worst = std::max(worst, std::abs(h - height(degrees)));
  });
  EXPECT_GT(heights, 5000u);
  EXPECT_LT(worst, 0.001);
}

TEST_F(TerrainReading, LongitudesMayCountFromZeroOn) {
  const Vec2 corner = proj_transform("EPSG:32632", "EPSG:4326", {500000, 5000400});
  const auto turned = [&](double turn_degrees) {
    return terrain({.crs = "EPSG:4326",
                    .geo_transform = {corner.x + turn_degrees, 0.0001, 0, corner.y, 0, -0.0001},
                    .type = "Float64",
                    .value = [](int column, int row) { return 100.0 + column + 0.3 * row; }});
  };
  const RawTerrain found = turned(0), on_from_zero = turned(360);
  ASSERT_EQ(on_from_zero.height_m.size(), found.height_m.size());
  EXPECT_EQ(on_from_zero.south_west, found.south_west);
  for (std::size_t k = 0; k < found.height_m.size(); ++k) {
    EXPECT_EQ(std::isnan(on_from_zero.height_m[k]), std::isnan(found.height_m[k])) << k;
    if (!std::isnan(found.height_m[k])) EXPECT_NEAR(on_from_zero.height_m[k], found.height_m[k], 1e-3);
  }
}

// A town on the 180th meridian, by a DEM that counts on from there and one that ends there.
TEST_F(TerrainReading, RastersGoOnBeyondThe180thMeridian) {
  const Vec2 middle = proj_transform("EPSG:4326", "EPSG:32701", {180.0, -16.8});
  const std::string town = write_layer(
      folder_ / "town.gpkg", {.crs = "EPSG:32701", .features = {{box(middle.x - 50, middle.y - 50, 100, 100)}}});
  const auto heights = [&](double west) {
    const std::string dem = write_raster(folder_ / "meridian.tif", {.crs = "EPSG:4326",
                                                                    .geo_transform = {west, 0.001, 0, -16.7, 0, -0.001},
                                                                    .columns = 200,
                                                                    .rows = 200,
                                                                    .type = "Float64"});
    const RawTerrain found = read_environment_input({.buildings = town, .dem = dem}, no_progress()).terrain.value();
    return for_each_height(found, [](Vec2, double height) { EXPECT_EQ(height, 100); });
  };
  const std::size_t all = heights(179.9), of_the_west = heights(179.8);
  EXPECT_GT(of_the_west, 20u);
  EXPECT_NEAR(static_cast<double>(all), 2.0 * static_cast<double>(of_the_west), 0.3 * static_cast<double>(all));
}

TEST_F(TerrainReading, RotatedRastersAreResampled) {
  const double c = 10 * std::cos(0.3), s = 10 * std::sin(0.3);
  const auto height = [](Vec2 p) { return 0.3 * (p.x - 500000) + 0.1 * (p.y - 5000000); };
  const RawTerrain found = terrain({.geo_transform = {500000, c, s, 5000400, s, -c},
                                    .columns = 60,
                                    .rows = 60,
                                    .type = "Float64",
                                    .value = [&](int column, int row) {
                                      const double u = column + 0.5, v = row + 0.5;
                                      return height({500000 + u * c + v * s, 5000400 + u * s - v * c});
                                    }});
  EXPECT_NEAR(found.step_x, 10, 1e-9);
  double worst = 0;
  const std::size_t heights = for_each_height(found, [&](Vec2 p, double h) {
    const Vec2 d = p - Vec2{500000, 5000400};
    const double column = (d.x * c + d.y * s) / 100, row = (d.x * s - d.y * c) / 100;
    const bool inside = column > 0.5 && row > 0.5 && column < 59.5 && row < 59.5;
    if (inside) worst = std::max(worst, std::abs(h - height(p)));
  });
  EXPECT_GT(heights, 3000u);
  EXPECT_LT(worst, 0.001);
}

TEST_F(TerrainReading, ResamplingDoesNotMixNoDataIn) {
  const Vec2 corner = proj_transform("EPSG:32632", "EPSG:4326", {500000, 5000400});
  const auto resampled = [&](double marker, std::optional<double> declared) {
    return terrain({.crs = "EPSG:4326",
                    .geo_transform = {corner.x, 0.0001, 0, corner.y, 0, -0.0001},
                    .columns = 80,
                    .rows = 60,
                    .no_data = declared,
                    .value = [&](int column, int row) { return (column + row) % 7 == 0 ? marker : 70.0; }});
  };
  for (const double marker : {-9999.0, -999.0, 9999.0}) {
    for (const std::optional<double> declared : {std::optional(marker), std::optional<double>()}) {
      EXPECT_GT(for_each_height(resampled(marker, declared), [](Vec2, double h) { ASSERT_NEAR(h, 70.0, 1e-4); }), 2000u)
          << marker;
    }
  }
}

TEST_F(TerrainReading, CrssThatDifferInNameAloneNeedNoResampling) {
  // ETRS89 and WGS 84 coincide for PROJ; nodes stay as they are.
  const RawTerrain found = terrain({.crs = "EPSG:25832", .value = [](int column, int) { return 1.0 * column; }});
  EXPECT_EQ(found.step_x, 10);
  EXPECT_EQ(node(found, 17, 3), 17.0F);
}

TEST_F(TerrainReading, WithoutACrsLiesInLocalMetres) {
  const std::string buildings = write_layer(folder_ / "local.gpkg", {.crs = "", .features = {{box(190, 190, 20, 20)}}});
  const std::string dem = write_raster(folder_ / "local.tif", {.crs = "", .geo_transform = {0, 10, 0, 400, 0, -10}});
  const RawScene scene =
      read_environment_input(EnvironmentInput{.buildings = buildings, .dem = dem, .local_metres = true}, no_progress());
  EXPECT_EQ(scene.terrain->south_west, (Vec2{5, 5}));
}

}  // namespace
}  // namespace tesseray
