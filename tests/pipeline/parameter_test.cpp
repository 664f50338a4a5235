// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/parameter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/io/sources/text_values.h"
#include "processing_algorithms/registry.h"
#include "processing_algorithms/run/parameter_values.h"
#include "processing_algorithms/run/sources.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

const Parameter area{.name = "TILE_AREA",
                     .label = "Tile area",
                     .help = "area of a tile",
                     .kind = ParameterKind::number,
                     .default_value = "100",
                     .unit = "m²",
                     .minimum = 0.25,
                     .maximum = 10000};
const Parameter kinds{.name = "KINDS",
                      .label = "Kinds",
                      .help = "kinds of tiles",
                      .kind = ParameterKind::enumeration,
                      .choices = {"ground", "wall", "roof"},
                      .multiple = true,
                      .optional = true};
const Parameter name{.name = "NAME", .label = "Name", .help = "a name", .kind = ParameterKind::string};

std::string violation(const Parameter& parameter, const std::string& text) {
  try {
    parse_value(parameter, text);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(Spelling, OneRuleBetweenQgisAndTheCommandLine) {
  EXPECT_EQ(option_name("HEIGHT_FIELD"), "--height-field");
  EXPECT_EQ(option_name("DEM"), "--dem");
  EXPECT_EQ(option_name("NEAREST_3D"), "--nearest-3d");
}

TEST(Spelling, WhatWasMeantIsNearEnoughOrNothing) {
  EXPECT_EQ(did_you_mean("bulidings", {"buildings", "tiles"}), ". Did you mean buildings?");
  EXPECT_EQ(did_you_mean("GROUND", {"ground", "wall"}), ". Did you mean ground?");
  EXPECT_EQ(did_you_mean("quite else", {"ground", "wall"}), "");
}

TEST(Spelling, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(shortest(100), "100");
  EXPECT_EQ(shortest(0.01), "0.01");
  EXPECT_EQ(shortest(-130), "-130");
  EXPECT_EQ(shortest(1e6), "1000000");
  EXPECT_EQ(shortest(1e8), "100000000");
  EXPECT_EQ(shortest(1e-6), "0.000001");
  EXPECT_EQ(shortest(0), "0");
  EXPECT_EQ(shortest(-1.0 / 3), "-0.3333333333333333");
  EXPECT_EQ(shortest(2.5e-7), "2.5e-07");
  EXPECT_EQ(shortest(1e300), "1e+300");
}

TEST(Parameter, NumbersAreWholeTextsInRange) {
  EXPECT_DOUBLE_EQ(std::get<double>(parse_value(area, "25.5")), 25.5);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_value(area, "1e2")), 100);
  EXPECT_EQ(violation(area, "0.25"), "");
  EXPECT_EQ(violation(area, "10000"), "");
  EXPECT_EQ(violation(area, "0.2"), "0.2 is below the minimum of 0.25 m²");
  EXPECT_EQ(violation(area, "10001"), "10001 is above the maximum of 10000 m²");
  for (const char* text : {"ten", "10 m", " 10", "0x10", "1,5", "nan", "inf", "1e999", "-", "+5"}) {
    EXPECT_NE(violation(area, text), "") << text;
  }
}

TEST(Parameter, SeveralChoices) {
  const auto chosen = std::get<std::vector<std::string>>(parse_value(kinds, "roof,ground"));
  EXPECT_EQ(chosen, (std::vector<std::string>{"roof", "ground"}));
  EXPECT_EQ(violation(kinds, "walls"), "'walls' is not one of ground, wall, roof. Did you mean wall?");
  EXPECT_EQ(violation(kinds, "wall,wall"), "'wall' is given twice");
  EXPECT_NE(violation(kinds, "wall,,roof"), "");
}

TEST(Parameter, Extents) {
  const Parameter extent{.name = "EXTENT", .label = "Extent", .help = "area", .kind = ParameterKind::extent};
  EXPECT_EQ(violation(extent, "0,10,-5,5"), "");
  EXPECT_EQ(violation(extent, "0.5, 10, 2, 5 [EPSG:25832]"), "");
  for (const char* text : {"0,10,5", "0,10,5,a", "10,0,0,10", "0,10,5,5", "0,10,0,10,0", "[EPSG:25832]"}) {
    EXPECT_NE(violation(extent, text), "") << text;
  }
}

TEST(ParameterValues, DefaultsAndGivenValues) {
  const ParameterValues values({area, kinds, name}, {{"NAME", "Übersicht"}});
  EXPECT_DOUBLE_EQ(values.number("TILE_AREA"), 100);
  EXPECT_FALSE(values.has("KINDS"));
  EXPECT_TRUE(values.chosen_words("KINDS").empty());
  EXPECT_EQ(values.text("NAME"), "Übersicht");
  EXPECT_EQ(values.to_json(), R"({"TILE_AREA":100.0,"NAME":"Übersicht"})");
  const Parameter roofs{.name = "ROOFS", .label = "Roofs", .help = "roofs", .kind = ParameterKind::vector_polygon};
  const ParameterValues with_password({roofs}, {{"ROOFS", "PG:dbname=city password=secret|layername=roofs"}});
  EXPECT_EQ(with_password.to_json(), R"({"ROOFS":"PG:dbname=city password=…|layername=roofs"})");
  EXPECT_EQ(with_password.text("ROOFS"), "PG:dbname=city password=secret|layername=roofs");
}

TEST(ParameterValues, SaysEverythingThatIsWrongAtOnce) {
  try {
    const ParameterValues values({area, kinds, name}, {{"TILE_AREA", "x"}, {"KINDS", "tree"}, {"NAMES", "y"}});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.message(),
              "4 parameters are wrong: there is no parameter NAMES. Did you mean NAME?; "
              "TILE_AREA (--tile-area): 'x' is no number; "
              "KINDS (--kinds): 'tree' is not one of ground, wall, roof; NAME (--name): is missing; a name");
  }
}

TEST(ParameterValues, OptionsOfTheCommandLineAreToldToBeSome) {
  try {
    const ParameterValues values({area}, {{"OVERWRITE", "true"}, {"THREADS", "2"}});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "2 parameters are wrong: OVERWRITE is no parameter but an option of the command line, --overwrite; "
              "THREADS is no parameter but an option of the command line, --threads");
  }
}

TEST(ParseValue, AnExtentWithoutAreaSaysWhy) {
  const Parameter extent{.name = "EXTENT", .label = "Extent", .help = "an extent", .kind = ParameterKind::extent};
  const std::string corners = "this looks like xmin,ymin,xmax,ymax";
  for (const auto& [text, why] : {std::pair<std::string, std::string>{"2600000,1200000,2600300,1200300", corners},
                                  {"48.0,9.0,48.1,9.1", corners},
                                  {"0,0,100,100", corners},
                                  {"340650,340350,6020350,6020650", "xmin, 340650, is greater than xmax, 340350"},
                                  {"340350,340350,6020350,6020650", "xmin, 340350, is xmax, too"},
                                  {"340350,340650,6020650,6020350", "ymin, 6020650, is greater than ymax, 6020350"}}) {
    EXPECT_EQ(violation(extent, text), "'" + text + "' is empty: it is xmin,xmax,ymin,ymax, and " + why);
  }
}

TEST(ParameterValues, AskingForWhatIsNotDeclaredIsAFault) {
  const ParameterValues values({area}, {});
  EXPECT_THROW(values.number("AREA"), Error);
  EXPECT_THROW(values.flag("TILE_AREA"), Error);
}

TEST(ParameterValues, JsonGivesTheSameTextsAsTheCommandLine) {
  const Request request = request_from_json(
      R"({"A": 2.5, "B": 3, "C": true, "D": "x", "E": null, "F": ["u", "v"], "G": [0, 10.5, -1, 2],
          "COPIES": {"/tmp/a.gpkg": {"description": "houses", "sources": ["/data/city.gpkg|layername=houses"]}}})",
      {});
  const GivenParameters expected{{"A", "2.5"}, {"B", "3"},   {"C", "true"},       {"D", "x"},
                                 {"E", ""},    {"F", "u,v"}, {"G", "0,10.5,-1,2"}};
  EXPECT_EQ(request.parameters, expected);
  ASSERT_EQ(request.copies.size(), 1u);
  EXPECT_EQ(request.copies.at("/tmp/a.gpkg").description, "houses");
  EXPECT_EQ(request.copies.at("/tmp/a.gpkg").sources, std::vector<std::string>{"/data/city.gpkg|layername=houses"});
  EXPECT_EQ(request.copies.at("/tmp/a.gpkg").name, "");
  EXPECT_EQ(request_from_json(R"({"COPIES": {"a.tif": {"description": "d", "sources": [], "name": "hills"}}})", {})
                .copies.at("a.tif")
                .name,
            "hills");
  EXPECT_TRUE(request_from_json(R"({"COPIES": null})", {}).copies.empty());
}

TEST(ParameterValues, JsonOfAWrongTypeIsSaidInOurWords) {
  for (const auto& [json, says] : {
           std::pair{R"({"COPIES": "houses"})", "COPIES: its value is a text; an object"},
           {R"({"COPIES": ["houses"]})", "COPIES: its value is a list of other things; an object"},
           {R"({"COPIES": {"a.gpkg": "houses"}})", "the value of \"a.gpkg\" is a text; an object with description"},
           {R"({"COPIES": {"a.gpkg": {}}})", "the description of \"a.gpkg\" is missing; a text is expected"},
           {R"({"COPIES": {"a.gpkg": {"description": 3, "sources": []}}})",
            "the description of \"a.gpkg\" is a number"},
           {R"({"COPIES": {"a.gpkg": {"description": "h", "sources": "s"}}})",
            "sources of \"a.gpkg\" is a text; a list"},
           {R"({"COPIES": {"a.gpkg": {"description": "h", "sources": [1]}}})",
            "is a list of other things; a list of texts"},
           {R"({"COPIES": {"a.gpkg": {"description": "h", "sources": [], "name": 1}}})",
            "the name of \"a.gpkg\" is a number"},
           {R"({"A": {"x": 1}})", "the value of A is an object"},
           {R"({"A": [1, [2]]})", "the value of A is a list that holds objects or lists"},
           {R"({"TILE_AREA": [25]})", "the value of TILE_AREA is a list, and one value is expected"},
           {R"({"TILE_AREA": 400, "A": 1, "TILE_AREA": 100})", "TILE_AREA is given more than once in the JSON"},
           {R"({"COPIES": {"a": {}, "a": {}}})", "a is given more than once in the JSON"},
       }) {
    try {
      request_from_json(json, {area});
      ADD_FAILURE() << json << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find(says), std::string::npos) << error.message();
      EXPECT_EQ(error.message().find("json.exception"), std::string::npos) << error.message();
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

// Every declared default must be readable and in range, or no run would start without it being given.
TEST(Registry, DefaultsAreValid) {
  for (const Tool& tool : all_tools()) {
    for (const Parameter& parameter : tool.parameters) {
      EXPECT_EQ(violation(parameter, parameter.default_value), "") << tool.id << " " << parameter.name;
    }
    EXPECT_NE(tool.run, nullptr);
  }
}

TEST(Sources, FileAndLayer) {
  EXPECT_EQ(path_of_source("a b/city.gpkg|layername=roofs"), "a b/city.gpkg");
  EXPECT_EQ(layer_of_source("a b/city.gpkg|layername=roofs|subset=x=1"), "roofs");
  EXPECT_EQ(layer_of_source("city.gpkg|subset=x=1|LayerName=roofs"), "roofs");
  EXPECT_EQ(layer_of_source("roofs.shp"), "");
  EXPECT_TRUE(is_plain_path("roofs.shp"));
  EXPECT_FALSE(is_plain_path("PG:dbname=city"));
  EXPECT_FALSE(is_plain_path("/vsizip/city.zip"));
  EXPECT_FALSE(is_plain_path("GPKG:/data/city.gpkg:terrain"));
  EXPECT_EQ(layer_of_source("GPKG:/data/city.gpkg:terrain"), "terrain");
  EXPECT_TRUE(is_plain_path("/data/at 12:30/city.gpkg|layername=roofs|subset=\"kind\" = 'a:b'"));
}

TEST(Fingerprint, IsOfAllThatIsRead) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tesseray_fingerprint_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& file, const std::string& text) {
    std::ofstream(folder / file, std::ios::binary) << text;
    return (folder / file).string();
  };
  Progress progress;
  const std::string grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
  write("dem.asc", grid + "1 2\n3 4\n");
  const std::string shown =
      write("dem.vrt",
            R"(<VRTDataset rasterXSize="2" rasterYSize="2"><VRTRasterBand dataType="Float32" band="1"><SimpleSource>
        <SourceFilename relativeToVRT="1">dem.asc</SourceFilename><SourceBand>1</SourceBand>
        </SimpleSource></VRTRasterBand></VRTDataset>)");
  const RunRecord::Input before = fingerprint(shown, progress);
  write("dem.asc", grid + "1 2\n3 5\n");
  const RunRecord::Input after = fingerprint(shown, progress);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.bytes, std::filesystem::file_size(shown) + std::filesystem::file_size(folder / "dem.asc"));
  EXPECT_NE(after.hash, before.hash);

  const std::string archive = write("city.zip", "packed");
  const RunRecord::Input packed = fingerprint("/vsizip/" + archive + "/roofs/a.shp|layername=a", progress);
  EXPECT_EQ(packed.hash, fingerprint(archive, progress).hash);
  EXPECT_EQ(packed.bytes, 6u);
  EXPECT_EQ(fingerprint("/vsicurl/https://example.org/dem.tif", progress).hash, "");
  EXPECT_EQ(fingerprint(folder.string(), progress).hash, "");

  // The values of MapInfo's layers and of a file geodatabase stand in other files than the one that is named.
  const std::string table = write("roofs.TAB", "!table");
  std::filesystem::create_directories(folder / "city.gdb");
  for (const auto& [source, values] :
       {std::pair(table, "roofs.dat"), std::pair((folder / "city.gdb").string(), "city.gdb/a.gdbtable")}) {
    write(values, "12 m");
    const RunRecord::Input low = fingerprint(source, progress);
    write(values, "13 m");
    const RunRecord::Input high = fingerprint(source, progress);
    EXPECT_NE(high.hash, "") << source;
    EXPECT_NE(high.hash, low.hash) << source;
  }
  // A file that can be opened, but not read.
  const RunRecord::Input unread = fingerprint("/proc/self/mem", progress);
  EXPECT_EQ(unread.hash, "");
  EXPECT_EQ(unread.bytes, 0u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tesseray
