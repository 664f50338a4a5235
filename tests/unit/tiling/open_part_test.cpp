// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/open_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tesseray {
namespace {

// A cell drawn from north to south, '#' what something stands on. Places on borders belong to the south-west of them.
struct DrawnCell {
  std::vector<std::string> rows;

  bool operator()(Vec2 place) const {
    const auto number = [this](double in_sides) {
      const auto count = static_cast<double>(rows.size());
      return static_cast<std::size_t>(std::ceil(in_sides * count)) - 1;
    };
    return rows[rows.size() - 1 - number(place.y)][number(place.x)] == '.';
  }
};

using Sides = std::vector<int>;  // west, south, east, north

Sides sides_of(const std::optional<CellPart>& part) {
  return part ? Sides{part->west, part->south, part->east, part->north} : Sides{};
}
Sides part_of(const std::vector<std::string>& rows) { return sides_of(open_part(DrawnCell{rows})); }

const Sides whole{0, 0, 4, 4};

TEST(OpenPart, IsAllWhereNothingStandsAtTheMiddleOrAroundIt) {
  EXPECT_EQ(part_of({"....", "....", "....", "...."}), whole);
  EXPECT_EQ(part_of({"####", "#..#", "#..#", "####"}), whole);
}

TEST(OpenPart, IsTheLargestRectangleBesideAWall) {
  EXPECT_EQ(part_of({"##..", "##..", "##..", "##.."}), (Sides{2, 0, 4, 4}));
  EXPECT_EQ(part_of({"####", "####", "####", "...."}), (Sides{0, 0, 4, 1}));
  EXPECT_EQ(part_of({".###", ".###", ".#.#", ".#.."}), (Sides{0, 0, 1, 4}));
  EXPECT_EQ(part_of({"#...", "##..", "##..", "##.."}), (Sides{2, 0, 4, 4}));
}

// By what is tried first, which is the same everywhere.
TEST(OpenPart, OfEquallyLargeOnesIsTheSquarestAndTheNearestToTheMiddle) {
  EXPECT_EQ(part_of({"....", "####", "#..#", "#..#"}), (Sides{1, 0, 3, 2}));
  EXPECT_EQ(part_of({"####", "####", "..##", "..##"}), (Sides{0, 0, 2, 2}));
  EXPECT_EQ(part_of({"....", "####", "####", "...."}), (Sides{0, 0, 4, 1}));
}

TEST(OpenPart, OfLessThanAQuarterIsNoneButWhereTheMiddleIsOpen) {
  EXPECT_EQ(part_of({"####", "####", "####", "#..."}), Sides{});
  EXPECT_EQ(part_of({"####", "####", "####", "####"}), Sides{});
  EXPECT_EQ(part_of({"#####", "#####", "##.##", "#####", "#####"}), whole);
}

// Beside a thin wall along the middle of the cell, which stands between the squares.
TEST(OpenPart, HasAnOpenMiddle) {
  const auto part = open_part([](Vec2 place) { return place.x != 0.5; });
  ASSERT_TRUE(part.has_value());
  EXPECT_NE(part->middle().x, 0.5);
}

TEST(OpenPart, IsAsLargeAsAnyOpenRectangle) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> rows(4, "....");
    for (std::string& row : rows) {
      for (char& place : row) place = random() % 3 == 0 ? '#' : '.';
    }
    const DrawnCell cell{rows};
    const auto is_square_open = [&](int column, int row) { return cell({(column + 0.5) / 4, (row + 0.5) / 4}); };
    int largest = 0;
    for (int column = 0; column < 4; ++column) {
      for (int row = 0; row < 4; ++row) {
        // Of all from this corner on: as wide as each height lets them be.
        int widest = 4 - column;
        for (int top = row; top < 4; ++top) {
          int width = 0;
          while (width < widest && is_square_open(column + width, top)) ++width;
          widest = width;
          largest = std::max(largest, widest * (top - row + 1));
        }
      }
    }
    const auto part = open_part(cell);
    if (!part) {
      EXPECT_LT(largest, 4);
    } else if (*part != CellPart{}) {
      EXPECT_EQ(part->width() * part->height(), largest);
      for (int column = part->west; column < part->east; ++column) {
        for (int row = part->south; row < part->north; ++row) EXPECT_TRUE(is_square_open(column, row));
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
