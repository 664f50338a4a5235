// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of golden 11: a dipole's field past a wedge, with Luebbers' coefficients where the faces are lossy. Ours are
// Holm's there (docs/physics.md §5.2), so that the table's own dyadic is taken with them; for conductors both are the
// same.
#pragma once

#include <cmath>

#include "core/base/units.h"
#include "core/physics/material.h"
#include "tests/golden/physics_golden.h"

namespace tesseray {

inline constexpr double wedge_table_frequency_hz = 850e6;

inline bool conducts(const GoldenRow& row) { return row.text("mat") == "PEC"; }

inline Wedge wedge_of(const GoldenRow& row) {
  Wedge wedge;
  wedge.direction = row.vector("e");
  wedge.tangent_0 = row.vector("t0");
  wedge.normal_0 = row.vector("n0");
  wedge.exterior_angle = row.number("n") * pi;
  wedge.eps_0 = wedge.eps_n =
      conducts(row) ? perfect_conductor_permittivity : relative_permittivity({5.0, 0.01}, wedge_table_frequency_hz);
  return wedge;
}

// The field of the row's dipole at its observer, by the coefficients and the axes of physics.md §5.2.
inline ComplexVec3 field_by_dyadic(const GoldenRow& row, const WedgeDiffraction& d) {
  const double wave_number = 2.0 * pi / wavelength_m(wedge_table_frequency_hz);
  const Vec3 edge = row.vector("e"), k_i = normalized(row.vector("Q") - row.vector("S")),
             k_d = normalized(row.vector("R") - row.vector("Q"));
  const Vec3 phi_i = -normalized(cross(edge, k_i)), beta_i = cross(phi_i, k_i), phi = normalized(cross(edge, k_d)),
             beta = cross(phi, k_d);
  const Vec3 dipole = row.text("p") == "x" ? Vec3{1, 0, 0} : row.text("p") == "y" ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const double before_m = row.number("sp"), after_m = row.number("s");
  const Complex outside = (edge_spreading(before_m, after_m) / before_m) * exp_j(-wave_number * (before_m + after_m));
  const Complex soft = dot(dipole, beta_i) * outside, hard = dot(dipole, phi_i) * outside;
  return -1.0 * ((d.soft * soft - d.turned * hard) * beta + (d.hard * hard + d.turned * soft) * phi);
}

// What the row's field is with the coefficients of today.
inline ComplexVec3 expected_field(const GoldenRow& row) {
  const ComplexVec3 of_table{row.complex("Ex"), row.complex("Ey"), row.complex("Ez")};
  const ComplexVec3 again = field_by_dyadic(row, {row.complex("Ds"), row.complex("Dh")});
  EXPECT_LE(std::sqrt(squared_norm(again - of_table)), 1e-8 * std::sqrt(squared_norm(of_table))) << row.text("case");
  if (conducts(row)) return of_table;
  const double angle = radians(row.number("phi_deg")), length_m = row.number("L");
  const WedgeIncidence incidence = wedge_incidence(wedge_of(row), normalized(row.vector("Q") - row.vector("S")));
  EXPECT_FALSE(incidence.from_other_face);
  return field_by_dyadic(row, wedge_coefficients<accurate>(incidence, angle, {std::cos(angle), std::sin(angle)},
                                                           {length_m, length_m, length_m},
                                                           2.0 * pi / wavelength_m(wedge_table_frequency_hz)));
}

}  // namespace tesseray
