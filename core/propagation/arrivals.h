// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of the rays that arrive at a target, the same for any order in which they arrive.
//
// Powers are path gains: received power over EIRP, antenna patterns at both ends included. Lengths are unfolded path
// lengths in metres.
#pragma once

#include <cstdint>
#include <limits>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/ray.h"

namespace tesseray {

// A sum in 128-bit fixed point, so that it does not depend on order or threads.
// REQUIRES: |x| < 2^6 for each summand. Summands are truncated to 2^-96; at most 8 million of them between merges.
class FixedPointSum {
 public:
  void add(double x) {
    const double scaled = x * 0x1p56;
    const auto whole = static_cast<std::int64_t>(scaled);
    high_ += whole;
    low_ += static_cast<std::int64_t>((scaled - static_cast<double>(whole)) * 0x1p40);
  }
  void merge(const FixedPointSum& other) {
    high_ += other.high_;
    low_ += other.low_;
    // Carries keep the low part within 2^40.
    const std::int64_t carry = low_ >> 40;
    high_ += carry;
    low_ -= carry * (std::int64_t{1} << 40);
  }
  double value() const { return static_cast<double>(high_) * 0x1p-56 + static_cast<double>(low_) * 0x1p-96; }
  friend bool operator==(const FixedPointSum&, const FixedPointSum&) = default;

 private:
  std::int64_t high_ = 0;  // units of 2^-56
  std::int64_t low_ = 0;   // units of 2^-96
};

// One ray at its target, as the sums need it.
struct Arrival {
  double path_gain = 0;        // |amplitude|²
  double basic_gain = 0;       // the same between isotropic antennas
  double excess_length_m = 0;  // path length − straight distance
  Vec3 travel_direction;       // unit, towards the target
  Mechanism mechanism = Mechanism::none;
  bool coherent = false;  // summed in amplitude with the other coherent ones
  Complex amplitude;      // with phase; used when coherent
};

// REQUIRES for all: the target's rays were added with the same straight distance as reference of the excess length.
struct ArrivalSums {
  FixedPointSum gain;                      // of all rays, in power
  FixedPointSum coherent_gain;             // of the coherent ones, in power
  FixedPointSum coherent_re, coherent_im;  // of the coherent ones, in amplitude
  FixedPointSum basic_gain;
  FixedPointSum excess, squared_excess;    // gain × (excess length / 1,024 m), and squared
  FixedPointSum cos_azimuth, sin_azimuth;  // gain × those of the arrival's grid azimuth
  double strongest_gain = 0;
  float strongest_azimuth = 0;  // grid azimuth where the receiver looks, rad
  float first_excess_m = std::numeric_limits<float>::infinity();
  std::uint32_t rays = 0;
  Mechanism strongest_mechanism = Mechanism::none;
  bool direct = false;

  void add(const Arrival& arrival);
  // Adds `rays` rays of one mechanism and direction whose moments are already summed (diffuse scattering):
  // `excess` and `squared_excess` are gain-weighted mean excess length and mean square, `first_excess_m` the least.
  void add_diffuse(double gain, double basic, double mean_excess_m, double mean_squared_excess_m2, double first_excess,
                   Vec3 travel_direction, std::uint32_t count);
  void merge(const ArrivalSums& other);

 private:
  void consider_strongest(double path_gain, double azimuth, Mechanism mechanism);
};

inline constexpr double excess_unit_m = 1024.0;

}  // namespace tesseray
