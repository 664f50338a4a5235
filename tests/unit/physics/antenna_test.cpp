// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna patterns against closed forms, and polarisation vectors (docs/physics.md §4, §9).
#include "core/physics/antenna.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tesseray {
namespace {

// A direction by azimuth clockwise from y and elevation, degrees.
Vec3 towards(double azimuth_deg, double elevation_deg) {
  const double a = radians(azimuth_deg), e = radians(elevation_deg);
  return {std::cos(e) * std::sin(a), std::cos(e) * std::cos(a), std::sin(e)};
}

// Over isotropic, as a power ratio.
double gain_linear(PatternKind pattern, AntennaOrientation orientation, Vec3 direction) {
  return power_ratio(maximum_gain_dbi(pattern)) * relative_pattern(pattern, antenna_frame(orientation), direction);
}

// ∫ G dΩ / 4π by the midpoint rule.
double radiated(PatternKind pattern, AntennaOrientation orientation) {
  constexpr int rows = 360;
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    const double z = -1.0 + (2.0 * i + 1.0) / rows;
    for (int j = 0; j < 2 * rows; ++j) {
      const double a = pi * (j + 0.5) / rows, level = std::sqrt(1.0 - z * z);
      sum += gain_linear(pattern, orientation, {level * std::cos(a), level * std::sin(a), z});
    }
  }
  return sum / (2.0 * rows * rows);
}

TEST(Antenna, RadiatesAsMuchAsItTakes) {
  const AntennaOrientation tilted{radians(70), radians(8)};
  EXPECT_NEAR(radiated(PatternKind::isotropic, tilted), 1.0, 1e-12);
  EXPECT_NEAR(radiated(PatternKind::short_dipole, tilted), 1.0, 1e-4);
  // 2.15 dBi by convention against the exact 2.1508.
  EXPECT_NEAR(radiated(PatternKind::half_wave_dipole, tilted), 1.0, 3e-4);
  // The specification's 8 dBi are 1.8 dB below the directivity of its pattern: an element with losses.
  const double sector_db = decibels(radiated(PatternKind::sector_3gpp, tilted));
  EXPECT_LT(sector_db, 0.0);
  EXPECT_GT(sector_db, -2.0);
}

TEST(Antenna, MaximumIsWhatItSays) {
  for (const PatternKind pattern :
       {PatternKind::isotropic, PatternKind::half_wave_dipole, PatternKind::sector_3gpp, PatternKind::short_dipole}) {
    const AntennaOrientation orientation{radians(30), radians(5)};
    EXPECT_NEAR(decibels(gain_linear(pattern, orientation, towards(30, -5))), maximum_gain_dbi(pattern), 1e-9);
  }
}

TEST(Antenna, SectorBeamsAndFloor) {
  const AntennaOrientation north_east{radians(45), 0.0};
  const auto gain_db = [&](double azimuth, double elevation) {
    return decibels(gain_linear(PatternKind::sector_3gpp, north_east, towards(azimuth, elevation)));
  };
  EXPECT_NEAR(gain_db(45, 0), 8.0, 1e-12);
  EXPECT_NEAR(gain_db(45 + 32.5, 0), 5.0, 1e-9);
  EXPECT_NEAR(gain_db(45 - 32.5, 0), 5.0, 1e-9);
  EXPECT_NEAR(gain_db(45, 32.5), 5.0, 1e-9);
  EXPECT_NEAR(gain_db(45 + 20, 0), 8.0 - 12.0 * 400 / 4225, 1e-9);
  EXPECT_NEAR(gain_db(225, 0), -22.0, 1e-9);
  EXPECT_NEAR(gain_db(45, -90), 8.0 - 12.0 * 8100 / 4225, 1e-9);
}

TEST(Antenna, MechanicalTiltLowersTheFrontAndRaisesTheBack) {
  const AntennaOrientation tilted{radians(90), radians(10)};
  const auto gain = [&](double azimuth, double elevation) {
    return gain_linear(PatternKind::sector_3gpp, tilted, towards(azimuth, elevation));
  };
  EXPECT_NEAR(decibels(gain(90, -10)), 8.0, 1e-9);
  EXPECT_GT(gain(90, -15), gain(90, 15));
  EXPECT_NEAR(decibels(gain_linear(PatternKind::half_wave_dipole, tilted, towards(270, 10))),
              maximum_gain_dbi(PatternKind::half_wave_dipole), 1e-9);
  // The tilt axis stays where it was.
  EXPECT_NEAR(gain(0, 0), gain_linear(PatternKind::sector_3gpp, {radians(90), 0.0}, towards(0, 0)), 1e-12);
  const AntennaFrame frame = antenna_frame(tilted);
  EXPECT_NEAR(frame.boresight.z, -std::sin(radians(10)), 1e-15);
  // The dipole's null leans forward with the tilt.
  EXPECT_NEAR(gain_linear(PatternKind::half_wave_dipole, tilted, frame.up), 0.0, 1e-12);
}

TEST(Antenna, DipolesAreRoundInAzimuth) {
  for (const PatternKind pattern : {PatternKind::half_wave_dipole, PatternKind::short_dipole}) {
    const double reference = gain_linear(pattern, {}, towards(0, 20));
    for (int azimuth = 0; azimuth < 360; azimuth += 17) {
      EXPECT_NEAR(gain_linear(pattern, {radians(33), 0}, towards(azimuth, 20)), reference, 1e-12);
    }
  }
  EXPECT_NEAR(gain_linear(PatternKind::short_dipole, {}, towards(0, 60)), 1.5 * 0.25, 1e-9);
}

TEST(Polarization, UnitAndTransverseEverywhere) {
  const LinearPolarization all[] = {LinearPolarization::vertical, LinearPolarization::horizontal,
                                    LinearPolarization::slant_plus_45, LinearPolarization::slant_minus_45};
  for (const double tilt : {0.0, 0.1}) {
    for (int elevation = -90; elevation <= 90; elevation += 6) {
      for (int azimuth = 0; azimuth < 360; azimuth += 30) {
        const Vec3 direction = towards(azimuth, elevation);
        for (const LinearPolarization polarization : all) {
          const Vec3 p = polarization_vector(polarization, AntennaOrientation{0.7, tilt}, direction);
          EXPECT_NEAR(norm(p), 1.0, 1e-12);
          EXPECT_NEAR(dot(p, direction), 0.0, 1e-12);
        }
        const Vec3 plus =
            polarization_vector(LinearPolarization::slant_plus_45, AntennaOrientation{0.7, tilt}, direction);
        const Vec3 minus =
            polarization_vector(LinearPolarization::slant_minus_45, AntennaOrientation{0.7, tilt}, direction);
        EXPECT_NEAR(dot(plus, minus), 0.0, 1e-12);
      }
    }
  }
}

TEST(Polarization, OnTheHorizon) {
  const Vec3 north{0, 1, 0};
  EXPECT_EQ(polarization_vector(LinearPolarization::vertical, AntennaOrientation{}, north), (Vec3{0, 0, 1}));
  EXPECT_EQ(polarization_vector(LinearPolarization::horizontal, AntennaOrientation{}, north), (Vec3{-1, 0, 0}));
  // Straight up, φ̂ is the antenna's forward axis: y of an untilted antenna to the north.
  EXPECT_EQ(polarization_vector(LinearPolarization::horizontal, AntennaOrientation{}, {0, 0, 1}), (Vec3{0, 1, 0}));
  EXPECT_EQ(polarization_vector(LinearPolarization::horizontal, AntennaOrientation{}, {0, 0, -1}), (Vec3{0, 1, 0}));
  // A vertical antenna's field points upwards in every direction.
  EXPECT_GT(polarization_vector(LinearPolarization::vertical, AntennaOrientation{}, towards(40, 50)).z, 0.0);
  // Tilted, it leans with the antenna.
  const Vec3 tilted =
      polarization_vector(LinearPolarization::vertical, AntennaOrientation{0, 0.2}, towards(0, degrees(-0.2)));
  EXPECT_NEAR(tilted.y, std::sin(0.2), 1e-12);
  EXPECT_NEAR(tilted.z, std::cos(0.2), 1e-12);
}

}  // namespace
}  // namespace tesseray
