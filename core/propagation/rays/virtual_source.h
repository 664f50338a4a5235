// SPDX-License-Identifier: GPL-3.0-or-later
// Where the rays of a tube seem to come from, and how their field falls off on the way.
//
// A tube's source is a point (the transmitter or its image) or a diffracting edge segment (or its image). All
// geometry is unfolded: a reflection mirrors the source, so that rays stay straight lines. docs/physics.md §0, §5.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/diffraction.h"

namespace tesseray {

struct VirtualSource {
  Vec3 point;                     // origin of the wave before the edge, or of the whole ray
  double offset_m = 0;            // path length up to `point` that geometry does not show (may be negative)
  Vec3 edge_midpoint;             // of the last diffracting edge, mirrored like `point`
  Vec3 edge_direction;            // unit
  double edge_half_length_m = 0;  // > 0: the rays leave from this edge; 0: from `point`

  TESSERAY_HD bool is_edge() const { return edge_half_length_m > 0; }
};

TESSERAY_HD inline VirtualSource mirrored(const VirtualSource& source, Vec3 on_plane, Vec3 normal) {
  VirtualSource image = source;
  image.point = mirrored(source.point, on_plane, normal);
  if (source.is_edge()) {
    image.edge_midpoint = mirrored(source.edge_midpoint, on_plane, normal);
    image.edge_direction = mirrored(source.edge_direction, normal);
  }
  return image;
}

// The last straight leg of a ray from a virtual source to a point.
struct Leg {
  Vec3 from;             // the source point, or the Keller point on the edge
  Vec3 direction;        // unit, of travel
  double amplitude = 0;  // field at the end over source strength, without phase: 1/r, or 1/√(ρ s (ρ+s)) from an edge
  double length_m = 0;   // of the whole ray, unfolded
  double distance_m = 0;      // of the leg
  double rho_m = 0;           // from `point` to the Keller point; 0 without an edge
  bool between_cones = true;  // the Keller point lies on the segment
};

// REQUIRES: `target` is not at the source.
TESSERAY_HD inline Leg leg_to(const VirtualSource& source, Vec3 target) {
  Leg leg;
  if (!source.is_edge()) {
    leg.from = source.point;
    const Vec3 way = target - source.point;
    leg.distance_m = norm(way);
    leg.direction = (1.0 / leg.distance_m) * way;
    leg.amplitude = 1.0 / leg.distance_m;
    leg.length_m = source.offset_m + leg.distance_m;
    return leg;
  }
  const double z = keller_point(source.point, target, source.edge_midpoint, source.edge_direction);
  leg.between_cones = z > -source.edge_half_length_m && z <= source.edge_half_length_m;
  leg.from = source.edge_midpoint + z * source.edge_direction;
  leg.rho_m = norm(leg.from - source.point);
  const Vec3 way = target - leg.from;
  leg.distance_m = norm(way);
  leg.direction = (1.0 / leg.distance_m) * way;
  leg.amplitude = edge_spreading(leg.rho_m, leg.distance_m) / leg.rho_m;
  leg.length_m = source.offset_m + leg.rho_m + leg.distance_m;
  return leg;
}

// The field of a nearby ray of the same tube: the part of `field` at right angles to `direction`, of the same
// magnitude.
TESSERAY_HD inline ComplexVec3 transported(const ComplexVec3& field, Vec3 direction) {
  const Complex along = dot(field, direction);
  const double all = squared_norm(field);
  const double across = all - squared_norm(along);
  if (!(across > 1e-12 * all)) return field;
  return std::sqrt(all / across) * (field - along * direction);
}

// The wave that a source sends to the middle of an edge segment, as if from a point: so that its wavefront has the
// right curvature along that edge, which is what Keller's condition sees. docs/physics.md §0 (two edges).
struct WaveAtEdge {
  VirtualSource source;                   // a point
  double strength_factor = 1;             // field at the midpoint = strength × this / radius along the edge
  double radius_1_m = 0, radius_2_m = 0;  // principal radii of curvature at the midpoint
};

TESSERAY_HD inline WaveAtEdge wave_at_edge(const VirtualSource& source, const Leg& leg, Vec3 midpoint,
                                           Vec3 edge_direction) {
  if (!source.is_edge()) return {source, 1.0, leg.distance_m, leg.distance_m};
  WaveAtEdge wave;
  wave.radius_1_m = leg.rho_m + leg.distance_m;
  wave.radius_2_m = leg.distance_m;
  const Vec3 k = leg.direction;
  const Vec3 axis_1 = source.edge_direction - dot(source.edge_direction, k) * k;
  const Vec3 axis_2 = edge_direction - dot(edge_direction, k) * k;
  const double norms = squared_norm(axis_1) * squared_norm(axis_2);
  const double product = dot(axis_1, axis_2);
  const double cosine_squared = norms > 0 ? std::fmin(product * product / norms, 1.0) : 1.0;
  const double curvature = cosine_squared / wave.radius_1_m + (1.0 - cosine_squared) / wave.radius_2_m;
  const double radius = 1.0 / curvature;
  wave.source.point = midpoint - radius * k;
  wave.source.offset_m = leg.length_m - radius;
  wave.strength_factor = leg.amplitude * radius;
  return wave;
}

}  // namespace tesseray
