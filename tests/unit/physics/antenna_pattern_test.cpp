// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns from two cuts against the closed forms that they were sampled from, and the cosine-power beam.
#include "core/physics/antenna_pattern.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tesseray {
namespace {

// A direction by azimuth clockwise from y and elevation, degrees.
Vec3 towards(double azimuth_deg, double elevation_deg) {
  const double a = radians(azimuth_deg), e = radians(elevation_deg);
  return {std::cos(e) * std::sin(a), std::cos(e) * std::cos(a), std::sin(e)};
}

// A built-in antenna's own cuts, one point per `step_deg`.
AntennaPattern cuts_of(PatternKind kind, double step_deg, CutSynthesis synthesis) {
  AntennaPattern pattern;
  pattern.synthesis = synthesis;
  const auto attenuation = [&](Vec3 direction) {
    return std::fmin(-decibels(relative_pattern(kind, AntennaFrame{}, direction)), 100.0);
  };
  for (int i = 0; i * step_deg < 360; ++i) {
    const double angle = i * step_deg, a = radians(angle);
    pattern.horizontal.push_back({angle, attenuation(towards(angle, 0))});
    pattern.vertical.push_back({angle, attenuation({0, std::cos(a), -std::sin(a)})});
  }
  return pattern;
}

constexpr CutSynthesis all_syntheses[] = {CutSynthesis::hpi, CutSynthesis::sum, CutSynthesis::normalised_sum,
                                          CutSynthesis::cross_weighted};

TEST(Cut, IsLinearBetweenPointsAndAcrossTheSeam) {
  const std::vector<CutPoint> cut = {{10, 2}, {20, 4}, {200, 8}};
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 10), 2);
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 15), 3);
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 110), 6);
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 285), 5);  // half of the way from 200° to 370°
  EXPECT_DOUBLE_EQ(attenuation_db(cut, -75), 5);
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 0), 8 - 6 * 160.0 / 170.0);
  EXPECT_DOUBLE_EQ(attenuation_db(cut, 735), 3);
  EXPECT_DOUBLE_EQ(attenuation_db(std::vector<CutPoint>{{90, 7}}, 12), 7);
}

TEST(Cut, FindsPointsAtUnequalSteps) {
  std::vector<CutPoint> cut;
  for (int i = 0; i < 100; ++i) cut.push_back({i * 0.1, static_cast<double>(i)});
  cut.push_back({359, 0});
  for (int i = 0; i < 99; ++i) EXPECT_NEAR(attenuation_db(cut, i * 0.1 + 0.05), i + 0.5, 1e-9);
}

TEST(Pattern, OfADipoleIsTheDipoleWhateverTheSynthesis) {
  const AntennaFrame frame = antenna_frame({radians(70), radians(6)});
  for (const CutSynthesis synthesis : all_syntheses) {
    const AntennaPattern pattern = cuts_of(PatternKind::half_wave_dipole, 1, synthesis);
    for (double azimuth = 1.3; azimuth < 360; azimuth += 13) {
      for (double elevation = -60; elevation <= 60; elevation += 7.7) {
        const Vec3 direction = towards(azimuth, elevation);
        EXPECT_NEAR(decibels(relative_pattern(pattern.view(), frame, direction)),
                    decibels(relative_pattern(PatternKind::half_wave_dipole, frame, direction)), 0.01);
      }
    }
  }
}

TEST(Pattern, OfASectorIsTheSectorWhereItsSpecificationSums) {
  const AntennaFrame frame = antenna_frame({radians(120), radians(4)});
  const AntennaPattern pattern = cuts_of(PatternKind::sector_3gpp, 1, CutSynthesis::sum);
  int compared = 0;
  for (double azimuth = 60.3; azimuth < 180; azimuth += 5.1) {
    for (double elevation = -40; elevation <= 30; elevation += 4.3) {
      const double expected = decibels(relative_pattern(PatternKind::sector_3gpp, frame, towards(azimuth, elevation)));
      if (expected < -29.9) continue;  // the specification limits the sum
      EXPECT_NEAR(decibels(relative_pattern(pattern.view(), frame, towards(azimuth, elevation))), expected, 0.01);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(Pattern, InterpolationMeetsBothCuts) {
  AntennaPattern pattern;
  for (int angle = 0; angle < 360; ++angle) {
    const double a = radians(angle);
    pattern.horizontal.push_back({static_cast<double>(angle), 14 * (1 - std::cos(a))});
    pattern.vertical.push_back({static_cast<double>(angle), 14 * (1 - std::cos(a)) + 6 * std::pow(std::sin(a), 2)});
  }
  for (double angle = -89; angle < 90; angle += 3) {
    const double front = -decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(0, -angle)));
    EXPECT_NEAR(front, attenuation_db(pattern.vertical, angle), 1e-9);
    const double back = -decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(180, -angle)));
    EXPECT_NEAR(back, attenuation_db(pattern.vertical, 180 - angle), 1e-9);
  }
  for (double azimuth = -180; azimuth < 180; azimuth += 3) {
    const double level = -decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(azimuth, 0)));
    EXPECT_NEAR(level, attenuation_db(pattern.horizontal, azimuth), 1e-9);
  }
}

// Two lobes of a street antenna at right angles to its 0°, a panel that is drawn towards 180°, and a horizontal cut
// beside a vertical one that is the same in front and behind: on the horizon each is its horizontal cut.
TEST(Pattern, KeepsTheHorizontalCutOfAntennasWhoseCutsDoNotMeet) {
  const auto lobe = [](double from_axis_deg) { return std::fmin(20.0, 12 * std::pow(from_axis_deg / 30, 2)); };
  const auto aside = [](double angle, double axis) { return std::fabs(std::remainder(angle - axis, 360.0)); };
  const auto pattern_of = [](const auto& horizontal, const auto& vertical) {
    AntennaPattern pattern;
    for (int angle = 0; angle < 360; ++angle) {
      pattern.horizontal.push_back({static_cast<double>(angle), horizontal(angle)});
      pattern.vertical.push_back({static_cast<double>(angle), vertical(angle)});
    }
    return pattern;
  };
  const auto two_lobes = [&](double angle) { return lobe(std::fmin(aside(angle, 0), aside(angle, 180))); };
  const AntennaPattern patterns[] = {
      pattern_of([](double angle) { return 20 * std::pow(std::cos(radians(angle)), 2); }, two_lobes),
      pattern_of([&](double angle) { return lobe(0.4 * aside(angle, 180)); },
                 [&](double angle) { return lobe(aside(angle, 0)); }),
      pattern_of([](double angle) { return 1.25 * (1 - std::cos(radians(angle))); }, two_lobes)};
  for (const AntennaPattern& pattern : patterns) {
    EXPECT_GT(contradiction_of(pattern.horizontal, pattern.vertical), least_contradiction);
    for (double azimuth = -180; azimuth < 180; azimuth += 3) {
      const double level = -decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(azimuth, 0)));
      EXPECT_NEAR(level, attenuation_db(pattern.horizontal, azimuth), 1e-9) << azimuth;
    }
  }
  // Through the lobe, below and above the horizon, each is its vertical cut.
  const double axes[] = {-90, 180, 0};
  for (int i = 0; i < 3; ++i) {
    for (double angle = -60; angle <= 60; angle += 7) {
      const double level = -decibels(relative_pattern(patterns[i].view(), AntennaFrame{}, towards(axes[i], -angle)));
      EXPECT_NEAR(level, attenuation_db(patterns[i].vertical, angle), 1e-9) << i << " " << angle;
    }
  }
}

// A cut as it is given: a point per degree.
std::vector<CutPoint> sampled(const auto& attenuation) {
  std::vector<CutPoint> cut;
  for (int angle = 0; angle < 360; ++angle) cut.push_back({static_cast<double>(angle), attenuation(angle)});
  return cut;
}

// Horizontal cuts on the horizon, past a tilted beam, have there what the vertical ones have: both cuts are met, and
// the beam is as strong as the maximum.
TEST(Pattern, MeetsHorizontalCutsOnTheHorizonPastTiltedBeams) {
  struct Antenna {
    double tilt_deg, lobe_deg, back_db;
  };
  const auto attenuation = [](const Antenna& antenna, double azimuth, double depression) {
    return antenna.back_db / 2 * (1 - std::cos(radians(azimuth))) +
           std::fmin(12 * std::pow((depression - antenna.tilt_deg) / antenna.lobe_deg, 2), 40.0);
  };
  // Panels, two of them just where a fifth of the power is lost on the horizon and one that looks up, and round ones,
  // the last of which looks straight down.
  for (const Antenna& antenna : {Antenna{8, 7, 25}, {1.98, 7, 25}, {2, 7, 25}, {-5, 7, 25}, {6, 8, 0}, {90, 98, 0}}) {
    AntennaPattern pattern;
    pattern.horizontal = sampled([&](double angle) { return attenuation(antenna, angle, 0); });
    pattern.vertical = sampled([&](double angle) {
      const bool is_behind = angle > 90 && angle < 270;
      return attenuation(antenna, is_behind ? 180 : 0, is_behind ? 180 - angle : std::remainder(angle, 360.0));
    });
    EXPECT_LT(contradiction_of(pattern.horizontal, pattern.vertical), 1e-9);
    for (const double azimuth : {0.0, 40.0, 100.0, 180.0}) {
      for (double depression = -60; depression <= 89; ++depression) {
        const double level = -decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(azimuth, -depression)));
        EXPECT_NEAR(level, attenuation(antenna, azimuth, depression), 1e-9) << azimuth << " " << depression;
      }
    }
  }
}

// Two tilted lobes of a street antenna at right angles to its 0°, where it has as little as the vertical cut through a
// lobe on the horizon. Its horizontal cut reaches the maximum: it goes through the lobes.
TEST(Pattern, DoesNotTakeANullForTheHorizonPastATiltedBeam) {
  AntennaPattern pattern;
  pattern.horizontal = sampled([](double angle) { return 20 * std::pow(std::cos(radians(angle)), 2); });
  pattern.vertical = sampled([](double angle) {
    const double depression = angle > 90 && angle < 270 ? 180 - angle : std::remainder(angle, 360.0);
    return std::fmin(20.0, 12 * std::pow((depression - 9) / 7, 2));
  });
  EXPECT_GT(contradiction_of(pattern.horizontal, pattern.vertical), least_contradiction);
  for (const double azimuth : {90.0, -90.0}) {
    EXPECT_NEAR(relative_pattern(pattern.view(), AntennaFrame{}, towards(azimuth, -9)), 1, 1e-9);
  }
  EXPECT_NEAR(decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(0, -9))), -20, 1e-9);
}

TEST(Pattern, IsDeepWhereBothCutsAre) {
  for (const CutSynthesis synthesis : all_syntheses) {
    AntennaPattern pattern{.synthesis = synthesis};
    for (int angle = 0; angle < 360; ++angle) {
      const double attenuation = std::fmin(200.0, std::fabs(std::remainder(angle, 360.0)) * 5);
      pattern.horizontal.push_back({static_cast<double>(angle), attenuation});
      pattern.vertical.push_back({static_cast<double>(angle), attenuation});
    }
    for (const double azimuth : {50.0, 90.0, 130.0}) {
      EXPECT_LT(decibels(relative_pattern(pattern.view(), AntennaFrame{}, towards(azimuth, -45))), -190)
          << static_cast<int>(synthesis) << " " << azimuth;
    }
  }
}

TEST(Pattern, MechanicalTiltRaisesTheBackAndElectricalTiltLowersIt) {
  AntennaPattern pattern;
  for (int angle = 0; angle < 360; ++angle) {
    pattern.horizontal.push_back({static_cast<double>(angle), 0.0});
    // A narrow lobe in front and an equal one behind.
    const double off = std::fmin(std::fabs(std::remainder(angle, 360.0)), std::fabs(angle - 180.0));
    pattern.vertical.push_back({static_cast<double>(angle), std::fmin(off, 30.0)});
  }
  const auto loss = [&](double tilt_deg, double azimuth, double elevation) {
    return -decibels(
        relative_pattern(pattern.view(), antenna_frame({0, radians(tilt_deg)}), towards(azimuth, elevation)));
  };
  EXPECT_NEAR(loss(5, 0, -5), 0, 1e-9);
  EXPECT_NEAR(loss(5, 180, 5), 0, 1e-6);
  EXPECT_NEAR(loss(5, 180, -5), 10, 1e-6);
  pattern.tilt_shift_deg = 5;
  for (const double azimuth : {0.0, 90.0, 180.0}) {
    EXPECT_NEAR(loss(0, azimuth, -5), 0, 1e-9) << azimuth;
    EXPECT_NEAR(loss(0, azimuth, 5), 10, 1e-9) << azimuth;
  }
}

TEST(Pattern, IsNeverAboveItsMaximum) {
  AntennaPattern pattern = cuts_of(PatternKind::sector_3gpp, 1, CutSynthesis::normalised_sum);
  for (CutPoint& point : pattern.vertical)
    point.attenuation_db = attenuation_db(pattern.horizontal, point.angle_deg - 20);
  EXPECT_LT(attenuation_db(pattern.view(), PatternAngles{0, 20}), -1.0);
  EXPECT_EQ(relative_pattern(pattern.view(), AntennaFrame{}, towards(0, -20)), 1.0);
}

TEST(Figures, OfKnownCuts) {
  const AntennaPattern sector = cuts_of(PatternKind::sector_3gpp, 1, CutSynthesis::sum);
  EXPECT_NEAR(half_power_beamwidth_deg(sector.horizontal), 65.0, 0.2);
  EXPECT_NEAR(front_to_back_db(sector.horizontal), 30.0, 1e-9);
  EXPECT_NEAR(peak_angle_deg(sector.vertical, -90, 90), 0.0, 1e-9);
  const AntennaPattern dipole = cuts_of(PatternKind::half_wave_dipole, 1, CutSynthesis::hpi);
  EXPECT_NEAR(directivity_dbi(dipole.view()), 2.15, 0.01);
  EXPECT_NEAR(half_power_beamwidth_deg(dipole.vertical), 78.0, 0.2);
  EXPECT_TRUE(std::isnan(half_power_beamwidth_deg(dipole.horizontal)));
  EXPECT_NEAR(directivity_dbi(sector.view()), 9.8, 0.2);  // 8 dBi and 1.8 dB of losses
  // The middle of a flat maximum, across the seam.
  EXPECT_NEAR(peak_angle_deg(std::vector<CutPoint>{{4, 1}, {6, 0}, {8, 0}, {180, 20}, {350, 3}}, -90, 90), 7.0, 1e-9);
  EXPECT_NEAR(peak_angle_deg(std::vector<CutPoint>{{2, 0}, {180, 20}, {352, 0}}, -90, 90), -3.0, 1e-9);
}

TEST(Beam, IsHalfAtHalfItsWidthAndNothingBehind) {
  for (const double width : {10.0, 65.0, 80.0, 150.0}) {
    const double n = beam_exponent(width);
    // Looking down, as an antenna under an unmanned aircraft.
    const AntennaFrame down = antenna_frame({radians(30), radians(90)});
    EXPECT_DOUBLE_EQ(relative_beam(n, down, {0, 0, -1}), 1.0);
    for (double azimuth = 0; azimuth < 360; azimuth += 45) {
      EXPECT_NEAR(relative_beam(n, down, towards(azimuth, -90 + width / 2)), 0.5, 1e-9);
    }
    EXPECT_EQ(relative_beam(n, down, {0, 0, 1}), 0.0);
    EXPECT_NEAR(relative_beam(n, down, towards(10, -50)), std::pow(std::sin(radians(50)), n), 1e-12);
  }
}

}  // namespace
}  // namespace tesseray
