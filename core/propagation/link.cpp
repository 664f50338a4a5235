// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/link.h"

#include <algorithm>
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

double maximum_receiver_gain_dbi(const RayLaunchingOptions& options) {
  return options.receiver_gain_dbi.value_or(maximum_gain_dbi(pattern_of(options.receiver_antenna)));
}

Link::Link(const Scene& scene, const Transmitter& transmitter, const RayLaunchingOptions& options)
    : transmit_pattern_(pattern_of(transmitter.antenna)),
      receive_pattern_(pattern_of(options.receiver_antenna)),
      transmit_polarization_(linear(transmitter.polarization)),
      receive_polarization_(linear(options.receiver_polarization)),
      transmit_frame_(antenna_frame({radians(transmitter.grid_azimuth_deg), radians(transmitter.downtilt_deg)})) {
  if (!(transmitter.frequency_hz > 0)) {
    throw Error(
        ErrorKind::invalid_input, "bad_frequency",
        "transmitter " + transmitter.name + " has the frequency " + std::to_string(transmitter.frequency_hz) + " Hz",
        "give a positive frequency in MHz");
  }
  if (transmitter.antenna == AntennaKind::beam) {
    transmit_beam_exponent_ = beam_exponent(transmitter.antenna_details.beamwidth_deg);
  } else if (transmitter.antenna == AntennaKind::pattern_file) {
    transmit_cuts_ = transmitter.antenna_details.pattern;
  }
  const double lambda = wavelength_m(transmitter.frequency_hz);
  wave_number_ = 2.0 * pi / lambda;
  unit_gain_ = (lambda / (4.0 * pi)) * (lambda / (4.0 * pi));
  const double eirp_dbm = transmitter.erp_dbm + half_wave_dipole_gain_dbi;
  least_gain_ = power_ratio(options.min_power_dbm - eirp_dbm);
  const double between = std::cos(tilt_of(transmitter.polarization) - tilt_of(options.receiver_polarization));
  const double alike = between * between, crossed = options.cross_polarization;
  greatest_receive_gain_ = power_ratio(maximum_receiver_gain_dbi(options));
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
}

std::vector<Complex> Link::permittivities() const {
  std::vector<Complex> permittivities;
  for (const Surface& surface : surfaces_) permittivities.push_back(surface.permittivity);
  return permittivities;
}

Link::Departure Link::depart(Vec3 direction) const {
  const double relative = transmit_gain(direction);
  const Vec3 polarization = polarization_vector(transmit_polarization_, transmit_frame_, direction);
  return {Complex{std::sqrt(relative), 0} * polarization, relative};
}

double Link::transmit_gain(Vec3 direction) const {
  if (transmit_cuts_) return relative_pattern(transmit_cuts_->view(), transmit_frame_, direction);
  if (transmit_beam_exponent_ > 0) return relative_beam(transmit_beam_exponent_, transmit_frame_, direction);
  return relative_pattern(transmit_pattern_, transmit_frame_, direction);
}

Complex Link::receive(const ComplexVec3& field, Vec3 direction) const {
  // Reception is the field's part along what the antenna would send back (docs/physics.md §4, reciprocity).
  const Vec3 look = -direction;
  const Vec3 polarization = polarization_vector(receive_polarization_, receive_frame_, look);
  return std::sqrt(unit_gain_ * receive_gain(direction)) * dot(field, polarization);
}

Vec3 Link::copolar_polarization(Vec3 direction) const {
  return polarization_vector(transmit_polarization_, AntennaFrame{}, direction);
}

double Link::receive_gain(Vec3 direction) const {
  if (receive_pattern_ == PatternKind::isotropic) return greatest_receive_gain_;
  return greatest_receive_gain_ * relative_pattern(receive_pattern_, receive_frame_, -direction);
}

}  // namespace tesseray
