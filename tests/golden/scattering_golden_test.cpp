// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse scattering against tables 06a (one tile) and 06b (a whole wall).
#include <cmath>

#include "core/base/units.h"
#include "core/physics/material.h"
#include "core/physics/scattering.h"
#include "tests/golden/physics_golden.h"
#include "tests/support/scattering_cross_section.h"

namespace tesseray {
namespace {

constexpr double carrier_hz = 850e6;

TEST(ScatteringGolden, OneTile) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("06a_er_tile.csv");
  const Complex eps = relative_permittivity({5.0, 0.01}, carrier_hz);
  const double wavelength = wavelength_m(carrier_hz);
  for (const GoldenRow& row : table.rows()) {
    const Vec3 centre = row.vector("c"), normal = row.vector("n");
    const Vec3 to_source = row.vector("T") - centre, to_receiver = row.vector("R") - centre;
    const double incident_m = norm(to_source), scattered_m = norm(to_receiver);
    const double cos_i = dot(to_source, normal) / incident_m, cos_s = dot(to_receiver, normal) / scattered_m;
    const double area = row.number("dS"), s = row.number("S");
    const auto expect_power = [&](double cross_section, const std::string& column) {
      const double expected = row.number(column);
      EXPECT_NEAR(scattered_power_gain(cross_section, incident_m, scattered_m, wavelength), expected, 1e-9 * expected)
          << column;
    };
    expect_power(scattering_cross_section(ScatteringModel::incident, s, eps, area, cos_i, cos_s), "P_lamb_W");
    expect_power(scattering_cross_section(ScatteringModel::reflected, s, eps, area, cos_i, cos_s), "P_lamb_refl_W");
    const Vec3 specular = mirrored((-1.0 / incident_m) * to_source, normal);
    const double cos_specular = dot(specular, (1.0 / scattered_m) * to_receiver);
    EXPECT_NEAR(cos_specular, row.number("cos_psiR"), 1e-9);
    const int alpha = static_cast<int>(row.number("alphaR"));
    expect_power(
        directive_scattering_cross_section(ScatteringModel::incident, s, eps, alpha, area, cos_i, cos_s, cos_specular),
        "P_dir_W");
    expect_power(
        directive_scattering_cross_section(ScatteringModel::reflected, s, eps, alpha, area, cos_i, cos_s, cos_specular),
        "P_dir_refl_W");
  }
}

// The wall of table 06b, in square tiles.
double wall_power(Vec3 source, Vec3 receiver, double side_m, ScatteringModel model, Complex eps) {
  const double wavelength = wavelength_m(carrier_hz);
  double sum = 0.0;
  const int columns = static_cast<int>(std::lround(100.0 / side_m)),
            rows = static_cast<int>(std::lround(30.0 / side_m));
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      const double x = -50.0 + (column + 0.5) * side_m, z = (row + 0.5) * side_m;
      const Vec3 to_source = source - Vec3{x, 0, z}, to_receiver = receiver - Vec3{x, 0, z};
      const double incident_m = norm(to_source), scattered_m = norm(to_receiver);
      const double cross_section = scattering_cross_section(model, 0.4, eps, side_m * side_m, to_source.y / incident_m,
                                                            to_receiver.y / scattered_m);
      sum += scattered_power_gain(cross_section, incident_m, scattered_m, wavelength);
    }
  }
  return sum;
}

TEST(ScatteringGolden, WholeWallInTiles) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("06b_er_wall.csv");
  const Complex eps = relative_permittivity({5.0, 0.01}, carrier_hz);
  for (const GoldenRow& row : table.rows()) {
    const Vec3 source = row.vector("T"), receiver = row.vector("R");
    for (const auto& [name, side_m] : {std::pair{"P_10", 10.0}, {"P_5", 5.0}, {"P_2p5", 2.5}, {"P_1", 1.0}}) {
      const double expected = row.number(name);
      EXPECT_NEAR(wall_power(source, receiver, side_m, ScatteringModel::incident, eps), expected, 1e-9 * expected)
          << name;
    }
    // Smaller tiles converge to the integral.
    const double exact = row.number("P_exact_W");
    EXPECT_NEAR(wall_power(source, receiver, 0.5, ScatteringModel::incident, eps), exact, 1e-3 * exact);
    // Reciprocal with the incident and the reciprocal model, not with the reflected one.
    for (const ScatteringModel model : {ScatteringModel::incident, ScatteringModel::reciprocal}) {
      const double there = wall_power(source, receiver, 5.0, model, eps);
      EXPECT_NEAR(wall_power(receiver, source, 5.0, model, eps), there, 1e-12 * there);
    }
    const double solid_angle = parallelogram_solid_angle(source, {0, 0, 15}, {50, 0, 0}, {0, 0, 15});
    EXPECT_NEAR(solid_angle, row.number("Omega_sr"), 1e-9);
    EXPECT_NEAR(0.16 * solid_angle / (4.0 * pi), row.number("P_scat_total_W"), 1e-9);
  }
}

}  // namespace
}  // namespace tesseray
