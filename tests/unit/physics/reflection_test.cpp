// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of reflection that need no table: energy, limits, invariance (docs/physics.md §1).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/physics/fresnel.h"
#include "core/physics/material.h"

namespace tesseray {
namespace {

TEST(Complex, RootDecaysAndSquaresBack) {
  for (const Complex a : {Complex{4, 0}, Complex{-4, 0}, Complex{3, -4}, Complex{3, 4}, Complex{-3, 4}, Complex{-3, -4},
                          Complex{0, 0}, Complex{1, -1e9}, Complex{-1e-12, 0}}) {
    const Complex root = sqrt_decaying(a);
    EXPECT_LE(root.im, 0.0);
    EXPECT_LE(norm(root * root - a), 1e-14 * norm(a)) << a.re << " " << a.im;
  }
  EXPECT_EQ(sqrt_decaying({4, 0}), (Complex{2, 0}));
}

TEST(Fresnel, NeverReflectsMoreThanArrives) {
  for (const ItuMaterial& material : itu_materials()) {
    for (const double frequency_hz : {450e6, 850e6, 3.5e9, 60e9}) {
      const Complex eps = relative_permittivity(electric_properties(material.law, frequency_hz), frequency_hz);
      for (int i = 0; i <= 64; ++i) {
        const double c = i / 64.0;
        const FresnelCoefficients gamma = fresnel(eps, c);
        EXPECT_LE(squared_norm(gamma.te), 1.0 + 1e-12) << material.name << c;
        EXPECT_LE(squared_norm(gamma.tm), 1.0 + 1e-12) << material.name << c;
      }
    }
  }
}

TEST(Fresnel, Limits) {
  const Complex eps{5.0, -0.2};
  const FresnelCoefficients normal = fresnel(eps, 1.0), grazing = fresnel(eps, 0.0);
  EXPECT_LE(norm(normal.te + normal.tm), 1e-15);
  EXPECT_LE(norm(grazing.te - Complex{-1, 0}), 1e-15);
  EXPECT_LE(norm(grazing.tm - Complex{-1, 0}), 1e-15);
  const FresnelCoefficients conductor = fresnel(perfect_conductor_permittivity, 0.3);
  EXPECT_EQ(conductor.te, (Complex{-1, 0}));
  EXPECT_EQ(conductor.tm, (Complex{1, 0}));
  for (const double c : {0.0, 0.5, 1.0}) EXPECT_EQ(squared_norm(fresnel({1, 0}, c).te), 0.0);
  // Brewster's angle of a lossless half-space.
  EXPECT_LE(norm(fresnel({4, 0}, std::cos(std::atan(2.0))).tm), 1e-15);
  // Cosines that rounding has pushed out of the range.
  EXPECT_EQ(fresnel(eps, 1.0 + 1e-15).te, normal.te);
  EXPECT_EQ(fresnel(eps, -1e-15).te, grazing.te);
}

TEST(BoundaryImpedances, GiveFresnelsCoefficients) {
  for (const Complex eps : {Complex{5, -0.2}, Complex{80, -600}, perfect_conductor_permittivity, Complex{1, 0}}) {
    for (const double c : {0.01, 0.3, 1.0}) {
      const FresnelCoefficients gamma = fresnel(eps, c);
      const BoundaryImpedances of = boundary_impedances(eps, c);
      const auto coefficient = [&](Complex impedance) {
        return (Complex{c, 0} - impedance) / (Complex{c, 0} + impedance);
      };
      EXPECT_LE(norm(coefficient(of.te) - gamma.te), 1e-12) << c;
      EXPECT_LE(norm(coefficient(of.tm) - gamma.tm), 1e-12) << c;
    }
  }
}

Vec3 random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> gauss;
  const double x = gauss(random), y = gauss(random), z = gauss(random);
  return normalized({x, y, z});
}

// Any transverse complex field of a wave along k.
ComplexVec3 random_field(std::mt19937_64& random, Vec3 k) {
  const Vec3 a = normalized(cross(k, random_direction(random)));
  std::uniform_real_distribution<double> part(-1, 1);
  const double p = part(random), q = part(random), r = part(random), s = part(random);
  return Complex{p, q} * a + Complex{r, s} * cross(k, a);
}

TEST(ReflectedField, IsTransverseAndLosesNoPowerOnAConductor) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 k = random_direction(random), normal = random_direction(random);
    const ComplexVec3 incident = random_field(random, k);
    const ComplexVec3 reflected = reflected_field(incident, k, normal, perfect_conductor_permittivity);
    EXPECT_LE(norm(dot(reflected, mirrored(k, normal))), 1e-12);
    EXPECT_NEAR(squared_norm(reflected), squared_norm(incident), 1e-12);
    // Boundary condition: no tangential field on the surface.
    const ComplexVec3 total = incident + reflected;
    EXPECT_LE(std::sqrt(squared_norm(total - dot(total, normal) * normal)), 1e-12);
    // The sense of the normal does not matter.
    const ComplexVec3 other = reflected_field(incident, k, -normal, {5, -0.1});
    EXPECT_LE(squared_norm(other - reflected_field(incident, k, normal, {5, -0.1})), 1e-24);
  }
}

TEST(ReflectedField, IsContinuousAtNormalIncidence) {
  const Complex eps{5, -0.1};
  const Vec3 normal{0, 0, 1};
  const Vec3 nearly = normalized(Vec3{1e-7, 2e-7, -1});
  const ComplexVec3 incident = Complex{1, 0} * Vec3{1, 0, 0};
  const ComplexVec3 straight = reflected_field(incident, {0, 0, -1}, normal, eps);
  EXPECT_LE(std::sqrt(squared_norm(reflected_field(incident, nearly, normal, eps) - straight)), 1e-6);
  EXPECT_LE(squared_norm(straight - fresnel(eps, 1.0).te * incident), 1e-30);
}

// Turns everything about z, then about x.
Vec3 turned(Vec3 v) {
  constexpr double c = 0.8, s = 0.6;
  const Vec3 about_z{c * v.x - s * v.y, s * v.x + c * v.y, v.z};
  return {about_z.x, s * about_z.y + c * about_z.z, s * about_z.z - c * about_z.y};
}

ComplexVec3 turned(const ComplexVec3& v) {
  const Vec3 re = turned(Vec3{v.x.re, v.y.re, v.z.re}), im = turned(Vec3{v.x.im, v.y.im, v.z.im});
  return {{re.x, im.x}, {re.y, im.y}, {re.z, im.z}};
}

TEST(ReflectedField, TurnsWithTheScene) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 100; ++i) {
    const Vec3 k = random_direction(random), normal = random_direction(random);
    const ComplexVec3 incident = random_field(random, k);
    const ComplexVec3 here = turned(reflected_field(incident, k, normal, {4, -0.5}));
    const ComplexVec3 there = reflected_field(turned(incident), turned(k), turned(normal), {4, -0.5});
    EXPECT_LE(squared_norm(here - there), 1e-24);
  }
}

}  // namespace
}  // namespace tesseray
