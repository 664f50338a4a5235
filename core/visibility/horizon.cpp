// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/horizon.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tesseray {

namespace {

constexpr double bins_per_unit = Horizon::bins / 8.0;
// Azimuths closer to a bin's end than this, in bins, count for both of its sides: far above rounding.
constexpr double bin_margin = 1e-7;
// Occluders are taken this much lower than they are: above all tolerances of the exact test.
constexpr double height_margin_m = 1e-4;
// For the rounding to float of slopes.
constexpr double slope_margin = 1e-6;
// Walls whose plane passes the eye closer than this do not count: the exact test may see them from either side.
constexpr double plane_distance_m = 1e-3;
constexpr double infinity = std::numeric_limits<double>::infinity();

int first_bin(double azimuth) { return static_cast<int>(std::floor(azimuth * bins_per_unit - bin_margin)); }
int last_bin(double azimuth) { return static_cast<int>(std::floor(azimuth * bins_per_unit + bin_margin)); }
// The bins that lie wholly between two azimuths are first_whole_bin(low) … end_whole_bin(high) − 1.
int first_whole_bin(double low) { return static_cast<int>(std::ceil(low * bins_per_unit + bin_margin)); }
int end_whole_bin(double high) { return static_cast<int>(std::floor(high * bins_per_unit - bin_margin)); }

int wrapped(int bin) { return bin & (Horizon::bins - 1); }

double unwrapped(double azimuth, double first) { return azimuth < first - 1e-6 ? azimuth + 8 : azimuth; }

// The direction of the square's corner at an even azimuth.
Vec2 corner_direction(double azimuth) {
  constexpr Vec2 corners[] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
  return corners[static_cast<int>(azimuth / 2) & 3];
}

float lowest_of(const float* slopes, int count) {
  constexpr int lanes = 8;
  float least = slopes[0];
  int k = 0;
  if (count >= lanes) {
    float lane[lanes];
    std::copy(slopes, slopes + lanes, lane);
    for (k = lanes; k + lanes <= count; k += lanes) {
      for (int j = 0; j < lanes; ++j) lane[j] = slopes[k + j] < lane[j] ? slopes[k + j] : lane[j];
    }
    for (const float l : lane) least = std::min(least, l);
  }
  for (; k < count; ++k) least = std::min(least, slopes[k]);
  return least;
}

}  // namespace

AzimuthInterval azimuths_of(const Rectangle& box) {
  // The two corners that bound the view of the box, clockwise one first.
  Vec2 low, high;
  if (box.min.x > 0) {
    low = {box.min.y < 0 ? box.min.x : box.max.x, box.min.y};
    high = {box.max.y > 0 ? box.min.x : box.max.x, box.max.y};
  } else if (box.max.x < 0) {
    low = {box.max.y > 0 ? box.max.x : box.min.x, box.max.y};
    high = {box.min.y < 0 ? box.max.x : box.min.x, box.min.y};
  } else if (box.min.y > 0) {
    low = {box.max.x, box.min.y};
    high = {box.min.x, box.min.y};
  } else {
    low = {box.min.x, box.max.y};
    high = {box.max.x, box.max.y};
  }
  AzimuthInterval interval{square_azimuth(low), square_azimuth(high)};
  if (interval.high < interval.low) interval.high += 8;
  return interval;
}

float Horizon::lowest(AzimuthInterval azimuths) const {
  const int first = first_bin(azimuths.low), count = last_bin(azimuths.high) - first + 1;
  if (count >= bins) return lowest_of(slopes_.data(), bins);
  const int begin = wrapped(first), before_end = std::min(count, bins - begin);
  const float least = lowest_of(slopes_.data() + begin, before_end);
  return before_end == count ? least : std::min(least, lowest_of(slopes_.data(), count - before_end));
}

float Horizon::lowest_at(double azimuth) const {
  return std::min(slopes_[static_cast<std::size_t>(wrapped(first_bin(azimuth)))],
                  slopes_[static_cast<std::size_t>(wrapped(last_bin(azimuth)))]);
}

void Horizon::raise(int bin, double slope) {
  if (slope == -infinity) return;
  float& stored = slopes_[static_cast<std::size_t>(wrapped(bin))];
  stored = std::max(stored, static_cast<float>(slope - slope_margin * (1 + std::fabs(slope))));
}

// Calls add(bin, least slope of the wall within the bin) for the bins that the wall p–q (as seen from the origin,
// counter-clockwise from p) touches.
template <class Add>
void Horizon::for_each_bin_of_wall(Vec2 p, Vec2 q, double height, double first_azimuth, const Add& add) {
  const double azimuth_q = unwrapped(square_azimuth(q), first_azimuth);
  double low = unwrapped(square_azimuth(p), first_azimuth);
  double slope_low = height / square_norm(p);
  const double slope_q = height / square_norm(q);
  const double turn = cross(p, q);
  while (low < azimuth_q) {
    // Up to the square's next corner, slopes are linear in the azimuth.
    const double corner = 2 * std::floor(low / 2) + 2;
    const bool last = corner >= azimuth_q;
    const double high = last ? azimuth_q : corner;
    const double slope_high = last ? slope_q : height * cross(corner_direction(corner), q - p) / turn;
    const double per_azimuth = (slope_high - slope_low) / (high - low);
    const int end = last_bin(high);
    double left = slope_low;
    for (int bin = first_bin(low); bin <= end; ++bin) {
      const double edge = (bin + 1) / bins_per_unit;
      const double right = edge >= high ? slope_high : edge <= low ? slope_low : slope_low + (edge - low) * per_azimuth;
      add(bin, lower(left, right));
      left = right;
    }
    low = high;
    slope_low = slope_high;
  }
}

void Horizon::raise_by_outline(Vec3 eye, std::span<const WallSide> exterior, const Rectangle& bounds, double top_z) {
  const AzimuthInterval view = azimuths_of({bounds.min - eye.xy(), bounds.max - eye.xy()});
  if (end_whole_bin(view.high) <= first_whole_bin(view.low)) return;
  const double height = top_z - eye.z - height_margin_m;
  const int base = first_bin(view.low) - 1;
  const auto least = [&](int bin) -> double& { return least_[static_cast<std::size_t>(bin - base)]; };
  std::fill(&least(base), &least(last_bin(view.high) + 2), infinity);

  // Whoever looks into a bin meets one of the walls that face the eye: the least of them holds for all directions.
  double low = infinity, high = -infinity;
  for (const WallSide& wall : exterior) {
    const Vec2 p = wall.p - eye.xy(), q = wall.q - eye.xy();
    const double azimuth = unwrapped(square_azimuth(p), view.low);
    low = lower(low, azimuth);
    high = higher(high, azimuth);
    const double turn = cross(p, q);
    if (std::fabs(turn) < plane_distance_m * norm(q - p)) {
      const double other = unwrapped(square_azimuth(q), view.low);
      for (int bin = first_bin(lower(azimuth, other)); bin <= last_bin(higher(azimuth, other)); ++bin) {
        least(bin) = -infinity;
      }
    } else if (turn < 0) {
      for_each_bin_of_wall(q, p, height, view.low,
                           [&](int bin, double slope) { least(bin) = lower(least(bin), slope); });
    }
  }
  // The outline is connected, so that it has no gaps between its first and its last azimuth.
  for (int bin = first_whole_bin(low); bin < end_whole_bin(high); ++bin) {
    if (least(bin) < infinity) raise(bin, least(bin));
  }
}

void Horizon::raise_by_wall(Vec3 eye, const WallSide& wall, double top_z) {
  Vec2 p = wall.p - eye.xy(), q = wall.q - eye.xy();
  if (std::fabs(cross(p, q)) < plane_distance_m * norm(q - p)) return;
  if (cross(p, q) < 0) std::swap(p, q);
  const double low = square_azimuth(p), high = unwrapped(square_azimuth(q), low);
  const int first = first_whole_bin(low), end = end_whole_bin(high);
  if (first >= end) return;
  for_each_bin_of_wall(p, q, top_z - eye.z - height_margin_m, low, [&](int bin, double slope) {
    if (bin >= first && bin < end) raise(bin, slope);
  });
}

}  // namespace tesseray
