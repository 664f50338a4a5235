// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps tables in docs true: tests that measure something expect their lines in them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>

#include "tests/support/test_folders.h"

namespace tesseray::testing {

// A number with so many decimals, and no minus before a zero.
inline std::string fixed(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double rounded = std::round(value * scale) / scale;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, rounded == 0 ? 0.0 : rounded);
  return text;
}

// Fails, and shows the line that belongs there, unless the page has a table line of these cells.
inline void expect_in_page(const std::string& name, std::initializer_list<std::string> cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line.append(" ").append(cell).append(" |");
  std::ifstream in(source_folder() / "docs" / name);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_NE(page.str().find("\n" + line + "\n"), std::string::npos) << "docs/" << name << " is out of date; measured:\n"
                                                                    << line;
}

inline void expect_in_validation_page(std::initializer_list<std::string> cells) {
  expect_in_page("validation.md", cells);
}

}  // namespace tesseray::testing
