// SPDX-License-Identifier: GPL-3.0-or-later
// One and two diffractions of the launcher at a single building, against the exact Keller point and against the chain
// of two edges in closed form.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "core/base/units.h"
#include "core/physics/antenna.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/rays/virtual_source.h"
#include "tests/support/environment.h"
#include "tests/support/exact_knife_edges.h"
#include "tests/support/image_oracle.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double frequency_hz = 850e6;
constexpr Complex absorbing{1, 0};

// A house of 15 m on flat ground that has no tiles.
Scene one_house() {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {180, 180}, {200, 230}, 0, 15)};
  return scene;
}

std::vector<Vec3> around_the_house() {
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) {
    const double azimuth = 0.1571 * i + 0.013;
    for (const double distance : {45.0, 83.0, 141.0}) {
      points.push_back({190 + distance * std::sin(azimuth), 205 + distance * std::cos(azimuth), 1.5 + 0.31 * i});
    }
  }
  return points;
}

std::vector<const Ray*> rays_at(const RayLaunchingResult& result, std::size_t receiver, const std::string& text) {
  std::vector<const Ray*> rays;
  for (const Ray& ray : result.rays) {
    if (ray.target_id == static_cast<std::int64_t>(receiver) + 1 && ray.interactions == text) rays.push_back(&ray);
  }
  return rays;
}

TEST(LauncherDiffraction, SingleDiffractionIsThatOfTheKellerPoint) {
  const Environment house(one_house(), 10);
  const testing::ImageOracle oracle(house.scene, house.occlusion, frequency_hz);
  const Vec3 antenna{120, 160, 21};
  const std::vector<Vec3> points = around_the_house();
  const auto result = house.launch(testing::test_transmitter(antenna), testing::receivers_at(points),
                                   testing::without_scattering(0, 1, 1));
  std::size_t compared = 0, exact = 0;
  for (std::size_t r = 0; r < points.size(); ++r) {
    const auto paths = oracle.diffractions(antenna, points[r], points[r]);
    exact += paths.size();
    for (const Ray* ray : rays_at(result, r, "T-D")) {
      for (const testing::ExactPath& path : paths) {
        if (norm(ray->points[1] - path.point) > 1e-6) continue;
        EXPECT_NEAR(ray->power_dbm, decibels(path.path_gain), 0.001) << "receiver " << r;
        EXPECT_NEAR(ray->delay_ns, path.length_m / speed_of_light * 1e9, 1e-6);
        ++compared;
      }
    }
  }
  EXPECT_GT(exact, 150u);
  EXPECT_GT(compared, exact * 9 / 10);
}

// Loss behind a rounded obstacle over free space, dB (ITU-R P.526 §4.2): a knife-edge's at the common point of both
// tangents, and what the radius adds. Lengths are those of the tangents, bent by a small angle.
double rounded_obstacle_loss_db(double radius_m, double tangent_1_m, double tangent_2_m, double bend, double lambda) {
  const double both_m = tangent_1_m * tangent_2_m / (tangent_1_m + tangent_2_m);
  const double size = pi * radius_m / lambda, clearance_m = bend * both_m;
  const double m = radius_m / both_m / std::cbrt(size), n = clearance_m * std::cbrt(size * size) / radius_m;
  const double by_radius_db =
      m * n <= 4
          ? 7.2 * std::sqrt(m) - (2 - 12.5 * n) * m + 3.6 * m * std::sqrt(m) - 0.8 * m * m
          : -6 - 20 * std::log10(m * n) + 7.2 * std::sqrt(m) - (2 - 17 * n) * m + 3.6 * m * std::sqrt(m) - 0.8 * m * m;
  return knife_edge_loss_db(fresnel_parameter(clearance_m, tangent_1_m, tangent_2_m, lambda)) + by_radius_db;
}

// A round tower of sides of less than a metre, none of which would have a tile of its own.
Scene round_tower(Vec2 centre, double radius_m, int sides) {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {0, 0}, {1, 1}, 0, 200)};
  Ring& ring = scene.prisms[0].rings[0];
  ring.clear();
  for (int k = 0; k < sides; ++k) {
    const double azimuth = 2 * pi * (k + 0.37) / sides;
    ring.push_back(
        {snapped(centre.x + radius_m * std::cos(azimuth)), snapped(centre.y + radius_m * std::sin(azimuth))});
  }
  return scene;
}

TEST(LauncherDiffraction, RoundTowersShadowAsRoundedObstacles) {
  constexpr double to_antenna_m = 80, to_receiver_m = 60;  // along the tangents, from the centre and from the wall
  const Vec2 centre{200, 200};
  const double lambda = wavelength_m(frequency_hz);
  struct Tower {
    double radius_m = 0;
    int sides = 0;
  };
  for (const Tower& of : {Tower{10, 64}, Tower{10, 360}, Tower{3, 32}}) {
    const Environment tower(round_tower(centre, of.radius_m, of.sides), TilingOptions{});
    std::vector<double> errors_db;
    // Over more than the angle between two edges.
    for (int turn_deg = 0; turn_deg < 20; ++turn_deg) {
      const double to_centre = turn_deg * pi / 180;
      const Vec3 antenna{centre.x - to_antenna_m * std::cos(to_centre), centre.y - to_antenna_m * std::sin(to_centre),
                         101};
      std::vector<Vec3> points;
      std::vector<double> expected_db;
      for (const double bend_deg : {1.0, 2.0, 3.0, 4.0, 5.0}) {
        const double bend = bend_deg * pi / 180;
        const double azimuth = to_centre + std::asin(of.radius_m / to_antenna_m) - bend;
        const Vec2 along{std::cos(azimuth), std::sin(azimuth)}, aside{-along.y, along.x};
        const Vec2 place = centre + of.radius_m * aside + to_receiver_m * along;
        points.push_back({place.x, place.y, 99.3});
        const double tangent_m = std::sqrt(to_antenna_m * to_antenna_m - of.radius_m * of.radius_m);
        expected_db.push_back(rounded_obstacle_loss_db(of.radius_m, tangent_m, to_receiver_m, bend, lambda));
      }
      const auto result = tower.launch(testing::test_transmitter(antenna), testing::receivers_at(points),
                                       testing::without_scattering(0, 2, 2));
      for (std::size_t r = 0; r < points.size(); ++r) {
        const double free_space_db = free_space_loss_db(norm(points[r] - antenna), frequency_hz);
        const double error_db = -decibels(testing::total_gain(result.receivers[r])) - free_space_db - expected_db[r];
        errors_db.push_back(error_db);
        // Most where the antenna lies in the plane of a face: of a wave along it plain UTD leaves little at its end.
        EXPECT_GT(error_db, -6) << of.radius_m << " m, " << turn_deg << "°, receiver " << r;
        EXPECT_LT(error_db, 13) << of.radius_m << " m, " << turn_deg << "°, receiver " << r;
      }
    }
    const double mean_db =
        std::accumulate(errors_db.begin(), errors_db.end(), 0.0) / static_cast<double>(errors_db.size());
    EXPECT_NEAR(mean_db, 0, 4.2) << of.radius_m << " m, " << of.sides << " sides";
  }
}

// What a tile on the n-face of a wedge gets of a vertical field by the Keller point: that face absorbs, since of a tile
// the wave that falls on it is wanted.
double gain_on_face(Wedge wedge, Vec3 on_edge, Vec3 antenna, Vec3 tile) {
  wedge.eps_n = absorbing;
  const double lambda = wavelength_m(frequency_hz);
  const Vec3 place = on_edge + keller_point(antenna, tile, on_edge, wedge.direction) * wedge.direction;
  const double before = norm(place - antenna), after = norm(tile - place);
  const Vec3 k_i = (1 / before) * (place - antenna), k_d = (1 / after) * (tile - place);
  const double sin_beta = norm(cross(k_i, wedge.direction));
  const ComplexVec3 sent = Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_i);
  const ComplexVec3 field =
      diffracted_field(wedge, sent, k_i, k_d, distance_parameter_m(before, after, sin_beta), 2 * pi / lambda);
  const Complex received = dot(field, polarization_vector(LinearPolarization::vertical, AntennaFrame{}, -k_d));
  const double amplitude = lambda / (4 * pi) * norm(received) * edge_spreading(before, after) / before;
  return amplitude * amplitude;
}

// Behind its eaves a roof has what they diffract, and a wall what its corner does.
TEST(LauncherDiffraction, TilesOnAFaceOfTheEdgeHaveTheWaveThatFallsOnThem) {
  const Environment house(one_house(), 5);
  const Complex wall = relative_permittivity({5, 0.01}, frequency_hz);
  const Vec3 antenna{100, 205, 9}, up{0, 0, 1}, to_front{1, 0, 0};
  const Wedge eaves{{0, 1, 0}, -up, -to_front, 1.5 * pi, wall, wall},
      corner{up, {0, 1, 0}, -to_front, 1.5 * pi, wall, wall};
  const auto result = house.launch(testing::test_transmitter(antenna), {}, testing::without_scattering(0, 1, 1));
  std::size_t roofs = 0, walls = 0;
  for (std::size_t t = 0; t < house.tiling.tiles.size(); ++t) {
    const Tile& tile = house.tiling.tiles[t];
    const bool is_roof = tile.kind == SurfaceKind::roof;
    if (!is_roof && tile.normal.y > -0.99) continue;
    const Vec3 edge = is_roof ? Vec3{180, 205, 15} : Vec3{180, 180, 7};
    const double expected = gain_on_face(is_roof ? eaves : corner, edge, antenna, tile.centroid);
    EXPECT_NEAR(decibels(testing::total_gain(result.tiles[t])), decibels(expected), 0.05)
        << tile.centroid.x << ' ' << tile.centroid.y << ' ' << tile.centroid.z;
    ++(is_roof ? roofs : walls);
  }
  EXPECT_GE(roofs, 40u);
  EXPECT_GE(walls, 12u);
}

// Front and rear edge of the house's flat roof, both along y: the chain of docs/physics.md §0 and §5 in the vertical
// plane through antenna and receiver, which is at right angles to the edges. The roof between them absorbs.
struct RoofChain {
  double gain = 0;
  double length_m = 0;
};

RoofChain over_the_roof(Vec3 antenna, Vec3 receiver) {
  const Complex wall = relative_permittivity({5, 0.01}, frequency_hz);
  const double lambda = wavelength_m(frequency_hz), wave_number = 2 * pi / lambda;
  const Vec3 front{180, antenna.y, 15}, rear{200, antenna.y, 15};
  const double s0 = norm(front - antenna), s1 = norm(rear - front), s2 = norm(receiver - rear);
  const Vec3 k0 = (1 / s0) * (front - antenna), k1{1, 0, 0}, k2 = (1 / s2) * (receiver - rear);
  const Vec3 up{0, 0, 1};
  // The 0-face is the wall: tangent down, normal outwards; the n-face is the roof.
  const Wedge first{{0, 1, 0}, -up, {-1, 0, 0}, 1.5 * pi, wall, absorbing};
  const Wedge second{{0, -1, 0}, -up, {1, 0, 0}, 1.5 * pi, wall, absorbing};
  const ComplexVec3 sent = Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k0);
  const ComplexVec3 between = diffracted_field(first, sent, k0, k1, s0 * s1 / (s0 + s1), wave_number);
  const ComplexVec3 after = diffracted_field(second, between, k1, k2, s1 * s2 / (s1 + s2), wave_number);
  const double spreading = 1 / std::sqrt(s0 * s1 * s2 * (s0 + s1 + s2));
  const Complex received = dot(after, polarization_vector(LinearPolarization::vertical, AntennaFrame{}, -k2));
  const double amplitude = lambda / (4 * pi) * spreading * norm(received);
  return {amplitude * amplitude, s0 + s1 + s2};
}

TEST(LauncherDiffraction, TwoEdgesOfOneRoofAreTheChainOfTwoWedges) {
  const std::array<double, 3> antenna_heights{1.5, 9, 14};
  for (const double side_m : {10.0, 5.0}) {
    const Environment house(one_house(), side_m);
    for (const double height : antenna_heights) {
      // Off the borders of edge segments.
      const Vec3 antenna{100, 203.7, height}, receiver{270, 203.7, 1.5};
      const auto result = house.launch(testing::test_transmitter(antenna), testing::receivers_at({receiver}),
                                       testing::without_scattering(0, 2, 2));
      const RoofChain expected = over_the_roof(antenna, receiver);
      std::size_t found = 0;
      for (const Ray* ray : rays_at(result, 0, "T-D-D")) {
        if (ray->points[1].z < 14.9) continue;  // around the house's corners
        EXPECT_NEAR(ray->power_dbm, decibels(expected.gain), 0.05) << side_m << " m tiles, antenna at " << height;
        EXPECT_NEAR(ray->delay_ns, expected.length_m / speed_of_light * 1e9, 1e-6);
        ++found;
      }
      EXPECT_EQ(found, 1u) << side_m << " m tiles, antenna at " << height;
      // Nothing else comes over the roof.
      EXPECT_TRUE(rays_at(result, 0, "T-D").empty());
    }
  }
}

// The same loss by quite another way: two absorbing screens in cascade.
TEST(LauncherDiffraction, TwoEdgesOfOneRoofAreNearTwoScreens) {
  const Environment house(one_house(), 10);
  const double lambda = wavelength_m(frequency_hz);
  for (const double height : {1.5, 9.0, 14.0}) {
    const Vec3 antenna{100, 203.7, height}, receiver{270, 203.7, 1.5};
    const auto result = house.launch(testing::test_transmitter(antenna), testing::receivers_at({receiver}),
                                     testing::without_scattering(0, 2, 2));
    const std::vector<Vec2> profile{{0, height}, {80, 15}, {100, 15}, {170, 1.5}};
    const double screens_db =
        free_space_loss_db(norm(receiver - antenna), frequency_hz) + deygout_loss_db(profile, lambda);
    const double loss_db = -result.rays.front().power_dbm;
    EXPECT_NEAR(loss_db, screens_db, 5.0) << "antenna at " << height;
    testing::expect_in_validation_page(
        {testing::fixed(height, 1), testing::fixed(loss_db, 1), testing::fixed(screens_db, 1)});
  }
}

// A row of house walls: the second edge is at right angles to the first (roof, then corner).
TEST(LauncherDiffraction, WavefrontBehindTwoCrossedEdgesHasBothRadii) {
  const Vec3 edge_1{0, 0, 0};
  VirtualSource source;
  source.point = {-30, 0, 0};
  source.edge_midpoint = edge_1;
  source.edge_direction = {0, 1, 0};
  source.edge_half_length_m = 5;
  const Vec3 midpoint{40, 0, 0};
  const Leg leg = leg_to(source, midpoint);
  EXPECT_NEAR(leg.amplitude, 1 / std::sqrt(30.0 * 40.0 * 70.0), 1e-12);
  // Parallel: as from a point at the whole distance. Crossed: as from a point on the first edge.
  const WaveAtEdge parallel = wave_at_edge(source, leg, midpoint, {0, 1, 0});
  const WaveAtEdge crossed = wave_at_edge(source, leg, midpoint, {0, 0, 1});
  EXPECT_NEAR(norm(parallel.source.point - Vec3{-30, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(norm(crossed.source.point - Vec3{0, 0, 0}), 0, 1e-9);
  // docs/physics.md §0: the spreading of the whole chain for both.
  const double s0 = 30, s1 = 40, s2 = 25;
  const auto behind = [&](const WaveAtEdge& wave, Vec3 direction) {
    VirtualSource next = wave.source;
    next.edge_midpoint = midpoint;
    next.edge_direction = direction;
    next.edge_half_length_m = 5;
    return wave.strength_factor * leg_to(next, midpoint + Vec3{s2, 0, 0}).amplitude;
  };
  EXPECT_NEAR(behind(parallel, {0, 1, 0}), 1 / std::sqrt(s0 * s1 * s2 * (s0 + s1 + s2)), 1e-12);
  EXPECT_NEAR(behind(crossed, {0, 0, 1}), 1 / std::sqrt(s0 * (s0 + s1) * s2 * (s1 + s2)), 1e-12);
}

}  // namespace
}  // namespace tesseray
