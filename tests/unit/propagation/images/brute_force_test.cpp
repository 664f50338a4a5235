// SPDX-License-Identifier: GPL-3.0-or-later
// The image method against all sequences of planes and edges among random boxes: the same rays, none too many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/brute_force_rays.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::BruteForceRay;
using testing::BruteForceRays;
using testing::Random;
using testing::TurnedBox;

constexpr double side_m = 120;
constexpr std::size_t targets_per_scene = 6;
// Of a ray with two diffractions.
constexpr int most_reflections_with_two = 1;
// The numerical search of the brute force finds points to this.
constexpr double same_length_m = 1e-6, same_point_m = 2e-3;

std::vector<TurnedBox> random_boxes(Random& random, std::size_t count) {
  std::vector<TurnedBox> boxes;
  while (boxes.size() < count) {
    TurnedBox box;
    box.centre = {random.uniform(20, side_m - 20), random.uniform(20, side_m - 20)};
    box.angle = random.uniform(0, pi);
    box.half_x = random.uniform(3, 12);
    box.half_y = random.uniform(3, 12);
    box.height = random.uniform(4, 20);
    const double reach = std::hypot(box.half_x, box.half_y);
    const bool is_apart = std::all_of(boxes.begin(), boxes.end(), [&](const TurnedBox& other) {
      return norm(box.centre - other.centre) > reach + std::hypot(other.half_x, other.half_y);
    });
    if (is_apart) boxes.push_back(box);
  }
  return boxes;
}

// The prisms have their coordinates as given: the brute force must see the same walls.
Scene scene_of(const std::vector<TurnedBox>& boxes) {
  Scene scene = testing::flat_ground(side_m, side_m);
  scene.terrain = {{-1000, -1000}, 2000 + side_m, 2000 + side_m, 2, 2, std::vector<float>(4, 0.0F)};
  for (std::size_t i = 0; i < boxes.size(); ++i) scene.prisms.push_back(boxes[i].prism(static_cast<std::int64_t>(i)));
  return scene;
}

Vec3 free_point(const BruteForceRays& rays, Random& random) {
  for (;;) {
    const double x = random.uniform(2, side_m - 2), y = random.uniform(2, side_m - 2), z = random.uniform(1, 25);
    if (rays.is_free({x, y, z}, {x, y, z + 100})) return {x, y, z};
  }
}

std::string described(const BruteForceRay& ray) {
  std::string text = ray.interactions + " of " + std::to_string(ray.length_m) + " m:";
  for (const Vec3 p : ray.points) {
    text += " (" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")";
  }
  return text;
}

void expect_same_rays(std::vector<BruteForceRay> expected, const std::vector<Ray>& rays) {
  for (const Ray& ray : rays) {
    BruteForceRay found{ray.interactions, ray.delay_ns * 1e-9 * speed_of_light, ray.points};
    const auto match = std::find_if(expected.begin(), expected.end(), [&](const BruteForceRay& one) {
      if (one.interactions != found.interactions || std::fabs(one.length_m - found.length_m) > same_length_m)
        return false;
      for (std::size_t i = 0; i < one.points.size(); ++i) {
        if (norm(one.points[i] - found.points[i]) > same_point_m) return false;
      }
      return true;
    });
    EXPECT_NE(match, expected.end()) << "too many: " << described(found);
    if (match != expected.end()) expected.erase(match);
  }
  for (const BruteForceRay& missed : expected) ADD_FAILURE() << "missed: " << described(missed);
}

struct Case {
  std::size_t boxes = 1;
  int reflections = 0, reflections_with_edge = 0;
  int diffractions = 0;
  int scenes = 1;
};

std::vector<BruteForceRay> all_rays(const BruteForceRays& brute_force, Vec3 from, Vec3 to, const Case& test_case,
                                    int reflections) {
  std::vector<BruteForceRay> rays = brute_force.reflected(from, to, reflections);
  const auto append = [&rays](const std::vector<BruteForceRay>& more) {
    rays.insert(rays.end(), more.begin(), more.end());
  };
  if (test_case.diffractions > 0) append(brute_force.diffracted(from, to, test_case.reflections_with_edge));
  const int with_two = std::clamp(test_case.reflections_with_edge - 1, 0, most_reflections_with_two);
  if (test_case.diffractions > 1) append(brute_force.diffracted_twice(from, to, with_two));
  return rays;
}

// How many rays there were in all.
std::size_t compare(const Case& test_case, std::uint64_t seed) {
  Random random(seed);
  std::size_t rays = 0;
  for (int scene_number = 0; scene_number < test_case.scenes; ++scene_number) {
    const std::vector<TurnedBox> boxes = random_boxes(random, test_case.boxes);
    const BruteForceRays brute_force(boxes);
    const Scene scene = scene_of(boxes);
    const Occlusion occlusion(scene);
    const Vec3 from = free_point(brute_force, random);
    std::vector<Vec3> targets;
    while (targets.size() < targets_per_scene) targets.push_back(free_point(brute_force, random));
    ImageTracingOptions options;
    options.max_reflections = std::max(test_case.reflections, test_case.reflections_with_edge);
    options.max_diffractions = test_case.diffractions;
    options.max_reflections_with_diffractions = test_case.reflections_with_edge + 1;
    options.max_length_m = 1e5;
    const ImageTracer tracer(scene, occlusion, testing::receivers_at(targets), options);
    const ImageTracingResult result = tracer.trace(testing::test_transmitter(from), no_progress());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::vector<BruteForceRay> expected =
          all_rays(brute_force, from, targets[t], test_case, options.max_reflections);
      std::vector<Ray> found;
      std::copy_if(result.rays.begin(), result.rays.end(), std::back_inserter(found),
                   [&](const Ray& ray) { return ray.target_id == static_cast<std::int64_t>(t) + 1; });
      rays += expected.size();
      EXPECT_EQ(result.receivers[t].rays, expected.size());
      expect_same_rays(expected, found);
    }
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "scene " << scene_number;
      break;
    }
  }
  return rays;
}

TEST(ImagesByBruteForce, ReflectionsAmongManyBoxes) { EXPECT_GT(compare({14, 2, 0, 0, 40}, 1), 300u); }
TEST(ImagesByBruteForce, ThreeReflections) { EXPECT_GT(compare({6, 3, 0, 0, 20}, 2), 200u); }
TEST(ImagesByBruteForce, FourReflections) { EXPECT_GT(compare({3, 4, 0, 0, 5}, 3), 70u); }
TEST(ImagesByBruteForce, OneDiffractionAmongManyBoxes) { EXPECT_GT(compare({14, 0, 0, 1, 30}, 4), 300u); }
TEST(ImagesByBruteForce, OneDiffractionWithReflections) { EXPECT_GT(compare({3, 2, 2, 1, 3}, 5), 200u); }
TEST(ImagesByBruteForce, TwoDiffractions) { EXPECT_GT(compare({3, 0, 0, 2, 1}, 6), 50u); }
TEST(ImagesByBruteForce, TwoDiffractionsWithAReflection) { EXPECT_GT(compare({2, 1, 2, 2, 3}, 7), 300u); }

}  // namespace
}  // namespace tesseray
