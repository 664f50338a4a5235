// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/scattering/scattered_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

std::vector<double> numbers_of_many_sizes(Random& random, std::size_t count) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back((random.below(2) == 0 ? -1 : 1) * std::pow(10.0, random.uniform(-20, 0)));
  }
  return numbers;
}

TEST(FixedPointSum, IsTheSameForAnyOrderAndGrouping) {
  Random random(3);
  std::vector<double> numbers = numbers_of_many_sizes(random, 2'000);
  FixedPointSum forward;
  for (const double x : numbers) forward.add(x);
  const double expected = [&] {
    FixedPointSum alone;
    alone.merge(forward);
    return alone.value();
  }();
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (std::size_t i = numbers.size(); i > 1; --i)
      std::swap(numbers[i - 1], numbers[random.below(static_cast<std::uint32_t>(i))]);
    const std::size_t parts = 1 + random.below(7);
    std::vector<FixedPointSum> partial(parts);
    for (std::size_t i = 0; i < numbers.size(); ++i) partial[i % parts].add(numbers[i]);
    FixedPointSum all;
    for (const FixedPointSum& part : partial) all.merge(part);
    EXPECT_EQ(all.value(), expected);
  }
}

TEST(FixedPointSum, IsAccurateBelowThePowersThatMatter) {
  Random random(4);
  const std::vector<double> numbers = numbers_of_many_sizes(random, 2'000);
  FixedPointSum sum;
  long double exact = 0;
  for (const double x : numbers) {
    sum.add(x);
    exact += static_cast<long double>(x);
  }
  EXPECT_NEAR(sum.value(), static_cast<double>(exact), 1e-15 + 1e-15 * std::fabs(static_cast<double>(exact)));
  // A path gain of −200 dB to eight digits.
  FixedPointSum tiny;
  tiny.add(1.2345678e-20);
  EXPECT_NEAR(tiny.value(), 1.2345678e-20, 1e-28);
}

// A target at the antenna's own place must not overflow the sums.
TEST(FixedPointSum, TakesNoSummandAsMoreThanOne) {
  FixedPointSum sum;
  sum.add(569.0);
  sum.add(-1e30);
  sum.add(0.25);
  EXPECT_EQ(sum.value(), 0.25);
}

// As many of the greatest as they promise to hold, with their azimuths on either side of north.
TEST(ScatteredSums, HoldTheMostSummandsOfTheGreatestThatTheyTake) {
  DiffuseSum greatest;
  greatest.gain = greatest.basic_gain = greatest.strongest_gain = std::nextafter(ScatteredSums::most, 0.0);
  greatest.excess_m = greatest.gain * excess_unit_m;
  greatest.squared_excess_m2 = greatest.excess_m * excess_unit_m;
  greatest.cos_azimuth = greatest.gain;
  greatest.sin_azimuth = -greatest.gain;
  greatest.rays = 1;
  ASSERT_TRUE(ScatteredSums::takes(greatest));
  std::vector<ScatteredSums> of_threads(2);
  for (std::uint32_t i = 0; i < ScatteredSums::most_summands; ++i) of_threads[i % 2].add(greatest);
  of_threads[0].merge(of_threads[1]);
  const DiffuseSum sum = of_threads[0].total();
  const double expected = ScatteredSums::most_summands * greatest.gain, rounding = 1e-12 * expected;
  EXPECT_NEAR(sum.gain, expected, rounding);
  EXPECT_NEAR(sum.basic_gain, expected, rounding);
  EXPECT_NEAR(sum.excess_m, expected * excess_unit_m, rounding * excess_unit_m);
  EXPECT_NEAR(sum.squared_excess_m2, expected * excess_unit_m * excess_unit_m,
              rounding * excess_unit_m * excess_unit_m);
  EXPECT_NEAR(sum.cos_azimuth, expected, rounding);
  EXPECT_NEAR(sum.sin_azimuth, -expected, rounding);
  EXPECT_EQ(sum.rays, ScatteredSums::most_summands);
  greatest.gain = ScatteredSums::most;
  EXPECT_FALSE(ScatteredSums::takes(greatest));
}

Arrival arrival(double gain, double excess_m, Vec3 direction, Mechanism mechanism) {
  Arrival a;
  a.path_gain = a.basic_gain = gain;
  a.excess_length_m = excess_m;
  a.travel_direction = direction;
  a.mechanism = mechanism;
  return a;
}

TEST(ArrivalSums, AreTheSameForAnyOrderAndGrouping) {
  Random random(5);
  std::vector<Arrival> rays;
  for (int i = 0; i < 300; ++i) {
    const double azimuth = random.uniform(0, 2 * pi);
    // Equal gains on purpose: the strongest ray must not depend on who came first.
    Arrival a = arrival(std::pow(10.0, -static_cast<double>(random.below(4))), random.uniform(0, 900),
                        {std::sin(azimuth), std::cos(azimuth), 0},
                        random.below(2) == 0 ? Mechanism::reflection : Mechanism::diffraction);
    a.coherent = random.below(2) == 0;
    a.amplitude = exp_j(random.uniform(0, 6));
    a.in_step_reflected = random.uniform(0, 1);
    rays.push_back(a);
  }
  const auto sum_in_parts = [&](std::size_t parts) {
    std::vector<ArrivalSums> partial(parts);
    for (std::size_t i = 0; i < rays.size(); ++i) partial[i % parts].add(rays[i]);
    ArrivalSums all;
    for (const ArrivalSums& part : partial) all.merge(part);
    return all;
  };
  const ArrivalSums expected = sum_in_parts(1);
  EXPECT_EQ(expected.rays, 300u);
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (std::size_t i = rays.size(); i > 1; --i)
      std::swap(rays[i - 1], rays[random.below(static_cast<std::uint32_t>(i))]);
    const ArrivalSums got = sum_in_parts(1 + random.below(9));
    EXPECT_EQ(got.gain, expected.gain);
    EXPECT_EQ(got.coherent_re, expected.coherent_re);
    EXPECT_EQ(got.coherent_im, expected.coherent_im);
    EXPECT_EQ(got.reflected_re, expected.reflected_re);
    EXPECT_EQ(got.reflected_im, expected.reflected_im);
    EXPECT_EQ(got.excess, expected.excess);
    EXPECT_EQ(got.squared_excess, expected.squared_excess);
    EXPECT_EQ(got.cos_azimuth, expected.cos_azimuth);
    EXPECT_EQ(got.sin_azimuth, expected.sin_azimuth);
    EXPECT_EQ(got.strongest_azimuth, expected.strongest_azimuth);
    EXPECT_EQ(got.strongest_mechanism, expected.strongest_mechanism);
    EXPECT_EQ(got.first_excess_m, expected.first_excess_m);
    EXPECT_EQ(got.rays, expected.rays);
  }
}

TEST(ArrivalSums, StrongestRayLooksBackAlongItsWay) {
  ArrivalSums sums;
  sums.add(arrival(1e-9, 5, {0, 1, 0}, Mechanism::reflection));
  sums.add(arrival(1e-8, 9, {-1, 0, 0}, Mechanism::diffraction));
  EXPECT_EQ(sums.strongest_mechanism, Mechanism::diffraction);
  EXPECT_NEAR(static_cast<double>(sums.strongest_azimuth), pi / 2, 1e-6);  // it travels west, so one looks east
  EXPECT_FALSE(sums.direct);
  EXPECT_FLOAT_EQ(sums.first_excess_m, 5.0F);
}

}  // namespace
}  // namespace tesseray
