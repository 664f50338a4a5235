// SPDX-License-Identifier: GPL-3.0-or-later
// What each step of a ray takes: the steps add up to its loss, and each is what its closed form says.
#include "tests/support/ray_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <set>
#include <string>

#include "core/base/units.h"
#include "core/physics/antenna.h"
#include "core/physics/knife_edge.h"
#include "core/physics/link_metrics.h"
#include "core/physics/material.h"
#include "core/physics/scattering.h"
#include "core/propagation/scattering/tile_parts.h"
#include "core/propagation/vegetation/vegetation_loss.h"
#include "tests/support/environment.h"
#include "tests/support/exact_knife_edges.h"
#include "tests/support/image_oracle.h"
#include "tests/support/scattering_cross_section.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

using testing::Environment;
using testing::loss_of;
using testing::sum_of_losses;

constexpr double frequency_hz = 850e6;

RayLaunchingOptions with_losses(RayLaunchingOptions options) {
  options.tiles_are_targets = false;
  options.ray_losses = true;
  options.scattered_rays = options.max_scatterings > 0;
  options.rays_per_receiver = 100'000;
  return options;
}

std::vector<Ray> rays_of(const Environment& town, const Transmitter& transmitter, const std::vector<Vec3>& receivers,
                         const RayLaunchingOptions& options) {
  return town.launch(transmitter, testing::receivers_at(receivers), with_losses(options)).rays;
}

// The letters of the interactions among the steps, "T-R-D" of R and D.
std::string interactions_of(const Ray& ray) {
  std::string text = "T";
  for (const RayLoss& loss : ray.losses) {
    if (loss.step.size() == 1) text += "-" + loss.step;
  }
  return text;
}

double length_of(const Ray& ray, std::size_t first = 0, std::size_t last = 100) {
  double length = 0;
  for (std::size_t i = first + 1; i < std::min(last + 1, ray.points.size()); ++i) {
    length += norm(ray.points[i] - ray.points[i - 1]);
  }
  return length;
}

// Checks every ray; gives how many there are of each kind.
std::map<std::string, std::size_t> check_sums(const Transmitter& transmitter, const std::vector<Ray>& rays) {
  std::map<std::string, std::size_t> kinds;
  for (const Ray& ray : rays) {
    EXPECT_FALSE(ray.losses.empty()) << ray.interactions;
    EXPECT_NEAR(sum_of_losses(ray), transmitter.erp_dbm - ray.power_dbm, 1e-4)
        << ray.interactions << " at " << ray.target_id;
    EXPECT_EQ(interactions_of(ray), ray.interactions);
    // Some delays have a phase with them, of a wavelength at most.
    const double length = ray.delay_ns * 1e-9 * speed_of_light;
    EXPECT_NEAR(loss_of(ray, "free space"), free_space_loss_db(length, transmitter.frequency_hz), 0.1)
        << ray.interactions;
    if (ray.interactions == "T" || ray.interactions == "T-R" || ray.interactions == "T-D") {
      EXPECT_NEAR(loss_of(ray, "free space"), free_space_loss_db(length_of(ray), transmitter.frequency_hz), 1e-6)
          << ray.interactions;
    }
    ++kinds[ray.interactions];
  }
  return kinds;
}

TEST(RayLosses, OfAllRaysAddUp) {
  RayLaunchingOptions options;
  options.max_diffractions = 2;
  options.max_after_scattering = 2;
  options.cross_polarization = 0.1;
  Transmitter transmitter = testing::test_transmitter(testing::antenna_between_houses);
  transmitter.erp_dbm = 33;
  const auto kinds =
      check_sums(transmitter, rays_of(testing::two_houses(), transmitter, testing::around_houses, options));
  for (const char* kind : {"T",     "T-R",   "T-G",     "T-D",     "T-R-R",   "T-R-G",   "T-R-D",   "T-D-R",
                           "T-D-D", "T-D-G", "T-R-D-R", "T-D-R-D", "T-S",     "T-R-S",   "T-G-S",   "T-D-S",
                           "T-S-R", "T-S-D", "T-R-S-R", "T-R-S-D", "T-S-R-R", "T-S-R-D", "T-S-D-R", "T-S-D-D"}) {
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
}

// A sector antenna and a dipole, a wood between them, a house that lets through and roofs on uneven ground.
TEST(RayLosses, OfAllRaysAddUpWithAllThatTakes) {
  std::map<std::string, std::size_t> kinds;
  const auto height_at = [](Vec2 p) { return 4 * std::sin(p.x / 31) * std::cos(p.y / 44); };
  for (const bool uneven : {false, true}) {
    Scene scene = uneven ? testing::terrain_of(240, 200, 10, height_at) : testing::flat_ground(240, 200);
    const auto ground_z = [&](Vec2 p) { return uneven ? height_at(p) : 0.0; };
    scene.prisms = {testing::box_prism(1, {60, 70}, {75, 110}, -5, 12),
                    testing::box_prism(2, {105, 60}, {120, 120}, -5, 9),
                    testing::box_prism(3, {150, 85}, {165, 125}, -5, 11)};
    scene.vegetation = {{1, {{{80, 60}, {100, 60}, {100, 130}, {80, 130}}}, -5, 8}};
    const Environment town(std::move(scene), 8);
    Transmitter transmitter = testing::test_transmitter({50, 88, ground_z({50, 88}) + 10});
    transmitter.erp_dbm = 40;
    transmitter.antenna = AntennaKind::sector_3gpp;
    transmitter.azimuth_deg = transmitter.grid_azimuth_deg = 70;
    transmitter.downtilt_deg = 6;
    transmitter.polarization = Polarization::slant_plus_45;
    std::vector<Vec3> receivers;
    for (const Vec2 at : {Vec2{40, 60}, Vec2{90, 95}, Vec2{135, 90}, Vec2{200, 105}, Vec2{140, 150}}) {
      receivers.push_back({at.x, at.y, ground_z(at) + 1.5});
    }
    receivers.push_back({112, 90, 12});
    for (const OverRooftop method : {OverRooftop::screens, OverRooftop::deygout}) {
      for (const Summation summation : {Summation::local_mean, Summation::power}) {
        RayLaunchingOptions options;
        options.over_rooftop = method;
        options.summation = summation;
        options.transmission.nearest_building = true;
        options.receiver_antenna = AntennaKind::half_wave_dipole;
        options.scattering_lobe_exponent = uneven ? 4 : 0;
        for (const auto& [kind, count] : check_sums(transmitter, rays_of(town, transmitter, receivers, options))) {
          kinds[kind] += count;
        }
      }
    }
  }
  for (const char* kind : {"T", "T-G", "T-R", "T-D", "T-O", "T-O-G", "T-O-R", "T-O-S", "T-B", "T-B-G", "T-B-R", "T-B-S",
                           "T-S", "T-R-S", "T-S-R", "T-S-D"}) {
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
}

// Fresnel's coefficients at a grazing angle, of ground with εr = 5 and 10 mS/m.
struct GroundReflection {
  double te = 0, tm = 0;  // of the power

  explicit GroundReflection(double sine) {
    const double wavelength = speed_of_light / frequency_hz;
    const std::complex<double> eps(5, -59.96 * 0.01 * wavelength);
    const std::complex<double> root = std::sqrt(eps - (1 - sine * sine));
    te = std::norm((sine - root) / (sine + root));
    tm = std::norm((eps * sine - root) / (eps * sine + root));
  }
};

const Environment& plain() {
  static const Environment made(testing::with_material(testing::flat_ground(300, 60), 5, 0.01), 10);
  return made;
}

TEST(RayLosses, OfAReflectionAreFresnels) {
  const Vec3 antenna{20, 30, 12};
  const std::vector<Vec3> receivers{{27, 30, 2}, {60, 30, 2}, {140, 30, 1.5}, {280, 30, 3}};
  for (const Polarization polarization :
       {Polarization::vertical, Polarization::horizontal, Polarization::slant_plus_45}) {
    Transmitter transmitter = testing::test_transmitter(antenna);
    transmitter.polarization = polarization;
    RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
    options.receiver_polarization = polarization;
    std::size_t compared = 0;
    for (const Ray& ray : rays_of(plain(), transmitter, receivers, options)) {
      if (ray.interactions != "T-G") continue;
      const Vec3 receiver = receivers[static_cast<std::size_t>(ray.target_id) - 1];
      const double length = std::hypot(receiver.x - antenna.x, receiver.z + antenna.z);
      const GroundReflection ground((receiver.z + antenna.z) / length);
      const double left = polarization == Polarization::vertical     ? ground.tm
                          : polarization == Polarization::horizontal ? ground.te
                                                                     : (ground.te + ground.tm) / 2;
      EXPECT_NEAR(loss_of(ray, "G"), -decibels(left), 1e-3);
      EXPECT_NEAR(loss_of(ray, "free space"), free_space_loss_db(length, frequency_hz), 1e-9);
      EXPECT_EQ(loss_of(ray, "ERP"), -half_wave_dipole_gain_dbi);
      if (polarization != Polarization::slant_plus_45) {
        EXPECT_EQ(ray.losses.size(), 3u);
      }
      ++compared;
    }
    EXPECT_EQ(compared, receivers.size());
  }
}

// What is scattered is no longer reflected: 1 − S².
TEST(RayLosses, OfARoughReflectionAreThoseOfWhatIsLeft) {
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  const auto reflection_db = [&] {
    for (const Ray& ray : rays_of(plain(), testing::test_transmitter({20, 30, 12}), {{140, 30, 1.5}}, options)) {
      if (ray.interactions == "T-G") return loss_of(ray, "G");
    }
    return 0.0;
  };
  const double smooth_db = reflection_db();
  options.max_scatterings = 1;
  options.scattering_coefficient = 0.6;
  const Vec3 by_image{120, 0, 13.5};
  const double cosine = by_image.z / norm(by_image);
  EXPECT_NEAR(reflection_db() - smooth_db, -decibels(1 - 0.36 * cosine * cosine), 1e-9);
}

TEST(RayLosses, OfADiffractionAreThoseBeyondFreeSpace) {
  const Environment& town = testing::two_houses();
  const testing::ImageOracle oracle(town.scene, town.occlusion, frequency_hz);
  const Vec3 antenna = testing::antenna_between_houses;
  std::size_t compared = 0;
  for (const Ray& ray : rays_of(town, testing::test_transmitter(antenna), testing::around_houses,
                                testing::without_scattering(0, 1, 1))) {
    if (ray.interactions != "T-D") continue;
    for (const testing::ExactPath& path : oracle.diffractions(antenna, ray.points.back(), ray.points.back())) {
      if (norm(ray.points[1] - path.point) > 1e-6) continue;
      const double beyond_db = -decibels(path.path_gain) - free_space_loss_db(path.length_m, frequency_hz);
      // What the receiver of the other polarisation does not take is no loss of the edge.
      EXPECT_NEAR(loss_of(ray, "D") + loss_of(ray, "polarisation"), beyond_db, 0.001);
      EXPECT_GE(loss_of(ray, "polarisation"), 0);
      EXPECT_EQ(loss_of(ray, "receiver"), 0);
      ++compared;
    }
  }
  EXPECT_GT(compared, 8u);
}

// Reflected before, the wave is one from the antenna's image.
TEST(RayLosses, OfADiffractionAfterAReflectionAreThoseOfTheImage) {
  const Environment& town = testing::two_houses();
  std::size_t compared = 0;
  for (const Ray& ray : rays_of(town, testing::test_transmitter(testing::antenna_between_houses),
                                testing::around_houses, testing::without_scattering(1, 1, 2))) {
    if (ray.interactions != "T-G-D" && ray.interactions != "T-R-D") continue;
    const Tile& mirror = town.tiling.tiles[ray.elements[0]];
    const EdgeSegment& edge = town.tiling.edges[ray.elements[1] - town.tiling.tiles.size()];
    const Material& m = town.scene.materials[0];
    const Complex eps = relative_permittivity(
        electric_properties({m.a, m.b, m.c, m.d, m.minimum_ghz, m.maximum_ghz}, frequency_hz), frequency_hz);
    const Wedge wedge{edge.direction, edge.tangent_0, edge.normal_0, edge.wedge_angle, eps, eps};
    const Vec3 k_0 = normalized(ray.points[1] - ray.points[0]), k_i = normalized(ray.points[2] - ray.points[1]);
    const Vec3 k_d = normalized(ray.points[3] - ray.points[2]);
    const Vec3 sent = polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_0);
    const ComplexVec3 mirrored = reflected_field(Complex{1, 0} * sent, k_0, mirror.normal, eps);
    EXPECT_NEAR(loss_of(ray, ray.interactions.substr(2, 1)), -decibels(squared_norm(mirrored)), 0.1);
    const double before = length_of(ray, 0, 2), after = length_of(ray, 2);
    const double sin_beta = norm(cross(k_i, edge.direction));
    const ComplexVec3 field = diffracted_field(wedge, mirrored, k_i, k_d, distance_parameter_m(before, after, sin_beta),
                                               2 * pi / wavelength_m(frequency_hz));
    const double spreading = edge_spreading(before, after) / before * (before + after);
    const double left = squared_norm(field) / squared_norm(mirrored) * spreading * spreading;
    EXPECT_NEAR(loss_of(ray, "D"), -decibels(left), 0.3) << ray.interactions;
    ++compared;
  }
  EXPECT_GT(compared, 4u);
}

// Behind the edge, whatever has been reflected before it: between Fresnel's of the two polarisations.
TEST(RayLosses, OfAReflectionBehindAnEdgeAreItsOwn) {
  const Environment& town = testing::two_houses();
  const Material& m = town.scene.materials[0];
  const Complex eps = relative_permittivity(
      electric_properties({m.a, m.b, m.c, m.d, m.minimum_ghz, m.maximum_ghz}, frequency_hz), frequency_hz);
  std::size_t compared = 0;
  for (const Ray& ray : rays_of(town, testing::test_transmitter(testing::antenna_between_houses),
                                testing::around_houses, testing::without_scattering(2, 1, 3))) {
    if (ray.interactions != "T-R-D-G" && ray.interactions != "T-G-D-R") continue;
    const Tile& mirror = town.tiling.tiles[ray.elements[2]];
    const Vec3 incidence = normalized(ray.points[3] - ray.points[2]);
    const FresnelCoefficients fresnels = fresnel(eps, std::fabs(dot(incidence, mirror.normal)));
    const double te_db = -decibels(squared_norm(fresnels.te)), tm_db = -decibels(squared_norm(fresnels.tm));
    const double loss_db = loss_of(ray, ray.interactions.substr(6, 1));
    EXPECT_GT(loss_db, std::min(te_db, tm_db) - 1e-6) << ray.interactions;
    EXPECT_LT(loss_db, std::max(te_db, tm_db) + 1e-6) << ray.interactions;
    ++compared;
  }
  EXPECT_GT(compared, 3u);
}

// A wall as thin as a screen between antenna and receiver, which bends the ray so little that it is one.
TEST(RayLosses, OfRoofsAreThoseOfAKnifeEdge) {
  Scene scene = testing::flat_ground(400, 300);
  scene.prisms = {testing::box_prism(1, {200, 2}, {200.05, 298}, 0, 14)};
  const Environment town(std::move(scene), 20);
  const Vec3 antenna{50, 150, 12}, receiver{300, 150, 1.5};
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  std::size_t compared = 0;
  for (const Ray& ray : rays_of(town, testing::test_transmitter(antenna), {receiver}, options)) {
    if (ray.interactions != "T-O") continue;
    const double clearance = 14 - (12 - 10.5 * 150 / 250);
    const double nu = fresnel_parameter(clearance, 150, 100, wavelength_m(frequency_hz));
    EXPECT_NEAR(loss_of(ray, "O"), knife_edge_loss_db(nu), 0.2);
    ++compared;
  }
  EXPECT_EQ(compared, 1u);
}

// Over a house whose rear edge is 0.2 m below the line: the edge turns the phase, too, which makes no way longer.
TEST(RayLosses, OfRoofsJustBelowTheLineAreTheirOwn) {
  Scene scene = testing::flat_ground(120, 90);
  scene.prisms = {testing::box_prism(213, {50, 20}, {70, 35}, 0, 9)};
  const Environment town(std::move(scene), 8);
  const Transmitter transmitter = testing::test_transmitter({60, 5, 9.6});
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  const RayLaunchingResult result =
      town.launch(transmitter, testing::receivers_at({{60, 48, 9}}), with_losses(options));
  check_sums(transmitter, result.rays);
  const LeftInSight& left = result.left_in_sight.front();
  std::size_t compared = 0;
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T") continue;
    EXPECT_GT(loss_of(ray, "roofs"), 2);
    EXPECT_NEAR(loss_of(ray, "roofs"), -2 * decibels(left.by_roofs), 1e-9);
    EXPECT_NEAR(loss_of(ray, "ground"), -2 * decibels(left.with_ground), 1e-6);
    EXPECT_EQ(loss_of(ray, "ground"), 0);  // that is the reflection's, which comes to the receiver by itself
    ++compared;
  }
  EXPECT_EQ(compared, 1u);
}

// Over a low hill that the line of sight just clears, with a wood on the way up to it.
TEST(RayLosses, OfUnevenGroundNearTheLineAreItsOwn) {
  const auto hill_z = [](Vec2 p) { return 10 * std::exp(-(p.x - 500) * (p.x - 500) / (400.0 * 400)); };
  Scene scene = testing::terrain_of(1700, 60, 10, hill_z);
  const Transmitter transmitter = testing::test_transmitter({100, 33, hill_z({100, 33}) + 10});
  const std::vector<Vec3> receivers{{1000, 33, hill_z({1000, 33}) + 4}, {1400, 33, hill_z({1400, 33}) + 9}};
  const double wood_m = 20, per_m = 0.3;
  for (const bool has_wood : {false, true}) {
    if (has_wood) {
      scene.vegetation = {{1, {{{140, 10}, {140 + wood_m, 10}, {140 + wood_m, 50}, {140, 50}}}, -10, 30}};
    }
    const Environment town(scene, 20);
    RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
    options.over_rooftop = OverRooftop::screens;
    options.vegetation = VegetationModel::per_metre;
    options.vegetation_db_per_m = per_m;
    const RayLaunchingResult result = town.launch(transmitter, testing::receivers_at(receivers), with_losses(options));
    check_sums(transmitter, result.rays);
    std::size_t compared = 0;
    for (const Ray& ray : result.rays) {
      if (ray.interactions != "T") continue;
      const LeftInSight& left = result.left_in_sight[static_cast<std::size_t>(ray.target_id) - 1];
      ASSERT_EQ(left.ground, LeftInSight::Ground::along);
      EXPECT_GT(std::fabs(decibels(left.with_ground)), 0.5);
      EXPECT_NEAR(loss_of(ray, "ground"), -2 * decibels(left.with_ground), 1e-9);
      EXPECT_NEAR(loss_of(ray, "vegetation"), has_wood ? per_m * wood_m : 0.0, 1e-3);
      ++compared;
    }
    EXPECT_EQ(compared, receivers.size());
  }
}

TEST(RayLosses, OfVegetationGoByTheMetresOfAllLegs) {
  Scene scene = testing::with_material(testing::flat_ground(300, 60), 5, 0.01);
  scene.vegetation = {{1, {{{100, 0}, {130, 0}, {130, 60}, {100, 60}}}, 0, 30}};
  const Environment town(std::move(scene), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.vegetation = VegetationModel::per_metre;
  options.vegetation_db_per_m = 0.4;
  const Vec3 antenna{20, 30, 12}, receiver{220, 30, 2};
  const std::vector<Ray> rays = rays_of(town, testing::test_transmitter(antenna), {receiver}, options);
  ASSERT_EQ(rays.size(), 2u);
  for (const Ray& ray : rays) {
    const double rise = ray.interactions == "T" ? receiver.z - antenna.z : receiver.z + antenna.z;
    const double slope = rise / (receiver.x - antenna.x);
    // Tiles are asked at their middle, so that the reflected ray's legs are a little steeper or flatter.
    EXPECT_NEAR(loss_of(ray, "vegetation"), 0.4 * 30 * std::hypot(1, slope), ray.interactions == "T" ? 1e-5 : 0.02);
  }
}

// In a wood that is everywhere each ray loses by its whole length, whatever it does on its way.
TEST(RayLosses, OfVegetationAreOfEachLeg) {
  Scene scene = testing::two_houses().scene;
  scene.vegetation = {{1, {{{-50, -50}, {150, -50}, {150, 150}, {-50, 150}}}, -1, 60}};
  const Environment wood(std::move(scene), 7);
  RayLaunchingOptions options;
  options.max_after_scattering = 2;
  options.vegetation_db_per_m = 0.2;
  constexpr double to_corner_m = 5;  // legs between tiles run from middle to middle
  std::set<std::string> kinds;
  for (const Ray& ray :
       rays_of(wood, testing::test_transmitter(testing::antenna_between_houses), testing::around_houses, options)) {
    const double length = ray.delay_ns * 1e-9 * speed_of_light;
    const double tolerance = 1e-3 + 0.2 * to_corner_m * static_cast<double>(ray.elements.size());
    EXPECT_NEAR(loss_of(ray, "vegetation"), 0.2 * length, tolerance) << ray.interactions;
    kinds.insert(ray.interactions);
  }
  for (const char* kind :
       {"T", "T-R", "T-D", "T-D-G", "T-R-D", "T-S", "T-R-S", "T-D-S", "T-S-R", "T-S-D", "T-S-R-R", "T-S-D-R"}) {
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
}

// Behind a corner and before a wall the plane of sloping ground reflects what passes over low trees without it.
TEST(RayLosses, OfVegetationAreThoseOfTheWayByTheGround) {
  const auto height_at = [](Vec2 p) { return 1e-3 * p.x; };
  Scene scene = testing::with_material(testing::terrain_of(400, 160, 20, height_at), 5, 0.01);
  scene.prisms = {testing::box_prism(1, {100, 10}, {110, 75}, -1, 60),
                  testing::box_prism(2, {100, 110}, {320, 120}, -1, 30)};
  scene.prisms[0].rings = {{{100, 10}, {110, 10}, {105, 75}}};
  scene.vegetation = {{1, {{{140, 0}, {240, 0}, {240, 105}, {140, 105}}}, -1, 2.2}};
  const VegetationPrisms trees(scene.vegetation);
  const Environment town(std::move(scene), 10);
  RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  options.over_rooftop = OverRooftop::none;
  options.vegetation_db_per_m = 0.3;
  const Transmitter transmitter = testing::test_transmitter({55, 65, height_at({55, 65}) + 6});
  const std::vector<Ray> rays = rays_of(town, transmitter, {{340, 60, height_at({340, 60}) + 4}}, options);
  check_sums(transmitter, rays);
  const auto& tiles = town.tiling.tiles;
  std::map<std::string, double> losses;
  for (const Ray& ray : rays) {
    double inside_m = 0;
    Vec3 last = ray.points.front();
    for (std::size_t i = 0; i <= ray.elements.size(); ++i) {
      Vec3 next = ray.points[i + 1];
      if (i < ray.elements.size() && ray.letter_of(i) != 'G') {
        const std::uint32_t element = ray.elements[i];
        next = element < tiles.size() ? tiles[element].centroid : town.tiling.edges[element - tiles.size()].midpoint;
      }
      inside_m += trees.length_inside(last, next);
      last = next;
    }
    EXPECT_NEAR(loss_of(ray, "vegetation"), options.vegetation_db_per_m * inside_m, 1e-4) << ray.interactions;
    // Of several of a kind the strongest, which comes first.
    losses.emplace(ray.interactions, loss_of(ray, "vegetation"));
  }
  for (const char* kind : {"T-D", "T-R"}) {
    ASSERT_TRUE(losses.contains(kind)) << kind;
    ASSERT_TRUE(losses.contains(std::string(kind) + "-G")) << kind;
    EXPECT_GT(losses[std::string(kind) + "-G"], losses[kind] + 5) << kind;
  }
}

TEST(RayLosses, OfABuildingAreItsWallsAndMetres) {
  Scene scene = testing::flat_ground(300, 300);
  scene.prisms = {testing::box_prism(1, {100, 20}, {112, 280}, 0, 30)};
  const Environment town(std::move(scene), 15);
  RayLaunchingOptions options = testing::direct_only();
  options.transmission = {.nearest_building = true, .wall_loss_db = 10, .indoor_db_per_m = 0.5};
  const std::vector<Ray> rays = rays_of(town, testing::test_transmitter({50, 150, 5}), {{200, 150, 5}}, options);
  ASSERT_EQ(rays.size(), 1u);
  EXPECT_EQ(rays[0].interactions, "T-B");
  EXPECT_NEAR(loss_of(rays[0], "B"), 2 * 10 + 12 * 0.5, 1e-9);
}

// The ground below the receiver reflects what has gone through, along its own way through the wood behind.
TEST(RayLosses, BehindABuildingAreThoseOfEachWay) {
  Scene scene = testing::with_material(testing::flat_ground(300, 300), 5, 0.01);
  scene.prisms = {testing::box_prism(1, {100, 20}, {112, 280}, 0, 30)};
  scene.vegetation = {{1, {{{150, 20}, {170, 20}, {170, 280}, {150, 280}}}, 0, 30}};
  const Environment town(std::move(scene), 15);
  Transmitter transmitter = testing::test_transmitter({50, 150, 9});
  transmitter.antenna = AntennaKind::sector_3gpp;
  transmitter.azimuth_deg = transmitter.grid_azimuth_deg = 90;
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.transmission = {.nearest_building = true, .wall_loss_db = 10, .indoor_db_per_m = 0.5};
  options.vegetation_db_per_m = 0.4;
  const std::vector<Ray> rays = rays_of(town, transmitter, {{200, 150, 2}}, options);
  ASSERT_EQ(rays.size(), 2u);
  for (const Ray& ray : rays) {
    const bool by_ground = ray.interactions == "T-B-G";
    const double rise = by_ground ? 11 : 7, length = std::hypot(150, rise), slope = rise / 150;
    EXPECT_NEAR(loss_of(ray, "free space"), free_space_loss_db(length, frequency_hz), 1e-9);
    EXPECT_NEAR(loss_of(ray, "B"), 20 + 0.5 * 12 * std::hypot(1, 7.0 / 150), 1e-6);
    EXPECT_NEAR(loss_of(ray, "vegetation"), 0.4 * 20 * std::hypot(1, slope), 1e-5);
    EXPECT_NEAR(loss_of(ray, "antenna"), 12 * std::pow(degrees(std::atan(slope)) / 65, 2), 1e-9);
    EXPECT_NEAR(loss_of(ray, "G"), by_ground ? -decibels(GroundReflection(rise / length).tm) : 0.0, 1e-3);
  }
  EXPECT_NE(rays[0].interactions, rays[1].interactions);
}

// 3GPP TR 38.901, table 7.3-1, of a sector that looks north; at the other end a half-wave dipole.
TEST(RayLosses, OfAntennasAreThoseOfTheirPatterns) {
  Transmitter transmitter = testing::test_transmitter({150, 20, 12});
  transmitter.antenna = AntennaKind::sector_3gpp;
  RayLaunchingOptions options = testing::direct_only();
  options.receiver_antenna = AntennaKind::half_wave_dipole;
  const std::vector<Vec3> receivers{{150, 50, 2}, {180, 50, 2}, {250, 50, 2}, {150, 5, 2}};
  const std::vector<Ray> rays = rays_of(plain(), transmitter, receivers, options);
  ASSERT_EQ(rays.size(), receivers.size());
  for (const Ray& ray : rays) {
    const double azimuth =
        ray.departure_azimuth_deg > 180 ? ray.departure_azimuth_deg - 360 : ray.departure_azimuth_deg;
    const double across_db = std::min(30.0, 12 * std::pow(azimuth / 65, 2));
    const double upright_db = std::min(30.0, 12 * std::pow(ray.departure_elevation_deg / 65, 2));
    EXPECT_NEAR(loss_of(ray, "antenna"), std::min(30.0, across_db + upright_db), 1e-9);
    const double e = radians(ray.arrival_elevation_deg);
    const double pattern = std::cos(pi / 2 * std::sin(e)) / std::cos(e);
    EXPECT_NEAR(loss_of(ray, "receiver"), -half_wave_dipole_gain_dbi - 2 * decibels(pattern), 1e-2);
  }
}

// The tile's cross section over what free space of the whole length would bring, 4π d₁² d₂² / (4π (d₁ + d₂)²).
TEST(RayLosses, OfAScatteringTileAreThoseOfItsCrossSection) {
  const Environment& town = testing::two_houses();
  RayLaunchingOptions options;
  options.max_after_scattering = 2;
  // Weaker ones leave the ground at a degree, where the middle of the next tile, which two more interactions are
  // followed by, lies at another angle than the place of the reflection.
  options.min_power_dbm = -120;
  const Material& m = town.scene.materials[0];
  const Complex eps = relative_permittivity(
      electric_properties({m.a, m.b, m.c, m.d, m.minimum_ghz, m.maximum_ghz}, frequency_hz), frequency_hz);
  std::map<std::string, std::size_t> compared;
  for (const Ray& ray :
       rays_of(town, testing::test_transmitter(testing::antenna_between_houses), testing::around_houses, options)) {
    if (ray.mechanism != Mechanism::scattering) continue;
    const std::size_t place = ray.interactions.find('S') / 2;
    // From an edge on, tubes are those of the next tile's middle, which another point of the edge has lit.
    if (ray.interactions.find("S-D-") != std::string::npos) continue;
    const Tile& tile = town.tiling.tiles[ray.elements[place - 1]];
    const double before = length_of(ray, 0, place), after = length_of(ray, place);
    const double out_m = norm(ray.points[place + 1] - tile.centroid),
                 in_m = norm(ray.points[place - 1] - tile.centroid);
    if (std::min(out_m, in_m) < 15) continue;  // nearer the tile is not one point
    const double cos_in = dot(normalized(ray.points[place - 1] - tile.centroid), tile.normal);
    const double cos_out = dot(normalized(ray.points[place + 1] - tile.centroid), tile.normal);
    if (std::min(cos_in, cos_out) < 1e-3) continue;  // along the tile all is rounding
    const double section = scattering_cross_section(options.scattering_model, options.scattering_coefficient, eps,
                                                    area_of(tile), cos_in, cos_out);
    const double left = section * std::pow((before + after) / (before * after), 2);
    EXPECT_NEAR(loss_of(ray, "S"), -decibels(left), 0.05) << ray.interactions;
    ++compared[ray.interactions];
  }
  for (const char* kind : {"T-S", "T-R-S", "T-G-S", "T-D-S", "T-S-R", "T-S-D", "T-R-S-R", "T-S-R-R", "T-S-R-D"}) {
    EXPECT_GT(compared[kind], 0u) << kind;
  }
}

// With or without the account all rays are the same.
TEST(RayLosses, LeaveEverythingAsItIs) {
  RayLaunchingOptions options = with_losses({});
  const auto launch = [&](bool losses) {
    options.ray_losses = losses;
    return testing::two_houses().launch(testing::test_transmitter(testing::antenna_between_houses),
                                        testing::receivers_at(testing::around_houses), options);
  };
  const RayLaunchingResult with = launch(true), without = launch(false);
  ASSERT_EQ(with.rays.size(), without.rays.size());
  for (std::size_t r = 0; r < with.rays.size(); ++r) {
    EXPECT_EQ(with.rays[r].path_gain, without.rays[r].path_gain);
    EXPECT_EQ(with.rays[r].points, without.rays[r].points);
    EXPECT_TRUE(without.rays[r].losses.empty());
  }
  for (std::size_t r = 0; r < with.receivers.size(); ++r) {
    EXPECT_EQ(with.receivers[r].gain, without.receivers[r].gain);
    EXPECT_EQ(with.receivers[r].interference, without.receivers[r].interference);
    EXPECT_EQ(with.receivers[r].rays, without.receivers[r].rays);
  }
}

}  // namespace
}  // namespace tesseray
