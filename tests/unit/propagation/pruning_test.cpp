// SPDX-License-Identifier: GPL-3.0-or-later
// Pruned launches against whole ones: no bias, little noise, the same for any number of threads.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/scattering/scattering_view.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// Large enough for hundreds of tiles to light one edge.
testing::SyntheticCityOptions town_options() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 600;
  return options;
}

const Environment& town() {
  static const Environment made(testing::synthetic_city(town_options()), 10.0);
  return made;
}

RayLaunchingOptions all_effects(bool pruning) {
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.pruning = pruning;
  options.pruning_from_tiles = 0;
  return options;
}

// So far from the middle of the town, so high above the ground or, on a roof, above that.
Transmitter transmitter_at(double height_m, Vec2 from_middle = {}) {
  const PrismIndex index(town().scene);
  const Vec2 place = 0.5 * (town().scene.extent.min + town().scene.extent.max) + from_middle;
  const double ground = town().scene.terrain.height_at(place);
  Transmitter transmitter =
      testing::test_transmitter({place.x, place.y, std::max(ground + height_m, index.surface_height(place) + 3)});
  transmitter.erp_dbm = 40;
  return transmitter;
}

// A quarter of a town in tiles of 3 m², and an antenna 60 m above the ground in its middle.
struct FineTown {
  Environment city{testing::synthetic_city(options()), 3.0};
  Transmitter transmitter = testing::test_transmitter(antenna(city.scene));

  static testing::SyntheticCityOptions options() {
    testing::SyntheticCityOptions quarter = town_options();
    quarter.width_m = quarter.depth_m = 300;
    return quarter;
  }
  static Vec3 antenna(const Scene& scene) {
    const Vec2 middle = 0.5 * (scene.extent.min + scene.extent.max);
    return {middle.x, middle.y, scene.terrain.height_at(middle) + 60};
  }
};

const FineTown& fine_town() {
  static const FineTown made;
  return made;
}

struct Difference {
  double mean_db = 0, rms_db = 0;
  std::size_t tiles = 0;
};

// Over the tiles that get more than −110 dBm.
Difference difference(const RayLaunchingResult& whole, const RayLaunchingResult& pruned, double eirp_dbm) {
  Difference d;
  for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
    const double before = decibels(testing::total_gain(whole.tiles[t]));
    if (!(eirp_dbm + before > -110)) continue;
    const double change = decibels(testing::total_gain(pruned.tiles[t])) - before;
    d.mean_db += change;
    d.rms_db += change * change;
    ++d.tiles;
  }
  d.mean_db /= static_cast<double>(d.tiles);
  d.rms_db = std::sqrt(d.rms_db / static_cast<double>(d.tiles));
  return d;
}

// The same launch, whole and pruned.
struct WholeAndPruned {
  RayLaunchingResult whole, pruned;
};

class WholeAndPrunedLauncher {
 public:
  explicit WholeAndPrunedLauncher(const RayLaunchingOptions& options)
      : whole_(town().launcher({}, with_pruning(options, false))),
        pruned_(town().launcher({}, with_pruning(options, true))) {}

  RayLaunchingResult whole(const Transmitter& transmitter) const { return whole_.launch(transmitter, no_progress()); }
  RayLaunchingResult pruned(const Transmitter& transmitter) const { return pruned_.launch(transmitter, no_progress()); }
  WholeAndPruned both(const Transmitter& transmitter) const { return {whole(transmitter), pruned(transmitter)}; }

 private:
  static RayLaunchingOptions with_pruning(RayLaunchingOptions options, bool pruning) {
    options.pruning = pruning;
    return options;
  }

  RayLauncher whole_, pruned_;
};

const WholeAndPrunedLauncher& with_all_effects() {
  static const WholeAndPrunedLauncher made(all_effects(false));
  return made;
}

// From the street, with all that is summed: several tests look at different sums of it.
const WholeAndPruned& from_street() {
  static const WholeAndPruned made = [] {
    RayLaunchingOptions options = all_effects(false);
    options.wideband = true;
    return WholeAndPrunedLauncher(options).both(transmitter_at(6));
  }();
  return made;
}

// Of these alone, with the strongest of them.
const WholeAndPrunedLauncher& with_reflected_and_diffracted() {
  static const WholeAndPrunedLauncher made([] {
    RayLaunchingOptions options = testing::without_scattering(2, 2, 3);
    options.min_power_dbm = -150;
    options.pruning_from_tiles = 0;
    options.delay_profile_rays = 3;
    return options;
  }());
  return made;
}

const WholeAndPruned& reflected_and_diffracted_from_street() {
  static const WholeAndPruned made = with_reflected_and_diffracted().both(transmitter_at(6));
  return made;
}

class PrunedLaunch : public ::testing::TestWithParam<double> {};

TEST_P(PrunedLaunch, IsUnbiasedAndNearTheWhole) {
  const Transmitter transmitter = transmitter_at(GetParam());
  const auto [whole, pruned] = with_all_effects().both(transmitter);
  EXPECT_EQ(whole.pruning.scattering_sources, 0u);
  EXPECT_GT(pruned.pruning.scattering_sources, 0u);
  EXPECT_LT(pruned.tubes, whole.tubes);
  EXPECT_LT(pruned.cost[LaunchPhase::then_diffraction].contributions,
            whole.cost[LaunchPhase::then_diffraction].contributions);
  const Difference d = difference(whole, pruned, transmitter.erp_dbm + half_wave_dipole_gain_dbi);
  EXPECT_GT(d.tiles, 3000u);
  EXPECT_LT(std::fabs(d.mean_db), 0.02);
  EXPECT_LT(d.rms_db, 0.2);
  EXPECT_GT(d.rms_db, 0.0);
}

INSTANTIATE_TEST_SUITE_P(StreetAndMast, PrunedLaunch, ::testing::Values(6.0, 60.0));

// What two interactions after a scattering add is as much, in the mean over all tiles, whether drawn or not.
TEST(Pruning, KeepsThePowerOfTwoInteractionsAfterAScattering) {
  // Where they add more, few tiles with little else would decide.
  constexpr double most_added = 0.3;
  double share_of_whole = 0, share_of_pruned = 0;
  std::size_t tiles = 0;
  RayLaunchingOptions two_after_scattering = all_effects(false);
  two_after_scattering.max_after_scattering = 2;
  const WholeAndPrunedLauncher with_two(two_after_scattering);
  ASSERT_EQ(all_effects(false).max_after_scattering, 1);
  for (const Vec2 from_middle : {Vec2{0, 0}, Vec2{-150, 100}}) {
    const Transmitter transmitter = transmitter_at(6, from_middle);
    const RayLaunchingResult before = with_all_effects().whole(transmitter);
    const auto [whole, pruned] = with_two.both(transmitter);
    EXPECT_LT(5 * pruned.cost[LaunchPhase::then_two].contributions, whole.cost[LaunchPhase::then_two].contributions);
    for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
      const double all = testing::total_gain(before.tiles[t]), of_whole = testing::total_gain(whole.tiles[t]) / all - 1;
      if (before.tiles[t].direct || !(all > 0) || of_whole > most_added) continue;
      share_of_whole += of_whole;
      share_of_pruned += testing::total_gain(pruned.tiles[t]) / all - 1;
      ++tiles;
    }
  }
  EXPECT_GT(tiles, 9000u);
  EXPECT_GT(share_of_whole / static_cast<double>(tiles), 0.01);
  EXPECT_NEAR(share_of_pruned / share_of_whole, 1, 0.05);
}

// The tiles whose scattered power another tile reflects are drawn, and count as all of them do.
TEST(Pruning, KeepsThePowerOfAReflectionAfterAScattering) {
  const FineTown& fine = fine_town();
  RayLaunchingOptions options;
  options.max_diffractions = 0;
  options.max_bounces = 2;
  options.min_power_dbm = -150;
  options.pruning_from_tiles = 0;
  const auto powers = [&](int after_scattering, bool pruning) {
    options.max_after_scattering = after_scattering;
    options.pruning = pruning;
    return fine.city.launch(fine.transmitter, {}, options);
  };
  const RayLaunchingResult before = powers(0, false), whole = powers(1, false), pruned = powers(1, true);
  EXPECT_LT(2 * pruned.cost[LaunchPhase::then_reflection].contributions,
            whole.cost[LaunchPhase::then_reflection].contributions);
  double of_whole = 0, of_pruned = 0;
  for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
    const double all = testing::total_gain(before.tiles[t]);
    if (before.tiles[t].direct || !(all > 0)) continue;
    of_whole += testing::total_gain(whole.tiles[t]) / all - 1;
    of_pruned += testing::total_gain(pruned.tiles[t]) / all - 1;
  }
  EXPECT_NEAR(of_pruned / of_whole, 1, 0.02);
}

// Along a wall, from its own corners, hardly anything comes, however many rays do: less than MIN_POWER leaves.
bool is_out_of_reach(const ArrivalSums& sums) { return !(testing::total_gain(sums) > 1e-17); }

// What diffracts twice is drawn most: tubes at their elements, tubes that go on, and hits before their field is known.
// Where no direct ray comes, powers keep their expectation: the mean of their ratios, which no decibels bend. Over
// antennas in several places: the draws of one have long tails, and leave it off by 0.4 % and, rarely, by several per
// cent; one above the other in one place antennas draw much the same.
TEST(Pruning, KeepsThePowerOfReflectedAndDiffractedRays) {
  double sum = 0, count = 0;
  const auto compare = [&](const WholeAndPruned& launch, double least_saved) {
    const auto& [whole, pruned] = launch;
    EXPECT_LT(least_saved * static_cast<double>(pruned.tubes), static_cast<double>(whole.tubes));
    for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
      if (whole.tiles[t].direct || whole.tiles[t].rays < 20) continue;
      if (is_out_of_reach(whole.tiles[t])) continue;
      sum += testing::total_gain(pruned.tiles[t]) / testing::total_gain(whole.tiles[t]) - 1;
      ++count;
    }
  };
  compare(reflected_and_diffracted_from_street(), 3);
  // Elsewhere there may be less to save.
  for (const Vec2 from_middle :
       {Vec2{-150, 40}, Vec2{120, -130}, Vec2{-90, -160}, Vec2{60, 170}, Vec2{190, 60}, Vec2{-40, -70}}) {
    compare(with_reflected_and_diffracted().both(transmitter_at(6, from_middle)), 1.4);
  }
  EXPECT_GT(count, 30'000);
  EXPECT_NEAR(sum / count, 0, 0.003);
}

// Where nothing but scattered power arrives, few of the hundreds of tiles that bring it are asked; each target keeps
// some, and all together their power.
TEST(Pruning, KeepsThePowerOfScatteringWhereNothingElseArrives) {
  RayLaunchingOptions options;
  options.max_reflections = options.max_diffractions = 0;
  options.max_bounces = 1;
  options.max_after_scattering = 0;
  options.min_power_dbm = -150;
  options.pruning_from_tiles = 0;
  const FineTown& fine = fine_town();
  const RayLaunchingResult whole = fine.city.launch(fine.transmitter, {}, options);
  options.pruning = true;
  const RayLaunchingResult pruned = fine.city.launch(fine.transmitter, {}, options);
  EXPECT_LT(5 * pruned.cost[LaunchPhase::scattering].contributions, whole.cost[LaunchPhase::scattering].contributions);
  double sum = 0, squares = 0, count = 0;
  for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
    if (whole.tiles[t].direct || whole.tiles[t].rays < 400) continue;
    ASSERT_GT(pruned.tiles[t].rays, 0u) << t;
    const double change = testing::total_gain(pruned.tiles[t]) / testing::total_gain(whole.tiles[t]) - 1;
    sum += change;
    squares += change * change;
    ++count;
  }
  EXPECT_GT(count, 1500);
  EXPECT_NEAR(sum / count, 0, 0.001);
  EXPECT_LT(std::sqrt(squares / count), 0.02);
}

// Receivers in the streets about the transmitter.
std::vector<Receiver> receivers_about(const Transmitter& transmitter) {
  const PrismIndex index(town().scene);
  std::vector<Vec3> places;
  for (double x = -230; x <= 230; x += 46) {
    for (double y = -230; y <= 230; y += 46) {
      const Vec2 place = transmitter.position.xy() + Vec2{x, y};
      const double ground = town().scene.terrain.height_at(place);
      if (index.surface_height(place) <= ground) places.push_back({place.x, place.y, ground + 1.5});
    }
  }
  return testing::receivers_at(places);
}

using RayKey = std::tuple<std::int64_t, std::string, std::vector<std::uint32_t>>;

std::map<RayKey, double> gains_of(const std::vector<Ray>& rays) {
  std::map<RayKey, double> gains;
  for (const Ray& ray : rays) gains[{ray.target_id, ray.interactions, ray.elements}] += ray.path_gain;
  return gains;
}

// Which rays are there is drawn; what each of them is like is not.
TEST(Pruning, LeavesSingleRaysAsStrongAsTheyAre) {
  const Transmitter transmitter = transmitter_at(6);
  const std::vector<Receiver> receivers = receivers_about(transmitter);
  ASSERT_GT(receivers.size(), 30u);
  RayLaunchingOptions options = all_effects(false);
  options.min_power_dbm = -150;
  options.rays_per_receiver = 1'000'000;
  options.scattered_rays = true;
  const std::map<RayKey, double> whole = gains_of(town().launch_to_receivers(transmitter, receivers, options).rays);
  options.pruning = true;
  const std::map<RayKey, double> drawn = gains_of(town().launch(transmitter, receivers, options).rays);
  EXPECT_LT(2 * drawn.size(), whole.size());
  std::size_t scattered = 0, diffracted = 0;
  for (const auto& [key, gain] : drawn) {
    const auto before = whole.find(key);
    ASSERT_NE(before, whole.end()) << std::get<1>(key);
    ASSERT_NEAR(gain / before->second, 1, 1e-5) << std::get<1>(key) << " at " << std::get<0>(key);
    ++(std::get<1>(key).find('S') != std::string::npos ? scattered : diffracted);
  }
  EXPECT_GT(scattered, 10'000u);
  EXPECT_GT(diffracted, 1'000u);
}

// Nine houses on flat ground in tiles of 3 m².
const Environment& nine_houses() {
  static const Environment made(
      [] {
        Scene scene = testing::flat_ground(240, 240);
        for (int i = 0; i < 9; ++i) {
          const Vec2 corner{25 + 75.0 * (i % 3) + 3 * (i / 3), 20 + 70.0 * (i / 3) + 5 * (i % 3)};
          const Vec2 opposite = corner + Vec2{20.0 + 3 * (i % 4), 38.0 - 4 * (i % 5)};
          scene.prisms.push_back(testing::box_prism(i + 1, corner, opposite, 0, 8 + 2 * ((i * 5) % 7)));
        }
        return scene;
      }(),
      std::sqrt(3.0));
  return made;
}

// At receivers rays and their reflections on the ground are in step, and mostly cancel in part: what either is drawn
// without the other would be too much. No receiver is without power that it has.
TEST(Pruning, KeepsTheMeanAtReceivers) {
  const PrismIndex index(nine_houses().scene);
  std::vector<Vec3> places;
  for (double x = 5; x < 240; x += 11.3) {
    for (double y = 5; y < 240; y += 13.7) {
      if (index.surface_height({x, y}) <= 0) places.push_back({x, y, 1.5});
    }
  }
  const std::vector<Receiver> receivers = testing::receivers_at(places);
  RayLaunchingOptions options = all_effects(false);
  options.max_scatterings = 0;
  options.tiles_are_targets = false;
  const RayLauncher launcher_to_receivers = nine_houses().launcher(receivers, options);
  options.pruning = options.tiles_are_targets = true;
  const RayLauncher pruned_launcher = nine_houses().launcher(receivers, options);
  double sum = 0, count = 0;
  for (const Vec3 antenna : {Vec3{12, 108, 4}, Vec3{195, 98, 4}}) {
    const Transmitter transmitter = testing::test_transmitter(antenna);
    const RayLaunchingResult whole = launcher_to_receivers.launch(transmitter, no_progress());
    const RayLaunchingResult pruned = pruned_launcher.launch(transmitter, no_progress());
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double all = testing::total_gain(whole.receivers[r]), drawn = testing::total_gain(pruned.receivers[r]);
      if (whole.receivers[r].direct || !(all > 0)) continue;
      EXPECT_GT(drawn, 0) << r;
      sum += drawn / all;
      ++count;
    }
  }
  EXPECT_GT(count, 300);
  EXPECT_NEAR(sum / count, 1, 0.01);
}

// The strongest ray of a target, its mechanism and its delay profile are those of rays that are there, too.
TEST(Pruning, MakesNoRayStrongerThanTheStrongest) {
  const auto& [whole, pruned] = reflected_and_diffracted_from_street();
  std::size_t as_strong = 0, tiles = 0;
  for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
    const double strongest = whole.tiles[t].strongest_gain, drawn = pruned.tiles[t].strongest_gain;
    ASSERT_LE(drawn, strongest * (1 + 1e-9)) << t;
    if (!(drawn > 0)) continue;
    ++tiles;
    if (drawn < strongest * (1 - 1e-9)) continue;
    ++as_strong;
    ASSERT_EQ(pruned.tiles[t].strongest_mechanism, whole.tiles[t].strongest_mechanism) << t;
    ASSERT_FLOAT_EQ(pruned.wideband.profile(t)[0].path_gain, whole.wideband.profile(t)[0].path_gain) << t;
    ASSERT_FLOAT_EQ(pruned.wideband.profile(t)[0].excess_length_m, whole.wideband.profile(t)[0].excess_length_m) << t;
  }
  EXPECT_GT(tiles, 5000u);
  EXPECT_GT(static_cast<double>(as_strong), 0.9 * static_cast<double>(tiles));
}

// The K factor with all effects on: the strongest ray over all others. Where these have less than a tenth of the power,
// few of them decide.
TEST(Pruning, KeepsTheKFactor) {
  const auto k_factor_db = [](const ArrivalSums& sums) {
    return decibels(sums.strongest_gain / (sums.gain.value() - sums.strongest_gain));
  };
  struct Changes {
    double sum_db = 0, squares = 0, tiles = 0, far_off = 0;
    void add(double change_db) {
      sum_db += change_db;
      squares += change_db * change_db;
      far_off += std::fabs(change_db) > 1 ? 1 : 0;
      ++tiles;
    }
  } all, below_10_db;
  for (const Vec2 from_middle : {Vec2{0, 0}, Vec2{-150, 100}, Vec2{130, 60}, Vec2{100, -150}}) {
    const auto [whole, pruned] = with_all_effects().both(transmitter_at(6, from_middle));
    for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
      if (whole.tiles[t].rays < 20 || is_out_of_reach(whole.tiles[t])) continue;
      const double before_db = k_factor_db(whole.tiles[t]), after_db = k_factor_db(pruned.tiles[t]);
      if (!std::isfinite(before_db) || !std::isfinite(after_db)) continue;
      all.add(after_db - before_db);
      if (before_db < 10) below_10_db.add(after_db - before_db);
    }
  }
  EXPECT_GT(below_10_db.tiles, 20000);
  EXPECT_NEAR(all.sum_db / all.tiles, 0, 0.02);
  EXPECT_LT(all.far_off / all.tiles, 0.02);
  EXPECT_LT(std::sqrt(below_10_db.squares / below_10_db.tiles), 0.2);
  EXPECT_LT(below_10_db.far_off / below_10_db.tiles, 0.005);
}

// The mean and the spread of excess lengths, m, and how far angles agree, 0 … 1: of the azimuth and elevation of
// arrival, then of departure.
std::array<double, 6> means_by_power(const RayLaunchingResult& result, std::size_t tile) {
  const ArrivalSums& sums = result.tiles[tile];
  const WidebandSums& angles = result.wideband.sums(tile);
  const double all = sums.gain.value(), mean = sums.excess.value() / all;
  const double variance = sums.squared_excess.value() / all - mean * mean;
  const auto agreement = [&](const FixedPointSum& cosine, const FixedPointSum& sine) {
    return std::hypot(cosine.value(), sine.value()) / all;
  };
  return {mean * excess_unit_m,
          std::sqrt(std::max(0.0, variance)) * excess_unit_m,
          agreement(sums.cos_azimuth, sums.sin_azimuth),
          agreement(angles.cos_elevation, angles.sin_elevation),
          agreement(angles.departure_cos_azimuth, angles.departure_sin_azimuth),
          agreement(angles.departure_cos_elevation, angles.departure_sin_elevation)};
}

// Of isotropic antennas the basic gain is the gain, of those that are drawn, too; what goes by power keeps its mean.
TEST(Pruning, KeepsWhatIsSummedByPower) {
  const auto& [whole, pruned] = from_street();
  std::array<double, 6> before{}, after{};
  double tiles = 0;
  for (std::size_t t = 0; t < whole.tiles.size(); ++t) {
    if (whole.tiles[t].direct || whole.tiles[t].rays < 20 || is_out_of_reach(whole.tiles[t])) continue;
    ASSERT_NEAR(pruned.tiles[t].basic_gain.value() / pruned.tiles[t].gain.value(), 1, 1e-5) << t;
    const std::array<double, 6> of_whole = means_by_power(whole, t), of_pruned = means_by_power(pruned, t);
    for (std::size_t i = 0; i < before.size(); ++i) {
      before[i] += of_whole[i];
      after[i] += of_pruned[i];
    }
    ++tiles;
  }
  EXPECT_GT(tiles, 3000);
  // Spreads of fewer rays are smaller in the mean of tiles.
  const std::array<double, 6> most_off{0.005, 0.02, 0.002, 0.001, 0.002, 0.001};
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i] / before[i], 1, most_off[i]) << i;
}

TEST(Pruning, IsTheSameForAnyNumberOfThreads) {
  const Transmitter transmitter = transmitter_at(6);
  const auto launch = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return town().launch(transmitter, {}, all_effects(true));
  };
  const RayLaunchingResult one = launch(1), many = launch(4);
  ASSERT_EQ(one.tiles.size(), many.tiles.size());
  for (std::size_t t = 0; t < one.tiles.size(); ++t) {
    ASSERT_EQ(one.tiles[t].gain, many.tiles[t].gain) << t;
    ASSERT_EQ(one.tiles[t].strongest_gain, many.tiles[t].strongest_gain) << t;
    ASSERT_EQ(one.tiles[t].rays, many.tiles[t].rays) << t;
  }
}

// Of the tiles, by their normals and free lines to their middles.
double share_in_sight(Vec3 antenna) {
  constexpr double before_tile_m = 0.01;
  std::size_t in_sight = 0;
  for (const Tile& tile : town().tiling.tiles) {
    const bool is_in_front = dot(antenna - tile.centroid, tile.normal) > 0;
    if (is_in_front && town().occlusion.is_free(antenna, tile.centroid + before_tile_m * tile.normal)) ++in_sight;
  }
  return static_cast<double>(in_sight) / static_cast<double>(town().tiling.tiles.size());
}

// 3 m over the roof whose middle is nearest to the town's.
Transmitter transmitter_on_roof() {
  const Vec2 middle = 0.5 * (town().scene.extent.min + town().scene.extent.max);
  const Tile* nearest = nullptr;
  for (const Tile& tile : town().tiling.tiles) {
    if (tile.kind != SurfaceKind::roof) continue;
    if (nearest == nullptr || norm(tile.centroid.xy() - middle) < norm(nearest->centroid.xy() - middle)) {
      nearest = &tile;
    }
  }
  return testing::test_transmitter(nearest->centroid + Vec3{0, 0, 3});
}

// What docs/propagation-cost.md says, down to where the border is: 15 per cent of the tiles in sight.
TEST(Pruning, IsChosenByWhatTheTransmitterSees) {
  struct Case {
    Transmitter transmitter;
    bool sees_many;
  };
  const Case cases[] = {{transmitter_at(6), false},
                        {transmitter_on_roof(), false},
                        {transmitter_at(15), false},
                        {transmitter_at(18), true},
                        {transmitter_at(60), true}};
  RayLaunchingOptions options = all_effects(true);
  options.max_bounces = 0;
  for (const auto& [transmitter, sees_many] : cases) {
    const double height_m = transmitter.position.z, share = share_in_sight(transmitter.position);
    EXPECT_EQ(share > 0.15, sees_many) << share << " at " << height_m << " m";
    const Pruning chosen = town().launch(transmitter, {}, options).pruning;
    EXPECT_EQ(chosen.scattering_sources, sees_many ? 16u : 40u) << height_m;
    EXPECT_EQ(chosen.tubes, sees_many ? 16u : 32u) << height_m;
    EXPECT_NEAR(decibels(chosen.roulette), sees_many ? -25 : -33, 0.3) << height_m;
    EXPECT_NEAR(decibels(chosen.scattered), -13, 0.3);
    EXPECT_NEAR(decibels(chosen.of_all_scattered), -23, 0.3);
    EXPECT_NEAR(decibels(chosen.then_diffracted), -27, 0.3);
  }
  EXPECT_EQ(pruning_for(0.1499).scattering_sources, 40u);
  EXPECT_EQ(pruning_for(0.15).scattering_sources, 16u);
}

// At a tile that reflects twice as many scattering tiles stand for all as at an edge, a quarter where the power goes on
// twice.
TEST(Pruning, ScatteringTilesThatStandForAll) {
  const Pruning few = pruning_for(0.1), many = pruning_for(0.5), none;
  EXPECT_EQ(sources_for_all(few, AfterScattering::diffraction, false), 40u);
  EXPECT_EQ(sources_for_all(few, AfterScattering::reflection, true), 80u);
  EXPECT_EQ(sources_for_all(few, AfterScattering::reflection_and_diffraction, false), 10u);
  EXPECT_EQ(sources_for_all(few, AfterScattering::two_reflections, true), 20u);
  EXPECT_EQ(sources_for_all(many, AfterScattering::diffraction, false), 16u);
  EXPECT_EQ(sources_for_all(many, AfterScattering::reflection, true), 32u);
  EXPECT_EQ(sources_for_all(none, AfterScattering::reflection, true), 0u);
}

TEST(Pruning, LeavesSmallTownsWhole) {
  RayLaunchingOptions options = all_effects(true);
  options.max_bounces = 0;
  options.pruning_from_tiles = static_cast<std::uint32_t>(town().tiling.tiles.size()) + 1;
  EXPECT_EQ(town().launch(transmitter_at(6), {}, options).pruning.scattering_sources, 0u);
  EXPECT_EQ(RayLaunchingOptions().pruning_from_tiles, 20'000u);
}

// Single receivers get every ray, so that what explains a value adds up to it.
TEST(Pruning, LeavesReceiversAloneWhole) {
  RayLaunchingOptions options = all_effects(true);
  options.tiles_are_targets = false;
  const Transmitter transmitter = transmitter_at(6);
  const auto receivers = testing::receivers_at({transmitter.position + Vec3{40, 30, -3}});
  EXPECT_EQ(town().launch(transmitter, receivers, options).pruning.scattering_sources, 0u);
}

}  // namespace
}  // namespace tesseray
