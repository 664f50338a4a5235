// SPDX-License-Identifier: GPL-3.0-or-later
// The two ends of a link: what the transmitter sends along a direction, and what a receiver takes from a field.
#pragma once

#include <memory>
#include <vector>

#include "core/physics/antenna.h"
#include "core/physics/antenna_pattern.h"
#include "core/physics/complex.h"
#include "core/propagation/ray_launcher.h"
#include "core/scene/transmitter.h"

namespace tesseray {

// Constants of one transmitter's run. Fields are relative: 1 is the field of the transmitting antenna's maximum at
// 1 m, so that a received |amplitude|² is a path gain over the EIRP.
class Link {
 public:
  Link(const Scene& scene, const Transmitter& transmitter, const RayLaunchingOptions& options);

  double wave_number() const { return wave_number_; }
  // Path gain of a unit field at an isotropic receiver of the same polarisation: (λ/4π)².
  double unit_gain() const { return unit_gain_; }
  // Tubes with less path gain than this go no further.
  double least_gain() const { return least_gain_; }
  // What surfaces of a material of the scene do at this frequency.
  struct Surface {
    Complex permittivity;
    double scattering_coefficient = 0;  // S, an amplitude ratio; 0 when nothing scatters
    double specular_factor = 1;  // on the amplitude of reflections, which share their power with scattering: √(1−S²)
  };
  const Surface& surface(std::uint16_t material) const { return surfaces_[material]; }
  // Relative, by material of the scene.
  std::vector<Complex> permittivities() const;

  struct Departure {
    ComplexVec3 field;         // at 1 m, without phase
    double relative_gain = 1;  // over the pattern's maximum
  };
  Departure depart(Vec3 direction) const;

  // The receiver's amplitude from a field without phase that travels along `direction`, times (λ/4π).
  Complex receive(const ComplexVec3& field, Vec3 direction) const;
  // Power gain of the receiving pattern for a wave along `direction`.
  double receive_gain(Vec3 direction) const;
  // The unit field of an upright antenna of the transmitter's polarisation: what a scattering tile sends on.
  Vec3 copolar_polarization(Vec3 direction) const;
  // The part of a diffusely scattered power that the receiver's polarisation takes.
  double received_fraction() const { return received_fraction_; }

 private:
  // Power along `direction` over the transmitting pattern's maximum.
  double transmit_gain(Vec3 direction) const;

  double wave_number_, unit_gain_, least_gain_, received_fraction_;
  double greatest_receive_gain_;  // of the receiving pattern, a ratio of powers
  std::vector<Surface> surfaces_;  // per material of the scene
  PatternKind transmit_pattern_, receive_pattern_;
  // In place of transmit_pattern_, where there is one: a beam's exponent, or cuts from a file.
  double transmit_beam_exponent_ = 0;
  std::shared_ptr<const AntennaPattern> transmit_cuts_;
  LinearPolarization transmit_polarization_, receive_polarization_;
  AntennaFrame transmit_frame_, receive_frame_;
};

}  // namespace tesseray
