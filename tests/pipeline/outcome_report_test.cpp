// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "processing_algorithms/run/run.h"
#include "tests/support/test_folders.h"

namespace tesseray {
namespace {

std::string report(const nlohmann::ordered_json& figures) {
  const std::unique_ptr<ProgressDisplay> display = make_progress_display(ProgressStyle::none);
  RunProgress progress(*display, [] { return false; });
  Outcome outcome;
  outcome.figures = figures;
  return outcome_as_text(outcome, progress);
}

// The lines of the table of a name, without the blanks around them; none where there is no such table.
std::vector<std::string> table_lines(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  bool is_inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (is_inside && line.starts_with("  "))
      found.push_back(line.substr(2, line.find_last_not_of(' ') - 1));
    else
      is_inside = line == name;
  }
  return found;
}

// Of which the plugin's figures.py makes the same (tests/qgis/test_figures.py).
TEST(OutcomeReport, TablesAreThoseOfThePlugin) {
  std::ifstream file(testing::source_folder() / "tests/support/log_tables.json");
  const auto cases = nlohmann::ordered_json::parse(file);
  ASSERT_GT(cases.size(), 5u);
  for (const auto& one : cases) {
    const auto expected =
        one["lines"].is_null() ? std::vector<std::string>() : one["lines"].get<std::vector<std::string>>();
    const std::string text = report({{"sites", one["value"]}});
    EXPECT_EQ(table_lines(text, "sites"), expected) << one["what"] << text;
  }
}

TEST(OutcomeReport, ValuesStandBelowEachOtherWhateverTheirNames) {
  const std::string text = report({{"tiles", 7}, {"departure_elevation_spread_deg", 5.15}});
  EXPECT_NE(text.find("tiles                          7\n"
                      "departure_elevation_spread_deg 5.15\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tesseray
