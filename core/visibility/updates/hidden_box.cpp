// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a box far away is hidden, by the walls along one ray to it: cheap enough to be asked for every element.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/infinity.h"
#include "core/visibility/updates/changed_sights.h"

namespace tesseray {

namespace {

// Walls nearer to the eye's plane than this, and all that is nearer to the eye, do not count.
constexpr double near_m = 0.05;
// A wall must end this much before the box, and rise this much above the sights.
constexpr double before_m = 0.02, height_margin_m = 1e-3;

// Directions from the eye as sideways per forward distance, forward being the way to the middle of the box: so the
// inverse of the forward distance is linear along a straight wall.
struct View {
  Vec2 eye, forward;

  Vec2 of(Vec2 p) const { return {dot(forward, p - eye), cross(forward, p - eye)}; }  // forward, sideways
};

// The directions in which the box is seen that no wall has yet been found in: a few intervals.
class OpenDirections {
 public:
  OpenDirections(double low, double high) { intervals_[0] = {low, high}; }

  bool empty() const { return count_ == 0; }

  // Takes out low … high. What cannot be kept apart stays open as a whole.
  void close(double low, double high) {
    for (std::size_t k = count_; k-- > 0;) {
      Interval& open = intervals_[k];
      if (high <= open.low || low >= open.high) continue;
      const Interval before = {open.low, low}, after = {high, open.high};
      const bool has_before = before.low < before.high, has_after = after.low < after.high;
      if (has_before && has_after) {
        if (count_ == intervals_.size()) continue;
        open = before;
        intervals_[count_++] = after;
      } else if (has_before || has_after) {
        open = has_before ? before : after;
      } else {
        open = intervals_[--count_];
      }
    }
  }

 private:
  struct Interval {
    double low = 0, high = 0;
  };
  std::array<Interval, 8> intervals_;
  std::size_t count_ = 1;
};

// The box as it is seen from the eye.
struct BoxInView {
  double low = infinity, high = -low;  // directions
  double nearest_m = low;              // forward
};

BoxInView seen_from(const View& view, const Rectangle& box) {
  BoxInView seen;
  for (const Vec2 corner : {box.min, Vec2{box.max.x, box.min.y}, box.max, Vec2{box.min.x, box.max.y}}) {
    const Vec2 p = view.of(corner);
    seen.nearest_m = std::min(seen.nearest_m, p.x);
    if (p.x < near_m) return seen;
    seen.low = std::min(seen.low, p.y / p.x);
    seen.high = std::max(seen.high, p.y / p.x);
  }
  return seen;
}

// Closes the directions in which the wall certainly blocks all sights of at most `slope` per forward metre.
void close_by_wall(const View& view, double eye_z, const WallSide& wall, const BoxInView& box, double slope,
                   OpenDirections& open) {
  if (wall.bottom_z > eye_z - height_margin_m) return;
  Vec2 p = view.of(wall.p), q = view.of(wall.q);
  if (p.x < near_m && q.x < near_m) return;
  // Most walls along the way stand beside it.
  if ((p.y <= box.low * p.x && q.y <= box.low * q.x) || (p.y >= box.high * p.x && q.y >= box.high * q.x)) return;
  const Vec2 along = wall.q - wall.p;
  // From near its plane, the exact test may take a wall for one that is seen from the other side.
  const double twice_area = cross(along, view.eye - wall.p);
  if (twice_area * twice_area < near_m * near_m * dot(along, along)) return;
  if (p.x < near_m) p = p + ((near_m - p.x) / (q.x - p.x)) * (q - p);
  if (q.x < near_m) q = q + ((near_m - q.x) / (p.x - q.x)) * (p - q);
  double from = p.y / p.x, to = q.y / q.x, inverse_from = 1 / p.x, inverse_to = 1 / q.x;
  if (from > to) {
    std::swap(from, to);
    std::swap(inverse_from, inverse_to);
  }
  const double low = std::max(from, box.low), high = std::min(to, box.high);
  if (low >= high) return;
  const double per_direction = (inverse_to - inverse_from) / (to - from);
  const double least_inverse =
      std::min(inverse_from + (low - from) * per_direction, inverse_from + (high - from) * per_direction);
  if (!(least_inverse > 0)) return;
  const double farthest_m = 1 / least_inverse;
  if (farthest_m > box.nearest_m - before_m || wall.top_z < eye_z + slope * farthest_m + height_margin_m) return;
  open.close(low, high);
}

}  // namespace

bool is_certainly_hidden(const OcclusionView& view, Vec3 eye, const Rectangle& box, double top_z) {
  const Vec2 middle = box.middle(), way = middle - eye.xy();
  const double distance_m = norm(way);
  if (distance_m < 1) return false;
  const View directions = {eye.xy(), (1 / distance_m) * way};
  const BoxInView seen = seen_from(directions, box);
  if (seen.nearest_m < 1) return false;
  const double slope = std::max(0.0, top_z - eye.z) / seen.nearest_m;
  OpenDirections open(seen.low, seen.high);
  // Along the ray to the middle, walls are high enough only in cells that the steepest sight does not pass above.
  const Vec2 at_box = eye.xy() + seen.nearest_m * directions.forward;
  const double rise_m = slope * seen.nearest_m;
  return walk_low_cells(view.prism_grid, eye, {at_box.x, at_box.y, eye.z + rise_m}, [&](const LowCellWalk& walk) {
    const CellVisit& visit = walk.cell();
    const std::int64_t cell = static_cast<std::int64_t>(visit.j) * view.prism_grid.columns + visit.i;
    const double least_z = eye.z + visit.t_in * rise_m - 1;
    for (std::uint32_t w = view.wall_offsets[cell]; w != view.wall_offsets[cell + 1]; ++w) {
      if (view.walls[w].top_z < least_z) break;
      close_by_wall(directions, eye.z, view.walls[w], seen, slope, open);
    }
    return open.empty();
  });
}

}  // namespace tesseray
