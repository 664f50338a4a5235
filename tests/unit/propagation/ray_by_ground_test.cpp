// SPDX-License-Identifier: GPL-3.0-or-later
// Rays by way of the ground that meet a house where the same ray without the ground passes over it. In the local mean
// tiles of ground that is not level bring no reflection that comes with such a ray; of one that is not there they do.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double side_m = 260, house_m = 9;
constexpr Vec3 antenna{30, 20, 8}, behind_screen{90, 28, 18}, behind_corner{120, 70, 17};

double sloping(Vec2 place, double slope) { return 100 + slope * place.x; }

// The corner of the house that the antenna sees last; all places in the plan may lie `scale` times as far from the
// antenna.
Vec2 corner(double scale = 1) { return antenna.xy() + scale * Vec2{60, 25}; }

// A low house, and a thin high screen between the antenna and what is in front of the house.
Scene low_house(const std::function<double(Vec2)>& ground_z, double scale = 1) {
  Scene scene = testing::terrain_of(side_m, side_m, 10, ground_z);
  const auto place = [&](Vec2 from_antenna) { return antenna.xy() + scale * from_antenna; };
  const double ground = ground_z(place({40, 37.5}));
  scene.prisms = {testing::box_prism(1, place({20, 25}), place({60, 50}), ground - 5, ground + house_m),
                  testing::box_prism(2, place({30, 2}), place({31, 14}), ground - 5, ground + 60)};
  return testing::with_material(std::move(scene), 5, 0.01);
}

Vec3 over(const std::function<double(Vec2)>& ground_z, Vec3 place) {
  return {place.x, place.y, place.z + ground_z(place.xy())};
}

RayLaunchingOptions options_of(int diffractions, Summation summation) {
  RayLaunchingOptions options = testing::without_scattering(3, diffractions, 3);
  options.over_rooftop = OverRooftop::none;
  options.summation = summation;
  options.ray_losses = true;
  return options;
}

std::vector<Ray> rays_at(const RayLaunchingResult& result, std::size_t receiver, const std::string& interactions) {
  std::vector<Ray> rays;
  for (const Ray& ray : result.rays) {
    if (ray.target_id == static_cast<std::int64_t>(receiver) + 1 && ray.interactions == interactions) {
      rays.push_back(ray);
    }
  }
  return rays;
}

TEST(RayByGround, MeetsAWallThatTheRayWithoutGroundPasses) {
  for (const double slope : {0.0, 1e-5, 1e-2}) {
    SCOPED_TRACE(slope);
    const auto ground_z = [&](Vec2 place) { return sloping(place, slope); };
    const Environment town(low_house(ground_z), 10);
    const Transmitter transmitter = testing::test_transmitter(over(ground_z, antenna));
    const std::vector<Receiver> receivers = testing::receivers_at({over(ground_z, behind_screen)});
    ImageTracingOptions exact_options;
    exact_options.max_reflections = 3;
    exact_options.max_diffractions = 0;
    const double exact = testing::total_gain(ImageTracer(town.scene, town.occlusion, receivers, exact_options)
                                                 .trace(transmitter, no_progress())
                                                 .receivers[0]);
    for (const Summation summation : {Summation::local_mean, Summation::power, Summation::coherent}) {
      SCOPED_TRACE(static_cast<int>(summation));
      RayLaunchingOptions options = options_of(0, summation);
      const RayLaunchingResult launched = town.launch_to_receivers(transmitter, receivers, options);
      EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[0]) / exact), 0, 0.05);
      EXPECT_EQ(launched.receivers[0].rays, 1u);
      const std::vector<Ray> listed = rays_at(launched, 0, "T-G-R");
      ASSERT_EQ(listed.size(), 1u);
      EXPECT_NEAR(testing::sum_of_losses(listed[0]), -decibels(listed[0].path_gain) - half_wave_dipole_gain_dbi, 1e-6);
      // Nor is it lost where weak rays are drawn by chance.
      options.pruning = true;
      options.pruning_from_tiles = 0;
      EXPECT_NEAR(decibels(testing::total_gain(town.launch(transmitter, receivers, options).receivers[0]) / exact), 0,
                  0.05);
    }
  }
}

TEST(RayByGround, BendsAroundACornerThatTheRayWithoutGroundPasses) {
  const auto at_corner = [](std::vector<Ray> rays, std::size_t point) {
    std::erase_if(rays, [&](const Ray& ray) { return norm(ray.points[point].xy() - corner()) > 0.1; });
    return rays;
  };
  for (const double slope : {0.0, 1e-5, 1e-2}) {
    SCOPED_TRACE(slope);
    const auto ground_z = [&](Vec2 place) { return sloping(place, slope); };
    Scene scene = low_house(ground_z);
    scene.prisms.pop_back();  // the screen would hide the corner
    const Environment town(std::move(scene), 5);
    const Transmitter transmitter = testing::test_transmitter(over(ground_z, antenna));
    const std::vector<Receiver> receivers = testing::receivers_at({over(ground_z, behind_corner)});
    const auto launched = [&](Summation summation) {
      return town.launch_to_receivers(transmitter, receivers, options_of(1, summation));
    };
    const RayLaunchingResult mean = launched(Summation::local_mean), powers = launched(Summation::power);
    EXPECT_TRUE(at_corner(rays_at(mean, 0, "T-D"), 1).empty());
    const std::vector<Ray> in_mean = at_corner(rays_at(mean, 0, "T-G-D"), 2),
                           of_powers = at_corner(rays_at(powers, 0, "T-G-D"), 2);
    ASSERT_EQ(of_powers.size(), 1u);
    ASSERT_EQ(in_mean.size(), 1u);
    EXPECT_NEAR(decibels(in_mean[0].path_gain / of_powers[0].path_gain), 0, 1e-6);
  }
}

// The reflection behind a corner passes that elsewhere than the ray without it: perhaps behind the ground that is to
// reflect it before the corner.
TEST(RayByGround, ComesToACornerFromTheFrontOfWhatReflectsItBefore) {
  const auto ground_z = [](Vec2 place) {
    return 8 * std::sin((place.x - 150) / 25) + 5 * std::cos((place.y - 150) / 18 + (place.x - 150) / 40);
  };
  Scene scene = testing::terrain_of(300, 300, 5, ground_z);
  const auto house = [&](Vec2 min, Vec2 max, double height_m) {
    const auto id = static_cast<std::int64_t>(scene.prisms.size()) + 1;
    const double ground = ground_z(0.5 * (min + max));
    scene.prisms.push_back(testing::box_prism(id, min, max, ground - 20, ground + height_m));
  };
  house({120, 145}, {140, 160}, 9);
  house({160, 155}, {190, 175}, 15);
  house({160, 100}, {190, 110}, 12);
  house({100, 180}, {130, 200}, 20);
  const Environment town(testing::with_material(std::move(scene), 5, 0.01), 4);
  const auto is_free = [&](Vec3 place) {
    return std::none_of(town.scene.prisms.begin(), town.scene.prisms.end(),
                        [&](const Prism& prism) { return contains(prism.rings, place.xy()); });
  };
  testing::Random random(1);
  const auto places = [&](std::size_t count, double height_m) {
    std::vector<Vec3> found;
    while (found.size() < count) {
      const Vec3 place = over(ground_z, {random.uniform(80, 220), random.uniform(80, 220), height_m});
      if (is_free(place)) found.push_back(place);
    }
    return found;
  };
  const std::vector<Receiver> receivers = testing::receivers_at(places(60, 3));
  std::size_t found = 0;
  for (const Vec3 from : places(8, 3)) {
    const RayLaunchingResult result =
        town.launch_to_receivers(testing::test_transmitter(from), receivers, options_of(1, Summation::local_mean));
    for (const Ray& ray : result.rays) {
      if (ray.interactions != "T-G-D-G") continue;
      double length_m = 0;
      for (std::size_t i = 0; i + 1 < ray.points.size(); ++i) length_m += norm(ray.points[i + 1] - ray.points[i]);
      EXPECT_NEAR(length_m, ray.delay_ns * 1e-9 * speed_of_light, 0.5) << ray.target_id;
      ++found;
    }
  }
  EXPECT_GT(found, 20u);
}

// Tiles that are tilted against each other may bring it several times, of which it counts once; where the ray itself
// arrives it has the reflection of the ground around.
TEST(RayByGround, CountsOnceOverUnevenGround) {
  constexpr double scale = 3;
  testing::Random random(5);
  std::vector<double> heights;
  for (int i = 0; i < 2000; ++i) heights.push_back(100 + 0.03 * random.uniform(-1, 1));
  const auto ground_z = [&](Vec2 place) {
    return heights[static_cast<std::size_t>(place.x / 10) * 30 + static_cast<std::size_t>(place.y / 10)];
  };
  const Environment town(low_house(ground_z, scale), 5);
  const Transmitter transmitter = testing::test_transmitter({antenna.x, antenna.y, 100 + antenna.z});
  std::vector<Vec3> places;
  for (double x = 160; x < 230; x += 2) {
    for (const double above_m : {5.0, 12.0, 13.0, 14.0, 15.0}) places.push_back({x, 44, 100 + above_m});
  }
  const std::vector<Receiver> receivers = testing::receivers_at(places);
  const auto launched = [&](Summation summation) {
    return town.launch_to_receivers(transmitter, receivers, options_of(0, summation));
  };
  const RayLaunchingResult mean = launched(Summation::local_mean), powers = launched(Summation::power);
  int alone = 0, several = 0, with_ray = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const auto is_by_house = [](const Ray& ray) {
      return std::ranges::any_of(ray.points, [](Vec3 p) { return std::fabs(p.y - corner(scale).y) < 0.01; });
    };
    const auto count_of = [&](const RayLaunchingResult& result, const std::string& interactions) {
      return std::ranges::count_if(rays_at(result, r, interactions), is_by_house);
    };
    const auto by_ground = [&](const RayLaunchingResult& result) {
      return count_of(result, "T-G-R") + count_of(result, "T-R-G");
    };
    if (count_of(mean, "T-R") > 0) {
      EXPECT_EQ(by_ground(mean), 1) << r;
      ++with_ray;
    } else {
      EXPECT_EQ(by_ground(mean), std::min<std::ptrdiff_t>(by_ground(powers), 1)) << r;
      alone += by_ground(mean) > 0 ? 1 : 0;
      several += by_ground(powers) > 1 ? 1 : 0;
    }
  }
  EXPECT_GE(alone, 30);
  EXPECT_GE(several, 5);
  EXPECT_GE(with_ray, 10);
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const RayLaunchingResult by_one = launched(Summation::local_mean);
  for (std::size_t r = 0; r < places.size(); ++r) {
    EXPECT_EQ(by_one.receivers[r].gain, mean.receivers[r].gain) << r;
    EXPECT_EQ(by_one.receivers[r].interference, mean.receivers[r].interference) << r;
  }
}

// Of a smooth hill or hollow about a middle, from a point over it on to another one: the shortest way by it.
double length_by_ground_m(const std::function<double(Vec2)>& ground_z, Vec3 from, Vec3 to) {
  const auto length_m = [&](Vec2 place) {
    const Vec3 met{place.x, place.y, ground_z(place)};
    return norm(met - from) + norm(to - met);
  };
  Vec2 place = 0.5 * (from + to).xy();
  for (double step_m = 10; step_m > 1e-4;) {
    Vec2 nearest = place;
    for (const Vec2 step : {Vec2{step_m, 0}, {-step_m, 0}, {0, step_m}, {0, -step_m}}) {
      if (length_m(place + step) < length_m(nearest)) nearest = place + step;
    }
    step_m *= nearest == place ? 0.5 : 1;
    place = nearest;
  }
  return length_m(place);
}

// What a wall far away sends is reflected on a round hill, or in a hollow, as by the surface itself, and at each
// height: not as by the plane around the receiver, which at the wall passes metres over the hill's foot.
TEST(RayByGround, OfAFarWallIsAsLongAsByTheRoundGround) {
  constexpr double wall_x = 40;
  for (const double radius_m : {2000.0, 4000.0, -10000.0}) {
    SCOPED_TRACE(radius_m);
    const auto ground_z = [&](Vec2 place) {
      return 100 - dot(place - Vec2{90, 60}, place - Vec2{90, 60}) / (2 * radius_m);
    };
    Scene scene = testing::terrain_of(side_m, side_m, 5, ground_z);
    scene.prisms = {testing::box_prism(1, {wall_x - 10, 20}, {wall_x, 150}, 80, 120)};
    const Environment town(testing::with_material(std::move(scene), 5, 0.01), 10);
    const Vec3 source = over(ground_z, {70, 60, 6}), image{2 * wall_x - source.x, source.y, source.z};
    std::vector<Vec3> places;
    for (double height_m = 0.75; height_m < 5; height_m += 0.25) {
      places.push_back(over(ground_z, {135, 121, height_m}));
    }
    RayLaunchingOptions options = options_of(0, Summation::local_mean);
    options.rays_per_receiver = 30;
    const RayLaunchingResult launched =
        town.launch_to_receivers(testing::test_transmitter(source), testing::receivers_at(places), options);
    for (std::size_t r = 0; r < places.size(); ++r) {
      const std::vector<Ray> by_ground = rays_at(launched, r, "T-R-G");
      ASSERT_EQ(by_ground.size(), 1u) << r;
      const double length_m = by_ground[0].delay_ns * 1e-9 * speed_of_light;
      // The difference to the straight ray's length, on which their interference goes.
      const double straight_m = norm(places[r] - image), expected_m = length_by_ground_m(ground_z, image, places[r]);
      EXPECT_NEAR((length_m - straight_m) / (expected_m - straight_m), 1, 0.06) << r;
    }
  }
}

}  // namespace
}  // namespace tesseray
