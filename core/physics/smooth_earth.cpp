// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/smooth_earth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/base/units.h"

namespace tesseray {
namespace {

constexpr double root_3 = 1.73205080756887729353;
constexpr Complex sixth_of_turn{0.5, 0.5 * root_3};  // e^{jπ/3}

Complex exp_of(Complex z) { return std::exp(z.re) * exp_j(z.im); }

// The square root with Re ≥ 0, of what is not on the negative real axis.
Complex root_of(Complex z) {
  const Complex root = sqrt_decaying(z);
  return root.re < 0 ? -root : root;
}

// Σ u_k (sign/ζ)^k over even and over odd k: u_k of Airy's function far out (DLMF 9.7.2).
struct FarSums {
  Complex even{1, 0}, odd;
};

FarSums far_sums(Complex zeta, Complex sign) {
  constexpr int terms = 16;
  const Complex ratio = sign / zeta;
  FarSums sums;
  Complex term{1, 0};
  for (int k = 1; k < terms; ++k) {
    term = ((6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2.0 * k - 1))) * (ratio * term);
    Complex& sum = k % 2 == 0 ? sums.even : sums.odd;
    sum = sum + term;
  }
  return sums;
}

// Where it does not turn its sign: behind the line at 2π/3.
Complex airy_far(Complex z) {
  const Complex root = root_of(z), zeta = (2.0 / 3) * (z * root);
  const FarSums sums = far_sums(zeta, {-1, 0});
  return (0.5 / std::sqrt(pi)) * (exp_of(-zeta) * (sums.even + sums.odd) / root_of(root));
}

// About the negative real axis, at −w: DLMF 9.7.9, with both waves of the cosine and the sine by themselves.
Complex airy_far_oscillating(Complex w) {
  const Complex root = root_of(w), zeta = (2.0 / 3) * (w * root);
  constexpr Complex j{0, 1};
  const FarSums sums = far_sums(zeta, j);
  const Complex eighth = exp_j(-0.25 * pi), wave = exp_of(j * zeta) * eighth,
                other = exp_of(-(j * zeta)) * conj(eighth);
  // P = Σ (−1)^k u_2k/ζ^2k is the even sum, and j Q the odd one.
  return (0.5 / std::sqrt(pi)) * ((wave * (sums.even - sums.odd) + other * (sums.even + sums.odd)) / root_of(root));
}

// Maclaurin's series (DLMF 9.4.1).
Complex airy_near(Complex z) {
  constexpr double at_0 = 0.35502805388781723926, minus_slope_at_0 = 0.25881940379280679840;
  constexpr int terms = 40;
  const Complex cube = z * z * z;
  Complex even{1, 0}, odd = z, of_even = even, of_odd = odd;
  for (int k = 1; k < terms; ++k) {
    of_even = (1 / ((3.0 * k - 1) * (3.0 * k))) * (cube * of_even);
    of_odd = (1 / ((3.0 * k) * (3.0 * k + 1))) * (cube * of_odd);
    even = even + of_even;
    odd = odd + of_odd;
  }
  return at_0 * even - minus_slope_at_0 * odd;
}

// A zero of Airy's function, on the negative real axis, and the square of the slope there.
struct AiryZero {
  double place, squared_slope;
};

constexpr std::size_t most_terms = 80;

// DLMF 9.9.6 and 9.9.7; the first ones by number (DLMF table 9.9.1).
std::array<AiryZero, most_terms> make_airy_zeros() {
  std::array<AiryZero, most_terms> zeros{};
  constexpr std::array<AiryZero, 4> first{{{-2.33810741045976703849, 0.70121082272069136249},
                                           {-4.08794944413097061664, 0.80311136965486396343},
                                           {-5.52055982809555105913, 0.86520402589415193082},
                                           {-6.78670809007175899878, 0.91085073704960300374}}};
  for (std::size_t s = 0; s < most_terms; ++s) {
    if (s < first.size()) {
      zeros[s] = {first[s].place, first[s].squared_slope * first[s].squared_slope};
      continue;
    }
    const double t = 3 * pi * (4.0 * static_cast<double>(s) + 3) / 8, r = 1 / (t * t);
    const double slope =
        std::pow(t, 1.0 / 6) / std::sqrt(pi) * (1 + r * (5.0 / 48 + r * (-1525.0 / 4608 + r * 2397875.0 / 663552)));
    zeros[s] = {-std::pow(t, 2.0 / 3) * (1 + r * (5.0 / 48 + r * (-5.0 / 36 + r * 77125.0 / 82944))), slope * slope};
  }
  return zeros;
}

const std::array<AiryZero, most_terms>& airy_zeros() {
  static const std::array<AiryZero, most_terms> zeros = make_airy_zeros();
  return zeros;
}

}  // namespace

Complex airy_function(Complex z) {
  constexpr double near = 6.5;
  if (z.im < 0) return conj(airy_function(conj(z)));
  const double size = norm(z);
  if (size < near) return airy_near(z);
  return z.re > -0.5 * size ? airy_far(z) : airy_far_oscillating(-z);
}

SmoothEarth::SmoothEarth(double radius_m, double wavelength_m, Complex impedance)
    : distance_unit_m_(std::cbrt(wavelength_m * radius_m * radius_m / pi)),
      height_unit_m_(std::cbrt(radius_m * wavelength_m * wavelength_m / (8 * pi * pi))) {
  const double wave_number = 2 * pi / wavelength_m;
  // −u/(∂u/∂n) at the ground: heights count from there, to the third order of this.
  if (squared_norm(impedance) > 0) depth_ = Complex{1, 0} / (Complex{0, wave_number * height_unit_m_} * impedance);
}

double SmoothEarth::share_at(double distance_m) const {
  // Most terms take 0.22 units. Deeper than 0.3 units the ground's impedance takes part otherwise.
  constexpr double no_distance = 0.22, all_distance = 0.3, all_depth = 0.3, no_depth = 0.5;
  const double by_distance = (distance_m / distance_unit_m_ - no_distance) / (all_distance - no_distance);
  const double by_depth = (no_depth - norm(depth_)) / (no_depth - all_depth);
  return std::clamp(by_distance, 0.0, 1.0) * std::clamp(by_depth, 0.0, 1.0);
}

Complex SmoothEarth::factor(double distance_m, double height_m, double other_height_m) const {
  constexpr double negligible = 1e-5;
  const double x = distance_m / distance_unit_m_, y = height_m / height_unit_m_,
               other_y = other_height_m / height_unit_m_;
  const Complex above = sixth_of_turn * (Complex{y, 0} + depth_),
                other_above = sixth_of_turn * (Complex{other_y, 0} + depth_);
  Complex sum;
  int small = 0;
  for (const AiryZero& zero : airy_zeros()) {
    const Complex at{zero.place, 0};
    // e^{−jκx} with κ = |a| e^{−jπ/3}, less the depth.
    const Complex exponent = Complex{0, x} * (zero.place * conj(sixth_of_turn) + depth_);
    const Complex term =
        (1 / zero.squared_slope) * (exp_of(exponent) * airy_function(at + above) * airy_function(at + other_above));
    sum = sum + term;
    // A height gain may have a zero of its own.
    small = squared_norm(term) > negligible * negligible * squared_norm(sum) ? 0 : small + 1;
    if (small == 2) break;
  }
  const double apart = y - other_y;
  const double straight = 0.25 * apart * apart / x + 0.5 * (y + other_y) * x - x * x * x / 12;
  return std::sqrt(4 * pi * x) * (exp_j(straight - 0.25 * pi) * sixth_of_turn * sum);
}

}  // namespace tesseray
