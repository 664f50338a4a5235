// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering/scattering_lobes.h"

#include <array>
#include <cmath>

namespace tesseray {
namespace {

using Powers = std::array<double, greatest_lobe_exponent + 1>;

Powers powers(double base, int most) {
  Powers result{};
  result[0] = 1;
  for (int i = 0; i < most; ++i) result[static_cast<std::size_t>(i) + 1] = result[static_cast<std::size_t>(i)] * base;
  return result;
}

// Calls visit(monomial x^i y^j z^k, n! / (i! j! k! (n−i−j−k)!), number) for each of degree up to n, in the order of the
// coefficients.
template <class Visit>
void for_each_monomial(int n, Vec3 v, const Visit& visit) {
  const Powers x = powers(v.x, n), y = powers(v.y, n), z = powers(v.z, n);
  std::size_t number = 0;
  double choose_i = 1;  // C(n, i)
  for (int i = 0; i <= n; ++i) {
    double choose_j = 1;  // C(n−i, j)
    for (int j = 0; j <= n - i; ++j) {
      double choose_k = 1;  // C(n−i−j, k)
      const double xy = x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
      for (int k = 0; k <= n - i - j; ++k) {
        visit(xy * z[static_cast<std::size_t>(k)], choose_i * choose_j * choose_k, number++);
        choose_k *= static_cast<double>(n - i - j - k) / (k + 1);
      }
      choose_j *= static_cast<double>(n - i - j) / (j + 1);
    }
    choose_i *= static_cast<double>(n - i) / (i + 1);
  }
}

}  // namespace

void add_lobe(int alpha, double power, Vec3 specular, std::span<double> coefficients) {
  const double scale = std::ldexp(power, -alpha);
  for_each_monomial(alpha, specular, [&](double monomial, double multinomial, std::size_t number) {
    coefficients[number] += scale * multinomial * monomial;
  });
}

}  // namespace tesseray
