// SPDX-License-Identifier: GPL-3.0-or-later
// Across the boundary of a corner's shadow the direct ray and what the corner diffracts are one field: the local mean
// rises there as behind a knife edge, at receivers, at tiles and of exact rays.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/transition_function.h"

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
  return gains_db(
      environment.launch_to_receivers(transmitter_of(of), places.receivers(), reflected_and_diffracted()).receivers);
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

// What passes the corner of a point source before the west wall, or of its image in it, over free space: the ray itself
// and the wedge's term that is singular at the end of it. Both together are within 0.3 dB of Maliuzhinets' exact
// solution at a right-angled corner, as far as they come nearly along the wall. An image has what its wall reflects of
// either.
Complex past_corner(Vec3 source, Vec3 place, double wave_number, Complex of_ray, Complex of_edge) {
  constexpr double n = 1.5;
  // From the wall through the air.
  const auto angle_of = [](Vec3 p) { return std::atan2(corner.x - p.x, corner.y - p.y); };
  const double from_source = angle_of(source), to_place = angle_of(place) + (angle_of(place) < 0 ? 2 * pi : 0);
  const double turned = to_place - from_source;
  const Vec3 on_edge{corner.x, corner.y, keller_point(source, place, {corner.x, corner.y, 0}, {0, 0, 1})};
  const double before_m = norm(on_edge - source), behind_m = norm(place - on_edge), straight_m = norm(place - source);
  const double sin_beta = norm(on_edge.xy() - source.xy()) / before_m;
  const double distance_m = distance_parameter_m(before_m, behind_m, sin_beta);
  const double spreading = straight_m / std::sqrt(before_m * behind_m * (before_m + behind_m));
  const double magnitude =
      -spreading / (2 * n * std::sqrt(2 * pi * wave_number) * sin_beta * std::tan((pi - turned) / (2 * n)));
  const Complex diffracted = magnitude * exp_j(-0.25 * pi - wave_number * (before_m + behind_m - straight_m)) *
                             transition_function(2 * wave_number * distance_m * std::pow(std::cos(0.5 * turned), 2));
  return (turned < pi ? of_ray : Complex{}) + of_edge * diffracted;
}

// Of the antenna and its image in a wall, over free space.
double of_antenna_and_image_db(const Case& of, Vec3 place) {
  const double wave_number = 2 * pi * of.frequency_hz / speed_of_light;
  const Vec3 image{2 * corner.x - of.antenna.x, of.antenna.y, of.antenna.z};
  const double direct_m = norm(place - of.antenna), reflected_m = norm(place - image);
  const Complex wall = relative_permittivity({5, 0.01}, of.frequency_hz);
  // Upright fields, at the grazing angles of the ray to the place and of the one to the corner.
  const Vec3 on_edge{corner.x, corner.y, keller_point(of.antenna, place, {corner.x, corner.y, 0}, {0, 0, 1})};
  const Complex of_ray = fresnel(wall, std::fabs(place.x - image.x) / reflected_m).te,
                of_edge = fresnel(wall, std::fabs(corner.x - image.x) / norm(on_edge - of.antenna)).te;
  return decibels(squared_norm(past_corner(of.antenna, place, wave_number, {1, 0}, {1, 0}) +
                               (direct_m / reflected_m) * exp_j(wave_number * (direct_m - reflected_m)) *
                                   past_corner(image, place, wave_number, of_ray, of_edge)));
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
          gains_db(house().launch_to_receivers(transmitter_of(of), places.receivers(), options).receivers);
      for (std::size_t k = 0; k < places.count(); ++k) {
        EXPECT_NEAR(launched[k], exact[k], 0.1) << of.frequency_hz << " Hz, ν " << places.nu(k);
      }
    }
  }
}

// Ground tiles behind the corner near the boundary of its shadow.
std::vector<std::size_t> tiles_across_boundary(const Case& of) {
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < house().tiling.tiles.size(); ++t) {
    const Tile& tile = house().tiling.tiles[t];
    const Vec2 way = corner - of.antenna.xy(), behind = tile.centroid.xy() - corner;
    if (tile.kind != SurfaceKind::ground || dot(way, behind) < 20 * norm(way)) continue;
    if (std::fabs(cross(way, behind)) > 4 * norm(way)) continue;
    tiles.push_back(t);
  }
  return tiles;
}

TEST(ShadowBoundary, IsTheSameAtTiles) {
  const RayLaunchingOptions options = reflected_and_diffracted();
  // Where the tiles of all cases have their targets.
  std::vector<Vec3> places;
  std::map<std::size_t, std::size_t> receiver_at;
  for (const Case& of : all_cases()) {
    for (const std::size_t tile : tiles_across_boundary(of)) {
      if (!receiver_at.emplace(tile, places.size()).second) continue;
      places.push_back(target_point(house().tiling.tiles[tile], options.receiver_height_m));
    }
  }
  const RayLauncher launcher = house().launcher(testing::receivers_at(places), options);
  for (const Case& of : all_cases()) {
    const std::vector<std::size_t> tiles = tiles_across_boundary(of);
    const RayLaunchingResult result = launcher.launch(transmitter_of(of), no_progress());
    for (const std::size_t tile : tiles) {
      const std::size_t receiver = receiver_at.at(tile);
      EXPECT_NEAR(decibels(testing::total_gain(result.tiles[tile])),
                  decibels(testing::total_gain(result.receivers[receiver])), 0.1)
          << of.frequency_hz << " Hz, " << places[receiver].x << " " << places[receiver].y;
    }
    EXPECT_GT(tiles.size(), 30u);
  }
}

}  // namespace
}  // namespace tesseray
