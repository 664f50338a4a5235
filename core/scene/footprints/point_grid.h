// SPDX-License-Identifier: GPL-3.0-or-later
// Numbered points of the ground plan, found by place.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/geometry/vector.h"

namespace tesseray {

// Points by square cells. What is visited comes in an order that depends on the calls alone.
class PointGrid {
 public:
  explicit PointGrid(double cell_m) : cell_m_(cell_m) {}

  void add(Vec2 p, std::uint32_t number) { cells_[key(column(p.x), column(p.y))].push_back(number); }
  // REQUIRES: added with the same p.
  void remove(Vec2 p, std::uint32_t number) {
    std::vector<std::uint32_t>& cell = cells_[key(column(p.x), column(p.y))];
    cell.erase(std::find(cell.begin(), cell.end(), number));
  }

  // Calls visit(number) for every point of the cells that touch `box`.
  template <class Visit>
  void visit(const Rectangle& box, const Visit& visit) const {
    for (std::int32_t y = column(box.min.y); y <= column(box.max.y); ++y) {
      for (std::int32_t x = column(box.min.x); x <= column(box.max.x); ++x) {
        const auto cell = cells_.find(key(x, y));
        if (cell == cells_.end()) continue;
        for (const std::uint32_t number : cell->second) visit(number);
      }
    }
  }

 private:
  std::int32_t column(double coordinate) const { return static_cast<std::int32_t>(std::floor(coordinate / cell_m_)); }
  static std::uint64_t key(std::int32_t x, std::int32_t y) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32) | static_cast<std::uint32_t>(y);
  }

  double cell_m_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace tesseray
