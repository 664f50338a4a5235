// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the reference tables of ../shared/golden, and others by their whole path: CSV with '#' comment lines and one
// line of column names.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/physics/complex.h"
#include "tests/support/test_folders.h"

namespace tesseray {

// One line of a table. Asking for a column that is not there throws.
class GoldenRow {
 public:
  GoldenRow(const std::map<std::string, std::size_t>* columns, std::vector<std::string> cells)
      : columns_(columns), cells_(std::move(cells)) {}

  const std::string& text(const std::string& column) const { return cells_.at(columns_->at(column)); }
  double number(const std::string& column) const {
    const std::string& cell = text(column);
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    if (end == cell.c_str()) throw std::runtime_error("column " + column + " holds no number: " + cell);
    return value;
  }
  // The columns NAME_re and NAME_im.
  Complex complex(const std::string& name) const { return {number(name + "_re"), number(name + "_im")}; }
  // The columns NAMEx, NAMEy and NAMEz.
  Vec3 vector(const std::string& name) const { return {number(name + "x"), number(name + "y"), number(name + "z")}; }
  // A cell of several numbers between semicolons.
  std::vector<double> list(const std::string& column) const {
    std::vector<double> values;
    std::istringstream cells(text(column));
    for (std::string cell; std::getline(cells, cell, ';');) values.push_back(std::stod(cell));
    return values;
  }

 private:
  const std::map<std::string, std::size_t>* columns_;
  std::vector<std::string> cells_;
};

class GoldenTable {
 public:
  static std::filesystem::path folder() { return testing::shared_folder() / "golden"; }
  static bool available() { return std::filesystem::is_directory(folder()); }

  explicit GoldenTable(const std::filesystem::path& file) {
    std::ifstream in(folder() / file);
    if (!in) throw std::runtime_error("cannot read the reference table " + file.string());
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::vector<std::string> cells;
      std::istringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
      if (columns_.empty()) {
        for (std::size_t i = 0; i < cells.size(); ++i) columns_[cells[i]] = i;
      } else {
        lines_.push_back(std::move(cells));
      }
    }
    if (lines_.empty()) throw std::runtime_error("the reference table is empty: " + file.string());
  }

  std::vector<GoldenRow> rows() const {
    std::vector<GoldenRow> result;
    for (const std::vector<std::string>& cells : lines_) result.emplace_back(&columns_, cells);
    return result;
  }

 private:
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace tesseray

// First line of a test that needs the tables.
#define TESSERAY_NEEDS_GOLDEN_TABLES()       \
  if (!::tesseray::GoldenTable::available()) \
  GTEST_SKIP() << "the reference tables are not here: " << ::tesseray::GoldenTable::folder()
