// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/ray.h"

#include <cmath>

#include "core/base/units.h"
#include "core/scene/transmitter.h"

namespace tesseray {
namespace {

double true_azimuth_deg(Vec3 direction, const Transmitter& transmitter) {
  return in_full_circle(degrees(std::atan2(direction.x, direction.y)) + transmitter.convergence_deg());
}

double elevation_deg(Vec3 direction) { return degrees(std::atan2(direction.z, norm(direction.xy()))); }

}  // namespace

std::string to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::none:
      return "";
    case Mechanism::direct:
      return "direct";
    case Mechanism::reflection:
      return "reflection";
    case Mechanism::diffraction:
      return "diffraction";
    case Mechanism::scattering:
      return "scattering";
    case Mechanism::over_rooftop:
      return "over_rooftop";
    case Mechanism::through_building:
      return "through_building";
  }
  return "";
}

void Ray::set_power(const Transmitter& transmitter) {
  power_dbm = transmitter.erp_dbm + half_wave_dipole_gain_dbi + decibels(path_gain);
}

void Ray::complete_for(const Transmitter& transmitter) {
  transmitter_id = transmitter.transmitter_id;
  set_power(transmitter);
  const Vec3 departure = points[1] - points[0], look_back = points[points.size() - 2] - points.back();
  departure_azimuth_deg = true_azimuth_deg(departure, transmitter);
  departure_elevation_deg = elevation_deg(departure);
  arrival_azimuth_deg = true_azimuth_deg(look_back, transmitter);
  arrival_elevation_deg = elevation_deg(look_back);
}

}  // namespace tesseray
