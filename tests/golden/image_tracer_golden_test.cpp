// SPDX-License-Identifier: GPL-3.0-or-later
// The image method against closed forms: two rays over a plane (golden 02), every path of the street canyon (golden 07)
// by sequence, length, delay and amplitude, single wedges in all three dimensions (golden 11), two absorbing screens
// one behind the other (golden 15), and the wave behind a house by boundary elements (waves_behind_house.csv).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/golden/golden_table.h"
#include "tests/golden/wedge_golden.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/test_folders.h"

namespace tesseray {
namespace {

constexpr double frequency_hz = 850e6;
// Of the canyon.
constexpr double width_m = 20, length_m = 402;

ImageTracingOptions rays_of(int reflections, int diffractions) {
  ImageTracingOptions options;
  options.max_reflections = reflections;
  options.max_diffractions = diffractions;
  options.max_reflections_with_diffractions = 1;
  options.max_length_m = 20'000;
  options.link.receiver_antenna = AntennaKind::short_dipole;
  options.link.summation = Summation::coherent;
  return options;
}

ImageTracingResult trace(const Scene& scene, Vec3 antenna, const std::vector<Vec3>& points,
                         const ImageTracingOptions& options, AntennaKind pattern = AntennaKind::short_dipole) {
  const Occlusion occlusion(scene);
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.frequency_hz = frequency_hz;
  transmitter.antenna = pattern;
  return ImageTracer(scene, occlusion, testing::receivers_at(points), options).trace(transmitter, no_progress());
}

// A short dipole takes √1.5 λ/4π of the field in its direction.
double dipole_amplitude() { return std::sqrt(1.5) * wavelength_m(frequency_hz) / (4 * pi); }

Complex amplitude_of(const Ray& ray) { return std::sqrt(ray.path_gain) * exp_j(radians(ray.phase_deg)); }

TEST(ImageTracerTwoRay, IsTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const Scene plane = testing::with_material(testing::flat_ground(5100, 10), 15, 0.005);
  const Vec3 antenna{7, 3, 41};
  std::vector<Vec3> points;
  std::vector<double> loss_db;
  const GoldenTable table("02_two_ray.csv");
  for (const GoldenRow& row : table.rows()) {
    if (row.text("surface") != "ground_15_0.005") continue;
    points.push_back({antenna.x + row.number("d_m"), antenna.y, 1.5});
    loss_db.push_back(row.number("PL_V_dB"));
  }
  ASSERT_GT(points.size(), 70u);
  ImageTracingOptions options = rays_of(4, 0);
  options.link.receiver_antenna = AntennaKind::isotropic;
  const ImageTracingResult result = trace(plane, antenna, points, options, AntennaKind::isotropic);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(result.receivers[i].rays, 2u);
    EXPECT_NEAR(-decibels(received_gain(result.receivers[i])), loss_db[i], 1e-5) << points[i].x;
  }
}

// Walls of 12 m: no path of the table rises above the antenna.
Scene canyon() {
  Scene scene = testing::flat_ground(length_m, width_m);
  scene.materials = {Material{"ground", 15, 0, 0.005, 0}, Material{"wall", 5, 0, 0.01, 0}};
  scene.prisms = {testing::box_prism(1, {0, -4}, {length_m, 0}, 0, 12),
                  testing::box_prism(2, {0, width_m}, {length_m, width_m + 4}, 0, 12)};
  for (Prism& prism : scene.prisms) prism.material = 1;
  return scene;
}

std::string sequence_of(const Ray& ray) {
  std::string sequence;
  for (std::size_t i = 1; i + 1 < ray.points.size(); ++i) {
    const Vec3 p = ray.points[i];
    sequence += std::fabs(p.y) < 1e-6 ? 'A' : std::fabs(p.y - width_m) < 1e-6 ? 'B' : 'G';
  }
  return sequence.empty() ? "LOS" : sequence;
}

TEST(ImageTracerCanyon, FieldsOfAllOrders) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("07_street_canyon.csv");
  for (const int order : {0, 1, 2, 3}) {
    std::vector<Vec3> points;
    for (const GoldenRow& row : table.rows()) points.push_back(row.vector("r"));
    const ImageTracingResult result = trace(canyon(), {0, 6, 10}, points, rays_of(order, 0));
    ASSERT_EQ(result.receivers.size(), 30u);
    for (std::size_t r = 0; r < points.size(); ++r) {
      std::string name = std::to_string(order);
      name.insert(0, 1, 'o');
      EXPECT_EQ(static_cast<double>(result.receivers[r].rays), table.rows()[r].number("n_" + name)) << r;
      Complex sum;
      for (const Ray& ray : result.rays) {
        if (ray.target_id == static_cast<std::int64_t>(r) + 1) sum = sum + amplitude_of(ray);
      }
      EXPECT_NEAR(norm((1 / dipole_amplitude()) * sum - table.rows()[r].complex("E_" + name)), 0, 1e-9) << r;
    }
  }
}

TEST(ImageTracerCanyon, EveryPathUpToFourReflections) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  std::ifstream in(GoldenTable::folder() / "07_canyon_paths.json");
  const nlohmann::json document = nlohmann::json::parse(in);
  for (const nlohmann::json& receiver : document["cases"]) {
    const auto vector = [](const nlohmann::json& list) { return Vec3{list[0], list[1], list[2]}; };
    const ImageTracingResult result = trace(canyon(), {0, 6, 10}, {vector(receiver["rx"])}, rays_of(4, 0));
    std::size_t expected = 0;
    for (const nlohmann::json& path : receiver["paths"]) {
      const std::string sequence = path["seq"];
      if (sequence.size() > 4) continue;
      ++expected;
      const auto found = std::find_if(result.rays.begin(), result.rays.end(),
                                      [&](const Ray& ray) { return sequence_of(ray) == sequence; });
      ASSERT_NE(found, result.rays.end()) << sequence;
      EXPECT_NEAR(found->delay_ns, static_cast<double>(path["delay_ns"]), 1e-8) << sequence;
      // The table's amplitudes have the dipole's field alone, as in its CSV.
      const Complex field{path["a_re"], path["a_im"]};
      EXPECT_NEAR(norm((1 / dipole_amplitude()) * amplitude_of(*found) - field), 0, 1e-9) << sequence;
      for (std::size_t i = 0; i < found->points.size(); ++i) {
        EXPECT_NEAR(norm(found->points[i] - vector(path["points"][i])), 0, 1e-7) << sequence;
      }
    }
    EXPECT_EQ(result.rays.size(), expected);
    EXPECT_GE(expected, 16u);
  }
}

// A right-angled wedge as the corner or the eaves of a large box.
Scene wedge_scene(Vec3 edge, Vec3 tangent, Vec3 normal, Vec3 on_edge, bool conducts) {
  constexpr double far_m = 400;
  Scene scene = testing::flat_ground(10, 10);
  scene.terrain = {{-2 * far_m, -2 * far_m}, 4 * far_m, 4 * far_m, 2, 2, std::vector<float>(4, -60.0F)};
  Vec2 along, across;
  double top_z = 100;
  if (std::fabs(edge.z) > 0.5) {
    along = tangent.xy();
    across = -1.0 * normal.xy();
  } else {
    along = edge.xy();
    across = tangent.z < -0.5 ? -1.0 * normal.xy() : tangent.xy();
    top_z = on_edge.z;
  }
  Rectangle plan;
  const bool is_corner = std::fabs(edge.z) > 0.5;
  for (const double a : {is_corner ? 0.0 : -far_m, far_m}) {
    for (const double b : {0.0, far_m}) plan.extend(on_edge.xy() + a * along + b * across);
  }
  scene.prisms = {testing::box_prism(1, plan.min, plan.max, -60, top_z)};
  return testing::with_material(std::move(scene), conducts ? 1 : 5, conducts ? 1e30 : 0.01);
}

TEST(ImageTracerWedge, SingleDiffractionsOfTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("11_utd_vector.csv");
  int compared = 0;
  for (const GoldenRow& row : table.rows()) {
    const Vec3 edge = row.vector("e"), tangent = row.vector("t0"), normal = row.vector("n0");
    // Upright dipoles at both ends; edges that scenes can have; faces in their order by the nearer source.
    if (row.text("p") != "z" || row.text("case") == "oblique_edge") continue;
    if (tangent.z > 0.5 || normal.z < -0.5) continue;
    const Scene scene = wedge_scene(edge, tangent, normal, row.vector("P0"), conducts(row));
    const ImageTracingResult result = trace(scene, row.vector("S"), {row.vector("R")}, rays_of(0, 1));
    const Vec3 keller = row.vector("Q");
    const auto found = std::find_if(result.rays.begin(), result.rays.end(), [&](const Ray& ray) {
      return ray.interactions == "T-D" && norm(ray.points[1] - keller) < 1e-9;
    });
    ASSERT_NE(found, result.rays.end()) << row.text("case");
    const double received = norm(expected_field(row).z);
    EXPECT_NEAR(std::sqrt(found->path_gain) / dipole_amplitude() / received, 1, 1e-6)
        << row.text("case") << ' ' << row.text("mat");
    ++compared;
  }
  EXPECT_GE(compared, 6);
}

// Two upright screens across x as ridges of a terrain whose ground is so far below that their faces are upright to
// 0.00001 rad, of what reflects nothing.
Scene two_screens(const std::vector<double>& x, const std::vector<double>& z) {
  constexpr double step_m = 5, across_m = 1000;
  constexpr float far_below = -1e6F;
  const auto columns = static_cast<std::uint32_t>(x.back() / step_m) + 3;
  Scene scene = testing::flat_ground(10, 10);
  scene.terrain = {{-step_m, 0}, step_m, across_m, columns, 2, std::vector<float>(2 * columns, far_below)};
  for (const std::size_t screen : {1u, 2u}) {
    const auto column = static_cast<std::size_t>(x[screen] / step_m) + 1;
    for (const std::size_t row : {0u, 1u})
      scene.terrain.height_m[row * columns + column] = static_cast<float>(z[screen]);
  }
  return testing::with_material(std::move(scene), 1, 0);
}

TEST(ImageTracerScreens, DoubleDiffractionsOfTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("15_utd_double_screen.csv");
  int compared = 0;
  for (const GoldenRow& row : table.rows()) {
    // At grazing the straight ray is there too, and half of either.
    if (row.number("bend1_deg") < 0.1 || row.number("bend2_deg") < 0.1) continue;
    const std::vector<double> x = row.list("x_m"), z = row.list("z_m");
    const Scene scene = two_screens(x, z);
    const Occlusion occlusion(scene);
    ImageTracingOptions options = rays_of(0, 2);
    options.link.receiver_antenna = AntennaKind::isotropic;
    options.link.receiver_polarization = Polarization::horizontal;
    Transmitter transmitter = testing::test_transmitter({x.front(), 500, z.front()});
    transmitter.frequency_hz = row.number("f_Hz");
    transmitter.polarization = Polarization::horizontal;
    const std::vector<Receiver> receiver = testing::receivers_at({{x.back(), 500, z.back()}});
    const ImageTracingResult result =
        ImageTracer(scene, occlusion, receiver, options).trace(transmitter, no_progress());
    ASSERT_EQ(result.rays.size(), 1u) << row.text("x_m");
    const Ray& ray = result.rays.front();
    EXPECT_EQ(ray.interactions, "T-D-D");
    const double free_space =
        wavelength_m(transmitter.frequency_hz) / (4 * pi * norm(receiver.front().position - transmitter.position));
    EXPECT_NEAR(-decibels(ray.path_gain / (free_space * free_space)), row.number("utdA_dB"), 1e-5) << row.text("x_m");
    ++compared;
  }
  EXPECT_EQ(compared, 16);
}

// So high that what comes over the roof or from the ground is steep.
constexpr double roof_m = 400, level_m = 200;

// Of boundary_elements.py. Walls that bend inwards have no edge there.
Scene house_with_bent_walls(double bend_m) {
  Scene scene = testing::with_material(testing::flat_ground(10, 10), 1, 0);
  scene.materials.push_back({"wall", 5, 0, 0.05, 0});
  scene.prisms = {testing::box_prism(1, {0, 0}, {10, 12}, 0, roof_m)};
  if (bend_m > 0) {
    scene.prisms.front().rings.front() = {{0, 0}, {5, bend_m}, {10, 0}, {10, 12}, {5, 12 - bend_m}, {0, 12}};
  }
  scene.default_materials.wall = 1;
  return scene;
}

// In dB over that of the free wave at 1 m, of a line source: the field of all rays that do not leave the plane, times
// the root of their lengths.
double level_db(const std::vector<Ray>& rays, double wavelength) {
  Complex sum{};
  for (const Ray& ray : rays) {
    if (std::fabs(ray.departure_elevation_deg) > 0.01) continue;
    sum = sum + std::sqrt(ray.delay_ns * 1e-9 * speed_of_light) * amplitude_of(ray);
  }
  return decibels(squared_norm(sum)) - 20 * std::log10(wavelength / (4 * pi));
}

// Most of these places have rays around two corners of one wall alone.
TEST(ImageTracerTwoCorners, TheWaveBehindAHouseIsThatOfBoundaryElements) {
  const GoldenTable table(testing::source_folder() / "tests/golden/waves_behind_house.csv");
  ImageTracingOptions options = rays_of(3, 2);
  options.max_reflections_with_diffractions = 3;
  options.link.receiver_antenna = AntennaKind::isotropic;
  int compared = 0;
  double squares = 0;
  for (const GoldenRow& row : table.rows()) {
    const Scene scene = house_with_bent_walls(row.number("bend_m"));
    const Occlusion occlusion(scene);
    Transmitter transmitter =
        testing::test_transmitter({row.number("antenna_x_m"), row.number("antenna_y_m"), level_m});
    transmitter.frequency_hz = 1e6 * row.number("frequency_mhz");
    transmitter.polarization =
        row.text("polarization") == "vertical" ? Polarization::vertical : Polarization::horizontal;
    options.link.receiver_polarization = transmitter.polarization;
    const std::vector<Receiver> receiver =
        testing::receivers_at({{row.number("receiver_x_m"), row.number("receiver_y_m"), level_m}});
    const ImageTracingResult result =
        ImageTracer(scene, occlusion, receiver, options).trace(transmitter, no_progress());
    const double error_db = level_db(result.rays, wavelength_m(transmitter.frequency_hz)) - row.number("level_db");
    EXPECT_LE(std::fabs(error_db), 2.8) << row.text("polarization") << ", bend " << row.number("bend_m") << " m, from "
                                        << row.number("antenna_y_m") << " to " << row.number("receiver_x_m");
    squares += error_db * error_db;
    ++compared;
  }
  EXPECT_EQ(compared, 72);
  EXPECT_LE(std::sqrt(squares / compared), 1.1);
}

}  // namespace
}  // namespace tesseray
