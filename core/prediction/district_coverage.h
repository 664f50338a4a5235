// SPDX-License-Identifier: GPL-3.0-or-later
// How much of each district's ground is covered, by whom, and how strongly: tiles cut by polygons, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/prediction/best_server.h"
#include "core/scene/scene.h"

namespace tesseray {

struct District {
  std::int64_t feature_id = 0;
  std::string name;
  std::optional<double> population;
  std::vector<Rings> polygons;  // valid, without common areas; in the frame of the tiles
};

// A ground tile seen from above.
struct GroundTile {
  std::int64_t tile_id = 0;
  Ring outline;
};

// The part of a ground tile that lies in a district.
struct GroundPiece {
  std::uint32_t tile = 0;  // number in the span of tiles
  double area_m2 = 0;
};

// What arrives on pieces of ground. Powers are NaN where nothing arrives on the piece that they would be of.
struct PowerOnGround {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  double reached_m2 = 0;                   // where anything arrives
  std::vector<double> covered_m2;          // where at least this power arrives, by threshold
  double mean_dbm = nan;                   // of the powers in dBm over what is reached, by area
  double median_dbm = nan, p10_dbm = nan;  // the weaker half, and the weakest tenth, of all ground have at most this
};

struct DistrictCoverage {
  std::uint32_t district = 0;                // number in the span of districts
  double district_m2 = 0;                    // all of it
  double ground_m2 = 0;                      // of predicted ground
  PowerOnGround power;                       // of the strongest transmitter at each place
  std::uint32_t servers = 0;                 // transmitters that are the strongest somewhere
  std::optional<std::uint32_t> best_server;  // on the greatest part of the ground; a number in the span of transmitters
  double best_server_m2 = 0;
  std::optional<double> population;        // nothing where it is not known
  std::vector<double> covered_population;  // of it, by threshold; empty where it is not known
};

// One transmitter in one district where it arrives.
struct TransmitterInDistrict {
  std::uint32_t district = 0, transmitter = 0;
  double ground_m2 = 0;  // of the district
  double served_m2 = 0;  // where it is the strongest
  PowerOnGround power;   // of it alone
};

// Two districts that have an area in common, by their numbers in the span of districts.
struct DistrictOverlap {
  std::uint32_t first = 0, second = 0;
  double area_m2 = 0;
};

struct CoverageByDistrict {
  std::vector<DistrictCoverage> districts;          // those with predicted ground, in their order
  std::vector<TransmitterInDistrict> transmitters;  // by district and transmitter
  std::vector<double> strongest_dbm;                // by tile; NaN where nothing arrives
};

// The pieces of each district, by tile. The same for any number of threads.
std::vector<std::vector<GroundPiece>> ground_of_districts(std::span<const District> districts,
                                                          std::span<const GroundTile> tiles, Progress& progress);

// Those of more than a square metre, among districts that share a tile: borders drawn twice never agree to the
// millimetre. The first `most` of them, by the numbers of their districts.
std::vector<DistrictOverlap> overlaps_of_districts(std::span<const District> districts,
                                                   std::span<const std::vector<GroundPiece>> pieces, std::size_t most);

// What `powers_dbm` (by tile; NaN: nothing arrives) are on the pieces.
PowerOnGround power_on_ground(std::span<const GroundPiece> pieces, std::span<const double> powers_dbm,
                              std::span<const double> thresholds_dbm);

// `pieces` are those of the districts, by ground_of_districts(). Rows of `targets` that are of no tile do not count.
// A district's inhabitants are spread evenly over its predicted ground; district_inhabitants.h knows where they live.
// Throws Error(invalid_input) for a row of a transmitter that is not given.
CoverageByDistrict coverage_by_district(std::span<const District> districts, std::span<const GroundTile> tiles,
                                        std::span<const std::vector<GroundPiece>> pieces,
                                        std::span<const PredictedTarget> targets,
                                        std::span<const PredictedTransmitter> transmitters,
                                        std::span<const double> thresholds_dbm);

}  // namespace tesseray
