// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/comparison.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "tests/support/kept_warnings.h"

namespace tesseray {
namespace {

// Two transmitters over a street of 5 × 3 ground tiles of 10 m, with a wall above its north end.
struct Street {
  std::vector<PredictedTransmitter> transmitters{{1, "north", {0, 100, 30}, 1e9}, {2, "7", {50, 0, 30}, 2e9}};
  std::vector<PredictedTarget> predicted;

  Street() {
    for (const PredictedTransmitter& transmitter : transmitters) {
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 5; ++column) {
          const double power = -70.0 - 2 * column - 5 * row - 10 * static_cast<double>(transmitter.transmitter_id);
          predicted.push_back(target(transmitter.transmitter_id, 100 * row + column, SurfaceKind::ground,
                                     {10.0 * column, 10.0 * row, 200}, power));
        }
      }
      predicted.push_back(target(transmitter.transmitter_id, 999, SurfaceKind::wall, {20, 25, 212}, -60));
    }
  }

  static PredictedTarget target(std::int64_t transmitter, std::int64_t tile, SurfaceKind kind, Vec3 centroid,
                                double power_dbm) {
    PredictedTarget target;
    target.transmitter_id = transmitter;
    target.tile_id = tile;
    target.kind = kind;
    target.centroid = centroid;
    target.received_power_dbm = power_dbm;
    target.path_loss_db = 43 - power_dbm;
    target.basic_loss_db = 45 - power_dbm;
    target.field_dbuvm = power_dbm + 140;
    target.line_of_sight = power_dbm > -85;
    return target;
  }

  Comparison compare(const std::vector<Measurement>& measurements, const ComparisonOptions& options = {},
                     Progress& progress = no_progress()) const {
    return compare_with_drive_test(TilesOfRows(predicted, transmitters), transmitters, measurements, options, progress);
  }
};

Measurement measurement(std::int64_t id, Vec2 position, std::string transmitter, double value) {
  return {.measurement_id = id, .position = position, .transmitter = std::move(transmitter), .value = value};
}

TEST(Comparison, ErrorIsPredictedMinusMeasuredAtTheNearestGroundTile) {
  const Street street;
  const Comparison comparison = street.compare({measurement(5,
                                                            {
                                                                12,
                                                                9,
                                                            },
                                                            "north", -90)});
  ASSERT_EQ(comparison.errors.size(), 1u);
  const MeasurementError& error = comparison.errors[0];
  EXPECT_EQ(error.excluded_because, "");
  EXPECT_EQ(error.transmitter_id, 1);
  EXPECT_EQ(error.tile_id, 101);
  EXPECT_DOUBLE_EQ(error.predicted, -87.0);  // −70 − 2 − 5 − 10
  EXPECT_DOUBLE_EQ(error.error, 3.0);
  EXPECT_DOUBLE_EQ(error.snap_distance_m, std::sqrt(5.0));
  EXPECT_EQ(error.position, (Vec3{12, 9, 200}));
  EXPECT_DOUBLE_EQ(error.distance_m, std::sqrt(12.0 * 12 + 91 * 91 + 170 * 170));
  EXPECT_EQ(error.line_of_sight, false);
  EXPECT_FALSE(error.above_ground);
}

TEST(Comparison, EveryKindOfValueGivesTheSameSignOfError) {
  const Street street;
  // Each measured value stands for a signal 3 dB weaker than predicted at tile 101 (−87 dBm).
  const std::pair<ValueKind, double> cases[] = {{ValueKind::received_power, -90},
                                                {ValueKind::path_loss, 133},
                                                {ValueKind::basic_loss, 135},
                                                {ValueKind::field_strength, 50}};
  for (const auto& [kind, value] : cases) {
    const auto errors = street.compare({measurement(1, {10, 10}, "north", value)}, {.value_kind = kind}).errors;
    EXPECT_DOUBLE_EQ(errors[0].error, 3.0) << static_cast<int>(kind);
    EXPECT_DOUBLE_EQ(errors[0].error, errors[0].predicted - errors[0].measured);
  }
}

TEST(Comparison, ReceiverGainIsTakenOffPowersAndPathLossesOnly) {
  const Street street;
  const std::tuple<ValueKind, double, double> cases[] = {{ValueKind::received_power, -90, 5.0},
                                                         {ValueKind::path_loss, 133, 5.0},
                                                         {ValueKind::basic_loss, 135, 3.0},
                                                         {ValueKind::field_strength, 50, 3.0}};
  for (const auto& [kind, value, expected] : cases) {
    const auto errors =
        street.compare({measurement(1, {10, 10}, "north", value)}, {.value_kind = kind, .receiver_gain_dbi = 2}).errors;
    EXPECT_DOUBLE_EQ(errors[0].error, expected) << static_cast<int>(kind);
  }
}

TEST(Comparison, NumbersOfANetworkMatchNamesAlone) {
  const Street street;
  Measurement by_pci = measurement(1, {0, 0}, "1", -90), by_name = measurement(2, {0, 0}, "north", -90);
  by_pci.transmitter_may_be_id = by_name.transmitter_may_be_id = false;
  const auto errors = street.compare({by_pci, by_name}).errors;
  EXPECT_EQ(errors.at(0).measurement_id, 1);
  EXPECT_EQ(errors.at(0).excluded_because, "unknown transmitter");
  EXPECT_EQ(errors.at(1).excluded_because, "");
}

// Beside names, what is no name is that of a transmitter that was not predicted.
TEST(Comparison, TransmittersAreMatchedByName) {
  const Street street;
  const auto errors = street
                          .compare({measurement(1, {0, 0}, "north", -90), measurement(2, {0, 0}, " 7 ", -90),
                                    measurement(3, {0, 0}, "2", -90), measurement(4, {0, 0}, "1", -90),
                                    measurement(5, {0, 0}, "south", -90), measurement(6, {0, 0}, "", -90)})
                          .errors;
  ASSERT_EQ(errors.size(), 6u);
  for (std::size_t k = 0; k < 4; ++k) {  // by transmitter: unknown ones first
    EXPECT_EQ(errors[k].measurement_id, static_cast<std::int64_t>(3 + k));
    EXPECT_EQ(errors[k].excluded_because, "unknown transmitter");
    EXPECT_EQ(errors[k].transmitter_id, std::nullopt);
  }
  EXPECT_EQ(errors[4].transmitter_id, 1);
  EXPECT_EQ(errors[5].transmitter_id, 2);
}

TEST(Comparison, TransmittersAreMatchedByIdWhereNoneIsNamed) {
  const Street street;
  const auto errors = street
                          .compare({measurement(1, {0, 0}, "2", -90), measurement(2, {0, 0}, "1", -90),
                                    measurement(3, {0, 0}, "", -90)})
                          .errors;
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].excluded_because, "unknown transmitter");
  EXPECT_EQ(errors[1].transmitter_id, 1);
  EXPECT_EQ(errors[2].transmitter_id, 2);
}

TEST(Comparison, WordsForNothingAreNamesWhereATransmitterIsCalledSo) {
  Street street;
  street.transmitters[0].name = "None";
  const auto named = street.compare({measurement(1, {0, 0}, "None", -90), measurement(2, {0, 0}, "n/a", -90)}).errors;
  EXPECT_EQ(named.at(0).excluded_because, "unknown transmitter");
  EXPECT_EQ(named.at(0).measurement_id, 2);
  EXPECT_EQ(named.at(1).excluded_because, "");
  street.transmitters.resize(1);
  EXPECT_EQ(street.compare({measurement(1, {0, 0}, "n/a", -90)}).errors.at(0).excluded_because, "");
}

TEST(Comparison, NamesThatDifferAreToldOfBothSides) {
  const Street street;
  testing::KeptWarnings warnings;
  street.compare({measurement(1, {0, 0}, "north", -90), measurement(2, {0, 0}, "North Tower", -90),
                  measurement(3, {0, 0}, "North Tower", -90), measurement(4, {0, 0}, "", -90)},
                 {}, warnings);
  EXPECT_EQ(warnings.codes(), (std::vector<std::string>{"unknown_transmitter", "no_transmitter"}));
  ASSERT_EQ(warnings.all.size(), 2u);
  EXPECT_EQ(warnings.all[0].message,
            "2 of the measurements name transmitters that the prediction does not have: North Tower. It has 7, north");
  EXPECT_EQ(
      warnings.all[1].message,
      "1 of the measurements names no transmitter, and the prediction has several: 7, north. Choose the field that "
      "names them as TRANSMITTER_FIELD");
  testing::KeptWarnings many;
  std::vector<Measurement> measurements;
  for (int i = 0; i < 12; ++i) measurements.push_back(measurement(i, {0, 0}, "site" + std::to_string(10 + i), -90));
  street.compare(measurements, {}, many);
  ASSERT_EQ(many.all.size(), 1u);
  EXPECT_NE(many.all[0].message.find("site10, site11, site12, site13, site14, … (12)"), std::string::npos)
      << many.all[0].message;
  testing::KeptWarnings none;
  street.compare({measurement(1, {0, 0}, "north", -90)}, {}, none);
  EXPECT_TRUE(none.all.empty());
}

TEST(Comparison, ASingleTransmitterNeedsNoName) {
  Street street;
  street.transmitters.resize(1);
  EXPECT_EQ(street.compare({measurement(1, {0, 0}, "", -90)}).errors[0].excluded_because, "");
  EXPECT_EQ(street.compare({measurement(1, {0, 0}, "south", -90)}).errors[0].excluded_because, "unknown transmitter");
}

TEST(Comparison, ReasonsForLeavingAMeasurementOut) {
  Street street;
  street.predicted[0].received_power_dbm = std::nan("");  // tile 0 of transmitter 1
  street.predicted.erase(street.predicted.begin() + 1);   // tile 1 has no row of transmitter 1
  const double nan = std::nan("");
  const auto errors = street
                          .compare({measurement(1, {0, 0}, "north", -90), measurement(2, {10, 0}, "north", -90),
                                    measurement(3, {45, 14}, "north", -90), measurement(4, {300, 0}, "north", -90),
                                    measurement(5, {20, 0}, "north", nan), measurement(6, {nan, 0}, "north", -90),
                                    measurement(7, {20, 0}, "north", -120), measurement(8, {20, 0}, "north", -119.9)},
                                   {.max_snap_distance_m = 6, .censor_below = -120})
                          .errors;
  EXPECT_EQ(errors[0].excluded_because, "no prediction there");
  EXPECT_EQ(errors[0].tile_id, 0);
  EXPECT_EQ(errors[1].excluded_because, "no prediction there");
  EXPECT_EQ(errors[2].excluded_because, "farther than the maximum snap distance from any tile");
  EXPECT_EQ(errors[3].excluded_because, "outside of the predicted area");
  EXPECT_EQ(errors[4].excluded_because, "no value");
  EXPECT_EQ(errors[5].excluded_because, "no place");
  EXPECT_EQ(errors[6].excluded_because, "censored: at the scanner's floor");
  EXPECT_EQ(errors[7].excluded_because, "");
}

TEST(Comparison, WhatIsNotUsedLiesOnTheGroundTooAndMayBeInSightOrNot) {
  Street street;
  const double nan = std::nan("");
  Measurement on_a_mast = measurement(3, {20, 0}, "north", -120);
  on_a_mast.height_m = 12;
  const auto errors = street
                          .compare({measurement(1, {20, 0}, "north", nan), measurement(2, {20, 0}, "north", -120),
                                    on_a_mast, measurement(4, {nan, 0}, "north", -90),
                                    measurement(5, {300, 0}, "north", -90), measurement(6, {20, 0}, "north", -90)},
                                   {.censor_below = -115})
                          .errors;
  for (const std::size_t without_height : {0u, 1u, 5u}) {
    EXPECT_EQ(errors[without_height].position, (Vec3{20, 0, 200}));
    EXPECT_DOUBLE_EQ(errors[without_height].distance_m, std::sqrt(20.0 * 20 + 100 * 100 + 170 * 170));
  }
  EXPECT_EQ(errors[2].position, (Vec3{20, 0, 212}));
  EXPECT_TRUE(std::isnan(errors[3].distance_m));
  for (const std::size_t unknown : {0u, 1u, 2u, 3u, 4u}) EXPECT_EQ(errors[unknown].line_of_sight, std::nullopt);
  EXPECT_EQ(errors[5].line_of_sight, true);
}

TEST(Comparison, LossesAreCensoredAtAndAboveTheLimit) {
  const Street street;
  const auto errors = street
                          .compare({measurement(1, {0, 0}, "north", 150), measurement(2, {0, 0}, "north", 149)},
                                   {.value_kind = ValueKind::path_loss, .censor_below = 150})
                          .errors;
  EXPECT_NE(errors[0].excluded_because, "");
  EXPECT_EQ(errors[1].excluded_because, "");
}

TEST(Comparison, MeasurementsWithAHeightSnapInSpace) {
  const Street street;
  Measurement facade = measurement(1, {20, 24}, "north", -65);
  facade.height_m = 12;
  const Measurement at_street = measurement(2, {20, 24}, "north", -65);
  testing::KeptWarnings warnings;
  const auto errors = street.compare({facade, at_street}, {.snapping = Snapping::nearest_3d}, warnings).errors;
  EXPECT_EQ(warnings.codes(), std::vector<std::string>{});
  const MeasurementError& in_space = errors[0];
  EXPECT_EQ(in_space.tile_id, 999);
  EXPECT_DOUBLE_EQ(in_space.snap_distance_m, 1.0);
  EXPECT_DOUBLE_EQ(in_space.error, 5.0);
  EXPECT_TRUE(in_space.above_ground);
  EXPECT_DOUBLE_EQ(in_space.position.z, 212.0);

  EXPECT_EQ(errors[1].tile_id, 202);
  EXPECT_EQ(street.compare({facade}).errors[0].tile_id, 202);
}

// Receivers of three heights at each of several places on a slope, the highest first, and measurements that say what is
// predicted there.
struct Staircases {
  std::vector<PredictedTransmitter> transmitters{{1, "north", {0, 100, 230}, 1e9}};
  std::vector<PredictedTarget> receivers;
  std::vector<Measurement> drive;

  Staircases() {
    for (int place = 0; place < 5; ++place) {
      for (const double height_m : {9.0, 1.5, 5.0}) {
        const auto id = static_cast<std::int64_t>(receivers.size()) + 1;
        const Vec3 position{12.0 * place, 7.0 * (place % 2), 200 + 3.0 * place + height_m};
        receivers.push_back(Street::target(1, id, SurfaceKind::ground, position, -70 - 2.0 * static_cast<double>(id)));
        receivers.back().height_m = height_m;
        drive.push_back(measurement(id, position.xy(), "north", receivers.back().received_power_dbm));
        drive.back().height_m = height_m;
      }
    }
  }
};

TEST(Comparison, OfReceiversOverOneAnotherThatOfTheMeasurementsHeightIsTaken) {
  Staircases staircases;
  // The places of receivers and measurements are rounded apart.
  for (std::size_t i = 0; i < staircases.drive.size(); i += 2) staircases.drive[i].position.x += 0.004;
  for (const Snapping snapping : {Snapping::nearest_ground, Snapping::nearest_3d, Snapping::bilinear}) {
    const auto errors =
        compare_with_drive_test(TilesOfRows(staircases.receivers, staircases.transmitters), staircases.transmitters,
                                staircases.drive, {.snapping = snapping}, no_progress())
            .errors;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      EXPECT_EQ(errors[i].excluded_because, "");
      EXPECT_EQ(errors[i].tile_id, errors[i].measurement_id);
      EXPECT_EQ(errors[i].error, 0);
      EXPECT_NEAR(errors[i].snap_distance_m, i % 2 == 0 ? 0.004 : 0, 1e-9);
      EXPECT_DOUBLE_EQ(errors[i].position.z, staircases.receivers[i].centroid.z);
    }
  }
}

TEST(Comparison, BilinearIsNotBetweenReceiversOfOtherHeights) {
  Staircases corners;
  corners.receivers.clear();
  for (int place = 0; place < 4; ++place) {
    for (const double height_m : {9.0, 1.5}) {
      const auto id = static_cast<std::int64_t>(corners.receivers.size()) + 1;
      corners.receivers.push_back(Street::target(1, id, SurfaceKind::ground,
                                                 {10.0 * (place % 2), 10.0 * (place / 2), 200 + height_m},
                                                 -70 - 2.0 * static_cast<double>(id)));
      corners.receivers.back().height_m = height_m;
    }
  }
  corners.drive = {measurement(1, {2, 3}, "north", -70), measurement(2, {2, 3}, "north", -70)};
  corners.drive[0].height_m = 9;
  corners.drive[1].height_m = 1.5;
  const auto errors =
      compare_with_drive_test(TilesOfRows(corners.receivers, corners.transmitters), corners.transmitters, corners.drive,
                              {.snapping = Snapping::bilinear}, no_progress())
          .errors;
  EXPECT_NEAR(errors[0].predicted, -72 - 0.2 * 4 - 0.3 * 8, 1e-12);
  EXPECT_EQ(errors[1].predicted, -74);
}

TEST(Comparison, ReceiversOnRoofsAreWhereTheyAreMeasured) {
  Staircases staircases;
  staircases.receivers = {Street::target(1, 1, SurfaceKind::ground, {0, 0, 216.5}, -70)};
  staircases.receivers[0].height_m = 16.5;
  staircases.drive = {measurement(1, {0, 0}, "north", -70)};
  staircases.drive[0].height_m = 16.5;
  const auto errors =
      compare_with_drive_test(TilesOfRows(staircases.receivers, staircases.transmitters), staircases.transmitters,
                              staircases.drive, {.snapping = Snapping::nearest_3d}, no_progress())
          .errors;
  EXPECT_EQ(errors[0].excluded_because, "");
  EXPECT_EQ(errors[0].snap_distance_m, 0);
}

// Without a height of the measurement nothing tells them apart.
TEST(Comparison, OfReceiversOverOneAnotherTheFirstIsTakenForMeasurementsWithoutHeights) {
  Staircases staircases;
  for (Measurement& each : staircases.drive) each.height_m.reset();
  const auto errors = compare_with_drive_test(TilesOfRows(staircases.receivers, staircases.transmitters),
                                              staircases.transmitters, staircases.drive, {}, no_progress())
                          .errors;
  for (const MeasurementError& error : errors) EXPECT_EQ(error.tile_id, (error.measurement_id - 1) / 3 * 3 + 1);
}

// A tile of 40 m on the ground, and the wall at its east side.
struct LargeTiles {
  std::vector<PredictedTransmitter> transmitters{{1, "north", {0, 100, 30}, 1e9}};
  std::vector<PredictedTarget> tiles{Street::target(1, 1, SurfaceKind::ground, {0, 0, 200}, -70),
                                     Street::target(1, 2, SurfaceKind::wall, {20, 0, 205}, -80)};

  LargeTiles() {
    tiles[0].half_u = tiles[1].half_u = {0, 20, 0};
    tiles[0].half_v = {-20, 0, 0};
    tiles[1].half_v = {0, 0, 5};
  }

  MeasurementError compared(Vec2 position, std::optional<double> height_m = std::nullopt) const {
    Measurement one = measurement(1, position, "north", -70);
    one.height_m = height_m;
    return compare_with_drive_test(TilesOfRows(tiles, transmitters), transmitters, {one},
                                   {.snapping = Snapping::nearest_3d}, no_progress())
        .errors[0];
  }
};

TEST(Comparison, TheGreatestSnapDistanceCountsFromATilesSides) {
  const LargeTiles large;
  for (const Vec2 on_it : {Vec2{0, 0}, Vec2{19, 19}, Vec2{-20, 20}, Vec2{-19, -3}}) {
    const MeasurementError error = large.compared(on_it);
    EXPECT_EQ(error.excluded_because, "") << on_it.x;
    EXPECT_EQ(error.tile_id, 1);
    EXPECT_DOUBLE_EQ(error.snap_distance_m, norm(on_it));  // to the centroid
  }
  EXPECT_EQ(large.compared({-34.9, 0}).excluded_because, "");
  EXPECT_EQ(large.compared({-35.1, 0}).excluded_because, "outside of the predicted area");
  // 15.6 m from the corner.
  EXPECT_EQ(large.compared({-31, -31}).excluded_because, "farther than the maximum snap distance from any tile");
  // At the far end of the wall.
  const MeasurementError at_wall = large.compared({21, 19}, 9);
  EXPECT_EQ(at_wall.excluded_because, "");
  EXPECT_EQ(at_wall.tile_id, 2);
  // The wall's centroid is nearer, but the wall is 18 m away, a larger tile on the ground 2 m.
  LargeTiles larger = large;
  larger.tiles[0].half_u = {0, 40, 0};
  larger.tiles[0].half_v = {-40, 0, 0};
  const MeasurementError over_ground = larger.compared({38, 0}, 2);
  EXPECT_EQ(over_ground.excluded_because, "");
  EXPECT_EQ(over_ground.tile_id, 1);
}

// Tiles of 10 m on the ground with a wall at their end; the last transmitter was not predicted.
struct PredictionInMemory {
  Tiling tiling;
  std::vector<PredictedTransmitter> transmitters{
      {1, "north", {0, 100, 30}, 1e9}, {2, "south", {50, 0, 30}, 2e9}, {3, "failed", {50, 50, 30}, 2e9}};
  std::vector<TransmitterPrediction> predictions;

  PredictionInMemory() {
    for (int i = 0; i < 40; ++i) {
      tiling.tiles.push_back(
          {.id = 100 + i, .centroid = {10.0 * (i % 8), 10.0 * (i / 8), 200}, .half_u = {5, 0, 0}, .half_v = {0, 5, 0}});
    }
    tiling.tiles.push_back(
        {.id = 999, .centroid = {40, 45, 205}, .half_u = {5, 0, 0}, .half_v = {0, 0, 5}, .kind = SurfaceKind::wall});
    std::mt19937 random(7);
    std::uniform_real_distribution<float> level(-120, -60);
    for (const std::int64_t transmitter_id : {1, 2}) {
      TransmitterPrediction& prediction = predictions.emplace_back();
      prediction.transmitter_id = transmitter_id;
      prediction.tiles.resize(tiling.tiles.size());
      for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
        if (t % 7 == 3) continue;  // nothing arrives there
        const float power_dbm = level(random);
        prediction.tiles[t] = {.path_loss_db = 43 - power_dbm,
                               .basic_loss_db = 45 - power_dbm,
                               .received_power_dbm = power_dbm,
                               .field_dbuvm = power_dbm + 140,
                               .first_delay_ns = 3 - power_dbm,
                               .mean_delay_ns = 7 - power_dbm,
                               .receiver_gain_dbi = 2,
                               .line_of_sight = t % 2 == 0};
      }
    }
  }

  // As a layer of it is read back.
  std::vector<PredictedTarget> rows() const {
    std::vector<PredictedTarget> rows;
    for (const TransmitterPrediction& prediction : predictions) {
      for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
        const Tile& tile = tiling.tiles[t];
        const TargetPrediction& at_tile = prediction.tiles[t];
        rows.push_back({.transmitter_id = prediction.transmitter_id,
                        .tile_id = tile.id,
                        .kind = tile.kind,
                        .centroid = tile.centroid,
                        .half_u = tile.half_u,
                        .half_v = tile.half_v,
                        .path_loss_db = static_cast<double>(at_tile.path_loss_db),
                        .basic_loss_db = static_cast<double>(at_tile.basic_loss_db),
                        .received_power_dbm = static_cast<double>(at_tile.received_power_dbm),
                        .field_dbuvm = static_cast<double>(at_tile.field_dbuvm),
                        .receiver_gain_dbi = static_cast<double>(at_tile.receiver_gain_dbi),
                        .first_delay_ns = static_cast<double>(at_tile.first_delay_ns),
                        .mean_delay_ns = static_cast<double>(at_tile.mean_delay_ns),
                        .line_of_sight = at_tile.line_of_sight});
      }
    }
    return rows;
  }

  static std::vector<Measurement> drive(ValueKind kind) {
    const bool is_negative = kind == ValueKind::received_power;
    std::vector<Measurement> drive;
    std::mt19937 random(11);
    std::uniform_real_distribution<double> x(-40, 110), y(-40, 80);
    for (int m = 0; m < 300; ++m) {
      const char* const names[] = {"north", "south", "failed", "nobody"};
      drive.push_back(measurement(m, {x(random), y(random)}, names[m % 4], is_negative ? -90 : 90));
      if (m % 3 == 0) drive.back().height_m = m % 10;
    }
    return drive;
  }
};

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << a << " " << b;
}

TEST(Comparison, APredictionInMemoryIsComparedAsItsRowsAre) {
  const PredictionInMemory prediction;
  const std::vector<PredictedTarget> rows = prediction.rows();
  const TilesOfRows of_rows(rows, prediction.transmitters);
  const TilesOfPredictions in_memory(prediction.tiling, prediction.predictions, prediction.transmitters);
  std::size_t used = 0;
  for (const ValueKind kind : {ValueKind::received_power, ValueKind::path_loss, ValueKind::basic_loss,
                               ValueKind::field_strength, ValueKind::time_of_arrival}) {
    for (const Snapping snapping : {Snapping::nearest_ground, Snapping::nearest_3d, Snapping::bilinear}) {
      const ComparisonOptions options{.value_kind = kind, .snapping = snapping};
      const std::vector<Measurement> drive = PredictionInMemory::drive(kind);
      const Comparison expected =
          compare_with_drive_test(of_rows, prediction.transmitters, drive, options, no_progress());
      const Comparison found =
          compare_with_drive_test(in_memory, prediction.transmitters, drive, options, no_progress());
      ASSERT_EQ(found.errors.size(), expected.errors.size());
      for (std::size_t e = 0; e < found.errors.size(); ++e) {
        const MeasurementError &a = found.errors[e], &b = expected.errors[e];
        EXPECT_EQ(a.measurement_id, b.measurement_id);
        EXPECT_EQ(a.transmitter_id, b.transmitter_id);
        EXPECT_EQ(a.tile_id, b.tile_id);
        EXPECT_EQ(a.line_of_sight, b.line_of_sight);
        EXPECT_EQ(a.excluded_because, b.excluded_because);
        expect_same_bits(a.error, b.error);
        expect_same_bits(a.distance_m, b.distance_m);
        expect_same_bits(a.snap_distance_m, b.snap_distance_m);
        used += a.excluded_because.empty() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(used, 500u);
}

TEST(Comparison, WallsAloneHaveNoGroundForMeasurements) {
  Street walls;
  std::erase_if(walls.predicted, [](const PredictedTarget& target) { return target.kind == SurfaceKind::ground; });
  for (const Vec2 place : {Vec2{0, 0}, Vec2{20, 24}, Vec2{-300, 0}}) {
    EXPECT_EQ(walls.compare({measurement(1, place, "north", -70)}).errors[0].excluded_because,
              "no ground tile in the prediction")
        << place.x;
  }
}

TEST(Comparison, SnappingInSpaceWithoutAnyHeightIsToldOf) {
  testing::KeptWarnings warnings;
  const Comparison comparison =
      Street().compare({measurement(1, {20, 24}, "north", -65)}, {.snapping = Snapping::nearest_3d}, warnings);
  EXPECT_EQ(comparison.errors[0].tile_id, 202);
  EXPECT_EQ(warnings.codes(), std::vector<std::string>{"no_measurement_heights"});
}

TEST(Comparison, BilinearIsExactForAPlaneAndFallsBackToTheNearest) {
  const Street street;
  testing::KeptWarnings warnings;
  const auto errors = street
                          .compare({measurement(1, {12.5, 6}, "north", -90), measurement(2, {-3, 6}, "north", -90)},
                                   {.snapping = Snapping::bilinear}, warnings)
                          .errors;
  EXPECT_NEAR(errors[0].predicted, -80 - 0.2 * 12.5 - 0.5 * 6, 1e-12);
  EXPECT_EQ(errors[0].tile_id, 101);
  EXPECT_DOUBLE_EQ(errors[1].predicted, -85.0);  // tile 100
  ASSERT_EQ(warnings.codes(), std::vector<std::string>{"bilinear_fell_back"});
  EXPECT_TRUE(warnings.all[0].message.starts_with("1 measurement has no four predicted ground tiles around it (a "))
      << warnings.all[0].message;
}

TEST(Comparison, BilinearNeedsAPredictionOnAllFourTiles) {
  Street street;
  street.predicted[6].received_power_dbm = std::nan("");  // tile 101 of transmitter 1
  const auto errors = street.compare({measurement(1, {2, 6}, "north", -90)}, {.snapping = Snapping::bilinear}).errors;
  EXPECT_DOUBLE_EQ(errors[0].predicted, -85.0);
}

TEST(Comparison, AveragesAlongEachTransmittersRoute) {
  const Street street;
  // The two transmitters' samples alternate, as a scanner writes them.
  const std::vector<Measurement> drive{measurement(1, {0, 0}, "north", -100), measurement(2, {0, 0}, "7", -50),
                                       measurement(3, {1, 0}, "north", -80), measurement(4, {1, 0}, "7", -50)};
  const auto errors = street.compare(drive, {.averaging_distance_m = 4}).errors;
  EXPECT_NEAR(errors[0].measured, 10 * std::log10((1e-10 + 1e-8) / 2), 1e-9);
  EXPECT_NEAR(errors[1].measured, 10 * std::log10((1e-10 + 1e-8) / 2), 1e-9);
  EXPECT_EQ(errors[2].measured, -50);

  // 40 wavelengths of 1 GHz are 12 m, 3 wavelengths less than the 1 m between the samples either side.
  EXPECT_NEAR(street.compare(drive, {.averaging_wavelengths = 40}).errors[0].measured, errors[0].measured, 1e-12);
  EXPECT_EQ(street.compare(drive, {.averaging_wavelengths = 3}).errors[0].measured, -100);
}

TEST(Comparison, LossesAreAveragedAsPowers) {
  const Street street;
  const std::vector<Measurement> drive{measurement(1, {0, 0}, "north", 100), measurement(2, {1, 0}, "north", 120)};
  const auto errors = street.compare(drive, {.value_kind = ValueKind::path_loss, .averaging_distance_m = 4}).errors;
  EXPECT_NEAR(errors[0].measured, 10 * std::log10((1e-10 + 1e-12) / 2), 1e-9);
}

TEST(Comparison, StatisticsPerTransmitterOverAllAndOverSites) {
  const Street street;
  // Tile 0: −80 for transmitter 1 and −90 for transmitter 2. Errors: 1, 3 and −2, −6.
  const Comparison comparison = street.compare(
      {measurement(1, {0, 0}, "north", -81), measurement(2, {0, 0}, "north", -83), measurement(3, {0, 0}, "7", -88),
       measurement(4, {0, 0}, "7", -84), measurement(5, {0, 0}, "nobody", -84)});
  ASSERT_EQ(comparison.statistics.size(), 4u);
  const ErrorStatistics &north = comparison.statistics[0], &seven = comparison.statistics[1],
                        &all = comparison.statistics[2], &sites = comparison.statistics[3];
  EXPECT_EQ(north.group, "north");
  EXPECT_EQ(north.transmitter_id, 1);
  EXPECT_EQ(north.n, 2);
  EXPECT_DOUBLE_EQ(north.mean, 2.0);
  EXPECT_DOUBLE_EQ(north.deviation, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(seven.mean, -4.0);
  EXPECT_EQ(all.group, "all");
  EXPECT_FALSE(all.transmitter_id.has_value());
  EXPECT_EQ(all.n, 4);
  EXPECT_DOUBLE_EQ(all.mean, -1.0);
  EXPECT_DOUBLE_EQ(all.deviation, std::sqrt((4.0 + 16 + 1 + 25) / 3));
  EXPECT_EQ(sites.group, "sites");
  EXPECT_EQ(sites.n, 2);
  EXPECT_DOUBLE_EQ(sites.mean_of_mean, -1.0);
  EXPECT_DOUBLE_EQ(sites.deviation_of_mean, std::sqrt(18.0));
  EXPECT_DOUBLE_EQ(sites.mean_of_deviation, (std::sqrt(2.0) + std::sqrt(8.0)) / 2);
}

TEST(Comparison, GroundAndAboveGroundStatisticsStandApart) {
  const Street street;
  Measurement high = measurement(2, {0, 0}, "north", -90);
  high.height_m = 10;
  const Comparison comparison = street.compare({measurement(1, {0, 0}, "north", -81), high});
  ASSERT_EQ(comparison.statistics.size(), 8u);
  EXPECT_EQ(comparison.statistics[0].n, 1);
  EXPECT_DOUBLE_EQ(comparison.statistics[0].mean, 1.0);
  EXPECT_EQ(comparison.statistics[4].group, "north, above ground");
  EXPECT_EQ(comparison.statistics[4].n, 1);
  EXPECT_DOUBLE_EQ(comparison.statistics[4].mean, 10.0);
  EXPECT_EQ(comparison.statistics[6].group, "all, above ground");
  EXPECT_EQ(comparison.statistics[7].group, "sites, above ground");
}

TEST(Comparison, RemovingTheMeanLeavesTheSpreadAndSaysWhatWasTakenOff) {
  const Street street;
  const std::vector<Measurement> drive{measurement(1, {0, 0}, "north", -81), measurement(2, {0, 0}, "north", -83),
                                       measurement(3, {0, 0}, "7", -88)};
  const Comparison plain = street.compare(drive), unbiased = street.compare(drive, {.remove_mean = true});
  EXPECT_DOUBLE_EQ(unbiased.statistics[0].mean, 0.0);
  EXPECT_DOUBLE_EQ(unbiased.statistics[0].deviation, plain.statistics[0].deviation);
  EXPECT_DOUBLE_EQ(unbiased.statistics[0].removed_mean, 2.0);
  EXPECT_DOUBLE_EQ(unbiased.statistics[1].removed_mean, -2.0);
  EXPECT_TRUE(std::isnan(unbiased.statistics[2].removed_mean));
  EXPECT_DOUBLE_EQ(plain.statistics[0].removed_mean, 0.0);
  EXPECT_DOUBLE_EQ(unbiased.errors[0].error, -1.0);
  EXPECT_DOUBLE_EQ(unbiased.errors[0].predicted, -82.0);
}

// Scanners write −999, 9999 and the like where they measured nothing.
TEST(Comparison, NumbersThatStandForNoMeasurementAreNotUsedAndWarnedOf) {
  const Street street;
  const std::vector<Measurement> good{measurement(1, {0, 0}, "north", -81), measurement(2, {1, 0}, "north", -83)};
  std::vector<Measurement> drive = good;
  drive.push_back(measurement(7, {0, 1}, "north", -999));
  drive.push_back(measurement(8, {1, 1}, "north", 9999));
  for (const double window_m : {0.0, 40.0}) {
    testing::KeptWarnings warnings;
    const Comparison with = street.compare(drive, {.averaging_distance_m = window_m}, warnings);
    const Comparison without = street.compare(good, {.averaging_distance_m = window_m});
    ASSERT_EQ(with.errors.size(), 4u);
    for (const std::size_t used : {0u, 1u}) EXPECT_EQ(with.errors[used].error, without.errors[used].error);
    for (const std::size_t unused : {2u, 3u}) EXPECT_EQ(with.errors[unused].excluded_because, "no plausible value");
    EXPECT_EQ(with.errors[2].measured, -999);
    EXPECT_EQ(with.statistics[0].mean, without.statistics[0].mean);
    ASSERT_EQ(warnings.codes(), std::vector<std::string>{"implausible_values"});
    EXPECT_EQ(warnings.all[0].message.find("2 of 4"), 0u) << warnings.all[0].message;
    EXPECT_NE(warnings.all[0].message.find("-999 of measurement 7"), std::string::npos) << warnings.all[0].message;
  }
  for (const ValueKind loss : {ValueKind::path_loss, ValueKind::basic_loss}) {
    const Comparison compared = street.compare(
        {measurement(1, {0, 0}, "north", 124), measurement(2, {0, 0}, "north", 999)}, {.value_kind = loss});
    EXPECT_EQ(compared.errors[0].excluded_because, "");
    EXPECT_EQ(compared.errors[1].excluded_because, "no plausible value");
  }
}

// 0 is what is written for none, 99 what a GSM receiver calls unknown.
TEST(Comparison, PowersThatNoReceiverGetsAreNotUsed) {
  const Street street;
  const Comparison compared =
      street.compare({measurement(1, {0, 0}, "north", -81), measurement(2, {0, 0}, "north", 0),
                      measurement(3, {0, 0}, "north", 99), measurement(4, {0, 0}, "north", -0.5)});
  EXPECT_EQ(compared.errors[0].excluded_because, "");
  EXPECT_EQ(compared.errors[1].excluded_because, "no plausible value");
  EXPECT_EQ(compared.errors[2].excluded_because, "no plausible value");
  EXPECT_EQ(compared.errors[3].excluded_because, "");
}

TEST(Comparison, HeightsThatNoReceiverMayHaveAreNotUsed) {
  const Street street;
  std::vector<Measurement> drive;
  for (const double height_m : {0.0, 2000.0, -0.5, 2001.0, 1e15, std::numeric_limits<double>::quiet_NaN()}) {
    drive.push_back(measurement(static_cast<std::int64_t>(drive.size()), {0, 0}, "north", -81));
    drive.back().height_m = height_m;
  }
  testing::KeptWarnings warnings;
  const Comparison compared = street.compare(drive, {}, warnings);
  ASSERT_EQ(compared.errors.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(compared.errors[i].excluded_because, i < 2 ? "" : "no plausible height") << i;
  }
  ASSERT_EQ(warnings.codes(), (std::vector<std::string>{"unreadable_heights", "implausible_heights"}));
  EXPECT_EQ(warnings.all[0].message.find("1 of 6 measurements is not used"), 0u) << warnings.all[0].message;
  EXPECT_NE(warnings.all[0].message.find("of measurement 5"), std::string::npos) << warnings.all[0].message;
  EXPECT_EQ(warnings.all[1].message.find("3 of 6 measurements are not used"), 0u) << warnings.all[1].message;
  EXPECT_NE(warnings.all[1].message.find("-0.5 m of measurement 2"), std::string::npos) << warnings.all[1].message;
}

TEST(Comparison, MeasurementsAreWarnedOfByTheReasonForWhichTheyAreNotUsed) {
  const Street street;
  std::vector<Measurement> drive{measurement(1, {0, 0}, "north", -81), measurement(2, {0, 0}, "nobody", -999),
                                 measurement(3, {0, 0}, "nobody", -81), measurement(4, {0, 0}, "north", -81),
                                 measurement(5, {0, 0}, "north", -999)};
  drive[2].height_m = drive[3].height_m = drive[4].height_m = std::numeric_limits<double>::quiet_NaN();
  testing::KeptWarnings warnings;
  street.compare(drive, {}, warnings);
  ASSERT_EQ(warnings.codes(),
            (std::vector<std::string>{"unknown_transmitter", "implausible_values", "unreadable_heights"}));
  EXPECT_EQ(warnings.all[1].message.find("1 of 5"), 0u) << warnings.all[1].message;
  EXPECT_NE(warnings.all[1].message.find("-999 of measurement 5"), std::string::npos) << warnings.all[1].message;
  EXPECT_EQ(warnings.all[2].message.find("1 of 5"), 0u) << warnings.all[2].message;
  EXPECT_NE(warnings.all[2].message.find("of measurement 4"), std::string::npos) << warnings.all[2].message;
}

TEST(Comparison, ValuesOfAnotherKindAreRefused) {
  const Street street;
  const auto code = [&](double value, ValueKind kind) {
    // One stray value decides nothing.
    const std::vector<Measurement> drive{measurement(1, {0, 0}, "north", value),
                                         measurement(2, {0, 0}, "north", -value),
                                         measurement(3, {0, 0}, "north", value)};
    try {
      street.compare(drive, {.value_kind = kind});
    } catch (const Error& error) {
      return error.code();
    }
    return std::string();
  };
  for (const ValueKind loss : {ValueKind::path_loss, ValueKind::basic_loss}) {
    EXPECT_EQ(code(-85, loss), "values_of_another_kind");
    EXPECT_EQ(code(124, loss), "");
  }
  EXPECT_EQ(code(124, ValueKind::received_power), "values_of_another_kind");
  EXPECT_EQ(code(-85, ValueKind::received_power), "");
  EXPECT_EQ(code(-85, ValueKind::field_strength), "values_of_another_kind");
  EXPECT_EQ(code(-12, ValueKind::field_strength), "");
  EXPECT_EQ(code(60, ValueKind::field_strength), "");
}

TEST(Comparison, NothingInGivesEmptyStatistics) {
  const Street street;
  const Comparison comparison = street.compare({});
  EXPECT_TRUE(comparison.errors.empty());
  ASSERT_EQ(comparison.statistics.size(), 4u);
  EXPECT_EQ(comparison.statistics[2].n, 0);
  EXPECT_TRUE(std::isnan(comparison.statistics[2].mean));
  const Comparison nowhere = compare_with_drive_test(TilesOfRows({}, street.transmitters), street.transmitters,
                                                     {measurement(1, {0, 0}, "north", -80)}, {}, no_progress());
  EXPECT_EQ(nowhere.errors[0].excluded_because, "outside of the predicted area");
}

TEST(Comparison, IsTheSameForAnyNumberOfThreads) {
  const Street street;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-20, 60), level(-110, -70);
  std::vector<Measurement> drive;
  for (int m = 0; m < 5000; ++m) {
    const double x = place(random), y = place(random), value = level(random);
    drive.push_back(measurement(m, {x, y}, m % 3 == 0 ? "north" : "7", value));
  }
  const ComparisonOptions options{.averaging_distance_m = 50, .snapping = Snapping::bilinear};
  const auto compare_on = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return street.compare(drive, options);
  };
  const Comparison one = compare_on(1), seven = compare_on(7);
  ASSERT_EQ(one.errors.size(), seven.errors.size());
  for (std::size_t i = 0; i < one.errors.size(); ++i) {
    EXPECT_EQ(one.errors[i].measurement_id, seven.errors[i].measurement_id);
    EXPECT_EQ(one.errors[i].measured, seven.errors[i].measured);
    EXPECT_EQ(one.errors[i].excluded_because, seven.errors[i].excluded_because);
    if (!one.errors[i].excluded_because.empty()) continue;
    EXPECT_EQ(one.errors[i].error, seven.errors[i].error);
  }
  for (std::size_t s = 0; s < one.statistics.size(); ++s) EXPECT_EQ(one.statistics[s].n, seven.statistics[s].n);
  EXPECT_EQ(one.statistics[2].mean, seven.statistics[2].mean);
}

}  // namespace
}  // namespace tesseray
