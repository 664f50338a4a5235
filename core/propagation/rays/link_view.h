// SPDX-License-Identifier: GPL-3.0-or-later
// The two ends of a link where their numbers lie, on the host or on the device: what the transmitter sends along a
// direction, and what a receiver takes from a field.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/physics/antenna.h"
#include "core/physics/antenna_pattern.h"
#include "core/physics/complex.h"

namespace tesseray {

// Owns nothing. Fields are relative: 1 is the field of the transmitting antenna's maximum at 1 m, so that a received
// |amplitude|² is a path gain over the EIRP.
struct LinkView {
  // What surfaces of a material of the scene do at this frequency.
  struct Surface {
    Complex permittivity;
    double scattering_coefficient = 0;  // S, an amplitude ratio; 0 when nothing scatters
    double specular_factor = 1;  // on the amplitude of reflections, which share their power with scattering: √(1−S²)
  };
  struct Departure {
    ComplexVec3 field;         // at 1 m, without phase
    double relative_gain = 1;  // over the pattern's maximum
  };

  double wave_number = 0;  // rad/m
  double unit_gain = 0;    // path gain of a unit field at an isotropic receiver of the same polarisation: (λ/4π)²
  double least_gain = 0;   // tubes with less path gain than this go no further
  const Surface* surfaces = nullptr;  // by material of the scene
  std::size_t surface_count = 0;
  PatternKind transmit_pattern = PatternKind::isotropic, receive_pattern = PatternKind::isotropic;
  // In place of transmit_pattern, where there is one: a beam's exponent, or cuts from a file.
  double transmit_beam_exponent = 0;
  PatternView transmit_cuts;  // empty: none
  LinearPolarization transmit_polarization = LinearPolarization::vertical;
  LinearPolarization receive_polarization = LinearPolarization::vertical;
  AntennaFrame transmit_frame, receive_frame;

  TESSERAY_HD Departure depart(Vec3 direction) const {
    const double relative = transmit_gain(direction);
    const Vec3 polarization = polarization_vector(transmit_polarization, transmit_frame, direction);
    return {Complex{std::sqrt(relative), 0} * polarization, relative};
  }
  // As if the antenna sent as much in all directions.
  TESSERAY_HD ComplexVec3 depart_without_pattern(Vec3 direction) const {
    return Complex{1, 0} * polarization_vector(transmit_polarization, transmit_frame, direction);
  }

  // Whether it transmits more in some directions than in others.
  TESSERAY_HD bool has_pattern() const {
    return !transmit_cuts.horizontal.empty() || transmit_beam_exponent > 0 ||
           transmit_pattern != PatternKind::isotropic;
  }

  // Whether two rays that leave in one vertical plane may differ in more than their direction: by the pattern, or since
  // the polarisation is not in that plane or across it.
  TESSERAY_HD bool departs_unevenly() const {
    const bool is_of_plane = transmit_polarization == LinearPolarization::vertical ||
                             transmit_polarization == LinearPolarization::horizontal;
    return has_pattern() || !is_of_plane || transmit_frame.up.z != 1;
  }

  // The unit field of an upright antenna of the transmitter's polarisation: what a scattering tile sends on.
  TESSERAY_HD Vec3 copolar_polarization(Vec3 direction) const {
    return polarization_vector(transmit_polarization, AntennaFrame{}, direction);
  }

  // The receiver's amplitude from a field without phase that travels along `direction`, times (λ/4π), if it had 0 dBi
  // in its maximum (Link::receiver_gain). Nothing of a field at right angles to the receiver's polarisation.
  TESSERAY_HD Complex receive(const ComplexVec3& field, Vec3 direction) const {
    // Reception is the field's part along what the antenna would send back (docs/physics.md §4, reciprocity).
    const Vec3 polarization = polarization_vector(receive_polarization, receive_frame, -direction);
    const Complex taken = dot(field, polarization);
    // What rounding leaves of such a field, 1e-16 at each turn of its basis, is no ray.
    constexpr double of_rounding = 1e-24;  // of its power
    if (squared_norm(taken) <= of_rounding * squared_norm(field)) return {};
    return std::sqrt(unit_gain * receive_gain(direction)) * taken;
  }

  // Power of a wave along `direction` over the receiving pattern's maximum.
  TESSERAY_HD double receive_gain(Vec3 direction) const {
    if (receive_pattern == PatternKind::isotropic) return 1;
    return relative_pattern(receive_pattern, receive_frame, -direction);
  }

  // Power along `direction` over the transmitting pattern's maximum.
  TESSERAY_HD double transmit_gain(Vec3 direction) const {
    if (!transmit_cuts.horizontal.empty()) return relative_pattern(transmit_cuts, transmit_frame, direction);
    if (transmit_beam_exponent > 0) return relative_beam(transmit_beam_exponent, transmit_frame, direction);
    return relative_pattern(transmit_pattern, transmit_frame, direction);
  }
};

}  // namespace tesseray
