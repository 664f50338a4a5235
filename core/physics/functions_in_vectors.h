// SPDX-License-Identifier: GPL-3.0-or-later
// Functions in a form that the compiler turns into vectors, for host and device: with the same bits on every
// instruction set.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/host_device.h"

namespace tesseray {

// e^x for |x| < 700, within 1e-11 of itself, and e^−700 below.
[[gnu::always_inline]] TESSERAY_HD inline double exp_in_vectors(double x) {
  const double in_range = x > -700.0 ? x : -700.0;
  // 2^n e^r with n whole: adding 1.5·2^52 leaves n in the lowest bits.
  constexpr double shifter = 0x1.8p52;
  const double shifted = in_range * 1.44269504088896340736 + shifter;
  const double n = shifted - shifter;
  const double r = (in_range - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const double high =
      (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040)) + r4 * (1.0 / 40320 + r * (1.0 / 362880));
  const auto exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(low + r4 * high) + exponent);
}

// The same in single precision for x ≤ 0, within 3e-7 of itself, and e^least_exponent below: nothing becomes so small
// that a processor is slow to multiply it.
inline constexpr float least_exponent = -50;
[[gnu::always_inline]] TESSERAY_HD inline float exp_in_vectors(float x) {
  const float in_range = x > least_exponent ? x : least_exponent;
  // 2^n e^r with n whole: adding 1.5·2^23 leaves n in the lowest bits.
  constexpr float shifter = 0x1.8p23f;
  const float shifted = in_range * 1.44269504088896340736f + shifter;
  const float n = shifted - shifter;
  const float r = (in_range - n * 0.693359375f) + n * 2.12194440e-4f;
  const float r2 = r * r;
  const float low = (1.0f + r) + r2 * (1.0f / 2 + r * (1.0f / 6));
  const float high = (1.0f / 24 + r * (1.0f / 120)) + r2 * (1.0f / 720);
  const auto exponent = std::bit_cast<std::uint32_t>(shifted) << 23;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(low + (r2 * r2) * high) + exponent);
}

// cos x and −sin x for |x| < 10^5, within 1e-11 of the truth.
[[gnu::always_inline]] TESSERAY_HD inline void turned_back(double x, double& cosine, double& minus_sine) {
  // x = n π/2 + r with n whole, |r| ≤ π/4: adding 1.5·2^52 leaves n in the lowest bits.
  constexpr double shifter = 0x1.8p52;
  const double shifted = x * 0.63661977236758134308 + shifter;
  const double n = shifted - shifter;
  const double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const double r2 = r * r, r4 = r2 * r2;
  const double sine = r * ((1.0 - r2 * (1.0 / 6)) +
                           r4 * ((1.0 / 120 - r2 * (1.0 / 5040)) + r4 * (1.0 / 362880 - r2 * (1.0 / 39916800))));
  const double even =
      (1.0 - r2 * (1.0 / 2)) +
      r4 * ((1.0 / 24 - r2 * (1.0 / 720)) + r4 * ((1.0 / 40320 - r2 * (1.0 / 3628800)) + r4 * (1.0 / 479001600)));
  const auto quarter = std::bit_cast<std::uint64_t>(shifted);
  const bool odd = (quarter & 1) != 0;
  const double c = odd ? sine : even, s = odd ? even : sine;
  // cos x: +even, −sine, −even, +sine. sin x: +sine, +even, −sine, −even.
  const std::uint64_t flip_cosine = ((quarter + 1) & 2) << 62, flip_sine = (~quarter & 2) << 62;
  cosine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(c) ^ flip_cosine);
  minus_sine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(s) ^ flip_sine);
}

}  // namespace tesseray
