// SPDX-License-Identifier: GPL-3.0-or-later
// What comparison reads back from a path_loss layer, however it was written.
#include <gdal_priv.h>
#include <gdal_utils.h>
#include <gtest/gtest.h>
#include <ogrsf_frmts.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/io/results/path_loss_reader.h"
#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

class ReadPathLoss : public ::testing::Test {
 protected:
  std::string code_of(const std::string& source) {
    try {
      read_path_loss(source, Outlines::leave, no_progress());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_FALSE(error.hint().empty());
      return error.code();
    }
    return "none";
  }

  TemporaryFolder folder_;
  WriterCase result_;
};

// As ogr2ogr does it, which other programs call.
void translate(const std::string& from, const std::string& to, std::vector<const char*> arguments) {
  const GDALDatasetUniquePtr source(GDALDataset::Open(from.c_str(), GDAL_OF_VECTOR));
  arguments.insert(arguments.begin(), {"-f", "GPKG"});
  arguments.push_back(nullptr);
  GDALVectorTranslateOptions* options =
      GDALVectorTranslateOptionsNew(const_cast<char**>(arguments.data()), nullptr);  // NOLINT: GDAL only reads them
  GDALDatasetH sources[] = {GDALDataset::ToHandle(source.get())};
  const GDALDatasetUniquePtr made(
      GDALDataset::FromHandle(GDALVectorTranslate(to.c_str(), nullptr, 1, sources, options, nullptr)));
  GDALVectorTranslateOptionsFree(options);
  ASSERT_NE(made, nullptr);
}

void add_reprojected(const std::string& file, const char* layer, const std::string& crs, const std::string& to) {
  std::vector<const char*> arguments{"-t_srs", crs.c_str()};
  if (std::filesystem::exists(to)) arguments.push_back("-update");
  arguments.push_back(layer);
  translate(file, to, std::move(arguments));
}

void expect_same_targets(const PathLossLayer& layer, const WriterCase& written) {
  const std::size_t tiles = written.tiling.tiles.size();
  ASSERT_EQ(layer.targets.size(), 2 * tiles);
  const Vec2 shift = written.scene.frame.origin - layer.frame.origin;
  for (std::size_t i = 0; i < layer.targets.size(); ++i) {
    const PredictedTarget& target = layer.targets[i];
    const Tile& tile = written.tiling.tiles[i % tiles];
    const TargetPrediction& prediction = written.predictions[i / tiles].tiles[i % tiles];
    EXPECT_EQ(target.transmitter_id, written.predictions[i / tiles].transmitter_id);
    EXPECT_EQ(target.tile_id, tile.id);
    EXPECT_EQ(target.kind, tile.kind);
    EXPECT_NEAR(target.centroid.x, tile.centroid.x + shift.x, 1e-9);
    EXPECT_NEAR(target.centroid.y, tile.centroid.y + shift.y, 1e-9);
    EXPECT_NEAR(target.centroid.z, tile.centroid.z, 1e-12);
    if (prediction.reached()) {
      EXPECT_EQ(target.path_loss_db, static_cast<double>(prediction.path_loss_db));
      EXPECT_EQ(target.basic_loss_db, static_cast<double>(prediction.basic_loss_db));
      EXPECT_EQ(target.received_power_dbm, static_cast<double>(prediction.received_power_dbm));
      EXPECT_EQ(target.field_dbuvm, static_cast<double>(prediction.field_dbuvm));
    } else {
      EXPECT_TRUE(std::isnan(target.path_loss_db));
      EXPECT_TRUE(std::isnan(target.received_power_dbm));
    }
    EXPECT_EQ(target.line_of_sight, prediction.line_of_sight);
  }
}

void expect_same_sides(const PathLossLayer& layer, const WriterCase& written) {
  const std::size_t tiles = written.tiling.tiles.size();
  for (std::size_t i = 0; i < layer.targets.size(); ++i) {
    const PredictedTarget& target = layer.targets[i];
    const Tile& tile = written.tiling.tiles[i % tiles];
    EXPECT_NEAR(norm(target.half_u - tile.half_u), 0, 1e-8);
    EXPECT_NEAR(norm(target.half_v - tile.half_v), 0, 1e-8);
  }
}

TEST_F(ReadPathLoss, GivesBackTargetsAndTransmitters) {
  for (const char* name : {"out.gpkg", "out.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    const PathLossLayer layer = read_path_loss(file, Outlines::leave, no_progress());
    expect_same_targets(layer, result_);
    expect_same_sides(layer, result_);
    EXPECT_EQ(std::fmod(layer.frame.origin.x, 1024), 0);
    EXPECT_EQ(layer.frame.crs_name, "EPSG:3946");
    ASSERT_EQ(layer.transmitters.size(), 2u);
    EXPECT_EQ(layer.transmitters[0].name, "Tête d'Or");
    EXPECT_NEAR(layer.transmitters[0].frequency_hz, 947.4e6, 1e-6);
    const Vec2 shift = result_.scene.frame.origin - layer.frame.origin;
    EXPECT_EQ(layer.transmitters[0].position, (Vec3{1 + shift.x, 2 + shift.y, 230}));
  }
}

TEST_F(ReadPathLoss, ByAnotherNameAndAsPoints) {
  const std::string file = folder_ / "named.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  PathLossLayout points;
  points.geometry = TargetGeometry::point;
  writer.add_path_loss({file, "Netz 1"}, result_.scene, result_.tiling, result_.predictions, points);
  writer.add_transmitters({file, "transmitters"}, result_.transmitters);
  writer.commit({}, no_progress());
  expect_same_targets(read_path_loss(file + "|layername=Netz 1", Outlines::leave, no_progress()), result_);
  expect_same_targets(read_path_loss(file, Outlines::leave, no_progress()), result_);
  ResultWriter second(result_.scene.frame, false);
  second.add_path_loss({file, "Netz 2"}, result_.scene, result_.tiling, result_.predictions, points);
  second.commit({}, no_progress());
  EXPECT_EQ(code_of(file), "no_layer");
}

TEST_F(ReadPathLoss, ByTheNumberOfTheLayer) {
  const std::string file = folder_ / "two.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_path_loss({file, "path_loss"}, result_.scene, result_.tiling, result_.predictions, {});
  writer.add_path_loss({file, "of one"}, result_.scene, result_.tiling, std::span(result_.predictions).first(1), {});
  writer.add_transmitters({file, "transmitters"}, result_.transmitters);
  writer.commit({}, no_progress());
  std::vector<std::string> names;
  {
    const GDALDatasetUniquePtr opened(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR));
    for (OGRLayer* layer : opened->GetLayers()) names.emplace_back(layer->GetName());
  }
  const auto read_by_number = [&](const std::string& layer) {
    const auto number = std::find(names.begin(), names.end(), layer) - names.begin();
    return file + "|layerid=" + std::to_string(number);
  };
  const auto rows = [&](const std::string& layer) {
    return read_path_loss(read_by_number(layer), Outlines::leave, no_progress()).targets.size();
  };
  EXPECT_EQ(rows("path_loss"), 2 * result_.tiling.tiles.size());
  EXPECT_EQ(rows("of one"), result_.tiling.tiles.size());
  EXPECT_EQ(path_loss_names(read_by_number("of one")).path_loss, "of one");
  EXPECT_EQ(path_loss_names(file + "|LayerName=OF ONE").path_loss, "of one");
  EXPECT_EQ(path_loss_names(file).path_loss, "path_loss");
  EXPECT_EQ(path_loss_names(file).transmitters, "transmitters");
}

// As QGIS packs layers into a file, without the record of their run.
TEST_F(ReadPathLoss, WithTheOnlyTransmittersOfTheFile) {
  const std::string file = folder_ / "packed.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_path_loss({file, "Path loss"}, result_.scene, result_.tiling, result_.predictions, {});
  writer.commit({}, no_progress());
  const auto add_transmitters = [&](const std::string& layer) {
    ResultWriter further(result_.scene.frame, false);
    further.add_transmitters({file, layer}, result_.transmitters);
    further.commit({}, no_progress());
  };
  add_transmitters("Transmitters as used");
  EXPECT_EQ(read_path_loss(file, Outlines::leave, no_progress()).transmitters.size(), 2u);
  add_transmitters("others");
  EXPECT_EQ(code_of(file), "no_transmitters");
  add_transmitters("transmitters");
  EXPECT_EQ(code_of(file), "none");
}

TEST_F(ReadPathLoss, OfTransmittersThatTheFileDoesNotHaveIsRefusedByName) {
  const std::string file = folder_ / "mixed.gpkg";
  // The writer reads it when it commits.
  const std::vector<Transmitter> first{result_.transmitters.front()};
  ResultWriter writer(result_.scene.frame, false);
  writer.add_path_loss({file, "path_loss"}, result_.scene, result_.tiling, result_.predictions, {});
  writer.add_transmitters({file, "transmitters"}, first);
  writer.commit({}, no_progress());
  try {
    read_path_loss(file, Outlines::leave, no_progress());
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "unknown_transmitter");
    EXPECT_EQ(error.place().file, file);
    EXPECT_EQ(error.place().layer, "transmitters");
    const std::string missing = std::to_string(result_.transmitters.back().transmitter_id);
    EXPECT_NE(
        error.message().find(": there is no transmitter " + missing + ", of which the layer path_loss has path losses"),
        std::string::npos);
  }
}

// Metres of the web's maps are not metres, and the transmitters' places are to fit the targets'.
TEST_F(ReadPathLoss, OfLayersThatWereReprojectedIsRefused) {
  const std::string file = folder_ / "own.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_path_loss({file, "path_loss"}, result_.scene, result_.tiling, result_.predictions, {});
  writer.add_transmitters({file, "transmitters"}, result_.transmitters);
  writer.commit({}, no_progress());
  const auto with = [&](const std::string& name, const char* of_path_loss, const char* of_transmitters) {
    std::string made = folder_ / name;
    const std::string own(result_.scene.frame.crs_name);
    add_reprojected(file, "path_loss", of_path_loss == nullptr ? own : of_path_loss, made);
    add_reprojected(file, "transmitters", of_transmitters == nullptr ? own : of_transmitters, made);
    return made;
  };
  EXPECT_EQ(code_of(with("same.gpkg", nullptr, nullptr)), "none");
  EXPECT_EQ(code_of(with("web.gpkg", "EPSG:3857", "EPSG:3857")), "reprojected");
  EXPECT_EQ(code_of(with("feet.gpkg", "EPSG:2263", "EPSG:2263")), "reprojected");
  EXPECT_EQ(code_of(with("mixed.gpkg", nullptr, "EPSG:3857")), "reprojected");
}

TEST_F(ReadPathLoss, OfReceivers) {
  const std::string file = folder_ / "out.gpkg";
  result_.write(file);
  const PathLossLayer layer = read_path_loss(file + "|layername=receiver_path_loss", Outlines::leave, no_progress());
  ASSERT_EQ(layer.targets.size(), 4u);
  EXPECT_EQ(layer.targets[1].tile_id, 502);
  EXPECT_EQ(layer.targets[1].kind, SurfaceKind::ground);
  EXPECT_EQ(layer.targets[1].height_m, 1.75);
  EXPECT_EQ(layer.targets[1].half_u, Vec3());
}

TEST_F(ReadPathLoss, InLocalMetres) {
  const std::string file = folder_ / "local.gpkg";
  const WriterCase local("");
  local.write(file);
  const PathLossLayer layer = read_path_loss(file, Outlines::leave, no_progress());
  EXPECT_TRUE(layer.frame.crs_wkt.empty());
  expect_same_targets(layer, local);
}

TEST_F(ReadPathLoss, RefusesWhatIsNoPathLoss) {
  EXPECT_EQ(code_of(folder_ / "absent.gpkg"), "file_not_found");
  const std::string file = folder_ / "out.gpkg";
  result_.write(file);
  EXPECT_EQ(code_of(file + "|layername=tiles"), "no_field");
  EXPECT_EQ(code_of(file + "|layername=none"), "unknown_layer");
  EXPECT_EQ(code_of(file + "|layerid=99"), "unknown_layer");
  EXPECT_EQ(code_of(write_text(folder_ / "text.gpkg", "hello")), "cannot_open");
  // A raster, of which GDAL gives no reason.
  EXPECT_EQ(
      code_of(write_text(folder_ / "heights.asc", "ncols 1\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1\n2\n")),
      "not_a_vector_layer");

  const std::string alone = folder_ / "alone.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_path_loss({alone, "path_loss"}, result_.scene, result_.tiling, result_.predictions, {});
  writer.commit({}, no_progress());
  EXPECT_EQ(code_of(alone), "no_transmitters");

  const std::string table = folder_ / "table.gpkg";
  ResultWriter table_writer(result_.scene.frame, false);
  PathLossLayout none;
  none.geometry = TargetGeometry::none;
  table_writer.add_path_loss({table, "path_loss"}, result_.scene, result_.tiling, result_.predictions, none);
  table_writer.commit({}, no_progress());
  EXPECT_EQ(code_of(table), "no_geometry");
  // What QGIS copies from memory has no other layer beside it, either, and no file that people know of.
  try {
    read_path_loss(alone, Outlines::leave, no_progress());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("a layer in memory is in none"), std::string::npos) << error.hint();
  }
  // The hint names what the asking tool can use.
  for (const auto& [outlines, hint] : {std::pair{Outlines::leave, "write PATH_LOSS with GEOMETRY polygon or point"},
                                       std::pair{Outlines::read, "write PATH_LOSS with GEOMETRY polygon or point"},
                                       std::pair{Outlines::require, "write PATH_LOSS with GEOMETRY polygon"}}) {
    try {
      read_path_loss(table, outlines, no_progress());
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.hint(), hint);
    }
  }
}

// Runs SQL on a GeoPackage without its triggers, which need functions that only GDAL has.
void change(const std::string& file, const std::string& sql) {
  Sql database(file);
  for (const std::string& trigger : database.column("SELECT name FROM sqlite_master WHERE type = 'trigger'")) {
    database.rows("DROP TRIGGER \"" + trigger + "\"");
  }
  EXPECT_TRUE(database.rows(sql).empty()) << sql;
}

// What others change in path losses, by SQL, and what is said of it.
class ReadChangedPathLoss : public ReadPathLoss {
 protected:
  // The error of a file that was changed so; without one, what() is empty.
  Error error_after(const std::string& sql, const std::string& source = "",
                    const std::vector<std::string>& used = {"received_power_dbm"}) {
    const std::string file = folder_ / "changed.gpkg";
    std::filesystem::remove(file);
    result_.write(file);
    change(file, sql);
    try {
      read_path_loss(file + source, Outlines::leave, no_progress(), used);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.place().file, file);
      EXPECT_FALSE(error.hint().empty());
      return error;
    }
    ADD_FAILURE() << "was read after " << sql;
    return {ErrorKind::invalid_input, "", ""};
  }

  void expect_error(const std::string& sql, const std::string& code, const std::string& layer, const std::string& field,
                    std::optional<std::int64_t> feature) {
    const Error error = error_after(sql);
    EXPECT_EQ(error.code(), code) << sql;
    EXPECT_EQ(error.place().layer, layer) << sql;
    EXPECT_EQ(error.place().field, field) << sql;
    EXPECT_EQ(error.place().feature_id, feature) << sql;
  }
};

TEST_F(ReadChangedPathLoss, FieldsThatAreUsedMustBeThere) {
  for (const char* field : {"transmitter_id", "tile_id", "kind", "path_loss_db", "received_power_dbm"}) {
    const std::string sql = std::string("ALTER TABLE path_loss RENAME COLUMN ") + field + " TO other";
    expect_error(sql, "no_field", "path_loss", field, std::nullopt);
  }
  for (const char* field : {"transmitter_id", "name", "frequency_mhz"}) {
    const std::string sql = std::string("ALTER TABLE transmitters RENAME COLUMN ") + field + " TO other";
    expect_error(sql, "no_field", "transmitters", field, std::nullopt);
  }
  const Error error = error_after("ALTER TABLE path_loss RENAME COLUMN mean_delay_ns TO other", "", {"mean_delay_ns"});
  EXPECT_EQ(error.place().field, "mean_delay_ns");
  EXPECT_EQ(
      error_after("ALTER TABLE receiver_path_loss RENAME COLUMN height_m TO other", "|layername=receiver_path_loss")
          .place()
          .field,
      "height_m");
}

TEST_F(ReadChangedPathLoss, ValuesMustBeWhatTheFieldsHold) {
  for (const char* field : {"transmitter_id", "tile_id", "kind", "line_of_sight", "receiver_gain_dbi"}) {
    expect_error(std::string("UPDATE path_loss SET ") + field + " = NULL WHERE fid = 3", "bad_value", "path_loss",
                 field, 3);
  }
  for (const char* field : {"transmitter_id", "tile_id", "path_loss_db", "received_power_dbm", "first_delay_ns"}) {
    expect_error(std::string("UPDATE path_loss SET ") + field + " = 'much' WHERE fid = 2", "bad_value", "path_loss",
                 field, 2);
  }
  expect_error("UPDATE path_loss SET received_power_dbm = 9e999 WHERE fid = 1", "bad_value", "path_loss",
               "received_power_dbm", 1);
  expect_error("UPDATE path_loss SET received_power_dbm = NULL WHERE fid = 1", "bad_value", "path_loss",
               "received_power_dbm", 1);
  expect_error("UPDATE path_loss SET path_loss_db = NULL WHERE fid = 1", "bad_value", "path_loss", "path_loss_db", 1);
  expect_error("UPDATE path_loss SET kind = 'tower' WHERE fid = 2", "bad_value", "path_loss", "kind", 2);
  expect_error("UPDATE transmitters SET transmitter_id = NULL WHERE fid = 2", "bad_value", "transmitters",
               "transmitter_id", 2);
  for (const char* frequency : {"NULL", "'quick'", "0", "-900"}) {
    expect_error(std::string("UPDATE transmitters SET frequency_mhz = ") + frequency + " WHERE fid = 1", "bad_value",
                 "transmitters", "frequency_mhz", 1);
  }
}

// Rows that the filter leaves out may hold what they like.
TEST_F(ReadChangedPathLoss, OnlyRowsThatTheFilterLeavesCount) {
  const std::string file = folder_ / "filtered.gpkg";
  result_.write(file);
  change(file, "UPDATE path_loss SET received_power_dbm = 'much' WHERE fid = 2");
  EXPECT_EQ(code_of(file + "|subset=fid = 2"), "bad_value");
  EXPECT_EQ(code_of(file + "|subset=fid <> 2 OR fid = 1"), "none");
  for (const char* wrong : {"no_such_field = 3", "fid ="}) EXPECT_EQ(code_of(file + "|subset=" + wrong), "bad_filter");
}

TEST_F(ReadChangedPathLoss, RowsAndTransmittersThatAreThereTwiceAreRefused) {
  expect_error("UPDATE transmitters SET transmitter_id = (SELECT transmitter_id FROM transmitters WHERE fid = 1)",
               "repeated_transmitter", "transmitters", "transmitter_id", 2);
  expect_error("UPDATE path_loss SET tile_id = (SELECT tile_id FROM path_loss WHERE fid = 1) WHERE fid = 4",
               "repeated_target", "path_loss", "tile_id", 4);
  const Error error =
      error_after("UPDATE receiver_path_loss SET receiver_id = 501 WHERE fid = 2", "|layername=receiver_path_loss");
  EXPECT_EQ(error.code(), "repeated_target");
  EXPECT_NE(error.message().find("receiver 501"), std::string::npos) << error.message();
}

TEST_F(ReadPathLoss, OfGeometriesThatWerePromotedToMultipartOnes) {
  const std::string own = folder_ / "own.gpkg", promoted = folder_ / "promoted.gpkg";
  result_.write(own);
  translate(own, promoted, {"-nlt", "PROMOTE_TO_MULTI", "path_loss", "transmitters"});
  const PathLossLayer layer = read_path_loss(promoted, Outlines::read, no_progress());
  expect_same_targets(layer, result_);
  expect_same_sides(layer, result_);
  EXPECT_EQ(layer.outlines.size(), result_.tiling.tiles.size());
}

// As QGIS copies those of SpatiaLite's fields that are true or false.
TEST_F(ReadPathLoss, OfNumbersThatBecameTexts) {
  const std::string own = folder_ / "own.gpkg", texts = folder_ / "texts.gpkg";
  result_.write(own);
  translate(own, texts, {"-fieldTypeToString", "Integer,Integer64", "path_loss", "transmitters"});
  expect_same_targets(read_path_loss(texts, Outlines::leave, no_progress(), {"received_power_dbm"}), result_);
  change(texts, "UPDATE path_loss SET tile_id = 'much' WHERE fid = 2");
  EXPECT_EQ(code_of(texts), "bad_value");
}

}  // namespace
}  // namespace tesseray::testing
