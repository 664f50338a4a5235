// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering before, between and after other interactions, against sums over all pairs of elements written out plainly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/physics/antenna.h"
#include "core/physics/diffraction.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "core/propagation/scattering/tile_parts.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/plain_scattering.h"

namespace tesseray {
namespace {

using namespace testing;

// A long house and a small one across the street, with neither ground nor roofs in play.
Scene street() {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {120, 200}, {260, 212}, 0, 20),
                  testing::box_prism(2, {170, 150}, {200, 166}, 0, 12)};
  return scene;
}

RayLaunchingOptions two(int reflections, int diffractions, bool after) {
  return one_scattering(reflections, diffractions, 2, after ? 1 : 0);
}

const Vec3 antenna{150, 120, 10};
const std::vector<Vec3> receivers{{150, 186, 1.5}, {195, 183, 2.5}, {185, 178, 6}, {235, 140, 1.5}};

TEST(Scattering, ThenOneReflectionIsTheSumOverAllPairsOfTiles) {
  const Environment town(street(), 3);
  const auto with = town.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), two(1, 0, true));
  const auto without =
      town.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), two(1, 0, false));
  const auto lit = visible_from(town.occlusion, town.tiling, antenna);
  const auto tiles = static_cast<std::uint32_t>(town.tiling.tiles.size());
  std::vector<std::uint32_t> row;
  std::size_t compared = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double expected = 0;
    for (const std::uint32_t m : visible_from(town.occlusion, town.tiling, receivers[r])) {
      if (m >= tiles) break;
      const Tile& mirror = town.tiling.tiles[m];
      const Vec3 image = mirrored(receivers[r], mirror.centroid, mirror.normal);
      town.visibility->read_row(m, row);
      for (const std::uint32_t s : row) {
        if (s >= tiles || !is_in(lit, s)) continue;
        const Tile& scatterer = town.tiling.tiles[s];
        const Vec3 way = image - scatterer.centroid;
        const Vec3 k = normalized(way);
        if (!passes(mirror, scatterer.centroid, image)) continue;
        expected += unit_gain() * taken(scatterer, antenna) * sent(scatterer, k) * specular *
                    mean_reflectance(permittivity(), std::fabs(dot(k, mirror.normal))) / squared_norm(way);
      }
    }
    const double got = with.receivers[r].gain.value() - without.receivers[r].gain.value();
    if (expected > 0) {
      EXPECT_NEAR(got / expected, 1, 0.01) << "receiver " << r;
      ++compared;
    } else {
      EXPECT_NEAR(got, 0, 1e-25);
    }
  }
  EXPECT_GE(compared, 3u);
}

// A house on a slope that runs along its wall, in tiles of 12 m, the middle of one of them 2 mm above the ground: what
// it gets back of what it scatters, from the ground before it, is a part of what it has.
TEST(Scattering, ThenReflectedNextToTheTilesMiddleIsNoMoreThanThereIs) {
  Scene foot = testing::terrain_of(120, 120, 10, [](Vec2 p) { return 0.5 * (57.95 - p.x) + 0.1 * (60 - p.y); });
  foot.prisms = {testing::box_prism(1, {40, 60}, {75.9, 80}, -5.994, 5.998)};
  foot.prisms.front().on_ground = false;
  const Environment town(foot, 12);
  const auto gains_with = [&](int after) {
    return town.launch(testing::test_transmitter({57, 20, 50}), {}, one_scattering(2, 0, 1 + after, after)).tiles;
  };
  const auto none = gains_with(0), once = gains_with(1), twice = gains_with(2);
  std::size_t walls = 0;
  for (std::size_t t = 0; t < none.size(); ++t) {
    const Tile& tile = town.tiling.tiles[t];
    if (tile.normal.y > -0.9 || std::fabs(tile.centroid.x - 57.95) > 1) continue;
    const double lit = none[t].gain.value();
    EXPECT_GT(once[t].gain.value(), lit) << t;
    EXPECT_LT(once[t].gain.value(), (1 + coefficient * coefficient) * lit) << t;
    EXPECT_LT(twice[t].gain.value(), (1 + coefficient * coefficient) * lit) << t;
    ++walls;
  }
  EXPECT_EQ(walls, 1u);
}

// A long house whose wall casts a shadow on the ground behind it. Nothing but the ground scatters.
Scene house_on(Scene scene) {
  Material smooth;
  smooth.name = "smooth";
  smooth.scattering_coefficient = 0;
  scene.materials.push_back(smooth);
  scene.default_materials.wall = scene.default_materials.roof = 1;
  scene.prisms = {testing::box_prism(1, {30, 110}, {150, 122}, 0, 15)};
  return scene;
}

// Tiles of one plane do not see each other; receivers over them see what the others scatter.
TEST(Scattering, GroundScattersToGroundTilesInTheShadow) {
  const Environment town(house_on(testing::flat_ground(240, 240)), 5);
  const Vec3 sender{130, 60, 10};
  const auto result = town.launch(testing::test_transmitter(sender), {}, one_scattering(0, 0, 1, 0));
  const auto lit = visible_from(town.occlusion, town.tiling, sender);
  std::size_t compared = 0;
  for (std::uint32_t t = 0; t < town.tiling.tiles.size(); ++t) {
    const Tile& tile = town.tiling.tiles[t];
    const Vec3 target = tile.centroid + Vec3{0, 0, 1.5};
    if (tile.kind != SurfaceKind::ground || tile.centroid.y < 125 || is_in(lit, t)) continue;
    if (town.occlusion.is_free(sender, target)) continue;
    double expected = 0, nearest_m = 1e9;
    for (const std::uint32_t s : lit) {
      if (s >= town.tiling.tiles.size() || town.tiling.tiles[s].kind != SurfaceKind::ground) continue;
      const Tile& scatterer = town.tiling.tiles[s];
      if (!town.occlusion.is_free(scatterer.centroid + Vec3{0, 0, lift_m}, target)) continue;
      const Vec3 way = target - scatterer.centroid;
      nearest_m = std::fmin(nearest_m, norm(way));
      expected += unit_gain() * taken(scatterer, sender) * sent(scatterer, normalized(way)) / squared_norm(way);
    }
    // Nearer tiles send what their parts do.
    if (!(expected > 0) || nearest_m < 8) continue;
    EXPECT_NEAR(result.tiles[t].gain.value() / expected, 1, 1e-5) << tile.centroid.x << " " << tile.centroid.y;
    ++compared;
  }
  EXPECT_GT(compared, 300u);
}

// Over hills, of walls, too, and among trees, and with a lobe; as far as ground tiles look, where nothing else arrives
// and the ground reflects nothing. Densities are of single precision.
TEST(Scattering, IsAtGroundTilesWhatItIsAtReceiversOverThem) {
  Scene hills =
      house_on(testing::terrain_of(200, 200, 5, [](Vec2 p) { return std::cos(p.x / 7) * std::cos(p.y / 9); }));
  hills.prisms.push_back(testing::box_prism(2, {60, 180}, {120, 190}, 0, 40));
  for (Prism& prism : hills.prisms) prism.bottom_z = -10;
  hills.prisms.front().top_z = 5;
  hills.default_materials.wall = 0;  // it scatters, too
  Scene trees = house_on(testing::flat_ground(200, 200));
  trees.vegetation.push_back({1, {{{150, 100}, {190, 100}, {190, 140}, {150, 140}}}, 0, 6});
  const Vec3 sender{130, 60, 15};
  for (const Scene& scene : {hills, trees}) {
    const Environment town(scene, 10);
    std::vector<Vec3> over_ground;
    for (const Tile& tile : town.tiling.tiles) {
      if (tile.kind == SurfaceKind::ground) over_ground.push_back(tile.centroid + Vec3{0, 0, 1.5});
    }
    for (const int lobe : {0, 4}) {
      RayLaunchingOptions options = one_scattering(0, 0, 1, 0);
      options.scattering_coefficient = 1;
      options.scattering_lobe_exponent = lobe;
      options.vegetation = VegetationModel::per_metre;
      const auto result = town.launch(testing::test_transmitter(sender), testing::receivers_at(over_ground), options);
      std::size_t compared = 0;
      for (std::size_t t = 0; t < over_ground.size(); ++t) {
        // Past the house's corner a middle may see what the place over it does not.
        if (over_ground[t].y < 130 || town.occlusion.is_free(sender, over_ground[t])) continue;
        const double at_receiver = result.receivers[t].gain.value();
        EXPECT_NEAR(result.tiles[t].gain.value(), at_receiver, 1e-5 * at_receiver)
            << over_ground[t].x << " " << over_ground[t].y << ", lobe " << lobe;
        ++compared;
      }
      EXPECT_GT(compared, 10u);
    }
  }
}

// A wall in one tile of 12 m, and metal ground before it that mirrors the wall to receivers near both: as small tiles.
TEST(Scattering, ThenReflectedNearTheTileIsWhatItsPartsBring) {
  Scene corner = testing::flat_ground(120, 120);
  corner.materials.push_back({"metal", 1, 0, 1e7, 0});
  corner.default_materials.ground = 1;
  corner.prisms = {testing::box_prism(1, {52, 60}, {64, 70}, 0, 12)};
  const Environment coarse(corner, 12), fine(corner, 1);
  const Vec3 antenna_before{58, 5, 6};
  for (const Vec3 to : {Vec3{58, 58, 1.5}, Vec3{56.3, 56.5, 0.7}, Vec3{60.2, 54.1, 2}}) {
    const auto added = [&](const Environment& town) {
      const auto gain = [&](bool after) {
        RayLaunchingOptions options = two(1, 0, after);
        options.summation = Summation::power;  // in which nothing comes from the ground beyond the limits
        return town.launch_to_receivers(testing::test_transmitter(antenna_before), testing::receivers_at({to}), options)
            .receivers.front()
            .gain.value();
      };
      return gain(true) - gain(false);
    };
    EXPECT_NEAR(decibels(added(coarse) / added(fine)), 0, 0.3) << to.x;
  }
}

// Against the mean over 2 cm pieces of a tile of 4 m; a disc of its area is within half a decibel of the square.
TEST(Scattering, NearAnEdgeATileIsItsMeanOverTheDistance) {
  Tile tile;
  tile.normal = {0, 0, 1};
  tile.half_u = {2, 0, 0};
  tile.half_v = {0, 2, 0};
  for (const Vec3 edge : {Vec3{0, 0, 0.05}, Vec3{0.3, -0.2, 0.5}, Vec3{1, 0.5, 2}, Vec3{-2, 2, 1}, Vec3{3, 0, 3}}) {
    double sum = 0;
    constexpr int pieces = 200;
    for (int i = 0; i < pieces * pieces; ++i) {
      const Vec3 on_tile{4 * (i % pieces + 0.5) / pieces - 2, 4 * (i / pieces + 0.5) / pieces - 2, 0};
      sum += edge.z / squared_norm(edge - on_tile);
    }
    const double of_middle = edge.z / squared_norm(edge), mean = sum / (pieces * pieces);
    EXPECT_NEAR(decibels(nearness_of_edge(edge, tile, 6) / (mean / of_middle)), 0, 0.5) << edge.x << " " << edge.z;
  }
  EXPECT_EQ(nearness_of_edge({0, 0, 6}, tile, 6), 1);
}

TEST(Scattering, ThenOneDiffractionIsTheSumOverTilesAndEdges) {
  const Environment town(street(), 3);
  const auto with = town.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), two(0, 1, true));
  const auto without =
      town.launch(testing::test_transmitter(antenna), testing::receivers_at(receivers), two(0, 1, false));
  const auto lit = visible_from(town.occlusion, town.tiling, antenna);
  const auto tiles = static_cast<std::uint32_t>(town.tiling.tiles.size());
  const double wave_number = 2 * pi / wavelength_m(frequency_hz);
  std::vector<std::uint32_t> row;
  std::size_t compared = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double expected = 0;
    for (const std::uint32_t element : visible_from(town.occlusion, town.tiling, receivers[r])) {
      if (element < tiles) continue;
      const EdgeSegment& edge = town.tiling.edges[element - tiles];
      const Wedge wedge{edge.direction,   edge.tangent_0, edge.normal_0,
                        edge.wedge_angle, permittivity(), permittivity()};
      town.visibility->read_row(element, row);
      for (const std::uint32_t s : row) {
        if (s >= tiles || !is_in(lit, s)) continue;
        const Tile& scatterer = town.tiling.tiles[s];
        const double z = keller_point(scatterer.centroid, receivers[r], edge.midpoint, edge.direction);
        if (std::fabs(z) > edge.length_m / 2) continue;
        const Vec3 hit = edge.midpoint + z * edge.direction;
        const double source = norm(hit - scatterer.centroid), observer = norm(receivers[r] - hit);
        const Vec3 k_i = (1 / source) * (hit - scatterer.centroid), k_d = (1 / observer) * (receivers[r] - hit);
        const double distance = distance_parameter_m(source, observer, norm(cross(k_i, edge.direction)));
        const ComplexVec3 wave = Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_i);
        const double spreading = edge_spreading(source, observer) / source;
        // Scattered power takes both faces' reflection as of rays across the edge (docs/physics.md §5.2).
        WedgeIncidence across = wedge_incidence(wedge, k_i);
        across.cos_beta = 0;
        expected += unit_gain() * taken(scatterer, antenna) * sent(scatterer, k_i) * spreading * spreading *
                    squared_norm(diffracted_field(across, wave, k_i, k_d, {distance, distance, distance}, wave_number));
      }
    }
    const double got = with.receivers[r].gain.value() - without.receivers[r].gain.value();
    ASSERT_GT(expected, 0);
    // The launcher takes polarisation and faces at the edge segment's midpoint.
    EXPECT_NEAR(decibels(got / expected), 0, 0.3) << "receiver " << r;
    ++compared;
  }
  EXPECT_EQ(compared, receivers.size());
}

// A target in the very middle of an edge has no way from it: it keeps what comes otherwise, as one 1 cm above has.
TEST(Scattering, TargetsInAnEdgesMiddleAreReachedOtherwise) {
  Scene scene = testing::flat_ground(80, 80);
  scene.prisms = {testing::box_prism(1, {35, 35}, {36.2, 36.2}, 0, 3)};
  const Environment city(std::move(scene), 10);
  RayLaunchingOptions options;
  const auto gains_at = [&](double height_m) {
    options.receiver_height_m = height_m;
    std::vector<double> gains;
    for (const ArrivalSums& sums : city.launch(testing::test_transmitter({70.3, 61.7, 20}), {}, options).tiles)
      gains.push_back(testing::total_gain(sums));
    return gains;
  };
  const std::vector<double> in_middle = gains_at(1.5), above = gains_at(1.51);
  std::size_t targets = 0;
  for (std::size_t t = 0; t < city.tiling.tiles.size(); ++t) {
    const Vec3 target = target_point(city.tiling.tiles[t], 1.5);
    const bool is_in_middle = std::any_of(city.tiling.edges.begin(), city.tiling.edges.end(),
                                          [&](const EdgeSegment& edge) { return norm(edge.midpoint - target) == 0; });
    if (!is_in_middle) continue;
    EXPECT_NEAR(decibels(in_middle[t]), decibels(above[t]), 1);
    ++targets;
  }
  EXPECT_GT(targets, 0u);
}

// A long mirror, and a house with one wall of 6 m by 6 m that the antenna cannot see but the mirror lights.
TEST(Scattering, AfterAReflectionTakesTheImagesPower) {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {100, 200}, {300, 205}, 0, 30),
                  testing::box_prism(2, {200, 150}, {204, 156}, 0, 6)};
  const Environment corner(std::move(scene), 6);
  const Vec3 source{140, 150, 3}, receiver{230, 175, 3};
  RayLaunchingOptions options = two(1, 0, false);
  const auto gain = [&](const RayLaunchingOptions& some) {
    return corner.launch(testing::test_transmitter(source), testing::receivers_at({receiver}), some)
        .receivers[0]
        .gain.value();
  };
  const double all = gain(options);
  options.max_bounces = 1;
  const double by_both = all - gain(options);

  const auto first_level = visible_from(corner.occlusion, corner.tiling, source);
  const auto last_level = visible_from(corner.occlusion, corner.tiling, receiver);
  double expected = 0;
  std::vector<std::uint32_t> row;
  for (const std::uint32_t s : last_level) {
    if (s >= corner.tiling.tiles.size()) break;
    const Tile& scatterer = corner.tiling.tiles[s];
    corner.visibility->read_row(s, row);
    for (const std::uint32_t m : row) {
      if (m >= corner.tiling.tiles.size() || !is_in(first_level, m)) continue;
      const Tile& mirror = corner.tiling.tiles[m];
      const Vec3 image = mirrored(source, mirror.centroid, mirror.normal);
      const Vec3 way = scatterer.centroid - image;
      const double share = dot(mirror.centroid - image, mirror.normal) / dot(way, mirror.normal);
      const Vec3 hit = image + share * way - mirror.centroid;
      if (std::fabs(dot(hit, mirror.half_u)) > squared_norm(mirror.half_u) ||
          std::fabs(dot(hit, mirror.half_v)) > squared_norm(mirror.half_v)) {
        continue;
      }
      const Vec3 k_r = normalized(way), k_i = mirrored(k_r, mirror.normal);
      const ComplexVec3 wave = Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_i);
      const Vec3 last = receiver - scatterer.centroid;
      expected += unit_gain() * specular * squared_norm(reflected_field(wave, k_i, mirror.normal, permittivity())) *
                  taken(scatterer, image) * sent(scatterer, normalized(last)) / squared_norm(last);
    }
  }
  ASSERT_GT(expected, 0);
  EXPECT_NEAR(by_both / expected, 1, 1e-6);
}

}  // namespace
}  // namespace tesseray
