// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse power at an edge: the vectors against one pair at a time by the scalar physics.
#include "core/propagation/diffuse_diffraction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/physics/antenna.h"
#include "core/propagation/edge_incidence.h"
#include "core/propagation/virtual_source.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double wave_number = 17.8;
constexpr double per_cosine = 3.0;

// A vertical corner whose faces look south (0-face) and west, the air being on their other sides.
EdgeSegment vertical_corner() {
  EdgeSegment edge;
  edge.midpoint = {0, 0, 10};
  edge.direction = {0, 0, 1};
  edge.length_m = 1.0;
  edge.tangent_0 = {1, 0, 0};
  edge.normal_0 = {0, 1, 0};
  edge.tangent_n = {0, -1, 0};
  edge.normal_n = {-1, 0, 0};
  edge.wedge_angle = 1.5 * pi;
  return edge;
}

Wedge wedge_of(const EdgeSegment& edge) {
  return {edge.direction, edge.tangent_0, edge.normal_0, edge.wedge_angle, {5, -0.2}, {4, -0.1}};
}

// A tile anywhere in the air about the edge that looks towards it.
Tile tile_at(Vec3 centroid) {
  Tile tile;
  tile.centroid = centroid;
  tile.normal = normalized(Vec3{-centroid.x, -centroid.y, 0});
  return tile;
}

struct Fixture {
  EdgeSegment edge = vertical_corner();
  Wedge wedge = wedge_of(edge);
  EdgeObservers observers;
  std::vector<Vec3> points;
  std::vector<std::uint32_t> all;

  explicit Fixture(std::uint64_t seed, std::size_t count) {
    testing::Random random(seed);
    observers.begin(wedge, edge);
    while (points.size() < count) {
      const double angle = random.uniform(0.02, 1.5 * pi - 0.02), distance = random.uniform(5, 200);
      // Heights near the edge's: the Keller point stays near the midpoint, as on a real segment.
      points.push_back({distance * std::cos(angle), distance * std::sin(angle), random.uniform(9.8, 10.2)});
      observers.add(points.back());
    }
    all.resize(count);
    std::iota(all.begin(), all.end(), 0u);
  }
  DiffuseEdgeSource source(const Tile& tile) const {
    const Vec3 direction = normalized(edge.midpoint - tile.centroid);
    return {wedge,
            edge,
            tile,
            per_cosine,
            polarization_vector(LinearPolarization::vertical, AntennaFrame{}, direction),
            0.0,
            wave_number};
  }
};

TEST(DiffuseDiffraction, EqualsOnePairAtATime) {
  const Fixture fixture(3, 500);
  for (const Vec3 centroid : {Vec3{30, 20, 10.1}, Vec3{-40, 5, 9.9}, Vec3{-20, -60, 10.0}}) {
    const Tile tile = tile_at(centroid);
    DiffuseEdgeResult result;
    diffract_diffuse_power(fixture.source(tile), fixture.observers, fixture.all, result);
    const VirtualSource from{tile.centroid, 0, fixture.edge.midpoint, fixture.edge.direction, 0.5};
    const EdgeIncidence incidence(fixture.wedge, fixture.edge, tile.centroid);
    for (std::size_t i = 0; i < fixture.points.size(); ++i) {
      const Leg leg = leg_to(from, fixture.points[i]);
      const Vec3 k_i = (1.0 / leg.rho_m) * (leg.from - tile.centroid);
      const double sin_beta = incidence.sin_beta(leg.rho_m);
      const double distance_m = distance_parameter_m(leg.rho_m, leg.distance_m, sin_beta);
      const ComplexVec3 field =
          diffracted_field(incidence.at(sin_beta),
                           Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_i), k_i,
                           leg.direction, {distance_m, distance_m, distance_m}, wave_number);
      const double density = per_cosine * dot(k_i, tile.normal) * squared_norm(field) * leg.amplitude * leg.amplitude;
      EXPECT_NEAR(static_cast<double>(result.length_m[i]), leg.length_m, 1e-3);
      // Deep in the shadow little is left of the terms, and their rounding shows.
      if (squared_norm(field) < 1e-5) continue;
      EXPECT_NEAR(decibels(static_cast<double>(result.density[i])), decibels(density), 0.1) << i;
    }
  }
}

TEST(DiffuseDiffraction, IsTheSameOnEveryInstructionSet) {
  const Fixture fixture(4, 77);
  const DiffuseEdgeSource source = fixture.source(tile_at({-25, 12, 10.05}));
  DiffuseEdgeResult baseline;
  diffract_diffuse_power(source, fixture.observers, fixture.all, baseline, InstructionSet::baseline);
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    DiffuseEdgeResult result;
    diffract_diffuse_power(source, fixture.observers, fixture.all, result, set);
    EXPECT_EQ(result.density, baseline.density);
    EXPECT_EQ(result.length_m, baseline.length_m);
  }
}

TEST(DiffuseDiffraction, NothingReachesMembersInsideTheSolid) {
  const EdgeSegment edge = vertical_corner();
  const Wedge wedge = wedge_of(edge);
  EdgeObservers observers;
  observers.begin(wedge, edge);
  observers.add({10, -10, 10});
  DiffuseEdgeResult result;
  const std::vector<std::uint32_t> hits{0};
  const Tile tile = tile_at({-25, 12, 10});
  diffract_diffuse_power({wedge, edge, tile, per_cosine, {0, 0, 1}, 0.0, wave_number}, observers, hits, result);
  EXPECT_EQ(result.density[0], 0.0f);
}

}  // namespace
}  // namespace tesseray
