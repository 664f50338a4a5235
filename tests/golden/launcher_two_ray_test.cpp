// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher over a flat plane against the exact field of the direct and the ground-reflected ray (golden 02).
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double frequency_hz = 850e6, antenna_height_m = 41, receiver_height_m = 1.5;
constexpr double permittivity = 15, conductivity = 0.005;
// Where the field is this much below the power sum it is in a null, whose depth hangs on millimetres.
constexpr double null_db = 10;

struct TwoRay {
  double exact_db = 0, power_sum_db = 0;  // loss between isotropic antennas
  bool in_null() const { return exact_db - power_sum_db > null_db; }
};

// The closed form of golden 02, isotropic vertical ends; checked against the table below.
TwoRay two_ray(double distance_m) {
  const double direct = std::hypot(distance_m, antenna_height_m - receiver_height_m);
  const double reflected = std::hypot(distance_m, antenna_height_m + receiver_height_m);
  const double cosine = (antenna_height_m + receiver_height_m) / reflected;
  const Complex gamma = fresnel(relative_permittivity({permittivity, conductivity}, frequency_hz), cosine).tm;
  const double wave_number = 2 * pi / wavelength_m(frequency_hz);
  const Complex a = (1 / direct) * exp_j(-wave_number * direct);
  const Complex b = (1 / reflected) * (gamma * exp_j(-wave_number * reflected));
  const double unit_db = 20 * std::log10(4 * pi / wavelength_m(frequency_hz));
  return {unit_db - decibels(squared_norm(a + b)), unit_db - decibels(squared_norm(a) + squared_norm(b))};
}

RayLaunchingOptions with_phases(RayLaunchingOptions options) {
  options.summation = Summation::coherent;
  return options;
}

Scene strip(double length_m) {
  return testing::with_material(testing::flat_ground(length_m, 10), permittivity, conductivity);
}

TEST(LauncherTwoRay, ClosedFormIsTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  int compared = 0;
  const GoldenTable table("02_two_ray.csv");
  for (const GoldenRow& row : table.rows()) {
    if (row.text("surface") != "ground_15_0.005") continue;
    const TwoRay expected = two_ray(row.number("d_m"));
    EXPECT_NEAR(expected.exact_db, row.number("PL_V_dB"), 1e-6);
    EXPECT_NEAR(expected.power_sum_db, row.number("PL_V_incoh_dB"), 1e-6);
    ++compared;
  }
  EXPECT_GT(compared, 70);
}

TEST(LauncherTwoRay, ReceiverPointsOfTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const Vec3 antenna{7, 3, antenna_height_m};
  std::vector<Vec3> points;
  std::vector<double> exact_db;
  const GoldenTable table("02_two_ray.csv");
  for (const GoldenRow& row : table.rows()) {
    if (row.text("surface") != "ground_15_0.005") continue;
    if (row.number("PL_V_dB") - row.number("PL_V_incoh_dB") > null_db) continue;
    points.push_back({antenna.x + row.number("d_m"), antenna.y, receiver_height_m});
    exact_db.push_back(row.number("PL_V_dB"));
  }
  ASSERT_GT(points.size(), 60u);
  for (const double side_m : {10.0, 5.0, 2.5}) {
    const Environment plane(strip(5100), side_m);
    const auto result = plane.launch(testing::test_transmitter(antenna), testing::receivers_at(points),
                                     with_phases(testing::without_scattering(1, 0, 1)));
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double error = std::fabs(-decibels(testing::total_gain(result.receivers[i])) - exact_db[i]);
      EXPECT_LT(error, 0.01) << side_m << " m tiles, " << points[i].x - antenna.x << " m";
      worst = std::fmax(worst, error);
    }
    testing::expect_in_validation_page(
        {"receiver points", testing::fixed(side_m, 1), std::to_string(points.size()), testing::fixed(worst, 3)});
  }
}

TEST(LauncherTwoRay, GroundTilesAndTheirCompanions) {
  const Vec3 antenna{7, 3, antenna_height_m};
  for (const double side_m : {10.0, 5.0, 2.5}) {
    const Environment plane(strip(5100), side_m);
    RayLaunchingOptions options = with_phases(testing::without_scattering(1, 0, 1));
    options.receiver_height_m = receiver_height_m;
    const auto result = plane.launch(testing::test_transmitter(antenna), {}, options);
    std::size_t compared = 0, nulls = 0;
    double worst = 0;
    for (std::size_t t = 0; t < plane.tiling.tiles.size(); ++t) {
      const double distance = norm(plane.tiling.tiles[t].centroid.xy() - antenna.xy());
      const TwoRay expected = two_ray(distance);
      if (expected.in_null()) {
        ++nulls;
        continue;
      }
      const double error = std::fabs(-decibels(testing::total_gain(result.tiles[t])) - expected.exact_db);
      ASSERT_LT(error, 0.01) << side_m << " m tiles, " << distance << " m";
      worst = std::fmax(worst, error);
      EXPECT_EQ(result.tiles[t].rays, 2u);
      ++compared;
    }
    testing::expect_in_validation_page(
        {"ground tiles", testing::fixed(side_m, 1), std::to_string(compared), testing::fixed(worst, 3)});
    EXPECT_GT(compared, 9 * nulls);
  }
}

// Far away the loss grows by 40 dB per decade: 20 log10 of d²/(h_T h_R).
TEST(LauncherTwoRay, FourthPowerOfTheDistanceFarAway) {
  const Vec3 antenna{7, 3, antenna_height_m};
  const Environment plane(strip(20'000), 10);
  const auto result =
      plane.launch(testing::test_transmitter(antenna),
                   testing::receivers_at({{8007, 3, receiver_height_m}, {16'007, 3, receiver_height_m}}),
                   testing::without_scattering(1, 0, 1));
  const double near_db = -decibels(testing::total_gain(result.receivers[0]));
  const double far_db = -decibels(testing::total_gain(result.receivers[1]));
  EXPECT_NEAR(far_db - near_db, 40 * std::log10(2.0), 0.15);
  EXPECT_NEAR(near_db, 20 * std::log10(8000.0 * 8000.0 / (antenna_height_m * receiver_height_m)), 0.2);
}

}  // namespace
}  // namespace tesseray
