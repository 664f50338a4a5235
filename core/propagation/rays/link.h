// SPDX-License-Identifier: GPL-3.0-or-later
// One transmitter's link: the numbers of its two ends, from the scene, the transmitter and the options.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "core/base/units.h"
#include "core/physics/antenna_pattern.h"
#include "core/propagation/rays/link_view.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/transmitter.h"

namespace tesseray {

// The gain of the receiving antenna in its maximum.
double maximum_receiver_gain_dbi(const RayLaunchingOptions& options);
// Tubes with less path gain go no further. In steps of 20 dB, down from what min_power_dbm says: transmitters that
// differ by a few decibels in power alone launch the same rays then, so that one prediction serves for both.
double least_path_gain_db(const Transmitter& transmitter, const RayLaunchingOptions& options);

// Of the transmitter alone: its frequency, pattern and polarisation. Valid as long as it.
LinkView transmitting_end(const Transmitter& transmitter);

// Constants of one transmitter's run.
class Link {
 public:
  using Surface = LinkView::Surface;
  using Departure = LinkView::Departure;

  Link(const Scene& scene, const Transmitter& transmitter, const RayLaunchingOptions& options);
  Link(const Link&) = delete;
  Link(Link&&) = default;

  // Valid as long as the link.
  const LinkView& view() const { return view_; }
  double wave_number() const { return view_.wave_number; }
  double wavelength_m() const { return 2.0 * pi / view_.wave_number; }
  // How much longer a way seems whose field has this factor, by its phase.
  double seeming_length_m(Complex factor) const { return -std::atan2(factor.im, factor.re) / view_.wave_number; }
  double unit_gain() const { return view_.unit_gain; }
  double least_gain() const { return view_.least_gain; }
  const Surface& surface(std::uint16_t material) const { return surfaces_[material]; }
  // Relative, by material of the scene.
  std::vector<Complex> permittivities() const;

  Departure depart(Vec3 direction) const { return view_.depart(direction); }
  bool has_pattern() const { return view_.has_pattern(); }
  double transmit_gain(Vec3 direction) const { return view_.transmit_gain(direction); }
  ComplexVec3 depart_without_pattern(Vec3 direction) const { return view_.depart_without_pattern(direction); }
  Complex receive(const ComplexVec3& field, Vec3 direction) const { return view_.receive(field, direction); }
  double receive_gain(Vec3 direction) const { return view_.receive_gain(direction); }
  // Of the receiving antenna in its maximum, a ratio of powers. What arrives is without it, so that it is at most what
  // was sent (FixedPointSum); results have it.
  double receiver_gain() const { return receiver_gain_; }
  Vec3 copolar_polarization(Vec3 direction) const { return view_.copolar_polarization(direction); }
  // The part of a diffusely scattered power that the receiver's polarisation takes.
  double received_fraction() const { return received_fraction_; }

 private:
  double received_fraction_ = 0, receiver_gain_ = 1;
  std::vector<Surface> surfaces_;  // per material of the scene
  std::shared_ptr<const AntennaPattern> transmit_cuts_;
  LinkView view_;
};

}  // namespace tesseray
