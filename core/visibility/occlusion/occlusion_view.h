// SPDX-License-Identifier: GPL-3.0-or-later
// The one exact test of sight: a segment against vertical walls, flat roofs and undersides, and terrain triangles.
//
// Plain functions over spans, for host and device. Every fast way may only leave out what is certain; what is not is
// decided here, so that all ways have the same bits. Coordinates are doubles; an answer is certain but for ties within
// nanometres, and even these are the same on every machine (no fused arithmetic).
//
// Roofs of parts on the ground need no test of their own: below them is solid, so that a segment that passes one also
// passes a wall, ends inside of the part, or comes to a wall from behind. Only parts with air below have a roof and an
// underside to test.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/visibility/occlusion/height_pyramid.h"

namespace tesseray {

// A vertical wall over the side p–q of a footprint; the solid is on its left.
struct WallSide {
  Vec2 p, q;
  double bottom_z = 0, top_z = 0;  // m; bottom −∞ for a part that stands on the ground
};

// A horizontal roof, and the underside of a raised part. Its sides are first_side … end_side − 1 of
// OcclusionView::outlines; those before end_exterior bound it outside, the others are of holes.
struct FlatPart {
  double bottom_z = 0, top_z = 0;  // m; bottom −∞ for a part that stands on the ground
  std::uint32_t first_side = 0, end_exterior = 0, end_side = 0;
};

struct OcclusionView {
  // By cell of `prism_grid`: walls by falling top, parts that the cell touches, and those of them that are raised. What
  // belongs to cell c begins at offsets[c] and ends before offsets[c + 1].
  HeightPyramidView prism_grid;
  const std::uint32_t* wall_offsets = nullptr;
  const WallSide* walls = nullptr;
  const std::uint32_t* part_offsets = nullptr;
  const std::uint32_t* part_items = nullptr;
  const std::uint32_t* raised_offsets = nullptr;
  const std::uint32_t* raised_items = nullptr;
  const FlatPart* parts = nullptr;
  std::uint32_t part_count = 0;
  const WallSide* outlines = nullptr;
  std::uint32_t side_count = 0;
  // One pyramid cell per terrain cell; node (i, j) is terrain_height_m[j · terrain_columns + i].
  HeightPyramidView terrain_grid;
  const float* terrain_height_m = nullptr;
  std::uint32_t terrain_columns = 0;
  double highest_terrain_z = 0, highest_prism_z = 0;  // m; −∞ for none
};

// A segment end may lie this much below the terrain before it counts as buried.
inline constexpr double buried_m = 1e-6;

TESSERAY_HD inline double lower(double a, double b) { return a < b ? a : b; }
TESSERAY_HD inline double higher(double a, double b) { return a > b ? a : b; }

// True when the open segment a–b meets the wall. Touching the wall's end or top counts; an end of the segment that lies
// in the wall's plane does when the segment comes to it from behind, through the solid.
TESSERAY_HD inline bool meets_wall(Vec3 a, Vec3 b, const WallSide& wall) {
  const Vec2 along = b.xy() - a.xy();
  const double side_p = cross(along, wall.p - a.xy()), side_q = cross(along, wall.q - a.xy());
  if ((side_p > 0 && side_q > 0) || (side_p < 0 && side_q < 0)) return false;
  const Vec2 side = wall.q - wall.p;
  const double at_a = cross(side, a.xy() - wall.p), at_b = cross(side, b.xy() - wall.p);
  if ((at_a > 0 && at_b < 0) || (at_a < 0 && at_b > 0)) {
    const double t = at_a / (at_a - at_b);
    const double z = a.z + t * (b.z - a.z);
    return z >= wall.bottom_z && z <= wall.top_z;
  }
  if (at_a != 0 || at_b != 0) {
    const bool is_behind = at_a + at_b > 0, is_beside_corners = side_p != 0 && side_q != 0;
    const double end_z = at_a == 0 ? a.z : b.z;
    return (at_a == 0 || at_b == 0) && is_behind && is_beside_corners && end_z > wall.bottom_z && end_z < wall.top_z;
  }

  // The segment lies in the wall's plane: the part of it over the side.
  const double length2 = dot(side, side);
  const double u_a = dot(a.xy() - wall.p, side) / length2, u_b = dot(b.xy() - wall.p, side) / length2;
  double z_0 = a.z, z_1 = b.z;
  if (u_a == u_b) {
    if (u_a < 0 || u_a > 1) return false;
  } else {
    const double t_p = (0 - u_a) / (u_b - u_a), t_q = (1 - u_a) / (u_b - u_a);
    const double t_first = higher(0.0, lower(t_p, t_q)), t_last = lower(1.0, higher(t_p, t_q));
    if (t_first > t_last) return false;
    z_0 = a.z + t_first * (b.z - a.z);
    z_1 = a.z + t_last * (b.z - a.z);
  }
  return higher(z_0, z_1) >= wall.bottom_z && lower(z_0, z_1) <= wall.top_z;
}

// True when p lies inside the outline (even-odd); a point on a side does not.
TESSERAY_HD inline bool outline_contains(const WallSide* sides, const WallSide* end, Vec2 p) {
  bool inside = false;
  for (const WallSide* side = sides; side != end; ++side) {
    const bool p_above = side->p.y > p.y, q_above = side->q.y > p.y;
    if (p_above == q_above && side->p.y != p.y && side->q.y != p.y) continue;
    const Vec2 low = p_above ? side->q : side->p, high = p_above ? side->p : side->q;
    const double turn = cross(high - low, p - low);
    if (turn == 0 && dot(side->p - p, side->q - p) <= 0) return false;
    if (p_above != q_above && turn > 0) inside = !inside;
  }
  return inside;
}

// True when the open segment passes through the part's outline at height z.
TESSERAY_HD inline bool meets_flat_at(const OcclusionView& view, Vec3 a, Vec3 b, const FlatPart& part, double z) {
  if (!((a.z > z && b.z < z) || (a.z < z && b.z > z))) return false;
  const double t = (z - a.z) / (b.z - a.z);
  const Vec2 p = a.xy() + t * (b.xy() - a.xy());
  return outline_contains(view.outlines + part.first_side, view.outlines + part.end_side, p);
}

// True when the open segment passes through the roof or the underside of a raised part.
TESSERAY_HD inline bool meets_flats(const OcclusionView& view, Vec3 a, Vec3 b, const FlatPart& part) {
  return meets_flat_at(view, a, b, part, part.top_z) || meets_flat_at(view, a, b, part, part.bottom_z);
}

// True when p lies inside a part.
TESSERAY_HD inline bool is_inside_part(const OcclusionView& view, Vec3 p) {
  const HeightPyramidView& grid = view.prism_grid;
  const double x = (p.x - grid.origin.x) / grid.step_x, y = (p.y - grid.origin.y) / grid.step_y;
  if (!(x >= 0 && y >= 0 && x < grid.columns && y < grid.rows)) return false;
  const std::int64_t cell = static_cast<std::int64_t>(y) * grid.columns + static_cast<std::int64_t>(x);
  for (std::uint32_t k = view.part_offsets[cell]; k != view.part_offsets[cell + 1]; ++k) {
    const FlatPart& part = view.parts[view.part_items[k]];
    if (p.z < part.top_z && p.z > part.bottom_z &&
        outline_contains(view.outlines + part.first_side, view.outlines + part.end_side, p.xy())) {
      return true;
    }
  }
  return false;
}

// What stands in a cell that the segment a–b touches: walls, then roofs and undersides, looked at one by one.
class PrismsInCell {
 public:
  enum class Found : std::uint8_t { nothing_yet, nothing, hit };

  PrismsInCell() = default;
  TESSERAY_HD PrismsInCell(const OcclusionView& view, const CellVisit& visit, Vec3 a, Vec3 b)
      : cell_(static_cast<std::int64_t>(visit.j) * view.prism_grid.columns + visit.i),
        wall_(view.wall_offsets[cell_]),
        end_wall_(view.wall_offsets[cell_ + 1]) {
    const double z_in = a.z + visit.t_in * (b.z - a.z), z_out = a.z + visit.t_out * (b.z - a.z);
    z_low_ = lower(z_in, z_out) - pyramid_margin_m;
  }

  // Looks at the next wall that is high enough; behind the last one at all flats.
  TESSERAY_HD Found look(const OcclusionView& view, Vec3 a, Vec3 b) {
    if (wall_ != end_wall_ && !(view.walls[wall_].top_z < z_low_)) {
      return meets_wall(a, b, view.walls[wall_++]) ? Found::hit : Found::nothing_yet;
    }
    for (std::uint32_t k = view.raised_offsets[cell_]; k != view.raised_offsets[cell_ + 1]; ++k) {
      if (meets_flats(view, a, b, view.parts[view.raised_items[k]])) return Found::hit;
    }
    return Found::nothing;
  }

 private:
  std::int64_t cell_ = 0;
  std::uint32_t wall_ = 0, end_wall_ = 0;
  double z_low_ = 0;
};

// True when the segment's lower end lies above all prisms, or above the terrain everywhere.
TESSERAY_HD inline bool is_above_prisms(const OcclusionView& view, Vec3 a, Vec3 b) {
  return lower(a.z, b.z) > view.highest_prism_z;
}
TESSERAY_HD inline bool is_above_terrain(const OcclusionView& view, Vec3 a, Vec3 b) {
  return lower(a.z, b.z) > view.highest_terrain_z;
}

TESSERAY_HD inline bool meets_prism(const OcclusionView& view, Vec3 a, Vec3 b) {
  return !is_above_prisms(view, a, b) && walk_low_cells(view.prism_grid, a, b, [&](const LowCellWalk& walk) {
    PrismsInCell prisms(view, walk.cell(), a, b);
    PrismsInCell::Found found = PrismsInCell::Found::nothing_yet;
    while (found == PrismsInCell::Found::nothing_yet) found = prisms.look(view, a, b);
    return found == PrismsInCell::Found::hit;
  });
}

// The terrain's height in cell (i, j) at fractions fx, fy of it; its diagonal runs from south-west to north-east.
TESSERAY_HD inline double terrain_height(const OcclusionView& view, std::int32_t i, std::int32_t j, double fx,
                                         double fy) {
  fx = fx < 0 ? 0 : fx > 1 ? 1 : fx;
  fy = fy < 0 ? 0 : fy > 1 ? 1 : fy;
  const float* south = view.terrain_height_m + static_cast<std::int64_t>(j) * view.terrain_columns + i;
  const float* north = south + view.terrain_columns;
  const double sw = static_cast<double>(south[0]), se = static_cast<double>(south[1]);
  const double nw = static_cast<double>(north[0]), ne = static_cast<double>(north[1]);
  return fx >= fy ? sw + fx * (se - sw) + fy * (ne - se) : sw + fy * (nw - sw) + fx * (ne - nw);
}

// True when a segment is below the terrain somewhere in the cell that its walk has come to.
TESSERAY_HD inline bool meets_terrain_in(const OcclusionView& view, const LowCellWalk& walk) {
  const CellVisit& visit = walk.cell();
  const Vec3 &start = walk.start(), &delta = walk.delta();
  // Over a cell the clearance is linear between the cell's sides and its diagonal.
  const double x = start.x - visit.i, y = start.y - visit.j;
  const auto meets_at = [&](double t) {
    const double clearance =
        start.z + t * delta.z - terrain_height(view, visit.i, visit.j, x + t * delta.x, y + t * delta.y);
    return t > 0 && t < 1 ? clearance <= 0 : clearance < -buried_m;
  };
  if (meets_at(visit.t_in) || meets_at(visit.t_out)) return true;
  const double turn = delta.x - delta.y;
  const double side_in = x - y + visit.t_in * turn, side_out = x - y + visit.t_out * turn;
  if ((side_in > 0 && side_out < 0) || (side_in < 0 && side_out > 0)) {
    const double t = (y - x) / turn;
    return meets_at(t < visit.t_in ? visit.t_in : t > visit.t_out ? visit.t_out : t);
  }
  return false;
}

// Below the terrain is solid: true when the segment is not above it everywhere over the grid. Only a stretch of it is
// looked at where one is given.
TESSERAY_HD inline bool meets_terrain(const OcclusionView& view, Vec3 a, Vec3 b, Stretch stretch = {}) {
  return !is_above_terrain(view, a, b) &&
         walk_low_cells(
             view.terrain_grid, a, b, [&](const LowCellWalk& walk) { return meets_terrain_in(view, walk); }, stretch);
}

// The two ends of a segment in an order that does not depend on which was named first.
struct OrderedEnds {
  Vec3 first, second;
};
TESSERAY_HD inline OrderedEnds ordered_ends(Vec3 a, Vec3 b) {
  const bool swap = b.x != a.x ? b.x < a.x : b.y != a.y ? b.y < a.y : b.z < a.z;
  return swap ? OrderedEnds{b, a} : OrderedEnds{a, b};
}

// True when nothing is on the open segment a–b, whose ends lie in no part. Symmetric bit for bit.
TESSERAY_HD inline bool path_is_free(const OcclusionView& view, Vec3 a, Vec3 b) {
  const auto [first, second] = ordered_ends(a, b);
  return !meets_prism(view, first, second) && !meets_terrain(view, first, second);
}

// The same of buildings alone.
TESSERAY_HD inline bool path_is_free_of_buildings(const OcclusionView& view, Vec3 a, Vec3 b) {
  const auto [first, second] = ordered_ends(a, b);
  return !meets_prism(view, first, second);
}

// As path_is_free, for any ends: one that lies in a part sees nothing.
TESSERAY_HD inline bool segment_is_free(const OcclusionView& view, Vec3 a, Vec3 b) {
  return !is_inside_part(view, a) && !is_inside_part(view, b) && path_is_free(view, a, b);
}

}  // namespace tesseray
