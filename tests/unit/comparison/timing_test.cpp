// SPDX-License-Identifier: GPL-3.0-or-later
// Arrival times of synthetic drives whose offset and quantisation are known.
#include "core/comparison/timing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/comparison/comparison.h"
#include "core/comparison/measured_values.h"
#include "tests/support/kept_warnings.h"

namespace tesseray {
namespace {

// Two sites at the ends of a road of 100 ground tiles of 10 m. The first half of the road sees "west" directly; beyond
// it the first ray makes a detour of 60 m. "east" is seen nowhere.
struct Road {
  static constexpr int tiles = 100;
  std::vector<PredictedTransmitter> transmitters{{1, "west", {-5, 0, 25}, 1.8e9}, {2, "east", {1005, 0, 25}, 1.8e9}};
  std::vector<PredictedTarget> predicted;

  Road() {
    for (const PredictedTransmitter& transmitter : transmitters) {
      for (int i = 0; i < tiles; ++i) {
        PredictedTarget target;
        target.transmitter_id = transmitter.transmitter_id;
        target.tile_id = i;
        target.centroid = {10.0 * i, 0, 0};
        target.line_of_sight = transmitter.transmitter_id == 1 && i < tiles / 2;
        const double way_m = norm(target.centroid - transmitter.position) + (target.line_of_sight ? 0 : 60);
        target.first_delay_ns = way_m / speed_of_light * 1e9;
        target.mean_delay_ns = target.first_delay_ns + 100;
        predicted.push_back(target);
      }
    }
  }

  double first_delay_ns(int transmitter, int tile) const {
    return predicted[static_cast<std::size_t>((transmitter - 1) * tiles + tile)].first_delay_ns;
  }

  // A measurement at every tile; `value_of(true delay)` is what the equipment reports.
  template <class ValueOf>
  std::vector<Measurement> drive(int transmitter, const ValueOf& value_of) const {
    std::vector<Measurement> measurements;
    for (int i = 0; i < tiles; ++i) {
      measurements.push_back({.measurement_id = 1000 * transmitter + i,
                              .position = {10.0 * i, 0},
                              .transmitter = std::to_string(transmitter),
                              .value = value_of(first_delay_ns(transmitter, i))});
    }
    return measurements;
  }

  Comparison compare(const std::vector<Measurement>& measurements, ValueKind kind, TimingOptions timing = {},
                     Progress& progress = no_progress()) const {
    ComparisonOptions options;
    options.value_kind = kind;
    options.timing = timing;
    return compare_with_drive_test(TilesOfRows(predicted, transmitters), transmitters, measurements, options, progress);
  }
};

// 3GPP: 16 Ts there and back are 78.1 m, and 15 kHz of NR the same as LTE.
TEST(Timing, StepsAreThoseOfTheStandards) {
  const auto metres = [](TimingResolution resolution) { return one_way_step_ns(resolution) * 1e-9 * speed_of_light; };
  EXPECT_NEAR(metres(TimingResolution::lte), 78.07, 0.01);
  EXPECT_NEAR(metres(TimingResolution::lte_test), 9.76, 0.01);
  double nr = 78.07;
  for (const auto resolution : {TimingResolution::nr_15khz, TimingResolution::nr_30khz, TimingResolution::nr_60khz,
                                TimingResolution::nr_120khz, TimingResolution::nr_240khz}) {
    EXPECT_NEAR(metres(resolution), nr, 0.01);
    nr /= 2;
  }
}

TEST(Timing, AKnownOffsetIsFoundAndTakenOff) {
  const Road road;
  const auto late = road.drive(1, [](double delay_ns) { return delay_ns + 740; });
  for (const TimingOffset offset : {TimingOffset::first_line_of_sight, TimingOffset::median_line_of_sight}) {
    const Comparison comparison = road.compare(late, ValueKind::time_of_arrival, {.offset = offset});
    ASSERT_EQ(comparison.errors.size(), late.size());
    EXPECT_TRUE(comparison.of_arrival_times);
    for (const MeasurementError& error : comparison.errors) {
      EXPECT_EQ(error.excluded_because, "");
      EXPECT_NEAR(error.error, 0, 1e-9);
      EXPECT_DOUBLE_EQ(error.error, error.predicted - error.measured);
    }
    EXPECT_NEAR(comparison.statistics[0].removed_offset, 740, 1e-9);
    EXPECT_EQ(comparison.statistics[0].within_resolution, 1);
    EXPECT_NEAR(comparison.statistics[0].correlation, 1, 1e-12);
    EXPECT_TRUE(std::isnan(comparison.statistics[1].removed_offset));
  }
  const Comparison as_they_are = road.compare(late, ValueKind::time_of_arrival, {.offset = TimingOffset::none});
  EXPECT_NEAR(as_they_are.statistics[0].mean, -740, 1e-9);
  EXPECT_EQ(as_they_are.statistics[0].within_resolution, 0);
  EXPECT_TRUE(std::isnan(as_they_are.statistics[0].removed_offset));
}

// Else the first of them all would be the filler.
TEST(Timing, FillersAreNoArrivals) {
  const Road road;
  const auto good = road.drive(1, [](double delay_ns) { return delay_ns + 740; });
  for (const double filler : {-999.0, -9999.0, 99999.0, -9999.0 * 1e3, -999.0 * 1e6, 9999.0 * 1e6, -999.0 * 1e9}) {
    auto drive = good;
    drive.push_back(good[0]);
    drive.back().measurement_id = 9999;
    drive.back().value = filler;
    const Comparison comparison = road.compare(drive, ValueKind::time_of_arrival);
    EXPECT_EQ(comparison.errors.back().excluded_because, "no plausible value") << filler;
    EXPECT_NEAR(comparison.statistics[0].removed_offset, 740, 1e-9) << filler;
  }
}

TEST(Timing, ATimingAdvanceMayBeAnyThatANetworkSends) {
  for (const double steps : {0.0, 63.0, 3846.0, 19'999.0}) EXPECT_TRUE(is_plausible(steps, ValueKind::timing_advance));
  for (const double steps : {-1.0, 9999.0, 65'535.0}) EXPECT_FALSE(is_plausible(steps, ValueKind::timing_advance));
}

// Equation 6 takes the earliest, the median all: one that is early by a fault moves the first alone.
TEST(Timing, TheFirstArrivalInLineOfSightTellsTheOffset) {
  const Road road;
  auto drive = road.drive(1, [](double delay_ns) { return delay_ns + 300; });
  drive[0].value -= 50;   // the earliest, in line of sight
  drive[70].value = 0;    // earlier still, out of sight
  drive[20].value = NAN;  // not used
  const Comparison first = road.compare(drive, ValueKind::time_of_arrival);
  EXPECT_NEAR(first.statistics[0].removed_offset, 250, 1e-9);
  EXPECT_NEAR(first.errors[0].error, 0, 1e-9);
  EXPECT_NEAR(first.errors[30].error, -50, 1e-9);
  EXPECT_EQ(first.errors[20].excluded_because, "no value");
  const Comparison median =
      road.compare(drive, ValueKind::time_of_arrival, {.offset = TimingOffset::median_line_of_sight});
  EXPECT_NEAR(median.statistics[0].removed_offset, 300, 1e-9);
}

// Rounded times are often equally early: the way of each of them counts, whichever stands first in the file.
TEST(Timing, TheOffsetOfEquallyEarlyArrivalsIsTheirMean) {
  const Road road;
  const double step_ns = one_way_step_ns(TimingResolution::lte);
  const auto rounded = [step_ns](double delay_ns) { return std::round((delay_ns + 50) / step_ns); };
  auto drive = road.drive(1, rounded);
  const double earliest = drive[0].value;
  double sum = 0;
  int count = 0;
  for (int tile = 0; tile < Road::tiles / 2; ++tile) {
    if (rounded(road.first_delay_ns(1, tile)) != earliest) continue;
    sum += earliest * step_ns - road.first_delay_ns(1, tile);
    ++count;
  }
  ASSERT_GE(count, 5);
  const double offset_ns = road.compare(drive, ValueKind::timing_advance).statistics[0].removed_offset;
  EXPECT_NEAR(offset_ns, sum / count, 1e-9);
  for (std::size_t i = 0; i < drive.size(); ++i) drive[i].measurement_id = static_cast<std::int64_t>(drive.size() - i);
  EXPECT_EQ(road.compare(drive, ValueKind::timing_advance).statistics[0].removed_offset, offset_ns);
}

// Rounded to whole steps, errors are what rounding makes: within half a step, √(1/12) of one in the mean square.
TEST(Timing, QuantisationIsAllThatIsLeftOfTimingAdvances) {
  const Road road;
  for (const TimingResolution resolution :
       {TimingResolution::lte, TimingResolution::lte_test, TimingResolution::nr_60khz}) {
    const double step_ns = one_way_step_ns(resolution);
    const auto drive = road.drive(1, [step_ns](double delay_ns) { return std::round(delay_ns / step_ns); });
    const Comparison comparison =
        road.compare(drive, ValueKind::timing_advance, {.resolution = resolution, .offset = TimingOffset::none});
    const ErrorStatistics& west = comparison.statistics[0];
    EXPECT_EQ(west.within_resolution, 1);
    EXPECT_NEAR(west.rmse, step_ns / std::sqrt(12.0), 0.25 * step_ns / std::sqrt(12.0));
    EXPECT_NEAR(comparison.errors[40].measured, step_ns * std::round(road.first_delay_ns(1, 40) / step_ns), 1e-9);
  }
}

// Quantised and offset at once. The median of 50 errors that are uniform over a step has a standard deviation of
// 1/(2 √50) steps; it is found within three of them.
TEST(Timing, TheMedianFindsTheOffsetOfQuantisedTimes) {
  const Road road;
  const double step_ns = one_way_step_ns(TimingResolution::lte_test);
  const auto drive =
      road.drive(1, [step_ns](double delay_ns) { return std::round((delay_ns + 12.4 * step_ns) / step_ns); });
  const Comparison comparison =
      road.compare(drive, ValueKind::timing_advance,
                   {.resolution = TimingResolution::lte_test, .offset = TimingOffset::median_line_of_sight});
  EXPECT_NEAR(comparison.statistics[0].removed_offset, 12.4 * step_ns, 3 / (2 * std::sqrt(50.0)) * step_ns);
}

TEST(Timing, WithoutLineOfSightTimesStayAndAWarningSaysSo) {
  const Road road;
  auto drive = road.drive(2, [](double delay_ns) { return delay_ns + 500; });
  const auto west = road.drive(1, [](double delay_ns) { return delay_ns + 40; });
  drive.insert(drive.end(), west.begin(), west.end());
  testing::KeptWarnings warnings;
  const Comparison comparison = road.compare(drive, ValueKind::time_of_arrival, {}, warnings);
  ASSERT_EQ(warnings.codes(), std::vector<std::string>{"no_timing_offset"});
  EXPECT_TRUE(warnings.all[0].message.starts_with("1 transmitter has no measurement in line of sight that tells its "))
      << warnings.all[0].message;
  EXPECT_NE(warnings.all[0].message.find("timing offset (east): the times"), std::string::npos)
      << warnings.all[0].message;
  EXPECT_NEAR(comparison.statistics[0].removed_offset, 40, 1e-9);
  EXPECT_TRUE(std::isnan(comparison.statistics[1].removed_offset));
  EXPECT_NEAR(comparison.statistics[1].mean, -500, 1e-9);
}

TEST(Timing, TheMeanArrivalMayBeComparedInstead) {
  const Road road;
  const auto drive = road.drive(1, [](double delay_ns) { return delay_ns; });
  const Comparison comparison =
      road.compare(drive, ValueKind::time_of_arrival, {.arrival = ComparedArrival::mean, .offset = TimingOffset::none});
  EXPECT_NEAR(comparison.statistics[0].mean, 100, 1e-9);
}

TEST(Timing, TheMeanErrorIsRemovedAfterTheOffset) {
  const Road road;
  const auto drive = road.drive(1, [](double delay_ns) { return delay_ns + 500; });
  ComparisonOptions options;
  options.value_kind = ValueKind::time_of_arrival;
  options.timing.arrival = ComparedArrival::mean;
  options.remove_mean = true;
  const Comparison comparison = compare_with_drive_test(TilesOfRows(road.predicted, road.transmitters),
                                                        road.transmitters, drive, options, no_progress());
  EXPECT_NEAR(comparison.statistics[0].removed_offset, 400, 1e-9);
  EXPECT_NEAR(comparison.statistics[0].removed_mean, 0, 1e-9);
}

TEST(Timing, PowersAreNoTimes) {
  const Road road;
  const auto powers = road.drive(1, [](double delay_ns) { return -60 - delay_ns / 100; });
  for (const ValueKind kind : {ValueKind::time_of_arrival, ValueKind::timing_advance}) {
    try {
      road.compare(powers, kind);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "values_of_another_kind");
    }
  }
}

TEST(Timing, OptionsOfPowersAreRefused) {
  const Road road;
  const auto drive = road.drive(1, [](double delay_ns) { return delay_ns; });
  ComparisonOptions averaging, wavelengths, floor;
  averaging.averaging_distance_m = 10;
  wavelengths.averaging_wavelengths = 40;
  floor.censor_below = -110;
  for (ComparisonOptions options : {averaging, wavelengths, floor}) {
    options.value_kind = ValueKind::time_of_arrival;
    EXPECT_THROW(compare_with_drive_test(TilesOfRows(road.predicted, road.transmitters), road.transmitters, drive,
                                         options, no_progress()),
                 Error);
    options.value_kind = ValueKind::field_strength;
    EXPECT_NO_THROW(compare_with_drive_test(TilesOfRows(road.predicted, road.transmitters), road.transmitters, drive,
                                            options, no_progress()));
  }
}

}  // namespace
}  // namespace tesseray
