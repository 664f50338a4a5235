// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/district_inhabitants.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/tile_index.h"

namespace tesseray {
namespace {

using Served = ServedPlaceOfInhabitants;

// A place exactly on the border of two districts counts as a little to the north-east of it: so it is in one of them.
constexpr Vec2 off_borders_m{1e-6, 1.7e-6};

std::vector<Served> from_west_to_east(std::vector<Served> places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const Served& a, const Served& b) { return a.place.position.x < b.place.position.x; });
  return places;
}

// Leaves the row where its population is not known.
void count_in(const District& district, std::span<const Served> by_west, std::span<const double> strongest_dbm,
              std::span<const double> thresholds_dbm, DistrictCoverage& row) {
  double population = 0;
  std::vector<double> covered(thresholds_dbm.size(), 0.0);
  std::size_t known = 0, unknown = 0;  // places with a number, and without one
  for (const Rings& polygon : district.polygons) {
    const Rectangle box = bounds(polygon);
    const auto is_before = [](const Served& served, double west) { return served.place.position.x < west; };
    auto next = std::lower_bound(by_west.begin(), by_west.end(), box.min.x - off_borders_m.x, is_before);
    for (; next != by_west.end() && next->place.position.x <= box.max.x; ++next) {
      if (!contains(polygon, next->place.position + off_borders_m)) continue;
      const std::optional<double> inhabitants = next->place.inhabitants;
      ++(inhabitants ? known : unknown);
      if (!inhabitants) continue;
      population += *inhabitants;
      for (std::size_t i = 0; i < thresholds_dbm.size(); ++i) {
        // Where nothing arrives the power is NaN, which covers nobody.
        if (strongest_dbm[next->tile] >= thresholds_dbm[i]) covered[i] += *inhabitants;
      }
    }
  }
  if (known == 0 && unknown > 0) return;
  row.population = population;
  row.covered_population = std::move(covered);
}

}  // namespace

PlacedInhabitants place_inhabitants(std::span<const InhabitedPlace> places, std::span<const GroundTile> tiles,
                                    double most_m) {
  std::vector<IndexedTile> indexed;
  indexed.reserve(tiles.size());
  for (const GroundTile& tile : tiles) {
    const Rectangle box = bounds(tile.outline);
    indexed.push_back(
        {tile.tile_id, SurfaceKind::ground, at_height(0.5 * (box.min + box.max), 0), 0.5 * (box.max - box.min)});
  }
  const TileIndex index(indexed);
  PlacedInhabitants placed;
  for (const InhabitedPlace& place : places) {
    const auto nearest = index.at_or_nearest_2d(place.position);
    if (nearest && nearest->distance_m <= most_m) {
      placed.places.push_back({place, nearest->tile});
    } else {
      ++placed.left_out;
      placed.inhabitants_left_out += place.inhabitants.value_or(0);
    }
  }
  return placed;
}

void count_inhabitants(const PlacedInhabitants& inhabitants, std::span<const District> districts,
                       std::span<const double> thresholds_dbm, CoverageByDistrict& coverage, Progress& progress) {
  const std::vector<Served> by_west = from_west_to_east(inhabitants.places);
  const bool is_any_known = std::any_of(by_west.begin(), by_west.end(),
                                        [](const Served& served) { return served.place.inhabitants.has_value(); });
  parallel_blocks(coverage.districts.size(), 1, progress, [&](std::size_t begin, std::size_t /*end*/) {
    DistrictCoverage& row = coverage.districts[begin];
    row.population.reset();
    row.covered_population.clear();
    if (is_any_known) count_in(districts[row.district], by_west, coverage.strongest_dbm, thresholds_dbm, row);
  });
}

}  // namespace tesseray
