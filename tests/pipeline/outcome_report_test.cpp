// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "processing_algorithms/run/run.h"

namespace tesseray {
namespace {

std::string report(const nlohmann::ordered_json& figures) {
  const std::unique_ptr<ProgressDisplay> display = make_progress_display(ProgressStyle::none);
  RunProgress progress(*display, [] { return false; });
  Outcome outcome;
  outcome.figures = figures;
  return outcome_as_text(outcome, progress);
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(OutcomeReport, ATableIsOfNumbersWithTwoDecimals) {
  const std::string text =
      report({{"sites", {{{"site", "A"}, {"mean_db", -1e-15}}, {{"site", "Zürich"}, {"mean_db", nullptr}}}}});
  EXPECT_NE(text.find("sites\n"
                      "  site    mean_db  \n"
                      "  A          0.00  \n"
                      "  Zürich        –  \n"),
            std::string::npos)
      << text;
}

TEST(OutcomeReport, ValuesStandBelowEachOtherWhateverTheirNames) {
  const std::string text = report({{"tiles", 7}, {"departure_elevation_spread_deg", 5.15}});
  EXPECT_NE(text.find("tiles                          7\n"
                      "departure_elevation_spread_deg 5.15\n"),
            std::string::npos)
      << text;
}

TEST(OutcomeReport, LongTextsStandBelowTheirTableOnce) {
  const std::string long_text(90, 'x'), other_text(70, 'y');
  const auto row = [](const std::string& name, const std::string& text) {
    return nlohmann::ordered_json{{"site", name}, {"pruning", text}, {"reached", 7}};
  };
  const std::string same = report({{"coverage", {row("A", long_text), row("B", long_text)}}});
  EXPECT_NE(same.find("  site  reached  \n"
                      "  A           7  \n"
                      "  B           7  \n"
                      "  pruning: " +
                      long_text + "\n"),
            std::string::npos)
      << same;
  const std::string differing =
      report({{"coverage", {row("A", long_text), row("B", other_text), row("C", long_text)}}});
  EXPECT_NE(differing.find("  pruning of A, C: " + long_text + "\n  pruning of B: " + other_text + "\n"),
            std::string::npos)
      << differing;
}

TEST(OutcomeReport, NamesOfAnyLengthAndWithLineEndsKeepTheTableInShape) {
  std::string name;
  for (int i = 0; i < 300; ++i) name += "ß";
  const std::string text =
      report({{"coverage", {{{"site", name}, {"reached", 7}}, {{"site", "A\nB"}, {"reached", 8}}}}});
  EXPECT_LE(longest_line(text), 150u) << "60 letters of two bytes, and the numbers";
  EXPECT_NE(text.find("ß…"), std::string::npos);
  EXPECT_NE(text.find("  A B "), std::string::npos) << text;
}

}  // namespace
}  // namespace tesseray
