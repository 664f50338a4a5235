// SPDX-License-Identifier: GPL-3.0-or-later
// What single precision tells of draws past an edge: never less than the estimate, and hardly more.
#include "core/propagation/tubes/draws_past_edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

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

struct Estimates {
  double exact = 0, most = 0;
};

// Of a ray by any Keller point on the segment, from millimetres to kilometres on either side, and at half of them so
// near to a shadow boundary that the cosines cancel.
Estimates of_any_ray(testing::Random& random) {
  const AnyEdge any(random);
  const auto distance_m = [&] { return std::pow(10.0, random.uniform(-3, 3.5)); };
  const auto inside = [&] { return random.uniform(0.01, 0.99) * any.edge.wedge_angle; };
  const double source_m = distance_m(), target_m = distance_m(), slope = std::tan(random.uniform(-1.5, 1.5));
  const double keller_m = random.uniform(-0.5, 0.5) * any.edge.length_m, source_angle = inside();
  double target_angle = inside();
  if (random.uniform(0, 1) < 0.5) {
    const double boundary = random.uniform(0, 1) < 0.5 ? source_angle + pi : pi - source_angle;
    target_angle = boundary + std::pow(10.0, random.uniform(-9, -1));
  }
  Tube tube;
  tube.source.point = any.at(source_angle, source_m, keller_m - slope * source_m);
  tube.path_gain = std::pow(10.0, random.uniform(-22, -4));
  const Vec3 target = any.at(target_angle, target_m, keller_m + slope * target_m);
  const double wave_number = 2 * pi / std::pow(10.0, random.uniform(-2.5, 0.5));

  const EdgeIncidence incidence(any.wedge, any.edge, tube.source.point);
  VirtualSource past = tube.source;
  past.edge_midpoint = any.edge.midpoint;
  past.edge_direction = any.edge.direction;
  past.edge_half_length_m = any.edge.length_m;
  const Leg leg = leg_to(past, target);
  const double spread = leg.rho_m / (leg.rho_m + leg.distance_m);
  const double share = incidence.estimated_share(leg.rho_m, leg.distance_m, leg.direction, wave_number);
  const RoughDraw draw(tube, any.edge, wave_number);
  return {draws_past_edge_detail::doubt * tube.path_gain * spread * spread * share,
          static_cast<double>(draw.most(point_past_edge(any.edge, target)))};
}

TEST(DrawsPastEdge, AreNeverLeftOutByAnEstimateThatIsTooLow) {
  testing::Random random(11);
  std::size_t near = 0, all = 0;
  for (int i = 0; i < 400'000; ++i) {
    const Estimates estimates = of_any_ray(random);
    ASSERT_GE(estimates.most, estimates.exact) << i;
    ++all;
    near += estimates.most < 1.01 * estimates.exact;
  }
  // Far from the boundaries, or where the ray is short against them: nearly all.
  EXPECT_GT(near, all * 8 / 10);
}

}  // namespace
}  // namespace tesseray
