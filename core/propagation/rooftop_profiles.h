// SPDX-License-Identifier: GPL-3.0-or-later
// What stands between two points of a vertical plane: roof edges and crests of the terrain.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/scene.h"
#include "core/visibility/cell_grid.h"

namespace tesseray {

// Points over the distance from one end, strictly increasing in x; the ends are among them. Beyond 5 km heights count
// from the straight line of a flat earth: what is between stands higher by the bulge d₁ d₂ / 2a, a = 8,500 km.
struct RooftopProfile {
  std::vector<Vec2> points;              // x: horizontal distance from the start, y: height; m
  std::vector<std::uint16_t> materials;  // of the part below each point; unused at the ends

  // Working space of RooftopProfiles::trace.
  struct Found {
    Vec2 point;
    std::uint16_t material = 0;
  };
  std::vector<Found> found;
  std::vector<Vec2> hull, crests;
};

// Every side of a footprint that the plane crosses is an edge at its roof's height; edges nearer to each other than
// least_gap_m act as the higher one. Of the terrain, the vertices of its upper hull between the ends count.
class RooftopProfiles {
 public:
  static constexpr double least_gap_m = 2.0;

  // Keeps a reference to the scene.
  explicit RooftopProfiles(const Scene& scene);

  // Replaces `profile` by that between two points. What lies more than margin_m below their straight line is left out.
  void trace(Vec3 from, Vec3 to, double margin_m, RooftopProfile& profile) const;

 private:
  struct Side {
    Vec2 begin, along;
    double top_z = 0;
    std::uint16_t material = 0;
  };
  struct Line;

  void add_sides(const Line& line, RooftopProfile& profile) const;
  void add_terrain(const Line& line, RooftopProfile& profile) const;

  const Scene* scene_;
  CellGrid grid_;
  // Cell by cell, each cell's one after the other: a line reads them as they lie.
  std::vector<Side> sides_;
  std::vector<std::uint32_t> first_of_cell_;
  std::vector<double> top_of_cell_;  // −∞ for empty cells
  double highest_ground_m_ = 0;
};

}  // namespace tesseray
