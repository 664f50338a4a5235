// SPDX-License-Identifier: GPL-3.0-or-later
// Ray launching against the exact rays of a small city, ray by ray. The tests keep the table in docs/traceimage.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

// Rounding of the unfolded lengths.
constexpr double same_length_m = 1e-5;
// Of a receiver's strongest ray: weaker ones are left out.
constexpr double weakest = 1e-4;

std::vector<Vec3> street_points(const Scene& scene, std::size_t count) {
  const PrismIndex index(scene);
  testing::Random random(5);
  std::vector<Vec3> points;
  while (points.size() < count) {
    const Vec2 p{random.uniform(40, 210), random.uniform(40, 210)};
    const double ground = scene.terrain.height_at(p);
    if (index.surface_height(p) <= ground + 1e-9) points.push_back({p.x, p.y, ground + 1.5});
  }
  return points;
}

bool has_diffraction(const Ray& ray) { return ray.interactions.find('D') != std::string::npos; }
// What goes on by way of a tile after its edge.
bool is_reflected_behind_an_edge(const Ray& ray) { return has_diffraction(ray) && ray.interactions.back() != 'D'; }

// The rays of one kind, by receiver, that are strong enough to count.
std::vector<Ray> strong_rays(const std::vector<Ray>& rays) {
  std::vector<Ray> strong;
  double strongest = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (i == 0 || rays[i].target_id != rays[i - 1].target_id) strongest = rays[i].path_gain;
    if (rays[i].path_gain >= weakest * strongest) strong.push_back(rays[i]);
  }
  return strong;
}

// Rays without one of the same length and as many diffractions among others.
std::vector<Ray> missing_in(const std::vector<Ray>& others, const std::vector<Ray>& rays) {
  std::multimap<std::pair<std::int64_t, bool>, double> delays_ns;
  for (const Ray& ray : others) delays_ns.emplace(std::pair(ray.target_id, has_diffraction(ray)), ray.delay_ns);
  std::vector<Ray> missing;
  for (const Ray& ray : rays) {
    const auto [begin, end] = delays_ns.equal_range({ray.target_id, has_diffraction(ray)});
    const bool is_there = std::any_of(begin, end, [&](const auto& other) {
      return std::fabs(other.second - ray.delay_ns) * 1e-9 * speed_of_light < same_length_m;
    });
    if (!is_there) missing.push_back(ray);
  }
  return missing;
}

struct Comparison {
  std::vector<Ray> exact, missed, launched, extra;
  double mean_db = 0, deviation_db = 0;  // launched less exact, of the power sums
};

// Up to `interactions`, of which so many are diffractions, the others reflections.
Comparison compare(double tile_side_m, int interactions, int diffractions, std::size_t receiver_count) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), tile_side_m);
  const std::vector<Vec3> points = street_points(city.scene, receiver_count + 1);
  const auto receivers = testing::receivers_at({points.begin() + 1, points.end()});
  const Transmitter transmitter = testing::test_transmitter(points[0] + Vec3{0, 0, 4.5});
  const int reflections = interactions - diffractions;

  ImageTracingOptions exact_options;
  exact_options.max_reflections = reflections;
  exact_options.max_diffractions = diffractions;
  exact_options.max_reflections_with_diffractions = interactions;
  exact_options.link.summation = Summation::power;
  const ImageTracingResult exact =
      ImageTracer(city.scene, city.occlusion, receivers, exact_options).trace(transmitter, no_progress());
  RayLaunchingOptions options = testing::without_scattering(reflections, diffractions, interactions);
  options.rays_per_receiver = exact_options.rays_per_receiver;
  options.tiles_are_targets = false;
  options.summation = Summation::power;
  const RayLaunchingResult launched = city.launch(transmitter, receivers, options);

  Comparison c;
  c.exact = strong_rays(exact.rays);
  c.launched = strong_rays(launched.rays);
  c.missed = missing_in(launched.rays, c.exact);
  c.extra = missing_in(exact.rays, c.launched);
  double sum = 0, squares = 0, count = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const double before = testing::total_gain(exact.receivers[r]), now = testing::total_gain(launched.receivers[r]);
    if (!(before > 0 && now > 0)) continue;
    const double error_db = decibels(now) - decibels(before);
    sum += error_db;
    squares += error_db * error_db;
    ++count;
  }
  c.mean_db = sum / count;
  c.deviation_db = std::sqrt((squares - sum * sum / count) / (count - 1));
  return c;
}

std::string share(std::size_t part, std::size_t whole) {
  return testing::fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1);
}

TEST(RayLaunchingAgainstImages, AsTilesShrink) {
  for (const bool diffraction : {false, true}) {
    for (const double side_m : {10.0, 5.0, 2.5}) {
      const Comparison c = compare(side_m, 3, diffraction ? 1 : 0, 150);
      testing::expect_in_page(
          "traceimage.md",
          {diffraction ? "with a diffraction" : "three reflections", testing::fixed(side_m, 1),
           std::to_string(c.exact.size()), share(c.missed.size(), c.exact.size()),
           share(c.extra.size(), c.launched.size()), testing::fixed(c.mean_db, 2), testing::fixed(c.deviation_db, 2)});
      if (!diffraction || side_m > 2.5) continue;
      // Those behind an edge too: a tile reflects what comes from the edge's other segments.
      const auto behind = [](const std::vector<Ray>& rays) {
        return static_cast<std::size_t>(std::count_if(rays.begin(), rays.end(), is_reflected_behind_an_edge));
      };
      EXPECT_GT(behind(c.exact), 1000u);
      EXPECT_LE(20 * behind(c.missed), behind(c.exact));
    }
  }
}

// The differences in dB, launched less exact, of rays of these kinds that both have.
std::vector<double> differences_of(const Comparison& c, const std::set<std::string>& kinds) {
  std::vector<double> differences;
  for (const Ray& ray : c.launched) {
    if (!kinds.contains(ray.interactions)) continue;
    const auto exact = std::find_if(c.exact.begin(), c.exact.end(), [&](const Ray& other) {
      return other.target_id == ray.target_id && other.interactions == ray.interactions &&
             std::fabs(other.delay_ns - ray.delay_ns) * 1e-9 * speed_of_light < same_length_m;
    });
    if (exact != c.exact.end()) differences.push_back(decibels(ray.path_gain) - decibels(exact->path_gain));
  }
  return differences;
}

// What an edge sends changes by 10 dB and more across one tile near its shadow boundaries.
TEST(RayLaunchingAgainstImages, TilesReflectWhatTheEdgeSendsToEachOfTheirPlaces) {
  const std::vector<double> differences = differences_of(compare(10, 2, 1, 150), {"T-D-G", "T-D-R"});
  EXPECT_GT(differences.size(), 200u);
  for (const double difference_db : differences) EXPECT_NEAR(difference_db, 0, 0.01);
}

// What has come to the second of two edges is known for the middles alone. Along a wall it changes more with the angle
// to the edges than elsewhere.
TEST(RayLaunchingAgainstImages, TilesReflectWhatTheSecondEdgeSends) {
  std::vector<double> apart_db;
  for (const double difference_db : differences_of(compare(10, 3, 2, 40), {"T-D-D-G", "T-D-D-R"})) {
    apart_db.push_back(std::fabs(difference_db));
  }
  ASSERT_GT(apart_db.size(), 200u);
  std::sort(apart_db.begin(), apart_db.end());
  EXPECT_LT(apart_db[apart_db.size() / 2], 0.05);
  EXPECT_LT(apart_db[apart_db.size() * 4 / 5], 0.6);
}

}  // namespace
}  // namespace tesseray
