// SPDX-License-Identifier: GPL-3.0-or-later
// A diffracting edge segment mirrored in a tile: which targets its wave reaches by way of the tile.
#pragma once

#include "core/propagation/rays/virtual_source.h"
#include "core/propagation/rows/row_targets.h"

namespace tesseray {

// The part of an edge's line from which a wave meets a tile, by axial coordinates from the edge's midpoint.
struct LitPart {
  double low = 0, high = 0;
  TESSERAY_HD bool empty() const { return !(low <= high); }
};

// The Keller points of all rays that meet the tile lie in it; it may be longer. REQUIRES: source.is_edge().
//
// A ray runs straight on from its Keller point, so that point is the one of where the ray meets the tile. It depends on
// that place's axial coordinate and distance from the line, on each of them in one sense.
TESSERAY_HD inline LitPart lit_part(const VirtualSource& source, const Tile& tile) {
  const Vec3 to_source = source.point - source.edge_midpoint;
  const double z_source = dot(to_source, source.edge_direction);
  const double rho_source = norm(to_source - z_source * source.edge_direction);
  const Vec3 way = tile.centroid - source.edge_midpoint;
  const double z = dot(way, source.edge_direction);
  const double rho = norm(way - z * source.edge_direction);
  const double along =
      std::fabs(dot(tile.half_u, source.edge_direction)) + std::fabs(dot(tile.half_v, source.edge_direction));
  const double across = norm(tile.half_u) + norm(tile.half_v);
  LitPart part{source.edge_half_length_m, -source.edge_half_length_m};
  for (const double z_tile : {z - along, z + along}) {
    for (const double rho_tile : {std::fmax(rho - across, 0.0), rho + across}) {
      const double sum = rho_source + rho_tile;
      const double keller = sum > 0 ? (z_source * rho_tile + z_tile * rho_source) / sum : z_tile;
      part.low = std::fmin(part.low, keller);
      part.high = std::fmax(part.high, keller);
    }
  }
  const double margin = 1e-6 * (1.0 + std::fabs(z_source) + std::fabs(z) + along);
  return {std::fmax(part.low - margin, -source.edge_half_length_m),
          std::fmin(part.high + margin, source.edge_half_length_m)};
}

// The same for a wave over the roofs, by the vertical planes through the antenna and the tile.
TESSERAY_HD inline LitPart lit_part_in_planes(const VirtualSource& source, Vec3 antenna, const Tile& tile) {
  const Vec2 along = source.edge_direction.xy(), to_edge = source.edge_midpoint.xy() - antenna.xy();
  const double half_m = source.edge_half_length_m, aside = cross(along, tile.centroid.xy() - antenna.xy());
  LitPart part{half_m, -half_m};
  for (const double u : {-1.0, 1.0}) {
    for (const double v : {-1.0, 1.0}) {
      const Vec2 way = (tile.centroid + u * tile.half_u + v * tile.half_v).xy() - antenna.xy();
      const double across = cross(along, way);
      // Such a tile lies beside the antenna: any of its planes may be meant.
      if (!(across * aside > 0)) return {-half_m, half_m};
      const double z = -cross(to_edge, way) / across;
      part.low = std::fmin(part.low, z);
      part.high = std::fmax(part.high, z);
    }
  }
  const double margin = 1e-6 * (1.0 + std::fabs(part.low) + std::fabs(part.high));
  return {std::fmax(part.low - margin, -half_m), std::fmin(part.high + margin, half_m)};
}

// Prepared once per tube: the interval search knows the segment's ends only, and of its candidates few are hit.
class EdgeImage {
 public:
  // REQUIRES: image.is_edge().
  TESSERAY_HD EdgeImage(const VirtualSource& image, const TileFrame& frame)
      : frame_(frame),
        midpoint_(image.edge_midpoint),
        direction_(image.edge_direction),
        half_length_m_(image.edge_half_length_m),
        midpoint_in_frame_(frame.coordinates(image.edge_midpoint)),
        direction_in_frame_(frame.coordinates(frame.centroid + image.edge_direction)) {
    const Vec3 to_source = image.point - midpoint_;
    z_source_ = dot(to_source, direction_);
    rho_source_ = norm(to_source - z_source_ * direction_);
  }
  // Of a wave over the roofs, which comes to each tile over an edge of its own, across the vertical plane of antenna
  // and tile. Which of two neighbours meets a ray is told by what both have: the ray's own vertical plane. `antenna`
  // and `up` are mirrored, too.
  TESSERAY_HD EdgeImage(const VirtualSource& image, const TileFrame& frame, Vec3 antenna, Vec3 up)
      : EdgeImage(image, frame) {
    in_planes_ = true;
    antenna_ = antenna;
    up_ = up;
  }

  // True when the ray from its point on the segment to `point` meets the tile. Edges nearer than
  // `least_height_m` to the tile's plane reach nothing.
  TESSERAY_HD bool reaches(Vec3 point, double least_height_m) const {
    const double z = in_planes_ ? in_vertical_plane(point) : in_keller_cone(point);
    if (!(z > -half_length_m_ && z <= half_length_m_)) return false;
    const Vec3 from = midpoint_in_frame_ + z * direction_in_frame_, to = frame_.coordinates(point);
    if (from.z > -least_height_m) return false;
    const double share = -from.z / (to.z - from.z);
    const double u = in_steps(from.x + share * (to.x - from.x)), v = in_steps(from.y + share * (to.y - from.y));
    return u > -1 && u <= 1 && v > -1 && v <= 1;
  }

 private:
  // Axial coordinates of where the ray to a point leaves the edge's line; no number where it never does.
  TESSERAY_HD double in_keller_cone(Vec3 point) const {
    const Vec3 way = point - midpoint_;
    const double z_point = dot(way, direction_);
    const double rho_point = norm(way - z_point * direction_);
    return (z_source_ * rho_point + z_point * rho_source_) / (rho_source_ + rho_point);
  }
  TESSERAY_HD double in_vertical_plane(Vec3 point) const {
    const Vec3 across = cross(point - antenna_, up_);
    return dot(across, antenna_ - midpoint_) / dot(across, direction_);
  }

  const TileFrame& frame_;
  Vec3 midpoint_, direction_;
  double half_length_m_;
  Vec3 midpoint_in_frame_, direction_in_frame_;
  double z_source_ = 0, rho_source_ = 0;
  bool in_planes_ = false;
  Vec3 antenna_, up_;
};

}  // namespace tesseray
