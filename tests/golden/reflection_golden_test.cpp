// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection against tables 01 (half-space), 02 (two rays over flat ground) and 14 (satellite and wall).
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/physics/antenna.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "tests/golden/physics_golden.h"

namespace tesseray {
namespace {

TEST(ReflectionGolden, HalfSpaceCoefficients) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("01_fresnel.csv");
  for (const GoldenRow& row : table.rows()) {
    const ElectricProperties properties{row.number("eps_r"), row.number("sigma")};
    const Complex eps = relative_permittivity(properties, row.number("f_Hz"));
    expect_near(eps, row.complex("eps_c"), 1e-11 * norm(eps), "eps_c");
    const FresnelCoefficients gamma = fresnel(eps, std::cos(radians(row.number("theta_deg"))));
    const std::string what = row.text("material") + " at " + row.text("theta_deg");
    expect_near(gamma.te, row.complex("G_TE"), 1e-9, what + " TE");
    expect_near(gamma.tm, row.complex("G_TM"), 1e-9, what + " TM");
    EXPECT_NEAR(mean_reflectance(eps, std::cos(radians(row.number("theta_deg")))),
                0.5 * (row.number("R_TE") + row.number("R_TM")), 1e-9);
  }
}

TEST(ReflectionGolden, MaterialLawsOfTheRecommendation) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("01_fresnel.csv");
  int compared = 0;
  for (const GoldenRow& row : table.rows()) {
    std::string name = row.text("material");
    std::replace(name.begin(), name.end(), ' ', '_');
    const ItuMaterial* material = find_itu_material(name);
    if (material == nullptr) continue;
    const double frequency_hz = row.number("f_Hz");
    const ElectricProperties properties = electric_properties(material->law, frequency_hz);
    EXPECT_NEAR(properties.permittivity, row.number("eps_r"), 1e-11 * properties.permittivity) << name;
    EXPECT_NEAR(properties.conductivity, row.number("sigma"), 1e-11 * properties.conductivity) << name;
    EXPECT_EQ(is_clamped(material->law, frequency_hz), row.number("clamped") == 1.0) << name;
    ++compared;
  }
  EXPECT_GE(compared, 200);
}

// The field of one ray between isotropic ends, through the dyad: k and E are those of the ray that hits the ground.
Complex ground_ray(LinearPolarization polarization, double distance_m, double height_sum_m, Complex eps,
                   double wave_number) {
  const double length_m = std::hypot(distance_m, height_sum_m);
  const Vec3 k_i{distance_m / length_m, 0.0, -height_sum_m / length_m};
  const Vec3 k_r{k_i.x, 0.0, -k_i.z};
  const ComplexVec3 sent = Complex{1.0, 0.0} * polarization_vector(polarization, AntennaOrientation{}, k_i);
  const ComplexVec3 arrived = reflected_field(sent, k_i, {0, 0, 1}, eps);
  const Complex received = dot(arrived, polarization_vector(polarization, AntennaOrientation{}, -k_r));
  // The receive vector looks out along −k: its horizontal φ̂ points the other way.
  const double sense = polarization == LinearPolarization::horizontal ? -1.0 : 1.0;
  return (sense / length_m) * exp_j(-wave_number * length_m) * received;
}

TEST(ReflectionGolden, TwoRaysOverFlatGround) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("02_two_ray.csv");
  constexpr double frequency_hz = 850e6, transmitter_m = 41.0, receiver_m = 1.5;
  const double wave_number = 2.0 * pi / wavelength_m(frequency_hz);
  for (const GoldenRow& row : table.rows()) {
    const double distance_m = row.number("d_m");
    const Complex eps = row.text("surface") == "PEC" ? perfect_conductor_permittivity
                                                     : relative_permittivity({15.0, 0.005}, frequency_hz);
    const double direct_m = std::hypot(distance_m, transmitter_m - receiver_m);
    const Complex direct = (1.0 / direct_m) * exp_j(-wave_number * direct_m);
    // Near a null the two rays cancel: the tolerance is relative to one of them.
    const double tolerance = 1e-8 / direct_m;
    expect_near(
        direct + ground_ray(LinearPolarization::vertical, distance_m, transmitter_m + receiver_m, eps, wave_number),
        row.complex("EV"), tolerance, "vertical at " + row.text("d_m"));
    expect_near(
        direct + ground_ray(LinearPolarization::horizontal, distance_m, transmitter_m + receiver_m, eps, wave_number),
        row.complex("EH"), tolerance, "horizontal at " + row.text("d_m"));
    EXPECT_NEAR(free_space_loss_db(direct_m, frequency_hz), row.number("PL_fs_dB"), 1e-9);
  }
}

// Circular polarisation from the linear vectors: p̂ = (θ̂ ∓ jφ̂)/√2 with θ̂ = −vertical.
ComplexVec3 circular(Vec3 direction, double handedness) {
  constexpr double half = 0.70710678118654752440;
  const Vec3 up = polarization_vector(LinearPolarization::vertical, AntennaOrientation{}, direction);
  const Vec3 phi = polarization_vector(LinearPolarization::horizontal, AntennaOrientation{}, direction);
  return Complex{-half, 0.0} * up + Complex{0.0, -handedness * half} * phi;
}

Complex received(const ComplexVec3& field, const ComplexVec3& antenna) {
  return field.x * antenna.x + field.y * antenna.y + field.z * antenna.z;
}

TEST(ReflectionGolden, SatelliteSignalOnAWall) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("14_gnss_reflection.csv");
  const double wave_number = 2.0 * pi / wavelength_m(1575.42e6);
  const Vec3 wall_normal{0, -1, 0};
  for (const GoldenRow& row : table.rows()) {
    const double azimuth = radians(row.number("az_deg")), elevation = radians(row.number("el_deg"));
    const Vec3 k =
        -Vec3{std::cos(elevation) * std::sin(azimuth), std::cos(elevation) * std::cos(azimuth), std::sin(elevation)};
    const ComplexVec3 wave = circular(k, 1.0);
    EXPECT_NEAR(norm(received(wave, circular(-k, 1.0))), row.number("dir_R"), 1e-9);
    EXPECT_NEAR(norm(received(wave, circular(-k, -1.0))), row.number("dir_L"), 1e-9);
    const Vec3 k_r = mirrored(k, wall_normal);
    const double excess_m = 2.0 * row.number("d_m") * std::fabs(dot(k, wall_normal));
    const ComplexVec3 echo = exp_j(-wave_number * excess_m) * reflected_field(wave, k, wall_normal, Complex{4.5, 0.0});
    expect_near(received(echo, circular(-k_r, 1.0)), row.complex("refR"), 1e-9, "RHCP " + row.text("az_deg"));
    expect_near(received(echo, circular(-k_r, -1.0)), row.complex("refL"), 1e-9, "LHCP " + row.text("az_deg"));
  }
}

}  // namespace
}  // namespace tesseray
