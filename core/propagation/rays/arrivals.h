// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of the rays that arrive at a target, the same for any order in which they arrive.
//
// Powers are path gains: received power over EIRP, antenna patterns at both ends included, for a receiver that has 0
// dBi in its maximum: its gain is added to results (Link::receiver_gain). Lengths are unfolded path lengths in metres.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/rays/ray.h"

namespace tesseray {

// How one thread adds to what is its own. Threads of a GPU add to what they share (cuda/shared_sums.h).
struct AddAlone {
  TESSERAY_HD void add(std::int64_t& sum, std::int64_t x) const { sum += x; }
  TESSERAY_HD void count(std::uint32_t& number, std::uint32_t more) const { number += more; }
  TESSERAY_HD void lower(float& least, float x) const { least = x < least ? x : least; }
  // A number that others may be raising.
  template <class Real>
  TESSERAY_HD Real now(const Real& number) const {
    return number;
  }
  // Calls work() while nobody else does so for the same sums.
  template <class Work>
  TESSERAY_HD void exclusively(const Work& work) const {
    work();
  }
};

// A sum in 128-bit fixed point, so that it does not depend on order or threads.
// Summands are truncated to 2^-96; at most 8 million of them between merges. Those beyond ±1, which no path gain
// outside of an antenna's near field has, count as ±1. REQUIRES: |sum| < 2^7.
class FixedPointSum {
 public:
  TESSERAY_HD void add(double x) { add(x, AddAlone()); }
  template <class Adder>
  TESSERAY_HD void add(double x, const Adder& adder) {
    const double scaled = 0x1p56 * (std::fabs(x) <= 1.0 ? x : std::copysign(1.0, x));
    const auto whole = static_cast<std::int64_t>(scaled);
    adder.add(high_, whole);
    adder.add(low_, static_cast<std::int64_t>((scaled - static_cast<double>(whole)) * 0x1p40));
  }
  TESSERAY_HD void merge(const FixedPointSum& other) {
    high_ += other.high_;
    low_ += other.low_;
    settle();
  }
  // Makes room for as many summands as after a merge.
  TESSERAY_HD void settle() {
    // Carries keep the low part within 2^40.
    const std::int64_t carry = low_ >> 40;
    high_ += carry;
    low_ -= carry * (std::int64_t{1} << 40);
  }
  TESSERAY_HD double value() const {
    return static_cast<double>(high_) * 0x1p-56 + static_cast<double>(low_) * 0x1p-96;
  }
  friend bool operator==(const FixedPointSum&, const FixedPointSum&) = default;

 private:
  std::int64_t high_ = 0;  // units of 2^-56
  std::int64_t low_ = 0;   // units of 2^-96
};

// One ray at its target, as the sums need it.
struct Arrival {
  double path_gain = 0;   // |amplitude|²
  double basic_gain = 0;  // the same between isotropic antennas
  double stands_for = 1;  // so many rays like it, where weak ones are drawn by chance: in sums, not as a single ray
  double excess_length_m = 0;  // path length − straight distance
  Vec3 travel_direction;       // unit, towards the target
  Mechanism mechanism = Mechanism::none;
  bool coherent = false;         // summed in amplitude with the other coherent ones
  double in_step = 1;            // how far it is, 0 … 1: that part of its amplitude; the rest is summed in power …
  double in_step_reflected = 0;  // … but for this part of a ground reflection: it is in step with other such alone
  Complex amplitude;             // with phase; used when coherent
  // What it brings to the local mean together with its reflection on the ground, or with the ray whose reflection it
  // is, beyond what is summed otherwise (ray_ending.h).
  double interference = 0;
};

// A ray's path gain between isotropic antennas, from the gains of the patterns at both ends. What a null of a pattern
// leaves of a ray says nothing of it.
TESSERAY_HD inline double basic_gain(double path_gain, double departure_gain, double receive_gain) {
  const double gains = departure_gain * receive_gain;
  return gains > 0 ? path_gain / gains : 0.0;
}

// Diffuse rays at one target, summed in a fixed order before they join its ArrivalSums.
struct DiffuseSum {
  double gain = 0, basic_gain = 0;
  double excess_m = 0, squared_excess_m2 = 0;  // gain × excess length, and × its square
  double cos_azimuth = 0, sin_azimuth = 0;     // gain × those of the grid azimuth where the receiver looks
  double first_excess_m = infinity;
  double strongest_gain = 0;
  double strongest_cos = 1, strongest_sin = 0;
  std::uint32_t rays = 0;

  // The same bits as of all rays one by one where `next` is of one ray.
  TESSERAY_HD void add(const DiffuseSum& next) {
    gain += next.gain;
    basic_gain += next.basic_gain;
    excess_m += next.excess_m;
    squared_excess_m2 += next.squared_excess_m2;
    cos_azimuth += next.cos_azimuth;
    sin_azimuth += next.sin_azimuth;
    first_excess_m = next.first_excess_m < first_excess_m ? next.first_excess_m : first_excess_m;
    rays += next.rays;
    if (!(next.strongest_gain > strongest_gain)) return;
    strongest_gain = next.strongest_gain;
    strongest_cos = next.strongest_cos;
    strongest_sin = next.strongest_sin;
  }
};

// What has no power is no arrival: it is not counted and has no delay; but the direct ray tells that it is in sight.
// REQUIRES for all: the target's rays were added with the same straight distance as reference of the excess length.
struct ArrivalSums {
  FixedPointSum gain;                        // of all rays, in power
  FixedPointSum coherent_gain;               // of the coherent ones, in power
  FixedPointSum coherent_re, coherent_im;    // of the coherent ones, in amplitude: of all together …
  FixedPointSum reflected_re, reflected_im;  // … and of what of their reflections is in step among themselves alone
  FixedPointSum interference;                // what pairs bring beyond the sum of their powers
  FixedPointSum basic_gain;
  FixedPointSum excess, squared_excess;    // gain × (excess length / 1,024 m), and squared
  FixedPointSum cos_azimuth, sin_azimuth;  // gain × those of the arrival's grid azimuth
  double strongest_gain = 0;
  float strongest_azimuth = 0;  // grid azimuth where the receiver looks, rad
  float first_excess_m = infinity_f;
  std::uint32_t rays = 0;
  Mechanism strongest_mechanism = Mechanism::none;
  bool direct = false;

  friend bool operator==(const ArrivalSums&, const ArrivalSums&) = default;
  TESSERAY_HD void add(const Arrival& arrival) { add(arrival, AddAlone()); }
  template <class Adder>
  TESSERAY_HD void add(const Arrival& arrival, const Adder& adder);
  TESSERAY_HD void add(const DiffuseSum& diffuse) { add(diffuse, AddAlone()); }
  template <class Adder>
  TESSERAY_HD void add(const DiffuseSum& diffuse, const Adder& adder);
  void merge(const ArrivalSums& other);
  // FixedPointSum::settle(), of all sums.
  TESSERAY_HD void settle() {
    for (FixedPointSum* sum : {&gain, &coherent_gain, &coherent_re, &coherent_im, &reflected_re, &reflected_im,
                               &interference, &basic_gain, &excess, &squared_excess, &cos_azimuth, &sin_azimuth}) {
      sum->settle();
    }
  }

 private:
  TESSERAY_HD void consider_strongest(double path_gain, double azimuth, Mechanism mechanism);
};

// The path gain that a target's sums make: of powers, with the coherent rays in amplitude and what pairs add. Without
// the receiver's gain, as they are.
double received_gain(const ArrivalSums& sums);

inline constexpr double excess_unit_m = 1024.0;

// Cosine and sine of the grid azimuth where a receiver looks for a ray that travels along `travel_direction`; straight
// up or down has no azimuth and counts as north.
TESSERAY_HD inline Vec2 look_azimuth(Vec3 travel_direction) {
  const double horizontal = norm(travel_direction.xy());
  if (!(horizontal > 0)) return {1, 0};
  return {-travel_direction.y / horizontal, -travel_direction.x / horizontal};
}

template <class Adder>
TESSERAY_HD void ArrivalSums::add(const Arrival& arrival, const Adder& adder) {
  // What is in sight is so whatever the receiver takes of it.
  if (arrival.mechanism == Mechanism::direct) direct = true;
  if (arrival.interference != 0) interference.add(arrival.stands_for * arrival.interference, adder);
  if (!(arrival.path_gain > 0)) return;
  const double of_all = arrival.stands_for * arrival.path_gain;
  const Vec2 look = look_azimuth(arrival.travel_direction);
  const double scaled_excess = arrival.excess_length_m / excess_unit_m;
  gain.add(of_all, adder);
  basic_gain.add(arrival.stands_for * arrival.basic_gain, adder);
  excess.add(of_all * scaled_excess, adder);
  squared_excess.add(of_all * scaled_excess * scaled_excess, adder);
  cos_azimuth.add(of_all * look.x, adder);
  sin_azimuth.add(of_all * look.y, adder);
  if (arrival.coherent) {
    // Phases of those that are left out are not known: of all of them together the power is right.
    const double of_one = std::sqrt(arrival.stands_for), reflected = arrival.in_step_reflected;
    coherent_gain.add((arrival.in_step * arrival.in_step + reflected * reflected) * of_all, adder);
    coherent_re.add(of_one * arrival.in_step * arrival.amplitude.re, adder);
    coherent_im.add(of_one * arrival.in_step * arrival.amplitude.im, adder);
    if (reflected > 0) {
      reflected_re.add(of_one * reflected * arrival.amplitude.re, adder);
      reflected_im.add(of_one * reflected * arrival.amplitude.im, adder);
    }
  }
  adder.lower(first_excess_m, static_cast<float>(arrival.excess_length_m));
  adder.count(rays, 1);
  if (arrival.path_gain >= adder.now(strongest_gain)) {
    const double azimuth = std::atan2(look.y, look.x);
    adder.exclusively([&] { consider_strongest(arrival.path_gain, azimuth, arrival.mechanism); });
  }
}

template <class Adder>
TESSERAY_HD void ArrivalSums::add(const DiffuseSum& diffuse, const Adder& adder) {
  if (diffuse.rays == 0 || !(diffuse.gain > 0)) return;
  gain.add(diffuse.gain, adder);
  basic_gain.add(diffuse.basic_gain, adder);
  excess.add(diffuse.excess_m / excess_unit_m, adder);
  squared_excess.add(diffuse.squared_excess_m2 / (excess_unit_m * excess_unit_m), adder);
  cos_azimuth.add(diffuse.cos_azimuth, adder);
  sin_azimuth.add(diffuse.sin_azimuth, adder);
  adder.lower(first_excess_m, static_cast<float>(diffuse.first_excess_m));
  adder.count(rays, diffuse.rays);
  if (diffuse.strongest_gain >= adder.now(strongest_gain)) {
    const double azimuth = std::atan2(diffuse.strongest_sin, diffuse.strongest_cos);
    adder.exclusively([&] { consider_strongest(diffuse.strongest_gain, azimuth, Mechanism::scattering); });
  }
}

TESSERAY_HD inline void ArrivalSums::consider_strongest(double path_gain, double azimuth, Mechanism mechanism) {
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

}  // namespace tesseray
