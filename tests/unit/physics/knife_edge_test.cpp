// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of the screen methods that need no table (docs/physics.md §6).
#include "core/physics/knife_edge.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/physics/diffraction.h"
#include "core/physics/screen_choice.h"
#include "tests/support/exact_knife_edges.h"

namespace tesseray {
namespace {

double loss_db(Complex factor) { return -decibels(squared_norm(factor)); }

// The same profile seen from the receiver.
std::vector<Vec2> reversed(std::vector<Vec2> profile) {
  std::vector<Vec2> result;
  for (std::size_t i = profile.size(); i-- > 0;) result.push_back({-profile[i].x, profile[i].y});
  return result;
}

TEST(KnifeEdge, GrazingCostsSixDecibels) {
  EXPECT_NEAR(knife_edge_loss_db(0.0), 20.0 * std::log10(2.0), 1e-12);
  EXPECT_EQ(approximate_knife_edge_loss_db(-0.78), 0.0);
  EXPECT_EQ(approximate_knife_edge_loss_db(-100.0), 0.0);
  EXPECT_NEAR(knife_edge_loss_db(-50.0), 0.0, 0.1);
  EXPECT_NEAR(approximate_knife_edge_loss_db(3.0), knife_edge_loss_db(3.0), 0.123);
}

TEST(KnifeEdge, TheBoundOfItsShadowHoldsAndIsNear) {
  for (double nu = 1e-3; nu < 1e4; nu *= 1.01) {
    const double there = norm(knife_edge_factor(nu));
    EXPECT_LE(there, shadow_bound(nu)) << nu;
    if (nu > 2) {
      EXPECT_GE(there, 0.98 * shadow_bound(nu)) << nu;
    }
  }
}

TEST(KnifeEdge, IsTheDiffractionOfAnAbsorbingHalfPlane) {
  // UTD with n = 2 and faces that reflect nothing, for a shallow bend: the same as the Fresnel integral.
  Wedge screen;
  screen.exterior_angle = 2.0 * pi;
  screen.eps_0 = screen.eps_n = Complex{1, 0};
  screen.round_as_screen = true;
  screen.direction = {0, 0, -1};
  screen.tangent_0 = {0, -1, 0};
  screen.normal_0 = {-1, 0, 0};
  const double wavelength = wavelength_m(850e6), wave_number = 2.0 * pi / wavelength;
  const double d1 = 500, d2 = 300;
  for (const double height : {0.5, 2.0, 8.0}) {
    const Vec3 k_i = normalized(Vec3{d1, height, 0}), k_d = normalized(Vec3{d2, -height, 0});
    const double s1 = std::hypot(d1, height), s2 = std::hypot(d2, height);
    const ComplexVec3 incident = (1.0 / s1) * (Complex{1, 0} * Vec3{0, 0, 1});
    const ComplexVec3 field =
        edge_spreading(s1, s2) * diffracted_field<TransitionAccuracy::accurate>(
                                     screen, incident, k_i, k_d, distance_parameter_m(s1, s2, 1.0), wave_number);
    const double utd_db = -decibels(squared_norm(field)) - 20.0 * std::log10(d1 + d2);
    EXPECT_NEAR(utd_db, knife_edge_loss_db(fresnel_parameter(height, d1, d2, wavelength)), 0.02) << height;
  }
}

TEST(KnifeEdge, ProfilesWorkBothWays) {
  const std::vector<Vec2> profile{{0, 30}, {200, 33}, {260, 31}, {500, 2}};
  const double wavelength = wavelength_m(850e6);
  EXPECT_NEAR(deygout_loss_db(profile, wavelength), deygout_loss_db(reversed(profile), wavelength), 1e-9);
  const Complex there = double_knife_edge_factor(profile, wavelength);
  EXPECT_LE(norm(there - double_knife_edge_factor(reversed(profile), wavelength)), 1e-10 * norm(there));
}

TEST(KnifeEdge, EmptyAndClearProfilesCostNothing) {
  const std::array<Vec2, 2> clear{Vec2{0, 10}, Vec2{100, 10}};
  EXPECT_EQ(deygout_loss_db(clear, 0.35), 0.0);
  const std::array<Vec2, 3> low{Vec2{0, 50}, Vec2{50, 0}, Vec2{100, 50}};
  EXPECT_EQ(deygout_loss_db(low, 0.35), 0.0);
}

// Terms that cancel are as great as over one edge so far below the line: exp(πν²/2). Crests add none.
TEST(CancellingExponent, IsThatOfWhatLiesBelowTheHull) {
  constexpr double wavelength = 0.35;
  const double nu = fresnel_parameter(-3, 80, 120, wavelength), one = 0.5 * pi * nu * nu;
  const auto exponent = [&](const std::vector<Vec2>& path) { return cancelling_exponent(path, wavelength); };
  EXPECT_NEAR(exponent({{0, 10}, {80, 7}, {200, 10}}), one, 1e-9);
  EXPECT_NEAR(exponent({{0, 10}, {80, 13}, {200, 10}}), 0, 1e-9);
  EXPECT_NEAR(exponent({{0, 10}, {80, 7}, {200, 10}, {280, 7}, {400, 10}}), 2 * one, 1e-9);
  EXPECT_NEAR(exponent({{0, 0}, {80, 6}, {100, 10}, {120, 9}, {220, 0}}),
              0.5 * pi * (std::pow(fresnel_parameter(-2, 80, 20, wavelength), 2)), 1e-9);
}

TEST(DoubleKnifeEdge, ReducesToOneEdge) {
  const double wavelength = wavelength_m(1.9e9);
  // The second edge far below the line.
  const std::vector<Vec2> deep{{0, 20}, {300, 25}, {400, -2000}, {600, 20}};
  const double single = knife_edge_loss_db(fresnel_parameter(5, 300, 300, wavelength));
  EXPECT_NEAR(loss_db(double_knife_edge_factor(deep, wavelength)), single, 0.05);
  // Both edges at almost the same place.
  const std::vector<Vec2> twin{{0, 20}, {300, 25}, {300.001, 25}, {600, 20}};
  EXPECT_NEAR(loss_db(double_knife_edge_factor(twin, wavelength)), single, 0.05);
}

TEST(DoubleKnifeEdge, EqualSpacingAtGrazing) {
  // N grazing edges at equal spacing leave 1/(N + 1) of the field, for any frequency.
  const std::vector<Vec2> profile{{0, 7}, {80, 7}, {160, 7}, {240, 7}};
  for (const double frequency_hz : {450e6, 3.5e9}) {
    EXPECT_LE(norm(double_knife_edge_factor(profile, wavelength_m(frequency_hz)) - Complex{1.0 / 3.0, 0.0}), 1e-12);
  }
}

}  // namespace
}  // namespace tesseray
