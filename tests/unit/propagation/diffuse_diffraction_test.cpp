// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse power at an edge: the vectors against one pair at a time by the scalar physics.
#include "core/propagation/scattering/diffuse_diffraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/physics/antenna.h"
#include "core/propagation/rays/virtual_source.h"
#include "core/propagation/scattering/scattering_view.h"
#include "core/propagation/tubes/edge_incidence.h"
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

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr IntervalBounds everything{infinite, -infinite, 0, 0};

// What one source of unit power brings to each point, in the order of the points.
struct Pairs {
  std::vector<float> density, length_m;
};

struct Fixture {
  EdgeSegment edge = vertical_corner();
  Wedge wedge = wedge_of(edge);
  EdgeObservers observers;
  std::vector<Vec3> points;
  std::vector<std::uint32_t> all;
  std::vector<double> straight_m;

  explicit Fixture(std::uint64_t seed, std::size_t count) {
    testing::Random random(seed);
    while (points.size() < count) {
      const double angle = random.uniform(0.02, 1.5 * pi - 0.02), distance = random.uniform(5, 200);
      // Heights near the edge's: the Keller point stays near the midpoint, as on a real segment.
      points.push_back({distance * std::cos(angle), distance * std::sin(angle), random.uniform(9.8, 10.2)});
    }
    all.resize(count);
    std::iota(all.begin(), all.end(), 0u);
    straight_m.assign(count, 0.0);
  }
  Pairs diffract(const DiffuseEdgeSource& from, const IntervalBounds& bounds = everything,
                 InstructionSet set = best_instruction_set()) {
    observers.lay_out(wedge, edge, &points.front().x, straight_m.data(), all, set);
    EdgeBeams beams;
    beams.clear(observers.size());
    BlockSearch search;
    diffract_diffuse_power(from, {.power = 1, .rays = 1}, observers, bounds, search, beams, set);
    Pairs pairs{std::vector<float>(points.size()), std::vector<float>(points.size())};
    for (std::size_t place = 0; place < observers.size(); ++place) {
      pairs.density[observers.numbers()[place]] = beams.power[place];
      pairs.length_m[observers.numbers()[place]] = beams.first_excess_m[place];
    }
    return pairs;
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

// One pair by the scalar physics.
struct ScalarPair {
  double share = 0;  // of the power at the edge that is left at the point, but for the spreading
  double density = 0, length_m = 0;
};

ScalarPair scalar_pair(const Wedge& wedge, const EdgeSegment& edge, const Tile& tile, Vec3 point) {
  const VirtualSource from{tile.centroid, 0, edge.midpoint, edge.direction, 0.5};
  const EdgeIncidence incidence(wedge, edge, tile.centroid);
  const Leg leg = leg_to(from, point);
  const Vec3 k_i = (1.0 / leg.rho_m) * (leg.from - tile.centroid);
  const double distance_m = distance_parameter_m(leg.rho_m, leg.distance_m, incidence.sin_beta(leg.rho_m));
  const ComplexVec3 field =
      diffracted_field(incidence.at(leg.rho_m, k_i),
                       Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k_i), k_i,
                       leg.direction, {distance_m, distance_m, distance_m}, wave_number);
  return {squared_norm(field), per_cosine * dot(k_i, tile.normal) * squared_norm(field) * leg.amplitude * leg.amplitude,
          leg.length_m};
}

TEST(DiffuseDiffraction, EqualsOnePairAtATime) {
  Fixture fixture(3, 500);
  for (const Vec3 centroid : {Vec3{30, 20, 10.1}, Vec3{-40, 5, 9.9}, Vec3{-20, -60, 10.0}}) {
    const Tile tile = tile_at(centroid);
    const Pairs result = fixture.diffract(fixture.source(tile));
    for (std::size_t i = 0; i < fixture.points.size(); ++i) {
      const ScalarPair expected = scalar_pair(fixture.wedge, fixture.edge, tile, fixture.points[i]);
      // Deep in the shadow little is left of the terms, and their rounding shows.
      if (expected.share < 1e-5) continue;
      EXPECT_NEAR(static_cast<double>(result.length_m[i]), expected.length_m, 1e-3);
      EXPECT_NEAR(decibels(static_cast<double>(result.density[i])), decibels(expected.density), 0.1) << i;
    }
  }
}

// A face and its reflection would leave next to nothing of the vertical wave there.
TEST(DiffuseDiffraction, TilesOnAFaceOfTheEdgeHaveTheWaveThatFallsOnThem) {
  constexpr Complex air{1, 0};
  Fixture fixture(3, 0);
  for (const bool on_0_face : {true, false}) {
    Wedge absorbing = fixture.wedge;
    (on_0_face ? absorbing.eps_0 : absorbing.eps_n) = air;
    fixture.points.clear();
    for (double distance = 5; distance < 100; distance *= 1.3) {
      fixture.points.push_back(on_0_face ? Vec3{distance, 0, 10.05} : Vec3{0, -distance, 10.05});
    }
    fixture.all.resize(fixture.points.size());
    std::iota(fixture.all.begin(), fixture.all.end(), 0u);
    fixture.straight_m.assign(fixture.points.size(), 0.0);
    // In front of either face, and of both.
    for (const Vec3 centroid : {Vec3{30, 20, 10.1}, Vec3{-40, 5, 9.9}, Vec3{-20, -60, 10.0}}) {
      const Tile tile = tile_at(centroid);
      const Pairs result = fixture.diffract(fixture.source(tile));
      for (std::size_t i = 0; i < fixture.points.size(); ++i) {
        const double expected = scalar_pair(absorbing, fixture.edge, tile, fixture.points[i]).density;
        const double reflecting = scalar_pair(fixture.wedge, fixture.edge, tile, fixture.points[i]).density;
        EXPECT_NEAR(decibels(static_cast<double>(result.density[i])), decibels(expected), 0.1) << i;
        EXPECT_LT(reflecting, 0.1 * expected) << i;
      }
    }
  }
}

TEST(DiffuseDiffraction, IsTheSameOnEveryInstructionSet) {
  Fixture fixture(4, 77);
  const DiffuseEdgeSource source = fixture.source(tile_at({-25, 12, 10.05}));
  const Pairs baseline = fixture.diffract(source, everything, InstructionSet::baseline);
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    const Pairs result = fixture.diffract(source, everything, set);
    EXPECT_EQ(result.density, baseline.density);
    EXPECT_EQ(result.length_m, baseline.length_m);
  }
}

// Only members between the two Keller cones of the segment's ends are reached.
TEST(DiffuseDiffraction, StaysBetweenTheCones) {
  Fixture fixture(5, 300);
  const Tile tile = tile_at({30, 20, 10.9});
  const Pairs all = fixture.diffract(fixture.source(tile));
  const VirtualSource from{tile.centroid, 0, fixture.edge.midpoint, fixture.edge.direction, 0.5};
  IntervalBounds bounds;
  {
    const double rho = std::hypot(tile.centroid.x, tile.centroid.y), z = tile.centroid.z - fixture.edge.midpoint.z;
    bounds = {static_cast<float>((0.5 - z) / rho), static_cast<float>(-(0.5 + z) / rho), 0, 0};
  }
  const Pairs between = fixture.diffract(fixture.source(tile), bounds);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < fixture.points.size(); ++i) {
    const bool lit = leg_to(from, fixture.points[i]).between_cones;
    EXPECT_EQ(between.density[i], lit ? all.density[i] : 0.0F) << i;
    if (lit && all.density[i] > 0) ++reached;
  }
  EXPECT_GT(reached, 50u);
  EXPECT_LT(reached, 290u);
}

// The sums of several sources, against each alone.
TEST(DiffuseDiffraction, SourcesAddUp) {
  Fixture fixture(6, 100);
  fixture.straight_m.assign(100, 12.0);
  const DiffuseEdgeSource first = fixture.source(tile_at({30, 20, 10.1})),
                          second = fixture.source(tile_at({-40, 5, 9.9}));
  const Pairs one = fixture.diffract(first), other = fixture.diffract(second);
  EdgeBeams beams;
  beams.clear(fixture.observers.size());
  BlockSearch search;
  // The second stands for ten like it: its rays are a tenth as strong as what they add.
  const DiffuseEdgePower sent_first{2, 4, 20, 300, 9, 3, 2}, sent_second{5, 5, 10, 100, 1, 2, 0.5F};
  diffract_diffuse_power(first, sent_first, fixture.observers, everything, search, beams);
  diffract_diffuse_power(second, sent_second, fixture.observers, everything, search, beams);
  std::size_t compared = 0;
  for (std::size_t place = 0; place < fixture.observers.size(); ++place) {
    const std::uint32_t i = fixture.observers.numbers()[place];
    if (!(one.density[i] > 1e-12F) || !(other.density[i] > 1e-12F)) continue;
    ++compared;
    const auto a = static_cast<double>(one.density[i]), b = static_cast<double>(other.density[i]);
    const auto more_a = static_cast<double>(one.length_m[i]), more_b = static_cast<double>(other.length_m[i]);
    const double power = 2 * a + 5 * b, excess = a * (20 + more_a * 2) + b * (10 + more_b * 5);
    const double squared = a * (300 + more_a * (40 + more_a * 2)) + b * (100 + more_b * (20 + more_b * 5));
    EXPECT_NEAR(static_cast<double>(beams.power[place]) / power, 1, 1e-5);
    EXPECT_NEAR(static_cast<double>(beams.basic[place]) / (4 * a + 5 * b), 1, 1e-5);
    EXPECT_NEAR(static_cast<double>(beams.excess[place]) / excess, 1, 1e-5);
    EXPECT_NEAR(static_cast<double>(beams.squared_excess[place]) / squared, 1, 1e-5);
    EXPECT_NEAR(static_cast<double>(beams.first_excess_m[place]), std::min(9 + more_a, 1 + more_b), 1e-3);
    EXPECT_NEAR(static_cast<double>(beams.strongest[place]) / std::max(2 * a, 0.5 * b), 1, 1e-5);
    EXPECT_EQ(beams.rays[place], 5u);
  }
  EXPECT_GT(compared, 90u);
}

// The angle to the edge at which the sources' power arrives, weighted by what each brings: by single pairs, with any
// instruction set.
TEST(DiffuseDiffraction, ArrivalsAddUp) {
  Fixture fixture(8, 90);
  const std::array<DiffuseEdgeSource, 2> sources{fixture.source(tile_at({30, 20, 10.1})),
                                                 fixture.source(tile_at({-40, 5, 9.9}))};
  const std::array<DiffuseEdgePower, 2> powers{DiffuseEdgePower{.power = 2, .rays = 1, .own_power = 2},
                                               DiffuseEdgePower{.power = 5, .rays = 1, .own_power = 5}};
  const std::array<Pairs, 2> pairs{fixture.diffract(sources[0]), fixture.diffract(sources[1])};
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    EdgeBeams beams;
    beams.clear(fixture.observers.size());
    EdgeArrivals arrivals;
    arrivals.clear(fixture.observers.size());
    BlockSearch search;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      diffract_diffuse_power(sources[s], powers[s], fixture.observers, everything, search, beams, set);
      arrivals.add(sources[s], static_cast<double>(powers[s].power), fixture.observers, beams, search, set);
    }
    int with_both = 0;
    for (std::size_t place = 0; place < fixture.observers.size(); ++place) {
      const std::uint32_t i = fixture.observers.numbers()[place];
      double along = 0, across = 0, strongest = 0;
      int lit = 0;
      for (std::size_t s = 0; s < sources.size(); ++s) {
        const double power = static_cast<double>(powers[s].power) * static_cast<double>(pairs[s].density[i]);
        if (!(power > 0)) continue;
        const double z = static_cast<double>(fixture.observers.z()[place]) - static_cast<double>(sources[s].z);
        const double rho = static_cast<double>(fixture.observers.rho()[place]) + static_cast<double>(sources[s].rho);
        along += power * z / std::hypot(z, rho);
        across += power * rho / std::hypot(z, rho);
        strongest = std::max(strongest, power);
        ++lit;
      }
      EXPECT_NEAR(arrivals.along[place], along, 1e-12 * strongest);
      EXPECT_NEAR(arrivals.across[place], across, 1e-12 * strongest);
      with_both += lit == 2 ? 1 : 0;
    }
    EXPECT_GT(with_both, 10);
  }
}

// Where their power comes from in the plan, weighted by what each brings, and the strongest's Keller point: by the
// points on edges of any slope, with any instruction set.
TEST(DiffuseDiffraction, LooksInThePlanAddUp) {
  testing::Random random(12);
  for (const double rise : {0.0, 0.5, 1.0}) {
    SCOPED_TRACE(rise);
    Fixture fixture(9, 90);
    EdgeSegment& edge = fixture.edge;
    // Turned about the x axis, from upright to level.
    const double across = std::sqrt(1 - rise * rise);
    const auto turned = [&](Vec3 v) { return Vec3{v.x, rise * v.y - across * v.z, across * v.y + rise * v.z}; };
    edge.direction = turned(edge.direction);
    edge.tangent_0 = turned(edge.tangent_0);
    edge.normal_0 = turned(edge.normal_0);
    ASSERT_NEAR(std::fabs(edge.direction.z), rise, 1e-12);
    fixture.wedge = wedge_of(edge);
    for (Vec3& point : fixture.points) {
      const Vec3 from_midpoint = point - vertical_corner().midpoint;
      point = edge.midpoint + turned({from_midpoint.x, from_midpoint.y, 50 * from_midpoint.z});
    }
    std::array<Tile, 2> tiles{tile_at({30, 20, 10.1}), tile_at({-40, 5, 9.9})};
    for (Tile& tile : tiles) {
      tile.centroid = edge.midpoint + turned(tile.centroid - edge.midpoint);
      tile.normal = turned(tile.normal);
    }
    const std::array<DiffuseEdgeSource, 2> sources{fixture.source(tiles[0]), fixture.source(tiles[1])};
    const std::array<DiffuseEdgePower, 2> powers{DiffuseEdgePower{.power = 2, .rays = 1, .own_power = 2},
                                                 DiffuseEdgePower{.power = 5, .rays = 1, .own_power = 0.5F}};
    const std::array<Pairs, 2> pairs{fixture.diffract(sources[0]), fixture.diffract(sources[1])};
    for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
      if (set > best_instruction_set()) continue;
      EdgeBeams beams;
      beams.clear(fixture.observers.size());
      BlockSearch search;
      for (std::size_t s = 0; s < sources.size(); ++s) {
        diffract_diffuse_power(sources[s], powers[s], fixture.observers, everything, search, beams, set);
      }
      int with_both = 0;
      for (std::size_t place = 0; place < fixture.observers.size(); ++place) {
        const std::uint32_t i = fixture.observers.numbers()[place];
        const DiffractedWays ways(edge, fixture.points[i], beams.at(place));
        Vec2 sum;
        double all = 0, strongest = 0;
        Vec3 strongest_way;
        int lit = 0;
        for (std::size_t s = 0; s < sources.size(); ++s) {
          const double density = static_cast<double>(pairs[s].density[i]);
          if (!(density > 0)) continue;
          const VirtualSource from{tiles[s].centroid, 0, edge.midpoint, edge.direction, 0.5};
          const Vec3 way = fixture.points[i] - leg_to(from, fixture.points[i]).from;
          sum = sum + (density * static_cast<double>(powers[s].power) / norm(way.xy())) * way.xy();
          all += density * static_cast<double>(powers[s].power);
          const double own = density * static_cast<double>(powers[s].own_power);
          if (own > strongest) strongest_way = way;
          strongest = std::max(strongest, own);
          ++lit;
        }
        if (lit == 0) continue;
        EXPECT_NEAR(ways.sum.x, sum.x, 2e-5 * all) << place;
        EXPECT_NEAR(ways.sum.y, sum.y, 2e-5 * all) << place;
        EXPECT_LT(norm(ways.strongest - strongest_way), 1e-4) << place;
        with_both += lit == 2 ? 1 : 0;
      }
      EXPECT_GT(with_both, 10);
    }
  }
}

// Where the sources' power departs, weighted by what each brings: against each alone, with any instruction set.
TEST(DiffuseDiffraction, DeparturesAddUp) {
  Fixture fixture(8, 90);
  const DiffuseEdgeSource first = fixture.source(tile_at({30, 20, 10.1})),
                          second = fixture.source(tile_at({-40, 5, 9.9}));
  const DirectionMoments of_first{0.5, -2, 3, 0.25}, of_second{-1, 4, 0.125, 7};
  const Pairs one = fixture.diffract(first), other = fixture.diffract(second);
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    EdgeBeams beams;
    beams.clear(fixture.observers.size());
    EdgeDepartures departures;
    departures.clear(fixture.observers.size());
    BlockSearch search;
    diffract_diffuse_power(first, {.power = 2, .rays = 1}, fixture.observers, everything, search, beams, set);
    departures.add(0.3, of_first, beams, search, set);
    diffract_diffuse_power(second, {.power = 5, .rays = 1}, fixture.observers, everything, search, beams, set);
    departures.add(0.7, of_second, beams, search, set);
    for (std::size_t place = 0; place < fixture.observers.size(); ++place) {
      const std::uint32_t i = fixture.observers.numbers()[place];
      EXPECT_EQ(beams.pair_density[place], other.density[i]);
      EXPECT_EQ(beams.pair_length_m[place], other.length_m[i]);
      const double a = 0.3 * static_cast<double>(one.density[i]), b = 0.7 * static_cast<double>(other.density[i]);
      const DirectionMoments sum = departures.at(place);
      EXPECT_EQ(sum.cos_azimuth, a * 0.5 + b * -1);
      EXPECT_EQ(sum.sin_azimuth, a * -2 + b * 4);
      EXPECT_EQ(sum.cos_elevation, a * 3 + b * 0.125);
      EXPECT_EQ(sum.sin_elevation, a * 0.25 + b * 7);
    }
  }
}

TEST(DiffuseDiffraction, NothingReachesMembersInsideTheSolidOrOnTheEdge) {
  Fixture fixture(7, 2);
  fixture.points = {{10, -10, 10}, {0, 0, 20}};
  const Pairs result = fixture.diffract(fixture.source(tile_at({-25, 12, 10})));
  EXPECT_EQ(result.density, (std::vector<float>{0.0F, 0.0F}));
}

}  // namespace
}  // namespace tesseray
