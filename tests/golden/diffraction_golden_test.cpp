// SPDX-License-Identifier: GPL-3.0-or-later
// Wedge diffraction against tables 03 (exact wedges, lossy coefficients), 05 (transition function), 11 (vector field).
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "core/physics/material.h"
#include "tests/golden/physics_golden.h"
#include "tests/golden/wedge_golden.h"
#include "tests/support/transition_function.h"

namespace tesseray {
namespace {

TEST(TransitionFunctionGolden, AccurateAndFast) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("05_utd_F.csv");
  for (const GoldenRow& row : table.rows()) {
    const double x = row.number("x");
    const Complex expected = row.complex("F");
    expect_near(transition_function(x), expected, 1e-9, "F(" + row.text("x") + ")");
    expect_near(transition_function_fast(x), expected, 1e-6, "fast F(" + row.text("x") + ")");
    expect_near(transition_function(-x), conj(expected), 1e-9, "F(-" + row.text("x") + ")");
  }
}

double sum_of_powers(const nlohmann::json& coefficients, double u, double first) {
  double sum = first, power = first == 0.0 ? 1.0 : u;
  for (const double coefficient : coefficients) {
    sum += coefficient * power;
    power *= u;
  }
  return sum;
}

TEST(TransitionFunctionGolden, FastFormUsesThePublishedRationals) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  std::ifstream in(GoldenTable::folder() / "05b_F_rational.json");
  const nlohmann::json fit = nlohmann::json::parse(in);
  for (int i = 0; i < 105; ++i) {
    const double x = 0.37 * i;
    const double u = std::sqrt(2.0 * x / pi);
    const double f = sum_of_powers(fit["fN"], u, 0.0) / sum_of_powers(fit["fD"], u, 1.0);
    const double g = sum_of_powers(fit["gN"], u, 0.0) / sum_of_powers(fit["gD"], u, 1.0);
    expect_near(transition_function_fast(x), (pi * u) * Complex{f, g}, 1e-13, "rational");
  }
}

// A wedge along z in the plane z = 0, face 0 along x, and a wave at an angle β₀ to the edge.
Vec3 direction_at(double angle, double beta = 0.5 * pi) {
  return {std::sin(beta) * std::cos(angle), std::sin(beta) * std::sin(angle), std::cos(beta)};
}

Wedge conducting_wedge(double n) {
  Wedge wedge;
  wedge.exterior_angle = n * pi;
  wedge.eps_0 = wedge.eps_n = perfect_conductor_permittivity;
  return wedge;
}

// D for a wave from angle φ' towards φ, in the given polarisation.
template <TransitionAccuracy accuracy>
WedgeDiffraction coefficients(const Wedge& wedge, double source_angle, double observer_angle, double beta,
                              double distance_m, double wave_number) {
  const WedgeIncidence w = wedge_incidence(wedge, -direction_at(source_angle, pi - beta));
  EXPECT_TRUE(w.in_air);
  const double angle = w.from_other_face ? wedge.exterior_angle - observer_angle : observer_angle;
  return wedge_coefficients<accuracy>(w, angle, {std::cos(angle), std::sin(angle)},
                                      {distance_m, distance_m, distance_m}, wave_number);
}

double db_error(Complex got, Complex exact) {
  return std::fabs(10.0 * std::log10(squared_norm(got) / squared_norm(exact)));
}

TEST(WedgeGolden, PlaneWave) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("03a_wedge_plane_wave_exact.csv");
  const double wave_number = 2.0 * pi;  // lengths in wavelengths
  for (const GoldenRow& row : table.rows()) {
    const double rho = row.number("rho_lambda");
    const WedgeDiffraction d =
        coefficients<accurate>(conducting_wedge(row.number("n")), radians(row.number("phip_deg")),
                               radians(row.number("phi_deg")), 0.5 * pi, rho, wave_number);
    const Complex field =
        (1.0 / std::sqrt(rho)) * exp_j(-wave_number * rho) * (row.text("bc") == "s" ? d.soft : d.hard);
    const std::string what = row.text("geom") + row.text("bc") + " " + row.text("phip_deg") + " " + row.text("phi_deg");
    expect_near(field, row.complex("utd"), 1e-9, what);
    const Complex exact = row.complex("ex"), total = row.complex("go") + field;
    EXPECT_LE(norm(total - exact), row.number("abs_err") + 1e-9) << what;
    if (rho >= 3.0 && norm(exact) > 0.05) {
      EXPECT_LE(db_error(total, exact), 0.05) << what;
    }
  }
}

TEST(WedgeGolden, LineSource) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("03b_wedge_line_source_exact.csv");
  const double wave_number = 2.0 * pi;
  for (const GoldenRow& row : table.rows()) {
    const double rho = row.number("rho_lambda"), rho_source = row.number("rhop_lambda");
    const WedgeDiffraction d = coefficients<accurate>(
        conducting_wedge(row.number("n")), radians(row.number("phip_deg")), radians(row.number("phi_deg")), 0.5 * pi,
        distance_parameter_m(rho_source, rho, 1.0), wave_number);
    // The incident field is the Hankel function H0^(2) = J0 − jY0.
    const double argument = wave_number * rho_source;
    const Complex incident{std::cyl_bessel_j(0.0, argument), -std::cyl_neumann(0.0, argument)};
    const Complex field =
        incident * ((1.0 / std::sqrt(rho)) * exp_j(-wave_number * rho) * (row.text("bc") == "s" ? d.soft : d.hard));
    expect_near(field, row.complex("utd"), 1e-9, row.text("geom") + row.text("bc"));
    const double free_space = std::sqrt(2.0 / (pi * wave_number * (rho + rho_source)));
    const Complex total = row.complex("go") + field;
    EXPECT_LE(norm(total - row.complex("ex")), (row.number("rel_err") + 1e-9) * free_space);
  }
}

TEST(WedgeGolden, PointSource) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("03c_wedge_point_source_exact.csv");
  const double wave_number = 2.0 * pi * 850e6 / speed_of_light;
  for (const GoldenRow& row : table.rows()) {
    const double from_source = row.number("sp_m"), to_observer = row.number("s_m"),
                 beta = radians(row.number("beta0_deg"));
    const double amplitude = edge_spreading(from_source, to_observer) / from_source;
    const Complex phase = amplitude * exp_j(-wave_number * (from_source + to_observer));
    const double distance_m = distance_parameter_m(from_source, to_observer, std::sin(beta));
    const auto field = [&](auto accuracy) {
      const WedgeDiffraction d =
          coefficients<accuracy()>(conducting_wedge(row.number("n")), radians(row.number("phip_deg")),
                                   radians(row.number("phi_deg")), beta, distance_m, wave_number);
      return phase * (row.text("bc") == "s" ? d.soft : d.hard);
    };
    const Complex reference = row.complex("utdd");
    const std::string what = row.text("geom") + row.text("bc") + " " + row.text("phip_deg") + " " + row.text("phi_deg");
    const Complex diffracted = field(std::integral_constant<TransitionAccuracy, accurate>{});
    expect_near(diffracted, reference, 1e-8 * norm(reference), what);
    // The hot loop's transition function is within 1e-6 of a term; terms may cancel, so judge by the level.
    const Complex quick = field(std::integral_constant<TransitionAccuracy, TransitionAccuracy::fast>{});
    expect_near(quick, reference, 1e-5 * amplitude, what + " fast");
    // The exact solution: within 0.05 dB of the total field, beyond its nulls.
    const Complex exact = row.complex("ext");
    const Complex total = exact - row.complex("exd") + diffracted;
    if (norm(exact) * (from_source + to_observer) > 1e-3) {
      EXPECT_LE(db_error(total, exact), 0.05) << what;
    }
  }
}

// The tables have Luebbers' coefficients of rays across the edge, ours are Holm's: the second term of the incident wave
// comes by both faces, each face takes the nearer end's angle, and what they reflect is turned into the edge's plane.
// By the table's own terms.
WedgeDiffraction by_terms_of(const GoldenRow& row, const Wedge& wedge, double beta) {
  const double source = radians(row.number("phip_deg")), observer = radians(row.number("phi_deg"));
  const bool source_first = source <= observer;
  const auto at = [&](Complex permittivity, double angle) {
    return fresnel(permittivity, std::sin(beta) * std::fabs(std::sin(angle)));
  };
  const FresnelCoefficients gamma_0 = at(wedge.eps_0, std::fmin(source, observer)),
                            gamma_n = at(wedge.eps_n, wedge.exterior_angle - std::fmax(source, observer));
  if (source_first) {
    expect_near(gamma_0.te, row.complex("R0s"), 1e-11, "0-face, soft");
    expect_near(gamma_n.tm, row.complex("Rnh"), 1e-11, "n-face, hard");
  }
  const Complex near = row.complex(source_first ? "T2" : "T1"), far = row.complex(source_first ? "T1" : "T2");
  const double wave_number = 2.0 * pi / wavelength_m(row.number("f_Hz"));
  const double magnitude = -1.0 / (2.0 * row.number("n") * std::sqrt(2.0 * pi * wave_number) * std::sin(beta));
  const Complex common = magnitude * exp_j(-0.25 * pi);
  // By the angle from either face's own plane of incidence.
  const auto turn_at = [&](double cos_beta, double from, double to) {
    const double one = std::fmax(std::sin(from), 0.0), other = std::fmax(std::sin(to), 0.0);
    if (one * other == 0) return 0.0;
    const double harmonic = 2 / (1 / one + 1 / other), sine = harmonic * harmonic / (0.5 * (one + other));
    return std::atan(cos_beta * sine * (std::cos(from) - std::cos(to)) / (2 * (1 - one * other)));
  };
  const double turns[2] = {turn_at(std::cos(beta), source, observer),
                           turn_at(-std::cos(beta), wedge.exterior_angle - source, wedge.exterior_angle - observer)};
  const Complex by_term[2] = {row.complex("T3"), row.complex("T4")};
  const FresnelCoefficients gamma[2] = {gamma_0, gamma_n};
  const Complex one{1, 0};
  WedgeDiffraction d{near + far, near + far};
  for (int f = 0; f < 2; ++f) {
    const Complex te = gamma[f].te * by_term[f] + 0.5 * far * (gamma_0.te * gamma_n.te - one),
                  tm = gamma[f].tm * by_term[f] + 0.5 * far * (gamma_0.tm * gamma_n.tm - one);
    const double c = std::cos(turns[f]), s = std::sin(turns[f]);
    d.soft = d.soft + c * c * te - s * s * tm;
    d.hard = d.hard + c * c * tm - s * s * te;
    d.turned = d.turned + c * s * (te + tm);
  }
  return {common * d.soft, common * d.hard, common * d.turned};
}

TEST(WedgeGolden, LossyCoefficients) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("03d_utd_coeff_lossy.csv");
  for (const GoldenRow& row : table.rows()) {
    const double frequency_hz = row.number("f_Hz"), wave_number = 2.0 * pi / wavelength_m(frequency_hz);
    Wedge wedge = conducting_wedge(row.number("n"));
    if (row.text("mat") == "er5_s0.01") wedge.eps_0 = wedge.eps_n = relative_permittivity({5.0, 0.01}, frequency_hz);
    if (row.text("mat") == "concrete1GHz") {
      wedge.eps_0 = wedge.eps_n = relative_permittivity({5.24, 0.0462}, frequency_hz);
    }
    const double beta = radians(row.number("beta0_deg"));
    const double distance_m = distance_parameter_m(row.number("sp_m"), row.number("s_m"), std::sin(beta));
    EXPECT_NEAR(distance_m, row.number("L_m"), 1e-10 * distance_m);
    EXPECT_NEAR(edge_spreading(row.number("sp_m"), row.number("s_m")), row.number("A_spread"), 1e-11);
    const double source = radians(row.number("phip_deg")), observer = radians(row.number("phi_deg"));
    const WedgeDiffraction d = coefficients<accurate>(wedge, source, observer, beta, distance_m, wave_number);
    const std::string what = row.text("mat") + " " + row.text("phip_deg") + " " + row.text("phi_deg");
    const WedgeDiffraction expected = by_terms_of(row, wedge, beta);
    // Where its terms cancel, the sum has no more digits than they.
    const double of_terms = 1e-10 * norm(row.complex("Dh"));
    expect_near(d.soft, expected.soft, 1e-9 * norm(expected.soft) + of_terms, what + " soft");
    expect_near(d.hard, expected.hard, 1e-9 * norm(expected.hard) + of_terms, what + " hard");
    expect_near(d.turned, expected.turned, 1e-9 * norm(expected.turned) + of_terms, what + " turned");
    if (row.text("mat") == "PEC") {
      expect_near(d.soft, row.complex("Ds"), 1e-9 * norm(row.complex("Ds")), what + " soft");
      expect_near(d.hard, row.complex("Dh"), 1e-9 * norm(row.complex("Dh")), what + " hard");
    }
  }
}

ComplexVec3 vector_field(const GoldenRow& row, double& amplitude, auto accuracy) {
  const double wave_number = 2.0 * pi / wavelength_m(wedge_table_frequency_hz);
  const Wedge wedge = wedge_of(row);
  const Vec3 source = row.vector("S"), observer = row.vector("R"), origin = row.vector("P0");
  const Vec3 edge_point = origin + keller_point(source, observer, origin, wedge.direction) * wedge.direction;
  EXPECT_LE(norm(edge_point - row.vector("Q")), 1e-9);
  const double from_source = norm(edge_point - source), to_observer = norm(observer - edge_point);
  const Vec3 k_i = normalized(edge_point - source), k_d = normalized(observer - edge_point);
  const Vec3 dipole = row.text("p") == "x" ? Vec3{1, 0, 0} : row.text("p") == "y" ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const ComplexVec3 incident =
      ((1.0 / from_source) * exp_j(-wave_number * from_source)) * (dipole - dot(dipole, k_i) * k_i);
  const double sin_beta = std::sqrt(1.0 - std::pow(dot(k_i, wedge.direction), 2));
  const ComplexVec3 at_edge = diffracted_field<accuracy()>(
      wedge, incident, k_i, k_d, distance_parameter_m(from_source, to_observer, sin_beta), wave_number);
  amplitude = edge_spreading(from_source, to_observer);
  return (amplitude * exp_j(-wave_number * to_observer)) * at_edge;
}

TEST(WedgeGolden, VectorField) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("11_utd_vector.csv");
  for (const GoldenRow& row : table.rows()) {
    const ComplexVec3 expected = expected_field(row);
    const double level = std::sqrt(squared_norm(expected));
    double amplitude = 0.0;
    const ComplexVec3 got = vector_field(row, amplitude, std::integral_constant<TransitionAccuracy, accurate>{});
    EXPECT_LE(std::sqrt(squared_norm(got - expected)), 1e-8 * level) << row.text("case") << " " << row.text("mat");
    const ComplexVec3 quick =
        vector_field(row, amplitude, std::integral_constant<TransitionAccuracy, TransitionAccuracy::fast>{});
    EXPECT_LE(std::sqrt(squared_norm(quick - expected)), 1e-4 * level) << row.text("case") << " " << row.text("mat");
  }
}

}  // namespace
}  // namespace tesseray
