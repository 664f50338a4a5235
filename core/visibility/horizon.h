// SPDX-License-Identifier: GPL-3.0-or-later
// What is certainly hidden from one point: for each bin of azimuth a slope below which every farther target is blocked.
//
// Azimuths are positions on a square around the point, and slopes are heights per distance in the larger of |x| and
// |y|: so a straight wall's top is a straight line over the azimuths of one side of the square, and the least slope
// over a bin lies at one of its ends. Slopes are rounded down by more than the errors of all that is computed here and
// in occlusion_view.h: what lies below the horizon is blocked for the exact test too.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/visibility/occlusion_view.h"

namespace tesseray {

// Position of a direction on the square, counter-clockwise from its south-east corner, in [0, 8]; corners are even.
inline double square_azimuth(Vec2 direction) {
  const double ax = std::fabs(direction.x), ay = std::fabs(direction.y);
  if (ax >= ay) return (direction.x > 0 ? 1 : 5) + direction.y / direction.x;
  return (direction.y > 0 ? 3 : 7) - direction.x / direction.y;
}

inline double square_norm(Vec2 v) { return higher(std::fabs(v.x), std::fabs(v.y)); }

struct AzimuthInterval {
  double low = 0, high = 0;  // high ≥ low; high may be above 8
};

// The azimuths of a rectangle. REQUIRES: the origin lies outside of it.
AzimuthInterval azimuths_of(const Rectangle& box);

// Distances (square_norm) from the origin to a rectangle.
inline double nearest_distance(const Rectangle& box) {
  return higher(0.0, higher(higher(box.min.x, -box.max.x), higher(box.min.y, -box.max.y)));
}
inline double farthest_distance(const Rectangle& box) {
  return higher(higher(box.max.x, -box.min.x), higher(box.max.y, -box.min.y));
}

class Horizon {
 public:
  static constexpr int bins = 2048;
  // Targets must be farther than an occluder's farthest point by this much for the occluder to count.
  static constexpr double beyond_m = 0.01;

  // Nothing is hidden but what is below `slope`.
  void reset(float slope) { slopes_.fill(slope); }

  // The slope below which everything in the interval is hidden.
  float lowest(AzimuthInterval azimuths) const;
  // The same for one direction; s and d are what square_azimuth and square_norm say of it.
  float lowest_at(double azimuth) const;

  // An outline around the air in front of it, seen from `eye` outside of its bounds, blocks all that is behind it and
  // below `top_z`.
  void raise_by_outline(Vec3 eye, std::span<const WallSide> exterior, const Rectangle& bounds, double top_z);
  // The same for a single wall, wherever the eye is.
  void raise_by_wall(Vec3 eye, const WallSide& wall, double top_z);

 private:
  template <class Add>
  static void for_each_bin_of_wall(Vec2 p, Vec2 q, double height, double first_azimuth, const Add& add);
  void raise(int bin, double slope);

  std::array<float, bins> slopes_{};
  std::array<double, bins + 2> least_{};  // scratch of raise_by_outline
};

}  // namespace tesseray
