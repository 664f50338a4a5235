// SPDX-License-Identifier: GPL-3.0-or-later
// The real edges of a scene, whole and without segments: roof and underside edges, vertical corners, terrain ridges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Keeps references to the scene and the index.
class RealEdges {
 public:
  // Terrain sides with a greater exterior angle are ridges. Of an EdgeSegment parent tiles and id stay empty.
  RealEdges(const Scene& scene, const PrismIndex& index, double ridge_angle_deg);

  const std::vector<EdgeSegment>& all() const { return all_; }
  const EdgeSegment& operator[](std::uint32_t number) const { return all_[number]; }
  // True when both faces meet the air at this point of the edge: nothing stands there or on it.
  bool is_exposed(const EdgeSegment& edge, Vec3 point) const;

 private:
  void add_prism_edges();
  void add_corners();
  void add_ridges(double ridge_angle_deg);
  void add(EdgeSegment edge, Vec3 tangent_0, Vec3 tangent_n);

  const Scene& scene_;
  const PrismIndex& index_;
  std::vector<EdgeSegment> all_;
};

}  // namespace tesseray
