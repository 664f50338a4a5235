// SPDX-License-Identifier: GPL-3.0-or-later
// Two edges of one face along which the wave between them runs: limits of what is exact otherwise (docs/physics.md
// §5.5).
#include "core/physics/common_face.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "tests/support/transition_function.h"

namespace tesseray {
namespace {

constexpr TransitionAccuracy accurate = TransitionAccuracy::accurate;
constexpr double wave_number = 19, distance_m = 5;
constexpr Complex one{1, 0};

void expect_near(Complex a, Complex b, double relative, const char* what) {
  EXPECT_LE(norm(a - b), relative * norm(b))
      << what << ": " << a.re << " + " << a.im << "j, " << b.re << " + " << b.im << 'j';
}

// By SciPy's Faddeeva function.
TEST(CommonFace, SurfacesAttenuateLikeSommerfeldsFunction) {
  const std::array<std::pair<Complex, Complex>, 9> values{{{{0.3, -0.1}, {0.416631, -0.210466}},
                                                           {{2, 1.5}, {-0.0158163, -0.204567}},
                                                           {{0, 0.5}, {0.275222, -0.760173}},
                                                           {{8, -8}, {0.0306363, -0.0262452}},
                                                           {{15, 6}, {-0.009042, -0.0304365}},
                                                           {{0, 19.9}, {-0.0273128, -1.80111e-08}},
                                                           {{0, 25}, {-0.0213407, -1.23079e-10}},
                                                           {{30, -20}, {0.00787772, -0.0110159}},
                                                           {{100, -3}, {0.00022443, -0.00498916}}}};
  for (const auto& [x, expected] : values) expect_near(attenuation_along_surface(x), expected, 1e-3, "complex");
  for (const double x : {0.0, 0.01, 1.0, 7.0, 19.0, 21.0, 1e3}) {
    expect_near(attenuation_along_surface({x, 0}), one - transition_function(x), 1e-3, "real");
  }
}

Wedge wedge_of(double n, Complex eps) {
  Wedge wedge;
  wedge.exterior_angle = n * pi;
  wedge.eps_0 = wedge.eps_n = eps;
  return wedge;
}

Vec3 direction_at(double angle, double beta) {
  return {std::sin(beta) * std::cos(angle), std::sin(beta) * std::sin(angle), std::cos(beta)};
}

WedgeIncidence from(const Wedge& wedge, double angle, double beta) {
  return wedge_incidence(wedge, -1.0 * direction_at(angle, pi - beta));
}

AlongFace along(const Wedge& wedge, double beta) {
  const BoundaryImpedances impedance = boundary_impedances(wedge.eps_0, 0);
  const double scale = 1 / std::sin(beta);
  return {true, 0, {scale * impedance.te, scale * impedance.tm}, {one, one}};
}

WedgeDiffraction plain(const WedgeIncidence& w, double observer) {
  return wedge_coefficients<accurate>(w, observer, {std::cos(observer), std::sin(observer)},
                                      {distance_m, distance_m, distance_m}, wave_number);
}

// What a wave at the angle ψ over the face has of (A + Δ A′): 2 sin ψ/(sin ψ + Δ).
Complex share(double angle, Complex impedance) {
  const double sine = std::sin(angle);
  return 2 * sine * (one / (Complex{sine, 0} + impedance));
}

TEST(CommonFace, CoefficientsAreTheLimitOfThoseNearTheFace) {
  constexpr double near = 1e-3;
  for (const Complex eps : {Complex{5, -0.2}, Complex{2, -8}}) {
    for (const double n : {1.2, 1.5, 1.8}) {
      for (const double beta : {0.5 * pi, 0.7}) {
        const Wedge wedge = wedge_of(n, eps);
        const AlongFace face = along(wedge, beta);
        const auto expect = [&](const WedgeDiffraction& d, const WedgeDiffraction& at_angle, int faces,
                                const char* what) {
          const Complex te = share(near, face.impedance.te), tm = share(near, face.impedance.tm);
          expect_near((faces == 2 ? te * te : te) * d.soft, at_angle.soft, 0.02, what);
          expect_near((faces == 2 ? tm * tm : tm) * d.hard, at_angle.hard, 0.02, what);
        };
        for (const double other : {0.3, 1.1, 0.45 * n * pi}) {
          const WedgeIncidence w = from(wedge, other, beta), grazing = from(wedge, 0, beta);
          const CosSin there{std::cos(other), std::sin(other)};
          expect(coefficients_along_faces<accurate>(w, {}, face, n * pi, w.exterior, distance_m, wave_number),
                 plain(w, n * pi - near), 1, "leaves along the other face");
          expect(coefficients_along_faces<accurate>(w, {}, face, 0, {}, distance_m, wave_number), plain(w, near), 1,
                 "leaves along the same face");
          expect(coefficients_along_faces<accurate>(grazing, face, {}, other, there, distance_m, wave_number),
                 plain(from(wedge, near, beta), other), 1, "comes along a face");
          expect(coefficients_along_faces<accurate>(grazing, face, face, n * pi, grazing.exterior, distance_m,
                                                    wave_number),
                 plain(from(wedge, near, beta), n * pi - near), 2, "comes and leaves");
        }
      }
    }
  }
}

// The way between two edges of one wall as the product of both coefficients.
struct Pair {
  WedgeDiffraction first, second;
  Complex soft() const { return first.soft * second.soft; }
  Complex hard() const { return first.hard * second.hard; }
};

CommonFace face_of(Complex eps, double sine, double apart_m) { return {{eps, sine}, {eps, sine}, apart_m, {}, true}; }

Pair pair_of(Complex eps, double sine, double source, double observer, double apart_m) {
  const Wedge wedge = wedge_of(1.5, eps);
  const CommonFace face = face_of(eps, sine, apart_m);
  const WedgeIncidence w = from(wedge, source, 0.5 * pi), grazing = from(wedge, 0, 0.5 * pi);
  return {coefficients_along_faces<accurate>(w, {}, leaving_along(face, 1, wave_number), 1.5 * pi, w.exterior,
                                             distance_m, wave_number),
          coefficients_along_faces<accurate>(grazing, arriving_along(face, 1, wave_number), {}, observer,
                                             {std::cos(observer), std::sin(observer)}, distance_m, wave_number)};
}

TEST(CommonFace, ConductorsHaveHalfTheProductAndTheSlopes) {
  constexpr double source = 0.8, observer = 4.1, apart_m = 7;
  const Wedge wedge = wedge_of(1.5, perfect_conductor_permittivity);
  const Pair pair = pair_of(perfect_conductor_permittivity, 0, source, observer, apart_m);
  const WedgeIncidence w = from(wedge, source, 0.5 * pi), grazing = from(wedge, 0, 0.5 * pi);
  expect_near(pair.hard(), 0.5 * (plain(w, 1.5 * pi).hard * plain(grazing, observer).hard), 1e-6, "hard");
  constexpr double step = 1e-4;
  const Complex first = (1 / step) * plain(w, 1.5 * pi - step).soft;
  const Complex second = (1 / step) * plain(from(wedge, step, 0.5 * pi), observer).soft;
  expect_near(pair.soft(), first * second / Complex{0, 2 * wave_number * apart_m}, 0.02, "soft");
}

TEST(CommonFace, IsTheSameBothWaysAndWhereWallsBendByLittle) {
  const Complex eps{5, -1};
  for (const double sine : {0.0, 0.02}) {
    const Pair there = pair_of(eps, sine, 0.8, 1.5 * pi - 0.3, 7), back = pair_of(eps, sine, 0.3, 1.5 * pi - 0.8, 7);
    expect_near(there.soft(), back.soft(), 1e-9, "soft");
    expect_near(there.hard(), back.hard(), 1e-9, "hard");
  }
  // A millimetre in 7 m.
  const Pair flat = pair_of(eps, 0, 0.8, 4.1, 7), bent = pair_of(eps, 0.001 / 3.5, 0.8, 4.1, 7);
  expect_near(bent.soft(), flat.soft(), 0.02, "soft");
  expect_near(bent.hard(), flat.hard(), 0.02, "hard");
}

// Far over both walls the waves' own coefficients serve.
TEST(CommonFace, WallsFarBelowTheWayReflectByThemselves) {
  const Complex eps{5, -1};
  const Wedge wedge = wedge_of(1.5, eps);
  for (const double apart_m : {5.0, 20.0, 80.0}) {
    const double sine = std::sqrt(2 * pi / (wave_number * apart_m));  // the first Fresnel zone is clear
    const double angle = std::asin(sine);
    const WedgeDiffraction first = plain(from(wedge, 0.8, 0.5 * pi), 1.5 * pi - angle);
    const WedgeDiffraction second = plain(from(wedge, angle, 0.5 * pi), 4.1);
    const Pair pair = pair_of(eps, sine, 0.8, 4.1, apart_m);
    EXPECT_LE(std::fabs(20 * std::log10(norm(pair.soft() / (first.soft * second.soft)))), 1.5) << apart_m;
    EXPECT_LE(std::fabs(20 * std::log10(norm(pair.hard() / (first.hard * second.hard)))), 1.5) << apart_m;
  }
}

}  // namespace
}  // namespace tesseray
