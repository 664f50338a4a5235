// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of wedge diffraction that need no table (docs/physics.md §5, §12).
#include "core/physics/diffraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/transition_function.h"

namespace tesseray {
namespace {

constexpr TransitionAccuracy accurate = TransitionAccuracy::accurate;
constexpr TransitionAccuracy fast = TransitionAccuracy::fast;

TEST(AngleFunctions, AgreeWithTheLibrary) {
  for (int i = 0; i <= 6283; ++i) {
    const double angle = 1e-3 * i;
    const double length = 0.1 + angle;
    EXPECT_NEAR(angle_of(length * std::cos(angle), length * std::sin(angle), length), angle, 2e-15);
    const CosSin turn = cos_sin_turn(angle);
    EXPECT_NEAR(turn.cos, std::cos(angle), 2e-15);
    EXPECT_NEAR(turn.sin, std::sin(angle), 2e-15);
    if (angle > 0.5 * pi) continue;
    const CosSin quarter = cos_sin_quarter(angle);
    EXPECT_NEAR(quarter.cos, std::cos(angle), 5e-16);
    EXPECT_NEAR(quarter.sin, std::sin(angle), 5e-16);
  }
}

TEST(TransitionFunction, Limits) {
  EXPECT_EQ(transition_function(0.0), (Complex{0, 0}));
  EXPECT_LE(norm(transition_function(1e12) - Complex{1, 0}), 1e-12);
  EXPECT_LE(norm(transition_function_fast(1e12) - Complex{1, 0}), 1e-12);
  // Where one form takes over from the other.
  for (const double x : {8.0, 39.0}) {
    EXPECT_LE(norm(transition_function(x * (1 + 1e-12)) - transition_function(x)), 1e-12);
    EXPECT_LE(norm(transition_function_fast(x * (1 + 1e-12)) - transition_function_fast(x)), 2e-6);
  }
}

Vec3 direction_at(double angle, double beta = 0.5 * pi) {
  return {std::sin(beta) * std::cos(angle), std::sin(beta) * std::sin(angle), std::cos(beta)};
}

Wedge wedge_of(double n, Complex eps) {
  Wedge wedge;
  wedge.exterior_angle = n * pi;
  wedge.eps_0 = wedge.eps_n = eps;
  return wedge;
}

constexpr double wave_number = 2.0 * pi;  // lengths in wavelengths

// Direct, reflected and diffracted field (z component) of a unit line-like plane wave, at rho wavelengths from the
// edge.
Complex total_field(const Wedge& wedge, double source, double observer, double rho) {
  const ComplexVec3 incident = Complex{1, 0} * Vec3{0, 0, 1};
  Complex total =
      ((1.0 / std::sqrt(rho)) * exp_j(-wave_number * rho)) *
      dot(diffracted_field<accurate>(wedge, incident, -direction_at(source), direction_at(observer), rho, wave_number),
          Vec3{0, 0, 1});
  const double n_pi = wedge.exterior_angle;
  const auto wave = [&](double from) { return exp_j(wave_number * rho * std::cos(observer - from)); };
  if (observer < source + pi && observer > source - pi) total = total + wave(source);
  if (observer < pi - source) total = total + fresnel(wedge.eps_0, std::fabs(std::sin(source))).te * wave(-source);
  if (observer > 2.0 * n_pi - pi - source) {
    total = total + fresnel(wedge.eps_n, std::fabs(std::sin(n_pi - source))).te * wave(2.0 * n_pi - source);
  }
  return total;
}

TEST(Diffraction, TotalFieldIsContinuousAtEveryShadowBoundary) {
  for (const Complex eps : {perfect_conductor_permittivity, Complex{5.0, -0.2}}) {
    for (const double n : {1.2, 1.5, 1.9, 2.0}) {
      for (const double source : {0.3, 1.0, 0.4 * n * pi, n * pi - 0.5}) {
        for (const double boundary : {source + pi, source - pi, pi - source, 2.0 * n * pi - pi - source}) {
          if (boundary < 0.05 || boundary > n * pi - 0.05) continue;
          // Close to the edge, where the field itself hardly changes over 1e-4 rad; and extremely close to the
          // boundary.
          const Wedge wedge = wedge_of(n, eps);
          const auto jump = [&](double step, double rho) {
            return norm(total_field(wedge, source, boundary + step, rho) -
                        total_field(wedge, source, boundary - step, rho));
          };
          EXPECT_LE(jump(5e-5, 0.5), 1e-3) << n << " " << source << " " << boundary;
          for (const double step : {1e-9, 1e-13})
            EXPECT_LE(jump(step, 30.0), 1e-6) << n << " " << source << " " << boundary;
        }
      }
    }
  }
}

// What a plane face reflects of a plane wave that travels along k, by the plane of the ray and the normal.
ComplexVec3 reflected(Complex permittivity, Vec3 normal, Vec3 k, const ComplexVec3& field) {
  const FresnelCoefficients gamma = fresnel(permittivity, std::fabs(dot(k, normal)));
  const Vec3 across = normalized(cross(k, normal)), k_r = k - 2.0 * dot(k, normal) * normal;
  return (gamma.te * dot(field, across)) * across + (gamma.tm * dot(field, cross(across, k))) * cross(across, k_r);
}

// Direct, reflected and diffracted field of a plane wave that meets the edge at the angle β₀, at rho wavelengths from
// it.
ComplexVec3 total_field_askew(const Wedge& wedge, double source, double beta, const ComplexVec3& incident,
                              double observer, double rho) {
  const Vec3 k_i = -direction_at(source, pi - beta), place = rho * direction_at(observer);
  const double ray_m = rho / std::sin(beta), n_pi = wedge.exterior_angle;
  ComplexVec3 total =
      ((1 / std::sqrt(ray_m)) * exp_j(-wave_number * rho * std::sin(beta))) *
      diffracted_field<accurate>(wedge, incident, k_i, direction_at(observer, beta), rho * std::sin(beta), wave_number);
  const auto add = [&](Vec3 k, const ComplexVec3& field) {
    total = total + exp_j(-wave_number * dot(k, place)) * field;
  };
  const auto add_reflected = [&](Complex permittivity, Vec3 normal) {
    add(k_i - 2.0 * dot(k_i, normal) * normal, reflected(permittivity, normal, k_i, incident));
  };
  if (observer < source + pi && observer > source - pi) add(k_i, incident);
  if (observer < pi - source) add_reflected(wedge.eps_0, {0, 1, 0});
  if (observer > 2.0 * n_pi - pi - source) add_reflected(wedge.eps_n, {std::sin(n_pi), -std::cos(n_pi), 0});
  return total;
}

TEST(Diffraction, TotalFieldIsContinuousWhereRaysMeetTheEdgeAskew) {
  int boundaries = 0;
  for (const double n : {1.2, 1.5, 1.9}) {
    Wedge wedge = wedge_of(n, {5.0, -0.2});
    wedge.eps_n = {3.0, -1.0};
    for (const double beta : {0.35, 0.7, 1.2, 2.2}) {
      for (const double source : {0.3, 1.0, 0.4 * n * pi, n * pi - 0.5}) {
        const Vec3 k_i = -direction_at(source, pi - beta), across = normalized(cross(k_i, Vec3{0.3, 0.2, 0.9}));
        const ComplexVec3 incident = Complex{0.8, 0} * across + Complex{0.1, 0.6} * cross(k_i, across);
        for (const double boundary : {source + pi, source - pi, pi - source, 2.0 * n * pi - pi - source}) {
          if (boundary < 0.05 || boundary > n * pi - 0.05) continue;
          const auto at = [&](double step) {
            return total_field_askew(wedge, source, beta, incident, boundary + step, 30.0);
          };
          EXPECT_LE(std::sqrt(squared_norm(at(1e-9) - at(-1e-9))), 1e-5) << n << ' ' << source << ' ' << beta;
          ++boundaries;
        }
      }
    }
  }
  EXPECT_GE(boundaries, 60);
}

TEST(Diffraction, HalfTheFieldRemainsOnTheShadowBoundary) {
  const Wedge wedge = wedge_of(2.0, {1, 0});
  const ComplexVec3 incident = Complex{1, 0} * Vec3{0, 0, 1};
  for (const double step : {0.0, 1e-12, 1e-8}) {
    const double rho = 50.0;
    const ComplexVec3 field =
        (1.0 / std::sqrt(rho)) * diffracted_field<accurate>(wedge, incident, -direction_at(1.0),
                                                            direction_at(1.0 + pi + step), rho, wave_number);
    EXPECT_NEAR(-decibels(squared_norm(field)), 20.0 * std::log10(2.0), 1e-5);
  }
}

TEST(Diffraction, IsReciprocalWithLossyFaces) {
  Wedge wedge = wedge_of(1.5, {5.0, -0.2});
  wedge.eps_n = Complex{3.0, -1.0};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(0.05, 4.65), tilt(0.4, 2.7), length(5, 100);
  for (int i = 0; i < 500; ++i) {
    const double a = angle(random), b = angle(random), beta = tilt(random), l = length(random);
    const Vec3 from_a = -direction_at(a, pi - beta), to_b = direction_at(b, beta);
    const auto transfer = [&](Vec3 k_i, Vec3 k_d, Vec3 sent, Vec3 taken) {
      return dot(diffracted_field<accurate>(wedge, Complex{1, 0} * sent, k_i, k_d, l, wave_number), taken);
    };
    const Vec3 p_a = normalized(cross(from_a, Vec3{0.3, 0.2, 0.9})),
               p_b = normalized(cross(to_b, Vec3{-0.5, 0.6, 0.1}));
    const Complex there = transfer(from_a, to_b, p_a, p_b), back = transfer(-to_b, -from_a, p_b, p_a);
    EXPECT_LE(norm(there - back), 1e-9 * (norm(there) + 1e-2));
  }
}

TEST(Diffraction, DoesNotDependOnWhichFaceIsCalledZero) {
  Wedge wedge = wedge_of(1.4, {5.0, -0.2});
  wedge.eps_n = Complex{3.0, -1.0};
  Wedge other = wedge;
  other.direction = -wedge.direction;
  const double c = std::cos(wedge.exterior_angle), s = std::sin(wedge.exterior_angle);
  other.tangent_0 = {c, s, 0};
  other.normal_0 = {s, -c, 0};
  std::swap(other.eps_0, other.eps_n);
  const ComplexVec3 incident = Complex{0.3, 0.1} * Vec3{0.1, 0.7, 0.5};
  for (int i = 0; i < 14; ++i) {
    for (int j = 0; j < 26; ++j) {
      const double source = 0.1 + 0.31 * i, observer = 0.05 + 0.17 * j;
      const Vec3 k_i = -direction_at(source, 1.1), k_d = direction_at(observer, pi - 1.1);
      const ComplexVec3 a = diffracted_field<accurate>(wedge, incident, k_i, k_d, 20, wave_number);
      const ComplexVec3 b = diffracted_field<accurate>(other, incident, k_i, k_d, 20, wave_number);
      EXPECT_LE(std::sqrt(squared_norm(a - b)), 1e-10 * std::sqrt(squared_norm(a)) + 1e-13);
    }
  }
}

TEST(Diffraction, ScalesWithTheWavelength) {
  // Lengths and wavelength times ten: the field times distance stays.
  const Wedge wedge = wedge_of(1.5, perfect_conductor_permittivity);
  const auto level = [&](double scale) {
    const double from = 20.0 * scale, to = 35.0 * scale;
    const ComplexVec3 incident = (1.0 / from) * (Complex{1, 0} * Vec3{0, 0, 1});
    return (edge_spreading(from, to) * (from + to)) *
           dot(diffracted_field<accurate>(wedge, incident, -direction_at(0.5), direction_at(4.0),
                                          distance_parameter_m(from, to, 1.0), wave_number / scale),
               Vec3{0, 0, 1});
  };
  EXPECT_LE(norm(level(1.0) - level(10.0)), 1e-12);
}

// Where an end lies on a conducting face, the field across the edge is twice the wave that falls on the face. With the
// face absorbing instead, the wedge has that wave.
TEST(Diffraction, OnAFaceThatAbsorbsIsHalfOfTheFieldOnAConductor) {
  for (const double n : {1.1, 1.5, 1.9}) {
    Wedge conductor = wedge_of(n, perfect_conductor_permittivity), one_absorbs = conductor;
    one_absorbs.eps_n = Complex{1, 0};
    for (const double beta : {0.5 * pi, 0.9}) {
      for (double other = 0.03; other < n * pi; other += 0.11) {
        const Vec3 k_i = -direction_at(other, pi - beta), along_n = direction_at(n * pi, beta);
        const Vec3 across = normalized(cross(Vec3{0, 0, 1}, k_i));
        const ComplexVec3 hard = Complex{1, 0} * across;
        const ComplexVec3 there = diffracted_field<accurate>(one_absorbs, hard, k_i, along_n, 20, wave_number),
                          whole = diffracted_field<accurate>(conductor, hard, k_i, along_n, 20, wave_number);
        EXPECT_LE(std::sqrt(squared_norm(2.0 * there - whole)), 1e-8 * std::sqrt(squared_norm(whole)))
            << n << ", " << beta << ", " << other;
        // And back.
        const Vec3 from_n = -direction_at(n * pi, pi - beta), to = direction_at(other, beta);
        const ComplexVec3 hard_back = Complex{1, 0} * normalized(cross(Vec3{0, 0, 1}, from_n));
        const ComplexVec3 back = diffracted_field<accurate>(one_absorbs, hard_back, from_n, to, 20, wave_number),
                          whole_back = diffracted_field<accurate>(conductor, hard_back, from_n, to, 20, wave_number);
        EXPECT_LE(std::sqrt(squared_norm(2.0 * back - whole_back)), 1e-8 * std::sqrt(squared_norm(whole_back)))
            << n << ", " << beta << ", " << other;
      }
    }
  }
}

TEST(Diffraction, VanishesOnAFlatSurface) {
  const ComplexVec3 incident = Complex{1, 0} * Vec3{0.2, 0.4, 0.8};
  double last = 1e9;
  for (const double n : {1.1, 1.01, 1.001}) {
    const ComplexVec3 field = diffracted_field<accurate>(wedge_of(n, perfect_conductor_permittivity), incident,
                                                         -direction_at(0.7), direction_at(1.5), 20, wave_number);
    const double level = std::sqrt(squared_norm(field));
    EXPECT_LT(level, 0.2 * last);
    last = level;
  }
  EXPECT_LT(last, 1e-3);
}

// Of faces with one impedance to the first order in the wedge's angle; a half-space's hardly changes with the angle.
TEST(Diffraction, VanishesOnAFlatLossySurface) {
  const double of_one_term = 1 / (2 * std::sqrt(2 * pi * wave_number));
  for (const double beta : {0.5 * pi, 1.1, 2.3}) {
    for (const double source : {0.3, 0.9, 1.4}) {
      for (const double observer : {0.4, 1.1, 2.4}) {
        if (std::fabs(source + observer - pi) < 0.2) continue;
        const Vec3 k_i = -direction_at(source, pi - beta), hard = normalized(cross(k_i, Vec3{0, 0, 1}));
        for (const auto& [polarization, most] : {std::pair{cross(hard, k_i), 0.05}, std::pair{hard, 0.08}}) {
          const ComplexVec3 field =
              diffracted_field<accurate>(wedge_of(1.0005, {6.3, -0.2}), Complex{1, 0} * polarization, k_i,
                                         direction_at(observer, beta), 1e6, wave_number);
          EXPECT_LT(std::sin(beta) * std::sqrt(squared_norm(field)), most * of_one_term) << source << ' ' << observer;
        }
      }
    }
  }
}

// Against the fields themselves, for all the ways past an edge and both polarisations at once: estimates over fields,
// sorted.
std::vector<double> estimates_over_fields(bool in_shadow) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> ratios;
  for (int i = 0; i < 8000; ++i) {
    const double n = 1.05 + 0.95 * unit(random), beta = 0.3 + 2.5 * unit(random);
    const double rho = std::pow(10.0, 0.5 + 2.0 * unit(random)), s = std::pow(10.0, 0.5 + 2.0 * unit(random));
    const double source = n * pi * unit(random), observer = n * pi * unit(random);
    if ((std::fabs(observer - source) > pi) != in_shadow) continue;
    const Vec3 k_i = -direction_at(source, pi - beta), k_d = direction_at(observer, beta);
    const WedgeIncidence incidence = wedge_incidence(wedge_of(n, {5.0, -0.2}), k_i);
    EXPECT_TRUE(incidence.in_air);
    const double length = distance_parameter_m(rho, s, std::sin(beta));
    const Vec3 one = normalized(cross(k_i, Vec3{0.3, 0.2, 0.9})), other = cross(k_i, one);
    double power = 0;
    for (const Vec3 polarization : {one, other}) {
      power += 0.5 * squared_norm(diffracted_field<accurate>(incidence, Complex{1, 0} * polarization, k_i, k_d,
                                                             {length, length, length}, wave_number));
    }
    const double spreading = edge_spreading(rho, s), straight = rho / (rho + s);
    const double share = power * (spreading * spreading) / (straight * straight);
    ratios.push_back(estimated_diffraction_share(incidence, k_d, length, wave_number) / share);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * (static_cast<double>(sorted.size()) - 1.0))];
}

TEST(Diffraction, EstimatedShareIsOfTheFieldsOrder) {
  const std::vector<double> in_shadow = estimates_over_fields(true);
  ASSERT_GT(in_shadow.size(), 500u);
  EXPECT_GT(quantile(in_shadow, 0.05), 0.2);
  EXPECT_GT(quantile(in_shadow, 0.5), 0.6);
  EXPECT_LT(quantile(in_shadow, 0.5), 1.2);
  // Faces along which the ray runs leave nothing.
  EXPECT_LT(quantile(in_shadow, 0.75), 2.5);
  // In sight the wedge's terms cancel, the more so the flatter it is; draws may be too careful there, not too bold.
  const std::vector<double> in_sight = estimates_over_fields(false);
  EXPECT_GT(quantile(in_sight, 0.05), 0.1);
  EXPECT_LT(quantile(in_sight, 0.5), 4.0);
}

TEST(Diffraction, NothingInsideTheSolidOrAlongTheEdge) {
  const Wedge wedge = wedge_of(1.5, {5, -0.2});
  const ComplexVec3 incident = Complex{1, 0} * Vec3{0, 0, 1};
  const auto power = [&](Vec3 k_i, Vec3 k_d) {
    return squared_norm(diffracted_field(wedge, incident, k_i, k_d, 20, wave_number));
  };
  EXPECT_EQ(power(-direction_at(0.5), direction_at(1.6 * pi)), 0.0);
  EXPECT_EQ(power(-direction_at(1.6 * pi), direction_at(0.5)), 0.0);
  EXPECT_EQ(power({0, 0, 1}, direction_at(0.5)), 0.0);
  EXPECT_EQ(power(-direction_at(0.5), {0, 0, 1}), 0.0);
  EXPECT_GT(power(-direction_at(0.5), direction_at(1.4 * pi)), 0.0);
  // Along the faces, to within rounding, is in the air.
  EXPECT_FALSE(wedge_incidence(wedge, -direction_at(1.5 * pi + 1e-6)).in_air);
  EXPECT_TRUE(wedge_incidence(wedge, -direction_at(1.5 * pi + 1e-12)).in_air);
  EXPECT_TRUE(wedge_incidence(wedge, -direction_at(-1e-12)).in_air);
}

TEST(Diffraction, IsFiniteForEveryInput) {
  std::mt19937_64 random(11);
  const double angles[] = {0.0, 1e-16, 1e-9, 0.5 * pi, pi, 1.5 * pi - 1e-12, 1.5 * pi, 1.75 * pi, 2.0 * pi};
  const double lengths[] = {0.0, 1e-9, 1.0, 1e6};
  for (const double n : {1.0001, 1.5, 2.0}) {
    for (const Complex eps : {perfect_conductor_permittivity, Complex{1, 0}, Complex{5, -0.2}, Complex{1, -1e9}}) {
      for (const double source : angles) {
        for (const double observer : angles) {
          for (const double length : lengths) {
            for (const double beta : {1e-9, 0.3, 0.5 * pi}) {
              const ComplexVec3 incident = Complex{1, 1} * Vec3{0.3, 0.5, 0.7};
              const Vec3 k_i = -direction_at(source, pi - beta), k_d = direction_at(observer, beta);
              const double quick =
                  squared_norm(diffracted_field<fast>(wedge_of(n, eps), incident, k_i, k_d, length, wave_number));
              EXPECT_TRUE(std::isfinite(quick)) << n << " " << source << " " << observer << " " << length;
              const double slow =
                  squared_norm(diffracted_field<accurate>(wedge_of(n, eps), incident, k_i, k_d, length, wave_number));
              EXPECT_TRUE(std::isfinite(slow)) << n << " " << source << " " << observer << " " << length;
            }
          }
        }
      }
    }
  }
}

TEST(Diffraction, TurnedIncidenceEqualsAPreparedOne) {
  const Wedge wedge = wedge_of(1.5, {5, -0.2});
  for (const double source : {0.6, 4.0}) {
    WedgeIncidence incidence = wedge_incidence(wedge, -direction_at(source));
    turn_incidence(incidence, std::sin(0.8), std::cos(0.8));
    const WedgeIncidence other = wedge_incidence(wedge, -direction_at(source, pi - 0.8));
    EXPECT_NEAR(incidence.sin_beta, other.sin_beta, 1e-15);
    EXPECT_NEAR(incidence.cos_beta, other.cos_beta, 1e-15);
    EXPECT_LE(norm(incidence.reflection_0.tm - other.reflection_0.tm), 1e-14);
  }
}

TEST(Diffraction, IncidentFieldIsThatOfWhichTheDiffractedOneIsMade) {
  const Wedge wedge = wedge_of(1.5, {5, -0.2});
  const double length = 30;
  for (const double source : {0.3, 1.2, 4.5}) {
    for (const double observer : {0.1, 2.2, 3.4, 4.6}) {
      for (const double beta : {0.4, 1.5}) {
        const Vec3 k_i = -direction_at(source, pi - beta), k_d = direction_at(observer, beta);
        const Vec3 across = normalized(cross(k_i, Vec3{0.3, 0.5, 0.7}));
        const ComplexVec3 incident = Complex{0.2, 0.9} * across + Complex{-0.7, 0.1} * cross(k_i, across);
        const WedgeIncidence w = wedge_incidence(wedge, k_i);
        const DistanceParameters distances{length, length, length};
        const ComplexVec3 diffracted = diffracted_field(w, incident, k_i, k_d, distances, wave_number);
        ASSERT_GT(squared_norm(diffracted), 0);
        const ComplexVec3 back = incident_field(w, diffracted, k_i, k_d, distances, wave_number);
        EXPECT_LE(squared_norm(back - incident), 1e-20) << source << ' ' << observer << ' ' << beta;
        EXPECT_EQ(squared_norm(incident_field(w, diffracted, k_i, {0, 0, 1}, distances, wave_number)), 0);
      }
    }
  }
}

TEST(KellerPoint, IsTheShortestWay) {
  const Vec3 source{3, 4, 10}, observer{-20, 5, -3}, origin{1, -1, 0};
  const Vec3 direction = normalized(Vec3{0.1, 0.2, 0.9});
  const double t = keller_point(source, observer, origin, direction);
  const auto length = [&](double at) {
    const Vec3 q = origin + at * direction;
    return norm(q - source) + norm(observer - q);
  };
  EXPECT_LT(length(t), length(t + 1e-3));
  EXPECT_LT(length(t), length(t - 1e-3));
  const Vec3 q = origin + t * direction;
  EXPECT_NEAR(dot(normalized(q - source), direction), dot(normalized(observer - q), direction), 1e-14);
  // Both on the line: no division by zero.
  EXPECT_EQ(keller_point({0, 0, 1}, {0, 0, 3}, {0, 0, 0}, {0, 0, 1}), 2.0);
}

}  // namespace
}  // namespace tesseray
