// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher in the street canyon of golden 07: every image path up to order 5 is found as tiles shrink, at its
// delay, and the mean power converges. The last tests keep the table in docs/validation.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double frequency_hz = 850e6, width_m = 20;
constexpr Vec3 antenna{0, 6, 10}, vertical{0, 0, 1};
constexpr double most_delay_error_ns = 1e-5;
// What a short dipole has over an isotropic antenna.
const double dipole_gain = 1.5;

// One image path: walls A (y = 0) and B (y = 20 m) in turn, with the ground at any place among them.
struct ImagePath {
  std::string walls;  // "", "A", "BAB", …
  bool ground = false;
  double length_m = 0;
  Complex amplitude;  // golden's a: z·E for the launched field z − k(k·z), 1 V at 1 m

  int order() const { return static_cast<int>(walls.size()) + (ground ? 1 : 0); }
  double delay_ns() const { return length_m / speed_of_light * 1e9; }
};

// All images up to `order` reflections. The order of the ground among the walls does not matter to a path's
// geometry; the dyads are applied in path order.
std::vector<ImagePath> image_paths(Vec3 receiver, int order) {
  const Complex wall = relative_permittivity({5, 0.01}, frequency_hz);
  const Complex ground = relative_permittivity({15, 0.005}, frequency_hz);
  std::vector<ImagePath> paths;
  for (int reflections = 0; reflections <= order; ++reflections) {
    for (const char first : {'A', 'B'}) {
      if (reflections == 0 && first == 'B') continue;
      for (const bool by_ground : {false, true}) {
        if (reflections + (by_ground ? 1 : 0) > order) continue;
        ImagePath path;
        path.ground = by_ground;
        for (int i = 0; i < reflections; ++i) {
          path.walls.push_back((i % 2 == 0) == (first == 'A') ? 'A' : 'B');
        }
        Vec3 image = antenna;
        for (const char side : path.walls) image.y = (side == 'A' ? 0 : 2 * width_m) - image.y;
        if (by_ground) image.z = -image.z;
        const Vec3 way = receiver - image;
        path.length_m = norm(way);

        // The planes in the order in which the unfolded ray, seen from the antenna, meets them.
        Vec3 k = (1 / path.length_m) * way;
        if (reflections % 2 == 1) k.y = -k.y;
        if (by_ground) k.z = -k.z;
        struct Meeting {
          double at = 0;
          char plane = 'G';
        };
        std::vector<Meeting> meetings;
        double y = antenna.y, at = 0, slope = k.y;
        for (const char side : path.walls) {
          at += ((side == 'A' ? 0 : width_m) - y) / slope;
          y = side == 'A' ? 0 : width_m;
          slope = -slope;
          meetings.push_back({at, side});
        }
        if (by_ground) meetings.push_back({-antenna.z / k.z, 'G'});
        std::sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) { return a.at < b.at; });
        ComplexVec3 field = Complex{1, 0} * (vertical - dot(k, vertical) * k);
        for (const Meeting& meeting : meetings) {
          const Vec3 normal = meeting.plane == 'G' ? vertical : Vec3{0, meeting.plane == 'A' ? 1.0 : -1.0, 0};
          field = reflected_field(field, k, normal, meeting.plane == 'G' ? ground : wall);
          k = mirrored(k, normal);
        }
        const double phase = -2 * pi / wavelength_m(frequency_hz) * path.length_m;
        path.amplitude = (1 / path.length_m) * (exp_j(phase) * dot(field, vertical));
        paths.push_back(path);
      }
    }
  }
  return paths;
}

// Walls of 12 m: no path of the table rises above the antenna.
Scene canyon(double length_m) {
  Scene scene = testing::flat_ground(length_m, width_m);
  scene.materials = {Material{"ground", 15, 0, 0.005, 0}, Material{"wall", 5, 0, 0.01, 0}};
  scene.prisms = {testing::box_prism(1, {0, -4}, {length_m, 0}, 0, 12),
                  testing::box_prism(2, {0, width_m}, {length_m, width_m + 4}, 0, 12)};
  for (Prism& prism : scene.prisms) prism.material = 1;
  return scene;
}

struct Receivers {
  std::vector<Vec3> points;
  std::vector<double> incoherent_db;  // golden's power sum of order 5, dBW for 1 W
};

Receivers receivers_up_to(double x_m) {
  Receivers receivers;
  const GoldenTable table("07_street_canyon.csv");
  for (const GoldenRow& row : table.rows()) {
    if (row.number("rx") > x_m) continue;
    receivers.points.push_back({row.number("rx"), row.number("ry"), row.number("rz")});
    receivers.incoherent_db.push_back(row.number("Pr_incoh_dBW"));
  }
  return receivers;
}

// What the launcher found at one set of receivers.
struct Outcome {
  std::size_t exact = 0, missed = 0, extra = 0;
  double mean_db = 0, rms_db = 0, worst_db = 0;
};

std::string walls_of(const Ray& ray) {
  std::string walls;
  for (std::size_t i = 1; i + 1 < ray.points.size(); ++i) {
    if (ray.points[i].z > 1e-6) walls.push_back(ray.points[i].y < width_m / 2 ? 'A' : 'B');
  }
  return walls;
}

Outcome compare(double side_m, const Receivers& receivers, int order, double length_m) {
  const Environment street(canyon(length_m), side_m);
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.antenna = AntennaKind::short_dipole;
  RayLaunchingOptions options = testing::without_scattering(order, 0, order);
  options.receiver_antenna = AntennaKind::short_dipole;
  const auto result = street.launch(transmitter, testing::receivers_at(receivers.points), options);

  Outcome outcome;
  double sum = 0, squares = 0;
  for (std::size_t r = 0; r < receivers.points.size(); ++r) {
    const std::vector<ImagePath> exact = image_paths(receivers.points[r], order);
    std::vector<bool> found(exact.size(), false);
    for (const Ray& ray : result.rays) {
      if (ray.target_id != static_cast<std::int64_t>(r) + 1) continue;
      bool known = false;
      for (std::size_t i = 0; i < exact.size() && !known; ++i) {
        if (found[i] || exact[i].walls != walls_of(ray)) continue;
        if (exact[i].ground != (ray.interactions.find('G') != std::string::npos)) continue;
        known = found[i] = std::fabs(ray.delay_ns - exact[i].delay_ns()) < most_delay_error_ns;
      }
      if (!known) ++outcome.extra;
    }
    outcome.exact += exact.size();
    outcome.missed += static_cast<std::size_t>(std::count(found.begin(), found.end(), false));
    // Path gain over the EIRP at 0 dBi; golden's watts are for 1 W into a dipole, at a dipole.
    const double error =
        decibels(result.receivers[r].gain.value() * dipole_gain * dipole_gain) - receivers.incoherent_db[r];
    sum += error;
    squares += error * error;
    outcome.worst_db = std::fmax(outcome.worst_db, std::fabs(error));
  }
  const auto n = static_cast<double>(receivers.points.size());
  outcome.mean_db = sum / n;
  outcome.rms_db = std::sqrt(squares / n);
  return outcome;
}

TEST(LauncherCanyon, ImagePathsAreTheReferenceTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("07_street_canyon.csv");
  for (const GoldenRow& row : table.rows()) {
    const Vec3 receiver{row.number("rx"), row.number("ry"), row.number("rz")};
    for (const int order : {0, 1, 2, 3, 5}) {
      const std::vector<ImagePath> paths = image_paths(receiver, order);
      Complex sum;
      for (const ImagePath& path : paths) sum = sum + path.amplitude;
      std::string name = std::to_string(order);
      name.insert(0, 1, 'o');
      ASSERT_EQ(static_cast<double>(paths.size()), row.number("n_" + name));
      EXPECT_NEAR(norm(sum - row.complex("E_" + name)), 0, 1e-9);
    }
  }
}

struct CanyonCase {
  double side_m = 0, farthest_m = 0;
  std::size_t most_missed = 0;  // of all image paths
  double most_error_db = 0;     // of the power sum at any receiver
};

void expect_converged(const CanyonCase& canyon_case) {
  const Outcome outcome =
      compare(canyon_case.side_m, receivers_up_to(canyon_case.farthest_m), 5, canyon_case.farthest_m + 2);
  testing::expect_in_validation_page({testing::fixed(canyon_case.side_m, 0), testing::fixed(canyon_case.farthest_m, 0),
                                      std::to_string(outcome.exact), std::to_string(outcome.missed),
                                      std::to_string(outcome.extra), testing::fixed(outcome.mean_db, 3),
                                      testing::fixed(outcome.rms_db, 3)});
  EXPECT_LE(outcome.missed, canyon_case.most_missed) << canyon_case.side_m;
  EXPECT_LE(outcome.extra, canyon_case.most_missed) << canyon_case.side_m;
  EXPECT_LE(std::fabs(outcome.mean_db), 1.0) << canyon_case.side_m;
  EXPECT_LE(outcome.worst_db, canyon_case.most_error_db) << canyon_case.side_m;
}

TEST(LauncherCanyon, EveryPathAtItsDelayAsTilesShrinkNearTheAntenna) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  for (const CanyonCase& canyon_case : {CanyonCase{10, 60, 20, 0.01}, CanyonCase{5, 60, 0, 0.01},
                                        CanyonCase{2, 60, 0, 0.01}, CanyonCase{1, 60, 0, 0.01}}) {
    expect_converged(canyon_case);
  }
}

TEST(LauncherCanyon, EveryPathAtItsDelayAsTilesShrinkOverTheWholeStreet) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  for (const CanyonCase& canyon_case :
       {CanyonCase{10, 400, 40, 0.01}, CanyonCase{5, 400, 0, 0.01}, CanyonCase{2, 400, 0, 0.01}}) {
    expect_converged(canyon_case);
  }
}

}  // namespace
}  // namespace tesseray
