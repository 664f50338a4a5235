// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/image_tracer.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/prediction/prediction.h"
#include "core/propagation/images/exact_path.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/image_oracle.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

ImageTracingOptions limits(int reflections, int diffractions, int together, double length_m = 1e5) {
  ImageTracingOptions options;
  options.max_reflections = reflections;
  options.max_diffractions = diffractions;
  options.max_reflections_with_diffractions = together;
  options.max_length_m = length_m;
  return options;
}

ImageTracingResult trace(const Scene& scene, const Occlusion& occlusion, Vec3 antenna, const std::vector<Vec3>& points,
                         const ImageTracingOptions& options) {
  return ImageTracer(scene, occlusion, testing::receivers_at(points), options)
      .trace(testing::test_transmitter(antenna), no_progress());
}

// Places in the air at such a height above ground and roofs.
std::vector<Vec3> places(const Scene& scene, std::uint64_t seed, std::size_t count, double height_m) {
  const PrismIndex index(scene);
  Random random(seed);
  std::vector<Vec3> points;
  while (points.size() < count) {
    const double x = random.uniform(30, 220), y = random.uniform(30, 220);
    const double z = scene.terrain.height_at({x, y});
    if (index.surface_height({x, y}) <= z + 1e-9) points.push_back({x, y, z + height_m});
  }
  return points;
}

// Two houses whose party wall ends in a corner of both, at acute angles: around them goes one ray, at the wedge that
// both are together; that of each alone has a face inside of the other.
TEST(ImageTracer, HousesThatShareACornerAreOneWedgeThere) {
  Scene scene = testing::flat_ground(200, 200);
  const Vec2 shared{120, 100}, inner{109, 111};
  Prism first = testing::box_prism(1, {0, 0}, {1, 1}, 0, 18), second = testing::box_prism(2, {0, 0}, {1, 1}, 0, 14);
  first.rings = {{{101, 101}, shared, inner, {98, 112}}};
  second.rings = {{inner, shared, {119, 117}, {109, 121}}};
  scene.prisms = {first, second};
  const Occlusion occlusion(scene);
  const Vec3 antenna{100, 60, 6};
  for (const Vec3 receiver : {Vec3{121, 140, 1.5}, Vec3{124, 150, 8}, Vec3{118, 150, 25}}) {
    const ImageTracingResult result = trace(scene, occlusion, antenna, {receiver}, limits(0, 1, 1));
    std::size_t around = 0;
    for (const Ray& ray : result.rays) {
      if (ray.interactions == "T-D" && norm(ray.points[1].xy() - shared) < 1e-6) ++around;
    }
    EXPECT_EQ(around, 1u) << receiver.z;
  }
}

TEST(ImageTracer, SlopingPlaneMirrorsTheAntenna) {
  Scene scene = testing::flat_ground(200, 200);
  scene.terrain = {{0, 0}, 200, 200, 2, 2, {0, 20, 10, 30}};
  scene = testing::with_material(std::move(scene), 15, 0.005);
  const Occlusion occlusion(scene);
  const Vec3 antenna{40, 60, 20}, receiver{150, 130, 30};
  const ImageTracingResult result = trace(scene, occlusion, antenna, {receiver}, limits(4, 2, 5));
  const Vec3 normal = normalized({-0.1, -0.05, 1});
  const Vec3 image = antenna - 2 * dot(antenna, normal) * normal;
  ASSERT_EQ(result.rays.size(), 2u);
  EXPECT_EQ(result.rays[1].interactions, "T-G");
  EXPECT_NEAR(result.rays[1].delay_ns * 1e-9 * speed_of_light, norm(receiver - image), 1e-9);
  EXPECT_NEAR(dot(result.rays[1].points[1], normal), 0, 1e-9);
}

TEST(ImageTracer, SingleInteractionsAreThoseOfThePlainSearch) {
  const Scene scene = testing::synthetic_city(testing::small_city(0));
  const Occlusion occlusion(scene);
  const testing::ImageOracle oracle(scene, occlusion, 850e6);
  std::size_t compared = 0;
  for (const Vec3 antenna : places(scene, 4, 8, 8)) {
    const std::vector<Vec3> points = places(scene, 9, 30, 2);
    const ImageTracingResult result = trace(scene, occlusion, antenna, points, limits(1, 1, 1));
    for (std::size_t r = 0; r < points.size(); ++r) {
      std::vector<testing::ExactPath> expected = oracle.reflections(antenna, points[r], points[r]);
      for (const testing::ExactPath& path : oracle.diffractions(antenna, points[r], points[r]))
        expected.push_back(path);
      double sum = 0, expected_sum = 0;
      std::size_t rays = 0;
      for (const Ray& ray : result.rays) {
        if (ray.target_id != static_cast<std::int64_t>(r) + 1 || ray.points.size() != 3) continue;
        sum += ray.path_gain;
        ++rays;
      }
      for (const testing::ExactPath& path : expected) expected_sum += path.path_gain;
      EXPECT_EQ(rays, expected.size()) << points[r].x << ' ' << points[r].y;
      EXPECT_NEAR(sum, expected_sum, 1e-9 * expected_sum);
      compared += rays;
    }
  }
  EXPECT_GT(compared, 600u);
}

TEST(ImageTracer, EndsExchanged) {
  for (const double hill_m : {0.0, 6.0}) {
    const Scene scene = testing::with_material(testing::synthetic_city(testing::small_city(hill_m)), 5, 0.05);
    const Occlusion occlusion(scene);
    const Vec3 antenna = places(scene, 21, 1, 10).front();
    const std::vector<Vec3> points = places(scene, 22, 6, 2);
    const ImageTracingOptions options = limits(2, 1, 3, 500);
    const ImageTracingResult there = trace(scene, occlusion, antenna, points, options);
    EXPECT_GT(there.found, 100u);
    for (std::size_t r = 0; r < points.size(); ++r) {
      const ImageTracingResult back = trace(scene, occlusion, points[r], {antenna}, options);
      EXPECT_EQ(back.receivers[0].rays, there.receivers[r].rays) << hill_m << ' ' << r;
      const double back_gain = back.receivers[0].gain.value(), gain = there.receivers[r].gain.value();
      EXPECT_NEAR(back_gain, gain, 1e-10 * gain);
    }
  }
}

TEST(ImageTracer, ShortestWayOverTwoEdgesKeepsKellersLaw) {
  Random random(8);
  const auto vector = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    EdgeSegment first, second;
    first.midpoint = 30.0 * vector();
    second.midpoint = 30.0 * vector();
    first.direction = normalized(vector());
    second.direction = i % 3 == 0 ? first.direction : normalized(vector());
    const Vec3 from = 200.0 * vector(), to = 200.0 * vector();
    const auto along = shortest_over(first, second, from, to);
    if (!along) continue;
    ++found;
    const Vec3 p = first.midpoint + along->first * first.direction,
               q = second.midpoint + along->second * second.direction;
    const Vec3 in = normalized(p - from), between = normalized(q - p), out = normalized(to - q);
    EXPECT_NEAR(dot(in, first.direction), dot(between, first.direction), 1e-9);
    EXPECT_NEAR(dot(between, second.direction), dot(out, second.direction), 1e-9);
  }
  EXPECT_GT(found, 1990);
}

// In the plane of both edges, with either end turned about its edge into that plane, the shortest way is a straight
// line.
TEST(ImageTracer, ShortestWayOverEdgesThatMeet) {
  Random random(12);
  int through_both = 0, inside = 0;
  for (int i = 0; i < 40000; ++i) {
    const auto vector = [&] {
      const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
      return Vec3{x, y, z};
    };
    const Vec3 corner = 50.0 * vector(), a = normalized(vector()), in_plane = normalized(vector());
    const Vec3 b = i % 2 == 0 ? normalized(in_plane - dot(in_plane, a) * a) : in_plane;
    const Vec3 from = corner + 40.0 * vector(), to = corner + 40.0 * vector();
    EdgeSegment first, second;
    first.length_m = random.uniform(5, 40);
    second.length_m = random.uniform(5, 40);
    first.direction = a;
    second.direction = b;
    first.midpoint = corner + 0.5 * first.length_m * a;
    second.midpoint = corner + 0.5 * second.length_m * b;
    // Coordinates in the plane: x along the first edge, y towards the second.
    const double cosine = dot(a, b), sine = std::sqrt(1 - cosine * cosine);
    const auto turned = [&](Vec3 end, Vec3 edge) {
      const double along = dot(end - corner, edge);
      return std::pair{along, norm(end - corner - along * edge)};
    };
    const auto [from_along, from_off] = turned(from, a);
    const auto [to_along, to_off] = turned(to, b);
    const Vec2 source{from_along, -from_off};
    const Vec2 target = to_along * Vec2{cosine, sine} + to_off * Vec2{-sine, cosine};
    const Vec2 way = target - source;
    const double on_first = source.x + from_off / way.y * way.x;
    const double on_second = cross(source, way) / cross(Vec2{cosine, sine}, way);
    if (!(target.y > 0 && on_first > 0.01 && on_second > 0.01)) continue;
    ++through_both;
    if (!(on_first < first.length_m && on_second < second.length_m)) continue;
    ++inside;
    const auto found = shortest_over(first, second, from, to);
    ASSERT_TRUE(found) << i << ' ' << on_first << ' ' << on_second;
    EXPECT_NEAR(found->first + 0.5 * first.length_m, on_first, 1e-6) << i;
    EXPECT_NEAR(found->second + 0.5 * second.length_m, on_second, 1e-6) << i;
  }
  EXPECT_GT(through_both, 2000);
  EXPECT_GT(inside, 1000);
}

TEST(ImageTracer, LongerRaysAreLeftOutAndNoOthers) {
  const Scene scene = testing::synthetic_city(testing::small_city(6));
  const Occlusion occlusion(scene);
  const Vec3 antenna = places(scene, 31, 1, 10).front();
  const std::vector<Vec3> points = places(scene, 32, 8, 2);
  const ImageTracingResult all = trace(scene, occlusion, antenna, points, limits(3, 1, 2));
  for (const double length_m : {80.0, 150.0, 250.0}) {
    const ImageTracingResult some = trace(scene, occlusion, antenna, points, limits(3, 1, 2, length_m));
    const auto is_short = [&](const Ray& ray) { return ray.delay_ns * 1e-9 * speed_of_light <= length_m; };
    EXPECT_EQ(some.rays.size(), static_cast<std::size_t>(std::count_if(all.rays.begin(), all.rays.end(), is_short)));
    EXPECT_LT(some.images, all.images);
  }
}

TEST(ImageTracer, TheSameForAnyNumberOfThreads) {
  const Scene scene = testing::synthetic_city(testing::small_city(6));
  const Occlusion occlusion(scene);
  const Vec3 antenna = places(scene, 41, 1, 10).front();
  const std::vector<Vec3> points = places(scene, 42, 7, 2);
  const ImageTracingOptions options = limits(3, 2, 3, 400);
  const ImageTracingResult expected = trace(scene, occlusion, antenna, points, options);
  for (const std::size_t threads : {1u, 2u, 5u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const ImageTracingResult result = trace(scene, occlusion, antenna, points, options);
    ASSERT_EQ(result.rays.size(), expected.rays.size());
    for (std::size_t i = 0; i < result.rays.size(); ++i) {
      EXPECT_EQ(result.rays[i].elements, expected.rays[i].elements);
      EXPECT_EQ(result.rays[i].path_gain, expected.rays[i].path_gain);
    }
    for (std::size_t r = 0; r < points.size(); ++r) testing::expect_same(result.receivers[r], expected.receivers[r]);
  }
}

// On one thread, where questions and steps come in their order.
class CountedQuestions final : public Progress {
 public:
  void advance(double) override { asked_ = 0; }
  bool is_cancelled() const override {
    most_asked = std::max(most_asked, ++asked_);
    return false;
  }
  mutable int most_asked = 0;  // between two steps

 private:
  mutable int asked_ = 0;
};

TEST(ImageTracer, AsksWhetherItIsCancelledWhileItTracesOneReceiver) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  const Scene scene = testing::synthetic_city(testing::small_city(6));
  const Occlusion occlusion(scene);
  const Vec3 antenna = places(scene, 41, 1, 10).front();
  const std::vector<Vec3> points = places(scene, 42, 1, 2);
  int asked = 1;
  for (const int diffractions : {1, 2}) {
    CountedQuestions progress;
    const ImageTracer tracer(scene, occlusion, testing::receivers_at(points), limits(1, diffractions, 3, 400));
    tracer.trace(testing::test_transmitter(antenna), progress);
    EXPECT_GT(progress.most_asked, asked + 20) << diffractions;
    asked = progress.most_asked;
  }
}

TEST(ImageTracer, LimitsOutOfRangeAreErrors) {
  const Scene scene = testing::flat_ground(10, 10);
  const Occlusion occlusion(scene);
  EXPECT_THROW(ImageTracer(scene, occlusion, {}, limits(5, 0, 0)), Error);
  EXPECT_THROW(ImageTracer(scene, occlusion, {}, limits(0, 3, 0)), Error);
  EXPECT_THROW(ImageTracer(scene, occlusion, {}, limits(-1, 0, 0)), Error);
}

}  // namespace
}  // namespace tesseray
