// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna files that cannot be used: each error has its code, its place, and says what to do.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/io/antennas/antenna_file.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::TemporaryFolder;
using testing::write_text;

// A cut in steps of 30°.
std::string cut(const std::string& heading) {
  std::string text = heading + "\n";
  for (int angle = 0; angle < 360; angle += 30) text += std::to_string(angle) + " 3\n";
  return text;
}

const std::string head = "NAME a\nGAIN 15 dBi\n";  // two lines
const std::string horizontal = cut("HORIZONTAL 12"), vertical = cut("VERTICAL 12");

std::string with(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

struct BadFile {
  std::string text;
  std::string code, message;
  std::optional<std::int64_t> line;
};

TEST(BadAntennaFile, SaysWhatIsWrongAndWhere) {
  const std::string nsma = "REVNUM:,NSMA WG16.99.050\nGUNITS:,DBI/DBR\nMDGAIN:,15\nPATCUT:,AZ\nNUPOIN:,2\n0,0\n";
  const BadFile files[] = {
      {"", "not_an_antenna", "empty", {}},
      {"\n \r\n\t\n", "not_an_antenna", "empty", {}},
      {"id,name\n1,panel\n", "not_an_antenna", "neither HORIZONTAL", {}},
      {std::string("NAME a\0b\n", 9) + horizontal + vertical, "not_a_text", "plain text", {}},
      {head + horizontal, "missing_cut", "no vertical cut", {}},
      {head + vertical, "missing_cut", "no horizontal cut", {}},
      {head + "HORIZONTAL 360\n" + vertical, "missing_points", "heading of the horizontal cut", 3},
      {head + with(horizontal, "60 3", "60 three") + vertical, "bad_point", "60 three", 6},
      {head + with(horizontal, "60 3", "60") + vertical, "bad_point", "\"60\"", 6},
      {head + with(horizontal, "60 3", "60 1.2.3") + vertical, "bad_point", "1.2.3", 6},
      {head + with(horizontal, "60 3", "60,0,3") + with(vertical, "30 3", "30 1,234.5"), "bad_point", "1,234.5", 18},
      {head + with(horizontal, "60 3", "30 4") + vertical, "duplicate_angle", "30° a second time", 6},
      {head + with(horizontal, "330 3", "450 3") + vertical, "bad_angle", "450", 15},
      {head + horizontal + with(vertical, "90 3", "90 9999"), "bad_value", "9999 dB", 20},
      {head + with(horizontal, "90 3", "90 -7") + vertical, "mixed_signs", "7 dB above", 7},
      {head + "HORIZONTAL 3\n0 0\n30 1\n60 2\n" + vertical, "gap", "between 60° and 0°", 3},
      {head + horizontal + "VERTICAL 4\n0 0\n90 9\n135 9\n270 9\n", "gap", "between 135° and 270°", 16},
      {head + "HORIZONTAL 2\n0 0\n180 20\n" + vertical, "gap", "horizontal cut has nothing between", 3},
      {head + "HORIZONTAL 3\n0 0\n90 9\n180 20\n" + vertical, "gap", "horizontal cut has nothing between", 3},
      {head + "HORIZONTAL 4\n0 0\n60 9\n120 12\n180 20\n" + vertical, "gap", "horizontal cut has nothing between", 3},
      {head + horizontal + "VERTICAL 3\n-90 20\n0 0\n90 20\n", "gap", "vertical cut has nothing between", 16},
      {head + horizontal + "VERTICAL 4\n-90 20\n-30 2\n30 2\n90 20\n", "gap", "vertical cut has nothing between", 16},
      {head + horizontal + vertical + horizontal, "two_antennas", "second HORIZONTAL", 29},
      {nsma, "missing_cut", "no vertical cut", {}},
      {with(nsma, "DBI/DBR", "LIN/LIN"), "bad_unit", "lin/lin", 2},
      {with(nsma, "MDGAIN:,15\n", "").replace(25, 15, "GUNITS:,DBI/DBI"), "no_gain", "MDGAIN", 2},
      {with(nsma, "PATCUT:,AZ", "PATCUT:,PHI"), "bad_cut", "PHI", 4},
      {with(with(nsma, "MDGAIN:,15", "MDGAIN:,high"), "DBI/DBR", "DBI/DBI"), "bad_gain", "high", 3},
      {with(nsma, "NUPOIN:,2", "NUPOIN:,many"), "bad_count", "many", 5},
      {nsma + "10,?\n", "bad_point", "10,?", 7},
      {with(nsma, "DBI/DBR", "DBI/DBI") + "10,19\nPATCUT:,EL\n0,15\n", "above_gain", "4 dB above the gain", 7},
  };
  const TemporaryFolder folder;
  int number = 0;
  for (const BadFile& bad : files) {
    const std::string file = write_text(folder / ("bad" + std::to_string(++number) + ".msi"), bad.text);
    try {
      read_antenna_file(file);
      ADD_FAILURE() << "read without an error: " << bad.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.code(), bad.code) << error.what();
      EXPECT_NE(error.message().find(bad.message), std::string::npos)
          << error.what() << "\nshould say: " << bad.message;
      EXPECT_EQ(error.place().file, file);
      EXPECT_EQ(error.place().line, bad.line) << error.what();
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

TEST(BadAntennaFile, IsNoFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "antennas");
  for (const auto& [name, code] : {std::pair("absent.msi", "file_not_found"), std::pair("antennas", "not_a_file")}) {
    try {
      read_antenna_file(folder / name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
    }
  }
}

TEST(BadAntennaFile, GivesAnErrorInPlaceOfItsBytes) {
  const std::string memory = "/proc/self/mem";  // nothing is at the address 0
  for (const auto& read : {+[](const std::string& file) { read_antenna_file(file); },
                           +[](const std::string& file) { (void)is_from_to_msi(file); }}) {
    try {
      read(memory);
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "cannot_read") << error.what();
      EXPECT_EQ(error.place().file, memory);
    }
  }
}

}  // namespace
}  // namespace tesseray
