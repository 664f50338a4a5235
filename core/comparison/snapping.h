// SPDX-License-Identifier: GPL-3.0-or-later
// Which tile of a prediction a measurement is compared with. Receivers that were predicted are tiles without sides, on
// the ground but for their heights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/comparison/comparison.h"
#include "core/comparison/statistics.h"
#include "core/tiling/tile_index.h"

namespace tesseray {

// The tiles of a prediction, each once, and what each transmitter's row says there.
class PredictedTiles {
 public:
  // Keeps references to the targets.
  PredictedTiles(const std::vector<PredictedTarget>& targets, const std::vector<PredictedTransmitter>& transmitters);

  const std::vector<IndexedTile>& tiles() const { return tiles_; }
  const std::vector<IndexedTile>& ground_tiles() const { return ground_tiles_; }
  // A row of each of them, which tells its sides and its height.
  const PredictedTarget& target(std::uint32_t tile) const { return *targets_[tile]; }
  const PredictedTarget& ground_target(std::uint32_t ground_tile) const { return *ground_targets_[ground_tile]; }
  // Null where the transmitter has no row.
  const PredictedTarget* row(std::uint32_t transmitter, std::int64_t tile_id) const;

 private:
  std::vector<IndexedTile> tiles_, ground_tiles_;
  std::vector<const PredictedTarget*> targets_, ground_targets_;
  std::unordered_map<std::int64_t, std::uint32_t> tile_ids_;
  std::vector<std::unordered_map<std::int64_t, const PredictedTarget*>> rows_;
};

struct Snapped {
  double level = undefined;
  Vec3 position;                          // of the measurement: on the ground, or at its height above it
  const PredictedTarget* tile = nullptr;  // a row of it, of any transmitter
  double distance_m = undefined;          // from the measurement to the tile's centroid
  std::optional<bool> line_of_sight;
  bool bilinear_fell_back = false;
  std::string excluded_because;
};

class Snapper {
 public:
  // Keeps references to both.
  Snapper(const PredictedTiles& predicted, const ComparisonOptions& options);

  // Where a measurement is that nothing is compared with.
  Snapped place(const Measurement& measurement) const;
  Snapped snap(const Measurement& measurement, std::uint32_t transmitter) const;

 private:
  bool is_inside(Vec2 p) const;
  // The nearest in the plan; of receivers over one another the one whose height is nearest to the measurement's.
  std::optional<NearestTile> nearest_ground(const Measurement& measurement) const;
  Vec3 position_on(const std::optional<NearestTile>& ground, const Measurement& measurement) const;
  // Whether the tile is within the maximum snap distance of p, in space or in the plan.
  bool is_near(const PredictedTarget& tile, Vec3 p, bool in_space) const;
  // The level at the snapped tile, or between the four around when asked for and there.
  void read_level(const Measurement& measurement, std::uint32_t transmitter, Snapped& snapped) const;
  // Interpolated in dB, as measured levels vary; NaN unless all four tiles around have a level, and are as high as the
  // snapped one where the measurement has a height.
  double bilinear_level(const Measurement& measurement, std::uint32_t transmitter, double height_m) const;

  const PredictedTiles& predicted_;
  const ComparisonOptions& options_;
  TileIndex ground_, all_;
  GroundLattice lattice_;
  Rectangle area_;  // of the tiles with their sides
};

}  // namespace tesseray
