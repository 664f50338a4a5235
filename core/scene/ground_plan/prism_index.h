// SPDX-License-Identifier: GPL-3.0-or-later
// A uniform grid over the prisms of a scene: which prisms may stand at a place of the ground plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// True when p lies inside the polygon (even-odd); points exactly on a side may answer either way.
bool contains(const Rings& rings, Vec2 p);

class PrismIndex {
 public:
  explicit PrismIndex(const Scene& scene, double cell_m = 32.0);

  // Indices of the prisms whose bounding boxes touch the grid cell of p, ascending; empty outside the grid.
  std::span<const std::uint32_t> candidates(Vec2 p) const;
  // Indices of the prisms whose bounding boxes touch `box`, ascending and unique.
  std::vector<std::uint32_t> candidates(const Rectangle& box) const;

  // The prism that fills the space at p (strictly inside in z), or −1.
  std::int64_t prism_at(Vec3 p) const;
  // The highest roof at p, or the terrain's height where no prism stands.
  double surface_height(Vec2 p) const;

  const Rectangle& bounds(std::uint32_t prism) const { return bounds_[prism]; }

 private:
  const Scene* scene_;
  Vec2 origin_;
  double cell_m_;
  std::int64_t columns_ = 0, rows_ = 0;
  std::vector<std::uint32_t> offsets_, items_;  // CSR: cell → prisms
  std::vector<Rectangle> bounds_;
};

}  // namespace tesseray
