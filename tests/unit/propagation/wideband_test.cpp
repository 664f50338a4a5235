// SPDX-License-Identifier: GPL-3.0-or-later
// Angles at both ends, K factor and power-delay profiles: against every single ray, and against closed forms.
#include "core/propagation/rays/wideband.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/prediction/prediction.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

using testing::antenna_between_houses;
using testing::around_houses;
using testing::Environment;
using testing::two_houses;

RayLaunchingOptions every_ray() {
  RayLaunchingOptions options;
  options.max_diffractions = 2;
  options.summation = Summation::power;
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 10'000'000;
  options.scattered_rays = true;
  options.wideband = true;
  options.delay_profile_rays = 16;
  return options;
}

RayLaunchingResult launch(const RayLaunchingOptions& options, const Environment& environment = two_houses()) {
  return environment.launch(testing::test_transmitter(antenna_between_houses), testing::receivers_at(around_houses),
                            options);
}

TransmitterPrediction predict(const Environment& environment, Vec3 from, const RayLaunchingOptions& options,
                              const std::vector<Vec3>& to) {
  const Transmitter transmitter = testing::test_transmitter(from);
  const std::vector<Receiver> receivers = testing::receivers_at(to);
  return predict_path_loss(environment.launch(transmitter, receivers, options), transmitter, environment.tiling,
                           receivers, options);
}

// √(1 − R²) of angles in degrees, in degrees.
double spread_deg(const std::vector<Ray>& rays, double Ray::*angle_deg) {
  double c = 0, s = 0, all = 0;
  for (const Ray& ray : rays) {
    c += ray.path_gain * std::cos(radians(ray.*angle_deg));
    s += ray.path_gain * std::sin(radians(ray.*angle_deg));
    all += ray.path_gain;
  }
  const double r = std::hypot(c, s) / all;
  return degrees(std::sqrt(std::max(0.0, 1 - r * r)));
}

std::vector<Ray> rays_of(const std::vector<Ray>& rays, std::int64_t receiver) {
  std::vector<Ray> found;
  std::copy_if(rays.begin(), rays.end(), std::back_inserter(found),
               [receiver](const Ray& ray) { return ray.target_id == receiver; });
  return found;
}

// The rays layer finds each ray's corners by itself, so its angles are independent of the sums'.
void expect_angles_of(const std::vector<Ray>& rays, const WidebandPrediction& p) {
  EXPECT_NEAR(static_cast<double>(p.departure_azimuth_spread_deg), spread_deg(rays, &Ray::departure_azimuth_deg), 2e-3);
  EXPECT_NEAR(static_cast<double>(p.departure_elevation_spread_deg), spread_deg(rays, &Ray::departure_elevation_deg),
              2e-3);
  EXPECT_NEAR(static_cast<double>(p.elevation_spread_deg), spread_deg(rays, &Ray::arrival_elevation_deg), 2e-3);
  EXPECT_NEAR(static_cast<double>(p.arrival_elevation_deg), rays.front().arrival_elevation_deg, 1e-3);
}

// Whether the two are one to the sums: the same ray, or what one tile scatters on one way, whatever has lit it.
bool goes_the_same_way(const Ray& one, const Ray& other) {
  if (&one == &other) return true;
  const auto since_scattering = [](const Ray& ray) {
    const std::size_t at = ray.interactions.find('S');
    const std::size_t count = at == std::string::npos ? 0 : (ray.interactions.size() - at + 1) / 2;
    return std::vector<std::uint32_t>(ray.elements.end() - static_cast<std::ptrdiff_t>(count), ray.elements.end());
  };
  const std::vector<std::uint32_t> way = since_scattering(one);
  return !way.empty() && way == since_scattering(other);
}

TEST(Wideband, SpreadsAreThoseOfAllSingleRays) {
  const auto prediction = predict(two_houses(), antenna_between_houses, every_ray(), around_houses);
  std::size_t over_roofs = 0, scattered_then_diffracted = 0;
  for (std::size_t r = 0; r < around_houses.size(); ++r) {
    SCOPED_TRACE(r);
    const std::vector<Ray> rays = rays_of(prediction.rays, static_cast<std::int64_t>(r) + 1);
    ASSERT_GT(rays.size(), 100u);
    const WidebandPrediction& p = prediction.receivers_wideband.angles(r);
    expect_angles_of(rays, p);
    const TargetPrediction& in_plan = prediction.receivers[r];
    EXPECT_NEAR(static_cast<double>(in_plan.angle_spread_deg), spread_deg(rays, &Ray::arrival_azimuth_deg), 2e-3);
    EXPECT_NEAR(static_cast<double>(in_plan.arrival_azimuth_deg), rays.front().arrival_azimuth_deg, 1e-3);
    double strongest = 0, others = 0;
    for (const Ray& ray : rays) (goes_the_same_way(ray, rays.front()) ? strongest : others) += ray.path_gain;
    EXPECT_NEAR(static_cast<double>(p.k_factor_db), decibels(strongest / others), 1e-3);
    EXPECT_GT(p.elevation_spread_deg, 0.1f);
    EXPECT_GT(p.departure_elevation_spread_deg, 0.1f);
    for (const Ray& ray : rays) {
      over_roofs += ray.mechanism == Mechanism::over_rooftop ? 1 : 0;
      scattered_then_diffracted += ray.interactions.ends_with("S-D") ? 1 : 0;
    }
  }
  EXPECT_GT(over_roofs, 0u);
  EXPECT_GT(scattered_then_diffracted, 0u);
}

// Behind a low house whose front is in sight of the antenna and whose rear eaves a tower lights: without reflections
// nothing arrives but what the tower scatters, past edges, at each ray's own place on them. Without WIDEBAND.
TEST(Wideband, AzimuthsOfScatteredPowerPastEdgesAreThoseOfItsRays) {
  Scene scene = testing::flat_ground(90, 90);
  scene.prisms = {testing::box_prism(1, {15, 20}, {30, 60}, 0, 8), testing::box_prism(2, {45, 15}, {60, 65}, 0, 30)};
  const Environment houses(std::move(scene), 7);
  const std::vector<Vec3> behind{{13, 40, 1.5}, {11, 33, 2}, {9, 47, 3}};
  RayLaunchingOptions options = every_ray();
  options.over_rooftop = OverRooftop::none;
  options.max_reflections = 0;
  options.max_diffractions = 1;
  options.wideband = false;
  const auto prediction = predict(houses, antenna_between_houses, options, behind);
  for (std::size_t r = 0; r < behind.size(); ++r) {
    SCOPED_TRACE(r);
    const std::vector<Ray> rays = rays_of(prediction.rays, static_cast<std::int64_t>(r) + 1);
    ASSERT_GT(rays.size(), 50u);
    EXPECT_EQ(rays.front().interactions, "T-S-D");
    const TargetPrediction& sums = prediction.receivers[r];
    EXPECT_NEAR(static_cast<double>(sums.angle_spread_deg), spread_deg(rays, &Ray::arrival_azimuth_deg), 2e-3);
    EXPECT_NEAR(static_cast<double>(sums.arrival_azimuth_deg), rays.front().arrival_azimuth_deg, 1e-3);
  }
}

// Ground up and down by 3 m with a house, which rays go through: what the ground below reflects is drawn on it.
TEST(Wideband, SpreadsOverUnevenGroundAreThoseOfItsRays) {
  testing::Random random(5);
  Scene scene = testing::terrain_of(300, 300, 10, [&](Vec2) { return random.uniform(0, 3); });
  scene.prisms = {testing::box_prism(1, {90, 90}, {100, 130}, 0, 12)};
  const Environment hills(testing::with_material(std::move(scene), 5, 0.01), 10);
  const auto over_ground = [&](Vec2 p, double height_m) {
    return Vec3{p.x, p.y, hills.scene.terrain.height_at(p) + height_m};
  };
  std::vector<Vec3> places;
  for (double x = 13; x < 290; x += 5) {
    for (double y = 12; y < 290; y += 23) {
      if (x < 88 || x > 102 || y < 88 || y > 132) places.push_back(over_ground({x, y}, 2));
    }
  }
  RayLaunchingOptions options = every_ray();
  options.max_reflections = options.max_diffractions = 1;
  options.max_bounces = 2;  // over the house's one edge, and on to the ground
  options.max_scatterings = 0;
  options.summation = Summation::local_mean;
  options.transmission.nearest_building = true;
  const auto prediction = predict(hills, over_ground({50, 103}, 12), options, places);
  std::size_t by_ground = 0, through_house = 0, over_one_edge = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    SCOPED_TRACE(r);
    const std::vector<Ray> rays = rays_of(prediction.rays, static_cast<std::int64_t>(r) + 1);
    ASSERT_EQ(rays.size(), prediction.receivers[r].ray_count);
    if (rays.empty()) continue;
    expect_angles_of(rays, prediction.receivers_wideband.angles(r));
    for (const Ray& ray : rays) {
      over_one_edge += ray.interactions.starts_with("T-O-") && ray.points.size() == 4 ? 1 : 0;
      if (ray.interactions == "T-G" && ++by_ground) {
        EXPECT_NEAR(ray.points[1].z, hills.scene.terrain.height_at(ray.points[1].xy()), 0.5);
      }
      if (ray.interactions == "T-B-G" && ++through_house) {
        const double length_m = norm(ray.points[1] - ray.points[0]) + norm(ray.points[2] - ray.points[1]);
        EXPECT_NEAR(length_m, ray.delay_ns * 1e-9 * speed_of_light, 2);
      }
    }
  }
  EXPECT_GT(by_ground, 100u);
  EXPECT_GT(through_house, 10u);
  EXPECT_GT(over_one_edge, 10u);
}

// A wall up the slope reflects what the ground has reflected before it: on a slope that leaves the antenna otherwise
// than what the ground would reflect behind it.
TEST(Wideband, SpreadsBeforeAWallOnASlopeAreThoseOfItsRays) {
  const auto height_at = [](Vec2 p) { return 0.08 * p.x; };
  Scene scene = testing::terrain_of(240, 160, 20, height_at);
  scene.prisms = {testing::box_prism(1, {200, 20}, {220, 140}, 0, 60),
                  testing::box_prism(2, {110, 40}, {120, 60}, 0, 30)};
  const Environment slope(testing::with_material(std::move(scene), 5, 0.01), 10);
  const auto over_ground = [&](double x, double y, double height_m) {
    return Vec3{x, y, height_at({x, y}) + height_m};
  };
  std::vector<Vec3> places;
  for (const double height_m : {1.5, 10.0, 20.0}) {
    for (const double y : {45.0, 75.0, 90.0}) places.push_back(over_ground(160, y, height_m));
  }
  RayLaunchingOptions options = every_ray();
  options.max_reflections = 2;
  options.max_diffractions = 1;
  options.max_scatterings = 0;
  options.over_rooftop = OverRooftop::none;
  options.summation = Summation::local_mean;
  const auto prediction = predict(slope, over_ground(80, 70, 6), options, places);
  std::size_t ground_first = 0, behind_corner = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    SCOPED_TRACE(r);
    const std::vector<Ray> rays = rays_of(prediction.rays, static_cast<std::int64_t>(r) + 1);
    ASSERT_FALSE(rays.empty());
    expect_angles_of(rays, prediction.receivers_wideband.angles(r));
    for (const Ray& ray : rays) {
      ground_first += ray.interactions == "T-G-R" ? 1 : 0;
      behind_corner += ray.interactions == "T-D-G-R" ? 1 : 0;
    }
  }
  EXPECT_GT(ground_first, 0u);
  EXPECT_GT(behind_corner, 0u);
}

std::vector<std::pair<double, double>> read_profile(std::string_view json) {
  std::vector<std::pair<double, double>> rays;
  EXPECT_TRUE(json.starts_with("[[") && json.ends_with("]]")) << json;
  for (std::size_t at = json.find_first_of("0123456789-"); at < json.size();
       at = json.find_first_of("0123456789-", at)) {
    double numbers[2] = {};
    for (double& number : numbers) {
      const auto end = std::from_chars(json.data() + at, json.data() + json.size(), number);
      at = static_cast<std::size_t>(end.ptr - json.data()) + 1;
    }
    rays.emplace_back(numbers[0], numbers[1]);
  }
  return rays;
}

TEST(Wideband, ProfileIsOfTheStrongestRays) {
  RayLaunchingOptions options = every_ray();
  options.max_scatterings = 0;
  const auto prediction = predict(two_houses(), antenna_between_houses, options, around_houses);
  for (std::size_t r = 0; r < around_houses.size(); ++r) {
    SCOPED_TRACE(r);
    const std::vector<Ray> rays = rays_of(prediction.rays, static_cast<std::int64_t>(r) + 1);
    const auto profile = read_profile(prediction.receivers_wideband.profile(r));
    ASSERT_EQ(profile.size(), std::min<std::size_t>(rays.size(), 16));
    for (std::size_t i = 0; i < profile.size(); ++i) {
      EXPECT_NEAR(profile[i].first, rays[i].delay_ns, 0.051);
      EXPECT_NEAR(profile[i].second, rays[i].power_dbm, 0.0051);
    }
  }
}

// With every entry kept, what tiles scatter included, profiles hold the whole power and the whole delay.
TEST(Wideband, WholeProfilesHoldTheWholePower) {
  RayLaunchingOptions options = every_ray();
  options.delay_profile_rays = 100'000;
  options.tiles_are_targets = false;
  const RayLaunchingResult result = launch(options);
  for (std::size_t r = 0; r < around_houses.size(); ++r) {
    double gain = 0, excess = 0;
    for (const ProfileRay& ray : result.wideband.profile(r)) {
      gain += static_cast<double>(ray.path_gain);
      excess += static_cast<double>(ray.path_gain) * static_cast<double>(ray.excess_length_m);
    }
    const ArrivalSums& sums = result.receivers[r];
    EXPECT_NEAR(gain, sums.gain.value(), 1e-6 * gain);
    EXPECT_NEAR(excess, sums.excess.value() * excess_unit_m, 1e-5 * excess);
    EXPECT_TRUE(std::is_sorted(result.wideband.profile(r).begin(), result.wideband.profile(r).end(),
                               [](const ProfileRay& a, const ProfileRay& b) { return a.is_before(b); }));
  }
}

// Over open ground a ground tile has two rays, the direct one and that from the antenna's image.
TEST(Wideband, GroundTilesHaveTheTwoRays) {
  const Environment plane(testing::flat_ground(200, 200), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.wideband = true;
  options.delay_profile_rays = 4;
  const Vec3 mast{101, 97, 25};
  const auto prediction = predict(plane, mast, options, {});
  ASSERT_EQ(prediction.tiles.size(), plane.tiling.tiles.size());
  for (const std::size_t t : {std::size_t{3}, std::size_t{150}, prediction.tiles.size() - 7}) {
    SCOPED_TRACE(t);
    const Vec3 target = target_point(plane.tiling.tiles[t], options.receiver_height_m);
    const double level = norm((target - mast).xy());
    const double up = std::atan2(mast.z - target.z, level), down = std::atan2(mast.z + target.z, level);
    const auto profile = read_profile(prediction.tiles_wideband.profile(t));
    ASSERT_EQ(profile.size(), 2u);
    const double p0 = power_ratio(profile[0].second), p1 = power_ratio(profile[1].second);
    EXPECT_NEAR(profile[0].first, std::hypot(level, mast.z - target.z) / speed_of_light * 1e9, 0.051);
    EXPECT_NEAR(profile[1].first, std::hypot(level, mast.z + target.z) / speed_of_light * 1e9, 0.051);
    // √(1 − R²) of the two rays, by the angle between them.
    const auto spread = [&](double between) {
      return 2 * std::sqrt(p0 * p1) * std::fabs(std::sin(0.5 * between)) / (p0 + p1);
    };
    const WidebandPrediction& p = prediction.tiles_wideband.angles(t);
    // The profile's powers have two decimals.
    EXPECT_NEAR(radians(static_cast<double>(p.elevation_spread_deg)), spread(up + down), 2e-3);
    EXPECT_NEAR(radians(static_cast<double>(p.departure_elevation_spread_deg)), spread(down - up), 2e-4);
    EXPECT_NEAR(static_cast<double>(p.departure_azimuth_spread_deg), 0, 1e-3);
    EXPECT_NEAR(static_cast<double>(p.arrival_elevation_deg), degrees(up), 1e-4);
    EXPECT_NEAR(static_cast<double>(p.k_factor_db), profile[0].second - profile[1].second, 0.02);
  }
}

// The ground-reflected companion of scattered rays comes from below: one tile scatters, and a receiver point at the
// tile's target tells the power without the companion.
TEST(Wideband, ScatteredPowerComesFromTheGroundToo) {
  Scene scene = testing::flat_ground(100, 100);
  scene.materials.push_back({.name = "smooth ground", .scattering_coefficient = 0.0});
  scene.default_materials.ground = static_cast<std::uint16_t>(scene.materials.size() - 1);
  scene.materials.push_back({.name = "wall that mirrors nothing", .a = 1, .c = 0});
  const Environment plane(Scene(scene), 10);
  scene.prisms = {testing::box_prism(1, {46, 60}, {54, 68}, 0, 8)};
  scene.prisms.front().material = static_cast<std::uint16_t>(scene.materials.size() - 1);
  const Environment house(std::move(scene), 10);
  RayLaunchingOptions with = testing::without_scattering(1, 0, 1);
  with.wideband = true;
  with.max_scatterings = 1;
  with.scattering_model = ScatteringModel::incident;
  with.scattering_coefficient = 0.4;
  with.summation = Summation::power;
  const auto near_the_middle = [](const Tile& a, const Tile& b) {
    return norm(a.centroid.xy() - Vec2{50, 45}) < norm(b.centroid.xy() - Vec2{50, 45});
  };
  const auto ground_of = [&](const Environment& environment) {
    const std::vector<Tile>& tiles = environment.tiling.tiles;
    return static_cast<std::size_t>(std::min_element(tiles.begin(), tiles.end(), near_the_middle) - tiles.begin());
  };
  const std::size_t tile = ground_of(house), plane_tile = ground_of(plane);
  const Vec3 target = target_point(house.tiling.tiles[tile], with.receiver_height_m);
  ASSERT_EQ(target, target_point(plane.tiling.tiles[plane_tile], with.receiver_height_m));
  ASSERT_EQ(std::count_if(house.tiling.tiles.begin(), house.tiling.tiles.end(),
                          [](const Tile& t) { return t.kind == SurfaceKind::wall && t.normal.y < -0.9; }),
            1);

  const auto transmitter = testing::test_transmitter({50, 20, 4});
  auto a = house.launch(transmitter, testing::receivers_at({target}), with);
  auto b = plane.launch(transmitter, testing::receivers_at({target}), with);
  // What the house adds, at the tile and at the receiver point.
  const auto added = [&](FixedPointSum WidebandSums::*sum) {
    return std::pair((a.wideband.sums(tile).*sum).value() - (b.wideband.sums(plane_tile).*sum).value(),
                     (a.wideband.sums(a.tiles.size()).*sum).value() - (b.wideband.sums(b.tiles.size()).*sum).value());
  };
  const double gain = a.tiles[tile].gain.value() - b.tiles[plane_tile].gain.value();
  const double alone = a.receivers[0].gain.value() - b.receivers[0].gain.value();
  ASSERT_GT(gain, 1.05 * alone);
  const auto [cosines, cosines_alone] = added(&WidebandSums::cos_elevation);
  const auto [sines, sines_alone] = added(&WidebandSums::sin_elevation);
  EXPECT_GT(sines_alone / alone, 0.05);
  EXPECT_NEAR(cosines, cosines_alone * gain / alone, 1e-6 * gain);
  EXPECT_NEAR(sines, sines_alone * (2 - gain / alone), 1e-6 * gain);

  // In the local mean the receiver has it, too.
  with.summation = Summation::local_mean;
  a = house.launch(transmitter, testing::receivers_at({target}), with);
  b = plane.launch(transmitter, testing::receivers_at({target}), with);
  for (const auto sum : {&WidebandSums::cos_elevation, &WidebandSums::sin_elevation,
                         &WidebandSums::departure_cos_elevation, &WidebandSums::departure_sin_elevation}) {
    const auto [at_tile, at_receiver] = added(sum);
    EXPECT_NEAR(at_receiver, at_tile, 1e-6 * gain);
  }
}

TEST(Wideband, SameBitsForAnyNumberOfThreads) {
  testing::SyntheticCityOptions city_options;
  city_options.width_m = city_options.depth_m = 200;
  city_options.seed = 9;
  const Environment city(testing::synthetic_city(city_options), 10);
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.wideband = true;
  options.delay_profile_rays = 5;
  const auto with = [&](int threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    return arena.execute([&] { return city.launch(testing::test_transmitter({100.7, 98.3, 45}), {}, options); });
  };
  const RayLaunchingResult one = with(1), four = with(4);
  std::size_t reached = 0;
  for (std::size_t t = 0; t < one.tiles.size(); ++t) {
    ASSERT_EQ(one.wideband.sums(t), four.wideband.sums(t)) << t;
    ASSERT_TRUE(std::ranges::equal(one.wideband.profile(t), four.wideband.profile(t))) << t;
    reached += one.wideband.profile(t).size() == 5 ? 1 : 0;
  }
  EXPECT_GT(reached, one.tiles.size() / 2);
}

TEST(Wideband, AskingLeavesTheOtherSumsAsTheyAre) {
  RayLaunchingOptions options = every_ray();
  const RayLaunchingResult with = launch(options);
  options.wideband = false;
  options.delay_profile_rays = 0;
  const RayLaunchingResult without = launch(options);
  EXPECT_TRUE(with.wideband.wanted());
  EXPECT_FALSE(without.wideband.wanted());
  for (std::size_t t = 0; t < with.tiles.size(); ++t) testing::expect_same(with.tiles[t], without.tiles[t]);
  for (std::size_t r = 0; r < around_houses.size(); ++r) testing::expect_same(with.receivers[r], without.receivers[r]);
}

TEST(Wideband, ProfilesDoNotDependOnTheOrderOfArrival) {
  testing::Random random(5);
  std::vector<ProfileRay> rays;
  for (int i = 0; i < 500; ++i) {
    // Coarse numbers, so that there are equal ones.
    rays.push_back({static_cast<float>(1 + random.below(40)) * 1e-12f, static_cast<float>(random.below(30))});
  }
  std::vector<ProfileRay> expected = rays;
  std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.is_before(b); });
  expected.resize(7);
  for (int shuffle = 0; shuffle < 20; ++shuffle) {
    for (std::size_t i = rays.size(); i > 1; --i) {
      std::swap(rays[i - 1], rays[random.below(static_cast<std::uint32_t>(i))]);
    }
    WidebandTable table(2, false, 7), other(2, false, 7);
    for (std::size_t i = 0; i < rays.size(); ++i) {
      WidebandArrival arrival;
      arrival.path_gain = static_cast<double>(rays[i].path_gain);
      arrival.excess_length_m = static_cast<double>(rays[i].excess_length_m);
      (i % 3 == 0 ? other : table).add(1, arrival);
    }
    table.merge(other);
    EXPECT_TRUE(std::ranges::equal(table.profile(1), expected));
    EXPECT_TRUE(table.profile(0).empty());
  }
}

TEST(Wideband, NothingIsSaidWhereNothingArrives) {
  const WidebandPrediction p = predict_wideband({}, {});
  EXPECT_TRUE(std::isnan(p.elevation_spread_deg));
  EXPECT_TRUE(std::isnan(p.k_factor_db));
  EXPECT_EQ(delay_profile_text({}, 100, 0), "");
  EXPECT_EQ(delay_profile_text(std::vector<ProfileRay>{{1e-8f, 0}, {1e-9f, 29.979246f}}, 299.792458, 10),
            "[[1000.0,-70.00],[1100.0,-80.00]]");
}

}  // namespace
}  // namespace tesseray
