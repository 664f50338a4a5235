// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/tile_index.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/infinity.h"

namespace tesseray {
namespace {

// The step of a lattice from its coordinates on one axis: the smallest step that occurs, refined over the whole
// span, since single coordinates are rounded. 0 when there are not two different ones.
double lattice_step(std::vector<double> coordinates) {
  // Centroids of one lattice line may differ by rounding, never by as much as this.
  constexpr double same_line_m = 0.02;
  std::sort(coordinates.begin(), coordinates.end());
  double smallest = infinity;
  for (std::size_t i = 1; i < coordinates.size(); ++i) {
    const double step = coordinates[i] - coordinates[i - 1];
    if (step > same_line_m) smallest = std::min(smallest, step);
  }
  if (!std::isfinite(smallest)) return 0;
  const double span = coordinates.back() - coordinates.front();
  return span / std::max(1.0, std::round(span / smallest));
}

constexpr double with_border = 1 + 1e-4;

}  // namespace

bool is_on(const IndexedTile& tile, Vec2 place) {
  const Vec2 from_middle = place - tile.centroid.xy(), reach = with_border * tile.half;
  return std::fabs(from_middle.x) <= reach.x && std::fabs(from_middle.y) <= reach.y;
}

TileIndex::TileIndex(std::span<const IndexedTile> tiles) : tiles_(tiles) {
  if (tiles.empty()) return;
  for (const IndexedTile& tile : tiles) {
    bounds_.extend(tile.centroid.xy());
    farthest_corner_m_ = std::max(farthest_corner_m_, with_border * with_border * norm(tile.half));
  }
  const double width = bounds_.max.x - bounds_.min.x, height = bounds_.max.y - bounds_.min.y;
  // About one tile per cell, and never more cells than twice the tiles for long thin areas.
  cell_m_ = std::max({std::sqrt(width * height / static_cast<double>(tiles.size())),
                      (width + height) / static_cast<double>(tiles.size()), 0.5});
  columns_ = static_cast<std::int64_t>(width / cell_m_) + 1;
  rows_ = static_cast<std::int64_t>(height / cell_m_) + 1;

  const auto cell_of = [&](Vec2 p) {
    const auto column = static_cast<std::int64_t>((p.x - bounds_.min.x) / cell_m_);
    const auto row = static_cast<std::int64_t>((p.y - bounds_.min.y) / cell_m_);
    return static_cast<std::size_t>(row * columns_ + column);
  };
  offsets_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
  for (const IndexedTile& tile : tiles) ++offsets_[cell_of(tile.centroid.xy()) + 1];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  items_.resize(tiles.size());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t t = 0; t < tiles.size(); ++t) items_[next[cell_of(tiles[t].centroid.xy())]++] = t;
}

template <class SquaredDistance>
std::optional<NearestTile> TileIndex::nearest(Vec2 p, const SquaredDistance& squared_distance) const {
  if (tiles_.empty()) return std::nullopt;
  const Vec2 inside{std::clamp(p.x, bounds_.min.x, bounds_.max.x), std::clamp(p.y, bounds_.min.y, bounds_.max.y)};
  const double outside_squared = dot(p - inside, p - inside);
  const auto center_column = static_cast<std::int64_t>((inside.x - bounds_.min.x) / cell_m_);
  const auto center_row = static_cast<std::int64_t>((inside.y - bounds_.min.y) / cell_m_);

  double best_squared = infinity;
  std::uint32_t best = 0;
  const auto visit = [&](std::int64_t column, std::int64_t row) {
    if (column < 0 || column >= columns_ || row < 0 || row >= rows_) return;
    const auto cell = static_cast<std::size_t>(row * columns_ + column);
    for (std::uint32_t k = offsets_[cell]; k < offsets_[cell + 1]; ++k) {
      const double squared = squared_distance(tiles_[items_[k]]);
      if (squared < best_squared || (squared == best_squared && tiles_[items_[k]].id < tiles_[best].id)) {
        best_squared = squared;
        best = items_[k];
      }
    }
  };
  // Rings of cells around the place. Projecting p onto the grid's rectangle makes an obtuse angle with every tile in
  // it, so that a tile of ring r is at least √(outside² + ((r − 1) · cell)²) away.
  for (std::int64_t ring = 0; ring <= std::max(columns_, rows_); ++ring) {
    const double inner_m = static_cast<double>(ring - 1) * cell_m_;
    if (ring > 0 && outside_squared + inner_m * inner_m > best_squared) break;
    for (std::int64_t column = center_column - ring; column <= center_column + ring; ++column) {
      visit(column, center_row - ring);
      if (ring > 0) visit(column, center_row + ring);
    }
    for (std::int64_t row = center_row - ring + 1; row < center_row + ring; ++row) {
      visit(center_column - ring, row);
      visit(center_column + ring, row);
    }
  }
  return NearestTile{best, std::sqrt(best_squared)};
}

std::optional<NearestTile> TileIndex::nearest_2d(Vec2 p) const {
  return nearest(p, [&](const IndexedTile& tile) {
    const Vec2 difference = tile.centroid.xy() - p;
    return dot(difference, difference);
  });
}

std::optional<NearestTile> TileIndex::at_or_nearest_2d(Vec2 p) const {
  const std::optional<NearestTile> nearest = nearest_2d(p);
  if (!nearest || is_on(tiles_[nearest->tile], p)) return nearest;
  for (const std::uint32_t tile : within(p, farthest_corner_m_)) {
    if (is_on(tiles_[tile], p)) return NearestTile{tile, norm(tiles_[tile].centroid.xy() - p)};
  }
  return nearest;
}

std::optional<NearestTile> TileIndex::nearest_3d(Vec3 p) const {
  return nearest(p.xy(), [&](const IndexedTile& tile) { return squared_norm(tile.centroid - p); });
}

std::vector<std::uint32_t> TileIndex::within(Vec2 p, double reach_m) const {
  std::vector<std::uint32_t> found;
  if (tiles_.empty()) return found;
  const auto clamped = [this](double metres, std::int64_t count) {
    return static_cast<std::int64_t>(std::clamp(std::floor(metres / cell_m_), 0.0, static_cast<double>(count - 1)));
  };
  const std::int64_t first_column = clamped(p.x - reach_m - bounds_.min.x, columns_);
  const std::int64_t last_column = clamped(p.x + reach_m - bounds_.min.x, columns_);
  const std::int64_t last_row = clamped(p.y + reach_m - bounds_.min.y, rows_);
  for (std::int64_t row = clamped(p.y - reach_m - bounds_.min.y, rows_); row <= last_row; ++row) {
    const auto first = static_cast<std::size_t>(row * columns_ + first_column);
    const auto last = static_cast<std::size_t>(row * columns_ + last_column);
    for (std::uint32_t k = offsets_[first]; k < offsets_[last + 1]; ++k) {
      if (norm(tiles_[items_[k]].centroid.xy() - p) <= reach_m) found.push_back(items_[k]);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

GroundLattice::GroundLattice(std::span<const IndexedTile> tiles) {
  Vec2 most;
  for (const IndexedTile& tile : tiles) most = {std::max(most.x, tile.half.x), std::max(most.y, tile.half.y)};
  const auto is_whole = [least = 0.99 * most](const IndexedTile& tile) {
    return tile.half.x >= least.x && tile.half.y >= least.y;
  };
  std::vector<double> xs, ys;
  Rectangle bounds;
  for (const IndexedTile& tile : tiles) {
    if (!is_whole(tile)) continue;
    xs.push_back(tile.centroid.x);
    ys.push_back(tile.centroid.y);
    bounds.extend(tile.centroid.xy());
  }
  step_x_ = lattice_step(std::move(xs));
  step_y_ = lattice_step(std::move(ys));
  if (step_x_ <= 0 || step_y_ <= 0) return;
  south_west_ = bounds.min;
  columns_ = std::llround((bounds.max.x - bounds.min.x) / step_x_) + 2;
  for (std::uint32_t t = 0; t < tiles.size(); ++t) {
    if (!is_whole(tiles[t])) continue;
    const Vec2 p = tiles[t].centroid.xy() - south_west_;
    tile_at_.emplace(std::llround(p.y / step_y_) * columns_ + std::llround(p.x / step_x_), t);
  }
}

std::optional<GroundLattice::Cell> GroundLattice::around(Vec2 p) const {
  if (tile_at_.empty()) return std::nullopt;
  const double x = (p.x - south_west_.x) / step_x_, y = (p.y - south_west_.y) / step_y_;
  const double column = std::floor(x), row = std::floor(y);
  if (column < 0 || row < 0 || column >= static_cast<double>(columns_ - 1)) return std::nullopt;
  const std::int64_t south_west = static_cast<std::int64_t>(row) * columns_ + static_cast<std::int64_t>(column);
  const std::array<std::int64_t, 4> places{south_west, south_west + 1, south_west + columns_,
                                           south_west + columns_ + 1};
  Cell cell{.tiles = {}, .east = x - column, .north = y - row};
  for (std::size_t corner = 0; corner < places.size(); ++corner) {
    const auto found = tile_at_.find(places[corner]);
    if (found == tile_at_.end()) return std::nullopt;
    cell.tiles[corner] = found->second;
  }
  return cell;
}

}  // namespace tesseray
