// SPDX-License-Identifier: GPL-3.0-or-later
// Polygon repair and overlay on the coordinate grid, and areas that polygons have in common. The only place that uses
// GEOS.
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
  // The area that the first ring encloses less what the others do: lobes of self-crossing rings become polygons of
  // their own.
  std::vector<Rings> repaired(const Rings& rings);
  // True when all are valid and none has an area in common with another.
  bool are_disjoint(const std::vector<Rings>& polygons);
  // What several polygons, valid or not, enclose together.
  std::vector<Rings> joined(const std::vector<Rings>& polygons);
  // REQUIRES for the following: valid polygons.
  std::vector<Rings> difference(const Rings& a, const Rings& b);
  std::vector<Rings> united(const Rings& a, const Rings& b);
  std::vector<Rings> intersection(const Rings& a, const Rings& b);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The area that polygons have in common with one ring after the other, as their corners say it: without the grid. Not
// thread-safe.
class CommonArea {
 public:
  // REQUIRES: valid polygons without common areas (PolygonOverlay::are_disjoint).
  explicit CommonArea(const std::vector<Rings>& polygons);
  ~CommonArea();
  CommonArea(const CommonArea&) = delete;
  CommonArea& operator=(const CommonArea&) = delete;

  // m². REQUIRES: a ring that does not cross itself.
  double with(const Ring& ring) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesseray
