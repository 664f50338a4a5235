// SPDX-License-Identifier: GPL-3.0-or-later
// A result in a SpatiaLite database, through SpatiaLite's own SQL functions.
#include <gtest/gtest.h>

#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

class SpatialiteResult : public ::testing::Test {
 protected:
  SpatialiteResult() : file_(folder_ / "résultat.sqlite") { result_.write(file_); }

  TemporaryFolder folder_;
  std::string file_;
  WriterCase result_;
};

TEST_F(SpatialiteResult, HasTheSameLayers) {
  Sql sql(file_);
  EXPECT_EQ(sql.column("SELECT f_table_name FROM geometry_columns ORDER BY 1"),
            (std::vector<std::string>{"edges", "issues", "path_loss", "prediction_error", "rays", "receiver_path_loss",
                                      "tiles", "transmitters"}));
  EXPECT_EQ(sql.value("SELECT count(*) FROM error_statistics"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM tesseray_runs"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM layer_styles WHERE useAsDefault = 1"), "9");
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"résultat.sqlite"});
}

TEST_F(SpatialiteResult, AnswersSpatialSql) {
  Sql sql(file_);
  if (!sql.load_spatialite()) GTEST_SKIP() << "mod_spatialite is not installed";
  EXPECT_EQ(sql.value("SELECT CheckSpatialMetaData()"), "3");
  EXPECT_EQ(sql.value("SELECT ST_AsText(geom) FROM transmitters WHERE transmitter_id = 1"),
            "POINT Z(1840129 5171202 230)");
  EXPECT_EQ(sql.value("SELECT Srid(geom) FROM tiles"), "3946");
  EXPECT_EQ(sql.value("SELECT ST_Area(geom) FROM tiles WHERE tile_id = 12"), "100.0");
  EXPECT_EQ(sql.value("SELECT CheckSpatialIndex('path_loss', 'geom')"), "1");
  EXPECT_EQ(
      sql.value("SELECT count(*) FROM path_loss WHERE ROWID IN (SELECT ROWID FROM SpatialIndex WHERE f_table_name = "
                "'path_loss' AND search_frame = BuildMbr(1840129, 5171201, 1840130, 5171202))"),
      "2");
}

TEST_F(SpatialiteResult, KeepsOtherLayersAndAddsRuns) {
  // Without a key of its own, a table's row ids are all that a spatial index refers to.
  Sql(file_).rows(
      "CREATE TABLE notes (text); INSERT INTO notes VALUES ('first'), ('mine'); DELETE FROM notes WHERE rowid = 1");
  try {
    result_.write(file_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "layer_exists");
  }
  result_.write(file_, true);
  Sql sql(file_);
  EXPECT_EQ(sql.rows("SELECT rowid, text FROM notes"), (std::vector<std::vector<std::string>>{{"2", "mine"}}));
  EXPECT_EQ(sql.value("SELECT count(*) FROM tesseray_runs"), "2");
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "8");
  EXPECT_EQ(sql.value("SELECT count(*) FROM layer_styles"), "11");
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"résultat.sqlite"});
}

TEST_F(SpatialiteResult, AnOldLayerThatStaysIsAnError) {
  Sql(file_).rows(
      "CREATE TRIGGER keep BEFORE DELETE ON geometry_columns BEGIN SELECT RAISE(ABORT, 'it is to stay'); END");
  try {
    result_.write(file_, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "write_failed");
    EXPECT_NE(std::string(error.what()).find("cleared of the layer"), std::string::npos) << error.what();
  }
}

TEST_F(SpatialiteResult, ALayerThatNoProgramWouldFindIsAnError) {
  Sql(file_).rows(
      "CREATE TRIGGER full BEFORE INSERT ON geometry_columns BEGIN SELECT RAISE(ABORT, 'there are enough'); END");
  ResultWriter writer(result_.scene.frame, false);
  writer.add_tiles({file_, "more"}, result_.scene, result_.tiling, {});
  try {
    writer.commit(test_run(), no_progress());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "write_failed");
    EXPECT_NE(std::string(error.what()).find("geometries of more"), std::string::npos) << error.what();
  }
}

TEST(SpatialiteOfOthers, AnEnvironmentCannotBeOne) {
  TemporaryFolder folder;
  const WriterCase c;
  ResultWriter writer(c.scene.frame, false);
  try {
    writer.add_environment(folder / "e.sqlite", c.scene, c.tiling, c.issues);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "unsupported_format");
  }
}

}  // namespace
}  // namespace tesseray::testing
