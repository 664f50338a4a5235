// SPDX-License-Identifier: GPL-3.0-or-later
// Directive lobes: the sum as a polynomial against the lobes one by one, and the launcher against the Effective
// Roughness model written out tile by tile.
#include "core/propagation/scattering/scattering_lobes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/physics/material.h"
#include "core/physics/scattering.h"
#include "tests/support/environment.h"
#include "tests/support/scattering_cross_section.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

Vec3 random_direction(testing::Random& random) {
  const double z = random.uniform(-1, 1), turn = random.uniform(0, 2 * pi), plan = std::sqrt(1 - z * z);
  return {plan * std::cos(turn), plan * std::sin(turn), z};
}

TEST(ScatteringLobes, SumIsThatOfTheLobes) {
  testing::Random random(5);
  for (int alpha = 1; alpha <= greatest_lobe_exponent; ++alpha) {
    struct Lobe {
      double power;
      Vec3 specular;
    };
    std::vector<Lobe> lobes;
    std::vector<double> coefficients(lobe_coefficients(alpha));
    for (int i = 0; i < 30; ++i) {
      lobes.push_back({std::pow(10.0, random.uniform(-12, -3)), random_direction(random)});
      add_lobe(alpha, lobes.back().power, lobes.back().specular, coefficients);
    }
    for (int i = 0; i < 50; ++i) {
      const Vec3 direction = random_direction(random);
      double sum = 0, most = 0;
      for (const Lobe& lobe : lobes) {
        sum += lobe.power * std::pow(0.5 * (1 + dot(lobe.specular, direction)), alpha);
        most += lobe.power;
      }
      EXPECT_NEAR(lobes_along(alpha, coefficients, direction), sum, 1e-12 * most) << alpha;
    }
  }
}

TEST(ScatteringLobes, ABackwardDirectionGetsNothing) {
  std::vector<double> coefficients(lobe_coefficients(4));
  add_lobe(4, 1, {0, 0, 1}, coefficients);
  EXPECT_DOUBLE_EQ(lobes_along(4, coefficients, {0, 0, 1}), 1);
  EXPECT_DOUBLE_EQ(lobes_along(4, coefficients, {0, 0, -1}), 0);
}

// A wall alone, in the plane y = 20.
Scene wall() {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.terrain.height_m.assign(4, -500.0F);
  scene.prisms = {testing::box_prism(1, {170, 15}, {230, 20}, 0, 30)};
  scene.prisms.front().on_ground = false;
  return scene;
}

RayLaunchingOptions directive(ScatteringModel model, int alpha) {
  RayLaunchingOptions options = testing::scattering_last(model, 0.4);
  options.scattering_lobe_exponent = alpha;
  return options;
}

double scattered_gain(const Environment& environment, const Transmitter& transmitter, Vec3 to,
                      const RayLaunchingOptions& options) {
  RayLaunchingOptions direct = testing::direct_only();
  direct.receiver_polarization = options.receiver_polarization;
  const auto gain = [&](const RayLaunchingOptions& of) {
    return environment.launch_to_receivers(transmitter, testing::receivers_at({to}), of).receivers.front().gain.value();
  };
  return gain(options) - gain(direct);
}
double scattered_gain(const Environment& environment, Vec3 from, Vec3 to, const RayLaunchingOptions& options) {
  return scattered_gain(environment, testing::test_transmitter(from), to, options);
}

TEST(ScatteringLobes, LauncherScattersByTheModel) {
  const Environment environment(wall(), 5);
  const Vec3 from{190, 60, 22};
  const double lambda = wavelength_m(850e6);
  const Complex permittivity = relative_permittivity({5, 0.01}, 850e6);
  for (const Vec3 to : {Vec3{215, 45, 3}, Vec3{160, 32, 12}, Vec3{235, 90, 40}}) {
    for (const int alpha : {1, 4, 8}) {
      for (const ScatteringModel model :
           {ScatteringModel::incident, ScatteringModel::reflected, ScatteringModel::reciprocal}) {
        double sum = 0;
        for (const Tile& tile : environment.tiling.tiles) {
          if (tile.normal.y < 0.5) continue;
          const Vec3 in = tile.centroid - from, out = to - tile.centroid;
          const Vec3 specular = mirrored(normalized(in), tile.normal);
          const double section = directive_scattering_cross_section(
              model, 0.4, permittivity, alpha, tile.area_m2(), -dot(normalized(in), tile.normal),
              dot(normalized(out), tile.normal), dot(normalized(out), specular));
          sum += scattered_power_gain(section, norm(in), norm(out), lambda);
        }
        ASSERT_GT(sum, 0);
        // The launcher interpolates reflectances between 1,024 cosines.
        const double tolerance = model == ScatteringModel::incident ? 1e-9 : 1e-6;
        EXPECT_NEAR(scattered_gain(environment, from, to, directive(model, alpha)) / sum, 1, tolerance);
      }
    }
  }
}

// Towards each other, +45° of one end is −45° of the other.
TEST(ScatteringLobes, SlantsMatchAsTheyDoInSight) {
  const Environment environment(wall(), 5);
  const Vec3 from{190, 60, 22}, to{215, 45, 3};
  RayLaunchingOptions options = testing::scattering_last(ScatteringModel::reciprocal, 0.4);
  const double all = scattered_gain(environment, from, to, options);
  for (const Polarization sent : {Polarization::slant_plus_45, Polarization::slant_minus_45}) {
    Transmitter transmitter = testing::test_transmitter(from);
    transmitter.polarization = sent;
    for (const Polarization received : {Polarization::slant_plus_45, Polarization::slant_minus_45}) {
      options.receiver_polarization = received;
      const double gain = scattered_gain(environment, transmitter, to, options);
      EXPECT_NEAR(gain / all, sent == received ? 0 : 1, 1e-9);
    }
  }
}

// The model over pieces of the wall, of millimetres next to the receiver and the antenna and of decimetres farther
// away.
double by_pieces(Vec3 from, Vec3 to, ScatteringModel model, int alpha) {
  const double lambda = wavelength_m(850e6);
  const Complex permittivity = relative_permittivity({5, 0.01}, 850e6);
  double sum = 0;
  const auto add = [&](Vec3 middle, double area_m2) {
    const Vec3 in = middle - from, out = to - middle, normal{0, 1, 0};
    const Vec3 specular = mirrored(normalized(in), normal);
    const double cos_in = -dot(normalized(in), normal), cos_out = dot(normalized(out), normal);
    const double section = alpha > 0
                               ? directive_scattering_cross_section(model, 0.4, permittivity, alpha, area_m2, cos_in,
                                                                    cos_out, dot(normalized(out), specular))
                               : scattering_cross_section(model, 0.4, permittivity, area_m2, cos_in, cos_out);
    sum += scattered_power_gain(section, norm(in), norm(out), lambda);
  };
  constexpr double piece_m = 0.25;
  for (double x = 170 + piece_m / 2; x < 230; x += piece_m) {
    for (double z = piece_m / 2; z < 30; z += piece_m) {
      const bool is_near = std::hypot(x - to.x, z - to.z) < 1 || std::hypot(x - from.x, z - from.z) < 1;
      const int finer = is_near ? 50 : 1;
      for (int i = 0; i < finer * finer; ++i) {
        const double u = (i % finer + 0.5) / finer - 0.5, v = (i / finer + 0.5) / finer - 0.5;
        add({x + u * piece_m, 20, z + v * piece_m}, piece_m * piece_m / (finer * finer));
      }
    }
  }
  return sum;
}

// Near a tile's plane what Lambert's lobe sends vanishes, and a directive one does not.
TEST(ScatteringLobes, NearAWallTilesAreAsLargeAsTheyAre) {
  constexpr int alpha = 4;
  const Environment environment(wall(), 5);
  const Vec3 from{190, 60, 22};
  for (const double x : {172.5, 190.0, 191.3, 233.0}) {
    for (const double distance_m : {0.02, 0.1, 0.5, 2.0, 6.0}) {
      const Vec3 to{x, 20 + distance_m, 12.6};
      const double gain = scattered_gain(environment, from, to, directive(ScatteringModel::incident, alpha));
      // Where tiles meet, 2 cm before them, 1 dB.
      const double expected = by_pieces(from, to, ScatteringModel::incident, alpha);
      EXPECT_NEAR(decibels(gain / expected), 0, distance_m < 0.1 ? 1 : 0.5) << x << " " << distance_m;
    }
  }
}

// Antenna and receiver just before a wall each light their own part of a tile between them: of the mean that it takes
// in it does not send the mean.
TEST(ScatteringLobes, BetweenTwoPlacesNearAWallPiecesSendWhatTheyTakeIn) {
  const Environment environment(wall(), 10);
  struct Place {
    double x, before_m, z;
  };
  const Place antennas[] = {{195, 0.02, 18}, {195, 0.3, 18}, {195, 1, 18}, {195, 3, 18}, {200.1, 8, 12}};
  const Place places[] = {{191.2, 0.02, 11}, {198, 0.3, 16}, {192, 1, 11.5},
                          {196, 1, 17},      {205, 0.1, 13}, {193, 3, 17}};
  for (const int alpha : {0, 1, 4, 8}) {
    for (const Place& antenna : antennas) {
      const Vec3 from{antenna.x, 20 + antenna.before_m, antenna.z};
      for (const Place& place : places) {
        const Vec3 to{place.x, 20 + place.before_m, place.z};
        const double gain = scattered_gain(environment, from, to, directive(ScatteringModel::reciprocal, alpha));
        const double expected = by_pieces(from, to, ScatteringModel::reciprocal, alpha);
        EXPECT_NEAR(decibels(gain / expected), 0, 0.5)
            << alpha << ": " << antenna.before_m << " m before the wall, to " << place.x << ", " << place.before_m;
      }
    }
  }
}

// What an antenna just before a wall sends to a tile comes in along another direction at each of its parts, and so do
// their lobes go: the same as with tiles of 1 m².
TEST(ScatteringLobes, TilesNearTheAntennaHaveTheLobesOfTheirParts) {
  const Environment coarse(wall(), 10), fine(wall(), 1);
  for (const double before_m : {1.0, 3.0, 6.0}) {
    for (const Vec3 to : {Vec3{200, 50, 10}, Vec3{212, 60, 4}, Vec3{175, 30, 2}}) {
      const Vec3 from{200, 20 + before_m, 10};
      const auto options = directive(ScatteringModel::incident, 4);
      EXPECT_NEAR(decibels(scattered_gain(coarse, from, to, options) / scattered_gain(fine, from, to, options)), 0,
                  before_m < 2 ? 2 : 1)
          << before_m << " m before the wall, to " << to.x;
    }
  }
}

// An upright dipole hears nothing from below: near the ground it must be asked about each part of the tile there.
TEST(ScatteringLobes, TheReceivingDipoleHearsNearTilesAsTheirParts) {
  const Scene ground = testing::flat_ground(140, 140);
  const Environment coarse(ground, 10), fine(ground, 1);
  RayLaunchingOptions options = testing::scattering_last(ScatteringModel::incident, 0.6);
  options.receiver_antenna = AntennaKind::half_wave_dipole;
  options.tiles_are_targets = false;
  const auto expect_alike = [&](Vec3 from, const std::vector<Receiver>& receivers) {
    const auto scattered = [&](const Environment& environment) {
      RayLaunchingOptions without = options;
      without.max_scatterings = 0;
      const auto all = environment.launch(testing::test_transmitter(from), receivers, options).receivers;
      const auto others = environment.launch(testing::test_transmitter(from), receivers, without).receivers;
      std::vector<double> gains;
      for (std::size_t r = 0; r < all.size(); ++r) gains.push_back(all[r].gain.value() - others[r].gain.value());
      return gains;
    };
    const std::vector<double> by_coarse = scattered(coarse), by_fine = scattered(fine);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      EXPECT_NEAR(decibels(by_coarse[r] / by_fine[r]), 0, 0.3) << from.x << " to " << receivers[r].position.x;
    }
  };
  expect_alike({36.7, 49.6, 12},
               testing::receivers_at({{75.2, 59.9, 1.5}, {57.6, 83.3, 1.5}, {78, 77.5, 1.5}, {72.2, 82.1, 3}}));
  // Antenna and receiver near the same tiles.
  expect_alike({70.3, 69.1, 5}, testing::receivers_at({{78, 77.5, 1.5}, {73.1, 71.2, 1.5}, {66.2, 66.9, 3}}));
}

// A beam of 10°, 10 m from a wall of which a tile of 100 m² fills 53°: the same as with tiles of 1 m².
TEST(ScatteringLobes, NarrowBeamsLightPartsOfTiles) {
  const Environment coarse(wall(), 10), fine(wall(), 1);
  Transmitter transmitter = testing::test_transmitter({203, 30, 8});
  transmitter.antenna = AntennaKind::beam;
  transmitter.antenna_details.beamwidth_deg = 10;
  const Vec3 to{215, 45, 3};
  const RayLaunchingOptions options = testing::scattering_last(ScatteringModel::incident, 0.4);
  std::size_t facing = 0;
  for (const double azimuth_deg : {0.0, 20.0, 160.0, 180.0, 200.0}) {
    transmitter.azimuth_deg = transmitter.grid_azimuth_deg = azimuth_deg;
    for (const double downtilt_deg : {-5.0, 3.0, 10.0}) {
      transmitter.downtilt_deg = downtilt_deg;
      const double gain = scattered_gain(fine, transmitter, to, options);
      if (!(gain > 1e-14)) continue;
      EXPECT_NEAR(decibels(scattered_gain(coarse, transmitter, to, options) / gain), 0, 1.5)
          << azimuth_deg << " " << downtilt_deg;
      ++facing;
    }
  }
  EXPECT_GT(facing, 5u);
}

TEST(ScatteringLobes, CrossPolarisedPartArrivesAtTheOtherPolarisation) {
  const Environment environment(wall(), 5);
  const Vec3 from{190, 60, 22}, to{215, 45, 3};
  RayLaunchingOptions options = testing::scattering_last(ScatteringModel::reciprocal, 0.4);
  const double all = scattered_gain(environment, from, to, options);
  options.cross_polarization = 0.2;
  EXPECT_NEAR(scattered_gain(environment, from, to, options) / all, 0.8, 1e-9);
  options.receiver_polarization = Polarization::horizontal;
  EXPECT_NEAR(scattered_gain(environment, from, to, options) / all, 0.2, 1e-9);
}

}  // namespace
}  // namespace tesseray
