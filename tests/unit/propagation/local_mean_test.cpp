// SPDX-License-Identifier: GPL-3.0-or-later
// The local mean: rays and their reflections on the ground in step, against averages of the field and against the
// images of two conducting walls in closed form.
#include "core/propagation/rays/local_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/rays/ground_pairs.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double drive_turns = 2 * pi * local_mean_wavelengths;

// Two waves over a Gaussian window whose standard deviation is that of 40 wavelengths driven, and some height, place by
// place.
TEST(LocalMean, IsTheMeanOfTheFieldOfTwoWaves) {
  const Complex a{0.3, -0.8}, b{-0.5, 0.1};
  const double wave_number = 2 * pi * 850e6 / speed_of_light, wavelength = 2 * pi / wave_number;
  const Vec3 u{0.981, 0.1, 0.02};
  const double wide = local_mean_wavelengths / std::sqrt(12.0) * wavelength, high = local_mean_height_m;
  for (const Vec3 v : {Vec3{0.981, 0.1, 0.02}, Vec3{0.979, 0.101, -0.05}, Vec3{0.97, 0.1, 0.2}, Vec3{0.981, 0.12, 0.1},
                       Vec3{0.95, 0.08, 0.3}}) {
    double sum = 0, weights = 0;
    for (int i = -24; i <= 24; ++i) {
      for (int j = -24; j <= 24; ++j) {
        for (int k = -24; k <= 24; ++k) {
          const Vec3 at{wide * i / 6, wide * j / 6, high * k / 6};
          const double weight = std::exp(-(i * i + j * j + k * k) / 72.0);
          const Complex field = a * exp_j(-wave_number * dot(u, at)) + b * exp_j(-wave_number * dot(v, at));
          sum += weight * squared_norm(field);
          weights += weight;
        }
      }
    }
    const double expected = sum / weights - squared_norm(a) - squared_norm(b);
    EXPECT_NEAR(interference(a, b, coherence(u, v, {0, 0, 1}, wave_number)), expected, 2e-4);
  }
}

TEST(LocalMean, SteepRaysAreOutOfStep) {
  EXPECT_EQ(coherence({1, 0, 0}, {1, 0, 0}, {0, 0, 1}, 18), 1);
  EXPECT_EQ(coherence({0.95, 0, 0.3}, {0.88, 0, 0.3}, {0, 0, 1}, 18), 0);
  EXPECT_EQ(interference({1, 0}, {1, 0}, 0), 0);
}

// A wave that grows as the height over the ground has the mean of that, whatever the directions of its two parts.
TEST(LocalMean, OfOneWaveAlongTheGroundIsThatOfItsHeight) {
  const Complex ray{0.3, -0.8}, reflected{-0.5, 0.1};
  constexpr double height_m = 1.2;
  double sum = 0, weights = 0;
  for (int i = -60; i <= 60; ++i) {
    const double weight = std::exp(-i * i / 200.0), height = height_m + local_mean_height_m * i / 10;
    sum += weight * squared_norm(ray + reflected) * (height / height_m) * (height / height_m);
    weights += weight;
  }
  const double expected = sum / weights - squared_norm(ray) - squared_norm(reflected);
  EXPECT_NEAR(interference(ray, reflected, 0.2, wave_along_ground(1, height_m)), expected, 1e-6);
  EXPECT_EQ(interference(ray, reflected, 0.2, wave_along_ground(0, height_m)), interference(ray, reflected, 0.2));
  EXPECT_EQ(wave_along_ground(1, 0).raised, 0);
}

// Heights that are not known turn the phase between the two: their mean cannot be above the sum of the powers where
// they cancel in part, nor above what they bring in phase.
TEST(LocalMean, OfOneWaveLowOverTheGroundIsNoMoreThanItsTwoPartsBring) {
  testing::Random random(11);
  for (int i = 0; i < 1000; ++i) {
    const Complex ray{random.uniform(-1, 1), random.uniform(-1, 1)};
    const Complex reflected = random.uniform(0, 1) * (ray * exp_j(random.uniform(-pi, pi)));
    const double coherence = random.uniform(0, 1), height_m = std::exp(random.uniform(-5, 1));
    const double in_phase = 2 * (ray * conj(reflected)).re;
    const double added = interference(ray, reflected, coherence, wave_along_ground(random.uniform(0, 1), height_m));
    EXPECT_LE(added, std::max(in_phase, 0.0) + 1e-12) << height_m;
    EXPECT_GE(added, std::min(in_phase, 0.0) - 1e-12) << height_m;
  }
}

// The direct ray and its reflection on a plane of real ground, exactly, place by place about the one they are asked
// for: of its height, and along a drive towards the antenna; beside the sum of their powers, which changes little.
class TwoRaysOverPlane {
 public:
  TwoRaysOverPlane(double frequency_hz, double antenna_m)
      : wave_number_(2 * pi * frequency_hz / speed_of_light),
        permittivity_(relative_permittivity({permittivity, conductivity}, frequency_hz)),
        antenna_m_(antenna_m) {}

  double mean_gain(double plan_m, double height_m) const {
    constexpr int per_height = 200, per_drive = 4, spreads = 4;
    const double drive_m = local_mean_wavelengths / std::sqrt(12.0) * 2 * pi / wave_number_;
    double sum = 0, weights = 0;
    for (int i = -spreads * per_height; i <= spreads * per_height; ++i) {
      for (int j = -spreads * per_drive; j <= spreads * per_drive; ++j) {
        const double up = 1.0 * i / per_height, along = 1.0 * j / per_drive;
        const double weight = std::exp(-(up * up + along * along) / 2);
        const Rays rays = rays_at(plan_m + drive_m * along, height_m + local_mean_height_m * up);
        sum += weight * squared_norm(rays.direct + rays.reflected) / rays.power();
        weights += weight;
      }
    }
    return sum / weights * rays_at(plan_m, height_m).power() / (4 * wave_number_ * wave_number_);
  }
  double gain(double plan_m, double height_m) const {
    const Rays rays = rays_at(plan_m, height_m);
    return squared_norm(rays.direct + rays.reflected) / (4 * wave_number_ * wave_number_);
  }

  static constexpr double permittivity = 15, conductivity = 0.005;

 private:
  struct Rays {
    Complex direct, reflected;
    double power() const { return squared_norm(direct) + squared_norm(reflected); }
  };
  Rays rays_at(double plan_m, double height_m) const {
    const double above_m = std::hypot(plan_m, antenna_m_ - height_m),
                 below_m = std::hypot(plan_m, antenna_m_ + height_m);
    const Complex gamma = fresnel(permittivity_, (antenna_m_ + height_m) / below_m).tm;
    return {(1 / above_m) * exp_j(-wave_number_ * above_m), (1 / below_m) * (gamma * exp_j(-wave_number_ * below_m))};
  }

  double wave_number_;
  Complex permittivity_;
  double antenna_m_;
};

struct TwoRayCase {
  double frequency_hz, antenna_m;
  double coherent_rms_db;  // what the coherent sum is off by at least, up to 400 m
};
const TwoRayCase two_ray_cases[] = {{28e9, 10, 3}, {3.5e9, 10, 2.5}, {900e6, 10, 0.6}, {900e6, 30, 1.5}};
constexpr double two_ray_within_db = 0.1;

TEST(LocalMean, OfTheDirectRayAndItsReflectionIsThatOverHeightAndDrive) {
  constexpr double height_m = 1.5, antenna_x = 5, near_m = 400;
  const Environment plane(testing::with_material(testing::flat_ground(3010, 10), TwoRaysOverPlane::permittivity,
                                                 TwoRaysOverPlane::conductivity),
                          10);
  std::vector<Vec3> places;
  for (double plan_m = 20; plan_m < 3000; plan_m *= 1.13) places.push_back({antenna_x + plan_m, 5, height_m});
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.receiver_height_m = height_m;
  const RayLauncher launcher = plane.launcher(testing::receivers_at(places), options);
  for (const TwoRayCase& of : two_ray_cases) {
    const TwoRaysOverPlane expected(of.frequency_hz, of.antenna_m);
    Transmitter transmitter = testing::test_transmitter({antenna_x, 5, of.antenna_m});
    transmitter.frequency_hz = of.frequency_hz;
    const RayLaunchingResult result = launcher.launch(transmitter, no_progress());
    double coherent_db2 = 0;
    int near = 0;
    const auto compare = [&](double plan_m, const ArrivalSums& sums) {
      const double mean = expected.mean_gain(plan_m, height_m);
      EXPECT_NEAR(decibels(testing::total_gain(sums) / mean), 0, two_ray_within_db)
          << of.frequency_hz << " Hz, " << of.antenna_m << " m, at " << plan_m << " m";
      if (plan_m > near_m) return;
      const double off_db = decibels(expected.gain(plan_m, height_m) / mean);
      coherent_db2 += off_db * off_db;
      ++near;
    };
    for (std::size_t r = 0; r < places.size(); ++r) compare(places[r].x - antenna_x, result.receivers[r]);
    for (std::size_t t = 2; t < plane.tiling.tiles.size(); t += t < 40 ? 2 : 16) {
      compare(norm(plane.tiling.tiles[t].centroid.xy() - transmitter.position.xy()), result.tiles[t]);
    }
    EXPECT_GT(std::sqrt(coherent_db2 / near), of.coherent_rms_db) << of.frequency_hz;
  }
}

// From low to high at more than 45°, where the direct ray and what goes to the ground leave at a right angle and more.
TEST(LocalMean, OfSteepRaysUpwardsHasTheReflectionsSign) {
  constexpr double frequency_hz = 900e6, antenna_m = 1.5, distance_m = 80;
  const TwoRaysOverPlane expected(frequency_hz, antenna_m);
  const Environment plane(testing::with_material(testing::flat_ground(200, 200), TwoRaysOverPlane::permittivity,
                                                 TwoRaysOverPlane::conductivity),
                          10);
  Transmitter transmitter = testing::test_transmitter({55, 95, antenna_m});
  transmitter.frequency_hz = frequency_hz;
  for (const double height_m : {60.0, 77.0, 80.0, 85.0, 110.0, 150.0}) {
    RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
    options.summation = Summation::coherent;
    options.receiver_height_m = height_m;
    const std::vector<Receiver> receivers = testing::receivers_at({{55 + distance_m, 95, height_m}});
    const RayLaunchingResult result = plane.launch(transmitter, receivers, options);
    const double exact = expected.gain(distance_m, height_m);
    EXPECT_NEAR(decibels(testing::total_gain(result.receivers[0]) / exact), 0, 0.01) << height_m;
    const auto tile = std::ranges::find_if(plane.tiling.tiles, [&](const Tile& each) {
      return norm(each.centroid.xy() - receivers[0].position.xy()) < 0.1;
    });
    ASSERT_NE(tile, plane.tiling.tiles.end());
    const ArrivalSums& at_tile = result.tiles[static_cast<std::size_t>(tile - plane.tiling.tiles.begin())];
    EXPECT_NEAR(decibels(testing::total_gain(at_tile) / exact), 0, 0.01) << height_m;
  }
}

// A house's wall across the way, with a kerb before it or without, over the ground of two rays.
class WallBehindKerb {
 public:
  explicit WallBehindKerb(double kerb_m) : town_(with_kerb(kerb_m), 2), launcher_(town_.launcher({}, options())) {}

  // Calls visit(distance over the ground, height, sums) for tiles of that wall.
  template <class Visit>
  void for_each_wall_tile(const TwoRayCase& of, const Visit& visit) const {
    Transmitter transmitter = testing::test_transmitter({5, 15.3, of.antenna_m});
    transmitter.frequency_hz = of.frequency_hz;
    const RayLaunchingResult result = launcher_.launch(transmitter, no_progress());
    for (std::size_t t = 0; t < town_.tiling.tiles.size(); ++t) {
      const Tile& tile = town_.tiling.tiles[t];
      if (tile.prism != 0 || tile.normal.x > -0.99 || tile.centroid.z < 1.5 || tile.centroid.z > 9) continue;
      visit(norm(tile.centroid.xy() - transmitter.position.xy()), tile.centroid.z, result.tiles[t]);
    }
  }

 private:
  static Scene with_kerb(double kerb_m) {
    Scene scene = testing::flat_ground(320, 30);
    scene.prisms = {testing::box_prism(1, {300, 5}, {315, 25}, 0, 12)};
    if (kerb_m > 0) scene.prisms.push_back(testing::box_prism(2, {250, 2}, {251, 28}, 0, kerb_m));
    return testing::with_material(std::move(scene), TwoRaysOverPlane::permittivity, TwoRaysOverPlane::conductivity);
  }
  static RayLaunchingOptions options() {
    RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
    options.over_rooftop = OverRooftop::screens;
    return options;
  }

  Environment town_;
  RayLauncher launcher_;
};

TEST(LocalMean, OfTheDirectRayAndItsReflectionAtAWall) {
  const WallBehindKerb wall(0);
  for (const TwoRayCase& of : two_ray_cases) {
    const TwoRaysOverPlane expected(of.frequency_hz, of.antenna_m);
    int compared = 0;
    wall.for_each_wall_tile(of, [&](double plan_m, double height_m, const ArrivalSums& sums) {
      EXPECT_NEAR(decibels(testing::total_gain(sums) / expected.mean_gain(plan_m, height_m)), 0, two_ray_within_db)
          << of.frequency_hz << " Hz, " << of.antenna_m << " m, " << height_m << " m up";
      ++compared;
    });
    EXPECT_GT(compared, 10);
  }
}

// What the ground reflects before a kerb next to its place of reflection departs with the direct ray. Where the field
// has its second null the kerb itself takes up to a decibel.
TEST(LocalMean, OfWhatDepartsWithTheDirectRayPastAKerb) {
  const TwoRayCase null_at_3_m{3.5e9, 8.44, 0};
  const TwoRaysOverPlane expected(null_at_3_m.frequency_hz, null_at_3_m.antenna_m);
  int compared = 0;
  WallBehindKerb(0.002).for_each_wall_tile(null_at_3_m, [&](double plan_m, double height_m, const ArrivalSums& sums) {
    if (std::fabs(height_m - 3) > 0.01) return;
    const double mean = expected.mean_gain(plan_m, height_m);
    EXPECT_LT(decibels(expected.gain(plan_m, height_m) / mean), -8);
    EXPECT_NEAR(decibels(testing::total_gain(sums) / mean), 0, 1);
    ++compared;
  });
  EXPECT_GT(compared, 5);
}

constexpr double some_wave_number = 18;

PairableRay ray_of(std::uint64_t way, bool from_ground, Complex amplitude, Vec3 direction) {
  return {.receiver = 0, .from_ground = from_ground, .way = way, .amplitude = amplitude, .direction = direction};
}

double paired(const std::vector<PairableRay>& rays) {
  ArrivalSums sums, merged;
  // In two parts, as of two threads.
  const auto middle = rays.begin() + static_cast<std::ptrdiff_t>(rays.size() / 2);
  const std::vector<PairableRays> parts{{rays.begin(), middle}, {middle, rays.end()}};
  add_ground_pairs(parts, some_wave_number, {&sums, 1});
  merged.merge(sums);
  return merged.interference.value();
}

// So many that they are gathered in several passes.
TEST(GroundPairs, OfManyReceiversAreThoseOfEach) {
  constexpr std::uint32_t receivers = 1500;
  const auto rays_at = [](std::uint32_t receiver) {
    const double level = 1 + 0.001 * receiver;
    return std::vector{ray_of(1, false, {level, 0}, {1, 0, 0}), ray_of(1, true, {0.3, 0.1 * level}, {1, 0, 0})};
  };
  std::vector<PairableRays> parts(2);
  for (std::uint32_t r = receivers; r-- > 0;) {
    for (PairableRay ray : rays_at(r)) {
      ray.receiver = r;
      parts[r % 2].push_back(ray);
    }
  }
  std::vector<ArrivalSums> sums(receivers);
  add_ground_pairs(parts, some_wave_number, sums);
  for (std::uint32_t r = 0; r < receivers; ++r) {
    ArrivalSums merged;
    merged.merge(sums[r]);
    EXPECT_EQ(merged.interference.value(), paired(rays_at(r))) << r;
  }
}

TEST(GroundPairs, AreOfOneWayAndTheNearestDirection) {
  const Vec3 down{0.99, 0, -0.1}, up{0.9899, 0, 0.1};
  const PairableRay one = ray_of(7, false, {0.1, 0}, down), other = ray_of(7, false, {0.1, 0}, {0.98, 0.1, 0.1});
  const PairableRay ground = ray_of(7, true, {0, 0.05}, up), turned = ray_of(7, true, {0.05, 0}, up);
  EXPECT_EQ(paired({one, other}), 0);
  EXPECT_EQ(paired({ground, turned}), 0);
  EXPECT_EQ(paired({one, ray_of(8, true, {0.05, 0}, up)}), 0);
  const double pair = 2 * 0.1 * 0.05 * coherence(down, up, {0, 0, 1}, some_wave_number);
  EXPECT_NEAR(paired({one, turned}), pair, 1e-15);
  EXPECT_NEAR(paired({turned, other, one}), pair, 1e-15);
  EXPECT_NEAR(paired({one, ground}), 0, 1e-15) << "a quarter of a turn apart";
  // With both of two it is one field with them, which is never less than nothing.
  const PairableRay against = ray_of(7, true, {-0.1, 0}, down);
  EXPECT_NEAR(paired({one, against, against}), (0.1 - 0.2) * (0.1 - 0.2) - 3 * 0.01, 1e-15);
}

Vec3 from_azimuth(double azimuth, double elevation) {
  return {std::cos(azimuth) * std::cos(elevation), std::sin(azimuth) * std::cos(elevation), std::sin(elevation)};
}

double sum_of_powers(const std::vector<PairableRay>& rays) {
  double sum = 0;
  for (const PairableRay& ray : rays) sum += squared_norm(ray.amplitude);
  return sum;
}

// A corner's ray and its reflections on two slopes before it, the one nearly against it and the other nearly with it.
std::vector<PairableRay> corner_behind_slopes(double azimuth) {
  return {ray_of(7, false, 0.1 * exp_j(radians(-168)), from_azimuth(azimuth, -0.03)),
          ray_of(7, true, 0.086 * exp_j(radians(5)), from_azimuth(azimuth, 0.02)),
          ray_of(7, true, 0.068 * exp_j(radians(178)), from_azimuth(azimuth, 0.09))};
}

// The field's power in the mean over heights and a drive towards where all of it comes from, in steps.
double mean_power_over_surroundings(const std::vector<PairableRay>& rays) {
  const double drive_m = local_mean_wavelengths * 2 * pi / some_wave_number / std::sqrt(12.0);
  double sum = 0, weights = 0;
  for (double height = -5; height <= 5; height += 0.05) {
    for (double drive = -5; drive <= 5; drive += 0.05) {
      Complex field{0, 0};
      for (const PairableRay& ray : rays) {
        const double way_m =
            ray.direction.x * drive * drive_m + ray.direction.z * height * local_mean_height_m - drive * drive_m;
        field = field + exp_j(-some_wave_number * way_m) * ray.amplitude;
      }
      const double weight = std::exp(-0.5 * (height * height + drive * drive));
      sum += weight * squared_norm(field);
      weights += weight;
    }
  }
  return sum / weights;
}

TEST(GroundPairs, AllReflectionsOfOneCornerAreOneFieldWithIt) {
  const std::vector<PairableRay> rays = corner_behind_slopes(0);
  const double expected = mean_power_over_surroundings(rays), powers = sum_of_powers(rays);
  EXPECT_NEAR(decibels((powers + paired(rays)) / expected), 0, 0.01);
  EXPECT_GT(std::fabs(decibels(powers / expected)), 1);
}

// An upright edge's own reflections come in from its azimuth but for rounding.
TEST(GroundPairs, DoNotDependOnHowAzimuthsAreRounded) {
  testing::Random random(3);
  const double expected = paired(corner_behind_slopes(0.7));
  for (int i = 0; i < 200; ++i) {
    std::vector<PairableRay> rays = corner_behind_slopes(0.7);
    for (PairableRay& ray : rays) ray.direction.y += random.uniform(-3e-16, 3e-16);
    EXPECT_NEAR(paired(rays), expected, 1e-9 * std::fabs(expected));
  }
}

TEST(GroundPairs, OfACornerAreNoneOfAFaintOneInLineWithIt) {
  std::vector<PairableRay> rays = corner_behind_slopes(0);
  const double alone = paired(rays);
  for (PairableRay faint : corner_behind_slopes(0)) {
    faint.amplitude = 1e-7 * faint.amplitude;
    rays.push_back(faint);
  }
  EXPECT_NEAR(paired(rays), alone, 1e-6 * std::fabs(alone));
}

// By 0.1 µm each at 1 m.
TEST(GroundPairs, HaveNoStepWhereCornersPassEachOther) {
  const auto power = [](double azimuth) {
    std::vector<PairableRay> rays = corner_behind_slopes(0);
    for (PairableRay ray : corner_behind_slopes(azimuth)) {
      ray.amplitude = 0.6 * exp_j(2) * ray.amplitude;
      rays.push_back(ray);
    }
    return sum_of_powers(rays) + paired(rays);
  };
  const double alone = sum_of_powers(corner_behind_slopes(0)) + paired(corner_behind_slopes(0));
  constexpr double step = 1e-7, end = 3e-4;
  double before = power(-end);
  EXPECT_NEAR(before, (1 + 0.6 * 0.6) * alone, 1e-12);
  for (double azimuth = -end + step; azimuth < end; azimuth += step) {
    const double here = power(azimuth);
    ASSERT_NEAR(decibels(here / before), 0, 0.1) << azimuth;
    before = here;
  }
}

// Two corners of one house, of the second of which there are two rays from the ground: one's own reflection is not that
// of the other, whichever is looked at first.
TEST(GroundPairs, AreNotOfAnotherCorner) {
  const auto from = [](double azimuth, double z) { return Vec3{std::cos(azimuth), std::sin(azimuth), z}; };
  for (const double turned : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    const double first = turned, second = turned + 0.6;
    const PairableRay at_first = ray_of(7, false, {0.1, 0}, from(first, -0.05)),
                      at_second = ray_of(7, false, {0.03, 0}, from(second, -0.05));
    const PairableRay of_first = ray_of(7, true, {0.09, 0}, from(first + 0.001, 0.05)),
                      of_second = ray_of(7, true, {0.01, 0}, from(second, 0.06)),
                      of_second_too = ray_of(7, true, {0.01, 0}, from(second + 0.001, 0.05));
    EXPECT_NEAR(paired({at_first, at_second, of_first, of_second, of_second_too}),
                paired({at_first, of_first}) + paired({at_second, of_second, of_second_too}), 1e-12)
        << turned;
  }
  PairableRay with_ground = ray_of(7, false, {0.1, 0}, from(0, -0.05));
  with_ground.with_ground_below = 0.005;
  EXPECT_EQ(paired({with_ground, ray_of(7, true, {0.01, 0}, from(0.6, 0.05))}), 0.005);
  EXPECT_EQ(paired({with_ground, ray_of(7, true, {0.01, 0}, from(0.01, 0.9))}), 0) << "out of step, yet its own";
}

// From far along a wall both of its ends stand nearly in line: who belongs together is told by azimuths, not by how
// steep the rays are.
TEST(GroundPairs, AreNotOfAnotherCornerBehindTheFirst) {
  const auto from = [](double azimuth, double elevation) {
    return Vec3{std::cos(azimuth) * std::cos(elevation), std::sin(azimuth) * std::cos(elevation), std::sin(elevation)};
  };
  const PairableRay at_first = ray_of(7, false, {0.1, 0}, from(0, -0.039)),
                    at_second = ray_of(7, false, {0.001, 0}, from(2e-4, -0.036)),
                    of_first = ray_of(7, true, {0.09, 0}, from(0, 0.065)),
                    of_second = ray_of(7, true, {0.0009, 0}, from(2e-4, 0.060));
  EXPECT_NEAR(paired({at_first, at_second, of_first, of_second}),
              paired({at_first, of_first}) + paired({at_second, of_second}), 1e-15);
}

// A ray over the roofs and then by way of the ground is the direct ray's partner only where that has no other.
TEST(GroundPairs, TheDirectRayHasItsOwnReflection) {
  const auto straight = [](PairableRay ray, bool over_rooftops) {
    ray.straight = true;
    ray.over_rooftops = over_rooftops;
    return ray;
  };
  const Vec3 down{0.99, 0, -0.1}, up{0.9899, 0, 0.1}, steeper{0.98, 0, -0.2};
  const PairableRay direct = straight(ray_of(7, false, {0.1, 0}, down), false);
  const PairableRay reflected = straight(ray_of(7, true, {-0.1, 0}, up), false);
  const PairableRay over = straight(ray_of(7, true, {0.001, 0}, steeper), true);
  EXPECT_NEAR(paired({direct, over, reflected}), -2 * 0.01 * coherence(down, up, {0, 0, 1}, some_wave_number), 1e-15);
  const PairableRay nearer = straight(ray_of(7, true, {0.001, 0}, down), true);
  EXPECT_EQ(paired({direct, nearer, reflected}), paired({direct, reflected}));
  const double with_over = 2 * 0.1 * 0.001 * coherence(down, steeper, {0, 0, 1}, some_wave_number);
  EXPECT_GT(with_over, 0);
  EXPECT_NEAR(paired({direct, over}), with_over, 1e-15);
}

// The direct ray and what two edges diffract of it, each with its reflection or without.
TEST(GroundPairs, InStepWithTheDirectRayAreNoLessThanNothing) {
  testing::Random random(17);
  const auto amplitude = [&] { return random.uniform(0, 0.3) * exp_j(random.uniform(-pi, pi)); };
  for (int i = 0; i < 2000; ++i) {
    std::vector<PairableRay> rays;
    double powers = 0;
    for (std::uint64_t way = 0; way < 3; ++way) {
      PairableRay ray = ray_of(way, false, amplitude(), {0.99, 0, -0.01});
      ray.in_step = way == 0 ? 1 : random.uniform(0, 1);
      powers += squared_norm(ray.amplitude);
      if (random.below(3) == 0) {
        ray.reflection = {amplitude(), random.uniform(0, 1)};
        const double pair = interference(ray.amplitude, ray.reflection.amplitude, ray.reflection.in_step);
        ray.with_ground_below = squared_norm(ray.reflection.amplitude) + pair;
      } else {
        for (std::uint32_t count = random.below(4); count > 0; --count) {
          rays.push_back(ray_of(way, true, amplitude(), {0.99, 0, random.uniform(0, 0.3)}));
          powers += squared_norm(rays.back().amplitude);
        }
      }
      rays.push_back(ray);
    }
    EXPECT_GE(powers + paired(rays), -1e-15);
  }
}

// Two edges on either side of a slit that they fill with the direct ray's shadow: nothing is left of the three.
TEST(GroundPairs, InStepWithTheDirectRayAreOneField) {
  PairableRay direct = ray_of(1, false, {0.2, 0}, {1, 0, 0}), edge = ray_of(2, false, {-0.1, 0}, {1, 0, 0});
  direct.in_step = edge.in_step = 1;
  PairableRay other = edge;
  other.way = 3;
  EXPECT_NEAR(paired({direct, edge, other}), -(0.04 + 0.01 + 0.01), 1e-15);
  other.in_step = 0;
  EXPECT_NEAR(paired({direct, edge, other}), -2 * 0.2 * 0.1, 1e-15);
}

TEST(GroundPairs, AreTheSameForAnyOrder) {
  testing::Random random(5);
  std::vector<PairableRay> rays;
  for (int i = 0; i < 200; ++i) {
    rays.push_back(ray_of(random.below(9), random.below(2) == 0,
                          {random.uniform(-1e-3, 1e-3), random.uniform(-1e-3, 1e-3)},
                          {0.9 + 0.001 * random.below(9), 0.1, 0.01 * random.below(9)}));
  }
  const double expected = paired(rays);
  EXPECT_NE(expected, 0);
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (std::size_t i = rays.size(); i > 1; --i) {
      std::swap(rays[i - 1], rays[random.below(static_cast<std::uint32_t>(i))]);
    }
    EXPECT_EQ(paired(rays), expected);
  }
}

// A street between two endless walls: y from 40 to 60.
constexpr double wall_low = 40, wall_high = 60;
const Vec3 antenna{20.3, 47.3, 6};

const Environment& street() {
  static const Environment made(
      [] {
        Scene scene = testing::flat_ground(700, 100);
        scene.prisms = {testing::box_prism(1, {0, 20}, {700, wall_low}, 0, 40),
                        testing::box_prism(2, {0, wall_high}, {700, 80}, 0, 40)};
        return testing::with_material(std::move(scene), 1, 1e12);
      }(),
      5);
  return made;
}

// The antenna's images after so many walls, seen from the street.
std::vector<Vec3> images(int walls) {
  if (walls == 0) return {antenna};
  std::vector<Vec3> found;
  for (const bool high_first : {false, true}) {
    double y = antenna.y;
    for (int i = 0; i < walls; ++i) y = 2 * ((i % 2 == 0) == high_first ? wall_high : wall_low) - y;
    found.push_back({antenna.x, y, antenna.z});
  }
  return found;
}

// The path gain at a point of the street, vertical polarisation: each image and its own in the ground, all of equal
// sign but for what walls turn at both. `paired_walls`: pairs of up to so many reflections at walls are in step.
double mean_gain(Vec3 at, int walls, int paired_walls, bool last_with_ground) {
  const double wave_number = 2 * pi * 850e6 / speed_of_light;
  double sum = 0;
  for (int n = 0; n <= walls; ++n) {
    for (const Vec3 image : images(n)) {
      const double plan_m = norm(at.xy() - image.xy());
      const double above_m = norm(at - image), below_m = std::hypot(plan_m, at.z + image.z);
      sum += 1 / (above_m * above_m);
      if (n == walls && !last_with_ground) continue;
      sum += 1 / (below_m * below_m);
      if (n > paired_walls) continue;
      const double turns = drive_turns * (plan_m / above_m - plan_m / below_m);
      const double rise = wave_number * local_mean_height_m * ((at.z + image.z) / below_m - (at.z - image.z) / above_m);
      const double in_step = std::exp(-turns * turns / 24 - rise * rise / 2);
      sum += 2 * in_step * std::cos(wave_number * (below_m - above_m)) / (above_m * below_m);
    }
  }
  return sum / (4 * wave_number * wave_number);
}

std::vector<Receiver> street_receivers() {
  return testing::receivers_at(
      {{61.7, 42.1, 1.5}, {150.2, 58.8, 1.5}, {333.1, 51, 1.5}, {640.9, 40.7, 1.5}, {500.4, 55.3, 4}});
}

TEST(LocalMean, OfEachWallsReflectionAndItsOwnOnTheGround) {
  for (const int walls : {1, 2, 3}) {
    SCOPED_TRACE(walls);
    const RayLaunchingOptions options = testing::without_scattering(walls, 0, walls);
    const std::vector<Receiver> receivers = street_receivers();
    const RayLaunchingResult launched = street().launch(testing::test_transmitter(antenna), receivers, options);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double expected = decibels(mean_gain(receivers[r].position, walls, walls, true));
      EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[r])), expected, 0.01) << r;
    }
    int near_walls = 0;
    for (std::size_t t = 0; t < street().tiling.tiles.size(); ++t) {
      const Tile& tile = street().tiling.tiles[t];
      if (tile.kind != SurfaceKind::ground) break;
      const Vec3 at = target_point(tile, options.receiver_height_m);
      if (at.y < wall_low || at.y > wall_high || at.x < antenna.x + 30) continue;
      EXPECT_NEAR(decibels(testing::total_gain(launched.tiles[t])), decibels(mean_gain(at, walls, walls, true)), 0.01);
      // No ray by way of the ground first and a wall then stands beside the companion that stands for it.
      EXPECT_EQ(launched.tiles[t].rays, 2u * (1 + 2 * static_cast<unsigned>(walls))) << at.x << " " << at.y;
      if (at.y < wall_low + 4) ++near_walls;
    }
    EXPECT_GT(near_walls, 20);
  }
}

TEST(LocalMean, OfExactRaysHasNoPartnersForTheLongest) {
  constexpr int walls = 3;
  ImageTracingOptions options;
  options.max_reflections = walls;
  options.max_diffractions = 0;
  const std::vector<Receiver> receivers = street_receivers();
  const ImageTracingResult traced = ImageTracer(street().scene, street().occlusion, receivers, options)
                                        .trace(testing::test_transmitter(antenna), no_progress());
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const double expected = decibels(mean_gain(receivers[r].position, walls, walls - 1, false));
    EXPECT_NEAR(decibels(testing::total_gain(traced.receivers[r])), expected, 0.01) << r;
  }
}

TEST(LocalMean, OfPowersAloneWherePowersAreSummed) {
  RayLaunchingOptions options = testing::without_scattering(2, 0, 2);
  options.summation = Summation::power;
  const RayLaunchingResult launched = street().launch(testing::test_transmitter(antenna), street_receivers(), options);
  for (const std::vector<ArrivalSums>* all : {&launched.tiles, &launched.receivers}) {
    for (const ArrivalSums& sums : *all) EXPECT_EQ(sums.interference.value(), 0);
  }
}

// Behind the corner of a house: each diffracted ray with the one that goes on by way of the ground, as told from where
// they bend.
TEST(LocalMean, OfWhatBendsAroundACorner) {
  Scene scene = testing::flat_ground(500, 300);
  scene.prisms = {testing::box_prism(1, {100, 100}, {400, 140}, 0, 30)};
  const Environment house(testing::with_material(std::move(scene), 5, 0.01), 5);
  const std::vector<Receiver> receivers =
      testing::receivers_at({{92.3, 260.2, 1.5}, {70.2, 180.1, 1.5}, {408.2, 290.3, 2.5}});
  const RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  const RayLaunchingResult launched = house.launch(testing::test_transmitter({210, 60, 8}), receivers, options);
  int pairs = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double expected = 0;
    for (const Ray& ray : launched.rays) {
      if (ray.target_id == receivers[r].receiver_id) expected += ray.path_gain;
    }
    for (const Ray& ground : launched.rays) {
      if (ground.target_id != receivers[r].receiver_id || !ground.interactions.ends_with("D-G")) continue;
      const std::string without = ground.interactions.substr(0, ground.interactions.size() - 2);
      for (const Ray& ray : launched.rays) {
        const Vec3 bend = ground.points[ground.points.size() - 3];
        if (ray.target_id != ground.target_id || ray.interactions != without) continue;
        if (norm(ray.points[ray.points.size() - 2].xy() - bend.xy()) > 0.5) continue;
        const auto direction = [](const Ray& of) {
          return normalized(of.points.back() - of.points[of.points.size() - 2]);
        };
        expected += 2 * std::sqrt(ray.path_gain * ground.path_gain) *
                    coherence(direction(ray), direction(ground), {0, 0, 1}, 2 * pi * 850e6 / speed_of_light) *
                    std::cos(radians(ray.phase_deg - ground.phase_deg));
        ++pairs;
      }
    }
    EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[r])), decibels(expected), 0.01) << r;
  }
  EXPECT_GE(pairs, 3);
}

// What comes to the middle of a wall far away over uneven ground is what comes there without the house. Single tiles of
// that ground are tilted by more than the rays rise over it, and send the reflection elsewhere or several times.
TEST(LocalMean, OfTheDirectRayAndItsReflectionAtAWallOverUnevenGround) {
  testing::Random random(3);
  const std::function<double(Vec2)> grounds[] = {
      [&](Vec2) { return 0.05 * random.uniform(-1, 1); },
      [](Vec2 place) { return 0.5 * std::sin(2 * pi * place.x / 300); },
      [](Vec2 place) { return 2 * std::sin(2 * pi * place.x / 700); },
  };
  for (const std::function<double(Vec2)>& height_at : grounds) {
    Scene scene = testing::with_material(testing::terrain_of(2110, 100, 10, height_at), TwoRaysOverPlane::permittivity,
                                         TwoRaysOverPlane::conductivity);
    const Environment open(scene, 10);
    scene.prisms = {testing::box_prism(1, {2005, 20}, {2035, 80}, -5, 20)};
    const Environment town(scene, 10);
    std::vector<std::size_t> tiles;
    std::vector<Vec3> places;
    for (std::size_t t = 0; t < town.tiling.tiles.size(); ++t) {
      const Tile& tile = town.tiling.tiles[t];
      if (tile.kind != SurfaceKind::wall || tile.normal.x > -0.9) continue;
      tiles.push_back(t);
      places.push_back(tile.centroid);
    }
    ASSERT_GE(tiles.size(), 12u);
    RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
    options.over_rooftop = OverRooftop::screens;
    const RayLauncher to_tiles = town.launcher({}, options);
    for (const double frequency_hz : {160e6, 900e6, 2.6e9}) {
      Transmitter transmitter = testing::test_transmitter({5, 50, 10});
      transmitter.frequency_hz = frequency_hz;
      const RayLaunchingResult at_wall = to_tiles.launch(transmitter, no_progress());
      const RayLaunchingResult without = open.launch_to_receivers(transmitter, testing::receivers_at(places), options);
      for (std::size_t r = 0; r < places.size(); ++r) {
        EXPECT_NEAR(decibels(testing::total_gain(at_wall.tiles[tiles[r]]) / testing::total_gain(without.receivers[r])),
                    0, 0.1)
            << frequency_hz << " Hz, " << places[r].z << " m up";
      }
    }
  }
}

// A high house whose corner stands far from a low antenna, over the ground of two rays. A wave around that corner goes
// over the ground as one that goes straight as far: the ground reflects it before the corner where that is near the
// receiver, and cancels most of it.
class FarCorner {
 public:
  static constexpr double antenna_m = 10, height_m = 1.5;

  // `height_at`: of the ground, every 10 m.
  explicit FarCorner(const std::function<double(Vec2)>& height_at) : town_(house(height_at), 10) {}
  static const FarCorner& over_level_ground() {
    static const FarCorner made([](Vec2) { return 0.0; });
    return made;
  }

  static Transmitter antenna(double frequency_hz) {
    Transmitter transmitter = testing::test_transmitter({5, 190, antenna_m});
    transmitter.frequency_hz = frequency_hz;
    return transmitter;
  }
  // In the shadow, seen from the corner.
  static std::vector<Vec3> places() { return {{2040, 38.8, height_m}, {2060, 38, height_m}, {2080, 36.5, height_m}}; }
  static bool is_in_shadow(Vec3 place) {
    const Vec2 from = antenna(1e9).position.xy();
    return place.x > 2036 && place.y < corner.y - 0.5 && cross(corner - from, place.xy() - from) > 0;
  }
  static double way_around_m(Vec3 place) {
    return norm(corner - antenna(1e9).position.xy()) + norm(place.xy() - corner);
  }
  // What the ground leaves of the wave that goes by the corner alone.
  static double left_by_ground(double frequency_hz, double plan_m) {
    const double above_m = std::hypot(plan_m, antenna_m - height_m),
                 wave_number = 2 * pi * frequency_hz / speed_of_light;
    return TwoRaysOverPlane(frequency_hz, antenna_m).mean_gain(plan_m, height_m) * squared(2 * wave_number * above_m);
  }
  enum class Targets { all, places };
  // For antennas of any frequency.
  RayLauncher launcher(const std::vector<Vec3>& places, int reflections, OverRooftop over_rooftop,
                       Targets targets) const {
    RayLaunchingOptions options = testing::without_scattering(reflections, 1, reflections + 1);
    options.over_rooftop = over_rooftop;
    options.receiver_height_m = height_m;
    options.tiles_are_targets = targets == Targets::all;
    return town_.launcher(testing::receivers_at(places), options);
  }
  const Environment& town() const { return town_; }
  std::vector<Vec3> over_ground(std::vector<Vec3> places) const {
    for (Vec3& place : places) place.z += town_.scene.terrain.height_at(place.xy());
    return places;
  }

  static double squared(double value) { return value * value; }

  static constexpr Vec2 corner{2005, 40};

 private:
  static Scene house(const std::function<double(Vec2)>& height_at) {
    Scene scene = testing::terrain_of(2110, 200, 10, height_at);
    scene.prisms = {testing::box_prism(1, corner, {2035, 180}, 0, 900)};
    return testing::with_material(std::move(scene), TwoRaysOverPlane::permittivity, TwoRaysOverPlane::conductivity);
  }

  Environment town_;
};

// Tiles and receivers in the shadow, against that; the ray around the corner alone is that over level ground.
void expect_two_rays_around_corner(const FarCorner& street, const FarCorner& level, OverRooftop over_rooftop,
                                   double within_db) {
  std::vector<Vec3> places = FarCorner::places();
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < street.town().tiling.tiles.size(); ++t) {
    const Tile& tile = street.town().tiling.tiles[t];
    if (tile.kind != SurfaceKind::ground || !FarCorner::is_in_shadow(tile.centroid)) continue;
    tiles.push_back(t);
    places.push_back({tile.centroid.x, tile.centroid.y, FarCorner::height_m});
  }
  EXPECT_GT(tiles.size(), 3u);
  const RayLauncher by_edge_alone = level.launcher(places, 0, OverRooftop::none, FarCorner::Targets::places);
  const RayLauncher by_ground_too =
      street.launcher(street.over_ground(places), 1, over_rooftop, FarCorner::Targets::all);
  for (const double frequency_hz : {160e6, 900e6, 2.6e9}) {
    SCOPED_TRACE(frequency_hz);
    const Transmitter transmitter = FarCorner::antenna(frequency_hz);
    const RayLaunchingResult alone = by_edge_alone.launch(transmitter, no_progress());
    const RayLaunchingResult launched = by_ground_too.launch(transmitter, no_progress());
    for (std::size_t r = 0; r < places.size(); ++r) {
      const double expected = decibels(FarCorner::left_by_ground(frequency_hz, FarCorner::way_around_m(places[r])));
      const double by_edge = testing::total_gain(alone.receivers[r]);
      EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[r]) / by_edge), expected, within_db) << r;
      if (r < FarCorner::places().size()) continue;
      const ArrivalSums& tile = launched.tiles[tiles[r - FarCorner::places().size()]];
      EXPECT_NEAR(decibels(testing::total_gain(tile) / by_edge), expected, within_db) << r;
    }
  }
}

TEST(LocalMean, OfWhatBendsAroundACornerFarAway) {
  const FarCorner& level = FarCorner::over_level_ground();
  expect_two_rays_around_corner(level, level, OverRooftop::none, 0.3);
  // Single tiles are tilted by up to half a degree: by as much as the ground's rays rise. With screens the wave runs
  // along the ground before the corner: at all of its places below, or just at the lowest.
  for (const double noise_m : {0.02, 0.05}) {
    testing::Random random(3);
    const FarCorner uneven([&](Vec2) { return noise_m * random.uniform(-1, 1); });
    expect_two_rays_around_corner(uneven, level, OverRooftop::none, 1);
    expect_two_rays_around_corner(uneven, level, OverRooftop::screens, 1);
  }
}

// What a plane reflects before a corner comes from the antenna's image in it, whichever way it slopes, and so does what
// a wall reflects behind the corner.
TEST(LocalMean, OfWhatSlopesReflectBeforeACornerHasTheLengthOfTheImages) {
  constexpr Vec2 corner{100, 100};
  constexpr double wall_x = 150;
  for (const Vec2 slope : {Vec2{0, 0}, Vec2{0.05, 0}, Vec2{-0.05, 0}, Vec2{0, 0.05}, Vec2{0.03, -0.02}}) {
    const auto ground_z = [&](Vec2 place) { return 20 + dot(slope, place); };
    Scene scene = testing::terrain_of(200, 200, 10, ground_z);
    scene.prisms = {testing::box_prism(1, corner, {130, 160}, 0, 300),
                    testing::box_prism(2, {wall_x, 40}, {180, 160}, 0, 300)};
    const Environment town(std::move(scene), 10);
    const auto over_ground = [&](Vec2 place, double height_m) { return at_height(place, ground_z(place) + height_m); };
    const Transmitter transmitter = testing::test_transmitter(over_ground({40, 150}, 6));
    const std::vector<Vec3> places{over_ground({115, 92}, 1.5), over_ground({125, 90}, 4), over_ground({128, 85}, 5),
                                   over_ground({122, 90}, 10), over_ground({125, 88}, 12)};
    const Vec3 image = mirrored(transmitter.position, over_ground(corner, 0), normalized(Vec3{-slope.x, -slope.y, 1}));
    const auto length_m = [&](Vec3 target) {
      return std::hypot(norm(image.xy() - corner) + norm(target.xy() - corner), target.z - image.z);
    };
    RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
    options.over_rooftop = OverRooftop::none;
    const RayLaunchingResult result = town.launch_to_receivers(transmitter, testing::receivers_at(places), options);
    int straight = 0, by_wall = 0;
    for (const Ray& ray : result.rays) {
      const bool is_by_wall = ray.interactions == "T-G-D-R";
      if (!is_by_wall && ray.interactions != "T-G-D") continue;
      if (norm(ray.points[2].xy() - corner) > 1) continue;  // the other house's
      const Vec3 place = places.at(static_cast<std::size_t>(ray.target_id) - 1);
      const Vec3 target = is_by_wall ? Vec3{2 * wall_x - place.x, place.y, place.z} : place;
      EXPECT_NEAR(ray.delay_ns * 1e-9 * speed_of_light, length_m(target), 1e-4)
          << ray.interactions << " at " << slope.x << ", " << slope.y;
      double drawn_m = 0;
      for (std::size_t k = 1; k < ray.points.size(); ++k) drawn_m += norm(ray.points[k] - ray.points[k - 1]);
      EXPECT_NEAR(drawn_m, length_m(target), 1e-4) << ray.interactions << " at " << slope.x << ", " << slope.y;
      ++(is_by_wall ? by_wall : straight);
    }
    EXPECT_GE(straight, 3) << slope.x << ", " << slope.y;
    EXPECT_GE(by_wall, 1) << slope.x << ", " << slope.y;
  }
}

// What a plane reflects before a wall has the length of the image in the plane as the wall mirrors it, whichever way
// the plane falls, and what it reflects behind the wall that of the image in itself.
TEST(LocalMean, OfWhatSlopesReflectBeforeAWallHasTheLengthOfTheImages) {
  constexpr double wall_x = 150, antenna_x = 70;
  for (const Vec2 slope : {Vec2{0, 0}, Vec2{0.05, 0}, Vec2{-0.02, 0}, Vec2{-0.05, 0}, Vec2{-0.03, 0.02}}) {
    const auto ground_z = [&](Vec2 place) { return 20 + dot(slope, place); };
    Scene scene = testing::terrain_of(200, 200, 10, ground_z);
    scene.prisms = {testing::box_prism(1, {wall_x, 20}, {180, 180}, 0, 300)};
    const Environment town(std::move(scene), 10);
    const auto over_ground = [&](Vec2 place, double height_m) { return at_height(place, ground_z(place) + height_m); };
    const Transmitter transmitter = testing::test_transmitter(over_ground({antenna_x, 150}, 6));
    std::vector<Vec3> places;
    for (const double x : {72, 81, 93, 104, 112, 123, 134, 141, 146}) places.push_back(over_ground({x, 60}, 1.5));
    const auto by_wall = [](Vec3 place) { return Vec3{2 * wall_x - place.x, place.y, place.z}; };
    const auto by_ground = [&](Vec3 place) {
      return mirrored(place, over_ground({0, 0}, 0), normalized(Vec3{-slope.x, -slope.y, 1}));
    };
    RayLaunchingOptions options = testing::without_scattering(2, 0, 2);
    options.over_rooftop = OverRooftop::none;
    const RayLaunchingResult result = town.launch_to_receivers(transmitter, testing::receivers_at(places), options);
    std::map<std::int64_t, int> companions;
    for (const Ray& ray : result.rays) {
      const bool is_before = ray.interactions == "T-G-R";
      if (!is_before && ray.interactions != "T-R-G") continue;
      ++companions[ray.target_id];
      const Vec3 place = places.at(static_cast<std::size_t>(ray.target_id) - 1);
      const double length_m = is_before ? norm(by_wall(place) - by_ground(transmitter.position))
                                        : norm(by_wall(transmitter.position) - by_ground(place));
      EXPECT_NEAR(ray.delay_ns * 1e-9 * speed_of_light, length_m, 1e-4) << ray.interactions << " of " << slope.x;
      double drawn_m = 0;
      for (std::size_t k = 1; k < ray.points.size(); ++k) drawn_m += norm(ray.points[k] - ray.points[k - 1]);
      EXPECT_NEAR(drawn_m, length_m, 1e-4) << ray.interactions << " of " << slope.x;
      const Vec3 on_ground = ray.points.at(is_before ? 1 : 2);
      EXPECT_NEAR(on_ground.z, ground_z(on_ground.xy()), 1e-4) << ray.interactions << " of " << slope.x;
      EXPECT_LT(on_ground.x, wall_x);
    }
    // One wherever the wall's foot does not lie in front of both.
    int with_companion = 0;
    for (std::size_t r = 0; r < places.size(); ++r) {
      const auto over_foot_m = [&](Vec3 begin, Vec3 end) {
        const Vec3 at_wall = begin + (wall_x - begin.x) / (end.x - begin.x) * (end - begin);
        return at_wall.z - ground_z(at_wall.xy());
      };
      const bool is_before = over_foot_m(by_ground(transmitter.position), by_wall(places[r])) > 0;
      const bool is_behind = over_foot_m(by_wall(transmitter.position), by_ground(places[r])) > 0;
      const bool has = companions[static_cast<std::int64_t>(r) + 1] > 0;
      EXPECT_EQ(has, is_before || is_behind) << slope.x << " at " << places[r].x;
      with_companion += has ? 1 : 0;
    }
    EXPECT_GE(with_companion, 1) << slope.x;
  }
}

// Waves of the ground leave as much of what goes around the corner as of what goes straight, over the same heights.
TEST(LocalMean, OfWhatBendsAroundACornerBehindWavesOfTheGround) {
  const FarCorner& level = FarCorner::over_level_ground();
  const FarCorner street([](Vec2 place) { return 0.5 * std::sin(2 * pi * place.x / 300); });
  std::vector<Vec3> behind, straight;
  for (double x = 2040; x < 2100; x += 10) {
    behind.push_back({x, 38, FarCorner::height_m});
    straight.push_back({x, 190, FarCorner::height_m});
  }
  const auto launcher = [&](const FarCorner& over, const std::vector<Vec3>& places, int reflections,
                            OverRooftop over_rooftop) {
    return over.launcher(over.over_ground(places), reflections, over_rooftop, FarCorner::Targets::places);
  };
  const RayLauncher by_edge_alone = launcher(level, behind, 0, OverRooftop::none),
                    around_corner = launcher(street, behind, 1, OverRooftop::screens),
                    along_street = launcher(street, straight, 1, OverRooftop::screens);
  for (const double frequency_hz : {160e6, 900e6, 2.6e9}) {
    const Transmitter transmitter = FarCorner::antenna(frequency_hz);
    const RayLaunchingResult alone = by_edge_alone.launch(transmitter, no_progress());
    const RayLaunchingResult bent = around_corner.launch(transmitter, no_progress());
    const RayLaunchingResult open = along_street.launch(transmitter, no_progress());
    const double wave_number = 2 * pi * frequency_hz / speed_of_light;
    for (std::size_t r = 0; r < behind.size(); ++r) {
      const double free = 1 / FarCorner::squared(2 * wave_number * norm(straight[r] - transmitter.position));
      const double expected = decibels(testing::total_gain(open.receivers[r]) / free);
      const double found = decibels(testing::total_gain(bent.receivers[r]) / testing::total_gain(alone.receivers[r]));
      EXPECT_NEAR(found, expected, 1.7) << frequency_hz << " Hz, " << r;
    }
  }
}

// The ray meets the upper part of a wall and its reflection on the ground the lower one, or a corner likewise.
TEST(LocalMean, OfWallsInTwoPartsIsThatOfWallsInOne) {
  const auto gains = [](double joint_z) {
    Scene scene = testing::flat_ground(900, 200);
    scene.prisms.push_back(testing::box_prism(1, {100, 80}, {850, 92}, 0, 15));    // which reflects
    scene.prisms.push_back(testing::box_prism(2, {150, 135}, {160, 165}, 0, 15));  // which hides and diffracts
    for (std::size_t house = 0; joint_z > 0 && house < 2; ++house) {
      Prism tower = scene.prisms[house];
      scene.prisms[house].top_z = tower.bottom_z = joint_z;
      tower.on_ground = false;
      scene.prisms.push_back(tower);
    }
    const Environment town(std::move(scene), 20);
    const Transmitter transmitter = testing::test_transmitter({20, 150, 6});
    std::vector<Vec3> places;
    for (double x = 250; x < 850; x += 75) places.push_back({x, 151, 1.5});
    const std::vector<Receiver> receivers = testing::receivers_at(places);
    std::vector<double> all;
    for (const ArrivalSums& receiver :
         town.launch_to_receivers(transmitter, receivers, testing::without_scattering(2, 1, 2)).receivers) {
      all.push_back(testing::total_gain(receiver));
    }
    ImageTracingOptions exact;
    exact.max_reflections = 2;
    exact.max_diffractions = 1;
    for (const ArrivalSums& receiver :
         ImageTracer(town.scene, town.occlusion, receivers, exact).trace(transmitter, no_progress()).receivers) {
      all.push_back(testing::total_gain(receiver));
    }
    return all;
  };
  const std::vector<double> in_one = gains(0);
  for (const double joint_z : {3.0, 4.0}) {
    const std::vector<double> in_two = gains(joint_z);
    for (std::size_t r = 0; r < in_one.size(); ++r) {
      EXPECT_NEAR(decibels(in_two[r] / in_one[r]), 0, 0.3) << joint_z << " m, " << r;
    }
  }
}

}  // namespace
}  // namespace tesseray
