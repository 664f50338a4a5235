// SPDX-License-Identifier: GPL-3.0-or-later
// The environment file gives back the same scene, bit for bit, or says that it was edited.
#include <cpl_vsi.h>
#include <gdal_priv.h>
#include <gtest/gtest.h>
#include <ogrsf_frmts.h>

#include <bit>
#include <cstring>
#include <random>

#include "core/base/hexadecimal.h"
#include "core/io/results/environment_file.h"
#include "core/io/results/grid_coverage.h"
#include "gis_files.h"
#include "tests/support/kept_warnings.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
}

void expect_same_rings(const Rings& a, const Rings& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    ASSERT_EQ(a[r].size(), b[r].size());
    for (std::size_t i = 0; i < a[r].size(); ++i) {
      expect_same_bits(a[r][i].x, b[r][i].x);
      expect_same_bits(a[r][i].y, b[r][i].y);
    }
  }
}

void expect_same_scene(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.frame.origin, b.frame.origin);
  EXPECT_EQ(a.frame.crs_wkt, b.frame.crs_wkt);
  EXPECT_EQ(a.frame.crs_name, b.frame.crs_name);
  EXPECT_EQ(a.extent, b.extent);
  EXPECT_EQ(a.terrain.south_west, b.terrain.south_west);
  expect_same_bits(a.terrain.step_x, b.terrain.step_x);
  expect_same_bits(a.terrain.step_y, b.terrain.step_y);
  ASSERT_EQ(a.terrain.columns, b.terrain.columns);
  ASSERT_EQ(a.terrain.rows, b.terrain.rows);
  EXPECT_EQ(
      std::memcmp(a.terrain.height_m.data(), b.terrain.height_m.data(), a.terrain.height_m.size() * sizeof(float)), 0);
  ASSERT_EQ(a.prisms.size(), b.prisms.size());
  for (std::size_t i = 0; i < a.prisms.size(); ++i) {
    const Prism &p = a.prisms[i], &q = b.prisms[i];
    EXPECT_EQ(p.building_id, q.building_id);
    EXPECT_EQ(p.source_feature, q.source_feature);
    EXPECT_EQ(p.part, q.part);
    expect_same_rings(p.rings, q.rings);
    expect_same_bits(p.bottom_z, q.bottom_z);
    expect_same_bits(p.top_z, q.top_z);
    EXPECT_EQ(p.on_ground, q.on_ground);
    EXPECT_EQ(p.material, q.material);
  }
  ASSERT_EQ(a.vegetation.size(), b.vegetation.size());
  for (std::size_t i = 0; i < a.vegetation.size(); ++i) {
    EXPECT_EQ(a.vegetation[i].source_feature, b.vegetation[i].source_feature);
    expect_same_rings(a.vegetation[i].rings, b.vegetation[i].rings);
    expect_same_bits(a.vegetation[i].bottom_z, b.vegetation[i].bottom_z);
    expect_same_bits(a.vegetation[i].top_z, b.vegetation[i].top_z);
  }
  ASSERT_EQ(a.materials.size(), b.materials.size());
  for (std::size_t i = 0; i < a.materials.size(); ++i) {
    EXPECT_EQ(a.materials[i].name, b.materials[i].name);
    expect_same_bits(a.materials[i].a, b.materials[i].a);
    expect_same_bits(a.materials[i].d, b.materials[i].d);
  }
  EXPECT_EQ(a.clutter.south_west, b.clutter.south_west);
  expect_same_bits(a.clutter.step_x, b.clutter.step_x);
  expect_same_bits(a.clutter.step_y, b.clutter.step_y);
  EXPECT_EQ(a.clutter.columns, b.clutter.columns);
  EXPECT_EQ(a.clutter.rows, b.clutter.rows);
  EXPECT_EQ(a.clutter.cells, b.clutter.cells);
  EXPECT_EQ(a.clutter.classes, b.clutter.classes);
  EXPECT_EQ(scene_hash(a), scene_hash(b));
}

class EnvironmentFile : public ::testing::Test {
 protected:
  std::string write(const WriterCase& c, bool overwrite = false) {
    const std::string file = folder_ / "Umgebung große Straße.gpkg";
    ResultWriter writer(c.scene.frame, overwrite);
    writer.add_environment(file, c.scene, c.tiling, c.issues);
    writer.commit(test_run(), no_progress());
    return file;
  }
  static void edit_with_sql(const std::string& file, const std::string& edit) {
    Sql sql(file);
    // The R-tree's triggers need functions that plain SQLite lacks.
    for (const std::string& trigger : sql.column("SELECT name FROM sqlite_master WHERE type = 'trigger'")) {
      sql.rows("DROP TRIGGER \"" + trigger + "\"");
    }
    ASSERT_TRUE(sql.rows(edit).empty()) << edit;
  }
  std::string error_of_reading(const std::string& file) {
    try {
      read_environment(file, no_progress());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_FALSE(error.hint().empty());
      return error.code();
    }
    return "none";
  }

  TemporaryFolder folder_;
};

TEST_F(EnvironmentFile, GivesBackTheSameScene) {
  const WriterCase c;
  const Environment environment = read_environment(write(c), no_progress());
  expect_same_scene(c.scene, environment.scene);
  expect_same_bits(environment.tiling_options.tile_area_m2, c.tiling.options.tile_area_m2);
  expect_same_bits(environment.tiling_options.ridge_angle_deg, c.tiling.options.ridge_angle_deg);
}

// Names that mean something to GDAL: "GPKG:file:table" has colons and quotation marks of its own.
TEST_F(EnvironmentFile, IsReadWhateverItsNameHolds) {
  const WriterCase c;
  for (const char* name : {"2026-11-24 16:20.gpkg", "the \"old\" town.gpkg", "a:b:c.gpkg", "50 %, 'new' #1?.gpkg"}) {
    const std::string file = folder_ / name;
    ResultWriter writer(c.scene.frame, false);
    writer.add_environment(file, c.scene, c.tiling, c.issues);
    writer.commit(test_run(), no_progress());
    expect_same_scene(c.scene, read_environment(file, no_progress()).scene);
  }
}

TEST_F(EnvironmentFile, GivesBackLocalMetresAndOtherCrs) {
  for (const char* crs : {"", "EPSG:25832", "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80"}) {
    const WriterCase c(crs);
    expect_same_scene(c.scene, read_environment(write(c, true), no_progress()).scene);
  }
}

TEST_F(EnvironmentFile, GivesBackEveryCoordinateOfTheGridAndEveryHeight) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> steps(-20'000'000, 20'000'000);
  const auto coordinate = [&] { return steps(random) * coordinate_step_m; };
  WriterCase c;
  c.scene.frame.origin = {-8192 * 1024.0, 9765 * 1024.0};
  Prism prism = c.scene.prisms[0];
  c.scene.prisms.clear();
  for (int i = 0; i < 500; ++i) {
    prism.building_id = i;
    prism.rings = {{}};
    for (int k = 0; k < 3 + i % 9; ++k) prism.rings[0].push_back({coordinate(), coordinate()});
    prism.bottom_z = coordinate();
    prism.top_z = coordinate();
    c.scene.prisms.push_back(prism);
  }
  Terrain& terrain = c.scene.terrain;
  terrain = {.south_west = {coordinate(), coordinate()},
             .step_x = 1.0 / 3,
             .step_y = 0.1,
             .columns = 700,
             .rows = 523,
             .height_m = {}};
  for (std::uint32_t i = 0; i < terrain.columns * terrain.rows; ++i) {
    terrain.height_m.push_back(std::bit_cast<float>(0x3f000000u + (static_cast<std::uint32_t>(random()) >> 5)));
  }
  c.tiling.tiles.clear();
  c.tiling.edges.clear();
  expect_same_scene(c.scene, read_environment(write(c), no_progress()).scene);
}

TEST_F(EnvironmentFile, WithoutBuildingsOrVegetation) {
  WriterCase c;
  c.scene.prisms.clear();
  c.scene.vegetation.clear();
  c.scene.terrain = {.south_west = {0, 0}, .step_x = 5, .step_y = 5, .columns = 2, .rows = 2, .height_m = {1, 2, 3, 4}};
  c.tiling.tiles.clear();
  c.tiling.edges.clear();
  c.issues.clear();
  expect_same_scene(c.scene, read_environment(write(c), no_progress()).scene);
}

TEST_F(EnvironmentFile, GivesBackClutterAsARasterInItsPlace) {
  WriterCase c;
  c.scene.clutter = {.south_west = {-3.25, 7},
                     .step_x = 2.5,
                     .step_y = 4,
                     .columns = 3,
                     .rows = 2,
                     .cells = {0, 1, 2, 255, 1, 0},
                     .classes = std::vector<std::string>(255, "Wald")};
  const std::string file = write(c);
  expect_same_scene(c.scene, read_environment(file, no_progress()).scene);
  GDALAllRegister();
  GDALDatasetUniquePtr raster(GDALDataset::Open(("GPKG:" + file + ":clutter").c_str(), GDAL_OF_RASTER));
  ASSERT_TRUE(raster);
  double transform[6];
  ASSERT_EQ(raster->GetGeoTransform(transform), CE_None);
  const Vec2 o = c.scene.frame.origin;
  EXPECT_DOUBLE_EQ(transform[0], o.x - 3.25);
  EXPECT_DOUBLE_EQ(transform[3], o.y + 7 + 2 * 4);
  EXPECT_STREQ(raster->GetSpatialRef()->GetAuthorityCode(nullptr), "3946");
  float north_west = -1;
  ASSERT_EQ(raster->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, 1, 1, &north_west, 1, 1, GDT_Float32, 0, 0, nullptr),
            CE_None);
  EXPECT_EQ(north_west, 255);
}

TEST_F(EnvironmentFile, TerrainIsARasterInItsPlace) {
  const WriterCase c;
  const std::string file = write(c);
  GDALAllRegister();
  GDALDatasetUniquePtr raster(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER));
  ASSERT_TRUE(raster);
  double transform[6];
  ASSERT_EQ(raster->GetGeoTransform(transform), CE_None);
  const Vec2 o = c.scene.frame.origin;
  // Nodes are pixel centres: the north-west node is half a cell inside the corner.
  EXPECT_DOUBLE_EQ(transform[0], o.x - 20 - 6.25);
  EXPECT_DOUBLE_EQ(transform[3], o.y - 30.5 + 6 * 25 + 12.5);
  EXPECT_DOUBLE_EQ(transform[1], 12.5);
  EXPECT_DOUBLE_EQ(transform[5], -25);
  EXPECT_STREQ(raster->GetSpatialRef()->GetAuthorityCode(nullptr), "3946");
  float north_east = 0;
  ASSERT_EQ(raster->GetRasterBand(1)->RasterIO(GF_Read, 10, 0, 1, 1, &north_east, 1, 1, GDT_Float32, 0, 0, nullptr),
            CE_None);
  EXPECT_EQ(north_east, c.scene.terrain.node(10, 6));
}

TEST_F(EnvironmentFile, HoldsEverythingThatLaterToolsNeed) {
  Sql sql(write(WriterCase()));
  for (const char* table : {"buildings", "vegetation", "terrain", "materials", "tiles", "edges", "issues",
                            "tesseray_environment", "tesseray_runs"}) {
    EXPECT_NE(sql.value(std::string("SELECT count(*) FROM gpkg_contents WHERE table_name = '") + table + "'"), "0")
        << table;
  }
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(sql.rows("PRAGMA foreign_key_check").empty());
  EXPECT_EQ(sql.value("SELECT roof_z FROM buildings WHERE building_id = 9 AND part = 1"), "240.5");
  EXPECT_EQ(sql.value("SELECT material FROM buildings WHERE building_id = 7"), "Ziegel „rot“");
}

// GDAL keeps the last tiles of a grid until its file closes; here it lacks what it writes them with.
TEST(GridCoverages, WhatIsNotWrittenAsTheFileClosesIsAnErrorAndLeavesNothing) {
  GDALAllRegister();
  const GridCoverage grid{
      .table = "terrain", .step_x = 1, .step_y = 1, .columns = 3, .rows = 2, .values = {1, 2, 3, 4, 5, 6}};
  ASSERT_FALSE(encode_coverages({grid}).empty());
  GDALDriver* const tiles = GetGDALDriverManager()->GetDriverByName("GTiff");
  GetGDALDriverManager()->DeregisterDriver(tiles);
  std::string code = "none";
  try {
    encode_coverages({grid});
  } catch (const Error& error) {
    code = error.code();
  }
  GetGDALDriverManager()->RegisterDriver(tiles);
  EXPECT_EQ(code, "grid_coverage");
  char** const left = VSIReadDir("/vsimem/");
  for (char** name = left; name != nullptr && *name != nullptr; ++name) {
    EXPECT_EQ(std::string(*name).rfind("tesseray", 0), std::string::npos) << *name;
  }
  CSLDestroy(left);
}

TEST_F(EnvironmentFile, EditsAreNoticed) {
  const WriterCase c;
  for (const char* edit :
       {"UPDATE buildings SET roof_z = roof_z + 0.5 WHERE fid = 2", "DELETE FROM vegetation",
        "UPDATE materials SET a = 7 WHERE material_id = 1", "UPDATE buildings SET part = 5 WHERE fid = 3",
        "UPDATE tesseray_environment SET terrain_x = 0", "UPDATE buildings SET on_ground = 0",
        "UPDATE tesseray_environment SET tile_area_m2 = 25", "UPDATE tesseray_environment SET tile_area_m2 = 1e-300",
        "UPDATE tesseray_environment SET min_wall_width_m = 2", "UPDATE tesseray_environment SET min_wall_area_m2 = 0",
        "UPDATE tesseray_environment SET ridge_angle_deg = 190", "UPDATE tesseray_environment SET crs_name = 'EPSG:1'",
        "UPDATE tesseray_environment SET crs_wkt = replace(crs_wkt, '1700000', '1700001')",
        "UPDATE tesseray_environment SET environment_hash = scene_hash"}) {
    const std::string file = write(c, true);
    edit_with_sql(file, edit);
    EXPECT_EQ(error_of_reading(file), "environment_edited") << edit;
  }
}

// Written before the CRS had a hash, or scenes were cut into tiles as they are now.
TEST_F(EnvironmentFile, OfEarlierStatesIsRead) {
  const WriterCase c;
  const std::string file = write(c);
  edit_with_sql(file, "ALTER TABLE tesseray_environment DROP COLUMN crs_hash");
  KeptWarnings warnings;
  expect_same_scene(c.scene, read_environment(file, warnings).scene);
  EXPECT_TRUE(warnings.all.empty());
  for (int version = 1; version < tiling_version; ++version) {
    const std::uint64_t earlier = environment_hash(scene_hash(c.scene), c.tiling.options, version);
    edit_with_sql(file, "UPDATE tesseray_environment SET environment_hash = '" + hexadecimal(earlier) + "'");
    warnings.all.clear();
    expect_same_scene(c.scene, read_environment(file, warnings).scene);
    EXPECT_EQ(warnings.codes(), std::vector<std::string>{"environment_of_earlier_version"}) << version;
  }
}

TEST_F(EnvironmentFile, MovedFootprintsAndHeightsOfTheTerrainAreNoticed) {
  GDALAllRegister();
  const std::string file = write(WriterCase());
  {
    GDALDatasetUniquePtr dataset(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
    OGRLayer* layer = dataset->GetLayerByName("buildings");
    OGRFeatureUniquePtr feature(layer->GetFeature(2));
    OGRLinearRing* ring = feature->GetGeometryRef()->toPolygon()->getExteriorRing();
    ring->setPoint(1, ring->getX(1) + 0.001, ring->getY(1), ring->getZ(1));
    ASSERT_EQ(layer->SetFeature(feature.get()), OGRERR_NONE);
  }
  EXPECT_EQ(error_of_reading(file), "environment_edited");
  write(WriterCase(), true);
  {
    GDALDatasetUniquePtr dataset(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE));
    float height = 999;
    ASSERT_EQ(dataset->GetRasterBand(1)->RasterIO(GF_Write, 3, 3, 1, 1, &height, 1, 1, GDT_Float32, 0, 0, nullptr),
              CE_None);
  }
  EXPECT_EQ(error_of_reading(file), "environment_edited");
}

TEST_F(EnvironmentFile, OtherFilesAreRefused) {
  EXPECT_EQ(error_of_reading(folder_ / "absent.gpkg"), "file_not_found");
  EXPECT_EQ(error_of_reading(write_text(folder_ / "text.gpkg", "hello")), "not_an_environment");
  const std::string results = folder_ / "results.gpkg";
  WriterCase().write(results);
  EXPECT_EQ(error_of_reading(results), "not_an_environment");
}

TEST_F(EnvironmentFile, DamagedTablesAndOtherVersionsAreRefused) {
  for (const char* damage :
       {"UPDATE tesseray_environment SET format_version = 99", "DELETE FROM tesseray_environment",
        "UPDATE tesseray_environment SET origin_x = NULL", "UPDATE buildings SET material_id = 17",
        "UPDATE tesseray_environment SET terrain_rows = 8", "UPDATE tesseray_environment SET terrain_rows = -1",
        "UPDATE tesseray_environment SET terrain_columns = 4000000000, terrain_rows = 4000000000"}) {
    const std::string file = write(WriterCase(), true);
    edit_with_sql(file, damage);
    EXPECT_EQ(error_of_reading(file), "bad_environment") << damage;
  }
}

TEST_F(EnvironmentFile, IsReplacedOnlyWithOverwrite) {
  const std::string file = write(WriterCase());
  EXPECT_THROW(write(WriterCase()), Error);
  WriterCase other;
  other.scene.prisms.pop_back();
  write(other, true);
  EXPECT_EQ(read_environment(file, no_progress()).scene.prisms.size(), 2u);
}

TEST_F(EnvironmentFile, TakesResultsLater) {
  const WriterCase c;
  const std::string file = write(c);
  ResultWriter writer(c.scene.frame, false);
  writer.add_path_loss({file, "path_loss"}, c.scene, c.tiling, c.predictions, {});
  writer.commit(test_run(), no_progress());
  expect_same_scene(c.scene, read_environment(file, no_progress()).scene);
  EXPECT_EQ(Sql(file).value("SELECT count(*) FROM tesseray_runs"), "2");
}

}  // namespace
}  // namespace tesseray::testing
