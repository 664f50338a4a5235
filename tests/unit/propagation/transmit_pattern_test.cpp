// SPDX-License-Identifier: GPL-3.0-or-later
// What a link sends through patterns from files and through beams, and that it takes as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "core/physics/antenna_pattern.h"
#include "core/physics/fresnel.h"
#include "core/prediction/prediction.h"
#include "core/propagation/rays/link.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

Vec3 towards(double azimuth_deg, double elevation_deg) {
  const double a = radians(azimuth_deg), e = radians(elevation_deg);
  return {std::cos(e) * std::sin(a), std::cos(e) * std::cos(a), std::sin(e)};
}

// The half-wave dipole as two cuts with a point per degree.
std::shared_ptr<const AntennaPattern> dipole_cuts() {
  AntennaPattern pattern;
  for (int angle = 0; angle < 360; ++angle) {
    const double a = radians(angle);
    const double relative =
        relative_pattern(PatternKind::half_wave_dipole, AntennaFrame{}, {0, std::cos(a), -std::sin(a)});
    pattern.horizontal.push_back({static_cast<double>(angle), 0});
    pattern.vertical.push_back(
        {static_cast<double>(angle), relative > 0 ? std::fmin(-decibels(relative), 80.0) : 80.0});
  }
  return std::make_shared<const AntennaPattern>(std::move(pattern));
}

Transmitter tilted(AntennaKind antenna, AntennaDetails details = {}) {
  Transmitter transmitter = testing::test_transmitter({0, 0, 20});
  transmitter.antenna = antenna;
  transmitter.antenna_details = std::move(details);
  transmitter.azimuth_deg = transmitter.grid_azimuth_deg = 50;
  transmitter.downtilt_deg = 8;
  transmitter.polarization = Polarization::slant_plus_45;
  return transmitter;
}

TEST(TransmitPattern, OfADipoleFromAFileIsTheBuiltInDipole) {
  const Scene scene;
  const RayLaunchingOptions options;
  const Link built_in(scene, tilted(AntennaKind::half_wave_dipole), options);
  const Link from_file(scene, tilted(AntennaKind::pattern_file, {.pattern = dipole_cuts()}), options);
  for (double azimuth = 0.5; azimuth < 360; azimuth += 11) {
    for (double elevation = -65; elevation <= 65; elevation += 6.5) {
      const Link::Departure expected = built_in.depart(towards(azimuth, elevation));
      const Link::Departure found = from_file.depart(towards(azimuth, elevation));
      EXPECT_NEAR(decibels(found.relative_gain / expected.relative_gain), 0.0, 0.02);
      EXPECT_LE(std::sqrt(squared_norm(found.field - expected.field)), 0.002);
    }
  }
}

TEST(TransmitPattern, OfABeamLooksWhereTheAntennaLooks) {
  const Scene scene;
  Transmitter transmitter = tilted(AntennaKind::beam, {.beamwidth_deg = 80});
  transmitter.downtilt_deg = 90;
  const Link link(scene, transmitter, RayLaunchingOptions{});
  EXPECT_NEAR(link.depart({0, 0, -1}).relative_gain, 1.0, 1e-12);
  EXPECT_NEAR(link.depart(towards(200, -50)).relative_gain, 0.5, 1e-12);
  EXPECT_EQ(link.depart({0, 0, 1}).relative_gain, 0.0);
  EXPECT_EQ(squared_norm(link.depart({0, 0, 1}).field), 0.0);
}

TEST(TransmitPattern, LeavesTheReceiverAsItIs) {
  const Scene scene;
  RayLaunchingOptions options;
  options.receiver_antenna = AntennaKind::half_wave_dipole;
  const Link built_in(scene, tilted(AntennaKind::isotropic), options);
  const Link from_file(scene, tilted(AntennaKind::pattern_file, {.pattern = dipole_cuts()}), options);
  const Link beam(scene, tilted(AntennaKind::beam, {.beamwidth_deg = 30}), options);
  for (double elevation = -80; elevation <= 80; elevation += 20) {
    const Vec3 direction = towards(35, elevation);
    EXPECT_EQ(from_file.receive_gain(direction), built_in.receive_gain(direction));
    EXPECT_EQ(beam.receive_gain(direction), built_in.receive_gain(direction));
  }
}

// Over the same direct path the dipole sends as much to an isotropic antenna as it takes from one.
TEST(TransmitPattern, IsReciprocalOverTheDirectPath) {
  const Scene scene;
  RayLaunchingOptions takes_all, takes_as_dipole;
  takes_as_dipole.receiver_antenna = AntennaKind::half_wave_dipole;
  const auto sender = [](AntennaKind kind, AntennaDetails details = {}) {
    Transmitter transmitter = testing::test_transmitter({0, 0, 20});
    transmitter.antenna = kind;
    transmitter.antenna_details = std::move(details);
    return transmitter;
  };
  const Link there(scene, sender(AntennaKind::pattern_file, {.pattern = dipole_cuts()}), takes_all);
  const Link back(scene, sender(AntennaKind::isotropic), takes_as_dipole);
  for (double elevation = -60; elevation <= 60; elevation += 7) {
    const Vec3 direction = towards(20, elevation);
    const double forth = squared_norm(there.receive(there.depart(direction).field, direction)) *
                         power_ratio(maximum_gain_dbi(PatternKind::half_wave_dipole));
    const double return_way =
        back.receiver_gain() * squared_norm(back.receive(back.depart(-direction).field, -direction));
    EXPECT_NEAR(decibels(forth / return_way), 0.0, 0.02);
  }
}

// 30 m above the ground, as all targets here, it points at the ground between.
Transmitter beam_to_ground() {
  Transmitter transmitter = testing::test_transmitter({12, 33, 30});
  transmitter.antenna = AntennaKind::beam;
  transmitter.antenna_details.beamwidth_deg = 10;
  transmitter.azimuth_deg = transmitter.grid_azimuth_deg = 90;
  transmitter.downtilt_deg = 20;
  return transmitter;
}

struct TilesAndReceivers {
  std::vector<double> tiles, receivers;  // path gains
};

// At ground tiles from 120 m on, and at receivers at their targets.
TilesAndReceivers gains_over(const testing::Environment& ground, const Transmitter& transmitter, int diffractions) {
  RayLaunchingOptions options = testing::without_scattering(2, diffractions, 2 + diffractions);
  options.over_rooftop = OverRooftop::screens;
  options.receiver_height_m = 30;
  options.summation = Summation::coherent;
  std::vector<Vec3> places;
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < ground.tiling.tiles.size(); ++t) {
    const Tile& tile = ground.tiling.tiles[t];
    if (tile.kind != SurfaceKind::ground || tile.centroid.x < 132 || std::fabs(tile.centroid.y - 35) > 11) continue;
    places.push_back(target_point(tile, options.receiver_height_m));
    tiles.push_back(t);
  }
  const RayLaunchingResult result = ground.launch(transmitter, testing::receivers_at(places), options);
  TilesAndReceivers gains;
  for (std::size_t i = 0; i < places.size(); ++i) {
    gains.tiles.push_back(testing::total_gain(result.tiles[tiles[i]]));
    gains.receivers.push_back(testing::total_gain(result.receivers[i]));
  }
  return gains;
}

// Nor is it told where the antenna sends less than 60 dB below its strongest: there rays are found by chance alone.
TEST(TransmitPattern, IsNotInTheBasicLoss) {
  const testing::Environment ground(testing::flat_ground(300, 300), 10);
  Transmitter isotropic = beam_to_ground();
  isotropic.antenna = AntennaKind::isotropic;
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  // Two rays in step, of which the beam sends one more than the other, fade less.
  options.summation = Summation::power;
  const auto predicted = [&](const Transmitter& transmitter) {
    return predict_path_loss(ground.launch(transmitter, {}, options), transmitter, ground.tiling, {}, options).tiles;
  };
  const std::vector<TargetPrediction> expected = predicted(isotropic), found = predicted(beam_to_ground());
  std::size_t known = 0, unknown = 0;
  for (std::size_t t = 0; t < found.size(); ++t) {
    const float pattern_db = found[t].received_power_dbm - expected[t].received_power_dbm;
    if (pattern_db > -50) {
      EXPECT_NEAR(found[t].basic_loss_db, expected[t].basic_loss_db, 0.1) << t;
      ++known;
    } else if (pattern_db < -62) {
      EXPECT_TRUE(std::isnan(found[t].basic_loss_db)) << t;
      ++unknown;
    }
  }
  EXPECT_GT(known, 100u);
  EXPECT_GT(unknown, 100u);
}

// In a town, with all effects. A beam that sends next to nothing towards a target tells nothing of the loss there,
// though other rays come by its main lobe; towards those that it tells of in sight, what it does not send elsewhere is
// little.
TEST(TransmitPattern, IsNotInTheBasicLossOfATown) {
  const testing::Environment town(testing::synthetic_city(testing::small_city()), 25);
  const Vec2 middle = 0.5 * (town.scene.extent.min + town.scene.extent.max);
  RayLaunchingOptions options = testing::all_effects(3);
  options.min_power_dbm = -250;
  const auto predicted = [&](const Transmitter& transmitter) {
    return predict_path_loss(town.launch(transmitter, {}, options), transmitter, town.tiling, {}, options).tiles;
  };
  struct Case {
    AntennaKind antenna;
    double beamwidth_deg, azimuth_deg, downtilt_deg;
    bool sends_all_around;
  };
  const Case cases[] = {{AntennaKind::beam, 20, 30, 5, false},
                        {AntennaKind::beam, 60, 250, 10, false},
                        {AntennaKind::beam, 80, 120, 90, false},
                        {AntennaKind::half_wave_dipole, 0, 0, 0, true},
                        {AntennaKind::sector_3gpp, 0, 200, 6, true}};
  for (const double height_m : {8.0, 40.0}) {
    for (const Case& c : cases) {
      const double ground_m = town.scene.terrain.height_at(middle);
      Transmitter transmitter = testing::test_transmitter({middle.x, middle.y, ground_m + height_m});
      transmitter.azimuth_deg = transmitter.grid_azimuth_deg = c.azimuth_deg;
      transmitter.downtilt_deg = c.downtilt_deg;
      const std::vector<TargetPrediction> isotropic = predicted(transmitter);
      transmitter.antenna = c.antenna;
      transmitter.antenna_details = {.beamwidth_deg = c.beamwidth_deg};
      const std::vector<TargetPrediction> found = predicted(transmitter);
      std::size_t in_sight = 0, unknown = 0, far_off = 0;
      for (std::size_t t = 0; t < found.size(); ++t) {
        const Vec3 way = target_point(town.tiling.tiles[t], options.receiver_height_m) - transmitter.position;
        const double sent_db = decibels(transmitting_end(transmitter).transmit_gain(normalized(way)));
        if (sent_db < -57) {
          EXPECT_TRUE(std::isnan(found[t].basic_loss_db)) << t;
          ++unknown;
        } else if (isotropic[t].reached()) {
          const float off_db = std::fabs(found[t].basic_loss_db - isotropic[t].basic_loss_db);
          if (found[t].line_of_sight || c.sends_all_around) {
            EXPECT_LT(off_db, 3) << t << ", a beam of " << c.beamwidth_deg << " at " << height_m << " m";
            in_sight += found[t].line_of_sight ? 1 : 0;
          }
          far_off += off_db > 1 ? 1 : 0;
        }
      }
      EXPECT_GT(in_sight, c.beamwidth_deg == 20 ? 1u : 20u);
      if (c.sends_all_around) {
        EXPECT_EQ(unknown, 0u);
        EXPECT_LT(static_cast<double>(far_off), 0.025 * static_cast<double>(found.size()));
      } else if (c.downtilt_deg < 90) {
        EXPECT_GT(unknown, 100u);
      }
    }
  }
}

// By a house: a ground tile has with a ray its reflection on the ground, a receiver has that as a ray of its own, which
// leaves the antenna in another direction.
TEST(TransmitPattern, IsThatOfTheWayByTheGround) {
  Scene scene = testing::flat_ground(300, 100);
  scene.prisms = {testing::box_prism(1, {100, 70}, {200, 90}, 0, 60)};
  const testing::Environment ground(testing::with_material(std::move(scene), 5, 0.01), 10);
  for (const AntennaKind kind : {AntennaKind::isotropic, AntennaKind::sector_3gpp, AntennaKind::beam}) {
    Transmitter transmitter = beam_to_ground();
    transmitter.antenna = kind;
    for (const int diffractions : {0, 1}) {
      const TilesAndReceivers gains = gains_over(ground, transmitter, diffractions);
      ASSERT_GT(gains.tiles.size(), 50u);
      for (std::size_t i = 0; i < gains.tiles.size(); ++i) {
        EXPECT_NEAR(decibels(gains.receivers[i] / gains.tiles[i]), 0, diffractions > 0 ? 0.3 : 0.14) << i;
      }
    }
  }
}

// The gain of the ray that flat ground at z = 0 reflects, from the field that the antenna sends along its own
// departure.
double gain_by_flat_ground(const testing::Environment& ground, const Transmitter& transmitter, Vec3 receiver,
                           const RayLaunchingOptions& options) {
  const Link link(ground.scene, transmitter, options);
  const Vec3 image{receiver.x, receiver.y, -receiver.z}, way = image - transmitter.position, down = normalized(way);
  const ComplexVec3 reflected = reflected_field(link.depart(down).field, down, {0, 0, 1},
                                                link.surface(ground.tiling.tiles[0].material).permittivity);
  return squared_norm(link.receive(reflected, {down.x, down.y, -down.z})) / dot(way, way);
}

// An antenna may send the receiver nothing and the ground before it much, and a slanted field turns with the direction:
// of receivers above an antenna, and near below one.
TEST(TransmitPattern, OfTheWayByTheGroundHasItsOwnPolarization) {
  const testing::Environment ground(testing::with_material(testing::flat_ground(100, 100), 5, 0.01), 10);
  struct Case {
    AntennaKind kind;
    double beamwidth_deg, downtilt_deg, height_m;
    Polarization polarization, received;
    Vec3 receiver;
  };
  using enum Polarization;
  const Case cases[] = {
      {AntennaKind::beam, 80, 90, 20, vertical, vertical, {56, 60, 22}},
      {AntennaKind::beam, 60, 60, 20, vertical, vertical, {50, 57, 31.5}},
      {AntennaKind::sector_3gpp, 0, 6, 10, slant_plus_45, vertical, {50, 80, 1.5}},
      {AntennaKind::isotropic, 0, 0, 10, slant_plus_45, horizontal, {50, 80, 1.5}},
      {AntennaKind::isotropic, 0, 20, 10, vertical, vertical, {57, 71, 1.5}},
  };
  for (const Case& c : cases) {
    Transmitter transmitter = testing::test_transmitter({50, 50, c.height_m});
    transmitter.antenna = c.kind;
    transmitter.antenna_details.beamwidth_deg = c.beamwidth_deg;
    transmitter.downtilt_deg = c.downtilt_deg;
    transmitter.polarization = c.polarization;
    RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
    options.over_rooftop = OverRooftop::screens;
    options.summation = Summation::power;
    options.receiver_polarization = c.received;
    options.receiver_height_m = c.receiver.z;
    options.rays_per_receiver = 10;
    const RayLaunchingResult result = ground.launch(transmitter, testing::receivers_at({c.receiver}), options);
    const auto by_ground =
        std::find_if(result.rays.begin(), result.rays.end(), [](const Ray& ray) { return ray.interactions == "T-G"; });
    ASSERT_NE(by_ground, result.rays.end()) << c.receiver.z;
    const double expected = gain_by_flat_ground(ground, transmitter, c.receiver, options);
    EXPECT_NEAR(decibels(by_ground->path_gain / expected), 0, 1e-6) << c.receiver.z;
    // At tiles it is no ray of its own.
    const Link link(ground.scene, transmitter, options);
    for (std::size_t t = 0; t < ground.tiling.tiles.size(); ++t) {
      const Vec3 target = target_point(ground.tiling.tiles[t], options.receiver_height_m),
                 way = target - transmitter.position;
      const Vec3 straight = normalized(way);
      const double both = squared_norm(link.receive(link.depart(straight).field, straight)) / dot(way, way) +
                          gain_by_flat_ground(ground, transmitter, target, options);
      EXPECT_NEAR(decibels(testing::total_gain(result.tiles[t]) / both), 0, 1e-5) << t;
    }
  }
}

// Ground that is flat within 0.3 m reflects as a whole, nearly what flat ground does.
TEST(TransmitPattern, IsThatOfTheWayByUnevenGround) {
  const auto with_heights = [](const std::function<double(Vec2)>& height_at) {
    return testing::with_material(testing::terrain_of(300, 60, 10, height_at), 5, 0.01);
  };
  testing::Random random(3);
  const testing::Environment flat(with_heights([](Vec2) { return 0.0; }), 10);
  const testing::Environment uneven(with_heights([&](Vec2) { return random.uniform(0, 0.3); }), 10);
  const TilesAndReceivers expected = gains_over(flat, beam_to_ground(), 1),
                          found = gains_over(uneven, beam_to_ground(), 1);
  double more_db = 0;
  for (std::size_t i = 0; i < found.tiles.size(); ++i) {
    EXPECT_NEAR(decibels(found.receivers[i] / found.tiles[i]), 0, 0.05) << i;
    more_db += decibels(found.tiles[i] / expected.receivers[i]);
  }
  EXPECT_NEAR(more_db / static_cast<double>(found.tiles.size()), 0, 3);
}

}  // namespace
}  // namespace tesseray
