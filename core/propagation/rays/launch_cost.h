// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch did and how long it took, by phase (docs/propagation-cost.md).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tesseray {

enum class LaunchPhase : std::uint8_t {
  first_level,       // direct rays, over the roofs and through the building
  bounces,           // reflections and diffractions of tubes
  scattering,        // as the last interaction
  then_reflection,   // scattering and one reflection
  then_diffraction,  // scattering and one diffraction
  then_two,          // scattering and two more interactions
};
inline constexpr std::size_t launch_phases = 6;

struct PhaseCost {
  double seconds = 0;               // wall
  std::uint64_t rows = 0;           // of the visibility, read
  std::uint64_t row_entries = 0;    // in them
  std::uint64_t tests = 0;          // tubes (or scattering tiles) × the row members that they are tested against
  std::uint64_t contributions = 0;  // the pairs of them that hit, each a field or a power

  void merge(const PhaseCost& other) {
    seconds += other.seconds;
    rows += other.rows;
    row_entries += other.row_entries;
    tests += other.tests;
    contributions += other.contributions;
  }
};

class LaunchCost {
 public:
  PhaseCost& operator[](LaunchPhase phase) { return phases_[static_cast<std::size_t>(phase)]; }
  const PhaseCost& operator[](LaunchPhase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  void merge(const LaunchCost& other) {
    for (std::size_t p = 0; p < launch_phases; ++p) phases_[p].merge(other.phases_[p]);
  }

 private:
  std::array<PhaseCost, launch_phases> phases_;
};

// Adds the wall time of its life to a phase.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseCost& cost) : cost_(cost), begin_(std::chrono::steady_clock::now()) {}
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;
  ~PhaseClock() { cost_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  PhaseCost& cost_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace tesseray
