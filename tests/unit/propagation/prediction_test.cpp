// SPDX-License-Identifier: GPL-3.0-or-later
// From sums of rays to what a planner reads: powers, delays, angles and flags.
#include "core/prediction/prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

TransmitterPrediction predict(const Environment& environment, const Transmitter& transmitter,
                              const std::vector<Receiver>& receivers, const RayLaunchingOptions& options) {
  return predict_path_loss(environment.launch(transmitter, receivers, options), transmitter, environment.tiling,
                           receivers, options);
}

// Free space: nothing but one ray.
TEST(Prediction, FreeSpaceIsFreeSpace) {
  Scene scene = testing::flat_ground(1000, 1000);
  scene.extent = {};
  const Environment nothing(std::move(scene), 10);
  Transmitter transmitter = testing::test_transmitter({100, 100, 30});
  transmitter.erp_dbm = 40;
  const auto receivers = testing::receivers_at({{700, 400, 20}});
  const auto prediction = predict(nothing, transmitter, receivers, testing::direct_only());
  ASSERT_EQ(prediction.receivers.size(), 1u);
  EXPECT_TRUE(prediction.tiles.empty());
  const TargetPrediction& p = prediction.receivers.front();
  const double distance = std::sqrt(600.0 * 600 + 300.0 * 300 + 10.0 * 10);
  const double loss = free_space_loss_db(distance, 850e6);
  EXPECT_NEAR(static_cast<double>(p.basic_loss_db), loss, 1e-4);
  EXPECT_NEAR(static_cast<double>(p.received_power_dbm), 42.15 - loss, 1e-4);
  EXPECT_NEAR(static_cast<double>(p.path_loss_db), 40 - (42.15 - loss), 1e-4);
  EXPECT_NEAR(static_cast<double>(p.field_dbuvm), 42.15 - loss + 20 * std::log10(850) + 77.216, 2e-3);
  EXPECT_NEAR(static_cast<double>(p.first_delay_ns), distance / speed_of_light * 1e9, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.mean_delay_ns), distance / speed_of_light * 1e9, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.delay_spread_ns), 0, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.angle_spread_deg), 0, 1e-3);
  // It looks back to the south-west: 180° + atan(600/300).
  EXPECT_NEAR(static_cast<double>(p.arrival_azimuth_deg), 180 + degrees(std::atan2(600, 300)), 1e-3);
  EXPECT_EQ(p.ray_count, 1u);
  EXPECT_EQ(p.mechanism, Mechanism::direct);
  EXPECT_TRUE(p.line_of_sight);
  EXPECT_FALSE(p.in_near_field);
}

// Azimuths are from true north: grid azimuth + convergence, within 0 … 360.
TEST(Prediction, ArrivalAzimuthHasTheMeridianConvergence) {
  Scene scene = testing::flat_ground(1000, 1000);
  scene.extent = {};
  const Environment nothing(std::move(scene), 10);
  for (const double convergence : {-2.5, 0.0, 1.75}) {
    Transmitter transmitter = testing::test_transmitter({500, 500, 30});
    transmitter.grid_azimuth_deg = 359;
    transmitter.azimuth_deg = std::fmod(359 + convergence, 360.0);
    const auto receivers = testing::receivers_at({{500, 100, 20}, {501, 900, 20}});
    const auto prediction = predict(nothing, transmitter, receivers, testing::direct_only());
    // The first one looks to grid north.
    EXPECT_NEAR(static_cast<double>(prediction.receivers[0].arrival_azimuth_deg), std::fmod(convergence + 360, 360.0),
                1e-3);
    const double south = 180 + degrees(std::atan2(1, 400)) + convergence;
    EXPECT_NEAR(static_cast<double>(prediction.receivers[1].arrival_azimuth_deg), south, 1e-3);
  }
}

// A wall and a receiver with a direct and one reflected ray of known lengths.
Scene wall() {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {100, 200}, {300, 210}, 0, 40)};
  return scene;
}

TEST(Prediction, TwoPathsHaveTheSpreadsOfTheirPowers) {
  const Environment one_wall(wall(), 10);
  const Vec3 antenna{151, 150, 20}, receiver{252, 120, 20};
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.summation = Summation::power;
  const auto prediction =
      predict(one_wall, testing::test_transmitter(antenna), testing::receivers_at({receiver}), options);
  ASSERT_EQ(prediction.rays.size(), 2u);
  const double p0 = power_ratio(prediction.rays[0].power_dbm), p1 = power_ratio(prediction.rays[1].power_dbm);
  const double t0 = norm(receiver - antenna) / speed_of_light * 1e9;
  const double t1 = norm(receiver - Vec3{antenna.x, 400 - antenna.y, antenna.z}) / speed_of_light * 1e9;
  const double mean = (p0 * t0 + p1 * t1) / (p0 + p1);
  const double spread = std::sqrt((p0 * (t0 - mean) * (t0 - mean) + p1 * (t1 - mean) * (t1 - mean)) / (p0 + p1));
  const TargetPrediction& p = prediction.receivers.front();
  EXPECT_NEAR(static_cast<double>(p.first_delay_ns), t0, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.mean_delay_ns), mean, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.delay_spread_ns), spread, 1e-3);
  EXPECT_NEAR(static_cast<double>(p.received_power_dbm), decibels(p0 + p1), 1e-4);
  // √(1 − R²) of the two arrival azimuths.
  const double a0 = radians(prediction.rays[0].arrival_azimuth_deg),
               a1 = radians(prediction.rays[1].arrival_azimuth_deg);
  const double r = std::hypot(p0 * std::cos(a0) + p1 * std::cos(a1), p0 * std::sin(a0) + p1 * std::sin(a1)) / (p0 + p1);
  EXPECT_NEAR(static_cast<double>(p.angle_spread_deg), degrees(std::sqrt(1 - r * r)), 1e-3);
  EXPECT_EQ(p.ray_count, 2u);
}

TEST(Prediction, SummationsAddPowersOrAmplitudes) {
  const Environment one_wall(wall(), 10);
  const Vec3 antenna{151, 150, 20};
  const auto receivers = testing::receivers_at({{252, 120, 20}, {251, 131, 20}, {259, 142, 23}});
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  const auto with = [&](Summation summation) {
    options.summation = summation;
    return predict(one_wall, testing::test_transmitter(antenna), receivers, options);
  };
  const auto power = with(Summation::power), coherent = with(Summation::coherent), local = with(Summation::local_mean);
  bool differ = false;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    Complex amplitude;
    double gain = 0;
    for (const Ray& ray : coherent.rays) {
      if (ray.target_id != receivers[r].receiver_id) continue;
      gain += power_ratio(ray.power_dbm);
      amplitude = amplitude + std::sqrt(power_ratio(ray.power_dbm)) * exp_j(radians(ray.phase_deg));
    }
    const auto received = [&](const TransmitterPrediction& p) {
      return static_cast<double>(p.receivers[r].received_power_dbm);
    };
    EXPECT_NEAR(received(power), decibels(gain), 1e-3);
    EXPECT_NEAR(received(coherent), decibels(squared_norm(amplitude)), 1e-3);
    // A wall's reflection is no partner of the direct ray in the local mean.
    EXPECT_NEAR(received(local), decibels(gain), 1e-3);
    differ = differ || std::fabs(received(power) - received(coherent)) > 0.5;
    // Fading changes the loss between isotropic antennas as it does the power; delays are by power.
    EXPECT_NEAR(static_cast<double>(coherent.receivers[r].basic_loss_db - power.receivers[r].basic_loss_db),
                received(power) - received(coherent), 1e-3);
    EXPECT_EQ(coherent.receivers[r].delay_spread_ns, power.receivers[r].delay_spread_ns);
  }
  EXPECT_TRUE(differ);
}

// Phases come from lengths in whole: the direct ray's is −2π r/λ and the polarisation adds none.
TEST(Prediction, PhaseOfTheDirectRayIsItsLength) {
  Scene scene = testing::flat_ground(1000, 1000);
  scene.extent = {};
  const Environment nothing(std::move(scene), 10);
  const Vec3 antenna{100, 100, 30}, receiver{700, 400, 20};
  const auto prediction =
      predict(nothing, testing::test_transmitter(antenna), testing::receivers_at({receiver}), testing::direct_only());
  const double turns = norm(receiver - antenna) / wavelength_m(850e6);
  const double expected = -360 * (turns - std::round(turns));
  EXPECT_NEAR(std::remainder(prediction.rays.front().phase_deg - expected, 360.0), 0, 1e-4);
}

TEST(Prediction, NearFieldIsFlaggedWithinTwiceTheSquareOfTheAperture) {
  const Environment plane(testing::flat_ground(200, 200), 10);
  Transmitter transmitter = testing::test_transmitter({100, 100, 10});
  transmitter.diameter_m = 3;
  const double far_m = 2 * 9 / wavelength_m(850e6);
  const auto prediction = predict(plane, transmitter, {}, testing::direct_only());
  std::size_t near = 0;
  for (std::size_t t = 0; t < prediction.tiles.size(); ++t) {
    const double distance = norm(target_point(plane.tiling.tiles[t], 1.5) - transmitter.position);
    EXPECT_EQ(prediction.tiles[t].in_near_field, distance < far_m);
    near += distance < far_m ? 1 : 0;
  }
  EXPECT_GT(near, 10u);
  EXPECT_LT(near, prediction.tiles.size());
}

TEST(Prediction, NothingArrivesBehindAHouseWithoutBounces) {
  const Environment one_wall(wall(), 10);
  const auto prediction = predict(one_wall, testing::test_transmitter({200, 150, 5}),
                                  testing::receivers_at({{200, 250, 1.5}}), testing::direct_only());
  const TargetPrediction& p = prediction.receivers.front();
  EXPECT_FALSE(p.reached());
  EXPECT_TRUE(std::isnan(p.path_loss_db));
  EXPECT_TRUE(std::isnan(p.delay_spread_ns));
  EXPECT_TRUE(std::isnan(p.arrival_azimuth_deg));
  EXPECT_EQ(p.mechanism, Mechanism::none);
  EXPECT_FALSE(p.line_of_sight);
}

// The pattern counts in the path loss and not in the loss between isotropic antennas.
TEST(Prediction, BasicLossIsFreeOfThePattern) {
  const Environment one_wall(wall(), 10);
  Transmitter transmitter = testing::test_transmitter({151, 150, 20});
  const auto receivers = testing::receivers_at({{252, 120, 20}});
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.summation = Summation::power;
  const auto isotropic = predict(one_wall, transmitter, receivers, options);
  transmitter.antenna = AntennaKind::sector_3gpp;
  transmitter.grid_azimuth_deg = transmitter.azimuth_deg = 10;
  const auto sector = predict(one_wall, transmitter, receivers, options);
  EXPECT_NEAR(static_cast<double>(sector.receivers[0].basic_loss_db),
              static_cast<double>(isotropic.receivers[0].basic_loss_db), 1e-3);
  EXPECT_GT(sector.receivers[0].path_loss_db, isotropic.receivers[0].path_loss_db + 1);
}

// However large: it is in powers and path losses, and in nothing else.
TEST(Prediction, TheReceiversGainIsAddedAsItIs) {
  const Environment plane(testing::flat_ground(200, 200), 10);
  Transmitter transmitter = testing::test_transmitter({100, 100, 10});
  transmitter.frequency_hz = 100e6;
  transmitter.erp_dbm = 30;
  const auto receivers = testing::receivers_at({{103, 100, 7}, {109, 100, 10}, {126, 100, 1.5}, {190, 150, 1.5}});
  RayLaunchingOptions options;
  options.rays_per_receiver = 1000;
  options.ray_losses = options.wideband = true;
  options.delay_profile_rays = 4;
  for (const Summation summation : {Summation::local_mean, Summation::power, Summation::coherent}) {
    options.summation = summation;
    options.receiver_gain_dbi = 0;
    const auto without = predict(plane, transmitter, receivers, options);
    for (const double gain_dbi : {-50.0, 20.0, 50.0}) {
      options.receiver_gain_dbi = gain_dbi;
      const auto with = predict(plane, transmitter, receivers, options);
      const auto expect_more = [&](const TargetPrediction& a, const TargetPrediction& b) {
        EXPECT_NEAR(static_cast<double>(b.received_power_dbm - a.received_power_dbm), gain_dbi, 1e-4);
        EXPECT_NEAR(static_cast<double>(b.path_loss_db - a.path_loss_db), -gain_dbi, 1e-4);
        for (const auto value :
             {&TargetPrediction::basic_loss_db, &TargetPrediction::field_dbuvm, &TargetPrediction::mean_delay_ns,
              &TargetPrediction::delay_spread_ns, &TargetPrediction::angle_spread_deg}) {
          EXPECT_NEAR(static_cast<double>(b.*value), static_cast<double>(a.*value), 1e-4);
        }
        EXPECT_EQ(b.ray_count, a.ray_count);
      };
      for (std::size_t t = 0; t < without.tiles.size(); ++t) expect_more(without.tiles[t], with.tiles[t]);
      for (std::size_t r = 0; r < receivers.size(); ++r) {
        expect_more(without.receivers[r], with.receivers[r]);
        EXPECT_NEAR(static_cast<double>(with.receivers_wideband.angles(r).k_factor_db),
                    static_cast<double>(without.receivers_wideband.angles(r).k_factor_db), 1e-4);
        const auto strongest_dbm = [&](const TransmitterPrediction& of) {
          const std::string profile(of.receivers_wideband.profile(r));
          return std::stod(profile.substr(profile.find(',') + 1));
        };
        EXPECT_NEAR(strongest_dbm(with) - strongest_dbm(without), gain_dbi, 0.011);
      }
      ASSERT_EQ(with.rays.size(), without.rays.size());
      for (std::size_t i = 0; i < with.rays.size(); ++i) {
        EXPECT_NEAR(with.rays[i].power_dbm - without.rays[i].power_dbm, gain_dbi, 1e-9);
        EXPECT_NEAR(testing::sum_of_losses(with.rays[i]), transmitter.erp_dbm - with.rays[i].power_dbm, 1e-4);
      }
    }
  }
}

// The antenna stands where a receiver stands: nothing overflows.
TEST(Prediction, ReceiversAtTheAntennaAreFinite) {
  Scene scene = testing::flat_ground(1000, 1000);
  const Environment plane(std::move(scene), 50);
  Transmitter transmitter = testing::test_transmitter({100, 100, 30});
  transmitter.frequency_hz = 100e6;
  const auto prediction = predict(plane, transmitter, testing::receivers_at({{100, 100, 30}, {100, 100, 30.02}}),
                                  testing::without_scattering(1, 0, 1));
  EXPECT_LE(prediction.receivers[1].received_power_dbm, 10.0F);
  EXPECT_TRUE(std::isfinite(prediction.receivers[1].path_loss_db));
}

}  // namespace
}  // namespace tesseray
