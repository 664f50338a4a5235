// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/outline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/prism_index.h"

namespace tesseray {
namespace {

// Sides are one wall when the vertices between lie this near to the straight line: well inside the 1 cm by which
// points are lifted off the surface.
constexpr double straight_m = 0.004;

// Between edges that turn by less a wave along the face is lost, for want of slope diffraction (docs/physics.md §5.5).
constexpr double least_turn_in_curve = 10.0 * pi / 180.0;

// A degree more than they say, for snapped vertices: an octagon is round, a square is not; and no four sides are made
// three.
constexpr double greatest_turn_in_curve = 46.0 * pi / 180.0;
constexpr double greatest_turn_left = 91.0 * pi / 180.0;

bool is_straight(const Ring& ring, std::size_t from, std::size_t to) {
  const Vec2 a = ring[from % ring.size()], chord = ring[to % ring.size()] - a;
  const double length = norm(chord);
  if (length == 0) return false;
  double reached = 0;
  for (std::size_t i = from + 1; i < to; ++i) {
    const Vec2 p = ring[i % ring.size()] - a;
    const double along = dot(p, chord) / length;
    if (std::fabs(cross(chord, p)) > straight_m * length || along < reached || along > length) return false;
    reached = along;
  }
  return true;
}

// The vertex at which the ring turns most: always a corner between two walls.
std::size_t sharpest_vertex(const Ring& ring) {
  std::size_t sharpest = 0;
  double least = infinity;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vec2 in = ring[i] - ring[(i + ring.size() - 1) % ring.size()], out = ring[(i + 1) % ring.size()] - ring[i];
    const double cosine = dot(in, out) / (norm(in) * norm(out));
    if (cosine < least - 1e-6) {
      least = cosine;
      sharpest = i;
    }
  }
  return sharpest;
}

Wall wall_between(Vec2 start, Vec2 end) {
  const Vec2 side = end - start;
  Wall wall;
  wall.start = start;
  wall.length_m = norm(side);
  wall.direction = (1.0 / wall.length_m) * side;
  wall.normal = {wall.direction.y, -wall.direction.x};
  return wall;
}

std::vector<Wall> straight_walls(const Ring& ring) {
  std::vector<Wall> walls;
  const std::size_t first = sharpest_vertex(ring), last = first + ring.size();
  for (std::size_t from = first; from < last;) {
    std::size_t to = from + 1;
    while (to + 1 <= last && is_straight(ring, from, to + 1)) ++to;
    walls.push_back(wall_between(ring[from % ring.size()], ring[to % ring.size()]));
    from = to;
  }
  return walls;
}

// Puts the narrow sides of one ring's curves together.
class CurveMerging {
 public:
  CurveMerging(const Rings& rings, std::vector<Wall> walls, double least_width_m, double greatest_shift_m)
      : rings_(rings),
        walls_(std::move(walls)),
        sides_(walls_.size()),
        least_width_m_(least_width_m),
        greatest_shift_m_(greatest_shift_m) {
    const std::size_t n = walls_.size();
    for (std::size_t i = 0; i < n; ++i) {
      sides_[i].previous = (i + n - 1) % n;
      sides_[i].next = (i + 1) % n;
    }
  }

  std::vector<Wall> run() {
    find_curves();
    for (std::size_t i = 0; i < walls_.size(); ++i) put_in_queue(i);
    // The narrowest first, so that what is left is about equally wide.
    while (!queue_.empty()) {
      const std::size_t i = queue_.begin()->second;
      queue_.erase(queue_.begin());
      if (sides_[i].bulge == Bulge::into_air) {
        let_neighbours_meet(i);
      } else {
        join_by_chord(i);
      }
    }
    std::vector<Wall> left;
    for (std::size_t i = 0; i < walls_.size(); ++i) {
      if (!sides_[i].is_gone) left.push_back(walls_[i]);
    }
    return left;
  }

 private:
  enum class Bulge { none, into_air, into_solid };
  struct Side {
    std::size_t previous = 0, next = 0;
    Bulge bulge = Bulge::none;  // none: of no curve
    double queued_m = 0;        // its key in the queue
    bool is_gone = false;
  };

  bool is_narrow(std::size_t i) const { return walls_[i].length_m < least_width_m_; }

  // At the end of side i, rad: positive where the outline bulges into the air.
  double turn_after(std::size_t i) const { return turn_between(walls_[i], walls_[sides_[i].next]); }
  double turn_before(std::size_t i) const { return turn_after(sides_[i].previous); }

  Bulge bulge_after(std::size_t i) const {
    if (!is_narrow(i) || !is_narrow(sides_[i].next)) return Bulge::none;
    const double turn = turn_after(i);
    if (std::fabs(turn) > greatest_turn_in_curve) return Bulge::none;
    return turn > 0 ? Bulge::into_air : Bulge::into_solid;
  }

  void find_curves() {
    const std::size_t n = walls_.size();
    std::vector<Bulge> bulges(n);
    for (std::size_t i = 0; i < n; ++i) bulges[i] = bulge_after(i);
    std::size_t first = 0;
    while (first < n && bulges[first] != Bulge::none && bulges[first] == bulges[(first + n - 1) % n]) ++first;
    if (first == n) return note_curve(0, n, bulges.front());
    const auto is_of_a_curve = [&](std::size_t i) { return sides_[i % n].bulge != Bulge::none; };
    for (std::size_t k = first; k < first + n;) {
      const Bulge bulge = bulges[k % n];
      std::size_t end = k + 1;
      while (end < first + n && bulges[end % n] == bulge) ++end;
      // Vertices k … end − 1 are those after the sides k … end. In an S the side between two curves is of one of them.
      const std::size_t from = k + (is_of_a_curve(k) ? 1 : 0), to = end - (is_of_a_curve(end) ? 1 : 0);
      if (bulge != Bulge::none && from < to) note_curve(from, to - from + 1, bulge);
      k = end;
    }
  }

  void note_curve(std::size_t first, std::size_t count, Bulge bulge) {
    const std::size_t n = walls_.size();
    const Wall& begin = walls_[first % n];
    double extent_m = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      extent_m = std::max(extent_m, norm(walls_[i % n].end() - begin.start));
    }
    for (std::size_t i = first; i < first + count; ++i) {
      sides_[i % n].bulge = bulge;
      walls_[i % n].curve_m = extent_m;
    }
  }

  void put_in_queue(std::size_t i) {
    queue_.erase({sides_[i].queued_m, i});
    const Bulge bulge = sides_[i].bulge;
    if (bulge == Bulge::none) return;
    const bool turns_little = bulge == Bulge::into_air && std::min(turn_before(i), turn_after(i)) < least_turn_in_curve;
    if (!is_narrow(i) && !turns_little) return;
    sides_[i].queued_m = walls_[i].length_m;
    queue_.emplace(sides_[i].queued_m, i);
  }

  // In the air, and near enough to the sides as they are.
  bool is_before_walls(Vec2 p) const {
    return distance_to_sides(rings_, p) <= greatest_shift_m_ && !contains(rings_, p);
  }

  void let_neighbours_meet(std::size_t i) {
    const std::size_t p = sides_[i].previous, n = sides_[i].next;
    Wall &before = walls_[p], &after = walls_[n];
    const double turn_in = turn_before(i), turn_out = turn_after(i);
    if (turn_in <= 0 || turn_out <= 0 || turn_in + turn_out > greatest_turn_left) return;
    const double way_m = cross(after.start - before.start, after.direction) / cross(before.direction, after.direction);
    const Vec2 meeting = before.start + way_m * before.direction;
    if (!is_before_walls(meeting)) return;
    before.length_m = way_m;
    after.length_m = dot(after.end() - meeting, after.direction);
    after.start = meeting;
    take_out(i);
    put_in_queue(p);
    put_in_queue(n);
  }

  void join_by_chord(std::size_t i) {
    const std::size_t p = sides_[i].previous, n = sides_[i].next;
    const bool has_before = sides_[p].bulge == Bulge::into_solid && turn_after(p) < 0;
    const bool has_after = sides_[n].bulge == Bulge::into_solid && turn_after(i) < 0;
    if (!has_before && !has_after) return;
    const bool goes_on = has_after && (!has_before || walls_[n].length_m <= walls_[p].length_m);
    const std::size_t first = goes_on ? i : p, second = goes_on ? n : i;
    Wall chord = wall_between(walls_[first].start, walls_[second].end());
    const double turn_in = std::fabs(turn_between(walls_[sides_[first].previous], chord));
    const double turn_out = std::fabs(turn_between(chord, walls_[sides_[second].next]));
    if (std::max(turn_in, turn_out) > greatest_turn_left || !is_before_walls(0.5 * (chord.start + chord.end()))) return;
    chord.curve_m = walls_[first].curve_m;
    walls_[first] = chord;
    queue_.erase({sides_[second].queued_m, second});
    take_out(second);
    put_in_queue(first);
  }

  void take_out(std::size_t i) {
    sides_[i].is_gone = true;
    sides_[sides_[i].previous].next = sides_[i].next;
    sides_[sides_[i].next].previous = sides_[i].previous;
  }

  const Rings& rings_;
  std::vector<Wall> walls_;
  std::vector<Side> sides_;
  const double least_width_m_, greatest_shift_m_;
  std::set<std::pair<double, std::size_t>> queue_;
};

// How much a closed outline turns to the left within `reach_m` of the end of a wall, rad.
double turn_about_end(const std::vector<Wall>& ring, std::size_t wall, double reach_m) {
  const std::size_t n = ring.size();
  const auto turn_after = [&](std::size_t i) { return turn_between(ring[i % n], ring[(i + 1) % n]); };
  double turn = turn_after(wall);
  double way_m = ring[wall].length_m;
  for (std::size_t k = 1; k < n && way_m < reach_m; ++k) {
    turn += turn_after(wall + n - k);
    way_m += ring[(wall + n - k) % n].length_m;
  }
  way_m = ring[(wall + 1) % n].length_m;
  for (std::size_t k = 1; k < n && way_m < reach_m; ++k) {
    turn += turn_after(wall + k);
    way_m += ring[(wall + k + 1) % n].length_m;
  }
  return turn;
}

void find_narrow_corners(std::vector<Wall>& ring, double least_width_m) {
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (std::max(ring[i].length_m, ring[(i + 1) % ring.size()].length_m) >= least_width_m) continue;
    ring[i].turns_at_end = turn_about_end(ring, i, 0.5 * least_width_m) >= least_corner_turn;
  }
}

}  // namespace

std::vector<Wall> outline_walls(const Prism& prism, const TilingOptions& options) {
  const double height_m = prism.top_z - prism.bottom_z;
  const double least_width_m = std::max(options.min_wall_width_m, options.min_wall_area_m2 / height_m);
  std::vector<Wall> walls;
  for (const Ring& ring : prism.rings) {
    const auto begin = static_cast<std::uint32_t>(walls.size());
    std::vector<Wall> outline =
        CurveMerging(prism.rings, straight_walls(ring), least_width_m, greatest_shift_m(options)).run();
    find_narrow_corners(outline, options.min_wall_width_m);
    for (Wall& wall : outline) {
      wall.next = static_cast<std::uint32_t>(walls.size()) + 1;
      walls.push_back(wall);
    }
    walls.back().next = begin;
  }
  return walls;
}

}  // namespace tesseray
