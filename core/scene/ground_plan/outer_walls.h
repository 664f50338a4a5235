// SPDX-License-Identifier: GPL-3.0-or-later
// Points at walls, which stand in front of them: on a wall itself a point is neither before its mirror nor inside.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/ground_plan/prism_index.h"

namespace tesseray {

// Where a point stands that is at walls or nearer to them than wall_clearance_m.
struct PlaceAtWalls {
  Vec2 place;                  // that far in front of them; the point itself where no wall is so near
  std::int64_t enclosed = -1;  // the prism of a wall in front of which is no room: a party wall's, or a narrow gap's
};

class OuterWalls {
 public:
  // How far in front of walls points stand at least, as they stand above the ground.
  static constexpr double wall_clearance_m = 0.01;
  // How far behind its wall a point may lie by the rounding of coordinates.
  static constexpr double rounding_m = 0.001;

  // Keeps references to both.
  OuterWalls(const Scene& scene, const PrismIndex& index) : scene_(scene), index_(index) {}

  // Of a point deeper in a building than rounding_m, and of one above or below the walls, the point itself.
  PlaceAtWalls place_at(Vec3 p) const;

 private:
  struct Wall {
    std::uint32_t prism = 0;
    Vec2 start, end, outwards;  // seen from outside; `outwards` has length 1
    double in_front_of(Vec2 p) const { return dot(p - start, outwards); }
  };

  std::vector<Wall> walls_near(Vec3 p) const;
  // Whether there is air in front of the wall where it is next to p; not so where houses touch.
  bool is_outer(const Wall& wall, Vec3 p) const;

  const Scene& scene_;
  const PrismIndex& index_;
};

}  // namespace tesseray
