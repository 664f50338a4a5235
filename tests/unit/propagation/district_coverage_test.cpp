// SPDX-License-Identifier: GPL-3.0-or-later
// Coverage by district: areas with closed forms, and small tables with answers worked out by hand.
#include "core/prediction/district_coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/prediction/district_inhabitants.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Ring box(double west, double south, double east, double north) {
  return {{west, south}, {east, south}, {east, north}, {west, north}};
}

Ring reversed(Ring ring) { return {ring.rbegin(), ring.rend()}; }

// 20 × 20 tiles of 10 m side.
std::vector<GroundTile> ground() {
  std::vector<GroundTile> tiles;
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column < 20; ++column) {
      tiles.push_back(
          {static_cast<std::int64_t>(tiles.size()) + 1, box(10 * column, 10 * row, 10 * column + 10, 10 * row + 10)});
    }
  }
  return tiles;
}

double sum_of(const std::vector<GroundPiece>& pieces) {
  double sum = 0;
  for (const GroundPiece& piece : pieces) sum += piece.area_m2;
  return sum;
}

PredictedTarget row(std::int64_t transmitter_id, std::int64_t tile_id, double power_dbm) {
  PredictedTarget target;
  target.transmitter_id = transmitter_id;
  target.tile_id = tile_id;
  target.received_power_dbm = power_dbm;
  return target;
}

TEST(CommonArea, OfATileThatASlantedSideCuts) {
  const Ring tile = box(0, 0, 10, 10);
  for (const double k : {0.1, 1.0, 3.7, 9.99}) {
    EXPECT_NEAR(CommonArea({{{{-5, -5}, {k + 5, -5}, {-5, k + 5}}}}).with(tile), k * k / 2, 1e-12 * k) << k;
    EXPECT_NEAR(CommonArea({{{{30, 30}, {k - 30, 30}, {30, k - 30}}}}).with(tile), 100 - k * k / 2, 1e-9) << k;
  }
  EXPECT_DOUBLE_EQ(CommonArea({{box(-1, -1, 11, 11)}}).with(tile), 100);
  EXPECT_DOUBLE_EQ(CommonArea({{tile}}).with(tile), 100);
  EXPECT_DOUBLE_EQ(CommonArea({{box(10, 0, 20, 10)}}).with(tile), 0);
  EXPECT_DOUBLE_EQ(CommonArea({{box(10.5, 0, 20, 10)}}).with(tile), 0);
}

TEST(CommonArea, HolesAndSeveralPartsCount) {
  const Ring tile = box(0, 0, 10, 10);
  const Rings with_hole = {box(-1, -1, 11, 11), reversed(box(2, 2, 4, 5))};
  EXPECT_DOUBLE_EQ(CommonArea({with_hole}).with(tile), 94);
  EXPECT_DOUBLE_EQ(CommonArea({with_hole, {box(2.5, 2.5, 3.5, 3.5)}}).with(tile), 95);
  EXPECT_DOUBLE_EQ(CommonArea({{box(-3, -3, 1, 1)}, {box(8, 8, 13, 13)}}).with(tile), 5);
}

TEST(JoinedPolygons, CrossingSidesAndOverlapsAreResolved) {
  PolygonOverlay overlay;
  const Rings bow_tie = {{{0, 0}, {10, 10}, {10, 0}, {0, 10}}};
  EXPECT_FALSE(overlay.are_disjoint({bow_tie}));
  double lobes_m2 = 0;
  for (const Rings& lobe : overlay.joined({bow_tie})) lobes_m2 += area(lobe);
  EXPECT_DOUBLE_EQ(lobes_m2, 50);

  const std::vector<Rings> overlapping = {{box(0, 0, 10, 10)}, {box(5, 0, 15, 10)}};
  EXPECT_FALSE(overlay.are_disjoint(overlapping));
  const std::vector<Rings> joined = overlay.joined(overlapping);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_DOUBLE_EQ(area(joined.front()), 150);

  EXPECT_TRUE(overlay.are_disjoint({{box(0, 0, 10, 10)}, {box(20, 0, 30, 10)}}));
  EXPECT_TRUE(overlay.joined({{{{0, 0}, {5, 5}, {10, 10}}}}).empty());
}

// A fan of districts around a point: their borders cut tiles at every angle.
TEST(GroundOfDistricts, PartsOfAPartitionAddUpToEachTile) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> angle(0.0, 6.28), place(60.0, 140.0);
  const std::vector<GroundTile> tiles = ground();
  for (int round = 0; round < 20; ++round) {
    const Vec2 middle{place(random), place(random)};
    std::vector<double> angles;
    for (int i = 0; i < 7; ++i) angles.push_back(angle(random));
    for (int i = 0; i < 4; ++i) angles.push_back(1.57 * i);  // no sector reaches half way round
    std::sort(angles.begin(), angles.end());
    std::vector<District> districts;
    const auto corner = [&](std::size_t i) {
      const double a = angles[i % angles.size()];
      return middle + 5000.0 * Vec2{std::cos(a), std::sin(a)};
    };
    for (std::size_t i = 0; i < angles.size(); ++i) {
      districts.push_back(
          {.feature_id = static_cast<std::int64_t>(i), .polygons = {{{middle, corner(i), corner(i + 1)}}}});
    }
    std::vector<double> covered(tiles.size(), 0.0);
    for (const std::vector<GroundPiece>& pieces : ground_of_districts(districts, tiles, no_progress())) {
      for (const GroundPiece& piece : pieces) covered[piece.tile] += piece.area_m2;
    }
    for (const double area_m2 : covered) EXPECT_NEAR(area_m2, 100, 1e-9);
  }
}

TEST(GroundOfDistricts, ADistrictGetsTheTilesThatItTouchesAlone) {
  const std::vector<GroundTile> tiles = ground();
  const std::vector<District> districts = {{.polygons = {{box(95, 95, 115, 103)}}},
                                           {.polygons = {{box(300, 300, 310, 310)}}}};
  const auto pieces = ground_of_districts(districts, tiles, no_progress());
  std::vector<std::int64_t> ids;
  for (const GroundPiece& piece : pieces[0]) ids.push_back(tiles[piece.tile].tile_id);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{190, 191, 192, 210, 211, 212}));
  EXPECT_DOUBLE_EQ(pieces[0][0].area_m2, 25);
  EXPECT_DOUBLE_EQ(pieces[0][4].area_m2, 30);
  EXPECT_DOUBLE_EQ(sum_of(pieces[0]), 160);
  EXPECT_TRUE(pieces[1].empty());
}

TEST(OverlapsOfDistricts, NeighboursDoNotAndOthersDo) {
  const std::vector<District> districts = {{.polygons = {{box(0, 0, 100, 200)}}},
                                           {.polygons = {{box(100, 0, 200, 200)}}},
                                           {.polygons = {{box(90, 10, 105, 20)}}}};
  const auto pieces = ground_of_districts(districts, ground(), no_progress());
  const auto overlaps = overlaps_of_districts(districts, pieces, 1000);
  ASSERT_EQ(overlaps.size(), 2u);
  EXPECT_EQ(overlaps[0].first, 0u);
  EXPECT_EQ(overlaps[0].second, 2u);
  EXPECT_DOUBLE_EQ(overlaps[0].area_m2, 100);
  EXPECT_DOUBLE_EQ(overlaps[1].area_m2, 50);
  EXPECT_EQ(overlaps_of_districts(districts, pieces, 1).size(), 1u);
}

// All pairs of so many are four million: what is not asked for must not be worked out.
TEST(OverlapsOfDistricts, OfThousandsOnTopOfEachOtherTheFirstArePairsOfTheFirst) {
  const std::vector<District> districts(3000, {.polygons = {{box(10, 10, 30, 30)}}});
  const auto pieces = ground_of_districts(districts, ground(), no_progress());
  const auto overlaps = overlaps_of_districts(districts, pieces, 100);
  ASSERT_EQ(overlaps.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(overlaps[i].first, 0u);
    EXPECT_EQ(overlaps[i].second, i + 1);
    EXPECT_DOUBLE_EQ(overlaps[i].area_m2, 400);
  }
}

TEST(PowerOnGround, IsWeightedByArea) {
  const std::vector<GroundPiece> pieces = {{0, 10}, {1, 20}, {2, 30}, {3, 40}};
  const std::vector<double> powers = {-60, -90, -80, -70};
  const std::vector<double> thresholds = {-80, -65, -100};
  const PowerOnGround ground = power_on_ground(pieces, powers, thresholds);
  EXPECT_DOUBLE_EQ(ground.reached_m2, 100);
  EXPECT_EQ(ground.covered_m2, (std::vector<double>{80, 10, 100}));
  EXPECT_DOUBLE_EQ(ground.mean_dbm, (10 * -60 + 20 * -90 + 30 * -80 + 40 * -70) / 100.0);
  EXPECT_DOUBLE_EQ(ground.median_dbm, -80);
  EXPECT_DOUBLE_EQ(ground.p10_dbm, -90);
}

TEST(PowerOnGround, WhereNothingArrivesIsWeakerThanAnything) {
  const std::vector<GroundPiece> pieces = {{0, 30}, {1, 40}, {2, 30}};
  const std::vector<double> thresholds = {-300};
  const PowerOnGround ground = power_on_ground(pieces, std::vector<double>{nan, -90, -80}, thresholds);
  EXPECT_DOUBLE_EQ(ground.reached_m2, 70);
  EXPECT_DOUBLE_EQ(ground.covered_m2[0], 70);
  EXPECT_DOUBLE_EQ(ground.mean_dbm, (40 * -90 + 30 * -80) / 70.0);
  EXPECT_DOUBLE_EQ(ground.median_dbm, -90);
  EXPECT_TRUE(std::isnan(ground.p10_dbm));
  const PowerOnGround none = power_on_ground(pieces, std::vector<double>{nan, nan, nan}, thresholds);
  EXPECT_EQ(none.reached_m2, 0);
  EXPECT_TRUE(std::isnan(none.mean_dbm) && std::isnan(none.median_dbm) && std::isnan(none.p10_dbm));
}

TEST(CoverageByDistrict, OfTwoTransmittersAndTwoDistricts) {
  const std::vector<GroundTile> tiles = {{1, box(0, 0, 10, 10)}, {2, box(10, 0, 20, 10)}, {3, box(20, 0, 30, 10)}};
  const std::vector<District> districts = {{.polygons = {{box(0, 0, 14, 10)}}},
                                           {.polygons = {{box(500, 0, 600, 10)}}},
                                           {.polygons = {{box(14, -10, 40, 10)}}}};
  const std::vector<PredictedTransmitter> sites = {{7, "North", {}, 1800e6}, {3, "South", {}, 1800e6}};
  // Tile 2: equal powers, of which the lower number serves. Tile 9 is a wall's.
  const std::vector<PredictedTarget> targets = {row(7, 1, -70), row(3, 1, -75),  row(7, 2, -90),
                                                row(3, 2, -90), row(3, 3, -100), row(7, 9, -10)};
  const std::vector<double> thresholds = {-80, -95};
  const auto pieces = ground_of_districts(districts, tiles, no_progress());
  const CoverageByDistrict coverage = coverage_by_district(districts, tiles, pieces, targets, sites, thresholds);

  ASSERT_EQ(coverage.districts.size(), 2u);  // the second has no predicted ground
  const DistrictCoverage& west = coverage.districts[0];
  EXPECT_DOUBLE_EQ(west.district_m2, 140);
  EXPECT_DOUBLE_EQ(west.ground_m2, 140);
  EXPECT_EQ(west.power.covered_m2, (std::vector<double>{100, 140}));
  EXPECT_EQ(west.best_server, 0u);
  EXPECT_DOUBLE_EQ(west.best_server_m2, 100);
  EXPECT_EQ(west.servers, 2u);
  const DistrictCoverage& east = coverage.districts[1];
  EXPECT_EQ(east.district, 2u);
  EXPECT_DOUBLE_EQ(east.district_m2, 520);
  EXPECT_DOUBLE_EQ(east.ground_m2, 160);
  EXPECT_EQ(east.power.covered_m2, (std::vector<double>{0, 60}));
  EXPECT_EQ(east.best_server, 1u);
  EXPECT_DOUBLE_EQ(east.best_server_m2, 160);

  ASSERT_EQ(coverage.transmitters.size(), 4u);
  const TransmitterInDistrict& north_in_the_east = coverage.transmitters[2];
  EXPECT_EQ(north_in_the_east.district, 2u);
  EXPECT_EQ(north_in_the_east.transmitter, 0u);
  EXPECT_DOUBLE_EQ(north_in_the_east.served_m2, 0);
  EXPECT_DOUBLE_EQ(north_in_the_east.power.reached_m2, 60);
  EXPECT_EQ(north_in_the_east.power.covered_m2, (std::vector<double>{0, 60}));
}

TEST(InhabitantsOfDistricts, CountWhereTheyLiveByTheNearestGround) {
  const std::vector<GroundTile> tiles = {{1, box(0, 0, 10, 10)}, {2, box(10, 0, 20, 10)}, {3, box(20, 0, 30, 10)}};
  // The second has a hole with a house in it; the third lies in both of the others.
  const std::vector<District> districts = {
      {.population = 1e6, .polygons = {{box(-50, -50, 12, 50)}}},
      {.polygons = {{box(12, -50, 60, 50), reversed(box(24, 14, 26, 16))}, {box(70, 0, 80, 10)}}},
      {.polygons = {{box(11, 0, 13, 10)}}}};
  const std::vector<PredictedTransmitter> sites = {{7, "North", {}, 1800e6}};
  const std::vector<PredictedTarget> targets = {row(7, 1, -70), row(7, 2, -90)};  // nothing at tile 3
  const std::vector<double> thresholds = {-80, -95};
  const auto pieces = ground_of_districts(districts, tiles, no_progress());
  CoverageByDistrict coverage = coverage_by_district(districts, tiles, pieces, targets, sites, thresholds);
  EXPECT_DOUBLE_EQ(coverage.districts[0].population.value(), 1e6);

  const std::vector<InhabitedPlace> places = {{{5, 12}, 3},    {{12, 5}, 10},  // on the border of the first two
                                              {{12.5, 5}, 20}, {{25, 12}, 40}, {{25, 15}, 80},
                                              {{75, 5}, 160},  {{25, 30}, 320}};
  const PlacedInhabitants placed = place_inhabitants(places, tiles, 21);
  EXPECT_EQ(placed.left_out, 2u);
  EXPECT_DOUBLE_EQ(placed.inhabitants_left_out, 160 + 320);
  count_inhabitants(placed, districts, thresholds, coverage, no_progress());
  ASSERT_EQ(coverage.districts.size(), 3u);
  const auto& first = coverage.districts[0];
  const auto& second = coverage.districts[1];
  EXPECT_DOUBLE_EQ(*first.population + *second.population, 3 + 10 + 20 + 40);  // not in the hole
  EXPECT_EQ(first.covered_population[0], 3);
  EXPECT_EQ(first.covered_population[1] + second.covered_population[1], 3 + 10 + 20);
  EXPECT_EQ(second.covered_population[0], 0);
  EXPECT_DOUBLE_EQ(*coverage.districts[2].population, 30);
  EXPECT_EQ(coverage.districts[2].covered_population, (std::vector<double>{0, 30}));
}

}  // namespace
}  // namespace tesseray
