// SPDX-License-Identifier: GPL-3.0-or-later
// Across the boundary of a corner's shadow the direct ray and what the corner diffracts are one field: the local mean
// rises there as behind a knife edge, at receivers, at tiles and of exact rays.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// A house whose corner at (100, 100) hides what lies behind its north wall from antennas before its west wall.
constexpr Vec2 corner{100, 100};

Scene ground_with(std::vector<Prism> prisms) {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = std::move(prisms);
  return testing::with_material(std::move(scene), 5, 0.01);
}

const Environment& house() {
  static const Environment made(ground_with({testing::box_prism(1, {100, 60}, {140, 100}, 0, 40)}), 5);
  return made;
}

const Environment& without_house() {
  static const Environment made(ground_with({}), 5);
  return made;
}

struct Case {
  double frequency_hz;
  Vec3 antenna;
  double behind_m;
  double within_db;  // of a knife edge
};
// The last antenna lies nearly along the wall, whose reflection the corner ends, too.
const Case cases[] = {{900e6, {40, 80, 10}, 40, 0.3},
                      {2.6e9, {40, 80, 10}, 40, 0.3},
                      {900e6, {40, 80, 10}, 120, 0.3},
                      {28e9, {40, 80, 10}, 40, 0.3},
                      {900e6, {94, 40, 6}, 40, 1.1}};
// Antennas before the west wall, near enough to cancel with their images in it.
const Case before_wall_cases[] = {{900e6, {99.7, 80, 10}, 40, 1.2},
                                  {900e6, {99.5, 80, 10}, 40, 1.2},
                                  {900e6, {99.1, 80, 10}, 40, 1.2},
                                  {2.6e9, {99.7, 80, 10}, 40, 1.2},
                                  {900e6, {99.7, 65, 6}, 80, 1.2}};

std::vector<Case> all_cases() {
  std::vector<Case> all(std::begin(cases), std::end(cases));
  all.insert(all.end(), std::begin(before_wall_cases), std::end(before_wall_cases));
  return all;
}

Transmitter transmitter_of(const Case& of) {
  Transmitter transmitter = testing::test_transmitter(of.antenna);
  transmitter.frequency_hz = of.frequency_hz;
  return transmitter;
}

RayLaunchingOptions reflected_and_diffracted() {
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  options.over_rooftop = OverRooftop::screens;
  return options;
}

// Places on a line across the way from the antenna over the corner, so far behind it: from the shadow into the light.
class AcrossBoundary {
 public:
  AcrossBoundary(const Case& of, double half_width_m, double step_m)
      : wavelength_m_(speed_of_light / of.frequency_hz),
        before_m_(norm(corner - of.antenna.xy())),
        behind_m_(of.behind_m) {
    const Vec2 way = (1 / before_m_) * (corner - of.antenna.xy()), left{-way.y, way.x};
    // None lies on the boundary itself.
    for (double aside_m = -half_width_m + 0.5 * step_m; aside_m < half_width_m; aside_m += step_m) {
      const Vec2 place = corner + of.behind_m * way + aside_m * left;
      aside_m_.push_back(aside_m);
      receivers_.push_back({place.x, place.y, 1.5});
    }
  }

  std::vector<Receiver> receivers() const { return testing::receivers_at(receivers_); }
  std::size_t count() const { return aside_m_.size(); }
  // Negative in the light.
  double nu(std::size_t k) const {
    const double below_m = -aside_m_[k] * before_m_ / (before_m_ + behind_m_);
    return fresnel_parameter(below_m, before_m_, behind_m_, wavelength_m_);
  }

 private:
  double wavelength_m_, before_m_, behind_m_;
  std::vector<double> aside_m_;
  std::vector<Vec3> receivers_;
};

std::vector<double> gains_db(const std::vector<ArrivalSums>& sums) {
  std::vector<double> gains;
  for (const ArrivalSums& of : sums) gains.push_back(decibels(testing::total_gain(of)));
  return gains;
}

std::vector<double> launched_db(const Environment& environment, const Case& of, const AcrossBoundary& places) {
  return gains_db(environment.launch(transmitter_of(of), places.receivers(), reflected_and_diffracted()).receivers);
}

TEST(ShadowBoundary, IsThatOfAKnifeEdgeInTheLight) {
  for (const Case& of : cases) {
    const AcrossBoundary places(of, 4, 0.05);
    const std::vector<double> behind = launched_db(house(), of, places),
                              free = launched_db(without_house(), of, places);
    int in_light = 0;
    for (std::size_t k = 0; k < places.count(); ++k) {
      if (places.nu(k) > 0 || places.nu(k) < negligible_fresnel_parameter) continue;
      EXPECT_NEAR(behind[k] - free[k], decibels(squared_norm(knife_edge_factor(places.nu(k)))), of.within_db)
          << of.frequency_hz << " Hz, ν " << places.nu(k);
      ++in_light;
    }
    EXPECT_GT(in_light, 3) << of.frequency_hz;
  }
}

// Of the antenna and its image in a wall, over free space: to both the wall's end is the same knife edge.
double of_antenna_and_image_db(const Case& of, Vec3 place) {
  const double wavelength_m = speed_of_light / of.frequency_hz, wave_number = 2 * pi / wavelength_m;
  const Vec3 image{2 * corner.x - of.antenna.x, of.antenna.y, of.antenna.z};
  const auto knife_edge = [&](Vec3 source) {
    const double before_m = corner.y - source.y, behind_m = place.y - corner.y;
    const double passes_at = source.x + (place.x - source.x) * before_m / (before_m + behind_m);
    return knife_edge_factor(fresnel_parameter(passes_at - corner.x, before_m, behind_m, wavelength_m));
  };
  const double direct_m = norm(place - of.antenna), reflected_m = norm(place - image);
  const Complex wall = relative_permittivity({5, 0.01}, of.frequency_hz);
  const Complex upright_field = fresnel(wall, std::fabs(place.x - image.x) / reflected_m).te;
  return decibels(squared_norm(knife_edge(of.antenna) + (direct_m / reflected_m) * upright_field * knife_edge(image) *
                                                            exp_j(wave_number * (direct_m - reflected_m))));
}

TEST(ShadowBoundary, IsThatOfAntennaAndImageBeforeAWall) {
  for (const Case& of : before_wall_cases) {
    const AcrossBoundary places(of, 4, 0.05);
    const std::vector<double> behind = launched_db(house(), of, places),
                              free = launched_db(without_house(), of, places);
    for (std::size_t k = 0; k < places.count(); ++k) {
      const Vec3 place = places.receivers()[k].position;
      EXPECT_NEAR(behind[k] - free[k], of_antenna_and_image_db(of, place), of.within_db)
          << of.frequency_hz << " Hz, " << corner.x - of.antenna.x << " m, ν " << places.nu(k);
    }
  }
}

TEST(ShadowBoundary, HasNoStep) {
  for (const Case& of : all_cases()) {
    const double step_m = 0.01 * std::sqrt(speed_of_light / of.frequency_hz);
    const AcrossBoundary places(of, 600 * step_m, step_m);
    const std::vector<double> behind = launched_db(house(), of, places);
    for (std::size_t k = 1; k < behind.size(); ++k) {
      EXPECT_NEAR(behind[k], behind[k - 1], 0.05) << of.frequency_hz << " Hz, ν " << places.nu(k);
    }
  }
}

// Also where no wave goes over the roofs: the ground reflects to a receiver what it does below it.
TEST(ShadowBoundary, IsTheSameOfExactRays) {
  ImageTracingOptions exact_options;
  exact_options.max_reflections = 2;
  exact_options.max_diffractions = 1;
  for (const Case& of : all_cases()) {
    const AcrossBoundary places(of, 4, 0.2);
    const ImageTracer tracer(house().scene, house().occlusion, places.receivers(), exact_options);
    const std::vector<double> exact = gains_db(tracer.trace(transmitter_of(of), no_progress()).receivers);
    for (const OverRooftop over : {OverRooftop::screens, OverRooftop::none}) {
      RayLaunchingOptions options = reflected_and_diffracted();
      options.over_rooftop = over;
      const std::vector<double> launched =
          gains_db(house().launch(transmitter_of(of), places.receivers(), options).receivers);
      for (std::size_t k = 0; k < places.count(); ++k) {
        EXPECT_NEAR(launched[k], exact[k], 0.1) << of.frequency_hz << " Hz, ν " << places.nu(k);
      }
    }
  }
}

TEST(ShadowBoundary, IsTheSameAtTiles) {
  for (const Case& of : all_cases()) {
    const Environment& town = house();
    const RayLaunchingOptions options = reflected_and_diffracted();
    std::vector<std::size_t> tiles;
    std::vector<Vec3> places;
    for (std::size_t t = 0; t < town.tiling.tiles.size(); ++t) {
      const Tile& tile = town.tiling.tiles[t];
      const Vec2 way = corner - of.antenna.xy(), behind = tile.centroid.xy() - corner;
      if (tile.kind != SurfaceKind::ground || dot(way, behind) < 20 * norm(way)) continue;
      if (std::fabs(cross(way, behind)) > 4 * norm(way)) continue;
      tiles.push_back(t);
      places.push_back(target_point(tile, options.receiver_height_m));
    }
    const RayLaunchingResult result = town.launch(transmitter_of(of), testing::receivers_at(places), options);
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      EXPECT_NEAR(decibels(testing::total_gain(result.tiles[tiles[k]])),
                  decibels(testing::total_gain(result.receivers[k])), 0.1)
          << of.frequency_hz << " Hz, " << places[k].x << " " << places[k].y;
    }
    EXPECT_GT(tiles.size(), 30u);
  }
}

}  // namespace
}  // namespace tesseray
