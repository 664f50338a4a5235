// SPDX-License-Identifier: GPL-3.0-or-later
// The wedge of an edge, whose faces absorb where a ray runs along them to or from another edge, or to a tile.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/physics/diffraction.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Of an edge between faces of these permittivities.
TESSERAY_HD inline Wedge wedge_of_faces(const EdgeSegment& edge, Complex eps_0, Complex eps_n) {
  return {edge.direction, edge.tangent_0, edge.normal_0, edge.wedge_angle, eps_0, eps_n, is_screen(eps_0, eps_n)};
}

// Directions this near to a face run along it, rad.
inline constexpr double along_face = 1e-6;

TESSERAY_HD inline bool runs_along(Vec3 way, Vec3 tangent, Vec3 normal) {
  return dot(way, tangent) > 0 && std::fabs(dot(way, normal)) <= along_face * norm(way);
}

TESSERAY_HD inline bool runs_along_a_face(Vec3 way, const EdgeSegment& edge) {
  return runs_along(way, edge.tangent_0, edge.normal_0) || runs_along(way, edge.tangent_n, edge.normal_n);
}

// A wedge whose face absorbs where the way to or from another edge, or to a tile, runs along it. Between the two edges
// of one roof the wave and its reflection at grazing angle would cancel, and plain UTD would leave nothing to diffract;
// taken as absorbing, the roof's two edges are two screens in cascade (docs/physics.md §5.5, §6). Of a tile on the face
// the wave that falls on it is wanted, as in sight, and not what that and its reflection leave there. Air reflects
// nothing.
TESSERAY_HD inline Wedge absorbing_along(Wedge wedge, const EdgeSegment& edge, Vec3 way) {
  constexpr Complex air{1, 0};
  if (runs_along(way, edge.tangent_0, edge.normal_0)) wedge.eps_0 = air;
  if (runs_along(way, edge.tangent_n, edge.normal_n)) wedge.eps_n = air;
  return wedge;
}

}  // namespace tesseray
