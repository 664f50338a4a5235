// SPDX-License-Identifier: GPL-3.0-or-later
// What a propagation model delivers: mechanisms and single rays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/geometry/vector.h"

namespace tesseray {

struct Transmitter;

enum class Mechanism : std::uint8_t {
  none,
  direct,
  reflection,
  diffraction,
  scattering,
  over_rooftop,
  through_building
};
std::string to_string(Mechanism mechanism);  // "" for none

// What one step of a ray took.
struct RayLoss {
  std::string step;  // a letter of Ray::interactions, or what is none (docs/why-this-value.md)
  double loss_db = 0;
};

// One ray that arrives at a target.
struct Ray {
  std::int64_t transmitter_id = 0;
  std::int64_t target_id = 0;  // receiver id
  std::string interactions;    // "T-R-D-G": T transmitter, R reflection, D diffraction, S scattering, G ground, O over
                               // roofs, B through a building
  std::vector<std::uint32_t> elements;  // where it interacted, by element number: tiles, then edge segments
  std::vector<Vec3> points;             // from the transmitter to the target, scene frame
  Mechanism mechanism = Mechanism::none;
  double path_gain = 0;  // received power over EIRP
  double power_dbm = 0;
  double delay_ns = 0;
  double departure_azimuth_deg = 0, departure_elevation_deg = 0;  // true north; up is positive
  double arrival_azimuth_deg = 0, arrival_elevation_deg = 0;      // where the receiver looks
  double phase_deg = 0;         // NaN for diffusely scattered rays, which have a random one
  std::vector<RayLoss> losses;  // when asked for; together ERP − power

  bool goes_over_rooftops() const { return interactions.starts_with("T-O"); }
  bool goes_through_building() const { return interactions.starts_with("T-B"); }
  // What `interactions` says of elements[place]: T, O and B stand before them all.
  char letter_of(std::size_t place) const {
    return interactions[2 * (place + (goes_over_rooftops() || goes_through_building() ? 2 : 1))];
  }
  void set_power(const Transmitter& transmitter);  // from `path_gain`
  // Fills in whose ray it is, its power and its directions at both ends. REQUIRES: `points` and `path_gain` are known.
  void complete_for(const Transmitter& transmitter);
};

}  // namespace tesseray
