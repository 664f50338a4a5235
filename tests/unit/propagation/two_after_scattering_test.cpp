// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering with two interactions after it: against a sum over all triples of tiles, against antennas in the places
// of the scattering tiles, and with the ends exchanged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/plain_scattering.h"

namespace tesseray {
namespace {

using namespace testing;

// A long house and a small one across the street, with neither ground nor roofs in play. They are turned a little
// against each other, so that no ray passes exactly between two tiles.
Scene street() {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {120, 200}, {220, 212}, 0, 20.3),
                  testing::box_prism(2, {0, 0}, {1, 1}, 0, 12.1)};
  scene.prisms[1].rings = {{{170, 150}, {200, 151.7}, {199, 167.3}, {169.1, 165.8}}};
  return scene;
}

const Vec3 antenna{150, 120, 10};
const std::vector<Vec3> receivers{{150, 186, 1.5}, {195, 183, 2.5}, {185, 178, 6}, {225, 140, 1.5}};

// Three interactions, their powers summed.
RayLaunchingOptions three(int reflections, int diffractions, int after) {
  RayLaunchingOptions options = one_scattering(reflections, diffractions, 3, after);
  options.summation = Summation::power;
  return options;
}

// A tube reflected at a tile lights another whole when it lights its centroid.
TEST(TwoAfterScattering, TwoReflectionsAreTheSumOverAllTriplesOfTiles) {
  const Environment town(street(), 4);
  const auto gains = [&](int after) {
    return town
        .launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at(receivers), three(2, 0, after))
        .receivers;
  };
  const auto with = gains(2), without = gains(1);
  const std::vector<Tile>& tiles = town.tiling.tiles;
  const auto tile_count = static_cast<std::uint32_t>(tiles.size());
  const auto lit = visible_from(town.occlusion, town.tiling, antenna);
  std::vector<std::uint32_t> row_of_last, row_of_first;
  std::size_t compared = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double expected = 0;
    for (const std::uint32_t last : visible_from(town.occlusion, town.tiling, receivers[r])) {
      if (last >= tile_count) break;
      const Tile& second = tiles[last];
      const Vec3 image = mirrored(receivers[r], second.centroid, second.normal);
      town.visibility->read_row(last, row_of_last);
      for (const std::uint32_t m : row_of_last) {
        if (m >= tile_count) break;
        const Tile& first = tiles[m];
        town.visibility->read_row(m, row_of_first);
        for (const std::uint32_t s : row_of_first) {
          if (s >= tile_count || !is_in(lit, s)) continue;
          const Tile& scatterer = tiles[s];
          const Vec3 behind = mirrored(scatterer.centroid, first.centroid, first.normal);
          if (!passes(first, behind, second.centroid) || !passes(second, behind, image)) continue;
          const Vec3 way = image - behind, k = normalized(way);
          expected += unit_gain() * taken(scatterer, antenna) * sent(scatterer, mirrored(k, first.normal)) * specular *
                      mean_reflectance(permittivity(), std::fabs(dot(k, first.normal))) * specular *
                      mean_reflectance(permittivity(), std::fabs(dot(k, second.normal))) / squared_norm(way);
        }
      }
    }
    const double got = with[r].gain.value() - without[r].gain.value();
    if (expected > 0) {
      EXPECT_NEAR(got / expected, 1, 0.01) << "receiver " << r;
      ++compared;
    } else {
      EXPECT_NEAR(got, 0, 1e-25);
    }
  }
  EXPECT_GE(compared, 2u);
}

// By conductors all of the power is reflected, whatever its polarisation: what a tile scatters then arrives as from an
// antenna in its place with the tile's lobe, at receivers of both polarisations.
TEST(TwoAfterScattering, IsWhatAntennasInTheTilesPlacesBring) {
  const Environment town(testing::with_material(street(), 1, 1e12), 6);
  RayLaunchingOptions options = three(2, 2, 2);
  options.rays_per_receiver = 1'000'000;
  options.scattered_rays = true;
  const RayLaunchingResult result =
      town.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at(receivers), options);
  std::map<std::string, double> got, expected;
  for (const Ray& ray : result.rays) {
    if (ray.interactions.size() == 7 && ray.interactions.starts_with("T-S")) {
      got[std::to_string(ray.target_id) + ray.interactions.substr(3)] += ray.path_gain;
    }
  }
  RayLaunchingOptions two = testing::without_scattering(2, 2, 2);
  two.summation = Summation::power;
  two.rays_per_receiver = 1'000'000;
  for (const std::uint32_t s : visible_from(town.occlusion, town.tiling, antenna)) {
    if (s >= town.tiling.tiles.size()) break;
    const Tile& scatterer = town.tiling.tiles[s];
    const Vec3 place = scatterer.centroid + 1e-3 * scatterer.normal;
    for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
      two.receiver_polarization = polarization;
      for (const Ray& ray :
           town.launch_to_receivers(testing::test_transmitter(place), testing::receivers_at(receivers), two).rays) {
        if (ray.interactions.size() != 5) continue;
        const auto reflections = std::count(ray.interactions.begin(), ray.interactions.end(), 'R');
        expected[std::to_string(ray.target_id) + ray.interactions.substr(1)] +=
            ray.path_gain * taken(scatterer, antenna) * sent(scatterer, normalized(ray.points[1] - ray.points[0])) *
            std::pow(specular, static_cast<double>(reflections));
      }
    }
  }
  std::map<std::string, int> compared;
  for (const auto& [sequence, gain] : expected) {
    if (!(gain > 1e-22)) continue;
    EXPECT_NEAR(got[sequence] / gain, 1, 0.01) << sequence;
    ++compared[sequence.substr(1)];
  }
  for (const char* sequence : {"-R-R", "-R-D", "-D-R", "-D-D"}) EXPECT_GE(compared[sequence], 2) << sequence;
}

// The power that comes by the sequences of one kind.
double gain_by(const std::string& sequence, const RayLaunchingResult& result) {
  double sum = 0;
  for (const Ray& ray : result.rays) sum += ray.interactions == sequence ? ray.path_gain : 0;
  return sum;
}

// Rays over the roofs stand for what goes from the antenna by way of the ground to a roof's edge, not for what the
// ground scatters to it.
TEST(TwoAfterScattering, GoesOverRoofsWhateverRaysOfTheAntennaDo) {
  Scene scene = testing::flat_ground(200, 120);
  scene.prisms = {testing::box_prism(1, {80, 10}, {90, 110}, 0, 10),
                  testing::box_prism(2, {140, 10}, {150, 110}, 0, 24)};
  const Environment yard(std::move(scene), 8);
  RayLaunchingOptions options = three(1, 1, 2);
  options.rays_per_receiver = 1'000'000;
  options.scattered_rays = true;
  Transmitter transmitter = testing::test_transmitter({30, 61, 6});
  transmitter.frequency_hz = 10e9;  // so that no roof is near what goes to the ground
  const auto gain = [&](OverRooftop over_rooftop) {
    options.over_rooftop = over_rooftop;
    const auto result = yard.launch_to_receivers(transmitter, testing::receivers_at({{128, 59, 12}}), options);
    return gain_by("T-S-D-R", result);
  };
  const double without = gain(OverRooftop::none);
  EXPECT_GT(without, 0);
  EXPECT_NEAR(gain(OverRooftop::screens) / without, 1, 1e-4);
}

// By conductors, for which polarisation does not matter, two reflections after the scattering are two before it with
// the ends exchanged.
TEST(TwoAfterScattering, IsTwoBeforeItWithTheEndsExchanged) {
  const Environment town(testing::with_material(street(), 1, 1e12), 1.2);
  RayLaunchingOptions options = three(2, 0, 2);
  options.scattering_model = ScatteringModel::reciprocal;
  options.rays_per_receiver = 10'000'000;
  options.scattered_rays = true;
  std::size_t compared = 0;
  for (const Vec3 other : receivers) {
    const auto there =
        town.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({other}), options);
    const auto back =
        town.launch_to_receivers(testing::test_transmitter(other), testing::receivers_at({antenna}), options);
    const double after = gain_by("T-S-R-R", there), before = gain_by("T-R-R-S", back);
    if (!(before > 0)) continue;
    EXPECT_NEAR(decibels(after / before), 0, 0.3) << after << " " << before;
    ++compared;
  }
  EXPECT_GE(compared, 2u);
}

}  // namespace
}  // namespace tesseray
