// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/link.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/physics/material.h"
#include "core/physics/scattering.h"

namespace tesseray {
namespace {

PatternKind pattern_of(AntennaKind antenna) {
  switch (antenna) {
    case AntennaKind::isotropic:
      return PatternKind::isotropic;
    case AntennaKind::half_wave_dipole:
      return PatternKind::half_wave_dipole;
    case AntennaKind::sector_3gpp:
      return PatternKind::sector_3gpp;
    case AntennaKind::short_dipole:
      return PatternKind::short_dipole;
    case AntennaKind::beam:
    case AntennaKind::pattern_file:
      break;
  }
  return PatternKind::isotropic;
}

LinearPolarization linear(Polarization polarization) {
  switch (polarization) {
    case Polarization::vertical:
      return LinearPolarization::vertical;
    case Polarization::horizontal:
      return LinearPolarization::horizontal;
    case Polarization::slant_plus_45:
      return LinearPolarization::slant_plus_45;
    case Polarization::slant_minus_45:
      return LinearPolarization::slant_minus_45;
  }
  return LinearPolarization::vertical;
}

// The angle of a polarisation from the vertical, rad.
double tilt_of(Polarization polarization) {
  switch (polarization) {
    case Polarization::vertical:
      return 0;
    case Polarization::horizontal:
      return pi / 2;
    case Polarization::slant_plus_45:
      return pi / 4;
    case Polarization::slant_minus_45:
      return -pi / 4;
  }
  return 0;
}

}  // namespace

double least_path_gain_db(const Transmitter& transmitter, const RayLaunchingOptions& options) {
  constexpr double step_db = 20;
  const double eirp_dbm = transmitter.erp_dbm + half_wave_dipole_gain_dbi;
  return step_db * std::floor((options.min_power_dbm - eirp_dbm) / step_db);
}

double maximum_receiver_gain_dbi(const RayLaunchingOptions& options) {
  return options.receiver_gain_dbi.value_or(maximum_gain_dbi(pattern_of(options.receiver_antenna)));
}

LinkView transmitting_end(const Transmitter& transmitter) {
  LinkView view;
  view.transmit_pattern = pattern_of(transmitter.antenna);
  view.transmit_polarization = linear(transmitter.polarization);
  view.transmit_frame = antenna_frame({radians(transmitter.grid_azimuth_deg), radians(transmitter.downtilt_deg)});
  if (transmitter.antenna == AntennaKind::beam) {
    view.transmit_beam_exponent = beam_exponent(transmitter.antenna_details.beamwidth_deg);
  } else if (transmitter.antenna == AntennaKind::pattern_file && transmitter.antenna_details.pattern) {
    view.transmit_cuts = transmitter.antenna_details.pattern->view();
  }
  const double lambda = wavelength_m(transmitter.frequency_hz);
  view.wave_number = 2.0 * pi / lambda;
  view.unit_gain = (lambda / (4.0 * pi)) * (lambda / (4.0 * pi));
  return view;
}

Link::Link(const Scene& scene, const Transmitter& transmitter, const RayLaunchingOptions& options) {
  if (!(transmitter.frequency_hz > 0)) {
    throw Error(
        ErrorKind::invalid_input, "bad_frequency",
        "transmitter " + transmitter.name + " has the frequency " + std::to_string(transmitter.frequency_hz) + " Hz",
        "give a positive frequency in MHz");
  }
  view_ = transmitting_end(transmitter);
  if (!view_.transmit_cuts.horizontal.empty()) transmit_cuts_ = transmitter.antenna_details.pattern;
  view_.receive_pattern = pattern_of(options.receiver_antenna);
  view_.receive_polarization = linear(options.receiver_polarization);
  view_.least_gain = power_ratio(least_path_gain_db(transmitter, options));
  receiver_gain_ = power_ratio(maximum_receiver_gain_dbi(options));
  // Both look along the ray: a slant seen from its other end leans the other way.
  double between = std::cos(tilt_of(transmitter.polarization) + tilt_of(options.receiver_polarization));
  if (std::fabs(between) < 1e-12) between = 0;  // what rounding leaves of a right angle
  const double alike = between * between, crossed = options.cross_polarization;
  received_fraction_ = (1.0 - crossed) * alike + crossed * (1.0 - alike);
  for (const Material& material : scene.materials) {
    const MaterialPowerLaw law{material.a, material.b,           material.c,
                               material.d, material.minimum_ghz, material.maximum_ghz};
    Surface surface;
    surface.permittivity =
        relative_permittivity(electric_properties(law, transmitter.frequency_hz), transmitter.frequency_hz);
    if (options.max_scatterings > 0) {
      surface.scattering_coefficient = material.scattering_coefficient.value_or(options.scattering_coefficient);
      surface.specular_factor = specular_reduction(surface.scattering_coefficient);
    }
    surfaces_.push_back(surface);
  }
  view_.surfaces = surfaces_.data();
  view_.surface_count = surfaces_.size();
}

std::vector<Complex> Link::permittivities() const {
  std::vector<Complex> permittivities;
  for (const Surface& surface : surfaces_) permittivities.push_back(surface.permittivity);
  return permittivities;
}

}  // namespace tesseray
