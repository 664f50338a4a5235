// SPDX-License-Identifier: GPL-3.0-or-later
// Which tile of a prediction a measurement is compared with.
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
  // Null where the transmitter has no row.
  const PredictedTarget* row(std::uint32_t transmitter, std::int64_t tile_id) const;

 private:
  std::vector<IndexedTile> tiles_, ground_tiles_;
  std::unordered_map<std::int64_t, std::uint32_t> tile_ids_;
  std::vector<std::unordered_map<std::int64_t, const PredictedTarget*>> rows_;
};

struct Snapped {
  double level = undefined;
  Vec3 position;  // of the measurement: on the ground, or at its height above it
  std::optional<IndexedTile> tile;
  double distance_m = undefined;  // from the measurement to the tile's centroid
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
  Vec3 position_on(const std::optional<NearestTile>& ground, const Measurement& measurement) const;
  // The level at the snapped tile, or between the four around when asked for and there.
  void read_level(const Measurement& measurement, std::uint32_t transmitter, Snapped& snapped) const;
  // Interpolated in dB, as measured levels vary; NaN unless all four tiles around have a level.
  double bilinear_level(Vec2 p, std::uint32_t transmitter) const;

  const PredictedTiles& predicted_;
  const ComparisonOptions& options_;
  TileIndex ground_, all_;
  GroundLattice lattice_;
};

}  // namespace tesseray
