// SPDX-License-Identifier: GPL-3.0-or-later
// A block's horizon: for each bin of azimuth a slope below which every farther target is blocked, and the least slopes
// of ranges of bins as a binary tree. docs/visibility.md says why it may be believed; slopes here are found in double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/visibility/search/square_azimuth.h"

namespace tesseray {

inline constexpr std::uint32_t horizon_bins = 1024;
inline constexpr double bins_per_azimuth = horizon_bins / 8.0;
// Azimuths closer than this (in eighths of the circle) to a bin's end count for both of its sides: above the rounding
// of azimuths of what is at least a metre away, and of the exact test.
inline constexpr double azimuth_doubt = 1e-7;
// Relative rounding of a slope, to float included.
inline constexpr double slope_doubt = 4e-6;
// Occluders are taken this much lower than they are: above all tolerances of the exact test.
inline constexpr double occluder_margin_m = 1e-4;
// Walls whose plane passes the eye closer than this do not count: the exact test may see them from either side.
inline constexpr double in_plane_m = 1e-3;
// Targets must be farther than an occluder's farthest point by this much for the occluder to count.
inline constexpr double beyond_occluder_m = 0.01;
// Nearer targets are never hidden by the horizon.
inline constexpr double least_hidden_m = 1.0;

// Floats as integers of the same order, so that integer maxima are maxima of slopes.
TESSERAY_HD inline std::int32_t ordered(float slope) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(slope);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
TESSERAY_HD inline float slope_of(std::int32_t order) {
  return std::bit_cast<float>(order >= 0 ? order : order ^ 0x7fffffff);
}

// The slope, lowered by what its computation may be off. −∞ stays.
TESSERAY_HD inline float certain_slope(double slope) {
  return static_cast<float>(slope - slope_doubt * (1 + std::fabs(slope)));
}

// Node 1 is the root, node n has the children 2n and 2n + 1, and bin b is node horizon_bins + b. All are ordered().
struct BlockHorizon {
  std::int32_t nodes[2 * horizon_bins];
};

template <class Block>
TESSERAY_HD inline void reset_horizon(const Block& block, BlockHorizon& horizon, float slope) {
  block.for_each(2 * horizon_bins, [&](std::uint32_t node) { horizon.nodes[node] = ordered(slope); });
}

// Brings the tree up to date with its bins.
template <class Block>
TESSERAY_HD inline void settle_horizon(const Block& block, BlockHorizon& horizon) {
  for (std::uint32_t level = horizon_bins / 2; level > 0; level /= 2) {
    block.for_each(level, [&](std::uint32_t k) {
      const std::uint32_t node = level + k;
      const std::int32_t left = horizon.nodes[2 * node], right = horizon.nodes[2 * node + 1];
      horizon.nodes[node] = left < right ? left : right;
    });
  }
}

// The least slope of the bins first … last. REQUIRES: 0 ≤ first ≤ last < horizon_bins.
TESSERAY_HD inline std::int32_t least_of_bins(const BlockHorizon& horizon, std::uint32_t first, std::uint32_t last) {
  std::int32_t least = 0x7fffffff;
  std::uint32_t low = first + horizon_bins, high = last + horizon_bins + 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 != 0) {
      if (horizon.nodes[low] < least) least = horizon.nodes[low];
      ++low;
    }
    if (high % 2 != 0) {
      --high;
      if (horizon.nodes[high] < least) least = horizon.nodes[high];
    }
  }
  return least;
}

// The slope below which everything in the interval is hidden.
TESSERAY_HD inline double least_slope(const BlockHorizon& horizon, AzimuthInterval azimuths) {
  const double low = std::floor((azimuths.low - azimuth_doubt) * bins_per_azimuth);
  const double high = std::floor((azimuths.high + azimuth_doubt) * bins_per_azimuth);
  if (high - low + 1 >= horizon_bins) return static_cast<double>(slope_of(horizon.nodes[1]));
  const auto wrapped = [](double bin) { return static_cast<std::uint32_t>(bin + horizon_bins) % horizon_bins; };
  const std::uint32_t first = wrapped(low), last = wrapped(high);
  std::int32_t least = 0;
  if (first <= last) {
    least = least_of_bins(horizon, first, last);
  } else {
    const std::int32_t before = least_of_bins(horizon, first, horizon_bins - 1);
    const std::int32_t after = least_of_bins(horizon, 0, last);
    least = before < after ? before : after;
  }
  return static_cast<double>(slope_of(least));
}

// What is certain of a box relative to the eye: that which lies lower than this over the eye is hidden; −∞ for nothing.
TESSERAY_HD inline double hidden_height(const BlockHorizon& horizon, const Rectangle& box) {
  const double nearest = nearest_distance(box);
  if (nearest < least_hidden_m) return -infinity;
  const double slope = least_slope(horizon, azimuths_of(box));
  if (slope == -infinity) return -infinity;
  const double certain = slope - slope_doubt * (1 + std::fabs(slope));
  return certain * (certain > 0 ? nearest : farthest_distance(box));
}

// True when a target at v from the eye is certainly hidden.
TESSERAY_HD inline bool is_hidden(const BlockHorizon& horizon, Vec3 v) {
  const double distance = square_norm(v.xy());
  if (distance < least_hidden_m) return false;
  const double slope = v.z / distance;
  const std::uint32_t bin = static_cast<std::uint32_t>(square_azimuth(v.xy()) * bins_per_azimuth) % horizon_bins;
  return slope + slope_doubt * (1 + std::fabs(slope)) <
         static_cast<double>(slope_of(horizon.nodes[horizon_bins + bin]));
}

// Bins of an occluder that are looked at together, aligned.
inline constexpr std::uint32_t bins_per_step = 8;

// The least slopes of an outline's walls over some bins. Wall by wall, then read.
struct StepSlopes {
  double least[bins_per_step];
  std::uint32_t base = 0;  // the first bin; may be horizon_bins or above, for the next turn

  TESSERAY_HD explicit StepSlopes(std::uint32_t first_bin) : base(first_bin) {
    for (double& slope : least) slope = infinity;
  }

  // A wall from p to q as the eye sees it, whose top is so much higher than the eye. Walls are seen from their outer
  // side, where p–q turns clockwise; from both, when it stands alone.
  TESSERAY_HD void add_wall(Vec2 p, Vec2 q, double height, bool stands_alone) {
    Vec2 along = q - p;
    double turn = cross(p, along);
    if (stands_alone && turn > 0) {
      const Vec2 swap = p;
      p = q;
      q = swap;
      along = q - p;
      turn = cross(p, along);
    }
    const bool is_in_plane = turn * turn < in_plane_m * in_plane_m * dot(along, along);
    if (is_in_plane ? stands_alone : turn >= 0) return;
    // Less than half of the circle, since the eye is on one side of the wall, or beyond its ends in its plane.
    double low = square_azimuth(q), span = square_azimuth(p) - low;
    if (span > 4) span -= 8;
    if (span < -4) span += 8;
    if (span < 0) low += span;
    double high = low + std::fabs(span);
    const double first = base / bins_per_azimuth, last = (base + bins_per_step) / bins_per_azimuth;
    const double turns = 8 * std::floor((last + azimuth_doubt - low) / 8);
    low += turns;
    high += turns;
    if (high < first - azimuth_doubt) return;

    // The square's side that the bins lie on: its middle and the way along it. Slopes are linear there.
    const std::uint32_t side = base % horizon_bins / (horizon_bins / 4);
    const Vec2 middle_of_side = {side == 0 ? 1.0 : side == 2 ? -1.0 : 0.0, side == 1 ? 1.0 : side == 3 ? -1.0 : 0.0};
    const Vec2 step = {-middle_of_side.y, middle_of_side.x};
    const double middle = 2.0 * side + 1 + 8.0 * (base / horizon_bins);
    const double at_middle = is_in_plane ? 0 : height * cross(middle_of_side, along) / turn;
    const double per_azimuth = is_in_plane ? 0 : height * cross(step, along) / turn;
    for (std::uint32_t k = 0; k < bins_per_step; ++k) {
      const double begin = (base + k) / bins_per_azimuth, end = (base + k + 1) / bins_per_azimuth;
      const bool touches = low <= end + azimuth_doubt && high >= begin - azimuth_doubt;
      if (!touches) continue;
      const double from = lower(higher(begin, low), high), to = lower(higher(end, low), high);
      const double slope = lower(at_middle + per_azimuth * (from - middle), at_middle + per_azimuth * (to - middle));
      least[k] = is_in_plane ? -infinity : lower(least[k], slope);
    }
  }
};

// Raises the bins first … end − 1 of a step to what is certain of its slopes.
template <class Block>
TESSERAY_HD inline void raise_bins(const Block& block, BlockHorizon& horizon, const StepSlopes& slopes,
                                   std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t k = 0; k < bins_per_step; ++k) {
    const std::uint32_t bin = slopes.base + k;
    const bool is_bounded = std::fabs(slopes.least[k]) < infinity;
    if (bin < first || bin >= end || !is_bounded) continue;
    block.raise(horizon.nodes[horizon_bins + bin % horizon_bins], ordered(certain_slope(slopes.least[k])));
  }
}

}  // namespace tesseray
