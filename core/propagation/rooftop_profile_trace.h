// SPDX-License-Identifier: GPL-3.0-or-later
// The profile between two points of a vertical plane, for host and device (rooftop_profiles.h says what is in it).
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/geometry/vector.h"
#include "core/propagation/rooftop_scene_view.h"

namespace tesseray {

// Edges nearer to each other than this act as the higher one.
inline constexpr double least_roof_gap_m = 2.0;

// The straight line between two points, over the ground plan.
struct RooftopLine {
  // Of the earth under a standard atmosphere (ITU-R P.526): 4/3 of its own. Nearer than this it counts as flat.
  static constexpr double earth_radius_m = 8.5e6, flat_within_m = 5000.0;

  Vec3 from;
  Vec2 direction;  // unit
  double length_m = 0, slope = 0, end_z = 0, margin_m = 0;

  TESSERAY_HD RooftopLine(Vec3 begin, Vec3 end, double margin) : from(begin), end_z(end.z), margin_m(margin) {
    const Vec2 way = end.xy() - begin.xy();
    length_m = norm(way);
    direction = (1.0 / length_m) * way;
    slope = (end.z - begin.z) / length_m;
  }
  TESSERAY_HD bool is_curved() const { return length_m > flat_within_m; }
  // By how much the ground at a distance rises over the straight line in a plane in which the earth is flat.
  TESSERAY_HD double bulge_at(double distance) const {
    return is_curved() ? distance * (length_m - distance) / (2.0 * earth_radius_m) : 0.0;
  }
  TESSERAY_HD Vec2 at(double distance) const { return from.xy() + distance * direction; }
  // Below this nothing counts.
  TESSERAY_HD double floor_at(double distance) const { return from.z + slope * distance - margin_m; }
};

// One trace. Row: ProfileRow.
template <class Row>
class RooftopProfileTrace {
 public:
  // Ends at the first side of a roof whose clearance² over the product of its distances to both ends is `most_rise`.
  TESSERAY_HD RooftopProfileTrace(const RooftopSceneView& scene, const RooftopLine& line, Row& row,
                                  double most_rise = infinity)
      : scene_(scene), line_(line), row_(row), most_rise_(most_rise) {}

  // False when it ended early, or when the row has no room; the row then holds nothing of use.
  TESSERAY_HD bool run() {
    row_.clear();
    row_.push({0, line_.from.z}, 0);
    add_sides();
    if (has_risen_) return false;
    add_terrain();
    return finish();
  }
  // The same without the terrain.
  TESSERAY_HD bool run_over_roofs() {
    row_.clear();
    row_.push({0, line_.from.z}, 0);
    add_sides();
    return !has_risen_ && finish();
  }
  // Whether it ended at such a side.
  TESSERAY_HD bool has_risen() const { return has_risen_; }

 private:
  TESSERAY_HD bool finish() {
    if (row_.has_overflowed()) return false;
    sort();
    thin_out();
    row_.push({line_.length_m, line_.end_z}, 0);
    return !row_.has_overflowed();
  }

  // Nearer to its ends than this the plane crosses what the ends stand on, or hang at.
  static constexpr double end_clearance_m = 0.01, ground_clearance_m = 0.3;
  // The earth's bulge is sampled as densely as this, and crests that stand out by less are left out again.
  static constexpr double bulge_step_m = 500.0, least_crest_m = 0.1;

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
    double begin = 0;
    while (begin < line_.length_m) {
      const double to_x = next_border(start.x, line_.direction.x, grid.origin.x, grid.step_m, i);
      const double to_y = next_border(start.y, line_.direction.y, grid.origin.y, grid.step_m, j);
      const double end = smaller(line_.length_m, larger(begin, smaller(to_x, to_y)));
      add_cell(grid.index(i, j), begin, end, most_bulge_m);
      if (has_risen_) return;
      if (to_x < to_y) {
        i += step_i;
      } else {
        j += step_j;
      }
      if (i < 0 || j < 0 || i >= grid.columns || j >= grid.rows) return;
      begin = end;
    }
  }

  TESSERAY_HD void add_cell(std::size_t cell, double begin, double end, double most_bulge_m) {
    const double lowest_m = smaller(line_.floor_at(begin), line_.floor_at(end));
    if (scene_.top_of_cell[cell] + most_bulge_m < lowest_m) return;
    const std::uint32_t end_side = scene_.first_of_cell[cell + 1];
    for (std::uint32_t k = scene_.first_of_cell[cell]; k < end_side; ++k) {
      const RoofSide& side = scene_.sides[k];
      if (side.top_z + most_bulge_m < lowest_m) continue;
      const double across = cross(line_.direction, side.along);
      const Vec2 way = side.begin - line_.from.xy();
      // The line crosses at this part of `across` along the side: most sides are passed by.
      const double place = cross(way, line_.direction);
      if (across == 0 || (across > 0 ? place < 0 || place > across : place > 0 || place < across)) continue;
      const double distance = cross(way, side.along) / across;
      // A crossing belongs to one cell alone, by its distance.
      if (distance < begin || distance >= end) continue;
      if (distance < end_clearance_m || distance > line_.length_m - end_clearance_m) continue;
      const double top_z = side.top_z + line_.bulge_at(distance);
      if (top_z < line_.floor_at(distance)) continue;
      if (rises_too_high(top_z - (line_.from.z + line_.slope * distance), distance)) {
        has_risen_ = true;
        return;
      }
      row_.push({distance, top_z}, side.material);
    }
  }

  // The distances are along the legs, which are longer near an end below the side; so near one, another edge may stand
  // for the side.
  TESSERAY_HD bool rises_too_high(double clearance, double distance) const {
    const double left = line_.length_m - distance, squared = clearance * clearance;
    if (!(clearance > 0 && squared > most_rise_ * (distance * left))) return false;
    const double before = larger(distance, least_roof_gap_m), after = larger(left, least_roof_gap_m);
    return squared > most_rise_ * std::sqrt((before * before + squared) * (after * after + squared));
  }

  // Appends the vertices of the terrain's upper hull.
  TESSERAY_HD void add_terrain() {
    const TerrainView& terrain = scene_.terrain;
    const double sampled = 0.5 * smaller(terrain.step_x, terrain.step_y);
    const double step = smaller(sampled, line_.is_curved() ? bulge_step_m : infinity);
    const auto steps = static_cast<std::int64_t>(std::floor(line_.length_m / step));
    const std::uint32_t first = row_.size();
    row_.push({0, line_.from.z}, 0);
    for (std::int64_t s = 1; s < steps; ++s) {
      const double distance = static_cast<double>(s) * step;
      const double bulge_m = line_.bulge_at(distance);
      // Where the line is above all ground there is no crest.
      if (line_.floor_at(distance) > scene_.highest_ground_m + bulge_m) continue;
      if (line_.length_m - distance < ground_clearance_m) continue;
      const double height = terrain.height_at(line_.at(distance)) + bulge_m;
      if (height >= line_.floor_at(distance)) add_to_hull(first, {distance, height});
    }
    add_to_hull(first, {line_.length_m, line_.from.z + line_.slope * line_.length_m});
    if (row_.has_overflowed()) return;
    keep_crests(first);
  }

  TESSERAY_HD void add_to_hull(std::uint32_t first, Vec2 point) {
    while (row_.size() > first + 1 && cross(row_.back() - row_[row_.size() - 2], point - row_.back()) >= 0) {
      row_.shorten(row_.size() - 1);
    }
    row_.push(point, not_kept);
  }

  // Of the hull that begins at `first`, its ends are left out; over a curved earth, also what hardly stands out.
  TESSERAY_HD void keep_crests(std::uint32_t first) {
    const std::uint32_t last = row_.size() - 1;
    if (line_.is_curved()) {
      row_.set_material(last, kept);
      mark_crests(first, last);
    }
    std::uint32_t end = first;
    for (std::uint32_t h = first + 1; h < last; ++h) {
      if (!line_.is_curved() || row_.material(h) == kept) row_.set(end++, row_[h], scene_.ground_material);
    }
    row_.shorten(end);
  }

  // Between points of the hull that are kept, the one that stands out most, if by more than least_crest_m, and so on.
  TESSERAY_HD void mark_crests(std::uint32_t first, std::uint32_t last) {
    while (first != last) {
      std::uint32_t next = first + 1;
      while (row_.material(next) != kept) ++next;
      const Vec2 way = row_[next] - row_[first];
      std::uint32_t highest = first;
      double height_m = least_crest_m;
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

  TESSERAY_HD static bool is_before(Vec2 a, std::uint16_t material_a, Vec2 b, std::uint16_t material_b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : material_a < material_b;
  }

  // By insertion: what cells gave lies nearly in order.
  TESSERAY_HD void sort() {
    for (std::uint32_t k = 2; k < row_.size(); ++k) {
      const Vec2 point = row_[k];
      const std::uint16_t material = row_.material(k);
      std::uint32_t place = k;
      for (; place > 1 && is_before(point, material, row_[place - 1], row_.material(place - 1)); --place) {
        row_.set(place, row_[place - 1], row_.material(place - 1));
      }
      if (place != k) row_.set(place, point, material);
    }
  }

  // Leaves the higher one of edges that are near each other.
  TESSERAY_HD void thin_out() {
    std::uint32_t end = 1;
    double group_begin = 0;
    const std::uint32_t size = row_.size();
    for (std::uint32_t k = 1; k < size; ++k) {
      const Vec2 point = row_[k];
      if (end > 1 && point.x - row_[end - 1].x < least_roof_gap_m) {
        if (point.y < row_[end - 1].y) continue;
        if (point.y == row_[end - 1].y) {
          // The same from either end.
          row_.set_x(end - 1, 0.5 * (group_begin + point.x));
          continue;
        }
        --end;
      }
      group_begin = point.x;
      row_.set(end++, point, row_.material(k));
    }
    row_.shorten(end);
  }

  // Of points of the hull, in place of a material.
  static constexpr std::uint16_t not_kept = 0, kept = 1;

  const RooftopSceneView& scene_;
  const RooftopLine& line_;
  Row& row_;
  double most_rise_;
  bool has_risen_ = false;
};

}  // namespace tesseray
