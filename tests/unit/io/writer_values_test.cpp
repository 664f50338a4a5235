// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the rows: read back with GDAL and compared with what was handed in.
#include <gtest/gtest.h>
#include <ogrsf_frmts.h>

#include <numbers>

#include "core/io/results/sqlite_database.h"
#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

TEST(SqliteDatabase, AValueThatCannotBeBoundIsAnError) {
  TemporaryFolder folder;
  const std::string file = write_text(folder / "empty.sqlite", "");
  SqliteDatabase database(file, SqliteDatabase::Access::shared);
  SqliteStatement statement(database, "SELECT ?");
  const std::string text = "text";
  statement.bind(1, text);
  EXPECT_THROW(statement.bind(2, text), Error);
  EXPECT_THROW(statement.bind(2, std::span<const unsigned char>()), Error);
  EXPECT_THROW(statement.bind(2, std::int64_t{1}), Error);
  EXPECT_THROW(statement.bind(2, 1.5), Error);
  EXPECT_THROW(statement.bind_null(2), Error);
}

class WrittenValues : public ::testing::TestWithParam<const char*> {
 protected:
  WrittenValues() : file_(folder_ / (std::string("out.") + GetParam())) {
    GDALAllRegister();
    result_.write(file_);
    dataset_.reset(GDALDataset::Open(file_.c_str(), GDAL_OF_VECTOR));
  }

  OGRFeatureUniquePtr feature(const char* layer, int row) {
    return OGRFeatureUniquePtr(dataset_->GetLayerByName(layer)->GetFeature(row));
  }
  Vec2 origin() const { return result_.scene.frame.origin; }

  TemporaryFolder folder_;
  std::string file_;
  WriterCase result_;
  GDALDatasetUniquePtr dataset_;
};

double real(const OGRFeatureUniquePtr& f, const char* field) { return f->GetFieldAsDouble(field); }
std::int64_t integer(const OGRFeatureUniquePtr& f, const char* field) { return f->GetFieldAsInteger64(field); }
std::string text(const OGRFeatureUniquePtr& f, const char* field) { return f->GetFieldAsString(field); }
bool null(const OGRFeatureUniquePtr& f, const char* field) { return !f->IsFieldSetAndNotNull(f->GetFieldIndex(field)); }

TEST_P(WrittenValues, Tiles) {
  const auto ground = feature("tiles", 1);
  EXPECT_EQ(integer(ground, "tile_id"), 11);
  EXPECT_EQ(text(ground, "kind"), "ground");
  EXPECT_TRUE(null(ground, "building_id"));
  EXPECT_EQ(text(ground, "material"), "default");
  EXPECT_EQ(integer(ground, "visible_count"), 3);
  EXPECT_EQ(real(ground, "x"), origin().x + 5);
  EXPECT_EQ(real(ground, "z"), 200.25);
  // The slope makes the tile longer than its plan of 10 m × 10 m.
  EXPECT_NEAR(real(ground, "area_m2"), 100 * std::sqrt(1 + 0.01 + 0.0025), 1e-9);
  const auto wall = feature("tiles", 3);
  EXPECT_EQ(integer(wall, "building_id"), 7);
  EXPECT_EQ(text(wall, "material"), "Ziegel „rot“");
  EXPECT_EQ(real(wall, "ny"), -1);
  const OGRLinearRing* ring = wall->GetGeometryRef()->toPolygon()->getExteriorRing();
  ASSERT_EQ(ring->getNumPoints(), 5);
  EXPECT_EQ(ring->getX(0), origin().x + 15);
  EXPECT_EQ(ring->getY(0), origin().y + 30);
  EXPECT_EQ(ring->getZ(0), 201);
  EXPECT_EQ(ring->getZ(2), 209);
}

TEST_P(WrittenValues, TileCornersRunCounterClockwiseSeenFromTheAir) {
  for (int row = 1; row <= 4; ++row) {
    const auto tile = feature("tiles", row);
    const OGRLinearRing* ring = tile->GetGeometryRef()->toPolygon()->getExteriorRing();
    const auto corner = [&](int i) { return Vec3{ring->getX(i), ring->getY(i), ring->getZ(i)}; };
    const Vec3 normal = normalized(cross(corner(1) - corner(0), corner(2) - corner(1)));
    EXPECT_NEAR(dot(normal, {real(tile, "nx"), real(tile, "ny"), real(tile, "nz")}), 1, 1e-9) << row;
  }
}

TEST_P(WrittenValues, Edges) {
  const auto edge = feature("edges", 1);
  EXPECT_EQ(integer(edge, "edge_id"), 41);
  EXPECT_EQ(text(edge, "kind"), "roof");
  EXPECT_EQ(integer(edge, "tile_a"), 21);
  EXPECT_TRUE(null(edge, "tile_b"));
  EXPECT_NEAR(real(edge, "wedge_deg"), 270, 1e-12);
  const OGRLineString* line = edge->GetGeometryRef()->toLineString();
  EXPECT_EQ(line->getX(0), origin().x + 15);
  EXPECT_EQ(line->getX(1), origin().x + 25);
  EXPECT_EQ(line->getZ(0), 209);
}

TEST_P(WrittenValues, Transmitters) {
  const auto t = feature("transmitters", 1);
  EXPECT_EQ(text(t, "name"), "Tête d'Or");
  EXPECT_NEAR(real(t, "frequency_mhz"), 947.4, 1e-9);
  EXPECT_EQ(real(t, "height_m"), 30);
  EXPECT_EQ(real(t, "erp_dbm"), 56.2);
  EXPECT_EQ(text(t, "antenna"), "sector_3gpp");
  EXPECT_EQ(text(t, "polarization"), "slant+45");
  EXPECT_EQ(t->GetGeometryRef()->toPoint()->getZ(), 230);
}

TEST_P(WrittenValues, PathLossIsNullWhereNothingArrives) {
  const auto reached = feature("path_loss", 1);
  EXPECT_EQ(integer(reached, "transmitter_id"), 1);
  EXPECT_EQ(integer(reached, "tile_id"), 11);
  EXPECT_EQ(real(reached, "path_loss_db"), static_cast<double>(100.1f));
  EXPECT_EQ(real(reached, "arrival_azimuth_deg"), static_cast<double>(123.9f));
  EXPECT_EQ(text(reached, "mechanism"), "diffraction");
  EXPECT_EQ(integer(reached, "ray_count"), 7);
  const auto dark = feature("path_loss", 2);
  for (const char* field :
       {"path_loss_db", "basic_loss_db", "received_power_dbm", "field_dbuvm", "mechanism", "first_delay_ns",
        "mean_delay_ns", "delay_spread_ns", "angle_spread_deg", "arrival_azimuth_deg"}) {
    EXPECT_TRUE(null(dark, field)) << field;
  }
  EXPECT_EQ(integer(dark, "ray_count"), 0);
  const auto second = feature("path_loss", 8);
  EXPECT_EQ(integer(second, "transmitter_id"), 2);
  EXPECT_EQ(integer(second, "tile_id"), 31);
  EXPECT_EQ(integer(second, "line_of_sight"), 1);
  EXPECT_EQ(integer(second, "in_near_field"), 1);
}

TEST_P(WrittenValues, ReceiverPathLoss) {
  const auto row = feature("receiver_path_loss", 4);
  EXPECT_EQ(integer(row, "transmitter_id"), 2);
  EXPECT_EQ(integer(row, "receiver_id"), 502);
  EXPECT_EQ(real(row, "height_m"), 1.75);
  EXPECT_EQ(row->GetGeometryRef()->toPoint()->getX(), origin().x + 42.5);
  EXPECT_EQ(row->GetGeometryRef()->toPoint()->getZ(), 201.75);
}

TEST_P(WrittenValues, PredictionErrorKeepsWhatWasNotUsed) {
  const auto used = feature("prediction_error", 1);
  EXPECT_EQ(real(used, "error_db"), 3.5);
  EXPECT_EQ(integer(used, "tile_id"), 11);
  EXPECT_EQ(integer(used, "line_of_sight"), 1);
  EXPECT_TRUE(null(used, "excluded_because"));
  const auto excluded = feature("prediction_error", 2);
  EXPECT_EQ(text(excluded, "excluded_because"), "no readable value");
  EXPECT_TRUE(null(excluded, "measured_db"));
  EXPECT_TRUE(null(excluded, "tile_id"));
  EXPECT_TRUE(null(excluded, "line_of_sight"));
  EXPECT_EQ(excluded->GetGeometryRef(), nullptr);
}

TEST_P(WrittenValues, ErrorStatistics) {
  const auto all = feature("error_statistics", 1);
  EXPECT_EQ(text(all, "group"), "all");
  EXPECT_EQ(integer(all, "n"), 1);
  EXPECT_EQ(real(all, "mean_db"), 3.5);
  EXPECT_TRUE(null(all, "std_db"));
  EXPECT_TRUE(null(all, "transmitter_id"));
}

TEST_P(WrittenValues, Rays) {
  const auto ray = feature("rays", 2);
  EXPECT_EQ(integer(ray, "transmitter_id"), 2);
  EXPECT_EQ(integer(ray, "target_id"), 501);
  EXPECT_EQ(text(ray, "interactions"), "T-R-D-G");
  EXPECT_EQ(real(ray, "power_dbm"), -77.25);
  const OGRLineString* line = ray->GetGeometryRef()->toLineString();
  ASSERT_EQ(line->getNumPoints(), 3);
  EXPECT_EQ(line->getY(2), origin().y + 41.5);
  EXPECT_EQ(line->getZ(2), 201.5);
}

TEST_P(WrittenValues, Issues) {
  const auto whole_layer = feature("issues", 1);
  EXPECT_EQ(whole_layer->GetGeometryRef(), nullptr);
  EXPECT_TRUE(null(whole_layer, "source_feature"));
  EXPECT_EQ(text(whole_layer, "action"), "assumed");
  const auto sliver = feature("issues", 2);
  EXPECT_EQ(wkbFlatten(sliver->GetGeometryRef()->getGeometryType()), wkbPolygon);
  EXPECT_EQ(integer(sliver, "source_feature"), 12);
  EXPECT_EQ(text(sliver, "source_layer"), "bâtiments");
  EXPECT_EQ(wkbFlatten(feature("issues", 3)->GetGeometryRef()->getGeometryType()), wkbPoint);
}

TEST_P(WrittenValues, RunsTellEverything) {
  const auto run = feature("tesseray_runs", 1);
  EXPECT_EQ(text(run, "tool"), "predictcoverage");
  EXPECT_EQ(text(run, "git_commit"), "abc123");
  EXPECT_EQ(text(run, "parameters"), R"({"MAX_BOUNCES":3})");
  EXPECT_EQ(integer(run, "peak_memory_bytes"), 987654321);
  EXPECT_EQ(text(run, "result_hash").size(), 32u);
  Sql sql(file_);
  EXPECT_EQ(sql.value("SELECT json_extract(inputs, '$[0].path') FROM tesseray_runs"), "/data/\"rue\" é.gpkg");
  EXPECT_EQ(sql.value("SELECT json_extract(inputs, '$[0].bytes') FROM tesseray_runs"), "12345");
  EXPECT_EQ(sql.value("SELECT json_extract(seconds_per_stage, '$.propagation') FROM tesseray_runs"), "1.25");
  EXPECT_EQ(sql.value("SELECT json_extract(failed_transmitters, '$[0].message') FROM tesseray_runs"), "outside");
  EXPECT_EQ(sql.value("SELECT json_array_length(layers) FROM tesseray_runs"), "9");
}

INSTANTIATE_TEST_SUITE_P(Formats, WrittenValues, ::testing::Values("gpkg", "sqlite"),
                         [](const auto& format) { return std::string(format.param); });

class PathLossLayouts : public ::testing::Test {
 protected:
  // The file with one path_loss layer of this layout.
  std::string write(const PathLossLayout& layout) {
    const std::string file = folder_ / "layout.gpkg";
    ResultWriter writer(result_.scene.frame, true);
    writer.add_path_loss({file, "path_loss"}, result_.scene, result_.tiling, result_.predictions, layout);
    writer.commit({}, no_progress());
    return file;
  }

  TemporaryFolder folder_;
  WriterCase result_;
};

TEST_F(PathLossLayouts, KindsAndReachedOnly) {
  PathLossLayout layout;
  layout.kinds = {SurfaceKind::ground};
  EXPECT_EQ(Sql(write(layout)).column("SELECT tile_id FROM path_loss"),
            (std::vector<std::string>{"11", "12", "11", "12"}));
  layout.reached_only = true;
  EXPECT_EQ(Sql(write(layout)).column("SELECT tile_id FROM path_loss"), (std::vector<std::string>{"11", "11"}));
}

TEST_F(PathLossLayouts, Points) {
  PathLossLayout layout;
  layout.geometry = TargetGeometry::point;
  Sql sql(write(layout));
  EXPECT_EQ(sql.value("SELECT geometry_type_name FROM gpkg_geometry_columns"), "POINT");
  EXPECT_EQ(sql.value("SELECT count(*) FROM rtree_path_loss_geom"), "8");
  EXPECT_EQ(sql.value("SELECT min(instr(styleQML, 'SimpleMarker')) > 0 FROM layer_styles"), "1");
}

TEST_F(PathLossLayouts, OneTransmitterIsDrawnAsItIsStored) {
  const auto ordered = [&] {
    return Sql(write({})).value("SELECT count(*) FROM layer_styles WHERE styleQML LIKE '%enableorderby=\"1\"%'");
  };
  EXPECT_EQ(ordered(), "2");
  result_.predictions.resize(1);
  EXPECT_EQ(ordered(), "0");
}

TEST_F(PathLossLayouts, WithoutGeometryATable) {
  PathLossLayout layout;
  layout.geometry = TargetGeometry::none;
  Sql sql(write(layout));
  EXPECT_EQ(sql.value("SELECT data_type FROM gpkg_contents WHERE table_name = 'path_loss'"), "attributes");
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "8");
  EXPECT_EQ(sql.value("SELECT count(*) FROM layer_styles WHERE styleQML LIKE '%renderer%'"), "0");
}

}  // namespace
}  // namespace tesseray::testing
