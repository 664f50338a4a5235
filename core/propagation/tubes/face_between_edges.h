// SPDX-License-Identifier: GPL-3.0-or-later
// The face of two edges along which the way between them runs (docs/physics.md §5.5).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/physics/common_face.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// One of two edges, and the way from there to the other one.
struct EndAtEdge {
  const EdgeSegment& edge;
  const Wedge& wedge;
  Vec3 way;  // unit
};

namespace face_between_edges_detail {

// sin 15°: a face at a greater angle to the way, seen along the edge, is another one.
inline constexpr double most_sine = 0.25881904510252074;
// Walls. Roofs and the ground carry what no surface knows of (parapets, chimneys, cars): along them there is no such
// wave.
inline constexpr double most_upwards = 0.5;

struct Face {
  Vec3 normal;
  Complex permittivity;
  double sine = 0;  // of the angle from it to the way
  bool is_near = false;
};

TESSERAY_HD inline Face face_near(Vec3 way, Vec3 tangent, Vec3 normal, Complex permittivity) {
  const double along = dot(way, tangent), sine = dot(way, normal);
  const bool is_near = along > 0 && sine * sine <= most_sine * most_sine * (along * along + sine * sine) &&
                       std::fabs(normal.z) <= most_upwards;
  return {normal, permittivity, sine, is_near && reflects(permittivity)};
}

}  // namespace face_between_edges_detail

// Whether the way runs along a face that both edges have: the walls that begin at them meet below the way, or are one.
// Where they meet so far below that the first Fresnel zone is clear, each of them reflects by itself.
TESSERAY_HD inline CommonFace common_face(const EndAtEdge& here, const EndAtEdge& there, double distance_m,
                                          double wave_number) {
  using namespace face_between_edges_detail;
  constexpr double same_side = 0.5;
  for (const Face& at_here : {face_near(here.way, here.edge.tangent_0, here.edge.normal_0, here.wedge.eps_0),
                              face_near(here.way, here.edge.tangent_n, here.edge.normal_n, here.wedge.eps_n)}) {
    if (!at_here.is_near) continue;
    for (const Face& at_there : {face_near(there.way, there.edge.tangent_0, there.edge.normal_0, there.wedge.eps_0),
                                 face_near(there.way, there.edge.tangent_n, there.edge.normal_n, there.wedge.eps_n)}) {
      if (!at_there.is_near || dot(at_here.normal, at_there.normal) < same_side) continue;
      const double longer = 0.5 * wave_number * distance_m * std::fabs(at_here.sine * at_there.sine);  // rad
      if (longer > pi) continue;
      // A wall that bends towards the way by less than hides the other edge is flat.
      return {{at_here.permittivity, std::fmax(at_here.sine, 0.0)},
              {at_there.permittivity, std::fmax(at_there.sine, 0.0)},
              distance_m,
              at_here.normal,
              true};
    }
  }
  return {};
}

}  // namespace tesseray
