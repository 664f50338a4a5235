// SPDX-License-Identifier: GPL-3.0-or-later
// Delays, angles and K factors of predictions against table 10 (docs/physics.md §11).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/prediction/prediction.h"
#include "core/prediction/wideband_prediction.h"
#include "core/propagation/rays/arrivals.h"
#include "tests/golden/golden_table.h"

namespace tesseray {
namespace {

struct Path {
  double power = 0, delay_s = 0, azimuth = 0, elevation = 0;  // rad
};

// Those of a power-delay profile that are no weaker than its threshold below the strongest.
std::vector<Path> paths_of(const nlohmann::json& profile) {
  const std::vector<double> powers_db = profile["power_dB"];
  const double threshold_db = profile["thr_dB"].is_null() ? infinity : profile["thr_dB"].get<double>();
  const double least_db = *std::max_element(powers_db.begin(), powers_db.end()) - threshold_db;
  std::vector<Path> paths;
  for (std::size_t i = 0; i < powers_db.size(); ++i) {
    if (powers_db[i] < least_db) continue;
    paths.push_back({power_ratio(powers_db[i]), profile["delay_s"][i], radians(profile["az_deg"][i]),
                     radians(profile["el_deg"][i])});
  }
  return paths;
}

// A path as a ray that the receiver sees in the path's direction.
Arrival arrival_of(const Path& path, double distance_m) {
  Arrival arrival;
  arrival.path_gain = path.power;
  arrival.excess_length_m = path.delay_s * speed_of_light - distance_m;
  const double level = std::cos(path.elevation);
  arrival.travel_direction =
      -Vec3{level * std::sin(path.azimuth), level * std::cos(path.azimuth), std::sin(path.elevation)};
  arrival.mechanism = Mechanism::reflection;
  return arrival;
}

TEST(LinkMetricsGolden, DelaysAndAngles) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  std::ifstream in(GoldenTable::folder() / "10_link_metrics.json");
  const nlohmann::json table = nlohmann::json::parse(in);
  EXPECT_GE(table["pdp"].size(), 6u);
  const Transmitter transmitter{.frequency_hz = 900e6};
  const Vec3 target = transmitter.position + Vec3{90, 0, 0};
  for (const nlohmann::json& profile : table["pdp"]) {
    SCOPED_TRACE(profile["name"].get<std::string>());
    ArrivalSums sums;
    for (const Path& path : paths_of(profile)) sums.add(arrival_of(path, norm(target - transmitter.position)));
    const TargetPrediction p = predict_target(sums, target, transmitter);
    EXPECT_EQ(p.ray_count, profile["n"].get<std::uint32_t>());
    EXPECT_NEAR(decibels(sums.gain.value()), profile["total_dB"], 1e-9);
    // Predictions have seven digits.
    EXPECT_NEAR(static_cast<double>(p.mean_excess_delay_ns()), 1e9 * profile["mean_excess_s"].get<double>(), 1e-3);
    EXPECT_NEAR(static_cast<double>(p.delay_spread_ns), 1e9 * profile["rms_ds_s"].get<double>(), 1e-3);
    EXPECT_NEAR(static_cast<double>(p.angle_spread_deg), profile["AS_fleury_deg"], 1e-4);
    EXPECT_NEAR(static_cast<double>(predict_wideband(sums, {}).k_factor_db), profile["K_dB"], 1e-5);
  }
}

}  // namespace
}  // namespace tesseray
