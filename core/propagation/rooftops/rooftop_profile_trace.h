// SPDX-License-Identifier: GPL-3.0-or-later
// The profile between two points of a vertical plane, for host and device (rooftop_profiles.h says what is in it).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/geometry/vector.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/propagation/rooftops/side_crossings.h"
#include "core/propagation/rooftops/terrain_bends.h"

namespace tesseray {

// Edges nearer to each other than this act as the higher one: those of the thinnest walls, and of gaps and steps that
// maps have by their roundings.
inline constexpr double least_roof_gap_m = 0.15;
// Nearer to its ends than this the plane crosses what the ends stand on, or hang at, unless a building stands between
// the ends there.
inline constexpr double end_clearance_m = 0.01;

// Edges stand where the plane crosses them.
struct EdgesWhereCrossed {
  // Whether an edge counts, and where: `point` is where it is crossed at first.
  TESSERAY_HD bool place(std::uint32_t /*side*/, Vec2& /*point*/, ProfileEdge& /*edge*/) const { return true; }
};

// One trace. Row: ProfileRow. Crossings: SideCrossingsInTurn, or the same in vectors. Places: EdgesWhereCrossed, or
// what says it otherwise.
template <class Row, class Crossings = SideCrossingsInTurn, class Places = EdgesWhereCrossed>
class RooftopProfileTrace {
 public:
  TESSERAY_HD RooftopProfileTrace(const RooftopSceneView& scene, const RooftopLine& line, Row& row,
                                  const Places& places = {})
      : scene_(scene), line_(line), row_(row), places_(places) {}

  // False when the row has no room; it then holds nothing of use.
  TESSERAY_HD bool run() {
    row_.clear();
    row_.push({0, line_.from.z}, {});
    add_sides();
    add_terrain();
    return finish();
  }
  // The same without the terrain, but for points of it.
  TESSERAY_HD bool run_over_roofs(std::span<const Vec2> ground = {}) {
    row_.clear();
    row_.push({0, line_.from.z}, {});
    add_sides();
    add_points(ground);
    return finish();
  }
  TESSERAY_HD bool run_over_ground(std::span<const Vec2> ground) {
    row_.clear();
    row_.push({0, line_.from.z}, {});
    add_points(ground);
    return finish();
  }

 private:
  TESSERAY_HD bool finish() {
    if (row_.has_overflowed()) return false;
    sort();
    thin_out();
    row_.push({line_.length_m, line_.end_z}, {});
    return !row_.has_overflowed();
  }

  static constexpr double ground_clearance_m = 0.3;
  // By so much a wall beside an end rises above it at least, where a building stands between the ends there.
  static constexpr double least_rise_m = 1e-3;
  // A side on which an end lies is crossed there, whichever way the crossing is rounded.
  static constexpr double rounding_m = 1e-6;
  // Crests that stand out by less than so many metres are left out again, or than so much of the earth's bulge where
  // that is less: over flat ground there is one at each sample of it.
  static constexpr double least_crest_m = 0.1, least_crest_of_bulge = 0.25;

  TESSERAY_HD static double smaller(double a, double b) { return b < a ? b : a; }
  TESSERAY_HD static double larger(double a, double b) { return a < b ? b : a; }

  // Where the line leaves cell `cell` of a row or column of cells.
  TESSERAY_HD static double next_border(double place, double direction, double origin, double step, std::int32_t cell) {
    if (direction == 0) return infinity;
    const double border = origin + step * (direction > 0 ? cell + 1 : cell);
    return (border - place) / direction;
  }

  // From border to border of the cells, in the order of their distances.
  TESSERAY_HD void add_sides() {
    if (scene_.side_count == 0) return;
    const CellGrid& grid = scene_.grid;
    const double most_bulge_m = line_.bulge_at(0.5 * line_.length_m);
    const Vec2 start = line_.from.xy();
    std::int32_t i = grid.column(start.x), j = grid.row(start.y);
    const std::int32_t step_i = line_.direction.x > 0 ? 1 : -1, step_j = line_.direction.y > 0 ? 1 : -1;
    const auto add = [this](std::uint32_t side, double distance) { add_side(side, distance); };
    Crossings crossings(scene_.sides, line_);
    double begin = 0;
    while (begin < line_.length_m) {
      const double to_x = next_border(start.x, line_.direction.x, grid.origin.x, grid.step_m, i);
      const double to_y = next_border(start.y, line_.direction.y, grid.origin.y, grid.step_m, j);
      const double end = smaller(line_.length_m, larger(begin, smaller(to_x, to_y)));
      const std::size_t cell = grid.index(i, j);
      const double lowest_m = smaller(line_.floor_at(begin), line_.floor_at(end));
      if (scene_.top_of_cell[cell] + most_bulge_m >= lowest_m) {
        const SidesOnLine sides{scene_.first_of_cell[cell], scene_.first_of_cell[cell + 1],
                                begin > 0 ? begin : -rounding_m, end < line_.length_m ? end : end + rounding_m};
        crossings.visit(sides, add);
      }
      if (to_x < to_y) {
        i += step_i;
      } else {
        j += step_j;
      }
      if (i < 0 || j < 0 || i >= grid.columns || j >= grid.rows) break;
      begin = end;
    }
    crossings.visit_rest(add);
  }

  TESSERAY_HD void add_points(std::span<const Vec2> ground) {
    for (const Vec2 point : ground) row_.push(point, {scene_.ground_material});
  }

  TESSERAY_HD void add_side(std::uint32_t side, double distance) {
    const double top_z = scene_.sides.top_z[side] + line_.bulge_at(distance);
    if (top_z < line_.floor_at(distance)) return;
    const double clear = larger(end_clearance_m, smaller(distance, line_.length_m - end_clearance_m));
    if (distance != clear && !stands_between(side, distance)) return;
    Vec2 point{clear, top_z};
    ProfileEdge edge{scene_.sides.material[side], sine_steps(side), scene_.sides.roof[side]};
    if (places_.place(side, point, edge)) row_.push(point, edge);
  }

  TESSERAY_HD Vec2 along_of(std::uint32_t side) const {
    return {scene_.sides.along_x[side], scene_.sides.along_y[side]};
  }

  // Of the side across the line.
  TESSERAY_HD std::int16_t sine_steps(std::uint32_t side) const {
    const Vec2 along = along_of(side);
    const double turn = cross(line_.direction, along);
    const double exact = ProfileEdge::all_steps * std::fabs(turn) / norm(along);
    const auto steps = static_cast<std::int16_t>(smaller(exact + 0.5, ProfileEdge::all_steps));
    return (turn < 0) == (dot(line_.direction, along) < 0) ? steps : static_cast<std::int16_t>(-steps);
  }

  // Whether a side beside an end, which it rises above, is where the line goes into the building from the start, or
  // comes out of it to the end.
  TESSERAY_HD bool stands_between(std::uint32_t side, double distance) const {
    const bool at_start = distance < 0.5 * line_.length_m;
    const double end_z = at_start ? line_.from.z : line_.end_z;
    return scene_.sides.top_z[side] + line_.bulge_at(distance) > end_z + least_rise_m &&
           leads_inside(side, line_.at(distance), at_start ? line_.direction : -1.0 * line_.direction);
  }

  // Whether a way from a place on a side goes on into its building. At a corner both sides say so together: what goes
  // in past one of them, as if that went on, may pass the corner outside.
  TESSERAY_HD bool leads_inside(std::uint32_t side, Vec2 place, Vec2 direction) const {
    const RoofSidesView& sides = scene_.sides;
    const Vec2 along = along_of(side);
    const Vec2 before{sides.before_x[side], sides.before_y[side]}, after{sides.after_x[side], sides.after_y[side]};
    const Vec2 from_begin = place - Vec2{sides.begin_x[side], sides.begin_y[side]};
    const bool at_begin = norm(from_begin) < end_clearance_m, at_end = norm(from_begin - along) < end_clearance_m;
    if (!at_begin && !at_end) return leads_left(along, direction);
    return (!at_begin || leads_into_corner(before, along, direction)) &&
           (!at_end || leads_into_corner(along, after, direction));
  }

  // Of two sides, one after the other.
  TESSERAY_HD static bool leads_into_corner(Vec2 first, Vec2 second, Vec2 direction) {
    const bool left_of_first = leads_left(first, direction), left_of_second = leads_left(second, direction);
    return cross(first, second) > 0 ? left_of_first && left_of_second : left_of_first || left_of_second;
  }

  // And not along the side, but for rounding.
  TESSERAY_HD static bool leads_left(Vec2 along, Vec2 direction) {
    constexpr double least_sine = 1e-6;
    return cross(along, direction) > least_sine * norm(along);
  }

  // Appends the vertices of the terrain's upper hull.
  TESSERAY_HD void add_terrain() {
    const TerrainView& terrain = scene_.terrain;
    const std::uint32_t first = row_.size();
    row_.push({0, line_.from.z}, {});
    const double begin = larger(ground_clearance_m, line_.begin_below(scene_.highest_ground_m));
    const double end = smaller(line_.length_m - ground_clearance_m, line_.end_below(scene_.highest_ground_m));
    TerrainBends bends(terrain, line_, begin);
    TerrainBlocksOnLine blocks(scene_.terrain_blocks, terrain, line_, begin);
    for (double at = begin; at < end; blocks.go_on()) {
      const double block_end = smaller(end, larger(at, blocks.end()));
      if (may_reach_line(blocks.highest_m(), at, block_end)) {
        add_terrain_up_to(block_end, bends, first);
      } else {
        bends.skip_to(block_end);
      }
      at = block_end;
    }
    add_to_hull(first, {line_.length_m, line_.height_at(line_.length_m)});
    if (row_.has_overflowed()) return;
    keep_crests(first);
  }

  // Whether terrain of such a height may between two distances.
  TESSERAY_HD bool may_reach_line(double highest_m, double begin, double end) const {
    // A place counts to the next block by rounding.
    constexpr double beside_m = 0.01;
    const double most_m = highest_m + line_.bulge_at(0.5 * line_.length_m) + beside_m;
    return most_m >= smaller(line_.height_at(begin), line_.height_at(end));
  }

  TESSERAY_HD void add_terrain_up_to(double end, TerrainBends& bends, std::uint32_t first) {
    for (double distance = bends.distance(); distance < end; distance = bends.distance()) {
      bends.pass(distance);
      const double height = scene_.terrain.height_at(line_.at(distance)) + line_.bulge_at(distance);
      // What is below the line between the hull's ends is no vertex of it.
      if (height >= line_.height_at(distance)) add_to_hull(first, {distance, height});
    }
  }

  TESSERAY_HD void add_to_hull(std::uint32_t first, Vec2 point) {
    // But for rounding.
    constexpr double straight_m2 = 1e-4;
    while (row_.size() > first + 1 && cross(row_.back() - row_[row_.size() - 2], point - row_.back()) >= -straight_m2) {
      row_.shorten(row_.size() - 1);
    }
    row_.push(point, {not_kept});
  }

  // Of the hull that begins at `first`, its ends are left out, and what hardly stands out.
  TESSERAY_HD void keep_crests(std::uint32_t first) {
    const std::uint32_t last = row_.size() - 1;
    row_.set_material(last, kept);
    mark_crests(first, last);
    std::uint32_t end = first;
    for (std::uint32_t h = first + 1; h < last; ++h) {
      if (row_.material(h) == kept) row_.set(end++, row_[h], {scene_.ground_material});
    }
    row_.shorten(end);
  }

  // Between points of the hull that are kept, the one that stands out most, if by more than the least, and so on.
  TESSERAY_HD void mark_crests(std::uint32_t first, std::uint32_t last) {
    const double least_m = smaller(least_crest_m, least_crest_of_bulge * line_.bulge_at(0.5 * line_.length_m));
    while (first != last) {
      std::uint32_t next = first + 1;
      while (row_.material(next) != kept) ++next;
      const Vec2 way = row_[next] - row_[first];
      std::uint32_t highest = first;
      double height_m = least_m;
      for (std::uint32_t h = first + 1; h < next; ++h) {
        const Vec2 here = row_[h] - row_[first];
        const double above_m = here.y - way.y * here.x / way.x;
        if (above_m <= height_m) continue;
        height_m = above_m;
        highest = h;
      }
      if (highest == first) {
        first = next;
      } else {
        row_.set_material(highest, kept);
      }
    }
  }

  TESSERAY_HD static bool is_before(Vec2 a, ProfileEdge edge_a, Vec2 b, ProfileEdge edge_b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : edge_a.material < edge_b.material;
  }

  // By insertion: what cells gave lies nearly in order.
  TESSERAY_HD void sort() {
    for (std::uint32_t k = 2; k < row_.size(); ++k) {
      const Vec2 point = row_[k];
      const ProfileEdge edge = row_.edge(k);
      std::uint32_t place = k;
      for (; place > 1 && is_before(point, edge, row_[place - 1], row_.edge(place - 1)); --place) {
        row_.set(place, row_[place - 1], row_.edge(place - 1));
      }
      if (place != k) row_.set(place, point, edge);
    }
  }

  // What edges that act as one have of each: the same from either end. Of the roof of the one nearer to its end of the
  // line, which may stand over that roof.
  TESSERAY_HD ProfileEdge of_both(double first_m, ProfileEdge first, double second_m, ProfileEdge second) const {
    const bool is_first = first_m < line_.length_m - second_m;
    ProfileEdge both = is_first ? first : second;
    const ProfileEdge other = is_first ? second : first;
    if (other.sine() > both.sine()) both.sine_steps = other.sine_steps;
    return both;
  }

  // Leaves the higher ones of edges that are near each other, the same from either end: from the highest down, each one
  // takes away the lower ones near it. One that is taken away takes none.
  TESSERAY_HD void thin_out() {
    const std::uint32_t size = row_.size();
    std::uint32_t kept_end = 1;
    for (std::uint32_t begin = 1, end = 1; begin < size; begin = end) {
      do ++end;
      while (end < size && are_near(end - 1, end));
      if (end - begin > 1) thin_out_group(begin, end);
      for (std::uint32_t k = begin; k < end; ++k) {
        if (row_[k].y != taken_away) row_.set(kept_end++, row_[k], row_.edge(k));
      }
    }
    row_.shorten(kept_end);
  }

  // Of points to which none other is near.
  TESSERAY_HD void thin_out_group(std::uint32_t begin, std::uint32_t end) {
    for (double height = highest_below(infinity, begin, end); height != taken_away;
         height = highest_below(height, begin, end)) {
      for (std::uint32_t k = begin; k < end; ++k) {
        if (row_[k].y == height) take_lower_ones_away(k, begin, end);
      }
      join_even_ones(height, begin, end);
    }
  }

  TESSERAY_HD double highest_below(double height, std::uint32_t begin, std::uint32_t end) const {
    double highest = taken_away;
    for (std::uint32_t k = begin; k < end; ++k) {
      if (row_[k].y < height) highest = larger(highest, row_[k].y);
    }
    return highest;
  }

  TESSERAY_HD void take_away(std::uint32_t k) { row_.set(k, {row_[k].x, taken_away}, row_.edge(k)); }

  TESSERAY_HD bool are_near(std::uint32_t a, std::uint32_t b) const {
    return std::fabs(row_[b].x - row_[a].x) < least_roof_gap_m;
  }

  TESSERAY_HD void take_lower_ones_away(std::uint32_t higher, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t k = begin; k < end; ++k) {
      if (row_[k].y < row_[higher].y && are_near(k, higher)) take_away(k);
    }
  }

  // Those of one height of which each is near the next one, in their middle.
  TESSERAY_HD void join_even_ones(double height, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t first = begin; first < end; ++first) {
      if (row_[first].y != height) continue;
      const double first_m = row_[first].x;
      ProfileEdge joined = row_.edge(first);
      std::uint32_t last = first;
      for (std::uint32_t k = first + 1; k < end; ++k) {
        if (row_[k].y != height) continue;
        if (!are_near(last, k)) break;
        joined = of_both(first_m, joined, row_[k].x, row_.edge(k));
        take_away(last);
        last = k;
      }
      row_.set(last, {0.5 * (first_m + row_[last].x), height}, joined);
      first = last;
    }
  }

  // Of points of the hull, in place of a material.
  static constexpr std::uint16_t not_kept = 0, kept = 1;
  // In place of the height of an edge that a higher one takes away.
  static constexpr double taken_away = -infinity;

  const RooftopSceneView& scene_;
  const RooftopLine& line_;
  Row& row_;
  Places places_;
};

}  // namespace tesseray
