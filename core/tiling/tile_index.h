// SPDX-License-Identifier: GPL-3.0-or-later
// Where tiles are: nearest tile and the four ground tiles around a place.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"

namespace tesseray {

struct IndexedTile {
  std::int64_t id = 0;
  SurfaceKind kind = SurfaceKind::ground;
  Vec3 centroid;
  Vec2 half;  // half_in_plan of a ground tile; none of a receiver; m
};

// Half the sides of a ground tile, seen from above: they run east and north.
inline Vec2 half_in_plan(Vec3 half_u, Vec3 half_v) { return {std::fabs(half_u.x), std::fabs(half_v.y)}; }

// Whether a place lies on a ground tile, seen from above: of one on a border rounding decides, for either or both.
bool is_on(const IndexedTile& tile, Vec2 place);

struct NearestTile {
  std::uint32_t tile = 0;  // index into the indexed tiles
  double distance_m = 0;
};

// A uniform grid over the ground plan; each cell lists the tiles whose centroids it holds.
class TileIndex {
 public:
  // Keeps a reference to `tiles`.
  explicit TileIndex(std::span<const IndexedTile> tiles);

  // The nearest by ground-plan distance to (p.x, p.y); of equally near ones the one with the smaller id. Empty when
  // there are no tiles.
  std::optional<NearestTile> nearest_2d(Vec2 p) const;
  // The one that p is on, which of large and small tiles need not be the nearest; where there is none, that.
  std::optional<NearestTile> at_or_nearest_2d(Vec2 p) const;
  // The nearest by distance in space, likewise.
  std::optional<NearestTile> nearest_3d(Vec3 p) const;
  // Those whose centroids lie within `reach_m` of p in the ground plan, ascending.
  std::vector<std::uint32_t> within(Vec2 p, double reach_m) const;

 private:
  template <class SquaredDistance>
  std::optional<NearestTile> nearest(Vec2 p, const SquaredDistance& squared_distance) const;

  std::span<const IndexedTile> tiles_;
  Rectangle bounds_;
  double farthest_corner_m_ = 0;  // of any tile from its centroid, in the ground plan
  double cell_m_ = 1;
  std::int64_t columns_ = 0, rows_ = 0;
  std::vector<std::uint32_t> offsets_, items_;  // CSR: cell → tiles
};

// The lattice on which the centroids of ground tiles lie that are whole cells, the largest: equal steps along x and
// along y, with gaps where buildings stand. Those that are parts of cells lie beside it, and are none of its tiles.
class GroundLattice {
 public:
  // Keeps a reference to `tiles`, which are all ground tiles.
  explicit GroundLattice(std::span<const IndexedTile> tiles);

  struct Cell {
    std::array<std::uint32_t, 4> tiles{};  // south-west, south-east, north-west, north-east
    double east = 0, north = 0;            // where the place lies between them, 0 … 1
  };
  // The four tiles around p, or nothing when one of them does not exist.
  std::optional<Cell> around(Vec2 p) const;

 private:
  Vec2 south_west_;
  double step_x_ = 0, step_y_ = 0;
  std::int64_t columns_ = 0;
  std::unordered_map<std::int64_t, std::uint32_t> tile_at_;  // lattice place → tile
};

}  // namespace tesseray
