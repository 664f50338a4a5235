// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever goes wrong, the target is absent, as it was, or complete; and the error says what to do.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "core/base/staged_file.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/sqlite_database.h"
#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

using namespace std::chrono_literals;

// The error that `act` throws; fails the test when it throws none.
Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::internal, "none", ""};
}

void expect_error(const std::string& code, ErrorKind kind, const std::function<void()>& act) {
  const Error error = error_of(act);
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_EQ(error.kind(), kind) << error.what();
  EXPECT_FALSE(error.hint().empty()) << error.what();
}

void write_path_loss(const WriterCase& c, const std::string& file, bool overwrite, Progress& progress = no_progress()) {
  ResultWriter writer(c.scene.frame, overwrite);
  writer.add_path_loss({file, "path_loss"}, c.scene, c.tiling, c.predictions, {});
  writer.commit(test_run(), progress);
}

class Writing : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  WriterCase result_;
};

TEST_F(Writing, DestinationsAreParsed) {
  const LayerDestination named = parse_layer_destination("dir/x y.gpkg|layername=p é", "path_loss");
  EXPECT_EQ(named.file, "dir/x y.gpkg");
  EXPECT_EQ(named.layer, "p é");
  EXPECT_EQ(parse_layer_destination("x.GPKG", "tiles").layer, "tiles");
  EXPECT_EQ(parse_layer_destination("C:\\data\\x.gpkg|layername=p", "tiles").file, "C:\\data\\x.gpkg");
  EXPECT_EQ(parse_layer_destination("x.sqlite|LayerName=p", "tiles").layer, "p");
}

TEST_F(Writing, BadDestinationsAreRefused) {
  const auto refuse = [](const std::string& text, const char* code) {
    expect_error(code, ErrorKind::invalid_input, [&text] { parse_layer_destination(text, "tiles"); });
  };
  refuse("x.shp", "unsupported_format");
  refuse("x", "unsupported_format");
  refuse("x.geojson|layername=p", "unsupported_format");
  refuse("", "bad_destination");
  refuse("|layername=p", "bad_destination");
  refuse("x.gpkg|p", "bad_destination");
  refuse("x.gpkg|layername=a|subset=b", "bad_destination");
  refuse("x.gpkg|layername=", "bad_layer_name");
  refuse("x.gpkg|layername=gpkg_contents", "bad_layer_name");
  refuse("x.gpkg|layername=TESSERAY_RUNS", "bad_layer_name");
  refuse("x.gpkg|layername=layer_styles", "bad_layer_name");
  refuse("x.gpkg|layername=ogr_empty_table", "bad_layer_name");
  for (const std::string name : {"views_geometry_columns", "data_licenses", "KNN", "SpatialIndex", "geometry_columns",
                                 "spatial_ref_sys", "vector_layers", "spatialite_history", "idx_path_loss_geom"}) {
    refuse("x.sqlite|layername=" + name, "bad_layer_name");
  }
  refuse("x.gpkg|layername= ", "bad_layer_name");
  refuse("x.sqlite|layername= ", "bad_layer_name");
  refuse("x.sqlite|layername=L'Aquila", "bad_layer_name");
  refuse("x.sqlite|layername=the \"old\" town", "bad_layer_name");
}

TEST_F(Writing, LayerNamesMayHoldAnything) {
  const std::string file = folder_ / "x.gpkg";
  const std::string name = "it's \"my\" layer; DROP TABLE x -- é";
  for (const bool overwrite : {false, true}) {
    ResultWriter writer(result_.scene.frame, overwrite);
    writer.add_tiles({file, name}, result_.scene, result_.tiling, {});
    writer.commit(test_run(), no_progress());
  }
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT count(*) FROM \"it's \"\"my\"\" layer; DROP TABLE x -- é\""), "4");
  EXPECT_EQ(sql.value("SELECT table_name FROM gpkg_contents WHERE data_type = 'features'"), name);
}

TEST_F(Writing, TwoOutputsOnOneLayerAreRefused) {
  const std::string file = folder_ / "x.gpkg";
  ResultWriter writer(result_.scene.frame, true);
  writer.add_tiles({file, "a"}, result_.scene, result_.tiling, {});
  expect_error("same_destination", ErrorKind::invalid_input, [&] {
    writer.add_edges({file, "A"}, result_.scene, result_.tiling);
  });
  expect_error("same_destination", ErrorKind::invalid_input, [&] {
    writer.add_edges(
        {folder_ / "../" + std::filesystem::path(folder_ / "").parent_path().filename().string() + "/x.gpkg", "a"},
        result_.scene, result_.tiling);
  });
  expect_error("same_destination", ErrorKind::invalid_input, [&] {
    writer.add_environment(folder_ / "e.gpkg", result_.scene, result_.tiling, {});
    writer.add_tiles({folder_ / "e.gpkg", "tiles"}, result_.scene, result_.tiling, {});
  });
}

TEST_F(Writing, LayersThatExistNeedOverwrite) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  expect_error("layer_exists", ErrorKind::invalid_input, [&] { result_.write(file); });
  expect_error("layer_exists", ErrorKind::invalid_input, [&] {
    ResultWriter writer(result_.scene.frame, false);
    writer.add_tiles({file, "TILES"}, result_.scene, result_.tiling, {});
  });
}

TEST_F(Writing, LayersOfOthersAreNeverReplaced) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    write_layer(file, {.driver = file.ends_with(".gpkg") ? "GPKG" : "SQLite",
                       .name = "Tiles",
                       .geometry = "POINT",
                       .features = {{.wkt = point(1, 2)}}});
    write_path_loss(result_, file, false);
    expect_error("layer_of_others", ErrorKind::invalid_input, [&] {
      ResultWriter writer(result_.scene.frame, true);
      writer.add_tiles({file, "tiles"}, result_.scene, result_.tiling, {});
    });
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM Tiles"), "1");
    write_path_loss(result_, file, true);  // one of ours
  }
}

TEST_F(Writing, LayersThatCameMeanwhileAreNotReplaced) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    write_path_loss(result_, file, false);
    ResultWriter writer(result_.scene.frame, false);
    writer.add_tiles({file, "tiles"}, result_.scene, result_.tiling, {});
    {
      ResultWriter faster(result_.scene.frame, false);
      faster.add_tiles({file, "tiles"}, result_.scene, result_.tiling, result_.visible_tiles);
      faster.commit(test_run(), no_progress());
    }
    expect_error("layer_exists", ErrorKind::invalid_input, [&] { writer.commit(test_run(), no_progress()); });
    EXPECT_EQ(Sql(file).value("SELECT visible_count FROM tiles"), "3");
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM tesseray_runs"), "2");
  }
}

TEST_F(Writing, AFileThatCameMeanwhileIsNotReplaced) {
  const std::string file = folder_ / "new.gpkg";
  {
    StagedFile staged({file, replaceable_at(file)});
    write_text(file, "of another program");
    staged.flush();
    expect_error("file_exists", ErrorKind::invalid_input, [&] { staged.publish(); });
  }
  EXPECT_EQ(std::filesystem::file_size(file), 18u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(std::filesystem::path(file).parent_path()), {}), 1);
  // One that was there at first may be replaced.
  StagedFile again({file, replaceable_at(file)});
  again.flush();
  again.publish();
  EXPECT_EQ(std::filesystem::file_size(file), 0u);
}

TEST_F(Writing, LeftoversAreRemovedAndWhatOthersCallAlikeStays) {
  std::vector<std::string> of_others = {".tesseray-", ".tesseray-notes.txt", ".tesseray-2024", ".tesseray-12-",
                                        ".tesseray.gpkg"};
  for (const std::string& name : of_others) write_text(folder_ / name, "precious");
  const std::string left = StagedFile({folder_ / "x.gpkg"}).path();
  for (const char* end : {"", "-journal"}) write_text(left + end, "of a killed run");
  { StagedFile staged({folder_ / "x.gpkg"}); }
  std::sort(of_others.begin(), of_others.end());
  EXPECT_EQ(names_in(folder_ / ""), of_others);
}

// Also while the environment is prepared, which takes some time.
TEST_F(Writing, AnEnvironmentThatCameMeanwhileIsNotReplaced) {
  const std::string file = folder_ / "e.gpkg";
  ResultWriter writer(result_.scene.frame, false);
  writer.add_environment(file, result_.scene, result_.tiling, {});
  write_text(file, "of another program");
  expect_error("file_exists", ErrorKind::invalid_input, [&] { writer.commit(test_run(), no_progress()); });
  EXPECT_EQ(std::filesystem::file_size(file), 18u);
}

std::vector<std::uint8_t> bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t bytes_on_disk(const std::string& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

TEST_F(Writing, RoomThatIsNotNeededIsGivenBack) {
  const std::string file = folder_ / "x.bin";
  const std::vector<std::uint8_t> bytes(100'000, 7);
  constexpr std::uint64_t reserved = std::uint64_t{64} << 20;
  StagedFile staged({file});
  staged.reserve(reserved);
  // A file system may have no such thing.
  const bool is_reserved = bytes_on_disk(staged.path()) >= reserved;
  staged.write(0, bytes);
  EXPECT_EQ(std::filesystem::file_size(staged.path()), bytes.size());
  staged.flush();
  staged.publish();
  EXPECT_EQ(bytes_of(file), bytes);
  EXPECT_LT(bytes_on_disk(file), reserved / 4);
  if (!is_reserved) GTEST_SKIP() << "no room can be reserved on this file system";
}

TEST_F(Writing, MoreRoomThanThereIsStopsNobody) {
  const std::string file = folder_ / "x.bin";
  const std::vector<std::uint8_t> bytes(1000, 7);
  StagedFile staged({file});
  staged.reserve(std::uint64_t{1} << 60);
  staged.write(0, bytes);
  staged.flush();
  staged.publish();
  EXPECT_EQ(bytes_of(file), bytes);
}

TEST_F(Writing, ATableOfRunsWithOtherColumnsIsRefusedAndTheFileStaysAsItWas) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    // As a later version may write it.
    Sql(file).rows("ALTER TABLE tesseray_runs RENAME COLUMN device TO machine");
    const std::string before = Sql(file).value("SELECT group_concat(result_hash) FROM tesseray_runs");
    expect_error("foreign_table", ErrorKind::invalid_input, [&] { write_path_loss(large_case(20, 10), file, true); });
    Sql sql(file);
    EXPECT_EQ(sql.value("SELECT group_concat(result_hash) FROM tesseray_runs"), before);
    EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "8");
  }
}

TEST_F(Writing, ATableOfRunsOfAnEarlierVersionGetsTheColumnsThatItLacks) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    Sql(file).rows("ALTER TABLE tesseray_runs DROP COLUMN made_from_predictions");
    const bool is_geopackage = name == std::string("x.gpkg");
    if (is_geopackage) Sql(file).rows("DELETE FROM gpkg_data_columns WHERE column_name = 'made_from_predictions'");
    const std::vector<std::string> of_earlier_version = layers_made_from_predictions(file);
    write_path_loss(large_case(20, 10), file, true);
    Sql sql(file);
    EXPECT_EQ(sql.value("SELECT group_concat(coalesce(made_from_predictions, 'none'), ';') FROM tesseray_runs"),
              "none;[]");
    if (is_geopackage) {
      EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_data_columns WHERE column_name = 'made_from_predictions'"), "1");
    }
    EXPECT_EQ(of_earlier_version, (std::vector<std::string>{"error_statistics", "prediction_error", "rays"})) << name;
    EXPECT_EQ(layers_made_from_predictions(file), of_earlier_version) << name;
  }
}

TEST_F(Writing, LayersMadeFromPredictionsAreKnownByAnyName) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    ResultWriter writer(result_.scene.frame, false);
    writer.add_path_loss({file, "rays"}, result_.scene, result_.tiling, result_.predictions, {});
    writer.add_prediction_error({file, "errors"}, result_.comparison);
    writer.add_rays({file, "ways"}, result_.predictions);
    writer.add_rays({file, "images"}, result_.predictions, RaysOf::images);
    RunRecord run = test_run();
    run.tool = "a tool of tomorrow";
    writer.commit(run, no_progress());
    EXPECT_EQ(layers_made_from_predictions(file), (std::vector<std::string>{"errors", "ways"})) << name;
  }
}

TEST_F(Writing, LayersAreAddedToAFileOfOthersAndReplacedInIt) {
  const std::string file = write_layer(folder_ / "x.gpkg", {.name = "mine", .features = {{.wkt = box(0, 0, 1, 1)}}});
  result_.write(file);
  write_path_loss(large_case(20, 10), file, true);
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT count(*) FROM mine"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "200");
  EXPECT_EQ(sql.value("SELECT count(*) FROM rtree_path_loss_geom"), "200");
  EXPECT_EQ(sql.value("SELECT count(*) FROM tiles"), "4");
  EXPECT_EQ(sql.value("SELECT count(*) FROM tesseray_runs"), "2");
  EXPECT_EQ(sql.value("SELECT count(*) FROM layer_styles WHERE f_table_name = 'path_loss' AND useAsDefault = 1"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_data_columns WHERE table_name = 'path_loss'"), "18");
  EXPECT_EQ(sql.value("SELECT count(*) FROM gpkg_extensions WHERE table_name = 'path_loss'"), "1");
  EXPECT_EQ(sql.value("SELECT count(*) FROM sqlite_master WHERE tbl_name = 'path_loss' AND type = 'trigger'"), "6");
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(sql.rows("PRAGMA foreign_key_check").empty());
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"x.gpkg"});
}

// As QGIS saves them in the file.
constexpr char styles_of_a_user[] =
    "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, styleQML, "
    "useAsDefault, description) VALUES ('', '', 'path_loss', 'geom', 'for print', '<qgis/>', 0, NULL), "
    "('', '', 'path_loss', 'geom', 'mine', '<qgis/>', 1, 'my style')";

TEST_F(Writing, StylesThatOthersHaveSavedForALayerStayWhenItIsReplaced) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    const std::string ours =
        "SELECT count(*) FROM layer_styles WHERE f_table_name = 'path_loss' AND description LIKE '% by Tesseray'";
    const std::string number = Sql(file).value(ours);
    Sql(file).rows("UPDATE layer_styles SET useAsDefault = 0 WHERE f_table_name = 'path_loss'");
    Sql(file).rows(styles_of_a_user);
    for (int times = 0; times < 2; ++times) {
      write_path_loss(large_case(20, 10), file, true);
      Sql sql(file);
      EXPECT_EQ(sql.value(ours), number) << name;
      EXPECT_EQ(sql.column("SELECT styleName FROM layer_styles WHERE styleQML = '<qgis/>' ORDER BY 1"),
                (std::vector<std::string>{"for print", "mine"}))
          << name;
      EXPECT_EQ(sql.column("SELECT styleName FROM layer_styles WHERE f_table_name = 'path_loss' AND useAsDefault"),
                std::vector<std::string>{"mine"})
          << name;
    }
  }
}

TEST_F(Writing, AStyleOfOthersThatCannotDrawTheNewLayerIsNoLongerTheDefault) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    const std::string our_default =
        Sql(file).value("SELECT styleName FROM layer_styles WHERE f_table_name = 'path_loss' AND useAsDefault");
    Sql(file).rows("UPDATE layer_styles SET useAsDefault = 0 WHERE f_table_name = 'path_loss'");
    Sql(file).rows(styles_of_a_user);
    const WriterCase other = large_case(20, 10);
    ResultWriter writer(other.scene.frame, true);
    writer.add_path_loss({file, "path_loss"}, other.scene, other.tiling, other.predictions,
                         {.geometry = TargetGeometry::point});
    writer.commit(test_run(), no_progress());
    Sql sql(file);
    EXPECT_EQ(sql.column("SELECT styleName FROM layer_styles WHERE f_table_name = 'path_loss' AND useAsDefault"),
              std::vector<std::string>{our_default})
        << name;
    EXPECT_EQ(sql.value("SELECT count(*) FROM layer_styles WHERE styleQML = '<qgis/>'"), "2") << name;
  }
}

TEST_F(Writing, MetadataOfALayerStaysWhenItIsReplacedAndThatOfItsRowsGoes) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  Sql(file).rows(
      "CREATE TABLE gpkg_metadata (id INTEGER PRIMARY KEY, md_scope TEXT, md_standard_uri TEXT, mime_type TEXT, "
      "metadata TEXT);"
      "CREATE TABLE gpkg_metadata_reference (reference_scope TEXT, table_name TEXT, column_name TEXT, row_id_value "
      "INTEGER, timestamp DATETIME, md_file_id INTEGER, md_parent_id INTEGER);"
      "INSERT INTO gpkg_metadata_reference (reference_scope, table_name, row_id_value) VALUES "
      "('table', 'path_loss', NULL), ('row', 'path_loss', 3)");
  write_path_loss(large_case(20, 10), file, true);
  EXPECT_EQ(Sql(file).column("SELECT reference_scope FROM gpkg_metadata_reference"), std::vector<std::string>{"table"});
}

TEST_F(Writing, RastersAreNeverReplacedByLayers) {
  const std::string file = folder_ / "e.gpkg";
  {
    ResultWriter writer(result_.scene.frame, false);
    writer.add_environment(file, result_.scene, result_.tiling, {});
    writer.commit(test_run(), no_progress());
  }
  expect_error("not_a_layer", ErrorKind::invalid_input, [&] {
    ResultWriter writer(result_.scene.frame, true);
    writer.add_tiles({file, "terrain"}, result_.scene, result_.tiling, {});
    writer.commit(test_run(), no_progress());
  });
  EXPECT_EQ(Sql(file).value("SELECT data_type FROM gpkg_contents WHERE table_name = 'terrain'"), "2d-gridded-coverage");
}

// A view shows layers of others, also where a GIS lists it as a layer.
TEST_F(Writing, ViewsAreNeverReplacedByLayers) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  Sql(file).rows(
      "CREATE VIEW shown AS SELECT * FROM tiles; INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES "
      "('shown', 'features', 3946); INSERT INTO gpkg_geometry_columns VALUES ('shown', 'geom', 'POLYGON', 3946, 1, 0)");
  try {
    ResultWriter writer(result_.scene.frame, true);
    writer.add_tiles({file, "shown"}, result_.scene, result_.tiling, {});
    writer.commit(test_run(), no_progress());
    ADD_FAILURE() << "was replaced";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "not_a_layer");
    EXPECT_EQ(error.place().file, file);
    EXPECT_EQ(error.place().layer, "shown");
  }
  EXPECT_EQ(Sql(file).value("SELECT count(*) FROM shown"), "4");
}

TEST_F(Writing, ATableOfStylesWithOtherColumnsIsRefusedAndTheFileStaysAsItWas) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    result_.write(file);
    Sql(file).rows("DROP TABLE layer_styles; CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, f_table_name TEXT)");
    expect_error("foreign_table", ErrorKind::invalid_input, [&] { result_.write(file, true); });
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM tesseray_runs"), "1");
  }
}

TEST_F(Writing, RunsThatTellOfNoListOfLayersTellOfNone) {
  for (const char* change : {"UPDATE tesseray_runs SET layers = 'nonsense'", "UPDATE tesseray_runs SET layers = NULL",
                             "DROP TABLE tesseray_runs; CREATE TABLE tesseray_runs (note TEXT)"}) {
    const std::string file = folder_ / "x.gpkg";
    result_.write(file, true);
    Sql(file).rows(change);
    const std::vector<std::string> others = tables_of_others(file);
    EXPECT_NE(std::find(others.begin(), others.end(), "path_loss"), others.end()) << change;
    EXPECT_TRUE(layers_made_from_predictions(file).empty()) << change;
    std::filesystem::remove(file);
  }
}

TEST_F(Writing, FilesThatAreNoGeoPackageNeedOverwrite) {
  const std::string text = write_text(folder_ / "text.gpkg", "not a database, but long enough to be taken for one.");
  expect_error("not_a_geopackage", ErrorKind::invalid_input, [&] { result_.write(text); });
  EXPECT_EQ(std::filesystem::file_size(text), 52u);
  result_.write(text, true);
  EXPECT_EQ(Sql(text).value("SELECT count(*) FROM tiles"), "4");

  const std::string empty = write_text(folder_ / "empty.gpkg", "");
  result_.write(empty);
  EXPECT_EQ(Sql(empty).value("SELECT count(*) FROM tiles"), "4");
}

TEST_F(Writing, MissingFoldersAreRefusedAtOnce) {
  expect_error("no_such_folder", ErrorKind::invalid_input, [&] {
    ResultWriter writer(result_.scene.frame, true);
    writer.add_tiles({folder_ / "none/x.gpkg", "tiles"}, result_.scene, result_.tiling, {});
  });
}

// A user's first command names a file in the folder where they are.
TEST_F(Writing, ABareNameIsAFileInTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_ / ".");
  EXPECT_NO_THROW(write_path_loss(result_, "bare.gpkg", false));
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "bare.gpkg"));
}

// As long as a file system lets names be.
TEST_F(Writing, LongNamesAreWritten) {
  for (const std::string ending : {".gpkg", ".sqlite"}) {
    std::string name;
    while (name.size() + 2 + ending.size() <= 255) name += "ä";
    const std::string file = folder_ / (name + ending);
    result_.write(file);
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM tiles"), "4");
    EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{name + ending});
    std::filesystem::remove(file);
  }
  const StagedFile staged({folder_ / std::string(250, 'x')});
  EXPECT_LT(staged.path().filename().string().size(), 143u);  // what encrypted folders take
}

TEST_F(Writing, ALinkStaysALink) {
  const std::filesystem::path file = folder_ / "real.gpkg", link = folder_ / "link.gpkg";
  std::filesystem::create_symlink("real.gpkg", link);
  result_.write(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(Sql(file).value("SELECT count(*) FROM tiles"), "4");
}

TEST_F(Writing, LockedFilesAreNamedAfterAShortWait) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  for (const char* lock : {"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"}) {
    Sql other(file);
    ASSERT_TRUE(other.rows(lock).empty());
    const auto start = std::chrono::steady_clock::now();
    expect_error("file_locked", ErrorKind::invalid_input, [&] { result_.write(file, true); });
    EXPECT_LT(std::chrono::steady_clock::now() - start, 8s) << lock;
  }
  result_.write(file, true);
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"x.gpkg"});
}

TEST_F(Writing, AFileThatQgisHoldsOpenForReadingTakesLayers) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  {
    Sql qgis(file);
    ASSERT_EQ(qgis.value("PRAGMA journal_mode = WAL"), "wal");
    ASSERT_EQ(qgis.value("SELECT count(*) FROM path_loss"), "8");
    write_path_loss(large_case(20, 10), file, true);
    EXPECT_EQ(qgis.value("SELECT count(*) FROM path_loss"), "200");
  }
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"x.gpkg"});
}

class Recorded : public Progress {
 public:
  void advance(double fraction) override { fractions.push_back(fraction); }
  std::vector<double> fractions;
};

// The spatial index comes when all rows are there, and takes its time.
TEST_F(Writing, ProgressLeavesRoomForTheSpatialIndex) {
  const WriterCase city = large_case(100, 100);
  for (const TargetGeometry geometry : {TargetGeometry::polygon, TargetGeometry::none}) {
    ResultWriter writer(city.scene.frame, true);
    writer.add_path_loss({folder_ / "x.gpkg", "path_loss"}, city.scene, city.tiling, city.predictions,
                         {.geometry = geometry});
    Recorded progress;
    writer.commit(test_run(), progress);
    const std::vector<double>& told = progress.fractions;
    ASSERT_GE(told.size(), 4u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), 1);
    // Blocks of 2,048 of the 10,000 rows.
    const double rows = geometry == TargetGeometry::none ? 1 : 0.75;
    EXPECT_NEAR(told[0], 0.2048 * rows, 0.001);
    EXPECT_NEAR(told[4], rows, 0.001);
  }
}

// Does something in the middle of the writing, once.
class Interrupting : public Progress {
 public:
  explicit Interrupting(std::function<void()> act) : act_(std::move(act)) {}
  void advance(double) override {
    if (act_) std::exchange(act_, nullptr)();
  }

 private:
  std::function<void()> act_;
};

TEST_F(Writing, NobodyWritesToADatabaseWhoseCopyIsUnderWay) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    write_path_loss(result_, file, false);
    Sql(file).rows("CREATE TABLE notes (text)");
    const auto add_tiles = [&] {
      ResultWriter writer(result_.scene.frame, false);
      writer.add_tiles({file, "tiles"}, result_.scene, result_.tiling, {});
      writer.commit(test_run(), no_progress());
    };
    std::vector<std::vector<std::string>> note;
    Interrupting progress([&] {
      note = Sql(file).rows("INSERT INTO notes VALUES ('mine')");
      expect_error("file_locked", ErrorKind::invalid_input, add_tiles);
    });
    write_path_loss(large_case(20, 10), file, true, progress);
    EXPECT_EQ(note, (std::vector<std::vector<std::string>>{{"database is locked"}})) << name;
    add_tiles();
    Sql sql(file);
    EXPECT_EQ(sql.rows("INSERT INTO notes VALUES ('mine')").size(), 0u);
    EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "200");
    EXPECT_EQ(sql.value("SELECT count(*) FROM tiles"), "4");
    EXPECT_EQ(sql.value("SELECT count(*) FROM tesseray_runs"), "3");
  }
}

TEST_F(Writing, RunsThatWaitForEachOtherLoseNothing) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = folder_ / name;
    write_path_loss(result_, file, false);
    std::vector<std::thread> runs;
    for (int i = 0; i < 4; ++i) {
      runs.emplace_back([&, i] {
        ResultWriter writer(result_.scene.frame, false);
        writer.add_tiles({file, "tiles" + std::to_string(i)}, result_.scene, result_.tiling, {});
        // Long enough for the others to wait by then, and short enough for the last.
        Interrupting progress([] { std::this_thread::sleep_for(50ms); });
        EXPECT_NO_THROW(writer.commit(test_run(), progress));
      });
    }
    for (std::thread& run : runs) run.join();
    Sql sql(file);
    EXPECT_EQ(sql.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'tiles%' ORDER BY 1"),
              (std::vector<std::string>{"tiles0", "tiles1", "tiles2", "tiles3"}));
    EXPECT_EQ(sql.value("SELECT count(*) FROM tesseray_runs"), "5");
    EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  }
}

TEST_F(Writing, ADatabaseThatOthersHaveOpenWithALogIsRefused) {
  const std::string file = folder_ / "x.sqlite";
  result_.write(file);
  {
    Sql other(file);
    ASSERT_EQ(other.value("PRAGMA journal_mode = WAL"), "wal");
    ASSERT_EQ(other.value("SELECT count(*) FROM path_loss"), "8");
    expect_error("file_locked", ErrorKind::invalid_input, [&] { write_path_loss(large_case(20, 10), file, true); });
    EXPECT_EQ(other.value("SELECT count(*) FROM path_loss"), "8");
    EXPECT_TRUE(other.rows("CREATE TABLE notes (text)").empty());
  }
  write_path_loss(large_case(20, 10), file, true);
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "200");
  EXPECT_EQ(sql.value("SELECT count(*) FROM notes"), "0");
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"x.sqlite"});
}

TEST_F(Writing, AnEmptyFileThatIsFilledMeanwhileIsNotReplaced) {
  for (const char* name : {"x.gpkg", "x.sqlite"}) {
    const std::string file = write_text(folder_ / name, "");
    Interrupting progress([&] { write_path_loss(result_, file, false); });
    expect_error("file_exists", ErrorKind::invalid_input,
                 [&] { write_path_loss(large_case(20, 10), file, false, progress); });
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM path_loss"), "8");
  }
}

TEST_F(Writing, AFileThatIsReplacedMeanwhileIsNoSuccess) {
  const std::string file = folder_ / "x.gpkg", other = folder_ / "other.gpkg";
  result_.write(file);
  write_path_loss(result_, other, false);
  Interrupting progress([&] { std::filesystem::rename(other, file); });
  expect_error("file_replaced", ErrorKind::invalid_input,
               [&] { write_path_loss(large_case(20, 10), file, true, progress); });
  EXPECT_EQ(Sql(file).value("SELECT count(*) FROM path_loss"), "8");
}

// Of several files none is touched when one of them cannot be finished.
TEST_F(Writing, AFileThatComesMeanwhileLeavesTheOthersAsTheyWere) {
  for (const char* other : {"new.gpkg", "new.sqlite"}) {
    const std::string existing = folder_ / "x.gpkg", made = folder_ / other;
    write_path_loss(result_, existing, true);
    const std::string runs = Sql(existing).value("SELECT count(*) FROM tesseray_runs");
    ResultWriter writer(result_.scene.frame, true);
    const WriterCase city = large_case(20, 10);
    writer.add_path_loss({existing, "path_loss"}, city.scene, city.tiling, city.predictions, {});
    writer.add_tiles({made, "tiles"}, city.scene, city.tiling, {});
    Interrupting progress([&] { write_text(made, "of another program"); });
    expect_error("file_exists", ErrorKind::invalid_input, [&] { writer.commit(test_run(), progress); });
    EXPECT_EQ(Sql(existing).value("SELECT count(*) FROM path_loss"), "8") << other;
    EXPECT_EQ(Sql(existing).value("SELECT count(*) FROM tesseray_runs"), runs) << other;
    EXPECT_EQ(std::filesystem::file_size(made), 18u) << other;
  }
}

TEST_F(Writing, ADatabaseThatStaysLockedIsNotCopied) {
  const std::string file = folder_ / "x.gpkg";
  result_.write(file);
  const std::string copy = write_text(folder_ / "copy.gpkg", "");
  Sql other(file);
  other.rows("BEGIN EXCLUSIVE");
  expect_error("file_locked", ErrorKind::invalid_input, [&] {
    SqliteDatabase source(file, SqliteDatabase::Access::shared);
    SqliteDatabase target(copy, SqliteDatabase::Access::staged);
    source.copy_to(target);
  });
}

// Cancels after a number of questions.
class Cancelling : public Progress {
 public:
  explicit Cancelling(int questions) : questions_(questions) {}
  bool is_cancelled() const override { return asked_++ >= questions_; }

 private:
  int questions_;
  mutable std::atomic<int> asked_{0};
};

TEST_F(Writing, CancellingLeavesEverythingAsItWas) {
  const WriterCase city = large_case(200, 100);
  const std::string absent = folder_ / "absent.gpkg", existing = folder_ / "existing.gpkg",
                    spatialite = folder_ / "s.sqlite";
  result_.write(existing);
  result_.write(spatialite);
  for (const int questions : {0, 1, 5}) {
    for (const std::string& file : {absent, existing, spatialite}) {
      Cancelling progress(questions);
      EXPECT_EQ(error_of([&] { write_path_loss(city, file, true, progress); }).kind(), ErrorKind::cancelled);
    }
    EXPECT_EQ(names_in(folder_ / ""), (std::vector<std::string>{"existing.gpkg", "s.sqlite"}));
    EXPECT_EQ(Sql(existing).value("SELECT count(*) FROM path_loss"), "8");
    EXPECT_EQ(Sql(existing).value("SELECT count(*) FROM tesseray_runs"), "1");
    EXPECT_EQ(Sql(spatialite).value("SELECT count(*) FROM path_loss"), "8");
  }
}

// Runs this program's test `name`, disabled otherwise, as a process of its own.
pid_t start_child(const std::string& name, const std::string& file) {
  const std::string filter = "--gtest_filter=WriterChild.DISABLED_" + name;
  const std::string variable = "TESSERAY_WRITER_CHILD=" + file;
  const char* const arguments[] = {"writer_test", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr};
  std::vector<char*> environment = {const_cast<char*>(variable.c_str())};
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  posix_spawn(&child, "/proc/self/exe", &quiet, nullptr, const_cast<char* const*>(arguments), environment.data());
  posix_spawn_file_actions_destroy(&quiet);
  return child;
}

std::string child_file() {
  const char* file = std::getenv("TESSERAY_WRITER_CHILD");
  return file == nullptr ? "" : file;
}

constexpr std::uint32_t child_columns = 300, child_rows = 150;
const std::string child_count = std::to_string(child_columns * child_rows);

TEST(WriterChild, DISABLED_Writes) {
  const std::string file = child_file();
  std::ofstream{file + ".started"};
  write_path_loss(large_case(child_columns, child_rows), file, true);
  std::ofstream{file + ".done"};
}

// Waits for the child's mark, then kills it after a random part of the time that a whole run takes.
void kill_at_a_random_moment(const std::string& file, std::chrono::microseconds whole_run, std::mt19937& random) {
  const pid_t child = start_child("Writes", file);
  while (!std::filesystem::exists(file + ".started")) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(whole_run * std::uniform_int_distribution<int>(0, 110)(random) / 100);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::filesystem::remove(file + ".started");
}

std::chrono::microseconds time_of_a_whole_run(const std::string& file) {
  const pid_t child = start_child("Writes", file);
  while (!std::filesystem::exists(file + ".started")) std::this_thread::sleep_for(1ms);
  const auto start = std::chrono::steady_clock::now();
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(file + ".done"));
  std::filesystem::remove(file + ".started");
  std::filesystem::remove(file + ".done");
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
}

TEST_F(Writing, KilledRunsLeaveANewFileAbsentOrComplete) {
  std::mt19937 random(20);
  const std::string file = folder_ / "new.gpkg";
  const auto whole_run = time_of_a_whole_run(file);
  int absent = 0;
  for (int trial = 0; trial < 15; ++trial) {
    std::filesystem::remove(file);
    kill_at_a_random_moment(file, whole_run, random);
    const bool done = std::filesystem::exists(file + ".done");
    std::filesystem::remove(file + ".done");
    if (!std::filesystem::exists(file)) {
      EXPECT_FALSE(done);
      ++absent;
      continue;
    }
    EXPECT_EQ(Sql(file).value("SELECT count(*) FROM path_loss"), child_count);
    EXPECT_EQ(Sql(file).value("PRAGMA integrity_check"), "ok");
  }
  EXPECT_GT(absent, 0) << "no run was killed in time";
  result_.write(folder_ / "next.gpkg");
  for (const std::string& name : names_in(folder_ / "")) EXPECT_FALSE(name.starts_with(".")) << name;
}

TEST_F(Writing, KilledRunsLeaveAnExistingFileAsItWasOrComplete) {
  std::mt19937 random(21);
  const std::string file = folder_ / "existing.gpkg";
  result_.write(file);
  const auto whole_run = time_of_a_whole_run(file);
  int as_it_was = 0;
  for (int trial = 0; trial < 15; ++trial) {
    write_path_loss(result_, file, true);
    kill_at_a_random_moment(file, whole_run, random);
    const bool done = std::filesystem::exists(file + ".done");
    std::filesystem::remove(file + ".done");
    Sql sql(file);
    const std::string count = sql.value("SELECT count(*) FROM path_loss");
    EXPECT_TRUE(count == child_count || (count == "8" && !done)) << count;
    as_it_was += count == "8" ? 1 : 0;
    EXPECT_EQ(sql.value("SELECT count(*) FROM rtree_path_loss_geom"), count);
    EXPECT_EQ(sql.value("SELECT count(*) FROM tiles"), "4");
    EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
  }
  EXPECT_GT(as_it_was, 0) << "no run was killed in time";
  write_path_loss(result_, file, true);
  EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"existing.gpkg"});
}

TEST_F(Writing, RunsInOneFolderDoNotTakeEachOthersFiles) {
  const std::string first = folder_ / "first.gpkg", second = folder_ / "second.gpkg";
  const pid_t child = start_child("Writes", first);
  while (!std::filesystem::exists(first + ".started")) std::this_thread::sleep_for(1ms);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) result_.write(second, true);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Sql(first).value("SELECT count(*) FROM path_loss"), child_count);
}

// A small file system of its own, where that is allowed.
class SmallDisk {
 public:
  SmallDisk(const std::string& folder, int kilobytes) : folder_(folder) {
    std::filesystem::create_directory(folder_);
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    mounted_ = mount("tmpfs", folder_.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

TEST_F(Writing, AFullDiskIsNamedAndNothingStays) {
  const std::string place = folder_ / "disk";
  const WriterCase city = large_case(200, 100);
  // 20,000 rows take about 7 MB; the check before the work knows of 4.6 MB.
  for (const int kilobytes : {5000, 5500, 6000}) {
    const SmallDisk disk(place, kilobytes);
    if (!disk.mounted()) GTEST_SKIP() << "no file system may be mounted here";
    for (const char* name : {"x.gpkg", "x.sqlite"}) {
      const std::string file = place + "/" + name;
      const Error error = error_of([&] { write_path_loss(city, file, false); });
      EXPECT_EQ(error.kind(), ErrorKind::resources) << error.what();
      EXPECT_EQ(error.code(), "disk_full") << error.what();
      EXPECT_NE(std::string(error.what()).find(" MiB"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_TRUE(names_in(place).empty());
    }
  }
}

TEST_F(Writing, AFullDiskLeavesAnExistingFileAsItWas) {
  const std::string place = folder_ / "disk";
  const SmallDisk disk(place, 6500);
  if (!disk.mounted()) GTEST_SKIP() << "no file system may be mounted here";
  const std::string file = place + "/x.gpkg";
  result_.write(file);
  expect_error("disk_full", ErrorKind::resources, [&] { write_path_loss(large_case(200, 100), file, true); });
  EXPECT_EQ(names_in(place), std::vector<std::string>{"x.gpkg"});
  Sql sql(file);
  EXPECT_EQ(sql.value("SELECT count(*) FROM path_loss"), "8");
  EXPECT_EQ(sql.value("PRAGMA integrity_check"), "ok");
}

TEST_F(Writing, WhatCannotFitIsRefusedBeforeTheWork) {
  const std::string place = folder_ / "disk";
  const SmallDisk disk(place, 2000);
  if (!disk.mounted()) GTEST_SKIP() << "no file system may be mounted here";
  const Error error = error_of([&] { write_path_loss(large_case(200, 100), place + "/x.gpkg", false); });
  EXPECT_EQ(error.kind(), ErrorKind::resources);
  EXPECT_NE(std::string(error.what()).find("takes at least 4.5 MiB"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("2.0 MiB are free"), std::string::npos) << error.what();
}

// Files of this process cannot grow beyond a size, as with a quota.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_ = SIG_DFL;
};

TEST_F(Writing, AFileSizeLimitIsNamedAndNothingStays) {
  const WriterCase city = large_case(200, 100);
  const std::string existing = folder_ / "existing.gpkg";
  result_.write(existing);
  for (const rlim_t bytes : {100'000u, 1'000'000u, 5'000'000u}) {
    {
      const FileSizeLimit limit(bytes);
      expect_error("disk_full", ErrorKind::resources, [&] { write_path_loss(city, folder_ / "new.gpkg", false); });
      expect_error("disk_full", ErrorKind::resources, [&] { write_path_loss(city, existing, true); });
    }
    EXPECT_EQ(names_in(folder_ / ""), std::vector<std::string>{"existing.gpkg"});
    EXPECT_EQ(Sql(existing).value("SELECT count(*) FROM path_loss"), "8");
    EXPECT_EQ(Sql(existing).value("PRAGMA integrity_check"), "ok");
  }
}

TEST(WriterChild, DISABLED_MayNotWrite) {
  // Root may write everywhere.
  constexpr uid_t nobody = 65534;
  if (geteuid() == 0) {
    ASSERT_EQ(setgid(nobody), 0);
    ASSERT_EQ(setuid(nobody), 0);
  }
  const bool is_in_a_read_only_folder = child_file().find("read-only") != std::string::npos;
  expect_error(is_in_a_read_only_folder ? "folder_not_writable" : "cannot_write", ErrorKind::invalid_input,
               [] { WriterCase().write(child_file()); });
}

TEST_F(Writing, ReadOnlyFoldersAndFilesAreNamed) {
  const std::filesystem::path read_only = folder_ / "read-only", open = folder_ / "open";
  std::filesystem::create_directory(read_only);
  std::filesystem::create_directory(open);
  result_.write(open / "x.gpkg");
  chmod(std::filesystem::path(folder_ / "").c_str(), 0755);
  chmod(read_only.c_str(), 0555);
  chmod(open.c_str(), 0777);
  chmod((open / "x.gpkg").c_str(), 0444);
  for (const std::filesystem::path& file : {read_only / "x.gpkg", open / "x.gpkg"}) {
    int status = -1;
    waitpid(start_child("MayNotWrite", file), &status, 0);
    EXPECT_EQ(status, 0) << file;
  }
  chmod(read_only.c_str(), 0755);
}

}  // namespace
}  // namespace tesseray::testing
