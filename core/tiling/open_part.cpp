// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/open_part.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace tesseray::open_part_detail {
namespace {

constexpr int least_squares = CellPart::all * CellPart::all / 4;

Squares squares_of(const CellPart& part) {
  Squares squares = 0;
  for (int row = part.south; row < part.north; ++row) {
    for (int column = part.west; column < part.east; ++column) squares |= bit(column, row);
  }
  return squares;
}

bool goes_before(const Candidate& a, const Candidate& b) {
  const auto order = [](const CellPart& part) {
    const auto off_middle = [](int low, int high) { return std::abs(low + high - CellPart::all); };
    return std::tuple(-part.width() * part.height(), std::max(part.width(), part.height()),
                      off_middle(part.west, part.east) + off_middle(part.south, part.north), part.south, part.west,
                      part.width());
  };
  return order(a.part) < order(b.part);
}

std::vector<Candidate> candidates_in_order() {
  std::vector<Candidate> found;
  for (int west = 0; west < CellPart::all; ++west) {
    for (int east = west + 1; east <= CellPart::all; ++east) {
      for (int south = 0; south < CellPart::all; ++south) {
        for (int north = south + 1; north <= CellPart::all; ++north) {
          const CellPart part{west, south, east, north};
          if (part.width() * part.height() >= least_squares) found.push_back({part, squares_of(part)});
        }
      }
    }
  }
  std::sort(found.begin(), found.end(), goes_before);
  return found;
}

}  // namespace

std::span<const Candidate> candidates() {
  static const std::vector<Candidate> in_order = candidates_in_order();
  return in_order;
}

}  // namespace tesseray::open_part_detail
