// SPDX-License-Identifier: GPL-3.0-or-later
// Complex numbers and complex vectors (phasors of the electric field) for host and device. Time factor e^{+jωt}.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

struct Complex {
  double re = 0, im = 0;
  friend TESSERAY_HD constexpr bool operator==(const Complex&, const Complex&) = default;
};

TESSERAY_HD constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
TESSERAY_HD constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
TESSERAY_HD constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
TESSERAY_HD constexpr Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
TESSERAY_HD constexpr Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }
TESSERAY_HD constexpr Complex conj(Complex a) { return {a.re, -a.im}; }
TESSERAY_HD constexpr double squared_norm(Complex a) { return a.re * a.re + a.im * a.im; }
TESSERAY_HD inline double norm(Complex a) { return std::sqrt(squared_norm(a)); }
// REQUIRES: b is not zero, and its square neither over- nor underflows.
TESSERAY_HD constexpr Complex operator/(Complex a, Complex b) {
  const double inverse = 1.0 / squared_norm(b);
  return {(a.re * b.re + a.im * b.im) * inverse, (a.im * b.re - a.re * b.im) * inverse};
}

// e^{j phase}, phase in rad.
TESSERAY_HD inline Complex exp_j(double phase) { return {std::cos(phase), std::sin(phase)}; }

// The square root with Im ≤ 0: a wave e^{−jkz√ε} that decays into a lossy medium. Positive reals keep Re > 0.
TESSERAY_HD inline Complex sqrt_decaying(Complex a) {
  const double larger = std::sqrt(0.5 * (norm(a) + std::fabs(a.re)));
  if (larger == 0.0) return {};
  const double smaller = std::fabs(a.im) / (2.0 * larger);
  const double re = a.re >= 0.0 ? larger : smaller;
  const double im = a.re >= 0.0 ? smaller : larger;
  return {a.im > 0.0 ? -re : re, -im};
}

// A complex vector in the scene frame.
struct ComplexVec3 {
  Complex x, y, z;
  friend TESSERAY_HD constexpr bool operator==(const ComplexVec3&, const ComplexVec3&) = default;
};

TESSERAY_HD constexpr ComplexVec3 operator+(const ComplexVec3& a, const ComplexVec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
TESSERAY_HD constexpr ComplexVec3 operator-(const ComplexVec3& a, const ComplexVec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
TESSERAY_HD constexpr ComplexVec3 operator*(Complex s, const ComplexVec3& a) { return {s * a.x, s * a.y, s * a.z}; }
TESSERAY_HD constexpr ComplexVec3 operator*(double s, const ComplexVec3& a) { return {s * a.x, s * a.y, s * a.z}; }
TESSERAY_HD constexpr ComplexVec3 operator*(Complex s, Vec3 a) { return {a.x * s, a.y * s, a.z * s}; }
// Without conjugate: how an antenna or a dyad takes a component of a field.
TESSERAY_HD constexpr Complex dot(const ComplexVec3& a, Vec3 b) { return b.x * a.x + b.y * a.y + b.z * a.z; }
TESSERAY_HD constexpr double squared_norm(const ComplexVec3& a) {
  return squared_norm(a.x) + squared_norm(a.y) + squared_norm(a.z);
}

}  // namespace tesseray
