// SPDX-License-Identifier: GPL-3.0-or-later
// Rays of which the receiver's polarisation, or a null of an antenna, leaves nothing: they are none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/prediction/explanation.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/scattering/scattered_sums.h"
#include "core/propagation/scattering/scattering_view.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

using testing::Environment;

const Environment& plain() {
  static const Environment made(testing::with_material(testing::flat_ground(100, 100), 5, 0.01), 10);
  return made;
}

// Horizontal to vertical over flat ground: neither the direct ray nor the ground's reflection has a vertical part.
Transmitter horizontal(Vec3 position) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.name = "Hill";
  transmitter.polarization = Polarization::horizontal;
  return transmitter;
}

RayLaunchingOptions to_points(RayLaunchingOptions options) {
  options.tiles_are_targets = false;
  options.rays_per_receiver = 100'000;
  options.ray_losses = true;
  return options;
}

TEST(CrossedPolarization, LeavesNothingOfAFieldButRounding) {
  const Transmitter transmitter = horizontal({0, 0, 0});
  const Link link(plain().scene, transmitter, RayLaunchingOptions{});
  testing::Random random(7);
  for (int i = 0; i < 1'000; ++i) {
    const double azimuth = random.uniform(0, 6), up = random.uniform(-0.9, 0.9);
    const double across = std::sqrt(1 - up * up);
    const Vec3 direction{across * std::sin(azimuth), across * std::cos(azimuth), up};
    const ComplexVec3 field = link.depart(direction).field;
    EXPECT_EQ(squared_norm(link.receive(field, direction)), 0);
    // 200 dB below the field there is still something.
    const ComplexVec3 slightly = field + Complex{1e-10, 0} * Vec3{0, 0, 1};
    EXPECT_GT(squared_norm(link.receive(slightly, direction)), 0);
  }
}

TEST(CrossedPolarization, LeavesNothingOfScatteredPowerBetweenSlants) {
  Transmitter transmitter = testing::test_transmitter({0, 0, 0});
  transmitter.polarization = Polarization::slant_plus_45;
  RayLaunchingOptions options;
  options.receiver_polarization = Polarization::slant_plus_45;
  EXPECT_EQ(Link(plain().scene, transmitter, options).received_fraction(), 0);
  options.receiver_polarization = Polarization::slant_minus_45;
  EXPECT_EQ(Link(plain().scene, transmitter, options).received_fraction(), 1);
}

TEST(PatternNull, OfAShortDipoleIsOne) {
  testing::Random random(8);
  for (int i = 0; i < 1'000; ++i) {
    const AntennaFrame frame = antenna_frame({random.uniform(0, 6), random.uniform(-1.5, 1.5)});
    for (const PatternKind dipole : {PatternKind::short_dipole, PatternKind::half_wave_dipole}) {
      EXPECT_EQ(relative_pattern(dipole, frame, frame.up), 0);
      EXPECT_EQ(relative_pattern(dipole, frame, -frame.up), 0);
    }
  }
}

// A ray of no power has no delay and is not counted; what is in sight stays so.
TEST(ArrivalsWithoutPower, AreNone) {
  Arrival none;
  none.mechanism = Mechanism::direct;
  none.travel_direction = {0, 1, 0};
  ArrivalSums sums;
  sums.add(none);
  EXPECT_TRUE(sums.direct);
  EXPECT_EQ(sums.rays, 0u);
  EXPECT_EQ(sums.strongest_mechanism, Mechanism::none);
  Arrival some = none;
  some.path_gain = some.basic_gain = 1e-9;
  some.excess_length_m = 12;
  some.mechanism = Mechanism::reflection;
  sums.add(some);
  EXPECT_EQ(sums.rays, 1u);
  EXPECT_EQ(sums.first_excess_m, 12.0F);
  EXPECT_EQ(sums.strongest_mechanism, Mechanism::reflection);

  DiffuseSum nothing;
  nothing.first_excess_m = 3;
  nothing.rays = 7;
  sums.add(nothing);
  ScatteredSums scattered;
  scattered.add(nothing);
  EXPECT_EQ(scattered.rays, 0u);
  EXPECT_EQ(sums.rays, 1u);
  EXPECT_EQ(sums.first_excess_m, 12.0F);
  const DiffuseTarget takes_nothing{{1, 0}, 0, 0, 10, 1};
  DiffuseSum at_target;
  add_diffuse({.power = 1, .basic = 1, .length = 5, .squared_length = 25, .first_length_m = 5, .rays = 3}, 1e-4, 8,
              takes_nothing, at_target);
  EXPECT_EQ(at_target.rays, 0u);
}

TEST(CrossedPolarization, OverFlatGroundIsInSightAndUnreached) {
  const Transmitter transmitter = horizontal({20, 20, 25});
  const std::vector<Receiver> receivers = testing::receivers_at({{70, 81, 1.5}, {20, 60, 3}, {90, 20, 25}});
  RayLaunchingOptions options;
  options.rays_per_receiver = 100;
  const RayLaunchingResult result = plain().launch(transmitter, receivers, options);
  for (const ArrivalSums& sums : result.receivers) {
    EXPECT_TRUE(sums.direct);
    EXPECT_EQ(sums.rays, 0u);
    EXPECT_EQ(sums.gain.value(), 0);
  }
  EXPECT_TRUE(result.rays.empty());
  for (const ArrivalSums& sums : result.tiles) EXPECT_EQ(sums.rays, 0u);
}

// With houses, edges turn some of the polarisation: the rays that are left are those that are counted, and no other one
// comes first.
TEST(CrossedPolarization, RaysThatAreCountedAreThoseThatAreKept) {
  const Transmitter transmitter = horizontal(testing::antenna_between_houses);
  RayLaunchingOptions options = to_points(testing::without_scattering(3, 2, 3));
  options.summation = Summation::power;
  const std::vector<Receiver> receivers = testing::receivers_at(testing::around_houses);
  const RayLaunchingResult result = testing::two_houses().launch(transmitter, receivers, options);
  std::size_t powerless = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    std::uint32_t rays = 0;
    double first_ns = std::numeric_limits<double>::infinity();
    for (const Ray& ray : result.rays) {
      if (ray.target_id != receivers[r].receiver_id) continue;
      ++rays;
      first_ns = std::fmin(first_ns, ray.delay_ns);
      EXPECT_GT(ray.power_dbm, -320) << ray.interactions;
      double losses_db = 0;
      for (const RayLoss& loss : ray.losses) losses_db += loss.loss_db;
      EXPECT_NEAR(losses_db, transmitter.erp_dbm - ray.power_dbm, 1e-4) << ray.interactions;
    }
    EXPECT_GT(rays, 0u);
    EXPECT_EQ(result.receivers[r].rays, rays);
    const TargetPrediction prediction = predict_target(result.receivers[r], receivers[r].position, transmitter);
    EXPECT_NEAR(static_cast<double>(prediction.first_delay_ns), first_ns, 1e-3);
    powerless += result.rays_without_power[r].by_polarization;
  }
  EXPECT_GT(powerless, 0u);
}

std::string explained(const Transmitter& transmitter, Vec3 at, RayLaunchingOptions options) {
  options = to_points(options);
  options.scattered_rays = true;
  const Receiver receiver{1, at};
  const RayLaunchingResult result = plain().launch(transmitter, {receiver}, options);
  return in_words(explain(result, transmitter, receiver, plain().scene, plain().tiling));
}

TEST(CrossedPolarization, IsToldOf) {
  for (const double scattering : {0.0, 0.4}) {
    RayLaunchingOptions options;
    options.scattering_coefficient = scattering;
    EXPECT_EQ(explained(horizontal({20, 20, 25}), {20, 80, 25}, options),
              "Nothing arrives from Hill, 60 m away: the receiver's polarisation takes nothing of the rays that come.");
  }
}

TEST(PatternNull, IsToldOf) {
  Transmitter transmitter = testing::test_transmitter({20, 20, 25});
  transmitter.name = "Hill";
  transmitter.antenna = AntennaKind::half_wave_dipole;
  EXPECT_EQ(explained(transmitter, {20, 20, 5}, testing::without_scattering(1, 0, 1)),
            "Nothing arrives from Hill, 20 m away: the rays that come lie in a null of an antenna.");
}

}  // namespace
}  // namespace tesseray
