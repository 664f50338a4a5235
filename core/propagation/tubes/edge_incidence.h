// SPDX-License-Identifier: GPL-3.0-or-later
// A wave at an edge segment, prepared once for all targets: along a straight edge the angle about it stays the same
// and only the angle to it changes with the Keller point.
#pragma once

#include "core/physics/diffraction.h"
#include "core/tiling/tiling.h"

namespace tesseray {

class EdgeIncidence {
 public:
  TESSERAY_HD EdgeIncidence(const Wedge& wedge, const EdgeSegment& edge, Vec3 source) {
    const Vec3 way = edge.midpoint - source;
    const double length = norm(way);
    if (!(length > 0)) return;
    prepared_ = wedge_incidence(wedge, (1.0 / length) * way);
    distance_from_line_m_ = prepared_.sin_beta * length;
  }

  // False when the source lies inside the solid or on the edge's line.
  TESSERAY_HD bool in_air() const { return prepared_.in_air; }
  // sin β₀ of the ray that meets the line at `rho_m` from the source.
  TESSERAY_HD double sin_beta(double rho_m) const { return std::fmin(distance_from_line_m_ / rho_m, 1.0); }
  // Of twice the exterior angle. REQUIRES: in_air().
  TESSERAY_HD CosSin twice_exterior() const { return prepared_.twice_exterior; }
  // The incidence of that ray, which travels along the unit vector k_i.
  TESSERAY_HD WedgeIncidence at(double rho_m, Vec3 k_i) const {
    WedgeIncidence incidence = prepared_;
    turn_incidence(incidence, sin_beta(rho_m), dot(k_i, prepared_.edge));
    return incidence;
  }
  // About the power that the edge sends along `direction`, over that of a ray that goes on past it: `rho_m` from the
  // source to the edge, then `distance_m`.
  TESSERAY_HD double estimated_share(double rho_m, double distance_m, Vec3 direction, double wave_number) const {
    const double sine = sin_beta(rho_m);
    return estimated_diffraction_share(prepared_, direction, distance_parameter_m(rho_m, distance_m, sine),
                                       wave_number);
  }

 private:
  WedgeIncidence prepared_;
  double distance_from_line_m_ = 0;
};

}  // namespace tesseray
