// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/search/horizon.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/infinity.h"
#include "core/visibility/search/sight_kernels.h"
#include "core/visibility/search/sight_margins.h"

namespace tesseray {

namespace {

constexpr double bins_per_unit = Horizon::bins / 8.0;
// Azimuths closer to a bin's end than this, in bins, count for both of its sides.
constexpr double bin_margin = static_cast<double>(azimuth_margin) * bins_per_unit;
// Occluders are taken this much lower than they are: above all tolerances of the exact test.
constexpr double height_margin_m = 1e-4;
// Walls whose plane passes the eye closer than this do not count: the exact test may see them from either side.
constexpr double plane_distance_m = 1e-3;
// For the rounding to float of slopes along a wall, as a part of the steepest.
constexpr double ramp_margin = 1e-6;

int first_bin(double azimuth) { return static_cast<int>(std::floor(azimuth * bins_per_unit - bin_margin)); }
int last_bin(double azimuth) { return static_cast<int>(std::floor(azimuth * bins_per_unit + bin_margin)); }
// The bins that lie wholly between two azimuths are first_whole_bin(low) … end_whole_bin(high) − 1.
int first_whole_bin(double low) { return static_cast<int>(std::ceil(low * bins_per_unit + bin_margin)); }
int end_whole_bin(double high) { return static_cast<int>(std::floor(high * bins_per_unit - bin_margin)); }

// No window is wider than a chunk of bins.
constexpr int chunk_bins = HorizonWindows::widest;
static_assert(Horizon::bins == 32 * chunk_bins);
constexpr std::uint32_t all_chunks = 0xffffffff;
std::uint32_t chunks_of(int first_bin, int last_bin) {
  return all_chunks << first_bin / chunk_bins & all_chunks >> (31 - last_bin / chunk_bins);
}

int wrapped(int bin) { return bin & (Horizon::bins - 1); }

double unwrapped(double azimuth, double first) { return azimuth < first - 1e-6 ? azimuth + 8 : azimuth; }

// The direction of the square's corner at an even azimuth.
Vec2 corner_direction(double azimuth) {
  constexpr Vec2 corners[] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
  return corners[static_cast<int>(azimuth / 2) & 3];
}

}  // namespace

void Horizon::reset(float slope) {
  std::fill(windows_.begin(), windows_.end(), slope);
  raised_.fill(0);
}

void Horizon::close_outside(AzimuthInterval azimuths) {
  // Steeper than any sight that is longer than a millimetre.
  constexpr float closed = 1e7F;
  for (int bin = last_bin(azimuths.high) + 2; bin < first_bin(azimuths.low) - 1 + bins; ++bin) {
    windows_[static_cast<std::size_t>(wrapped(bin))] = closed;
  }
  std::copy_n(windows_.begin(), HorizonWindows::widest, windows_.begin() + bins);
  raised_[0] = all_chunks;
}

void Horizon::settle(int count) {
  count = std::min(count, 2 * HorizonWindows::widest - 1);
  const int needed = window_level_of_count[static_cast<std::size_t>(count)] + 1;
  for (std::size_t level = 1; level < raised_.size(); ++level) raised_[level] |= raised_[0];
  raised_[0] = 0;
  for (int level = 1; level < needed; ++level) {
    make_windows(level, std::exchange(raised_[static_cast<std::size_t>(level)], 0));
  }
}

void Horizon::make_windows(int level, std::uint32_t chunks) {
  const int reach = std::max(lanes, 1 << level), half = 1 << (level - 1);
  float* made = windows_.data() + level * HorizonWindows::stride;
  const float* below = made - HorizonWindows::stride;
  for (std::uint32_t left = chunks; left != 0;) {
    const int first = std::countr_zero(left), end = first + std::countr_one(left >> first);
    const int begin = first * chunk_bins - reach;
    if (begin < 0) kernels_.halve(below, made, half, bins + begin, bins);
    kernels_.halve(below, made, half, std::max(begin, 0), end * chunk_bins);
    left &= left + (1u << first);
  }
  // Those of the first chunk, and of the second, which reach back into it.
  if ((chunks & 3) != 0) std::copy_n(made, HorizonWindows::widest, made + bins);
}

bool Horizon::can_be_raised(AzimuthInterval azimuths, float slope) const {
  const int first = first_whole_bin(azimuths.low), count = end_whole_bin(azimuths.high) - first;
  if (count <= 0) return false;
  if (count >= 2 * HorizonWindows::widest) return true;
  const int level = window_level_of_count[static_cast<std::size_t>(count)];
  const float* window = windows_.data() + level * HorizonWindows::stride + wrapped(first);
  return slope > std::min(window[0], window[count - (1 << level)]);
}

Horizon::Corner Horizon::corner_at(Vec2 p, double height, double first_azimuth) {
  const double ax = std::fabs(p.x), ay = std::fabs(p.y);
  const double inverse = 1 / (ax >= ay ? p.x : p.y);
  const double azimuth = ax >= ay ? (p.x > 0 ? 1 : 5) + p.y * inverse : (p.y > 0 ? 3 : 7) - p.x * inverse;
  return {p, unwrapped(azimuth, first_azimuth), height * std::fabs(inverse)};
}

void Horizon::lower_least(const Corner& from, const Corner& to, double height, int base) {
  double low = from.azimuth, slope_low = from.slope;
  while (low < to.azimuth) {
    // Up to the square's next corner, slopes are linear in the azimuth.
    const double corner = 2 * std::floor(low / 2) + 2;
    const bool last = corner >= to.azimuth;
    const double high = last ? to.azimuth : corner;
    const Vec2 along = to.place - from.place;
    const double slope_high =
        last ? to.slope : height * cross(corner_direction(corner), along) / cross(from.place, to.place);
    const double per_azimuth = (slope_high - slope_low) / (high - low);
    const int first = first_bin(low), count = last_bin(high) - first + 1;
    // Where the slope rises, it is least at a bin's begin, else at its end. Beyond the piece's ends it is theirs.
    const double at = (first + (per_azimuth > 0 ? 0 : 1)) / bins_per_unit;
    const double error = ramp_margin * (std::fabs(slope_low) + std::fabs(slope_high));
    kernels_.lower_bins(count, static_cast<float>(slope_low + (at - low) * per_azimuth - error),
                        static_cast<float>(per_azimuth / bins_per_unit),
                        static_cast<float>(lower(slope_low, slope_high) - error),
                        static_cast<float>(higher(slope_low, slope_high) - error), least_.data() + (first - base));
    low = high;
    slope_low = slope_high;
  }
}

void Horizon::raise_to_least(int first, int end, int base) {
  while (first < end) {
    const int place = wrapped(first), count = std::min(end - first, bins - place);
    if (kernels_.raise_bins(count, least_.data() + (first - base), windows_.data() + place)) {
      raised_[0] |= chunks_of(place, place + count - 1);
      if (place < HorizonWindows::widest) {
        std::copy_n(windows_.begin(), HorizonWindows::widest, windows_.begin() + bins);
      }
    }
    first += count;
  }
}

void Horizon::raise_by_outline(Vec3 eye, std::span<const Vec2> corners, const Rectangle& bounds, double top_z) {
  const AzimuthInterval view = azimuths_of({bounds.min - eye.xy(), bounds.max - eye.xy()});
  if (end_whole_bin(view.high) <= first_whole_bin(view.low)) return;
  const double height = top_z - eye.z - height_margin_m;
  const int base = first_bin(view.low) - 1;
  std::fill_n(least_.begin(), last_bin(view.high) + 3 - base, infinity_f);

  // Whoever looks into a bin meets one of the walls that face the eye: the least of them holds for all directions.
  double low = infinity, high = -infinity;
  Corner from = corner_at(corners.front() - eye.xy(), height, view.low);
  for (const Vec2 corner : corners.subspan(1)) {
    const Corner to = corner_at(corner - eye.xy(), height, view.low);
    low = lower(low, to.azimuth);
    high = higher(high, to.azimuth);
    const Vec2 along = to.place - from.place;
    const double turn = cross(from.place, along);
    if (turn * turn < plane_distance_m * plane_distance_m * dot(along, along)) {
      const int first = first_bin(lower(from.azimuth, to.azimuth));
      std::fill_n(least_.begin() + (first - base), last_bin(higher(from.azimuth, to.azimuth)) - first + 1, -infinity_f);
    } else if (turn < 0) {
      lower_least(to, from, height, base);
    }
    from = to;
  }
  // The outline is connected, so that it has no gaps between its first and its last azimuth.
  raise_to_least(first_whole_bin(low), end_whole_bin(high), base);
}

void Horizon::raise_by_wall(Vec3 eye, const WallSide& wall, double top_z) {
  Vec2 p = wall.p - eye.xy(), q = wall.q - eye.xy();
  if (std::fabs(cross(p, q)) < plane_distance_m * norm(q - p)) return;
  if (cross(p, q) < 0) std::swap(p, q);
  const double height = top_z - eye.z - height_margin_m, low = square_azimuth(p);
  const Corner from = corner_at(p, height, low), to = corner_at(q, height, low);
  const int base = first_bin(from.azimuth) - 1;
  std::fill_n(least_.begin(), last_bin(to.azimuth) + 3 - base, infinity_f);
  lower_least(from, to, height, base);
  raise_to_least(first_whole_bin(from.azimuth), end_whole_bin(to.azimuth), base);
}

}  // namespace tesseray
