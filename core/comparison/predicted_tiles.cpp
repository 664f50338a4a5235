// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/predicted_tiles.h"

namespace tesseray {
namespace {

std::unordered_map<std::int64_t, std::uint32_t> numbers_of(std::span<const PredictedTransmitter> transmitters) {
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) numbers.emplace(transmitters[t].transmitter_id, t);
  return numbers;
}

}  // namespace

void PredictedTiles::add(const IndexedTile& tile) {
  if (tile.kind == SurfaceKind::ground) {
    ground_numbers_.push_back(static_cast<std::uint32_t>(tiles_.size()));
    ground_tiles_.push_back(tile);
  }
  tiles_.push_back(tile);
}

TilesOfRows::TilesOfRows(std::span<const PredictedTarget> rows, std::span<const PredictedTransmitter> transmitters)
    : rows_(transmitters.size()) {
  const auto transmitter_numbers = numbers_of(transmitters);
  std::unordered_map<std::int64_t, std::uint32_t> tile_numbers;
  for (const PredictedTarget& row : rows) {
    const auto transmitter = transmitter_numbers.find(row.transmitter_id);
    if (transmitter == transmitter_numbers.end()) continue;
    const auto [tile, is_new] = tile_numbers.emplace(row.tile_id, static_cast<std::uint32_t>(targets_.size()));
    if (is_new) {
      add({row.tile_id, row.kind, row.centroid, half_in_plan(row.half_u, row.half_v)});
      targets_.push_back(&row);
    }
    rows_[transmitter->second].emplace(tile->second, &row);
  }
}

std::optional<PredictedTarget> TilesOfRows::row(std::uint32_t transmitter, std::uint32_t tile) const {
  const auto found = rows_[transmitter].find(tile);
  return found == rows_[transmitter].end() ? std::nullopt : std::optional(*found->second);
}

TilesOfPredictions::TilesOfPredictions(const Tiling& tiling, std::span<const TransmitterPrediction> predictions,
                                       std::span<const PredictedTransmitter> transmitters)
    : tiling_(tiling), of_transmitters_(transmitters.size()) {
  const auto numbers = numbers_of(transmitters);
  for (const TransmitterPrediction& prediction : predictions) {
    of_transmitters_[numbers.at(prediction.transmitter_id)] = &prediction;
  }
  if (predictions.empty()) return;
  for (const Tile& tile : tiling.tiles) {
    add({tile.id, tile.kind, tile.centroid, half_in_plan(tile.half_u, tile.half_v)});
  }
}

PredictedTarget TilesOfPredictions::target(std::uint32_t number) const {
  const Tile& tile = tiling_.tiles[number];
  return {
      .tile_id = tile.id, .kind = tile.kind, .centroid = tile.centroid, .half_u = tile.half_u, .half_v = tile.half_v};
}

std::optional<PredictedTarget> TilesOfPredictions::row(std::uint32_t transmitter, std::uint32_t tile) const {
  const TransmitterPrediction* prediction = of_transmitters_[transmitter];
  if (prediction == nullptr) return std::nullopt;
  const TargetPrediction& at_tile = prediction->tiles[tile];
  PredictedTarget row = target(tile);
  row.transmitter_id = prediction->transmitter_id;
  row.path_loss_db = static_cast<double>(at_tile.path_loss_db);
  row.basic_loss_db = static_cast<double>(at_tile.basic_loss_db);
  row.received_power_dbm = static_cast<double>(at_tile.received_power_dbm);
  row.field_dbuvm = static_cast<double>(at_tile.field_dbuvm);
  row.receiver_gain_dbi = static_cast<double>(at_tile.receiver_gain_dbi);
  row.first_delay_ns = static_cast<double>(at_tile.first_delay_ns);
  row.mean_delay_ns = static_cast<double>(at_tile.mean_delay_ns);
  row.line_of_sight = at_tile.line_of_sight;
  return row;
}

}  // namespace tesseray
