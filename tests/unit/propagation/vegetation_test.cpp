// SPDX-License-Identifier: GPL-3.0-or-later
// Vegetation: metres inside prisms against closed forms and against plain interval arithmetic, and what it takes from
// each leg of each ray.
#include "core/physics/vegetation.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/vegetation/vegetation_loss.h"
#include "core/propagation/vegetation/vegetation_pairs.h"
#include "core/propagation/vegetation/vegetation_skyline.h"
#include "core/scene/ground_plan/polygon.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

Ring rectangle(Vec2 min, Vec2 max) { return {min, {max.x, min.y}, max, {min.x, max.y}}; }
Ring clockwise(Ring ring) {
  std::reverse(ring.begin(), ring.end());
  return ring;
}
VegetationArea wood(Rings rings, double bottom_z, double top_z) { return {1, std::move(rings), bottom_z, top_z}; }
VegetationArea box(Vec2 min, Vec2 max, double bottom_z, double top_z) {
  return wood({rectangle(min, max)}, bottom_z, top_z);
}

// The same by intervals over the plan, cut at tops and bottoms, and their union; not for steep ways.
double length_by_intervals(const std::vector<VegetationArea>& areas, Vec3 a, Vec3 b) {
  const Vec2 way = b.xy() - a.xy();
  const double plan = norm(way), slope = (b.z - a.z) / plan;
  std::vector<Interval> all;
  for (const VegetationArea& area : areas) {
    std::vector<Interval> inside;
    append_inside_intervals(area.rings, a.xy(), (1 / plan) * way, plan, inside);
    for (Interval interval : inside) {
      if (slope == 0) {
        // A level way along the bottom or the top is inside.
        if (a.z < area.bottom_z || a.z > area.top_z) continue;
      } else {
        const double bottom = (area.bottom_z - a.z) / slope, top = (area.top_z - a.z) / slope;
        interval.low = std::max(interval.low, std::min(bottom, top));
        interval.high = std::min(interval.high, std::max(bottom, top));
      }
      if (interval.low < interval.high) all.push_back(interval);
    }
  }
  std::sort(all.begin(), all.end(), [](const Interval& x, const Interval& y) { return x.low < y.low; });
  double sum = 0, reached = 0;
  for (const Interval& interval : all) {
    sum += std::max(0.0, interval.high - std::max(interval.low, reached));
    reached = std::max(reached, interval.high);
  }
  return sum * norm(b - a) / plan;
}

TEST(VegetationPrisms, KnownLengths) {
  // A wood of 50 m by 40 m and 10 m height with a clearing of 20 m by 20 m.
  const VegetationPrisms prisms(
      {wood({rectangle({100, 0}, {150, 40}), clockwise(rectangle({110, 10}, {130, 30}))}, 0, 10)});
  EXPECT_NEAR(prisms.length_inside({0, 5, 4}, {300, 5, 4}), 50, 1e-9);
  EXPECT_NEAR(prisms.length_inside({0, 20, 4}, {300, 20, 4}), 30, 1e-9) << "across the clearing";
  EXPECT_NEAR(prisms.length_inside({120, 20, 4}, {300, 20, 4}), 20, 1e-9) << "from the clearing";
  EXPECT_NEAR(prisms.length_inside({105, 5, 4}, {105, 35, 4}), 30, 1e-9) << "within";
  EXPECT_EQ(prisms.length_inside({0, 5, 10.5}, {300, 5, 10.5}), 0);
  EXPECT_EQ(prisms.length_inside({0, 5, -1}, {300, 5, -1}), 0);
  EXPECT_EQ(prisms.length_inside({0, 50, 4}, {300, 50, 4}), 0);
  EXPECT_NEAR(prisms.length_inside({140, 20, 30}, {140, 20, -30}), 10, 1e-9) << "straight down";
  EXPECT_EQ(prisms.length_inside({120, 20, 30}, {120, 20, -30}), 0) << "straight down in the clearing";
  EXPECT_EQ(prisms.length_inside({140, 20, 3}, {140, 20, 3}), 0);
  // In through the top at x = 120, out at the far side at x = 150, by a slope of 1/10.
  EXPECT_NEAR(prisms.length_inside({70, 5, 15}, {170, 5, 5}), 30 * std::sqrt(1.01), 1e-9);
  // In at the side at x = 100, out through the bottom at x = 130.
  EXPECT_NEAR(prisms.length_inside({90, 5, 4}, {140, 5, -1}), 30 * std::sqrt(1.01), 1e-9);
  // In through the top and out through the bottom: 10 m down at 45°.
  EXPECT_NEAR(prisms.length_inside({102, 5, 20}, {132, 5, -10}), 10 * std::sqrt(2.0), 1e-9);
}

TEST(VegetationPrisms, RaisedCrownsLeaveTheWayBelowFree) {
  const VegetationPrisms prisms({box({0, 0}, {60, 10}, 3, 8)});
  EXPECT_EQ(prisms.length_inside({-10, 5, 1.5}, {100, 5, 1.5}), 0);
  EXPECT_NEAR(prisms.length_inside({-10, 5, 5}, {100, 5, 5}), 60, 1e-9);
  EXPECT_NEAR(prisms.length_inside({20, 5, 1}, {20, 5, 20}), 5, 1e-9);
}

TEST(VegetationPrisms, OverlappingAreasCountOnce) {
  const VegetationPrisms prisms(
      {box({0, 0}, {40, 10}, 0, 10), box({30, 0}, {70, 10}, 0, 6), box({5, 2}, {20, 8}, 0, 4)});
  EXPECT_NEAR(prisms.length_inside({-5, 5, 3}, {100, 5, 3}), 70, 1e-9);
  EXPECT_NEAR(prisms.length_inside({-5, 5, 8}, {100, 5, 8}), 40, 1e-9);
  EXPECT_NEAR(prisms.length_inside({35, 5, 50}, {35, 5, 0}), 10, 1e-9);
}

// A ring about a centre that no straight line need cross but twice.
Ring star(testing::Random& random, Vec2 centre, double least, double most, int vertices) {
  Ring ring;
  for (int v = 0; v < vertices; ++v) {
    const double angle = 2 * pi * v / vertices, radius = random.uniform(least, most);
    ring.push_back({snapped(centre.x + radius * std::cos(angle)), snapped(centre.y + radius * std::sin(angle))});
  }
  return ring;
}

// Pieces of one wood share sides: a way exactly along one is inside, once.
TEST(VegetationPrisms, SharedSidesAreInside) {
  const VegetationPrisms prisms(
      {box({100, 0}, {150, 100}, 0, 10), box({150, 0}, {200, 40}, 0, 10), box({150, 40}, {200, 100}, 0, 12)});
  EXPECT_NEAR(prisms.length_inside({150, -20, 4}, {150, 120, 4}), 100, 1e-9);
  EXPECT_NEAR(prisms.length_inside({150, 120, 4}, {150, -20, 4}), 100, 1e-9);
  EXPECT_NEAR(prisms.length_inside({160, 40, 4}, {300, 40, 4}), 40, 1e-9);
  EXPECT_NEAR(prisms.length_inside({110, 40, 4}, {300, 40, 4}), 90, 1e-9);
}

TEST(VegetationPrisms, AgreeWithPlainIntervals) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    testing::Random random(seed);
    std::vector<VegetationArea> areas;
    for (int a = 0; a < 40; ++a) {
      const Vec2 centre{std::round(random.uniform(0, 800)), std::round(random.uniform(0, 500))};
      const double size = random.uniform(3, 90), bottom = random.uniform(-3, 4), height = random.uniform(3, 25);
      if (a % 4 == 0) {
        areas.push_back(box(centre, centre + Vec2{8 * std::ceil(size / 8), 16}, bottom, bottom + height));
        continue;
      }
      const int vertices = a % 4 == 1 ? 120 : 9;
      areas.push_back(wood({star(random, centre, 0.5 * size, size, vertices)}, bottom, bottom + height));
      if (a % 4 == 3) areas.back().rings.push_back(clockwise(star(random, centre, 0.1 * size, 0.3 * size, 7)));
    }
    const VegetationPrisms prisms(areas);
    std::size_t inside = 0;
    for (int pair = 0; pair < 20'000; ++pair) {
      Vec3 a{random.uniform(-100, 900), random.uniform(-100, 600), random.uniform(0, 40)};
      Vec3 b{random.uniform(-100, 900), random.uniform(-100, 600), random.uniform(0, 20)};
      if (pair % 2 == 0) b = a + Vec3{random.uniform(-40, 40), random.uniform(-40, 40), random.uniform(-5, 5)};
      // Along the axes and through vertices as well.
      if (pair % 5 == 0) a = {std::round(a.x), std::round(a.y), a.z}, b = {a.x, std::round(b.y), b.z};
      if (pair % 5 == 1) a = {std::round(a.x), std::round(a.y), a.z}, b = {std::round(b.x), a.y, a.z};
      if (norm(b.xy() - a.xy()) < 1) continue;
      const double length = prisms.length_inside(a, b);
      ASSERT_EQ(length, prisms.length_inside(b, a));
      // A way along a side is on either side of it.
      const bool along_an_axis = a.x == b.x || a.y == b.y;
      if (along_an_axis && std::any_of(areas.begin(), areas.end(), [&](const VegetationArea& area) {
            return std::any_of(area.rings[0].begin(), area.rings[0].end(),
                               [&](Vec2 p) { return a.x == b.x ? p.x == a.x : p.y == a.y; });
          })) {
        continue;
      }
      ASSERT_NEAR(length, length_by_intervals(areas, a, b), 1e-6) << "seed " << seed << ", pair " << pair;
      inside += length > 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 5'000u);
  }
}

// No leg that meets vegetation may be missed; and most of those that meet none are told, or it would be of no use.
TEST(VegetationSkyline, MissesNoLegThatMeetsVegetation) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    testing::Random random(seed);
    std::vector<VegetationArea> areas;
    for (int a = 0; a < 30; ++a) {
      const Vec2 centre{random.uniform(0, 3000), random.uniform(0, 2000)};
      const double size = random.uniform(3, 60), bottom = random.uniform(-3, 4);
      areas.push_back(wood({star(random, centre, 0.5 * size, size, 9)}, bottom, bottom + random.uniform(3, 25)));
    }
    const VegetationPrisms prisms(areas);
    const VegetationBoxes boxes(prisms);
    VegetationSkyline skyline(boxes);
    std::size_t meet = 0, behind_none = 0, clear = 0;
    for (int place = 0; place < 60; ++place) {
      // In the open, within an area, far outside; at the ground and above all trees.
      Vec3 from{random.uniform(-300, 3300), random.uniform(-300, 2300), random.uniform(0, 40)};
      const Vec2 on_outline = areas[static_cast<std::size_t>(place / 3)].rings[0][0];
      if (place % 3 == 0) from = {on_outline.x + 1, on_outline.y, from.z};
      std::vector<Vec3> points;
      std::vector<std::uint32_t> numbers;
      for (std::uint32_t n = 0; n < 2000; ++n) {
        Vec3 to{random.uniform(-300, 3300), random.uniform(-300, 2300), random.uniform(0, 40)};
        if (n % 3 == 0) to = from + Vec3{random.uniform(-80, 80), random.uniform(-80, 80), random.uniform(-9, 9)};
        if (n % 7 == 0) to.x = from.x;
        if (n % 11 == 0) to.y = from.y;
        points.push_back(to);
        numbers.push_back(n);
      }
      const auto behind = skyline.find_behind(from, &points.front().x, numbers);
      for (std::size_t n = 0, b = 0; n < points.size(); ++n) {
        const bool told = b < behind.size() && behind[b] == n;
        b += told ? 1 : 0;
        const bool meets = prisms.length_inside(from, points[n]) > 0;
        ASSERT_TRUE(told || !meets) << "seed " << seed << ", place " << place << ", leg " << n;
        ++(meets ? meet : told ? behind_none : clear);
      }
    }
    EXPECT_GT(meet, 2'000u);
    EXPECT_GT(clear, 3 * behind_none);
  }
}

TEST(VegetationLoss, ByModelAndFrequency) {
  const VegetationPrisms prisms({box({0, 0}, {100, 10}, 0, 10)});
  const Vec3 a{-5, 5, 5}, b{105, 5, 5};
  const auto loss_db = [&](VegetationModel model, double db_per_m, double frequency_hz) {
    return -20 * std::log10(VegetationLoss(prisms, model, db_per_m, frequency_hz).amplitude(a, b));
  };
  EXPECT_NEAR(loss_db(VegetationModel::per_metre, 0.04, 850e6), 4, 1e-9);
  EXPECT_NEAR(loss_db(VegetationModel::per_metre, 0.25, 5e9), 25, 1e-9);
  EXPECT_EQ(loss_db(VegetationModel::none, 0.04, 850e6), 0);
  EXPECT_FALSE(VegetationLoss(prisms, VegetationModel::none, 0.04, 850e6).any());
  EXPECT_FALSE(VegetationLoss(prisms, VegetationModel::per_metre, 0, 850e6).any());
  EXPECT_FALSE(VegetationLoss(VegetationPrisms({}), VegetationModel::p833, 0.04, 850e6).any());
  // The table's own frequencies: A_m (1 − e^{−dγ/A_m}).
  EXPECT_NEAR(loss_db(VegetationModel::p833, 0, 105.9e6), 9.4 * (1 - std::exp(-0.04 * 100 / 9.4)), 1e-9);
  EXPECT_NEAR(loss_db(VegetationModel::p833, 0, 949e6), 26.5 * (1 - std::exp(-0.17 * 100 / 26.5)), 1e-9);
  EXPECT_NEAR(loss_db(VegetationModel::p833, 0, 2117.5e6), 34.1 * (1 - std::exp(-0.34 * 100 / 34.1)), 1e-9);
  // Between and beyond them it grows with the frequency.
  double last = 0;
  for (double frequency_hz = 50e6; frequency_hz < 20e9; frequency_hz *= 1.1) {
    const double here = loss_db(VegetationModel::p833, 0, frequency_hz);
    EXPECT_GT(here, last) << frequency_hz;
    last = here;
  }
}

// Over open ground with walls: a long house north of the street, a small one south of it.
Scene street(bool with_ground) {
  Scene scene = testing::flat_ground(400, 400);
  if (!with_ground) scene.extent = {};
  scene.prisms = {testing::box_prism(1, {120, 200}, {260, 212}, 0, 20),
                  testing::box_prism(2, {170, 150}, {200, 166}, 0, 12)};
  return scene;
}

std::vector<VegetationArea> street_trees() {
  return {box({130, 170}, {165, 195}, 0, 9), box({150, 160}, {172, 180}, 2, 7),
          wood({rectangle({205, 150}, {250, 199}), clockwise(rectangle({215, 160}, {235, 180}))}, 0, 15)};
}

Scene with_trees(Scene scene, std::vector<VegetationArea> trees) {
  scene.vegetation = std::move(trees);
  return scene;
}

double gain_db(double with, double without) { return 10 * std::log10(with / without); }

TEST(VegetationOnRays, DirectRayLosesMetresTimesDecibels) {
  const Vec3 antenna{20, 20, 10};
  const std::vector<Vec3> receivers{{220, 20, 10}, {220, 20, 1.5}, {20, 300, 4}};
  const Environment bare(testing::flat_ground(400, 400), 10);
  // 50 m of the first way; the second goes in through the top (8 m) and out at the side; the third passes by.
  const Environment wooded(
      with_trees(testing::flat_ground(400, 400), {box({70, 0}, {120, 40}, 0, 12), box({150, 10}, {200, 30}, 0, 2.35)}),
      10);
  RayLaunchingOptions options = testing::direct_only();
  options.vegetation_db_per_m = 0.1;
  const auto with = wooded.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), options);
  const auto without = bare.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), options);
  // Height 10 − 8.5 (x − 20)/200: below 2.35 m from x = 200 on.
  const double per_metre_of_plan = std::sqrt(1 + 0.0425 * 0.0425);
  const double expected_m[] = {50, 50 * per_metre_of_plan, 0};
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    EXPECT_NEAR(gain_db(with.receivers[r].gain.value(), without.receivers[r].gain.value()), -0.1 * expected_m[r], 1e-6);
  }
}

TEST(VegetationOnRays, GroundCompanionLosesItsOwnLegs) {
  const Vec3 antenna{20, 20, 30};
  const Environment bare(testing::flat_ground(200, 200), 10);
  const std::vector<VegetationArea> trees{box({60, 0}, {140, 140}, 0, 7), box({100, 100}, {180, 180}, 0, 1)};
  const Environment wooded(with_trees(testing::flat_ground(200, 200), trees), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.summation = Summation::power;
  options.vegetation_db_per_m = 0.3;
  const Transmitter transmitter = testing::test_transmitter(antenna);
  const auto with = wooded.launch(transmitter, {}, options);
  const auto without = bare.launch(transmitter, {}, options);
  const double lambda = wavelength_m(transmitter.frequency_hz);
  const auto left = [&](double length_m) { return std::pow(10, -0.03 * length_m); };
  std::size_t compared = 0;
  for (std::size_t t = 0; t < bare.tiling.tiles.size(); ++t) {
    if (without.tiles[t].rays != 2) continue;
    const Vec3 ground = bare.tiling.tiles[t].centroid, target = ground + Vec3{0, 0, options.receiver_height_m};
    const double direct = std::pow(lambda / (4 * pi * norm(target - antenna)), 2);
    const double companion = without.tiles[t].gain.value() - direct;
    const double share = 30 / (30 + options.receiver_height_m);
    const Vec2 there = antenna.xy() + share * (target.xy() - antenna.xy());
    const Vec3 on_ground{there.x, there.y, 0};
    const double direct_m = length_by_intervals(trees, antenna, target);
    const double companion_m =
        length_by_intervals(trees, antenna, on_ground) + length_by_intervals(trees, on_ground, target);
    EXPECT_NEAR(with.tiles[t].gain.value(), direct * left(direct_m) + companion * left(companion_m), 1e-6 * direct);
    compared += companion_m > direct_m ? 1 : 0;
  }
  EXPECT_GT(compared, 80u);
}

// Where the legs of a ray run: antenna, what it interacts with, target; over the roofs, their edges before.
std::vector<Vec3> leg_points(const Environment& town, const Ray& ray) {
  std::vector<Vec3> points{ray.points.front()};
  if (ray.interactions.rfind("T-O", 0) == 0) {
    // The edges stand in the vertical plane to the tile that reflects the ray, which leaves the last one aside of it.
    const std::size_t edges = ray.points.size() - 2 - ray.elements.size();
    const Vec3 to = ray.elements.empty() ? ray.points.back() : town.tiling.tiles[ray.elements[0]].centroid;
    const Vec2 start = ray.points.front().xy(), way = to.xy() - start;
    for (std::size_t e = 1; e <= edges; ++e) {
      const Vec2 place = start + (dot(ray.points[e].xy() - start, way) / dot(way, way)) * way;
      points.push_back({place.x, place.y, ray.points[e].z});
    }
  }
  for (const std::uint32_t element : ray.elements) {
    const std::size_t tiles = town.tiling.tiles.size();
    points.push_back(element < tiles ? town.tiling.tiles[element].centroid
                                     : town.tiling.edges[element - tiles].midpoint);
  }
  points.push_back(ray.points.back());
  return points;
}

double length_along(const std::vector<VegetationArea>& trees, const std::vector<Vec3>& points) {
  double sum = 0;
  for (std::size_t p = 1; p < points.size(); ++p) sum += length_by_intervals(trees, points[p - 1], points[p]);
  return sum;
}

const Ray* same_ray(const std::vector<Ray>& rays, const Ray& ray) {
  const auto found = std::find_if(rays.begin(), rays.end(), [&](const Ray& other) {
    return other.target_id == ray.target_id && other.interactions == ray.interactions && other.elements == ray.elements;
  });
  return found == rays.end() ? nullptr : &*found;
}

struct Compared {
  std::size_t rays = 0, attenuated = 0;
};

// Every ray with trees is one without, less `db_per_m` times its metres inside; by their interactions.
std::map<std::string, Compared> expect_legs(const Environment& wooded, const RayLaunchingResult& with,
                                            const RayLaunchingResult& without, double db_per_m) {
  std::map<std::string, Compared> compared;
  EXPECT_EQ(with.rays.size(), without.rays.size());
  for (const Ray& ray : with.rays) {
    const Ray* bare = same_ray(without.rays, ray);
    if (bare == nullptr) {
      ADD_FAILURE() << ray.interactions << " is not there without trees";
      continue;
    }
    const double length_m = length_along(wooded.scene.vegetation, leg_points(wooded, ray));
    // What the ground before the roofs sends over them is part of the ray and has legs of its own.
    const double alike_db = ray.interactions.starts_with("T-O") ? 0.01 : 1e-6;
    EXPECT_NEAR(gain_db(ray.path_gain, bare->path_gain), -db_per_m * length_m, alike_db) << ray.interactions;
    EXPECT_EQ(ray.delay_ns, bare->delay_ns);
    Compared& kind = compared[ray.interactions];
    ++kind.rays;
    kind.attenuated += length_m > 1 ? 1 : 0;
  }
  return compared;
}

const Vec3 street_antenna{150, 120, 10};
const std::vector<Vec3> street_receivers{{150, 186, 1.5}, {195, 183, 2.5}, {185, 178, 6}, {235, 140, 1.5}};

TEST(VegetationOnRays, ReflectedAndDiffractedRaysLoseOnEachLeg) {
  const Environment bare(street(false), 4), wooded(with_trees(street(false), street_trees()), 4);
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  const Transmitter transmitter = testing::test_transmitter(street_antenna);
  const auto receivers = testing::receivers_at(street_receivers);
  const auto compared = expect_legs(wooded, wooded.launch(transmitter, receivers, options),
                                    bare.launch(transmitter, receivers, options), options.vegetation_db_per_m);
  for (const char* kind : {"T", "T-R", "T-D", "T-R-D", "T-D-R", "T-R-R"}) {
    ASSERT_TRUE(compared.contains(kind)) << kind;
    EXPECT_GT(compared.at(kind).attenuated, 0u) << kind;
  }
}

TEST(VegetationOnRays, ScatteredRaysLoseOnEachLeg) {
  const Environment bare(street(false), 5), wooded(with_trees(street(false), street_trees()), 5);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 3);
  options.max_scatterings = options.max_after_scattering = 1;
  options.scattered_rays = true;
  options.rays_per_receiver = 1'000'000;
  options.summation = Summation::power;
  const Transmitter transmitter = testing::test_transmitter(street_antenna);
  const auto receivers = testing::receivers_at(street_receivers);
  const auto with = wooded.launch(transmitter, receivers, options);
  const auto compared =
      expect_legs(wooded, with, bare.launch(transmitter, receivers, options), options.vegetation_db_per_m);
  for (const char* kind : {"T-S", "T-R-S", "T-D-S", "T-S-R", "T-S-D"}) {
    ASSERT_TRUE(compared.contains(kind)) << kind;
    EXPECT_GT(compared.at(kind).attenuated, 10u) << kind;
  }
  // What is summed is what the rays have.
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double sum = 0;
    for (const Ray& ray : with.rays) sum += ray.target_id == receivers[r].receiver_id ? ray.path_gain : 0;
    EXPECT_NEAR(gain_db(with.receivers[r].gain.value(), sum), 0, 1e-4);
  }
}

TEST(VegetationOnRays, RaysOverRoofsLoseAlongTheString) {
  const auto scene = [] {
    Scene town = testing::flat_ground(660, 240);
    town.prisms = {testing::box_prism(1, {350, 10}, {365, 230}, 0, 12),
                   testing::box_prism(2, {450, 20}, {470, 220}, 0, 11),
                   // The antenna's: the way by the ground before the first edge meets other trees.
                   testing::box_prism(3, {90, 110}, {110, 130}, 0, 4)};
    return town;
  };
  const std::vector<VegetationArea> trees{box({150, 0}, {250, 240}, 0, 16), box({352, 100}, {362, 140}, 0, 14),
                                          box({380, 0}, {440, 240}, 0, 8)};
  const Environment bare(scene(), 5), wooded(with_trees(scene(), trees), 5);
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  options.over_rooftop = OverRooftop::screens;
  const Transmitter transmitter = testing::test_transmitter({100, 120, 14});
  const auto receivers = testing::receivers_at({{400, 121, 3}, {640, 120, 3}});
  const auto compared = expect_legs(wooded, wooded.launch(transmitter, receivers, options),
                                    bare.launch(transmitter, receivers, options), options.vegetation_db_per_m);
  for (const char* kind : {"T-O", "T-O-R"}) {
    ASSERT_TRUE(compared.contains(kind)) << kind;
    EXPECT_GT(compared.at(kind).attenuated, 0u) << kind;
  }
}

TEST(VegetationOnRays, TakesTheSameThereAndBack) {
  const Environment bare(street(true), 5), wooded(with_trees(street(true), street_trees()), 5);
  RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  std::size_t compared = 0;
  const std::vector<Vec3> ends{{150, 120, 10}, {150, 186, 1.5}, {195, 183, 2.5}, {235, 140, 1.5}};
  const auto launch = [&](const Environment& town, Vec3 from, Vec3 to) {
    return town.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), options);
  };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto there = launch(wooded, ends[i], ends[j]), bare_there = launch(bare, ends[i], ends[j]);
      const auto back = launch(wooded, ends[j], ends[i]), bare_back = launch(bare, ends[j], ends[i]);
      for (const Ray& ray : there.rays) {
        Ray reversed = ray;
        std::reverse(reversed.elements.begin(), reversed.elements.end());
        std::string& kind = reversed.interactions;
        std::reverse(kind.begin() + 1, kind.end());
        if (kind.size() > 1) kind = "T-" + kind.substr(1, kind.size() - 2);
        const Ray *one = same_ray(bare_there.rays, ray), *other = same_ray(back.rays, reversed),
                  *bare_other = same_ray(bare_back.rays, reversed);
        ASSERT_NE(one, nullptr);
        if (other == nullptr || bare_other == nullptr || one->path_gain == ray.path_gain) continue;
        ++compared;
        EXPECT_NEAR(gain_db(ray.path_gain, one->path_gain), gain_db(other->path_gain, bare_other->path_gain), 1e-9)
            << ray.interactions;
      }
    }
  }
  EXPECT_GT(compared, 20u);
}

Scene city() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 300;
  options.seed = 9;
  Scene scene = testing::synthetic_city(options);
  for (int k = 0; k < 12; ++k) {
    const Vec2 corner{20.0 * k + 5, 25.0 * ((5 * k) % 12)};
    scene.vegetation.push_back(box(corner, corner + Vec2{35, 20}, -20, 18));
  }
  return scene;
}

RayLaunchingOptions everything() {
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.summation = Summation::power;
  options.rays_per_receiver = 20;
  options.scattered_rays = true;
  return options;
}

RayLaunchingResult launch_in(const Environment& town, const RayLaunchingOptions& options) {
  Transmitter transmitter = testing::test_transmitter({150.7, 148.3, 45});
  transmitter.erp_dbm = 40;
  return town.launch(transmitter, testing::receivers_at({{30.2, 60.1, 22}, {151, 30, 18}}), options);
}

void expect_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  EXPECT_EQ(a.tubes, b.tubes);
  ASSERT_EQ(a.tiles.size(), b.tiles.size());
  for (std::size_t t = 0; t < a.tiles.size() && !::testing::Test::HasFailure(); ++t) {
    testing::expect_same(a.tiles[t], b.tiles[t]);
  }
  ASSERT_EQ(a.receivers.size(), b.receivers.size());
  for (std::size_t r = 0; r < a.receivers.size(); ++r) testing::expect_same(a.receivers[r], b.receivers[r]);
}

TEST(VegetationPairs, AreTheLengthsBetweenTheMembersOfRows) {
  const Environment town(city(), 10);
  const VegetationPrisms prisms(town.scene.vegetation);
  const TargetPoints points(town.tiling, {}, 1.5);
  const VegetationPairs pairs(prisms, *town.visibility, {}, points, no_progress());
  std::vector<std::uint32_t> row;
  std::size_t inside = 0;
  for (std::uint32_t element = 0; element < points.element_count(); ++element) {
    town.visibility->read_row(element, row);
    std::size_t in_row = 0;
    for (const std::uint32_t member : row) {
      const double length_m = prisms.length_inside(points.reference(element), points.reference(member));
      ASSERT_EQ(pairs.length_m(element, member), static_cast<float>(length_m)) << element << " and " << member;
      in_row += length_m > 0 ? 1 : 0;
    }
    ASSERT_EQ(pairs.row(element).size(), in_row);
    inside += in_row;
  }
  EXPECT_GT(inside, 10'000u);
  EXPECT_FALSE(VegetationPairs(VegetationPrisms({}), *town.visibility, {}, points, no_progress()).known());
}

// Without tiles as targets no lengths are kept: what arrives at receivers is the same.
TEST(VegetationOnRays, ReceiversAloneGetTheSame) {
  const Environment town(city(), 10);
  RayLaunchingOptions options = everything();
  const RayLaunchingResult expected = launch_in(town, options);
  options.tiles_are_targets = false;
  const RayLaunchingResult result = launch_in(town, options);
  ASSERT_EQ(result.receivers.size(), expected.receivers.size());
  for (std::size_t r = 0; r < expected.receivers.size(); ++r) {
    testing::expect_same(result.receivers[r], expected.receivers[r]);
  }
}

TEST(VegetationOnRays, SameBitsForAnyNumberOfThreads) {
  const Environment town(city(), 10);
  for (const VegetationModel model : {VegetationModel::per_metre, VegetationModel::p833}) {
    RayLaunchingOptions options = everything();
    options.vegetation = model;
    const auto with = [&](int threads) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      tbb::task_arena arena(threads);
      return arena.execute([&] { return launch_in(town, options); });
    };
    const RayLaunchingResult expected = with(1);
    for (const int threads : {2, 7}) {
      SCOPED_TRACE(threads);
      expect_same(with(threads), expected);
    }
  }
}

TEST(VegetationOnRays, NoneIsAsWithoutAnyAndMoreIsNeverStronger) {
  Scene bare = city();
  bare.vegetation.clear();
  const Environment without(std::move(bare), 10), town(city(), 10);
  RayLaunchingOptions options = everything();
  const RayLaunchingResult expected = launch_in(without, options);
  options.vegetation = VegetationModel::none;
  expect_same(launch_in(town, options), expected);

  RayLaunchingResult last = expected;
  std::size_t weaker = 0;
  for (const double db_per_m : {0.02, 0.04, 0.2}) {
    options.vegetation = VegetationModel::per_metre;
    options.vegetation_db_per_m = db_per_m;
    RayLaunchingResult here = launch_in(town, options);
    for (std::size_t t = 0; t < here.tiles.size(); ++t) {
      EXPECT_LE(here.tiles[t].gain.value(), last.tiles[t].gain.value());
      EXPECT_LE(here.tiles[t].rays, last.tiles[t].rays);
      weaker += here.tiles[t].gain.value() < last.tiles[t].gain.value() ? 1 : 0;
    }
    last = std::move(here);
  }
  EXPECT_GT(weaker, last.tiles.size());
}

// Two rows of houses along an avenue of 20 m, with a row of trees in front of either.
Scene avenue() {
  Scene scene = testing::flat_ground(240, 140);
  scene.prisms = {testing::box_prism(1, {20, 30}, {220, 60}, 0, 15),
                  testing::box_prism(2, {20, 80}, {220, 110}, 0, 15)};
  return scene;
}

// Where the ground reflects as a whole, below the line of sight or along it, receivers' reflections pass the wood, too.
TEST(VegetationOnRays, TakesItsPartOfWhatUnevenGroundReflects) {
  constexpr double decibels_per_m = 0.2, wood_m = 60;
  const auto uneven = [] {
    return testing::terrain_of(500, 60, 10, [](Vec2 p) { return std::sin(2 * pi * p.x / 90); });
  };
  Scene with_wood = uneven();
  with_wood.vegetation = {box({150, -10}, {150 + wood_m, 70}, -20, 60)};
  const Environment bare(uneven(), 10), wooded(std::move(with_wood), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 50;
  options.vegetation = VegetationModel::per_metre;
  options.vegetation_db_per_m = decibels_per_m;
  for (const double antenna_height_m : {4.0, 30.0}) {
    const Vec3 from{50, 33, bare.scene.terrain.height_at({50, 33}) + antenna_height_m},
        to{400, 33, bare.scene.terrain.height_at({400, 33}) + 1.5};
    const auto reflected_gain = [&](const Environment& environment) {
      const auto receivers = testing::receivers_at({to});
      for (const Ray& ray : environment.launch(testing::test_transmitter(from), receivers, options).rays) {
        if (ray.interactions == "T-G") return ray.path_gain;
      }
      ADD_FAILURE() << "no reflection on the ground";
      return 0.0;
    };
    // Both legs are level, nearly.
    EXPECT_NEAR(decibels(reflected_gain(bare) / reflected_gain(wooded)), decibels_per_m * wood_m, 0.1)
        << antenna_height_m;
  }
}

// Behind a corner low trees take what the ground reflects there, on any ground, and where the limits end the rays at
// the corner, so that each brings its reflection along.
TEST(VegetationOnRays, TakesTheReflectionBehindACornerOnAnyGround) {
  const auto gain = [](double slope, int bounces, bool has_trees) {
    const auto height_at = [slope](Vec2 p) { return slope * p.x; };
    Scene scene = testing::terrain_of(400, 160, 20, height_at);
    scene.prisms = {testing::box_prism(1, {100, 10}, {110, 75}, -1, 60)};
    scene.prisms[0].rings = {{{100, 10}, {110, 10}, {105, 75}}};
    if (has_trees) scene.vegetation = {box({140, 0}, {240, 160}, -1, 2.2)};
    const Environment town(std::move(scene), 10);
    RayLaunchingOptions options = testing::without_scattering(1, 1, bounces);
    options.over_rooftop = OverRooftop::none;
    options.vegetation_db_per_m = 0.3;
    const auto receivers = testing::receivers_at({{340, 60, height_at({340, 60}) + 4}});
    const Transmitter transmitter = testing::test_transmitter({55, 65, height_at({55, 65}) + 4});
    return testing::total_gain(town.launch_to_receivers(transmitter, receivers, options).receivers[0]);
  };
  const double bare = gain(0, 2, false), wooded = gain(0, 2, true);
  EXPECT_LT(gain_db(wooded, bare), -3);
  for (const double slope : {0.0, 1e-3}) {
    for (const int bounces : {1, 2}) {
      EXPECT_NEAR(gain_db(gain(slope, bounces, true), wooded), 0, 0.2) << "slope " << slope << ", " << bounces;
    }
  }
}

// The lines of docs/validation.md: the effect of vegetation alone.
TEST(VegetationOnRays, AvenueOfThePage) {
  const std::vector<VegetationArea> trees{box({30, 61}, {210, 66}, 2.5, 9), box({30, 74}, {210, 79}, 2.5, 9)};
  const Environment bare(avenue(), 5), wooded(with_trees(avenue(), trees), 5);
  Transmitter transmitter = testing::test_transmitter({5, 70, 6});
  transmitter.erp_dbm = 40;
  const double eirp_dbm = transmitter.erp_dbm + half_wave_dipole_gain_dbi;
  const std::vector<Vec3> places{{60, 70, 1.5}, {200, 70, 1.5}, {60, 63, 1.5}, {200, 63, 1.5}, {120, 120, 1.5}};
  const std::vector<std::string> names{"on the axis, 55 m", "on the axis, 195 m", "under the trees, 55 m",
                                       "under the trees, 195 m", "behind the houses, 125 m"};
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.summation = Summation::power;
  const auto receivers = testing::receivers_at(places);
  const auto path_losses = [&](const Environment& town, VegetationModel model) {
    options.vegetation = model;
    const RayLaunchingResult result = town.launch(transmitter, receivers, options);
    std::vector<double> losses;
    for (const ArrivalSums& sums : result.receivers) {
      losses.push_back(transmitter.erp_dbm - eirp_dbm - 10 * std::log10(sums.gain.value()));
    }
    return losses;
  };
  const auto without = path_losses(bare, VegetationModel::per_metre);
  const auto per_metre = path_losses(wooded, VegetationModel::per_metre);
  const auto p833 = path_losses(wooded, VegetationModel::p833);
  for (std::size_t r = 0; r < places.size(); ++r) {
    testing::expect_in_validation_page({names[r], testing::fixed(without[r], 2),
                                        testing::fixed(length_by_intervals(trees, transmitter.position, places[r]), 1),
                                        testing::fixed(per_metre[r] - without[r], 2),
                                        testing::fixed(p833[r] - without[r], 2)});
  }
}

}  // namespace
}  // namespace tesseray
