// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of weak diffuse rays at one target, in one line of the processor's cache: what edges send on comes in hundreds
// of millions of small summands, which ArrivalSums, three times as long, would fetch from memory each time.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/infinity.h"
#include "core/propagation/rays/arrivals.h"

namespace tesseray {

// In 64-bit fixed point, so that sums do not depend on order or threads: summands are truncated to 2^-86, and those of
// 2^-40 (−120 dB) and more are left to ArrivalSums. REQUIRES: what a target sums stays below 2^-23 (−69 dB), as any
// most_summands do. A launch adds one for each edge segment that the target sees, of which few bring it near −120 dB.
struct alignas(64) ScatteredSums {
  static constexpr double scale = 0x1p86, most = 0x1p-40;
  static constexpr std::uint32_t most_summands = 1u << 17;
  static_assert(most_summands * (most * scale) <= 0x1p63);

  std::int64_t gain = 0, basic_gain = 0, excess = 0, squared_excess = 0, cos_azimuth = 0, sin_azimuth = 0;
  float first_excess_m = infinity_f;
  float strongest_gain = 0, strongest_azimuth = 0;
  std::uint32_t rays = 0;

  // True when all parts of a sum are small enough.
  TESSERAY_HD static bool takes(const DiffuseSum& sum) {
    const double scaled =
        std::fmax(std::fabs(sum.excess_m) / excess_unit_m, sum.squared_excess_m2 / (excess_unit_m * excess_unit_m));
    return std::fmax(std::fmax(sum.gain, sum.basic_gain), scaled) < most;
  }
  // What has no power is no arrival. REQUIRES: takes(sum).
  TESSERAY_HD void add(const DiffuseSum& sum) { add(sum, AddAlone()); }
  template <class Adder>
  TESSERAY_HD void add(const DiffuseSum& sum, const Adder& adder) {
    if (!(sum.gain > 0)) return;
    const auto whole = [](double x) { return static_cast<std::int64_t>(x * scale); };
    adder.add(gain, whole(sum.gain));
    adder.add(basic_gain, whole(sum.basic_gain));
    adder.add(excess, whole(sum.excess_m * (1.0 / excess_unit_m)));
    adder.add(squared_excess, whole(sum.squared_excess_m2 * (1.0 / (excess_unit_m * excess_unit_m))));
    adder.add(cos_azimuth, whole(sum.cos_azimuth));
    adder.add(sin_azimuth, whole(sum.sin_azimuth));
    adder.lower(first_excess_m, static_cast<float>(sum.first_excess_m));
    adder.count(rays, sum.rays);
    const auto strongest = static_cast<float>(sum.strongest_gain);
    if (strongest >= adder.now(strongest_gain)) {
      const auto azimuth = static_cast<float>(std::atan2(sum.strongest_sin, sum.strongest_cos));
      adder.exclusively([&] { consider_strongest(strongest, azimuth); });
    }
  }
  void merge(const ScatteredSums& other) {
    gain += other.gain;
    basic_gain += other.basic_gain;
    excess += other.excess;
    squared_excess += other.squared_excess;
    cos_azimuth += other.cos_azimuth;
    sin_azimuth += other.sin_azimuth;
    first_excess_m = std::fmin(first_excess_m, other.first_excess_m);
    rays += other.rays;
    if (other.strongest_gain > 0) consider_strongest(other.strongest_gain, other.strongest_azimuth);
  }
  // The same as one sum for ArrivalSums.
  DiffuseSum total() const {
    const auto value = [](std::int64_t units) { return static_cast<double>(units) / scale; };
    DiffuseSum sum;
    sum.gain = value(gain);
    sum.basic_gain = value(basic_gain);
    sum.excess_m = value(excess) * excess_unit_m;
    sum.squared_excess_m2 = value(squared_excess) * (excess_unit_m * excess_unit_m);
    sum.cos_azimuth = value(cos_azimuth);
    sum.sin_azimuth = value(sin_azimuth);
    sum.first_excess_m = static_cast<double>(first_excess_m);
    sum.strongest_gain = static_cast<double>(strongest_gain);
    sum.strongest_cos = std::cos(static_cast<double>(strongest_azimuth));
    sum.strongest_sin = std::sin(static_cast<double>(strongest_azimuth));
    sum.rays = rays;
    return sum;
  }

 private:
  // Equal powers are told apart by azimuth, so that the order does not matter.
  TESSERAY_HD void consider_strongest(float candidate, float azimuth) {
    if (candidate < strongest_gain || (candidate == strongest_gain && azimuth >= strongest_azimuth)) return;
    strongest_gain = candidate;
    strongest_azimuth = azimuth;
  }
};

static_assert(sizeof(ScatteredSums) == 64);

// Where it is small enough for them, to the small sums.
template <class Adder = AddAlone>
TESSERAY_HD void add_scattered(const DiffuseSum& sum, ScatteredSums& small, ArrivalSums& sums,
                               const Adder& adder = Adder()) {
  if (ScatteredSums::takes(sum)) {
    small.add(sum, adder);
  } else {
    sums.add(sum, adder);
  }
}

}  // namespace tesseray
