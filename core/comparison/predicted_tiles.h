// SPDX-License-Identifier: GPL-3.0-or-later
// What measurements are compared with: the tiles of a prediction, each once, and what each transmitter brings there.
// Receivers that were predicted are tiles without sides, on the ground but for their heights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/prediction/predicted_target.h"
#include "core/prediction/prediction.h"
#include "core/tiling/tile_index.h"

namespace tesseray {

class PredictedTiles {
 public:
  virtual ~PredictedTiles() = default;
  PredictedTiles(const PredictedTiles&) = delete;
  PredictedTiles& operator=(const PredictedTiles&) = delete;

  const std::vector<IndexedTile>& tiles() const { return tiles_; }
  const std::vector<IndexedTile>& ground_tiles() const { return ground_tiles_; }
  // Which of all tiles a ground tile is.
  std::uint32_t number_of(std::uint32_t ground_tile) const { return ground_numbers_[ground_tile]; }

  // What is the same in all rows of the tile: its sides and its height.
  virtual PredictedTarget target(std::uint32_t tile) const = 0;
  // Empty where the transmitter has no row.
  virtual std::optional<PredictedTarget> row(std::uint32_t transmitter, std::uint32_t tile) const = 0;

 protected:
  PredictedTiles() = default;
  void add(const IndexedTile& tile);

 private:
  std::vector<IndexedTile> tiles_, ground_tiles_;
  std::vector<std::uint32_t> ground_numbers_;
};

// Of the rows of a path_loss layer.
class TilesOfRows final : public PredictedTiles {
 public:
  // About what is held for each row and each tile, beside the rows and in the indices that are made of the tiles.
  static constexpr std::uint64_t bytes_per_row = 48, bytes_per_tile = 4 * sizeof(IndexedTile) + 64;

  // Keeps references to the rows.
  TilesOfRows(std::span<const PredictedTarget> rows, std::span<const PredictedTransmitter> transmitters);

  PredictedTarget target(std::uint32_t tile) const override { return *targets_[tile]; }
  std::optional<PredictedTarget> row(std::uint32_t transmitter, std::uint32_t tile) const override;

 private:
  std::vector<const PredictedTarget*> targets_;  // a row of each tile
  std::vector<std::unordered_map<std::uint32_t, const PredictedTarget*>> rows_;
};

// Of predictions in memory. What they say is read where it is: rows of every transmitter and tile would take several
// times the memory of the predictions.
class TilesOfPredictions final : public PredictedTiles {
 public:
  // Keeps references to all. REQUIRES: each prediction has a target per tile.
  TilesOfPredictions(const Tiling& tiling, std::span<const TransmitterPrediction> predictions,
                     std::span<const PredictedTransmitter> transmitters);

  PredictedTarget target(std::uint32_t tile) const override;
  std::optional<PredictedTarget> row(std::uint32_t transmitter, std::uint32_t tile) const override;

 private:
  const Tiling& tiling_;
  std::vector<const TransmitterPrediction*> of_transmitters_;  // null for those without a prediction
};

}  // namespace tesseray
