// SPDX-License-Identifier: GPL-3.0-or-later
// What one tile scatters diffusely, by itself, which tests compare with what a launch puts together by rows
// (docs/physics.md §7). One tile of area dS takes the power density P_T G_T/(4π r_i²) and gives the receiver
//   P_R = P_T G_T/(4π r_i²) · scattering_cross_section / r_s² · G_R λ²/(4π).
#pragma once

#include <cmath>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/scattering.h"

namespace tesseray {

// The scattered part of the incident power; Γ is the mean over both polarisations.
inline double scattered_fraction(ScatteringModel model, double scattering_coefficient, Complex eps_c,
                                 double cos_incidence, double cos_scattering) {
  const double square = scattering_coefficient * scattering_coefficient;
  switch (model) {
    case ScatteringModel::reciprocal:
      return square * std::sqrt(mean_reflectance(eps_c, cos_incidence) * mean_reflectance(eps_c, cos_scattering));
    case ScatteringModel::reflected:
      return square * mean_reflectance(eps_c, cos_incidence);
    case ScatteringModel::incident:
      break;
  }
  return square;
}

// Lambertian scattering of one tile, m². Zero unless both directions lie in front of the tile.
inline double scattering_cross_section(ScatteringModel model, double scattering_coefficient, Complex eps_c,
                                       double area_m2, double cos_incidence, double cos_scattering) {
  if (cos_incidence <= 0.0 || cos_scattering <= 0.0) return 0.0;
  return area_m2 * cos_incidence * lambertian_lobe(cos_scattering) *
         scattered_fraction(model, scattering_coefficient, eps_c, cos_incidence, cos_scattering);
}

// The same with a directive lobe; cos_to_specular is between the scattered and the specular direction. Not reciprocal
// for α > 0, whatever the model.
inline double directive_scattering_cross_section(ScatteringModel model, double scattering_coefficient, Complex eps_c,
                                                 int alpha, double area_m2, double cos_incidence, double cos_scattering,
                                                 double cos_to_specular) {
  if (cos_incidence <= 0.0 || cos_scattering <= 0.0) return 0.0;
  return area_m2 * cos_incidence * directive_lobe(alpha, cos_incidence, cos_to_specular) *
         scattered_fraction(model, scattering_coefficient, eps_c, cos_incidence, cos_scattering);
}

// Received power over transmitted power times both antenna gains. REQUIRES: the distances are positive.
inline double scattered_power_gain(double cross_section_m2, double incident_m, double scattered_m,
                                   double wavelength_m) {
  const double both = incident_m * scattered_m;
  return cross_section_m2 * wavelength_m * wavelength_m / (16.0 * pi * pi * both * both);
}

}  // namespace tesseray
