// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch foretells of its phases, against what they then do: by their counters, never by the clock.
#include "core/propagation/launching/launch_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using Shares = std::array<double, launch_phases>;

constexpr std::array<const char*, launch_phases> names{"first level",     "bounces",          "scattering",
                                                       "then reflection", "then diffraction", "then two"};

// The extent of a launch, worked out apart from it: its tiles are targets, and nothing limits the rows.
LaunchExtent extent_of(const testing::Environment& city, Vec3 antenna, bool draws_by_chance) {
  const std::size_t tiles = city.tiling.tiles.size();
  std::vector<bool> is_lit(tiles + city.tiling.edges.size());
  for (const std::uint32_t element : visible_from(city.occlusion, city.tiling, antenna)) is_lit[element] = true;
  LaunchExtent extent{.tiles = static_cast<double>(tiles), .draws_by_chance = draws_by_chance};
  double hidden = 0;
  for (std::uint32_t element = 0; element < is_lit.size(); ++element) {
    const double entries = city.visibility->row_length(element);
    if (element >= tiles) {
      extent.entries_of_lit_edges += is_lit[element] ? entries : 0;
      continue;
    }
    extent.row_entries += entries;
    if (is_lit[element]) {
      ++extent.tiles_in_sight;
      extent.entries_of_lit_tiles += entries;
    } else {
      ++hidden;
      extent.hidden_distance_m += norm(city.tiling.tiles[element].centroid - antenna);
    }
  }
  extent.hidden_distance_m /= std::max(1.0, hidden);
  return extent;
}

Shares shares_of(const LaunchForecast& forecast, const LaunchExtent& extent) {
  const LaunchForecast::Ends ends = forecast.ends(extent);
  Shares shares = ends;
  for (std::size_t p = 1; p < launch_phases; ++p) shares[p] = ends[p] - ends[p - 1];
  return shares;
}

// Of 5,371 tiles.
const testing::Environment& city() {
  static const testing::Environment made(testing::synthetic_city(testing::dense_block_city()), 10.0);
  return made;
}

LaunchCost cost_of(const RayLauncher& launcher, Vec3 antenna) {
  Transmitter site = testing::test_transmitter(antenna);
  site.erp_dbm = 40;
  return launcher.launch(site, no_progress()).cost;
}

RayLauncher launcher_with(const RayLaunchingOptions& options) { return city().launcher({}, options); }

const Vec3 over_the_roofs{350, 350, 25};

struct LimitsCase {
  const char* what;
  void (*limit)(RayLaunchingOptions&);
};

constexpr std::array<LimitsCase, 12> cases_of_limits{{
    {"usual", [](RayLaunchingOptions&) {}},
    {"straight", [](RayLaunchingOptions& options) { options.max_bounces = 0; }},
    {"one bounce", [](RayLaunchingOptions& options) { options.max_bounces = 1; }},
    {"two bounces", [](RayLaunchingOptions& options) { options.max_bounces = 2; }},
    {"no scattering", [](RayLaunchingOptions& options) { options.max_scatterings = 0; }},
    {"scattering last", [](RayLaunchingOptions& options) { options.max_after_scattering = 0; }},
    {"no diffraction", [](RayLaunchingOptions& options) { options.max_diffractions = 0; }},
    {"no reflection", [](RayLaunchingOptions& options) { options.max_reflections = 0; }},
    {"scattering alone", [](RayLaunchingOptions& options) { options.max_reflections = options.max_diffractions = 0; }},
    {"smooth surfaces", [](RayLaunchingOptions& options) { options.scattering_coefficient = 0; }},
    {"over the roofs", [](RayLaunchingOptions& options) { options.over_rooftop = OverRooftop::screens; }},
    {"two after scattering",
     [](RayLaunchingOptions& options) {
       options.max_after_scattering = 2;
       options.pruning = true;
     }},
}};

TEST(LaunchForecastOfACity, APhaseHasAShareWhereItHasWorkAndOnlyThere) {
  std::size_t without = 0;
  for (const auto& [what, limit] : cases_of_limits) {
    RayLaunchingOptions options;
    options.pruning_from_tiles = 0;
    limit(options);
    const LaunchExtent extent = extent_of(city(), over_the_roofs, options.pruning);
    const RayLauncher launcher = launcher_with(options);
    const LaunchCost cost = cost_of(launcher, over_the_roofs);
    const LaunchForecast forecast(options_with_work(options, city().scene));
    // Heights of targets over their tiles are the only difference.
    EXPECT_NEAR(launcher.expected_work(testing::test_transmitter(over_the_roofs)), forecast.work(extent),
                1e-4 * forecast.work(extent));
    const Shares shares = shares_of(forecast, extent);
    EXPECT_DOUBLE_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1) << what;
    EXPECT_GT(shares[0], 0) << what;
    for (std::size_t p = 1; p < launch_phases; ++p) {
      const PhaseCost& phase = cost[static_cast<LaunchPhase>(p)];
      EXPECT_EQ(shares[p] > 1e-9, phase.rows + phase.contributions > 0) << what << ": " << names[p];
      without += phase.rows == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(without, cases_of_limits.size());
}

// What the counters of a phase stand for, in nanoseconds: read once off launches over this city, where each is right
// within a factor of two. Rows are decoded; a contribution is a field, of diffraction one of a vector of sixteen.
double counted(const LaunchCost& cost, LaunchPhase phase) {
  constexpr double of_entry = 100, of_test = 1;
  constexpr std::array<double, launch_phases> of_contribution{0, 1000, 250, 500, 70, 0};
  const PhaseCost& done = cost[phase];
  return of_entry * static_cast<double>(done.row_entries) + of_test * static_cast<double>(done.tests) +
         of_contribution[static_cast<std::size_t>(phase)] * static_cast<double>(done.contributions);
}

TEST(LaunchForecastOfACity, SharesAreThoseOfWhatIsCounted) {
  constexpr double most_off = 4;  // a factor
  constexpr std::array phases{LaunchPhase::bounces, LaunchPhase::scattering, LaunchPhase::then_reflection,
                              LaunchPhase::then_diffraction};
  for (const bool pruning : {false, true}) {
    for (const int bounces : {1, 2, 3}) {
      RayLaunchingOptions options;
      options.pruning = pruning;
      options.pruning_from_tiles = 0;
      options.max_bounces = bounces;
      const RayLauncher launcher = launcher_with(options);
      for (const double z : {6.0, 25.0, 60.0}) {
        const Vec3 antenna{350, 350, z};
        const LaunchCost cost = cost_of(launcher, antenna);
        const Shares shares = shares_of(LaunchForecast(options), extent_of(city(), antenna, pruning));
        double all_counted = 0, all_foretold = 0;
        for (const LaunchPhase phase : phases) {
          all_counted += counted(cost, phase);
          all_foretold += shares[static_cast<std::size_t>(phase)];
        }
        for (const LaunchPhase phase : phases) {
          const double done = counted(cost, phase) / all_counted;
          const double foretold = shares[static_cast<std::size_t>(phase)] / all_foretold;
          if (done == 0 && foretold == 0) continue;
          EXPECT_LT(std::max(done / foretold, foretold / done), most_off)
              << names[static_cast<std::size_t>(phase)] << " of " << bounces << " bounces from " << z
              << (pruning ? " m, drawn: " : " m: ") << foretold << " for " << done;
        }
      }
    }
  }
}

double sampled_over_done(const RayLaunchingOptions& options, double z) {
  Transmitter site = testing::test_transmitter({350, 350, z});
  site.erp_dbm = 40;
  return launcher_with(options).launch(site, no_progress()).sampled_over_done;
}

TEST(LaunchForecastOfACity, BouncesAreForetoldByASampleOfThem) {
  constexpr double most_off = 1.3;  // a factor
  RayLaunchingOptions options = testing::all_effects(5);
  for (const double z : {6.0, 25.0}) {
    const double of_done = sampled_over_done(options, z);
    EXPECT_LT(std::max(of_done, 1 / of_done), most_off) << z << " m: " << of_done;
  }
}

TEST(LaunchForecastOfACity, NoSampleIsTakenOfBouncesThatAreDrawnOrDiffractOnce) {
  RayLaunchingOptions drawn = testing::all_effects(4);
  drawn.pruning = true;
  drawn.pruning_from_tiles = 0;
  EXPECT_EQ(sampled_over_done(drawn, 25), 0);
  EXPECT_EQ(sampled_over_done(testing::all_effects(3), 25), 0);
}

TEST(LaunchForecastOfACity, AfterALaunchTheNextIsForetoldByWhatItTook) {
  RayLaunchingOptions options;
  options.pruning_from_tiles = 0;
  options.pruning = true;
  const LaunchExtent extent = extent_of(city(), over_the_roofs, true);
  const LaunchExtent of_street = extent_of(city(), {350, 350, 6}, true);
  // What the launch counts, in place of what a clock would say.
  LaunchCost cost = cost_of(launcher_with(options), over_the_roofs);
  double all = 0;
  for (std::size_t p = 0; p < launch_phases; ++p) {
    const auto phase = static_cast<LaunchPhase>(p);
    cost[phase].seconds = p == 0 ? 0.02 : 1e-9 * counted(cost, phase);
    all += cost[phase].seconds;
  }
  LaunchForecast forecast(options);
  const Shares before = shares_of(forecast, extent), street_before = shares_of(forecast, of_street);
  forecast.learn_from(extent, cost);
  const Shares after = shares_of(forecast, extent), street_after = shares_of(forecast, of_street);
  // The same launch is foretold exactly, another one by the same factors.
  for (std::size_t p = 0; p + 1 < launch_phases; ++p) {
    EXPECT_NEAR(after[p], cost[static_cast<LaunchPhase>(p)].seconds / all, 1e-6) << names[p];
    EXPECT_NEAR(street_after[p] / street_after[0] / (street_before[p] / street_before[0]),
                after[p] / after[0] / (before[p] / before[0]), 1e-6)
        << names[p];
  }
  EXPECT_EQ(after[5], 0);
}

// Launches over 1 and 5 km² on Zen 4: the part that went by of the first level's processor time until it was known what
// the transmitter sees. How far hidden tiles are, by the city's extent.
TEST(LaunchForecast, WhatIsInSightTakesItsPartOfTheFirstLevelOfLaunchesOverCities) {
  struct Case {
    const char* what;
    double tiles, tiles_in_sight, hidden_distance_m, part;
  };
  constexpr double most_off = 1.4;  // a factor
  const std::array cases{Case{"mast, 1 km²", 19790, 7924, 480, 0.71}, Case{"mast, 5 km²", 102277, 28370, 1100, 0.69},
                         Case{"rooftop, 5 km²", 102277, 1337, 1030, 0.14}};
  const LaunchForecast forecast(testing::all_effects(3));
  for (const Case& c : cases) {
    const double part = forecast.in_sight(
        {.tiles = c.tiles, .tiles_in_sight = c.tiles_in_sight, .hidden_distance_m = c.hidden_distance_m});
    EXPECT_LT(std::max(part / c.part, c.part / part), most_off) << c.what << ": " << part;
  }
}

// Launches over 5 and 20 km² (docs/propagation-cost.md): what was counted when a level began, and the part that it then
// took itself of the processor's time of its tubes and of all that came of them.
TEST(LaunchForecast, LevelsHaveTheSharesOfLaunchesOverCities) {
  struct Case {
    const char* what;
    TubesOfLevel tubes;
    double share_in_sight;
    double own_share;
  };
  constexpr double most_off = 1.4;  // a factor
  const std::array cases{
      Case{"street, first", {0, 33029, 1.75e6, 9.03e7}, 0.004, 0.084},
      Case{"rooftop, first", {0, 69584, 3.12e7, 9.03e7}, 0.034, 0.059},
      Case{"mast, first", {0, 106061, 8.82e7, 9.03e7}, 0.315, 0.158},
      Case{"street, second", {1, 55951, 2.28e8, 9.03e7}, 0.004, 0.301},
      Case{"rooftop, second", {1, 702884, 1.87e9, 9.03e7}, 0.034, 0.391},
      Case{"mast, second", {1, 1216133, 1.37e9, 9.03e7}, 0.315, 0.585},
      Case{"rooftop, third", {2, 2739598, 2.27e9, 9.03e7}, 0.034, 0.909},
  };
  RayLaunchingOptions options = testing::all_effects(5);
  for (const Case& c : cases) {
    const double share = own_share_of(c.tubes, options, pruning_for(c.share_in_sight));
    EXPECT_LT(std::max(share / c.own_share, c.own_share / share), most_off) << c.what << ": " << share;
  }
}

TEST(LaunchForecast, OfTheLastLevelComesNothing) {
  for (int bounces = 1; bounces < 7; ++bounces) {
    RayLaunchingOptions options = testing::all_effects(bounces);
    for (options.max_diffractions = 1; options.max_diffractions < 3; ++options.max_diffractions) {
      for (int level = 0; level < bounces; ++level) {
        for (const TubesOfLevel& tubes :
             {TubesOfLevel{level, 1, 0, 1e8}, TubesOfLevel{level, 1e7, 1e10, 1e8}, TubesOfLevel{level, 10, 1e3, 0}}) {
          for (const Pruning& pruning : {Pruning(), pruning_for(0.01), pruning_for(0.3)}) {
            const double share = own_share_of(tubes, options, pruning);
            EXPECT_GT(share, 0);
            EXPECT_LE(share, 1);
            EXPECT_EQ(share == 1, level + 1 == bounces);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
