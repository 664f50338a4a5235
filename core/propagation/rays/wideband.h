// SPDX-License-Identifier: GPL-3.0-or-later
// What wideband outputs need of the rays at a target besides ArrivalSums: angles at both ends, and the strongest rays
// as a power-delay profile. The same for any order in which rays arrive, and kept only where it is asked for.
//
// Azimuths are of the grid, elevations from the horizontal plane, up positive. At the receiver they are of where it
// looks, at the transmitter of where the ray goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/propagation/rays/arrivals.h"

namespace tesseray {

// Σ power × cosine and sine of the angles of directions.
struct DirectionMoments {
  double cos_azimuth = 0, sin_azimuth = 0, cos_elevation = 0, sin_elevation = 0;

  void add(double power, Vec3 direction);  // a unit vector; straight up or down counts as north
  void add(double factor, const DirectionMoments& moments) {
    cos_azimuth += factor * moments.cos_azimuth;
    sin_azimuth += factor * moments.sin_azimuth;
    cos_elevation += factor * moments.cos_elevation;
    sin_elevation += factor * moments.sin_elevation;
  }
};

// One ray at its target, or what one tile scatters there.
struct WidebandArrival {
  double path_gain = 0;
  double strongest_gain = 0;                    // of one ray; the path gain itself where it is one
  double stands_for = 1;                        // so many like it, where they are drawn by chance: in sums alone
  double excess_length_m = 0;                   // path length − straight distance
  Vec3 look;                                    // where the receiver looks, unit
  double cos_elevation = 0, sin_elevation = 0;  // path gain × those of where it looks
  DirectionMoments departures;                  // with the path gain as power

  // Of a part of the path gain.
  void add_look(double part_of_gain, Vec3 direction) {
    cos_elevation += part_of_gain * norm(direction.xy());
    sin_elevation += part_of_gain * direction.z;
  }
};

// Of all rays at one target.
struct WidebandSums {
  FixedPointSum cos_elevation, sin_elevation;  // gain × those of where the receiver looks
  FixedPointSum departure_cos_azimuth, departure_sin_azimuth, departure_cos_elevation, departure_sin_elevation;
  double strongest_gain = 0;
  float strongest_elevation = 0;  // where the receiver looks, rad

  void add(const WidebandArrival& arrival) {
    cos_elevation.add(arrival.stands_for * arrival.cos_elevation);
    sin_elevation.add(arrival.stands_for * arrival.sin_elevation);
    departure_cos_azimuth.add(arrival.stands_for * arrival.departures.cos_azimuth);
    departure_sin_azimuth.add(arrival.stands_for * arrival.departures.sin_azimuth);
    departure_cos_elevation.add(arrival.stands_for * arrival.departures.cos_elevation);
    departure_sin_elevation.add(arrival.stands_for * arrival.departures.sin_elevation);
    // Most are weaker: they need no angle.
    if (arrival.strongest_gain >= strongest_gain) consider_strongest(arrival.strongest_gain, elevation(arrival.look));
  }
  void merge(const WidebandSums& other);
  friend bool operator==(const WidebandSums&, const WidebandSums&) = default;

 private:
  static float elevation(Vec3 direction);
  // Of equally strong ones the lower.
  void consider_strongest(double path_gain, float elevation);
};

// A ray of a power-delay profile. Stronger ones first, of equally strong ones the earlier.
struct ProfileRay {
  float path_gain = 0;
  float excess_length_m = 0;

  bool is_before(const ProfileRay& other) const {
    return path_gain > other.path_gain || (path_gain == other.path_gain && excess_length_m < other.excess_length_m);
  }
  friend bool operator==(const ProfileRay&, const ProfileRay&) = default;
};

// The sums and profiles of many targets, of which either may be wanted.
class WidebandTable {
 public:
  WidebandTable() = default;
  WidebandTable(std::size_t targets, bool angles, std::size_t profile_rays);

  static std::size_t bytes_per_target(bool angles, std::size_t profile_rays) {
    return (angles ? sizeof(WidebandSums) : 0) + profile_rays * sizeof(ProfileRay);
  }

  bool wanted() const { return wants_angles() || wants_profiles(); }
  bool wants_angles() const { return !sums_.empty(); }
  bool wants_profiles() const { return profile_rays_ > 0; }

  void add(std::size_t target, const WidebandArrival& arrival) {
    if (!(arrival.path_gain > 0)) return;
    if (wants_angles()) sums_[target].add(arrival);
    if (wants_profiles()) {
      add_to_profile(target, {static_cast<float>(arrival.path_gain), static_cast<float>(arrival.excess_length_m)});
    }
  }
  // REQUIRES: a table of the same targets that wants the same.
  void merge(const WidebandTable& other);

  // REQUIRES: wants_angles().
  const WidebandSums& sums(std::size_t target) const { return sums_[target]; }
  // Strongest first, no more than are there. REQUIRES: wants_profiles().
  std::span<const ProfileRay> profile(std::size_t target) const;

 private:
  void add_to_profile(std::size_t target, ProfileRay ray);

  std::size_t profile_rays_ = 0;
  std::vector<WidebandSums> sums_;
  std::vector<ProfileRay> profiles_;  // profile_rays_ per target; empty places have no gain
};

}  // namespace tesseray
