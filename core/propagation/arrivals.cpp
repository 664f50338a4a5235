// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/arrivals.h"

#include <algorithm>
#include <cmath>

namespace tesseray {

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

void ArrivalSums::consider_strongest(double path_gain, double azimuth, Mechanism mechanism) {
  const auto azimuth_f = static_cast<float>(azimuth);
  // Equal powers are told apart by mechanism and azimuth, so that the order of arrival does not matter.
  const bool stronger =
      path_gain > strongest_gain ||
      (path_gain == strongest_gain && (mechanism < strongest_mechanism || strongest_mechanism == Mechanism::none ||
                                       (mechanism == strongest_mechanism && azimuth_f < strongest_azimuth)));
  if (!stronger) return;
  strongest_gain = path_gain;
  strongest_azimuth = azimuth_f;
  strongest_mechanism = mechanism;
}

void ArrivalSums::add(const Arrival& arrival) {
  const double horizontal = std::hypot(arrival.travel_direction.x, arrival.travel_direction.y);
  // The receiver looks against the direction of travel; straight up or down has no azimuth and counts as north.
  const double sine = horizontal > 0 ? -arrival.travel_direction.x / horizontal : 0.0;
  const double cosine = horizontal > 0 ? -arrival.travel_direction.y / horizontal : 1.0;
  const double scaled_excess = arrival.excess_length_m / excess_unit_m;
  gain.add(arrival.path_gain);
  basic_gain.add(arrival.basic_gain);
  excess.add(arrival.path_gain * scaled_excess);
  squared_excess.add(arrival.path_gain * scaled_excess * scaled_excess);
  cos_azimuth.add(arrival.path_gain * cosine);
  sin_azimuth.add(arrival.path_gain * sine);
  if (arrival.coherent) {
    coherent_gain.add(arrival.path_gain);
    coherent_re.add(arrival.amplitude.re);
    coherent_im.add(arrival.amplitude.im);
  }
  first_excess_m = std::min(first_excess_m, static_cast<float>(arrival.excess_length_m));
  ++rays;
  direct = direct || arrival.mechanism == Mechanism::direct;
  if (arrival.path_gain >= strongest_gain) {
    consider_strongest(arrival.path_gain, std::atan2(sine, cosine), arrival.mechanism);
  }
}

void ArrivalSums::add_diffuse(double path_gain, double basic, double mean_excess_m, double mean_squared_excess_m2,
                              double first_excess, Vec3 travel_direction, std::uint32_t count) {
  const double horizontal = std::hypot(travel_direction.x, travel_direction.y);
  const double sine = horizontal > 0 ? -travel_direction.x / horizontal : 0.0;
  const double cosine = horizontal > 0 ? -travel_direction.y / horizontal : 1.0;
  gain.add(path_gain);
  basic_gain.add(basic);
  excess.add(path_gain * (mean_excess_m / excess_unit_m));
  squared_excess.add(path_gain * (mean_squared_excess_m2 / (excess_unit_m * excess_unit_m)));
  cos_azimuth.add(path_gain * cosine);
  sin_azimuth.add(path_gain * sine);
  first_excess_m = std::min(first_excess_m, static_cast<float>(first_excess));
  rays += count;
  if (path_gain >= strongest_gain) consider_strongest(path_gain, std::atan2(sine, cosine), Mechanism::scattering);
}

void ArrivalSums::merge(const ArrivalSums& other) {
  gain.merge(other.gain);
  coherent_gain.merge(other.coherent_gain);
  coherent_re.merge(other.coherent_re);
  coherent_im.merge(other.coherent_im);
  basic_gain.merge(other.basic_gain);
  excess.merge(other.excess);
  squared_excess.merge(other.squared_excess);
  cos_azimuth.merge(other.cos_azimuth);
  sin_azimuth.merge(other.sin_azimuth);
  first_excess_m = std::min(first_excess_m, other.first_excess_m);
  rays += other.rays;
  direct = direct || other.direct;
  if (other.strongest_mechanism != Mechanism::none) {
    consider_strongest(other.strongest_gain, static_cast<double>(other.strongest_azimuth), other.strongest_mechanism);
  }
}

}  // namespace tesseray
