// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a terrain that are one plane but for the rounding of heights.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// Heights are rounded to whole steps, which bends a plane between its nodes by some 1e-5 rad: at grazing incidence, of
// such pieces, each a mirror of its own, several reflect to one place and none to the next.
struct EvenPlane {
  Vec3 point;
  Vec2 slope;  // rise in a metre to the east, and to the north

  double height_at(Vec2 p) const { return point.z + dot(slope, p - point.xy()); }
  Vec3 normal() const { return normalized(Vec3{-slope.x, -slope.y, 1}); }
};

// The planes that cells of a terrain's grid have in common, of parts that hold five by five cells at least. All nodes
// of a cell lie within a step of its plane, so that no chain of small bends leads away from it. Parts that are a plane
// to the bit, such as level ones, have none, and neither has rough ground. Does not keep the terrain.
class EvenGround {
 public:
  explicit EvenGround(const Terrain& terrain);

  bool empty() const { return planes_.empty(); }
  // nullptr where the cell, or the one at p, is of no such part.
  const EvenPlane* plane_of(std::uint32_t column, std::uint32_t row) const;
  const EvenPlane* plane_at(Vec2 p) const;

 private:
  Vec2 south_west_;
  double step_x_ = 0, step_y_ = 0;
  std::uint32_t columns_ = 0, rows_ = 0;  // of cells
  std::vector<EvenPlane> planes_;
  std::vector<std::uint32_t> plane_of_cell_;  // row by row from the south; empty without planes
};

}  // namespace tesseray
