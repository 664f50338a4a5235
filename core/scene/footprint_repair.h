// SPDX-License-Identifier: GPL-3.0-or-later
// Polygon repair and overlay on the coordinate grid. The only place that uses GEOS.
#pragma once

#include <memory>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// Results lie on the grid of coordinate_step_m, are valid, and have the orientation of Rings. Not thread-safe: one
// object per thread.
class PolygonOverlay {
 public:
  PolygonOverlay();
  ~PolygonOverlay();
  PolygonOverlay(const PolygonOverlay&) = delete;
  PolygonOverlay& operator=(const PolygonOverlay&) = delete;

  // True when no ring crosses or touches itself or another but in single points.
  bool is_valid(const Rings& rings);
  // The areas that the rings enclose: lobes of self-crossing rings become polygons of their own.
  std::vector<Rings> repaired(const Rings& rings);
  // REQUIRES for the following: valid polygons.
  std::vector<Rings> difference(const Rings& a, const Rings& b);
  std::vector<Rings> united(const Rings& a, const Rings& b);
  std::vector<Rings> intersection(const Rings& a, const Rings& b);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesseray
