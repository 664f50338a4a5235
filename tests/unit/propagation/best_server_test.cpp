// SPDX-License-Identifier: GPL-3.0-or-later
// Who serves: small tables with answers worked out by hand.
#include "core/prediction/best_server.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace tesseray {
namespace {

const std::vector<PredictedTransmitter> sites = {
    {7, "North", {}, 1800e6}, {3, "South", {}, 1800e6}, {5, "Other band", {}, 900e6}};

PredictedTarget row(std::int64_t transmitter_id, std::int64_t tile_id, double power_dbm) {
  PredictedTarget target;
  target.transmitter_id = transmitter_id;
  target.tile_id = tile_id;
  target.received_power_dbm = power_dbm;
  target.path_loss_db = 40 - power_dbm;
  return target;
}

// 1 MHz and 0 dB: the noise is −114 dBm (10 log10 of k · 290 K · 1 MHz = −113.975).
BestServerOptions options() { return {.bandwidth_hz = 1e6, .noise_figure_db = 0}; }
constexpr double noise_dbm = -113.9753;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(BestServer, StrongestServesAndOthersOnItsFrequencyInterfere) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -70), row(3, 1, -75), row(5, 1, -72)};
  const std::vector<ServedPlace> places = best_servers(rows, sites, options());
  ASSERT_EQ(places.size(), 1u);
  const ServedPlace& place = places.front();
  EXPECT_EQ(place.tile_id, 1);
  EXPECT_EQ(place.server, 0u);
  EXPECT_EQ(place.second, 2u);
  EXPECT_DOUBLE_EQ(place.margin_db, 2);
  EXPECT_EQ(place.servers, 3u);
  EXPECT_DOUBLE_EQ(place.received_power_dbm, -70);
  EXPECT_DOUBLE_EQ(place.path_loss_db, 110);
  EXPECT_NEAR(place.interference_dbm, -75, 1e-9);
  // 10^-7 mW over 10^-7.5 mW and the noise.
  EXPECT_NEAR(place.sinr_db, 10 * std::log10(1e-7 / (std::pow(10, -7.5) + std::pow(10, noise_dbm / 10))), 1e-3);
}

TEST(BestServer, LoadThinsInterference) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -70), row(3, 1, -75)};
  BestServerOptions half = options();
  half.load = 0.5;
  EXPECT_NEAR(best_servers(rows, sites, half).front().interference_dbm, -75 + 10 * std::log10(0.5), 1e-9);
  half.load = 0;
  const ServedPlace alone = best_servers(rows, sites, half).front();
  EXPECT_TRUE(std::isnan(alone.interference_dbm));
  EXPECT_NEAR(alone.sinr_db, -70 - noise_dbm, 1e-3);
}

TEST(BestServer, ThresholdsAndGaps) {
  const std::vector<PredictedTarget> rows = {row(7, 4, nan), row(3, 4, nan),  row(7, 2, -121), row(3, 2, nan),
                                             row(7, 3, -99), row(3, 3, -106), row(5, 3, -104)};
  BestServerOptions least = options();
  least.min_power_dbm = -120;
  least.overlap_db = 6;
  const std::vector<ServedPlace> places = best_servers(rows, sites, least);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].tile_id, 2);
  EXPECT_FALSE(places[0].server);
  EXPECT_TRUE(std::isnan(places[0].sinr_db));
  EXPECT_EQ(places[1].server, 0u);
  EXPECT_EQ(places[1].servers, 2u);  // −99 and −104
  EXPECT_EQ(places[2].tile_id, 4);
  EXPECT_FALSE(places[2].server);
  EXPECT_EQ(places[2].servers, 0u);
}

TEST(BestServer, OrderOfRowsDoesNotMatterAndTiesGoToTheLowerId) {
  const std::vector<PredictedTarget> rows = {row(7, 1, -70), row(3, 1, -70), row(3, 1, -90)};
  const std::vector<PredictedTarget> turned(rows.rbegin(), rows.rend());
  for (const auto& order : {rows, turned}) {
    const ServedPlace place = best_servers(order, sites, options()).front();
    EXPECT_EQ(place.server, 1u);
    EXPECT_EQ(place.second, 0u);
    EXPECT_DOUBLE_EQ(place.margin_db, 0);
    EXPECT_EQ(place.servers, 2u);
    EXPECT_NEAR(place.interference_dbm, -70, 1e-9);
  }
}

TEST(BestServer, UnknownTransmitterIsAnError) {
  const std::vector<PredictedTarget> rows = {row(8, 1, -70)};
  EXPECT_THROW(best_servers(rows, sites, options()), Error);
}

}  // namespace
}  // namespace tesseray
