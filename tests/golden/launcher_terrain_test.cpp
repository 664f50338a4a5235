// SPDX-License-Identifier: GPL-3.0-or-later
// Loss over hills and uneven ground, in sight and behind crests, beside a parabolic equation's (parabolic_equation.py,
// which says what the table holds): both have ground that reflects with Γ = −1, or earth to vertical polarisation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/test_folders.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double receiver_height_m = 1.5;
// What the table's powers are means over.
constexpr double heights_m[] = {receiver_height_m - 0.15, receiver_height_m, receiver_height_m + 0.15};
// Of the strip of ground: how long and broad it is, where its x is zero, and along which tiles the profile goes.
struct Strip {
  double length_m = 2800, breadth_m = 60, zero_m = 1250, middle_y = 33;
};
// A tile and a receiver where its target is are told the same.
constexpr double tile_within_db = 0.1;

// What stands across the strip: nothing comes past its ends that counts.
struct Wall {
  double x, height_m;
};
std::optional<Wall> wall_on(const std::string& ground) {
  if (ground.starts_with("wall behind hill")) return Wall{60, 8};
  if (ground.starts_with("low wall behind hill")) return Wall{60, 5};
  if (ground.starts_with("wall before hill")) return Wall{-120, 8};
  return std::nullopt;
}
Strip strip_of(const std::string& ground) {
  return wall_on(ground) ? Strip{.length_m = 700, .breadth_m = 180, .zero_m = 250, .middle_y = 93} : Strip{};
}

double ground_z(const std::string& ground, double x) {
  const auto hill = [x](double height_m, double width_m) {
    return height_m * std::exp(-(x / width_m) * (x / width_m));
  };
  const auto waves = [x](double scale) {
    return scale * (1.2 * std::sin(2 * pi * x / 230) + 0.8 * std::sin(2 * pi * x / 97 + 1) +
                    0.5 * std::sin(2 * pi * x / 61 + 2));
  };
  if (ground == "hill 40 m") return hill(40, 400);
  if (ground == "hill 20 m") return hill(20, 300);
  if (ground == "hill 10 m") return hill(10, 400);
  if (ground == "short hill 20 m") return hill(20, 150);
  if (ground == "short hill 10 m") return hill(10, 100);
  if (ground.ends_with("hill 4 m")) return hill(4, 50);
  if (ground.ends_with("hill 6 m")) return hill(6, 50);
  if (ground.ends_with("hill 9 m")) return hill(9, 50);
  if (ground == "steep hill") return hill(18, 35);
  if (ground == "long waves") return 3 * std::sin(2 * pi * x / 500);
  if (ground == "crests") return 0.05 * x + 22 * std::sin(x / 80);
  if (ground == "waves") return waves(1);
  if (ground == "low waves") return waves(0.3);
  return 0;
}

// So thin that it is one edge.
void add_wall(const Wall& wall, const Strip& strip, Scene& scene) {
  const double x = strip.zero_m + wall.x, ground_z = scene.terrain.height_at({x, strip.middle_y});
  Prism prism = testing::box_prism(1, {x, 0}, {x + 0.1, strip.breadth_m}, ground_z, ground_z + wall.height_m);
  prism.on_ground = true;
  scene.prisms.push_back(std::move(prism));
}

// Of metal for horizontal polarisation, which it reflects with Γ = −1 at any angle.
const Environment& environment_of(const std::string& ground, Polarization polarization) {
  static std::map<std::pair<std::string, Polarization>, std::unique_ptr<Environment>> made;
  std::unique_ptr<Environment>& environment = made[{ground, polarization}];
  if (!environment) {
    const double conductivity = polarization == Polarization::horizontal ? 1e6 : 0.01;
    const Strip strip = strip_of(ground);
    const auto height_at = [&](Vec2 p) { return ground_z(ground, p.x - strip.zero_m); };
    Scene scene =
        testing::with_material(testing::terrain_of(strip.length_m, strip.breadth_m, 10, height_at), 5, conductivity);
    if (const std::optional<Wall> wall = wall_on(ground)) add_wall(*wall, strip, scene);
    environment = std::make_unique<Environment>(std::move(scene), 10);
  }
  return *environment;
}

// One antenna's lines of the table, and how near they are met.
struct Case {
  std::string ground;
  double frequency_mhz, antenna_x, antenna_height_m;
  double within_db, rms_db;
  // Where whole lobes are in sight the table's means over 0.3 m are far less than the local mean.
  Summation summation = Summation::local_mean;
  double in_sight_db = within_db;
  Polarization polarization = Polarization::horizontal;

  bool is_vertical() const { return polarization == Polarization::vertical; }
};

Case vertical(double in_sight_db, Case of) {
  of.in_sight_db = in_sight_db;
  of.polarization = Polarization::vertical;
  return of;
}

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.ground << ", " << of.frequency_mhz << " MHz, " << of.antenna_height_m << " m at " << of.antenna_x
       << (of.is_vertical() ? ", vertical" : "");
}

std::vector<Vec2> losses_of(const Case& of) {
  const GoldenTable table(testing::source_folder() / "tests/golden/losses_over_ground.csv");
  std::vector<Vec2> losses;
  for (const GoldenRow& row : table.rows()) {
    if (row.text("ground") == of.ground && (row.text("polarization") == "vertical") == of.is_vertical() &&
        row.number("frequency_mhz") == of.frequency_mhz && row.number("antenna_x_m") == of.antenna_x &&
        row.number("antenna_height_m") == of.antenna_height_m) {
      losses.push_back({row.number("receiver_x_m"), row.number("loss_db")});
    }
  }
  return losses;
}

// The ground tile whose target stands there.
std::size_t tile_at(double x, const Strip& strip, const Tiling& tiling) {
  for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
    const Vec3 at = tiling.tiles[t].centroid;
    const bool is_ground = tiling.tiles[t].kind == SurfaceKind::ground;
    if (is_ground && std::fabs(at.x - strip.zero_m - x) < 1 && std::fabs(at.y - strip.middle_y) < 4) return t;
  }
  throw std::runtime_error("no tile at " + std::to_string(x));
}

class LossOverGround : public ::testing::TestWithParam<Case> {};

TEST_P(LossOverGround, IsTheParabolicEquations) {
  const Case& of = GetParam();
  const std::vector<Vec2> losses = losses_of(of);
  ASSERT_GT(losses.size(), 5u);
  const Environment& environment = environment_of(of.ground, of.polarization);
  const Strip strip = strip_of(of.ground);
  const Vec2 antenna{strip.zero_m + of.antenna_x, strip.middle_y};
  Transmitter transmitter = testing::test_transmitter(
      {antenna.x, antenna.y, environment.scene.terrain.height_at(antenna) + of.antenna_height_m});
  transmitter.frequency_hz = 1e6 * of.frequency_mhz;
  transmitter.polarization = of.polarization;
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.summation = of.summation;
  options.receiver_polarization = of.polarization;
  std::vector<std::size_t> tiles;
  for (const Vec2 loss : losses) tiles.push_back(tile_at(loss.x, strip, environment.tiling));
  std::vector<double> gains(losses.size());
  std::vector<bool> in_sight(losses.size(), true);
  for (const double height_m : heights_m) {
    options.receiver_height_m = height_m;
    std::vector<Vec3> places;
    for (const std::size_t tile : tiles) places.push_back(target_point(environment.tiling.tiles[tile], height_m));
    const RayLaunchingResult result = environment.launch(transmitter, testing::receivers_at(places), options);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double gain = testing::total_gain(result.receivers[i]);
      in_sight[i] = in_sight[i] && result.receivers[i].direct;
      EXPECT_EQ(result.receivers[i].direct, environment.occlusion.is_free(transmitter.position, places[i]));
      gains[i] += gain / std::size(heights_m);
      EXPECT_NEAR(decibels(testing::total_gain(result.tiles[tiles[i]]) / gain), 0, tile_within_db) << losses[i].x;
    }
  }
  double squares = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double off_db = -decibels(gains[i]) - losses[i].y;
    EXPECT_NEAR(off_db, 0, in_sight[i] ? of.in_sight_db : of.within_db) << losses[i].x;
    squares += off_db * off_db;
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(losses.size())), of.rms_db);
}

INSTANTIATE_TEST_SUITE_P(
    Terrain, LossOverGround,
    ::testing::Values(Case{"flat", 900, 0, 10, 0.1, 0.05, Summation::coherent}, Case{"hill 40 m", 300, 0, 2, 1.4, 0.7},
                      Case{"hill 40 m", 300, -1200, 10, 2, 1.15}, Case{"hill 20 m", 300, -700, 60, 1.3, 0.55},
                      Case{"hill 10 m", 900, -400, 10, 1.1, 0.6}, Case{"waves", 300, 0, 10, 5.5, 2.15},
                      Case{"waves", 900, 0, 10, 6.6, 2.95}, Case{"waves", 900, 0, 30, 5.2, 2.1, Summation::coherent},
                      Case{"waves", 900, 0, 60, 4.7, 1.6, Summation::coherent},
                      Case{"waves", 2000, 0, 60, 4, 1.7, Summation::coherent}, Case{"low waves", 900, 0, 10, 3.4, 1.15},
                      Case{"low waves", 2000, 0, 30, 4.6, 1.8, Summation::coherent},
                      Case{"steep hill", 300, -400, 10, 4.3, 1.35}, Case{"steep hill", 900, -400, 10, 4.5, 1.9},
                      Case{"steep hill", 900, -100, 15, 4.2, 1.95}, Case{"long waves", 450, 0, 20, 2.4, 0.8},
                      Case{"long waves", 900, 0, 10, 2, 0.95},
                      Case{"long waves", 2100, 0, 30, 2.5, 1, Summation::coherent},
                      Case{"crests", 900, 85, 2, 1, 0.55}));

// The equation's walls absorb; houses' reflect, which leaves up to a decibel less next to them.
INSTANTIATE_TEST_SUITE_P(
    Walls, LossOverGround,
    ::testing::Values(Case{"wall behind hill 4 m", 450, -170, 14, 1.2, 0.75, Summation::coherent},
                      Case{"wall behind hill 6 m", 450, -170, 10, 1.8, 0.65, Summation::coherent},
                      Case{"wall behind hill 6 m", 900, -170, 10, 1.4, 0.55, Summation::coherent},
                      Case{"wall behind hill 9 m", 450, -170, 10, 1.2, 0.45, Summation::coherent},
                      Case{"wall behind hill 9 m", 900, -170, 10, 2.4, 1.05, Summation::coherent},
                      Case{"low wall behind hill 6 m", 450, -170, 14, 3, 1.35, Summation::coherent},
                      Case{"low wall behind hill 9 m", 450, -170, 14, 3, 1.3, Summation::coherent},
                      Case{"low wall behind hill 9 m", 900, -170, 20, 2.9, 1.7, Summation::coherent},
                      Case{"wall before hill 6 m", 450, -170, 6, 2.7, 1.95, Summation::coherent},
                      Case{"wall before hill 9 m", 900, -170, 6, 5.1, 2.9, Summation::coherent}));

INSTANTIATE_TEST_SUITE_P(Earth, LossOverGround,
                         ::testing::Values(vertical(0.2, {"flat", 900, 0, 10, 0.2, 0.15, Summation::coherent}),
                                           vertical(0.8, {"short hill 20 m", 300, -300, 25, 2, 1}),
                                           vertical(0.8, {"short hill 20 m", 900, -300, 25, 1.8, 1.05}),
                                           vertical(0.5, {"short hill 10 m", 300, -250, 10, 1.3, 0.6}),
                                           vertical(0.8, {"short hill 10 m", 900, -250, 10, 1.7, 0.85}),
                                           vertical(0.4, {"hill 40 m", 300, -700, 25, 2.2, 1.05}),
                                           vertical(0.4, {"hill 40 m", 900, -700, 25, 2.3, 1.25}),
                                           vertical(0.5, {"long waves", 450, 0, 20, 2.5, 0.8})));

}  // namespace
}  // namespace tesseray
