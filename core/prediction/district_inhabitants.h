// SPDX-License-Identifier: GPL-3.0-or-later
// Inhabitants at places: how many of each district are covered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/prediction/district_coverage.h"

namespace tesseray {

// An address, a building or a cell of a census: how many live there. In the frame of the tiles.
struct InhabitedPlace {
  Vec2 position;
  std::optional<double> inhabitants = 1;  // nothing where it is not known
};

// The ground from which a place is served.
struct ServedPlaceOfInhabitants {
  InhabitedPlace place;
  std::uint32_t tile = 0;  // number in the span of tiles
};

struct PlacedInhabitants {
  std::vector<ServedPlaceOfInhabitants> places;  // in their order
  std::size_t left_out = 0;                      // places farther than that from any tile
  double inhabitants_left_out = 0;
};

// Each place's nearest tile, by the tiles' middles in the plan; places farther than `most_m` from any are left out.
PlacedInhabitants place_inhabitants(std::span<const InhabitedPlace> places, std::span<const GroundTile> tiles,
                                    double most_m);

// Sets `population` and `covered_population` of each row of `coverage`: the places within the district, borders being
// in one of the neighbours, at each of which counts what arrives at its tile from the strongest transmitter. A place in
// several districts counts in each. Of a district whose places all lack a number the population is not known; nor of
// any, where no place has one. The same for any number of threads.
void count_inhabitants(const PlacedInhabitants& inhabitants, std::span<const District> districts,
                       std::span<const double> thresholds_dbm, CoverageByDistrict& coverage, Progress& progress);

}  // namespace tesseray
