// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a cell that nothing stands on, as a rectangle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/geometry/vector.h"

namespace tesseray {

// A rectangle in a cell, in quarters of the cell's sides from its first corner on.
struct CellPart {
  static constexpr int all = 4;

  int west = 0, south = 0, east = all, north = all;

  constexpr int width() const { return east - west; }
  constexpr int height() const { return north - south; }
  // In sides.
  constexpr Vec2 size() const { return {static_cast<double>(width()) / all, static_cast<double>(height()) / all}; }
  constexpr Vec2 middle() const { return {0.5 * (west + east) / all, 0.5 * (south + north) / all}; }

  bool operator==(const CellPart&) const = default;
};

namespace open_part_detail {

using Squares = std::uint32_t;  // a bit for each of a cell's
constexpr Squares bit(int column, int row) { return Squares{1} << (CellPart::all * row + column); }

struct Candidate {
  CellPart part;
  Squares squares;  // that it consists of
};

// All that are large enough, the largest first.
std::span<const Candidate> candidates();

}  // namespace open_part_detail

// What of a cell is open: all of it where its middle and those of the four squares around that are (of sixteen);
// otherwise the largest rectangle of squares with open middles which has an open middle itself, of a quarter of the
// cell at least; of equally large ones the squarest, then the one nearest to the middle of the cell. Where there is
// none, all of the cell if its middle is open, and nothing if it is not. is_open(place): whether a place of the cell
// is, in sides from its first corner on.
template <class IsOpen>
std::optional<CellPart> open_part(const IsOpen& is_open) {
  constexpr CellPart whole;
  const auto is_square_open = [&](int column, int row) {
    return is_open(CellPart{column, row, column + 1, row + 1}.middle());
  };
  const bool is_middle_open = is_open(whole.middle());
  if (is_middle_open && is_square_open(1, 1) && is_square_open(2, 1) && is_square_open(1, 2) && is_square_open(2, 2)) {
    return whole;
  }
  open_part_detail::Squares open = 0;
  for (int row = 0; row < CellPart::all; ++row) {
    for (int column = 0; column < CellPart::all; ++column) {
      if (is_square_open(column, row)) open |= open_part_detail::bit(column, row);
    }
  }
  for (const open_part_detail::Candidate& candidate : open_part_detail::candidates()) {
    if ((open & candidate.squares) == candidate.squares && is_open(candidate.part.middle())) return candidate.part;
  }
  return is_middle_open ? std::optional(whole) : std::nullopt;
}

}  // namespace tesseray
