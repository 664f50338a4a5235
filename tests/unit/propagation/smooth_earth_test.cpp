// SPDX-License-Identifier: GPL-3.0-or-later
// Losses along the smooth earth, before its horizon, across and behind it, against ITU-R P.526.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

struct SmoothLink {
  double frequency_mhz;
  Polarization polarization;
  double antenna_m, receiver_m;
};

// The ground of testing::flat_ground.
constexpr double relative_permittivity_of_ground = 5, conductivity_of_ground = 0.01;

double horizon_m(const SmoothLink& link) {
  return std::sqrt(2 * RooftopLine::earth_radius_m) * (std::sqrt(link.antenna_m) + std::sqrt(link.receiver_m));
}

// ITU-R P.526-15, §3.1.1.2: the first term of the residue series, dB over free space.
double first_term_db(const SmoothLink& link, double distance_m) {
  constexpr double radius_km = RooftopLine::earth_radius_m / 1000;
  const double f = link.frequency_mhz, loss = 18000 * conductivity_of_ground / f;
  double k = 0.36 * std::pow(radius_km * f, -1.0 / 3) *
             std::pow(std::pow(relative_permittivity_of_ground - 1, 2) + loss * loss, -0.25);               // (15)
  if (link.polarization == Polarization::vertical) k *= std::hypot(relative_permittivity_of_ground, loss);  // (16)
  const double k2 = k * k, beta = (1 + 1.6 * k2 + 0.67 * k2 * k2) / (1 + 4.5 * k2 + 1.53 * k2 * k2);        // (17)
  const double x = 2.188 * beta * std::cbrt(f) * std::pow(radius_km, -2.0 / 3) * distance_m / 1000;         // (14)
  const auto of_height_db = [&](double height_m) {
    const double y = 9.575e-3 * beta * std::pow(f, 2.0 / 3) / std::cbrt(radius_km) * height_m, b = beta * y;  // (15a)
    const double gain =
        b > 2 ? 17.6 * std::sqrt(b - 1.1) - 5 * std::log10(b - 1.1) - 8 : 20 * std::log10(b + 0.1 * b * b * b);  // (18)
    return std::max(gain, 2 + 20 * std::log10(k));
  };
  const double of_distance_db =
      x >= 1.6 ? 11 + 10 * std::log10(x) - 17.6 * x : -20 * std::log10(x) - 5.6488 * std::pow(x, 1.425);
  return -(of_distance_db + of_height_db(link.antenna_m) + of_height_db(link.receiver_m));
}

// Over free space, at distances over flat ground.
std::vector<double> losses_db(const Environment& ground, const SmoothLink& link, const std::vector<double>& distances_m,
                              Summation summation = Summation::coherent) {
  constexpr double antenna_x = 1000;
  const auto above = [&](double x, double height_m) {
    return Vec3{x, 200, ground.scene.terrain.height_at({x, 200}) + height_m};
  };
  Transmitter transmitter = testing::test_transmitter(above(antenna_x, link.antenna_m));
  transmitter.frequency_hz = 1e6 * link.frequency_mhz;
  transmitter.polarization = link.polarization;
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.receiver_polarization = link.polarization;
  options.summation = summation;
  options.tiles_are_targets = false;
  std::vector<Vec3> places;
  for (const double distance_m : distances_m) places.push_back(above(antenna_x + distance_m, link.receiver_m));
  const RayLaunchingResult result = ground.launch(transmitter, testing::receivers_at(places), options);
  std::vector<double> losses;
  for (std::size_t r = 0; r < places.size(); ++r) {
    losses.push_back(-decibels(testing::total_gain(result.receivers[r])) -
                     free_space_loss_db(distances_m[r], transmitter.frequency_hz));
  }
  return losses;
}

constexpr double ground_length_m = 170'000;

std::vector<double> times(double unit, const std::vector<double>& factors) {
  std::vector<double> products;
  for (const double factor : factors) products.push_back(factor * unit);
  return products;
}

// From a tenth of the way behind the horizon on, where the first term is the series; at the horizon it has up to 1.8 dB
// less than the whole.
// By which rays over the roofs tell that there is none to be asked for.
TEST(SmoothEarth, LiesBelowLongLinesAlone) {
  constexpr double first_m = RooftopLine::flat_within_m;
  for (const double length_m : {5.0, 3999.9, first_m, std::nextafter(first_m, 1e9), 4500.0, 5000.0, 20'000.0}) {
    const RooftopLine line({0, 0, 10}, {length_m, 0, 5}, 0);
    EXPECT_EQ(RooftopLine::is_curved(line.length_m), line.bulge_at(0.5 * length_m) > 0) << length_m;
    EXPECT_EQ(RooftopLine::is_curved(line.length_m), length_m > first_m);
  }
}

TEST(SmoothEarth, HasTheLossOfP526BehindItsHorizon) {
  const Environment ground(testing::flat_ground(ground_length_m, 400), 200);
  for (const double frequency_mhz : {150.0, 450.0, 900.0, 2600.0, 6000.0}) {
    for (const double antenna_m : {10.0, 30.0, 100.0}) {
      for (const double receiver_m : {1.5, 10.0}) {
        for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
          const SmoothLink link{frequency_mhz, polarization, antenna_m, receiver_m};
          const std::vector<double> distances_m = times(horizon_m(link), {1, 1.03, 1.1, 1.2, 1.5, 2, 2.5, 3});
          const std::vector<double> losses = losses_db(ground, link, distances_m);
          for (std::size_t d = 0; d < losses.size(); ++d) {
            EXPECT_NEAR(losses[d], first_term_db(link, distances_m[d]), d < 2 ? 1.9 : 1.5)
                << frequency_mhz << " MHz, " << antenna_m << " and " << receiver_m << " m, " << distances_m[d];
          }
        }
      }
    }
  }
}

// From where the earth is hardly round to far behind its horizon.
TEST(SmoothEarth, LetsLossGrowWithoutSteps) {
  const Environment ground(testing::flat_ground(60'000, 400), 200);
  for (const double frequency_mhz : {150.0, 900.0, 2600.0}) {
    for (const double antenna_m : {10.0, 30.0}) {
      const SmoothLink link{frequency_mhz, Polarization::vertical, antenna_m, 1.5};
      const double horizon = horizon_m(link);
      std::vector<double> distances_m;
      for (double d = 0.3 * horizon; d < 1.5 * horizon; d += 50) distances_m.push_back(d);
      for (const Summation summation : {Summation::coherent, Summation::local_mean}) {
        const std::vector<double> losses = losses_db(ground, link, distances_m, summation);
        for (std::size_t d = 1; d < losses.size(); ++d) {
          // In the mean over heights what is in sight has 0.1 dB more.
          EXPECT_GT(losses[d] - losses[d - 1], 0) << frequency_mhz << " " << antenna_m << " " << distances_m[d];
          EXPECT_LT(losses[d] - losses[d - 1], 0.25) << frequency_mhz << " " << antenna_m << " " << distances_m[d];
        }
      }
    }
  }
}

TEST(SmoothEarth, HasTheSameLossFromEitherEnd) {
  const Environment ground(testing::flat_ground(60'000, 400), 200);
  for (const double frequency_mhz : {150.0, 2600.0}) {
    const SmoothLink link{frequency_mhz, Polarization::vertical, 30, 1.5},
        back{frequency_mhz, Polarization::vertical, 1.5, 30};
    const std::vector<double> distances_m = times(horizon_m(link), {0.8, 0.99, 1.01, 1.3, 2});
    const std::vector<double> there = losses_db(ground, link, distances_m), here = losses_db(ground, back, distances_m);
    for (std::size_t d = 0; d < distances_m.size(); ++d) EXPECT_NEAR(there[d], here[d], 0.02) << distances_m[d];
  }
}

// What the ground is off the smooth earth turns the one wave into the other without a step; a terrain model's
// centimetres do not.
TEST(SmoothEarth, GivesWayToGroundThatIsOff) {
  const SmoothLink link{900, Polarization::vertical, 10, 1.5};
  const std::vector<double> distances_m = times(horizon_m(link), {1.2, 1.5});
  constexpr double step_m = 500;
  std::vector<double> before;
  double most_db = 0;
  for (double off_m = 0; off_m <= 0.25; off_m += 0.0125) {
    const Environment ground(
        testing::terrain_of(30'000, 500, step_m, [&](Vec2 p) { return off_m * std::sin(2 * pi * p.x / 12'000); }), 250);
    const std::vector<double> losses = losses_db(ground, link, distances_m);
    for (std::size_t d = 0; d < losses.size(); ++d) {
      if (off_m == 0) {
        EXPECT_NEAR(losses[d], first_term_db(link, distances_m[d]), 0.5);
      }
      if (!before.empty()) most_db = std::max(most_db, std::fabs(losses[d] - before[d]));
    }
    before = losses;
  }
  // In all it is 2 dB and what the heights make.
  EXPECT_LT(most_db, 0.6);
}

// One low house far below the way leaves the wave as it is, one that rises above it has the loss of its own screens.
TEST(SmoothEarth, GivesWayToRoofs) {
  const SmoothLink link{900, Polarization::vertical, 30, 1.5};
  const std::vector<double> distances_m = times(horizon_m(link), {1.2});
  const auto loss_db = [&](double house_m) {
    Scene scene = testing::flat_ground(40'000, 400);
    if (house_m > 0) scene.prisms.push_back(testing::box_prism(1, {1100, 100}, {1120, 300}, 0, house_m));
    return losses_db(Environment(std::move(scene), 200), link, distances_m).front();
  };
  const double without_db = loss_db(0);
  EXPECT_NEAR(loss_db(5), without_db, 0.01);
  EXPECT_GT(loss_db(60), without_db + 10);
}

// In sight, too, where they come near the way: over a plane a screen and the ground's image of it leave nearly all of
// both waves, and the earth is no other where its bulge has come in (from 4 km on).
TEST(SmoothEarth, LowRoofsInSightTakeNothing) {
  const std::vector<double> distances_m{3900, 4100, 4500, 5100, 6000, 9000};
  const auto losses = [&](const SmoothLink& link, double house_m) {
    Scene scene = testing::flat_ground(12'000, 400);
    if (house_m > 0) scene.prisms.push_back(testing::box_prism(1, {4400, 150}, {4410, 250}, 0, house_m));
    return losses_db(Environment(std::move(scene), 200), link, distances_m, Summation::local_mean);
  };
  for (const SmoothLink& link :
       {SmoothLink{900, Polarization::vertical, 30, 1.5}, SmoothLink{450, Polarization::horizontal, 30, 1.5},
        SmoothLink{100, Polarization::vertical, 100, 1.5}}) {
    const std::vector<double> none = losses(link, 0);
    for (const double house_m : {0.6, 1.0, 4.0}) {
      const std::vector<double> with = losses(link, house_m);
      for (std::size_t d = 0; d < none.size(); ++d) {
        EXPECT_NEAR(with[d], none[d], 0.5) << link.frequency_mhz << " MHz, " << house_m << " m, " << distances_m[d];
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
