// SPDX-License-Identifier: GPL-3.0-or-later
// Fingerprints: tables with answers worked out by hand, and how far off noisy queries of a city are located.
#include "core/prediction/fingerprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/comparison/statistics.h"
#include "core/prediction/prediction.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<PredictedTransmitter> sites = {{7, "North", {}, 1800e6}, {3, "South", {}, 1800e6}};

PredictedTarget row(std::int64_t transmitter_id, std::int64_t tile_id, double power_dbm, double delay_ns = nan,
                    double azimuth_deg = nan) {
  PredictedTarget target;
  target.transmitter_id = transmitter_id;
  target.tile_id = tile_id;
  target.centroid = {10.0 * static_cast<double>(tile_id), 0, 1.5};
  target.received_power_dbm = power_dbm;
  target.first_delay_ns = delay_ns;
  target.arrival_azimuth_deg = azimuth_deg;
  return target;
}

TEST(Fingerprints, APlaceHasWhatEachTransmitterBrings) {
  const std::vector<PredictedTarget> rows = {row(3, 2, -80, 500, 90), row(7, 2, -70, 300, 10), row(7, 1, -60),
                                             row(3, 1, nan),          row(3, 4, -120),         row(7, 2, -65, 200, 20)};
  const Fingerprints all(rows, sites);
  ASSERT_EQ(all.places().size(), 3u);
  EXPECT_EQ(all.places()[0].tile_id, 1);
  EXPECT_EQ(all.places()[0].heard, 1u);
  EXPECT_EQ(all.at(0)[0].power_dbm, -60);
  EXPECT_FALSE(all.at(0)[1].heard());
  EXPECT_EQ(all.places()[1].heard, 2u);
  EXPECT_EQ(all.at(1)[0].power_dbm, -65);  // the stronger of its two rows
  EXPECT_EQ(all.at(1)[0].delay_ns, 200);
  EXPECT_EQ(all.at(1)[0].azimuth_deg, 20);
  EXPECT_EQ(all.at(1)[1].power_dbm, -80);
  EXPECT_EQ(all.weakest_dbm(), (std::vector<double>{-65, -120}));
  EXPECT_FALSE(all.have_elevations());
  const Fingerprints strong(rows, sites, -100);
  ASSERT_EQ(strong.places().size(), 2u);
  EXPECT_EQ(strong.weakest_dbm()[1], -80);
}

TEST(Fingerprints, RowsOfUnknownTransmittersAreAnError) {
  const std::vector<PredictedTarget> rows = {row(9, 1, -80)};
  EXPECT_THROW(Fingerprints(rows, sites), Error);
}

std::optional<FingerprintMatch> match(const std::vector<PredictedTarget>& rows, const std::vector<Signature>& query,
                                      const MatchOptions& options = {}) {
  return match_fingerprint(Fingerprints(rows, sites), query, options);
}

TEST(Fingerprints, TheMismatchIsInStandardDeviations) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60, 100, 350), row(3, 1, -80, 400, 90)};
  // 6 and 12 dB, 50 and 100 ns, 20° across north and 0°.
  const std::vector<Signature> query = {{-66, 150, 10, nan}, {-92, 300, 90, nan}};
  const MatchOptions options{.power_sigma_db = 6, .delay_sigma_ns = 50, .azimuth_sigma_deg = 10, .neighbours = 1};
  const auto found = match(rows, query, options);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mismatch, std::sqrt((1.0 + 4 + 1 + 4 + 4 + 0) / 6), 1e-12);
  EXPECT_EQ(found->transmitters, 2u);
  EXPECT_EQ(found->spread_m, 0);
}

// What is the same for all transmitters does not count when it is unknown.
TEST(Fingerprints, UnknownGainAndClockAreTakenOff) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60, 100), row(3, 1, -80, 400), row(7, 2, -75, 330),
                                             row(3, 2, -95, 480)};
  // Tile 1 with 15 dB less and 230 ns more: in powers alone it is tile 2.
  const std::vector<Signature> query = {{-75, 330, nan, nan}, {-95, 630, nan, nan}};
  const auto known = match(rows, query, {.neighbours = 1});
  const auto unknown = match(rows, query, {.unknown_gain = true, .unknown_clock = true, .neighbours = 1});
  EXPECT_EQ(known->best, 1u);
  EXPECT_EQ(unknown->best, 0u);
  EXPECT_NEAR(unknown->mismatch, 0, 1e-6);
}

// Whatever its clock, a receiver that has one arrival could be anywhere.
TEST(Fingerprints, OneValueUpToAConstantIsNone) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60, 100), row(3, 1, -80, 400), row(7, 2, -75, 330)};
  const std::vector<Signature> delay = {{nan, 250, nan, nan}, {nan, nan, nan, nan}};
  EXPECT_TRUE(match(rows, delay));
  EXPECT_FALSE(match(rows, delay, {.unknown_clock = true}));
  const std::vector<PredictedTarget> of_one = {row(7, 1, -60), row(7, 2, -75)};
  const std::vector<Signature> power = {{-70, nan, nan, nan}, {nan, nan, nan, nan}};
  EXPECT_TRUE(match(of_one, power));
  EXPECT_FALSE(match(of_one, power, {.unknown_gain = true}));
}

// Seconds of a GPS week, in ns.
TEST(Fingerprints, AClockMayBeFarOff) {
  std::vector<PredictedTarget> rows;
  for (std::int64_t tile = 1; tile <= 20; ++tile) {
    const auto step = static_cast<double>(tile);
    rows.push_back(row(7, tile, -60, 100 + 37 * step));
    rows.push_back(row(3, tile, -70, 900 - 11 * step));
  }
  for (const double clock_ns : {0.0, 1e11, 6e14}) {
    const std::vector<Signature> query = {{nan, 100 + 37 * 13 + clock_ns, nan, nan},
                                          {nan, 900 - 11 * 13 + clock_ns, nan, nan}};
    const auto found = match(rows, query, {.unknown_clock = true, .neighbours = 1});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->best, 12u) << clock_ns;
  }
}

// A transmitter that is heard on one side only is compared with the weakest that it is heard with.
TEST(Fingerprints, SilenceIsInformation) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60), row(3, 1, -80), row(7, 2, -60), row(3, 3, -110)};
  EXPECT_EQ(match(rows, {{-60, nan, nan, nan}, {}}, {.neighbours = 1})->best, 1u);
  EXPECT_EQ(match(rows, {{-60, nan, nan, nan}, {-82, nan, nan, nan}}, {.neighbours = 1})->best, 0u);
  // Without any power a query says nothing about silence.
  const std::vector<PredictedTarget> with_delays = {row(7, 1, -60, 100), row(3, 1, -80, 100), row(7, 2, -60, 130)};
  EXPECT_EQ(match(with_delays, {{nan, 120, nan, nan}, {}}, {.neighbours = 1})->best, 1u);
}

// Nor is a place better for what it does not hear: places that hear one of two have one difference less.
TEST(Fingerprints, WhatWasMeasuredWithoutItsPowerIsMissedToo) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60, 100), row(3, 1, -80, 400), row(7, 2, -75, 330)};
  const std::vector<Signature> delays = {{nan, 140, nan, nan}, {nan, 440, nan, nan}};
  EXPECT_EQ(match(rows, delays, {.unknown_clock = true, .neighbours = 1})->best, 0u);
  EXPECT_EQ(match(rows, {{-60, 100, nan, nan}, {nan, 400, nan, nan}}, {.neighbours = 1})->best, 0u);
}

TEST(Fingerprints, ThePositionIsTheMeanOfTheLikeliest) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -60), row(7, 2, -72), row(7, 9, -90)};
  const auto between = match(rows, {{-66, nan, nan, nan}, {}}, {.neighbours = 2});
  EXPECT_EQ(between->best, 0u);  // of equally good ones the lower tile_id
  EXPECT_NEAR(between->position.x, 15, 1e-12);
  EXPECT_NEAR(between->spread_m, 5, 1e-12);
  const auto nearer = match(rows, {{-63, nan, nan, nan}, {}}, {.neighbours = 2});
  const double weight = std::exp(-0.5 * (2.25 - 0.25));
  EXPECT_NEAR(nearer->position.x, (10 + 20 * weight) / (1 + weight), 1e-9);
}

TEST(Fingerprints, NothingInCommonIsNoMatch) {
  EXPECT_FALSE(match({row(7, 1, -60)}, {{}, {}}));
  EXPECT_FALSE(match({row(7, 1, -60)}, {{}, {-60, nan, nan, nan}}));
  EXPECT_FALSE(match({}, {{-60, nan, nan, nan}, {}}));
}

TEST(Fingerprints, ErrorsNeedAMatchAndAPlace) {
  FingerprintMatch found;
  found.position = {3, 4, 10};
  EXPECT_EQ((LocatedQuery{"a", Vec2{0, 0}, found}.error_m()), 5);
  EXPECT_TRUE(std::isnan((LocatedQuery{"a", std::nullopt, found}.error_m())));
  EXPECT_TRUE(std::isnan((LocatedQuery{"a", Vec2{0, 0}, std::nullopt}.error_m())));
}

// Four sites over a city of 300 m × 300 m.
struct City {
  std::vector<PredictedTransmitter> transmitters;
  std::vector<PredictedTarget> ground;

  City() {
    testing::SyntheticCityOptions options;
    options.width_m = options.depth_m = 300;
    options.seed = 9;
    const testing::Environment environment(testing::synthetic_city(options), 10);
    for (const Vec2 at : {Vec2{60, 55}, Vec2{240, 70}, Vec2{230, 250}, Vec2{70, 235}}) {
      Transmitter transmitter = testing::test_transmitter({at.x, at.y, 60});
      transmitter.transmitter_id = static_cast<std::int64_t>(transmitters.size()) + 1;
      transmitter.erp_dbm = 40;
      transmitters.push_back({transmitter.transmitter_id, "", transmitter.position, transmitter.frequency_hz});
      predict(environment, transmitter);
    }
  }

  void predict(const testing::Environment& environment, const Transmitter& transmitter) {
    RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
    options.over_rooftop = OverRooftop::screens;
    const auto prediction =
        predict_path_loss(environment.launch(transmitter, {}, options), transmitter, environment.tiling, {}, options);
    for (std::size_t t = 0; t < environment.tiling.tiles.size(); ++t) {
      const Tile& tile = environment.tiling.tiles[t];
      if (tile.kind != SurfaceKind::ground || !prediction.tiles[t].reached()) continue;
      PredictedTarget target;
      target.transmitter_id = transmitter.transmitter_id;
      target.tile_id = tile.id;
      target.centroid = tile.centroid;
      target.received_power_dbm = static_cast<double>(prediction.tiles[t].received_power_dbm);
      target.first_delay_ns = static_cast<double>(prediction.tiles[t].first_delay_ns);
      target.arrival_azimuth_deg = static_cast<double>(prediction.tiles[t].arrival_azimuth_deg);
      ground.push_back(target);
    }
  }
};

struct Noise {
  double power_db = 0, delay_ns = 0, azimuth_deg = 0;  // standard deviations; 0 in delay or azimuth: not measured
};

double gaussian(testing::Random& random) {
  const double radius = std::sqrt(-2 * std::log(random.uniform(1e-300, 1)));
  return radius * std::cos(2 * pi * random.uniform(0, 1));
}

// Location errors, m, of queries made at 200 ground tiles.
std::vector<double> location_errors(const Fingerprints& fingerprints, const Noise& noise) {
  testing::Random random(4);
  MatchOptions options;
  options.power_sigma_db = std::max(noise.power_db, 1.0);
  options.delay_sigma_ns = std::max(noise.delay_ns, 1.0);
  options.azimuth_sigma_deg = std::max(noise.azimuth_deg, 1.0);
  std::vector<double> errors;
  for (int i = 0; i < 200; ++i) {
    const std::size_t place = random.below(static_cast<std::uint32_t>(fingerprints.places().size()));
    std::vector<Signature> query(fingerprints.at(place).begin(), fingerprints.at(place).end());
    for (Signature& s : query) {
      s.power_dbm += noise.power_db * gaussian(random);
      s.delay_ns = noise.delay_ns > 0 ? s.delay_ns + noise.delay_ns * gaussian(random) : nan;
      s.azimuth_deg = noise.azimuth_deg > 0 ? s.azimuth_deg + noise.azimuth_deg * gaussian(random) : nan;
    }
    const auto found = match_fingerprint(fingerprints, query, options);
    errors.push_back(norm(found->position.xy() - fingerprints.places()[place].position.xy()));
  }
  return errors;
}

TEST(Fingerprints, NoisyQueriesOfACityAreLocatedWithinMetres) {
  const City city;
  const Fingerprints fingerprints(city.ground, city.transmitters);
  const auto measured = [&](const std::string& what, const Noise& noise) {
    const std::vector<double> errors = location_errors(fingerprints, noise);
    const double median = percentile(errors, 0.5);
    testing::expect_in_validation_page({what, testing::fixed(median, 0), testing::fixed(percentile(errors, 0.9), 0)});
    return median;
  };
  const double exact = measured("powers without noise", {});
  const double good = measured("powers, 3 dB", {.power_db = 3});
  const double usual = measured("powers, 8 dB", {.power_db = 8});
  const double delays = measured("powers, 8 dB, and delays, 78 m (260 ns)", {.power_db = 8, .delay_ns = 260});
  const double fine = measured("powers, 8 dB, and delays, 10 m (33 ns)", {.power_db = 8, .delay_ns = 33});
  const double angles = measured("powers, 8 dB, and azimuths, 10°", {.power_db = 8, .azimuth_deg = 10});
  EXPECT_LT(exact, 5);
  EXPECT_LT(exact, good);
  EXPECT_LT(good, usual);
  EXPECT_LT(delays, usual);
  EXPECT_LT(fine, delays);
  EXPECT_LT(angles, usual);
}

}  // namespace
}  // namespace tesseray
