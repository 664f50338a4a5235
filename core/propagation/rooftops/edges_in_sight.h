// SPDX-License-Identifier: GPL-3.0-or-later
// Where the edges of roofs stand in the profile along a line of sight (docs/physics.md §6).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/geometry/vector.h"
#include "core/physics/diffraction.h"
#include "core/propagation/rooftops/own_roof_in_sight.h"
#include "core/propagation/rooftops/rooftop_bends.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// The straight line of a way in sight and the ground below it, which the way by the ground crosses. Its frame: x along
// it from its beginning, y across; m, as all distances and heights.
class LineOverGround {
 public:
  // `along`: the line's direction over the ground plan and up.
  LineOverGround(const TerrainView& terrain, const RooftopLine& line, Vec2 along)
      : terrain_(terrain), line_(line), along_(along) {}

  const RooftopLine& line() const { return line_; }
  // Over the ground, at a distance over the ground plan; negative where the line is an image's.
  double height_at(double distance) const {
    return line_.height_at(distance) - terrain_.height_at(line_.at(distance)) - line_.bulge_at(distance);
  }
  // The distance over the ground plan of a point in the frame.
  double place_of(Vec2 point) const { return along_.x * point.x - along_.y * point.y; }
  // From an upright distance from the line to one across it, and back.
  double across(double upright_m) const { return upright_m * along_.x; }
  double upright(double across_m) const { return across_m / along_.x; }
  // Of a point in the frame, the one in the vertical plane: x over the ground plan, y up.
  Vec2 in_plane(Vec2 point) const { return {place_of(point), line_.from.z + along_.y * point.x + along_.x * point.y}; }

 private:
  const TerrainView& terrain_;
  const RooftopLine& line_;
  Vec2 along_;
};

// An edge that the vertical plane meets at an angle comes nearest to the line beside the plane, far from where the
// plane meets it if it runs along the line. It stands where the way by it is shortest (its Keller point, or the end of
// the side next to that), as far from the line as a screen across it by which the way is as much longer. Where the line
// is an image's, edges stand as the image has them. As the sine of an edge's angle the profile has the share of the
// upright distance from the line that is left so.
class EdgesNearestToLine {
 public:
  static constexpr double same_height_m = 0.01;

  // The edges past which the line leaves the roofs that its ends stand over, where they come near.
  struct OwnRoofs {
    OwnRoofEdge of_begin, of_end;
  };

  // Keeps references. Farther than `margin_m` below the line nothing counts. Edges at `own_roof_z` stay where the plane
  // meets them. `own_roofs` gets its edges.
  EdgesNearestToLine(const RoofSidesView& sides, const LineOverGround& over_ground, double length_m, double margin_m,
                     bool by_ground, double own_roof_z, OwnRoofs& own_roofs)
      : sides_(sides),
        over_ground_(over_ground),
        line_(over_ground.line()),
        from_(line_.from),
        to_(at_height(line_.at(line_.length_m), line_.end_z)),
        direction_((1 / length_m) * (to_ - from_)),
        length_m_(length_m),
        margin_m_(margin_m),
        by_ground_(by_ground),
        own_roof_z_(own_roof_z),
        own_roofs_(own_roofs) {}

  // False for what does not count.
  bool place(std::uint32_t side, Vec2& point, ProfileEdge& edge) const {
    const double line_z = line_.height_at(point.x);
    if (std::fabs(point.y - own_roof_z_) < same_height_m) return point.y > line_z - over_ground_.upright(margin_m_);
    double edge_z = point.y;
    bool obstructs = edge_z > line_z;
    if (by_ground_) {
      if (const double height = over_ground_.height_at(point.x); height < 0) {
        edge_z = 2 * (line_z - height) - edge_z;
        obstructs = edge_z < line_z;
      }
    }
    const Vec3 nearest = nearest_of(side, edge_z);
    const Vec3 before = nearest - from_, behind = to_ - nearest;
    const double before_m = norm(before), behind_m = norm(behind);
    // Of the lengths along the line; their differences without a loss of digits.
    const double squared_m2 = squared_norm(cross(before, direction_));
    const double longer_m =
        squared_m2 / (before_m + dot(before, direction_)) + squared_m2 / (behind_m + dot(behind, direction_));
    const double part = before_m / (before_m + behind_m);
    const double across_m = std::sqrt(2 * longer_m * part * (1 - part) * length_m_);
    if (!obstructs && !(across_m <= margin_m_)) return false;
    if (!obstructs && edge_z == point.y) {
      if (own_roofs_.of_begin.is_of(edge.roof)) own_roofs_.of_begin.consider(point.x, edge_z, edge, longer_m);
      if (own_roofs_.of_end.is_of(edge.roof)) {
        own_roofs_.of_end.consider(line_.length_m - point.x, edge_z, edge, longer_m);
      }
    }
    const double upright_m = over_ground_.across(std::fabs(edge_z - line_z));
    const double share = upright_m > across_m ? across_m / upright_m : 1;
    point = over_ground_.in_plane({part * length_m_, obstructs ? across_m : -across_m});
    edge.sine_steps = static_cast<std::int16_t>(std::max(share * ProfileEdge::all_steps + 0.5, 1.0));
    return true;
  }

 private:
  Vec3 nearest_of(std::uint32_t side, double edge_z) const {
    const Vec3 begin{sides_.begin_x[side], sides_.begin_y[side], edge_z};
    const Vec2 along{sides_.along_x[side], sides_.along_y[side]};
    const double side_m = norm(along);
    const Vec3 direction = at_height((1 / side_m) * along, 0);
    return begin + std::clamp(keller_point(from_, to_, begin, direction), 0.0, side_m) * direction;
  }

  const RoofSidesView& sides_;
  const LineOverGround& over_ground_;
  const RooftopLine& line_;
  Vec3 from_, to_, direction_;
  double length_m_, margin_m_;
  bool by_ground_;
  double own_roof_z_;
  OwnRoofs& own_roofs_;
};

// The roof in which a tile lies has the tile on its face, not behind its edge. No number for other targets.
inline double own_roof_z(const RooftopTarget& target) {
  return target.normal.z == 1 && !target.is_over_ground ? target.point.z : std::numeric_limits<double>::quiet_NaN();
}
inline bool is_own_roof(const RooftopTarget& target, double edge_z) {
  return std::fabs(edge_z - own_roof_z(target)) < EdgesNearestToLine::same_height_m;
}

}  // namespace tesseray
