// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse scattering: conservation of power, reciprocity, lobes (docs/physics.md §7).
#include "core/physics/scattering.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scattering_cross_section.h"

namespace tesseray {
namespace {

const Complex wall{5.0, -0.2};

// Integral over the half-space of a lobe given as a function of the scattered direction.
template <class Lobe>
double hemisphere_integral(const Lobe& lobe) {
  constexpr int rows = 400;
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    const double z = (i + 0.5) / rows, level = std::sqrt(1.0 - z * z);
    for (int j = 0; j < 2 * rows; ++j) {
      const double a = pi * (j + 0.5) / rows;
      sum += lobe(Vec3{level * std::cos(a), level * std::sin(a), z});
    }
  }
  return sum * pi / (rows * static_cast<double>(rows));
}

TEST(Scattering, LobesHoldAllThePower) {
  EXPECT_NEAR(hemisphere_integral([](Vec3 s) { return lambertian_lobe(s.z); }), 1.0, 1e-5);
  for (const int alpha : {0, 1, 2, 3, 4, 7, 10}) {
    for (const double incidence : {0.0, 0.4, 1.0, 1.5}) {
      const Vec3 specular{std::sin(incidence), 0, std::cos(incidence)};
      const double total =
          hemisphere_integral([&](Vec3 s) { return directive_lobe(alpha, std::cos(incidence), dot(s, specular)); });
      EXPECT_NEAR(total, 1.0, 2e-4) << alpha << " " << incidence;
    }
  }
}

TEST(Scattering, NoPowerIsCreated) {
  // Reflected, scattered and transmitted parts: |Γ|²(1 − S²) + |Γ|² S² + (1 − |Γ|²) = 1.
  for (const double s : {0.0, 0.2, 0.4, 0.9, 1.0}) {
    const double r = specular_reduction(s);
    for (const double c : {0.1, 0.5, 1.0}) {
      const double reflected = mean_reflectance(wall, c);
      EXPECT_NEAR(r * r * reflected + scattered_fraction(ScatteringModel::reflected, s, wall, c, 0.3), reflected,
                  1e-15);
    }
  }
  EXPECT_EQ(specular_reduction(1.5), 0.0);
}

TEST(Scattering, GrazedGroundIsAMirror) {
  for (const double s : {0.0, 0.4, 0.9, 1.0}) {
    EXPECT_EQ(specular_reduction_of_grazed_ground(s, 1), specular_reduction(s));
    EXPECT_EQ(specular_reduction_of_grazed_ground(s, 0), 1.0);
    EXPECT_NEAR(specular_reduction_of_grazed_ground(s, 0.5), std::sqrt(1 - 0.25 * s * s), 1e-15);
  }
}

TEST(Scattering, ModelsAndReciprocity) {
  const double c_i = 0.8, c_s = 0.3;
  const double incident = scattering_cross_section(ScatteringModel::incident, 0.4, wall, 10, c_i, c_s);
  EXPECT_NEAR(incident, 10 * 0.16 * c_i * c_s / pi, 1e-15);
  for (const ScatteringModel model : {ScatteringModel::incident, ScatteringModel::reciprocal}) {
    const double there = scattering_cross_section(model, 0.4, wall, 10, c_i, c_s);
    EXPECT_NEAR(scattering_cross_section(model, 0.4, wall, 10, c_s, c_i), there, 1e-15);
  }
  EXPECT_GT(std::fabs(scattering_cross_section(ScatteringModel::reflected, 0.4, wall, 10, c_i, c_s) -
                      scattering_cross_section(ScatteringModel::reflected, 0.4, wall, 10, c_s, c_i)),
            1e-4);
  EXPECT_NEAR(scattering_cross_section(ScatteringModel::reciprocal, 0.4, wall, 10, c_i, c_s) / incident,
              std::sqrt(mean_reflectance(wall, c_i) * mean_reflectance(wall, c_s)), 1e-12);
}

TEST(Scattering, NothingBehindTheSurface) {
  for (const ScatteringModel model :
       {ScatteringModel::incident, ScatteringModel::reflected, ScatteringModel::reciprocal}) {
    EXPECT_EQ(scattering_cross_section(model, 0.4, wall, 10, -0.1, 0.5), 0.0);
    EXPECT_EQ(scattering_cross_section(model, 0.4, wall, 10, 0.5, 0.0), 0.0);
    EXPECT_EQ(directive_scattering_cross_section(model, 0.4, wall, 4, 10, 0.5, -0.5, 0.9), 0.0);
  }
}

TEST(ParallelogramSolidAngle, ClosedForms) {
  // A cube's face from its centre is a sixth of the sphere.
  EXPECT_NEAR(parallelogram_solid_angle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 4 * pi / 6, 1e-12);
  // From just above it fills the half-space, from either side.
  EXPECT_NEAR(parallelogram_solid_angle({0, 0, 1e-9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}), 2 * pi, 1e-6);
  EXPECT_NEAR(parallelogram_solid_angle({0, 0, -1e-9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}), 2 * pi, 1e-6);
  // Far away: area · cosine / distance².
  EXPECT_NEAR(parallelogram_solid_angle({0, 600, 800}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}), 4 * 0.8 / 1e6, 1e-11);
  // Two halves make the whole.
  const Vec3 point{3, -2, 1.5};
  EXPECT_NEAR(parallelogram_solid_angle(point, {-1, 0, 0}, {1, 0, 0}, {0, 3, 0}) +
                  parallelogram_solid_angle(point, {1, 0, 0}, {1, 0, 0}, {0, 3, 0}),
              parallelogram_solid_angle(point, {0, 0, 0}, {2, 0, 0}, {0, 3, 0}), 1e-12);
  EXPECT_EQ(parallelogram_solid_angle(point, {0, 0, 0}, {0, 0, 0}, {0, 3, 0}), 0.0);
  // In the plane of the rectangle, beside it.
  EXPECT_EQ(parallelogram_solid_angle({9, 0, 0}, {0, 0, 0}, {2, 0, 0}, {0, 3, 0}), 0.0);
}

TEST(ParallelogramSolidAngle, IsTheSumOverItsArea) {
  const Vec3 centre{1, 2, 0.5}, half_u{2, 0, 0.4}, half_v{0.3, 1.5, -0.6}, point{2, 1, 3};
  const Vec3 area = cross(half_u, half_v);
  constexpr int parts = 400;
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      const double u = (2.0 * i + 1) / parts - 1, v = (2.0 * j + 1) / parts - 1;
      const Vec3 way = centre + u * half_u + v * half_v - point;
      sum += 4.0 / (parts * parts) * std::fabs(dot(area, way)) / std::pow(norm(way), 3);
    }
  }
  EXPECT_NEAR(parallelogram_solid_angle(point, centre, half_u, half_v), sum, 1e-5);
}

}  // namespace
}  // namespace tesseray
