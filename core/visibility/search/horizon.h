// SPDX-License-Identifier: GPL-3.0-or-later
// What is certainly hidden from one point: for each bin of azimuth a slope below which every farther target is blocked.
//
// Azimuths are positions on a square around the point, and slopes are heights per distance in the larger of |x| and
// |y|: so a straight wall's top is a straight line over the azimuths of one side of the square, and the least slope
// over a bin lies at one of its ends. Slopes are rounded down by more than the errors of all that is computed here and
// in occlusion/occlusion_view.h, and an occluder fills a bin only when it reaches beyond both of its ends: what lies
// below the horizon is blocked for the exact test too, though its azimuth be off by azimuth_margin.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/search/square_azimuth.h"

namespace tesseray {

struct SightKernels;  // sight_kernels.h

// The least slopes of ranges of bins: that of 2^k bins from bin b on is number k · stride + b.
struct HorizonWindows {
  static constexpr int bins = 2048, levels = 7, widest = 1 << (levels - 1), stride = bins + widest;
};

// The level of a range of so many bins: two windows of it cover the range.
inline constexpr std::array<std::int32_t, 2 * HorizonWindows::widest> window_level_of_count = [] {
  std::array<std::int32_t, 2 * HorizonWindows::widest> levels{};
  for (std::size_t count = 2; count < levels.size(); ++count) levels[count] = levels[count / 2] + 1;
  return levels;
}();

class Horizon {
 public:
  static constexpr int bins = HorizonWindows::bins;
  // Targets must be farther than an occluder's farthest point by this much for the occluder to count.
  static constexpr double beyond_m = 0.01;

  Horizon(const SightKernels& kernels, std::pmr::memory_resource* memory)
      : windows_(HorizonWindows::levels * HorizonWindows::stride, memory),
        kernels_(kernels),
        least_(bins + 64, memory) {}

  // Nothing is hidden but what is below `slope`.
  void reset(float slope);

  // Hides everything but what lies within some azimuths, and a little beside them.
  void close_outside(AzimuthInterval azimuths);

  // Brings the windows of ranges of up to `count` bins up to date; others may be too low.
  void settle(int count);
  // Those windows, of which the first are the slopes by bin, always up to date.
  const float* windows() const { return windows_.data(); }

  // False when no occluder within the interval that is nowhere seen above `slope` raises anything.
  bool can_be_raised(AzimuthInterval azimuths, float slope) const;

  // A solid within corners, counter-clockwise and the first again at the end, seen from `eye` outside of its bounds,
  // blocks all that is behind it and below `top_z`.
  void raise_by_outline(Vec3 eye, std::span<const Vec2> corners, const Rectangle& bounds, double top_z);
  // The same for a single wall, wherever the eye is.
  void raise_by_wall(Vec3 eye, const WallSide& wall, double top_z);

 private:
  // An outline's corner relative to the eye; azimuths count on from a first one.
  struct Corner {
    Vec2 place;
    double azimuth = 0, slope = 0;
  };
  static Corner corner_at(Vec2 p, double height, double first_azimuth);
  // Lowers least_, whose first number is of bin `base`, to the slopes of a wall, counter-clockwise.
  void lower_least(const Corner& from, const Corner& to, double height, int base);
  // Raises the bins from `first` on, before `end`, to least_.
  void raise_to_least(int first, int end, int base);
  // Makes the windows of a level again that reach into some chunks.
  void make_windows(int level, std::uint32_t chunks);

  std::pmr::vector<float> windows_;
  const SightKernels& kernels_;
  std::pmr::vector<float> least_;  // scratch
  // By level, as bits: the chunks of `widest` bins that were raised since its windows were made; at number 0 those that
  // were raised since the last `settle`, which the other numbers do not tell yet.
  std::array<std::uint32_t, HorizonWindows::levels> raised_{};
};

}  // namespace tesseray
