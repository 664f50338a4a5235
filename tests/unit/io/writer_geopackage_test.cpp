// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of GeoPackage 1.3 by SQL, by GDAL, by GDAL's conformance script and by SpatiaLite.
#include <cpl_minixml.h>
#include <gtest/gtest.h>
#include <ogrsf_frmts.h>

#include <cstdlib>
#include <map>

#include "core/io/results/column.h"
#include "core/io/results/environment_file.h"
#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

const std::vector<std::string> spatial_layers = {
    "edges", "issues", "path_loss", "prediction_error", "rays", "receiver_path_loss", "tiles", "transmitters"};

class GeoPackageRules : public ::testing::Test {
 protected:
  GeoPackageRules() : file_(folder_ / "résultat d'été.gpkg") { result_.write(file_); }

  TemporaryFolder folder_;
  std::string file_;
  WriterCase result_;
};

TEST_F(GeoPackageRules, HeaderAndIntegrity) {
  Sql sql(file_);
  EXPECT_EQ(sql.value("PRAGMA application_id"), std::to_string(0x47504B47));
  EXPECT_EQ(sql.value("PRAGMA user_version"), "10300");
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(sql.rows("PRAGMA foreign_key_check").empty());
  EXPECT_EQ(sql.value("PRAGMA journal_mode"), "delete");
}

TEST_F(GeoPackageRules, ContentsAreComplete) {
  Sql sql(file_);
  EXPECT_EQ(sql.column("SELECT table_name FROM gpkg_contents WHERE data_type = 'features' ORDER BY 1"), spatial_layers);
  EXPECT_EQ(sql.column("SELECT table_name FROM gpkg_contents WHERE data_type = 'attributes' ORDER BY 1"),
            (std::vector<std::string>{"error_statistics", "layer_styles", "tesseray_runs"}));
  EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_contents WHERE last_change NOT GLOB "
                      "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'"),
            "0");
  EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_contents WHERE coalesce(description, '') = ''"), "0");
}

TEST_F(GeoPackageRules, GeometryColumnsAndExtents) {
  Sql sql(file_);
  const std::map<std::string, std::string> types = {
      {"edges", "LINESTRING"}, {"issues", "GEOMETRY"}, {"path_loss", "POLYGON"},        {"prediction_error", "POINT"},
      {"rays", "LINESTRING"},  {"tiles", "POLYGON"},   {"receiver_path_loss", "POINT"}, {"transmitters", "POINT"}};
  for (const auto& [layer, type] : types) {
    const std::string where = " FROM gpkg_geometry_columns WHERE table_name = '" + layer + "'";
    EXPECT_EQ(sql.value("SELECT geometry_type_name" + where), type) << layer;
    EXPECT_EQ(sql.value("SELECT z" + where), layer == "issues" ? "0" : "1") << layer;
    EXPECT_EQ(sql.value("SELECT srs_id" + where), "3946") << layer;
  }
  // The tile with the corner farthest west and south, and the wall and roof farthest east and north.
  const Vec2 o = result_.scene.frame.origin;
  EXPECT_EQ(sql.value("SELECT min_x = " + std::to_string(o.x) + " AND min_y = " + std::to_string(o.y) +
                      " AND max_x = " + std::to_string(o.x + 30) + " AND max_y = " + std::to_string(o.y + 40) +
                      " FROM gpkg_contents WHERE table_name = 'tiles'"),
            "1");
}

TEST_F(GeoPackageRules, SpatialIndexWithTriggers) {
  Sql sql(file_);
  for (const std::string& layer : spatial_layers) {
    const std::string rtree = "rtree_" + layer + "_geom";
    EXPECT_EQ(sql.value("SELECT rtreecheck('" + rtree + "')"), "ok") << layer;
    EXPECT_EQ(sql.value("SELECT count(*) FROM " + rtree), sql.value("SELECT count(geom) FROM " + layer)) << layer;
    EXPECT_EQ(sql.column("SELECT replace(name, '" + rtree +
                         "_', '') FROM sqlite_master WHERE type = 'trigger' AND "
                         "tbl_name = '" +
                         layer + "' ORDER BY 1"),
              (std::vector<std::string>{"delete", "insert", "update1", "update2", "update3", "update4"}))
        << layer;
    EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_extensions WHERE extension_name = 'gpkg_rtree_index' AND "
                        "column_name = 'geom' AND table_name = '" +
                        layer + "'"),
              "1");
  }
}

TEST_F(GeoPackageRules, TriggersKeepTheIndexThroughEditsByGdal) {
  GDALAllRegister();
  {
    GDALDatasetUniquePtr dataset(GDALDataset::Open(file_.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
    OGRLayer* layer = dataset->GetLayerByName("transmitters");
    OGRFeatureUniquePtr feature(layer->GetFeature(1));
    OGRPoint moved(1'900'000, 5'200'000, 10);
    feature->SetGeometry(&moved);
    ASSERT_EQ(layer->SetFeature(feature.get()), OGRERR_NONE);
    ASSERT_EQ(layer->DeleteFeature(2), OGRERR_NONE);
  }
  Sql sql(file_);
  EXPECT_EQ(sql.value("SELECT count(*) FROM rtree_transmitters_geom"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM rtree_transmitters_geom WHERE minx <= 1900000 AND maxx >= 1900000"), "1");
}

TEST_F(GeoPackageRules, EveryColumnIsDescribed) {
  Sql sql(file_);
  EXPECT_EQ(sql.column("SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                       "WHERE m.name IN (SELECT table_name FROM gpkg_contents) AND m.name <> 'layer_styles' "
                       "AND c.name NOT IN ('fid', 'geom') AND NOT EXISTS (SELECT 1 FROM gpkg_data_columns d WHERE "
                       "d.table_name = m.name AND d.column_name = c.name AND length(d.description) > 2)"),
            std::vector<std::string>{});
  // Units: every name that ends in a unit has it in its description.
  EXPECT_EQ(
      sql.column("SELECT column_name FROM gpkg_data_columns WHERE (column_name LIKE '%\\_db' ESCAPE '\\' AND "
                 "description NOT LIKE '%dB%') OR (column_name LIKE '%\\_deg' ESCAPE '\\' AND description NOT LIKE "
                 "'%degrees%') OR (column_name LIKE '%\\_ns' ESCAPE '\\' AND description NOT LIKE '%ns%') OR "
                 "(column_name LIKE '%\\_m' ESCAPE '\\' AND description NOT LIKE '%m%')"),
      std::vector<std::string>{});
}

TEST_F(GeoPackageRules, EveryLayerHasAWellFormedDefaultStyle) {
  Sql sql(file_);
  EXPECT_EQ(sql.column("SELECT f_table_name FROM layer_styles WHERE useAsDefault = 1 AND f_geometry_column = 'geom' "
                       "ORDER BY 1"),
            spatial_layers);
  for (const auto& row : sql.rows("SELECT f_table_name, styleQML FROM layer_styles WHERE f_geometry_column = 'geom'")) {
    CPLXMLNode* root = CPLParseXMLString(row[1].c_str());
    ASSERT_NE(root, nullptr) << row[0];
    const CPLXMLNode* renderer = CPLGetXMLNode(root, "=qgis.renderer-v2");
    ASSERT_NE(renderer, nullptr) << row[0];
    // Every class refers to a symbol that exists, and the field it is about exists.
    const std::string field = CPLGetXMLValue(renderer, "attr", "");
    if (!field.empty()) {
      EXPECT_EQ(sql.value("SELECT count(*) FROM pragma_table_info('" + row[0] + "') WHERE name = '" + field + "'"),
                "1");
    }
    std::vector<std::string> symbols;
    for (const CPLXMLNode* s = CPLGetXMLNode(renderer, "symbols")->psChild; s != nullptr; s = s->psNext) {
      symbols.emplace_back(CPLGetXMLValue(s, "name", ""));
    }
    for (const char* list : {"ranges", "categories"}) {
      const CPLXMLNode* classes = CPLGetXMLNode(renderer, list);
      for (const CPLXMLNode* c = classes == nullptr ? nullptr : classes->psChild; c != nullptr; c = c->psNext) {
        EXPECT_NE(std::find(symbols.begin(), symbols.end(), CPLGetXMLValue(c, "symbol", "none")), symbols.end())
            << row[0];
      }
    }
    CPLDestroyXMLNode(root);
  }
}

TEST_F(GeoPackageRules, ReceivedPowerIsASecondStyle) {
  Sql sql(file_);
  for (const std::string layer : {"path_loss", "receiver_path_loss"}) {
    EXPECT_EQ(sql.column("SELECT styleName || ' ' || useAsDefault FROM layer_styles WHERE f_table_name = '" + layer +
                         "' ORDER BY 1"),
              (std::vector<std::string>{"Path loss 1", "Received power 0"}));
  }
}

// The titles that QGIS shows, in its styles for the tables too, are those of gpkg_data_columns.
TEST_F(GeoPackageRules, StylesNameEveryFieldWithItsUnit) {
  Sql sql(file_);
  for (const auto& row : sql.rows("SELECT f_table_name, styleQML FROM layer_styles")) {
    CPLXMLNode* root = CPLParseXMLString(row[1].c_str());
    std::vector<std::string> named;
    for (const CPLXMLNode* a = CPLGetXMLNode(root, "=qgis.aliases")->psChild; a != nullptr; a = a->psNext) {
      named.push_back(std::string(CPLGetXMLValue(a, "field", "")) + ": " + CPLGetXMLValue(a, "name", ""));
    }
    CPLDestroyXMLNode(root);
    EXPECT_EQ(named, sql.column("SELECT column_name || ': ' || title FROM gpkg_data_columns WHERE table_name = '" +
                                row[0] + "' ORDER BY rowid"))
        << row[0];
  }
  // What a description ends in as a unit, the title ends in too.
  EXPECT_EQ(sql.column("SELECT DISTINCT column_name FROM gpkg_data_columns, (SELECT 'dB' AS unit, 'dB' AS sign UNION "
                       "VALUES ('dBm', 'dBm'), ('degrees', '°'), ('m', 'm'), ('m²', 'm²'), ('MHz', 'MHz'), "
                       "('ns', 'ns'), ('dB(µV/m)', 'dB(µV/m)')) WHERE description LIKE '%, ' || unit "
                       "AND title NOT LIKE '% [' || sign || ']'"),
            std::vector<std::string>{});
}

TEST(ColumnTitle, TakesTheUnitFromTheEndOfTheName) {
  EXPECT_EQ(column_title("path_loss_db"), "Path loss [dB]");
  EXPECT_EQ(column_title("received_power_dbm"), "Received power [dBm]");
  EXPECT_EQ(column_title("field_dbuvm"), "Field strength [dB(µV/m)]");
  EXPECT_EQ(column_title("in_near_field"), "In near field");
  EXPECT_EQ(column_title("area_m2"), "Area [m²]");
  EXPECT_EQ(column_title("frequency_mhz"), "Frequency [MHz]");
  EXPECT_EQ(column_title("arrival_azimuth_deg"), "Arrival azimuth [°]");
  EXPECT_EQ(column_title("erp_dbm"), "ERP [dBm]");
  EXPECT_EQ(column_title("share_percent"), "Share [%]");
  EXPECT_EQ(column_title("receiver_gain_dbi"), "Receiver gain [dBi]");
  EXPECT_EQ(column_title("maximum_ghz"), "Maximum [GHz]");
  EXPECT_EQ(column_title("sinr_db"), "SINR [dB]");
  EXPECT_EQ(column_title("covered_minus_95_percent"), "Covered at \u221295 dBm [%]");
  EXPECT_EQ(column_title("covered_minus_92_5_m2"), "Covered at \u221292.5 dBm [m²]");
}

TEST(ColumnTitle, KeepsNamesWithoutAUnit) {
  EXPECT_EQ(column_title("tile_id"), "Tile ID");
  EXPECT_EQ(column_title("line_of_sight"), "Line of sight");
  EXPECT_EQ(column_title("n"), "N");
  EXPECT_EQ(column_title("m"), "M");
  EXPECT_EQ(column_title("roof_z"), "Roof z [m]");
  EXPECT_EQ(column_title("x"), "X [m]");
}

TEST_F(GeoPackageRules, PathLossClassesAreRoundAndWithoutGaps) {
  Sql sql(file_);
  CPLXMLNode* root = CPLParseXMLString(
      sql.value("SELECT styleQML FROM layer_styles WHERE f_table_name = 'path_loss' AND useAsDefault = 1").c_str());
  std::vector<std::string> lower, upper;
  for (const CPLXMLNode* c = CPLGetXMLNode(root, "=qgis.renderer-v2.ranges")->psChild; c != nullptr; c = c->psNext) {
    lower.emplace_back(CPLGetXMLValue(c, "lower", ""));
    upper.emplace_back(CPLGetXMLValue(c, "upper", ""));
  }
  CPLDestroyXMLNode(root);
  const std::vector<std::string> breaks = {"60", "70", "80", "90", "100", "110", "120", "130", "140", "150"};
  ASSERT_EQ(lower.size(), breaks.size() + 1);
  EXPECT_EQ(std::vector<std::string>(lower.begin() + 1, lower.end()), breaks);
  EXPECT_EQ(std::vector<std::string>(upper.begin(), upper.end() - 1), breaks);
}

TEST_F(GeoPackageRules, GdalReadsLayersFieldsAndUnits) {
  GDALAllRegister();
  GDALDatasetUniquePtr dataset(GDALDataset::Open(file_.c_str(), GDAL_OF_VECTOR));
  ASSERT_TRUE(dataset);
  OGRLayer* layer = dataset->GetLayerByName("path_loss");
  ASSERT_NE(layer, nullptr);
  EXPECT_EQ(layer->GetGeomType(), wkbPolygon25D);
  EXPECT_EQ(layer->GetFeatureCount(), 8);
  EXPECT_STREQ(layer->GetSpatialRef()->GetAuthorityCode(nullptr), "3946");
  std::vector<std::string> names;
  for (int i = 0; i < layer->GetLayerDefn()->GetFieldCount(); ++i) {
    names.emplace_back(layer->GetLayerDefn()->GetFieldDefn(i)->GetNameRef());
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"transmitter_id", "tile_id", "kind", "path_loss_db", "basic_loss_db",
                                      "received_power_dbm", "field_dbuvm", "line_of_sight", "mechanism", "ray_count",
                                      "first_delay_ns", "mean_delay_ns", "delay_spread_ns", "angle_spread_deg",
                                      "arrival_azimuth_deg", "in_near_field", "receiver_gain_dbi", "clutter_loss_db"}));
  EXPECT_EQ(layer->GetLayerDefn()->GetFieldDefn(7)->GetSubType(), OFSTBoolean);
  // The spatial filter goes through the R-tree.
  const Vec2 o = result_.scene.frame.origin;
  layer->SetSpatialFilterRect(o.x + 1, o.y + 1, o.x + 2, o.y + 2);
  EXPECT_EQ(layer->GetFeatureCount(), 2);
}

// GDAL's validate_gpkg.py goes through the standard's requirements one by one.
int run_validator(const std::string& file) {
  const std::string python = "PYTHONPATH= /usr/bin/python3 -c ";
  if (std::system((python + "'from osgeo_utils.samples import validate_gpkg' 2>/dev/null").c_str()) != 0) return -1;
  return std::system(
      (python + "'import sys; from osgeo_utils.samples.validate_gpkg import main; sys.exit(main(sys.argv))' -k \"" +
       file + "\"")
          .c_str());
}

TEST_F(GeoPackageRules, ConformanceScriptOfGdalAgrees) {
  const int result = run_validator(file_);
  if (result == -1) GTEST_SKIP() << "osgeo_utils.samples.validate_gpkg is not installed";
  EXPECT_EQ(result, 0);
}

TEST_F(GeoPackageRules, ConformanceScriptOfGdalAgreesOnEnvironments) {
  const std::string file = folder_ / "environment.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_environment(file, result_.scene, result_.tiling, result_.issues);
  writer.commit(test_run(), no_progress());
  const int result = run_validator(file);
  if (result == -1) GTEST_SKIP() << "osgeo_utils.samples.validate_gpkg is not installed";
  EXPECT_EQ(result, 0);
}

TEST_F(GeoPackageRules, SpatialiteReadsTheGeometries) {
  Sql sql(file_);
  if (!sql.load_spatialite()) GTEST_SKIP() << "mod_spatialite is not installed";
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss WHERE IsValidGPB(geom) = 1"), "8");
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss WHERE ST_IsValid(GeomFromGPB(geom)) = 1"), "6");  // not the walls
  // In this mode SpatiaLite takes GeoPackage binaries for geometries.
  sql.rows("SELECT EnableGpkgMode()");
  EXPECT_EQ(sql.value("SELECT GetGpkgMode()"), "1");
  EXPECT_EQ(sql.value("SELECT ST_AsText(geom) FROM transmitters WHERE fid = 1"), "POINT Z(1840129 5171202 230)");
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss WHERE ST_MinX(geom) <= 1840130 AND ST_MaxX(geom) >= 1840130"),
            "2");
}

TEST(GeoPackageCrs, OneOfTheUsersOwnIsWrittenOnceAndComesBack) {
  TemporaryFolder folder;
  const std::string file = folder / "own.gpkg";
  const WriterCase result("+proj=tmerc +lat_0=47 +lon_0=7.25 +k=1 +x_0=1800000 +y_0=5100000 +ellps=GRS80 +units=m");
  result.write(file);
  result.write(file, true);
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_spatial_ref_sys WHERE srs_id >= 100000"), "1");
  GDALAllRegister();
  GDALDatasetUniquePtr dataset(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR));
  OGRSpatialReference expected;
  expected.importFromWkt(result.scene.frame.crs_wkt.c_str());
  expected.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  const char* const ignore_names[] = {"CRITERION=EQUIVALENT", "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
  EXPECT_TRUE(dataset->GetLayerByName("tiles")->GetSpatialRef()->IsSame(&expected, ignore_names));
}

TEST(GeoPackageCrs, LocalMetresAreUndefinedCartesian) {
  TemporaryFolder folder;
  const std::string file = folder / "local.gpkg";
  WriterCase("").write(file);
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT group_concat(DISTINCT srs_id) FROM gpkg_geometry_columns"), "-1");
}

TEST(GeoPackageCrs, AnUnreadableOneIsAnError) {
  TemporaryFolder folder;
  WriterCase result;
  result.scene.frame.crs_wkt = "PROJCRS[nonsense";
  for (const char* const name : {"x.gpkg", "x.sqlite"}) {
    try {
      result.write(folder / name);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "bad_crs");
      EXPECT_EQ(error.place().file, folder / name);
    }
  }
  EXPECT_TRUE(names_in(folder / "").empty());
}

}  // namespace
}  // namespace tesseray::testing
