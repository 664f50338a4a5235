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

Vec2 look_azimuth(Vec3 travel_direction) {
  const double horizontal = norm(travel_direction.xy());
  if (!(horizontal > 0)) return {1, 0};
  return {-travel_direction.y / horizontal, -travel_direction.x / horizontal};
}

void ArrivalSums::add(const Arrival& arrival) {
  const auto [cosine, sine] = look_azimuth(arrival.travel_direction);
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

void ArrivalSums::add(const DiffuseSum& diffuse) {
  if (diffuse.rays == 0) return;
  gain.add(diffuse.gain);
  basic_gain.add(diffuse.basic_gain);
  excess.add(diffuse.excess_m / excess_unit_m);
  squared_excess.add(diffuse.squared_excess_m2 / (excess_unit_m * excess_unit_m));
  cos_azimuth.add(diffuse.cos_azimuth);
  sin_azimuth.add(diffuse.sin_azimuth);
  first_excess_m = std::min(first_excess_m, static_cast<float>(diffuse.first_excess_m));
  rays += diffuse.rays;
  if (diffuse.strongest_gain >= strongest_gain) {
    consider_strongest(diffuse.strongest_gain, std::atan2(diffuse.strongest_sin, diffuse.strongest_cos),
                       Mechanism::scattering);
  }
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
