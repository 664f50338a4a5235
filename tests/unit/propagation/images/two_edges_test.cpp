// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over two edges with a reflection before, between or after them: as images have them, from end to end and back,
// and of stationary length.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/edge_beam.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/images/real_edges.h"
#include "core/propagation/images/reflectors.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/brute_force_rays.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;
using testing::TurnedBox;

ImageTracingOptions two_edges(int reflections) {
  ImageTracingOptions options;
  options.max_reflections = reflections;
  options.max_diffractions = 2;
  options.max_reflections_with_diffractions = reflections + 2;
  options.max_length_m = 1e5;
  options.rays_per_receiver = 1'000'000;
  options.link.summation = Summation::power;
  return options;
}

std::vector<Ray> trace(const Scene& scene, Vec3 from, Vec3 to, int reflections) {
  const Occlusion occlusion(scene);
  return ImageTracer(scene, occlusion, testing::receivers_at({to}), two_edges(reflections))
      .trace(testing::test_transmitter(from), no_progress())
      .rays;
}

std::ptrdiff_t count_of(const std::string& interactions, char letter) {
  return std::count(interactions.begin(), interactions.end(), letter);
}

bool is_over_two_edges(const Ray& ray) { return count_of(ray.interactions, 'D') == 2; }

// Terrain so large that no ray leaves it.
Scene wide_scene(float ground_z) {
  Scene scene = testing::flat_ground(100, 100);
  scene.terrain = {{-1000, -1000}, 2000, 2000, 2, 2, std::vector<float>(4, ground_z)};
  scene.materials = {Material{"wall", 5, 0, 0.01, 0}, Material{"conductor", 1, 0, 1e30, 0}};
  return scene;
}

// Three houses whose walls stand at all angles, in the quarter with x above 10 m and y above 0.
const std::array<TurnedBox, 3> houses{TurnedBox{{30, 20}, 0.3, 7, 5, 9}, TurnedBox{{52, 34}, 1.1, 6, 8, 14},
                                      TurnedBox{{24, 46}, 0.8, 5, 6, 6}};

// A mirror of all space.
struct Mirror {
  Vec3 normal;  // unit; the plane goes through the origin
  double height_of(Vec3 p) const { return dot(p, normal); }
  Vec3 image(Vec3 p) const { return p - 2 * dot(p, normal) * normal; }
};

// The edges' points and the ends, with all that lies before the mirror turned to its other side.
std::vector<Vec3> unfolded(const Ray& ray, const Mirror& mirror) {
  std::vector<Vec3> points;
  bool is_behind = false;
  for (auto p = ray.points.rbegin(); p != ray.points.rend(); ++p) {
    const bool is_met = std::fabs(mirror.height_of(*p)) < 1e-9;
    is_behind = is_behind || is_met;
    if (!is_met) points.push_back(is_behind ? mirror.image(*p) : *p);
  }
  return {points.rbegin(), points.rend()};
}

// Those over two edges that meet the mirror once, and nothing that is far away.
std::vector<Ray> reflected_once_in(const Mirror& mirror, const std::vector<Ray>& rays) {
  std::vector<Ray> chosen;
  std::copy_if(rays.begin(), rays.end(), std::back_inserter(chosen), [&](const Ray& ray) {
    const auto met = std::count_if(ray.points.begin(), ray.points.end(),
                                   [&](Vec3 p) { return std::fabs(mirror.height_of(p)) < 1e-9; });
    return is_over_two_edges(ray) && ray.points.size() == 5 && met == 1 &&
           std::all_of(ray.points.begin(), ray.points.end(), [](Vec3 p) { return norm(p) < 150; });
  });
  return chosen;
}

// Those over two edges that go through the mirror's plane once.
std::vector<Ray> through_once(const Mirror& mirror, const std::vector<Ray>& rays) {
  std::vector<Ray> chosen;
  std::copy_if(rays.begin(), rays.end(), std::back_inserter(chosen), [&](const Ray& ray) {
    int crossings = 0;
    for (std::size_t i = 0; i + 1 < ray.points.size(); ++i) {
      if ((mirror.height_of(ray.points[i]) < 0) != (mirror.height_of(ray.points[i + 1]) < 0)) ++crossings;
    }
    return is_over_two_edges(ray) && crossings == 1;
  });
  return chosen;
}

using Kinds = std::map<std::string, int>;

// What the mirror reflects is what comes from the transmitter's image through the images of what stands before it.
void expect_images(const Mirror& mirror, const std::vector<Ray>& reflected, std::vector<Ray> straight, Kinds& kinds) {
  EXPECT_EQ(reflected.size(), straight.size());
  for (const Ray& ray : reflected) {
    const std::vector<Vec3> way = unfolded(ray, mirror);
    ++kinds[ray.interactions];
    const auto same = std::find_if(straight.begin(), straight.end(), [&](const Ray& other) {
      return std::equal(way.begin(), way.end(), other.points.begin(), other.points.end(),
                        [](Vec3 a, Vec3 b) { return norm(a - b) < 1e-7; });
    });
    ASSERT_NE(same, straight.end()) << ray.interactions << ' ' << ray.delay_ns;
    EXPECT_NEAR(same->delay_ns, ray.delay_ns, 1e-7);
    EXPECT_NEAR(ray.path_gain / same->path_gain, 1, 1e-7) << ray.interactions << ' ' << ray.delay_ns;
    straight.erase(same);
  }
}

void expect_all(const Kinds& kinds, const std::vector<std::string>& wanted) {
  for (const std::string& kind : wanted) EXPECT_GE(kinds.contains(kind) ? kinds.at(kind) : 0, 5) << kind;
}

const Vec3 antenna{12, 8, 10};
const std::array<Vec3, 4> points{Vec3{44, 56, 3}, Vec3{38, 30, 2}, Vec3{70, 20, 6}, Vec3{20, 70, 12}};

void expect_ground_to_mirror(const std::vector<TurnedBox>& boxes, Kinds& kinds) {
  const Mirror ground{upwards};
  Scene over_ground = wide_scene(0), doubled = wide_scene(-900);
  over_ground.default_materials.ground = 1;
  for (const TurnedBox& box : boxes) {
    over_ground.prisms.push_back(box.prism(1));
    Prism& prism = doubled.prisms.emplace_back(box.prism(1));
    prism.bottom_z = -box.height;
    prism.on_ground = false;
  }
  for (const Vec3 to : points) {
    expect_images(ground, reflected_once_in(ground, trace(over_ground, antenna, to, 1)),
                  through_once(ground, trace(doubled, ground.image(antenna), to, 0)), kinds);
  }
}

TEST(TwoEdges, GroundIsAMirror) {
  Kinds kinds;
  expect_ground_to_mirror({houses.begin(), houses.end()}, kinds);
  expect_all(kinds, {"T-G-D-D", "T-D-G-D", "T-D-D-G"});
}

// Rays run along the fronts of two houses in one line, over the ground between them and at their feet.
TEST(TwoEdges, GroundIsAMirrorAlongFrontsInOneLine) {
  Kinds kinds;
  for (const double angle : {0.2, 0.3, 0.5, 0.7, 0.9}) {
    const Vec2 along{std::cos(angle), std::sin(angle)}, across{-std::sin(angle), std::cos(angle)}, front{20, 15};
    expect_ground_to_mirror(
        {{front + 8.0 * across, angle, 6, 8, 8.6}, {front + 20.0 * along + 10.0 * across, angle, 9, 10, 11.3}}, kinds);
  }
  expect_all(kinds, {"T-G-D-D", "T-D-G-D", "T-D-D-G"});
}

TEST(TwoEdges, WallIsAMirror) {
  const Mirror wall{{1, 0, 0}};
  Scene beside_wall = wide_scene(0), doubled = wide_scene(0);
  beside_wall.prisms = {testing::box_prism(1, {-5, -500}, {0, 500}, 0, 300)};
  beside_wall.prisms[0].material = 1;
  for (const TurnedBox& house : houses) {
    beside_wall.prisms.push_back(house.prism(2));
    doubled.prisms.push_back(house.prism(2));
    Prism& image = doubled.prisms.emplace_back(house.prism(3));
    for (Vec2& p : image.rings[0]) p.x = -p.x;
    std::reverse(image.rings[0].begin(), image.rings[0].end());
  }
  Kinds kinds;
  for (const Vec3 to : points) {
    expect_images(wall, reflected_once_in(wall, trace(beside_wall, antenna, to, 1)),
                  through_once(wall, trace(doubled, wall.image(antenna), to, 0)), kinds);
  }
  expect_all(kinds, {"T-R-D-D", "T-D-R-D", "T-D-D-R"});
}

TEST(TwoEdges, EndsExchanged) {
  Scene scene = wide_scene(0);
  scene.default_materials = {1, 1, 1};
  for (const TurnedBox& house : houses) scene.prisms.push_back(house.prism(1));
  const Reflectors reflectors(scene);
  const PrismIndex index(scene);
  const RealEdges edges(scene, index, 195);
  const std::vector<Ray> there = trace(scene, antenna, points[0], 1), back = trace(scene, points[0], antenna, 1);
  EXPECT_EQ(there.size(), back.size());
  std::size_t over_corners = 0;
  for (const Ray& ray : there) {
    if (!is_over_two_edges(ray) || ray.points.size() != 5) continue;
    const auto same = std::find_if(back.begin(), back.end(), [&](const Ray& other) {
      return std::equal(ray.elements.rbegin(), ray.elements.rend(), other.elements.begin(), other.elements.end());
    });
    ASSERT_NE(same, back.end()) << ray.interactions << ' ' << ray.delay_ns;
    EXPECT_NEAR(same->delay_ns, ray.delay_ns, 1e-7);
    // Behind edges that are not parallel the wave has two radii, and the coefficients' chain is not reciprocal.
    const bool parallel = std::all_of(ray.elements.begin(), ray.elements.end(), [&](std::uint32_t element) {
      const std::size_t count = reflectors.all().size();
      return element < count || edges[static_cast<std::uint32_t>(element - count)].direction.z == 1;
    });
    if (!parallel) continue;
    EXPECT_NEAR(same->path_gain / ray.path_gain, 1, 1e-7) << ray.interactions << ' ' << ray.delay_ns;
    ++over_corners;
  }
  EXPECT_GE(over_corners, 10u);
}

// Two places in streets, 8 m above the ground.
std::vector<Vec3> street_points(const Scene& scene, const PrismIndex& index) {
  Random random(3);
  std::vector<Vec3> found;
  while (found.size() < 2) {
    const double x = random.uniform(80, 170), y = random.uniform(80, 170);
    const double ground_z = scene.terrain.height_at({x, y});
    if (index.surface_height({x, y}) <= ground_z + 1e-9) found.push_back({x, y, ground_z + 8});
  }
  return found;
}

TEST(TwoEdges, LengthsAreStationary) {
  const Scene scene = testing::synthetic_city(testing::small_city(6));
  const Reflectors reflectors(scene);
  const PrismIndex index(scene);
  const RealEdges edges(scene, index, 195);
  const std::vector<Vec3> ends = street_points(scene, index);
  Kinds kinds;
  for (const Ray& ray : trace(scene, ends[0], ends[1], 1)) {
    if (!is_over_two_edges(ray) || ray.points.size() != 5) continue;
    for (std::size_t i = 1; i < 4; ++i) {
      const Vec3 p = ray.points[i], before = ray.points[i - 1], after = ray.points[i + 1];
      const std::uint32_t element = ray.elements[i - 1];
      const auto count = static_cast<std::uint32_t>(reflectors.all().size());
      std::vector<Vec3> ways;
      if (element >= count) {
        ways = {edges[element - count].direction};
      } else {
        const Vec3 normal = reflectors[element].normal;
        const Vec3 along = normalized(cross(normal, std::fabs(normal.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
        ways = {along, cross(normal, along)};
        EXPECT_GT(dot(before - p, normal), 0);
        EXPECT_GT(dot(after - p, normal), 0);
      }
      const double step_m = 1e-4 * std::min(norm(p - before), norm(after - p));
      for (const Vec3 way : ways) {
        const auto length_at = [&](double moved_m) {
          const Vec3 moved = p + moved_m * way;
          return norm(moved - before) + norm(after - moved);
        };
        EXPECT_NEAR((length_at(step_m) - length_at(-step_m)) / (2 * step_m), 0, 1e-6) << ray.interactions;
      }
    }
    ++kinds[ray.interactions];
  }
  expect_all(kinds, {"T-G-D-D", "T-R-D-D", "T-D-G-D", "T-D-R-D", "T-D-D-G", "T-D-D-R"});
}

TEST(TwoEdges, ReflectionsAreThoseThatTheLimitsLeave) {
  Scene scene = wide_scene(0);
  for (const TurnedBox& house : houses) scene.prisms.push_back(house.prism(1));
  const Occlusion occlusion(scene);
  const auto found = [&](int reflections, int together) {
    ImageTracingOptions options = two_edges(reflections);
    options.max_reflections_with_diffractions = together;
    const auto result = ImageTracer(scene, occlusion, testing::receivers_at({points[0]}), options)
                            .trace(testing::test_transmitter(antenna), no_progress());
    std::array<int, 3> counts{};
    for (const Ray& ray : result.rays) {
      if (is_over_two_edges(ray)) ++counts.at(ray.points.size() - 4);
    }
    return counts;
  };
  const auto none = found(2, 2), one = found(1, 3), more = found(2, 4);
  EXPECT_GT(none[0], 5);
  EXPECT_EQ(none[1], 0);
  EXPECT_EQ(found(0, 3), none);
  EXPECT_EQ(found(2, 0), none);
  EXPECT_EQ(one[0], none[0]);
  EXPECT_GT(one[1], 20);
  EXPECT_EQ(more, one);
}

TEST(TwoEdges, LongerRaysAreLeftOutAndNoOthers) {
  Scene scene = wide_scene(0);
  for (const TurnedBox& house : houses) scene.prisms.push_back(house.prism(1));
  const Occlusion occlusion(scene);
  const std::vector<Ray> all = trace(scene, antenna, points[0], 1);
  std::ptrdiff_t before = 0;
  for (const double length_m : {63.0, 66.0, 70.0, 80.0, 100.0, 130.0}) {
    ImageTracingOptions options = two_edges(1);
    options.max_length_m = length_m;
    const auto some = ImageTracer(scene, occlusion, testing::receivers_at({points[0]}), options)
                          .trace(testing::test_transmitter(antenna), no_progress());
    const auto expected = std::count_if(
        all.begin(), all.end(), [&](const Ray& ray) { return ray.delay_ns * 1e-9 * speed_of_light <= length_m; });
    EXPECT_EQ(std::ssize(some.rays), expected) << length_m;
    EXPECT_GT(expected, before) << length_m;
    before = expected;
  }
}

Reflector random_surface(Random& random) {
  const auto around = [&](double radius_m) {
    const double x = random.uniform(-radius_m, radius_m), y = random.uniform(-radius_m, radius_m);
    return Vec3{x, y, random.uniform(-radius_m, radius_m)};
  };
  Reflector surface;
  surface.origin = around(30);
  const Vec3 side = around(10), other = around(10);
  surface.normal = normalized(cross(side, other));
  surface.outline = {surface.origin, surface.origin + side, surface.origin + side + other, surface.origin + other};
  surface.corners = random.below(2) == 0 ? 3 : 4;
  return surface;
}

TEST(TwoEdges, BeamHoldsEveryRayAndFewOthers) {
  Random random(31);
  int refused = 0, others = 0;
  for (int i = 0; i < 20000; ++i) {
    const Reflector surface = random_surface(random);
    const auto in_front = [&] {
      for (;;) {
        const double x = random.uniform(-60, 60), y = random.uniform(-60, 60);
        const Vec3 p{x, y, random.uniform(-60, 60)};
        if (dot(p - surface.origin, surface.normal) > 0.1) return p;
      }
    };
    const Vec3 begin = in_front(), end = begin + random.uniform(0.01, 0.3) * (in_front() - begin);
    const EdgeBeam beam(surface, begin, end);
    // A ray from a point of the edge by way of a point of the surface, and a second edge through its end.
    const auto corners = surface.polygon();
    const double u = random.uniform(0, 1), v = random.uniform(0, 1);
    const Vec3 on_surface = corners.size() == 3
                                ? corners[0] + std::min(u, v) * (corners[1] - corners[0]) +
                                      (std::max(u, v) - std::min(u, v)) * (corners[2] - corners[0])
                                : corners[0] + u * (corners[1] - corners[0]) + v * (corners[3] - corners[0]);
    const Vec3 on_edge = begin + random.uniform(0, 1) * (end - begin), in = on_surface - on_edge;
    const Vec3 out = in - 2 * dot(in, surface.normal) * surface.normal;
    const Vec3 reached = on_surface + random.uniform(0.05, 3) * out, along = 0.2 * (in_front() - reached);
    const double share = random.uniform(0, 1);
    const Vec3 first = reached - share * along, last = reached + (1 - share) * along;
    EXPECT_TRUE(beam.reaches_segment(first, last)) << i;
    const Vec3 away = first - last;
    EXPECT_TRUE(
        beam.reaches({0.5 * (first + last), 0.5 * Vec3{std::fabs(away.x), std::fabs(away.y), std::fabs(away.z)}}))
        << i;
    const Vec3 other = in_front();
    ++others;
    refused += beam.reaches_segment(other, other + 0.1 * (in_front() - other)) ? 0 : 1;
  }
  EXPECT_GT(refused, others / 2);
}

}  // namespace
}  // namespace tesseray
