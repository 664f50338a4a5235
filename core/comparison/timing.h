// SPDX-License-Identifier: GPL-3.0-or-later
// Measured times of arrival and timing advances of LTE and NR: their resolution, and the offset of the equipment.
#pragma once

#include <cstdint>
#include <map>
#include <span>

namespace tesseray {

struct MeasurementError;

// LTE's basic time unit Ts (3GPP TS 36.211, §4).
inline constexpr double basic_time_unit_ns = 1e9 / (15000.0 * 2048.0);

// The step of a timing advance, of which the way there is half.
enum class TimingResolution {
  lte,       // 16 Ts, of LTE handsets: 78.1 m one way
  lte_test,  // 2 Ts, of test handsets: 9.8 m one way
  // 16 Ts / 2^μ, of NR by subcarrier spacing (3GPP TS 38.213, §4.2).
  nr_15khz,
  nr_30khz,
  nr_60khz,
  nr_120khz,
  nr_240khz,
};
double one_way_step_ns(TimingResolution resolution);

// Which part of what arrives a time of arrival is of.
enum class ComparedArrival { first, mean };

// What is taken off the measured times of each transmitter for its cables, filters and clocks.
enum class TimingOffset {
  first_line_of_sight,   // how late the earliest measured arrivals in line of sight are (paper 002, equation 6)
  median_line_of_sight,  // the median of how late those in line of sight are
  none,
};

struct TimingOptions {
  TimingResolution resolution = TimingResolution::lte;
  ComparedArrival arrival = ComparedArrival::first;
  TimingOffset offset = TimingOffset::first_line_of_sight;
};

// Takes the offset of each transmitter, found from its used measurements in line of sight, off all its measured times.
// Returns the offsets by transmitter id; transmitters without such measurements keep their times and have none.
// Times are steps, so that several measurements are often the earliest: the mean of what they are late by is taken.
std::map<std::int64_t, double> remove_timing_offsets(std::span<MeasurementError> errors, TimingOffset offset);

}  // namespace tesseray
