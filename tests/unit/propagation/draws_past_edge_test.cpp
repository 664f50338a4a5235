// SPDX-License-Identifier: GPL-3.0-or-later
// What single precision tells of draws past an edge: never less than the estimate, and hardly more.
#include "core/propagation/tubes/draws_past_edge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double pi = std::numbers::pi;

// A segment anywhere in a city, turned about in any way, and the wedge at it.
struct AnyEdge {
  EdgeSegment edge;
  Wedge wedge;

  explicit AnyEdge(testing::Random& random) {
    const auto direction = [&] {
      return normalized(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    };
    edge.midpoint = {random.uniform(-5000, 5000), random.uniform(-5000, 5000), random.uniform(0, 300)};
    edge.direction = direction();
    edge.tangent_0 = normalized(cross(edge.direction, direction()));
    edge.normal_0 = cross(edge.direction, edge.tangent_0);
    edge.wedge_angle = random.uniform(1.05 * pi, 2 * pi);
    edge.length_m = random.uniform(0.5, 60);
    wedge = {edge.direction, edge.tangent_0, edge.normal_0, edge.wedge_angle, {5, -0.1}, {7, -1}};
  }
  // By its angle about the edge, its distance from the line, and the place along it.
  Vec3 at(double angle, double apart_m, double along_m) const {
    return edge.midpoint + along_m * edge.direction +
           apart_m * (std::cos(angle) * edge.tangent_0 + std::sin(angle) * edge.normal_0);
  }
};

// A ray by any Keller point on the segment, from millimetres to kilometres on either side, and half of them so near to
// a shadow boundary that the cosines cancel.
struct AnyRay {
  AnyEdge any;
  double wave_number = 0;
  Tube tube;
  Vec3 target;
  Leg leg;

  explicit AnyRay(testing::Random& random) : any(random) {
    const auto distance_m = [&] { return std::pow(10.0, random.uniform(-3, 3.5)); };
    const auto inside = [&] { return random.uniform(0.01, 0.99) * any.edge.wedge_angle; };
    const double source_m = distance_m(), target_m = distance_m(), slope = std::tan(random.uniform(-1.5, 1.5));
    const double keller_m = random.uniform(-0.5, 0.5) * any.edge.length_m, source_angle = inside();
    double target_angle = inside();
    if (random.uniform(0, 1) < 0.5) {
      const double boundary = random.uniform(0, 1) < 0.5 ? source_angle + pi : pi - source_angle;
      target_angle = boundary + std::pow(10.0, random.uniform(-9, -1));
    }
    tube.source.point = any.at(source_angle, source_m, keller_m - slope * source_m);
    tube.path_gain = std::pow(10.0, random.uniform(-22, -4));
    target = any.at(target_angle, target_m, keller_m + slope * target_m);
    wave_number = 2 * pi / std::pow(10.0, random.uniform(-2.5, 0.5));
    VirtualSource past = tube.source;
    past.edge_midpoint = any.edge.midpoint;
    past.edge_direction = any.edge.direction;
    past.edge_half_length_m = any.edge.length_m;
    leg = leg_to(past, target);
  }
};

// An environment of tiles, and of this segment after them.
struct OneEdge {
  static constexpr std::uint32_t tiles = 1'000;
  EdgeRun run;
  std::vector<float> roulette_gain;
  LaunchView launch;

  explicit OneEdge(const AnyRay& ray) : roulette_gain(tiles + 1, 0.0f) {
    launch.environment.points.tile_count = tiles;
    launch.environment.points.edge_count = 1;
    launch.environment.edges = &ray.any.edge;
    launch.environment.edge_runs = &run;
    launch.link.wave_number = ray.wave_number;
    launch.roulette_gain = roulette_gain.data();
  }
};

TEST(DrawsPastEdge, AreNeverLeftOutByAnEstimateThatIsTooLow) {
  testing::Random random(11);
  std::size_t near = 0, all = 0;
  for (int i = 0; i < 400'000; ++i) {
    AnyRay ray(random);
    ray.tube.element = OneEdge::tiles;
    const OneEdge environment(ray);
    const TubeAtEdge at_edge(ray.tube, ray.any.wedge, environment.launch);
    const double exact = estimated_gain(ray.tube, at_edge.incidence, ray.leg, ray.wave_number);
    const auto most =
        static_cast<double>(RoughDraw(at_edge, ray.wave_number).most(point_past_edge(ray.any.edge, ray.target)));
    ASSERT_GE(most, exact) << i;
    ++all;
    near += most < 1.01 * exact;
  }
  // Far from the boundaries, or where the ray is short against them: nearly all.
  EXPECT_GT(near, all * 8 / 10);
}

// At targets where so much is already that about half are drawn. Chains of any length tell them apart.
TEST(DrawsPastEdge, AreLeftOutEarlyOnlyWhereTheyAreNotDrawn) {
  testing::Random random(12);
  std::size_t drawn = 0, left_out = 0, all = 0;
  for (int i = 0; i < 100'000; ++i) {
    AnyRay ray(random);
    ray.tube.element = OneEdge::tiles;
    for (int length = i % 4; length > 0; --length) {
      ray.tube.chain.push(static_cast<std::uint32_t>(random.uniform(0, OneEdge::tiles)));
    }
    OneEdge environment(ray);
    const TubeAtEdge at_edge(ray.tube, ray.any.wedge, environment.launch);
    const auto number = static_cast<std::uint32_t>(random.uniform(0, OneEdge::tiles));
    const double estimate = estimated_gain(ray.tube, at_edge.incidence, ray.leg, ray.wave_number);
    environment.roulette_gain[number] = static_cast<float>(2 * estimate);
    double stands_for = 1;
    const bool is_drawn_exactly =
        is_drawn(environment.launch, ray.tube, at_edge.incidence, ray.leg, at_edge.chain, number, stands_for);
    const bool is_left_out =
        is_surely_not_drawn(environment.launch, RoughDraw(at_edge, ray.wave_number), ray.tube.chain, ray.tube.element,
                            point_past_edge(ray.any.edge, ray.target), number);
    ASSERT_FALSE(is_drawn_exactly && is_left_out) << i;
    drawn += is_drawn_exactly;
    left_out += is_left_out;
    ++all;
  }
  EXPECT_NEAR(static_cast<double>(drawn), 0.5 * static_cast<double>(all), 0.01 * static_cast<double>(all));
  EXPECT_GT(left_out, (all - drawn) * 8 / 10);
}

}  // namespace
}  // namespace tesseray
