// SPDX-License-Identifier: GPL-3.0-or-later
// Which tile of a prediction a measurement is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/comparison/comparison.h"
#include "core/comparison/predicted_tiles.h"
#include "core/comparison/statistics.h"
#include "core/tiling/tile_index.h"

namespace tesseray {

struct Snapped {
  double level = undefined;
  Vec3 position;  // of the measurement: on the ground, or at its height above it
  std::optional<std::int64_t> tile_id;
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
  // That which it is on, or the nearest in the plan; of receivers over one another the one whose height is nearest to
  // the measurement's.
  std::optional<NearestTile> nearest_ground(const Measurement& measurement) const;
  Vec3 position_on(const std::optional<NearestTile>& ground, const Measurement& measurement) const;
  PredictedTarget ground_target(std::uint32_t ground_tile) const {
    return predicted_.target(predicted_.number_of(ground_tile));
  }
  // Whether the tile is within the maximum snap distance of p, in space or in the plan.
  bool is_near(const PredictedTarget& tile, Vec3 p, bool in_space) const;
  // The level at the snapped tile, or between the four around when asked for and there.
  void read_level(const Measurement& measurement, std::uint32_t transmitter, std::uint32_t tile,
                  Snapped& snapped) const;
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
