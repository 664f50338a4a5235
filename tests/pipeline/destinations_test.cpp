// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/destinations.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "processing_algorithms/run/tool.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

Parameter layer(const std::string& name, const std::string& layer_name, const std::vector<std::string>& beside = {}) {
  return {.name = name,
          .label = name,
          .help = name,
          .kind = ParameterKind::layer_destination,
          .optional = true,
          .layer = layer_name,
          .geometry = "Polygon Z",
          .beside = beside};
}

class DestinationsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tesseray-destinations-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Destinations resolve(const GivenParameters& given) const {
    return Destinations(ParameterValues({layer("TILES", "tiles"), layer("PATH_LOSS", "path_loss"),
                                         layer("RECEIVER_PATH_LOSS", "receiver_path_loss"),
                                         layer("TRANSMITTERS_OUT", "transmitters", {"PATH_LOSS", "RECEIVER_PATH_LOSS"}),
                                         output_parameter()},
                                        given),
                        false, {});
  }

  fs::path folder_;
};

TEST_F(DestinationsTest, OutputTakesTheLayersThatWereGivenNone) {
  const Destinations destinations = resolve({{"OUTPUT", at("all.gpkg")}, {"TILES", at("t.gpkg") + "|layername=mine"}});
  EXPECT_EQ(destinations.layer("TILES")->file, at("t.gpkg"));
  EXPECT_EQ(destinations.layer("TILES")->layer, "mine");
  EXPECT_EQ(destinations.layer("PATH_LOSS")->file, at("all.gpkg"));
  EXPECT_EQ(destinations.layer("PATH_LOSS")->layer, "path_loss");
  EXPECT_TRUE(destinations.asked_for("TILES"));
  EXPECT_FALSE(destinations.asked_for("PATH_LOSS"));
  EXPECT_EQ(destinations.layer_files().size(), 2u);
}

// A front end gives copies for inputs: what they were made from stays as it is, too.
TEST_F(DestinationsTest, NoOutputReplacesWhatAnInputWasCopiedFrom) {
  const Parameter input{.name = "BUILDINGS", .label = "b", .help = "b", .kind = ParameterKind::vector_polygon};
  std::ofstream(at("copy.gpkg")) << "copy";
  std::ofstream(at("city.gpkg")) << "precious";
  const ParameterValues values({input, layer("TILES", "tiles")},
                               {{"BUILDINGS", at("copy.gpkg") + "|layername=c"}, {"TILES", at("city.gpkg")}});
  const auto resolved = [&](const std::string& source) {
    return Destinations(values, true, {{at("copy.gpkg"), {"“houses”", {source}}}});
  };
  EXPECT_THROW(resolved(at("city.gpkg") + "|layername=TILES"), Error);
  EXPECT_THROW(resolved(at("city.gpkg")), Error);
  EXPECT_NO_THROW(resolved(at("city.gpkg") + "|layername=houses"));
  EXPECT_NO_THROW(resolved(at("elsewhere.gpkg") + "|layername=tiles"));
}

TEST_F(DestinationsTest, ANameThatIsTooLongIsSaid) {
  try {
    resolve({{"OUTPUT", at(std::string(300, 'a') + ".gpkg")}});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "bad_name");
  }
}

TEST_F(DestinationsTest, ALayerMayGoBesideAnother) {
  const Destinations destinations = resolve({{"PATH_LOSS", at("p.gpkg")}});
  EXPECT_EQ(destinations.layer("TRANSMITTERS_OUT")->file, at("p.gpkg"));
  EXPECT_EQ(resolve({{"RECEIVER_PATH_LOSS", at("r.gpkg")}}).layer("TRANSMITTERS_OUT")->file, at("r.gpkg"));
  EXPECT_EQ(
      resolve({{"RECEIVER_PATH_LOSS", at("r.gpkg")}, {"PATH_LOSS", at("p.gpkg")}}).layer("TRANSMITTERS_OUT")->file,
      at("p.gpkg"));
  EXPECT_FALSE(destinations.layer("TILES").has_value());
  const Destinations apart = resolve({{"PATH_LOSS", at("p.gpkg")}, {"TRANSMITTERS_OUT", at("t.gpkg")}});
  EXPECT_EQ(apart.layer("TRANSMITTERS_OUT")->file, at("t.gpkg"));
}

TEST_F(DestinationsTest, AreSpelledAsQgisOpensThem) {
  const Destinations destinations = resolve({{"OUTPUT", at("all.gpkg")}});
  const auto spelled = destinations.spelled({"TILES"});
  ASSERT_EQ(spelled.size(), 1u);
  EXPECT_EQ(spelled[0].first, "TILES");
  EXPECT_EQ(spelled[0].second, at("all.gpkg") + "|layername=tiles");
}

TEST_F(DestinationsTest, NamesOfLayersCollideWhateverTheirCase) {
  EXPECT_THROW(resolve({{"TILES", at("x.gpkg") + "|layername=a"}, {"PATH_LOSS", at("x.gpkg") + "|layername=A"}}),
               Error);
  EXPECT_THROW(resolve({{"TILES", at("x.gpkg") + "|layername=a"},
                        {"PATH_LOSS", (folder_ / "." / "x.gpkg").string() + "|layername=a"}}),
               Error);
  EXPECT_NO_THROW(resolve({{"TILES", at("x.gpkg") + "|layername=a"}, {"PATH_LOSS", at("x.gpkg") + "|layername=b"}}));
}

TEST_F(DestinationsTest, SomethingMustBeAskedFor) { EXPECT_THROW(resolve({}), Error); }

}  // namespace
}  // namespace tesseray
