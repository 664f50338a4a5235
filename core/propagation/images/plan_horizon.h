// SPDX-License-Identifier: GPL-3.0-or-later
// What walls on the ground hide from a point, seen in the ground plan: how high one must stand behind them to be seen.
//
// The angles about the point are cut into bins. A wall that fills a bin hides behind it whatever stays below the line
// over its top. A way that dips to a level floor and comes up again runs below the straight one, so what is hidden
// from straight rays is hidden from these too. Nothing that is seen is ever called hidden. Angles are in rad, heights
// `top_z` in m.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/geometry/vector.h"

namespace tesseray {

// The directions of the ground plan about a point within `half_width` of `middle`, rad; all with π or more.
struct PlanSector {
  Vec2 apex;
  double middle = 0, half_width = 4;

  // That of a convex polygon's corners; all around when the apex is among or between them.
  static PlanSector of(Vec2 apex, std::span<const Vec3> corners);
  // From the middle, −π … π.
  double angle_to(Vec2 point) const;
};

class PlanHorizon {
 public:
  struct Wall {
    Vec2 begin, end;
    double top_z = 0;
  };

  // `height_m`: of the apex, above the same level as the tops. REQUIRES: bins > 0.
  PlanHorizon(const PlanSector& sector, double height_m, std::vector<Wall> walls, std::size_t bins);

  // True when nothing of the upright area over begin–end, up to top_z, can be seen.
  bool hides(Vec2 begin, Vec2 end, double top_z) const;
  // The same of all that is over a convex polygon of the plan.
  bool hides(std::span<const Vec3> corners, double top_z) const;

 private:
  // Of a bin, after so many walls: all of them lie nearer than `farthest_m`, and one hides all behind up to `slope`.
  struct Blocked {
    double farthest_m = 0, slope = 0;
  };
  // From the apex: its angle from the sector's middle, and its unit vector in the plan.
  struct Direction {
    double angle = 0;
    Vec2 unit;
  };
  // A straight line seen from the apex.
  struct Line {
    Line(const PlanSector& sector, Vec2 begin, Vec2 end);
    double distance_m = 0;                   // where it is nearest
    Direction normal;                        // there
    double least_m = 0, greatest_m = 0;      // of the segment's points
    double first_angle = 0, last_angle = 0;  // of the segment, first ≤ last …
    bool crosses_cut = false;                // … or it runs over ±π, between last and first
    bool meets_apex = false;
  };
  struct Distances {
    double least_m = 0, greatest_m = 0;
  };
  // Of what is on the line between two directions.
  static Distances between(const Line& line, const Direction& first, const Direction& last);
  Direction towards(double angle) const;
  std::size_t bin_of(double angle) const;
  void add(const Line& line, double first_angle, double last_angle, double top_z);
  // `between`: the distances of what may be seen, from one direction to another.
  template <class Between>
  bool hides(double first_angle, double last_angle, double top_z, const Between& between) const;

  PlanSector sector_;
  double height_m_, first_angle_, bin_width_;
  std::vector<Direction> borders_;  // of the bins, one more than these
  std::vector<std::vector<Blocked>> bins_;
};

}  // namespace tesseray
