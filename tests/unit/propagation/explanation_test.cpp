// SPDX-License-Identifier: GPL-3.0-or-later
// A point explained: the parts add up to what is predicted there, and the words say what the rays are.
#include "core/prediction/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "core/base/units.h"
#include "core/propagation/rays/link.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// Two houses across a street on ground with tiles; the antenna stands in the street.
const Environment& town() {
  static const Environment made(
      [] {
        Scene scene = testing::flat_ground(120, 90);
        scene.prisms = {testing::box_prism(17, {20, 50}, {100, 62}, 0, 14),
                        testing::box_prism(213, {50, 20}, {70, 35}, 0, 9)};
        return scene;
      }(),
      8);
  return made;
}

PointExplanation explained(Vec3 at, RayLaunchingOptions options, Transmitter transmitter) {
  options.tiles_are_targets = false;
  options.scattered_rays = true;
  if (options.rays_per_receiver == 0) options.rays_per_receiver = 30;
  const Receiver receiver{1, at};
  const RayLaunchingResult result = town().launch(transmitter, {receiver}, options);
  return explain(result, transmitter, receiver, town().scene, town().tiling, maximum_receiver_gain_dbi(options));
}

PointExplanation explained(Vec3 at, const RayLaunchingOptions& options = {}) {
  Transmitter transmitter = testing::test_transmitter({10.3, 42.1, 6});
  transmitter.name = "Hill";
  transmitter.erp_dbm = 40;
  return explained(at, options, transmitter);
}

double milliwatts(double dbm) { return std::pow(10.0, dbm / 10.0); }

TEST(Explanation, RaysAndRestAddUpToTheReceivedPower) {
  for (const Summation summation : {Summation::local_mean, Summation::power, Summation::coherent}) {
    for (const Vec3 at : {Vec3{80.2, 42.7, 1.5}, Vec3{60.1, 12.3, 1.5}, Vec3{60, 28, 12}, Vec3{60.4, 80.9, 1.5}}) {
      RayLaunchingOptions options;
      options.summation = summation;
      options.max_diffractions = 2;
      const PointExplanation e = explained(at, options);
      ASSERT_TRUE(e.prediction.reached());
      double shown = 0;
      for (const ExplainedRay& ray : e.rays) shown += milliwatts(ray.ray.power_dbm);
      const double sum = milliwatts(e.power_sum_dbm);
      EXPECT_NEAR(shown / sum, e.shares.shown, 1e-9);
      const double all = shown + (e.shares.other_rays + e.shares.other_scattering) * sum;
      EXPECT_NEAR(decibels(all) + e.interference_db, static_cast<double>(e.prediction.received_power_dbm), 0.01);
      const PowerShares& s = e.shares;
      EXPECT_NEAR(s.direct + s.reflection + s.diffraction + s.scattering, 1, 1e-6);
      if (summation == Summation::power) {
        EXPECT_NEAR(e.interference_db, 0, 1e-9);
      }
    }
  }
}

// Near the antenna, at 100 MHz and with 50 dBi, the receiver has more than the antenna sends.
TEST(Explanation, AReceiversGainIsInPowersNotInShares) {
  Transmitter transmitter = testing::test_transmitter({10.3, 42.1, 6});
  transmitter.frequency_hz = 100e6;
  transmitter.erp_dbm = 40;
  RayLaunchingOptions options;
  for (const Vec3 at : {Vec3{20.2, 42.7, 1.5}, Vec3{80.2, 42.7, 1.5}}) {
    options.receiver_gain_dbi = 0;
    const PointExplanation without = explained(at, options, transmitter);
    options.receiver_gain_dbi = 50;
    const PointExplanation with = explained(at, options, transmitter);
    EXPECT_NEAR(static_cast<double>(with.prediction.received_power_dbm - without.prediction.received_power_dbm), 50,
                1e-4);
    EXPECT_NEAR(with.power_sum_dbm - without.power_sum_dbm, 50, 1e-9);
    EXPECT_NEAR(with.interference_db, without.interference_db, 1e-9);
    const PowerShares &a = without.shares, &b = with.shares;
    for (const auto share : {&PowerShares::direct, &PowerShares::reflection, &PowerShares::scattering,
                             &PowerShares::shown, &PowerShares::other_rays, &PowerShares::other_scattering}) {
      EXPECT_NEAR(b.*share, a.*share, 1e-12);
    }
    ASSERT_EQ(with.rays.size(), without.rays.size());
    for (std::size_t i = 0; i < with.rays.size(); ++i) {
      EXPECT_NEAR(with.rays[i].ray.power_dbm - without.rays[i].ray.power_dbm, 50, 1e-9);
      EXPECT_NEAR(with.rays[i].share, without.rays[i].share, 1e-12);
    }
  }
}

// What is told to be left out is what more rays show.
TEST(Explanation, MoreRaysLeaveLessOut) {
  RayLaunchingOptions options;
  double last_rest = 2;
  for (const std::size_t rays : {1u, 10u, 100u, 1'000'000u}) {
    options.rays_per_receiver = rays;
    const PointExplanation e = explained({80.2, 44.7, 1.5}, options);
    const double rest = e.shares.other_rays + e.shares.other_scattering;
    EXPECT_LT(rest, last_rest);
    last_rest = rest;
  }
  EXPECT_NEAR(last_rest, 0, 1e-6);
}

TEST(Explanation, IsOfTheValueThatIsPredicted) {
  const Vec3 at{80.2, 42.7, 1.5};
  const Transmitter transmitter = testing::test_transmitter({10.3, 42.1, 6});
  const Receiver receiver{1, at};
  RayLaunchingResult whole = town().launch(transmitter, {receiver}, {});
  const auto predicted = predict_path_loss(std::move(whole), transmitter, town().tiling, {receiver}, {});
  const PointExplanation e = explained(at, {}, transmitter);
  EXPECT_EQ(e.prediction.path_loss_db, predicted.receivers[0].path_loss_db);
  EXPECT_EQ(e.prediction.mean_delay_ns, predicted.receivers[0].mean_delay_ns);
  EXPECT_EQ(e.prediction.ray_count, predicted.receivers[0].ray_count);
}

TEST(Explanation, TellsOfTheDirectRay) {
  const PointExplanation e = explained({80.2, 42.7, 3});
  EXPECT_EQ(e.rays.front().route, "");
  const std::string text = in_words(e);
  EXPECT_EQ(text.rfind("Line of sight to Hill, 70 m away. ", 0), 0u) << text;
  EXPECT_NE(text.find(" of the power arrives directly; the next ray, by reflection at "), std::string::npos) << text;
}

// Behind the house of 14 m: what its words say of each ray is what the letters say.
TEST(Explanation, TellsOfTheWayThroughABuildingAndOfWhatFollows) {
  RayLaunchingOptions options;
  options.transmission = {.nearest_building = true, .wall_loss_db = 5};
  options.rays_per_receiver = 10'000;
  std::set<std::string> kinds;
  for (const ExplainedRay& explained_ray : explained({60.4, 80.9, 1.5}, options).rays) {
    const Ray& ray = explained_ray.ray;
    if (!ray.interactions.starts_with("T-B")) continue;
    kinds.insert(ray.interactions);
    std::string route = explained_ray.route;
    const auto take = [&](const std::string& words) {
      EXPECT_EQ(route.substr(0, words.size()), words) << ray.interactions << ": " << explained_ray.route;
      const std::size_t next = route.find(", then ");
      route = next == std::string::npos ? "" : route.substr(next + 7);
    };
    take("the way through a building");
    for (std::size_t letter = 4; letter < ray.interactions.size(); letter += 2) {
      const char kind = ray.interactions[letter];
      take(kind == 'D' ? "diffraction at a" : kind == 'S' ? "scattering at " : "reflection at ");
    }
    EXPECT_EQ(route, "") << ray.interactions << ": " << explained_ray.route;
  }
  for (const char* kind : {"T-B", "T-B-G", "T-B-S", "T-B-S-D"}) EXPECT_EQ(kinds.count(kind), 1u) << kind;
}

// Over the house of 9 m, whose rear edge is 0.2 m below the line.
TEST(Explanation, TellsOfRoofsJustBelowTheLine) {
  Transmitter transmitter = testing::test_transmitter({60, 5, 9.6});
  transmitter.name = "Hill";
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  const PointExplanation e = explained({60, 48, 9}, options, transmitter);
  EXPECT_TRUE(e.prediction.line_of_sight);
  EXPECT_GT(e.roofs_in_sight_db, 2);
  EXPECT_NEAR(e.rays.front().ray.power_dbm,
              transmitter.erp_dbm + half_wave_dipole_gain_dbi - e.free_space_loss_db - e.roofs_in_sight_db -
                  e.ground_in_sight_db,
              0.01);
  const std::string text = in_words(e);
  EXPECT_NE(text.find(" Roofs just below the line of sight and corners beside it take "), std::string::npos) << text;
  EXPECT_EQ(explained({80.2, 42.7, 3}).roofs_in_sight_db, 0);
}

TEST(Explanation, AtTheAntennaItselfThereIsNoFreeSpaceToCompareWith) {
  const std::string text = in_words(explained({10.3, 42.1, 6}));
  EXPECT_NE(text.find(" The path loss is "), std::string::npos) << text;
  EXPECT_EQ(text.find("free space"), std::string::npos) << text;
}

TEST(Explanation, TellsWhereARayWasDiffracted) {
  const PointExplanation e = explained({85.3, 20.2, 1.5}, testing::without_scattering(0, 1, 1));
  ASSERT_FALSE(e.rays.empty());
  for (const ExplainedRay& ray : e.rays) {
    EXPECT_EQ(ray.route.rfind("diffraction at a ", 0), 0u) << ray.route;
  }
  EXPECT_EQ(e.rays.front().route, "diffraction at a vertical corner of building 213");
  const std::string text = in_words(e);
  EXPECT_EQ(text.rfind("No line of sight to Hill, ", 0), 0u) << text;
}

TEST(Explanation, NamesEachInteractionInTurn) {
  RayLaunchingOptions options;
  options.rays_per_receiver = 100'000;
  const PointExplanation e = explained({80.2, 42.7, 1.5}, options);
  std::size_t two = 0, scattered = 0;
  for (const ExplainedRay& ray : e.rays) {
    if (ray.ray.interactions == "T-R-G") {
      EXPECT_EQ(ray.route.rfind("reflection at a wall of building ", 0), 0u) << ray.route;
      EXPECT_TRUE(ray.route.ends_with(", then reflection at the ground")) << ray.route;
      ++two;
    }
    if (ray.ray.interactions == "T-S") {
      EXPECT_EQ(ray.route.rfind("scattering at ", 0), 0u) << ray.route;
      ++scattered;
    }
  }
  EXPECT_GT(two, 0u);
  EXPECT_GT(scattered, 0u);
}

TEST(Explanation, SaysWhenNothingArrives) {
  const PointExplanation e = explained({60.4, 80.9, 1.5}, testing::direct_only());
  EXPECT_FALSE(e.prediction.reached());
  EXPECT_TRUE(e.rays.empty());
  EXPECT_TRUE(std::isnan(e.power_sum_dbm));
  EXPECT_EQ(in_words(e).rfind("Nothing arrives from Hill, ", 0), 0u) << in_words(e);
}

}  // namespace
}  // namespace tesseray
