// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/sight_over_ground.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_members = (std::uint64_t{1} << 30) / sizeof(std::uint32_t);
constexpr std::size_t tiles_per_block = 64;

std::uint32_t ground_tiles_of(const Tiling& tiling) {
  const auto is_ground = [](const Tile& tile) { return tile.kind == SurfaceKind::ground; };
  const auto end = std::find_if_not(tiling.tiles.begin(), tiling.tiles.end(), is_ground);
  return static_cast<std::uint32_t>(end - tiling.tiles.begin());
}

Tiling without_edges(const Tiling& tiling) {
  Tiling tiles;
  tiles.tiles = tiling.tiles;
  return tiles;
}

}  // namespace

SightOverGround::SightOverGround(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress)
    : visibility_(&visibility), points_(&points) {
  ground_tiles_ = ground_tiles_of(tiling);
  sight_ = std::make_unique<const PointVisibility>(occlusion, without_edges(tiling));
  keep(progress);
}

void SightOverGround::look(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const {
  const std::vector<std::uint32_t> seen =
      sight_->visible_from(points_->arrival(ground_tile), {.max_distance_m = reach_m});
  std::vector<std::uint32_t> row;
  visibility_->read_tiles_of_row(ground_tile, row);
  found.clear();
  std::set_difference(seen.begin(), seen.end(), row.begin(), row.end(), std::back_inserter(found));
}

void SightOverGround::keep(Progress& progress) {
  std::vector<std::vector<std::uint32_t>> rows(ground_tiles_);
  std::atomic<std::uint64_t> members{0};
  parallel_blocks(ground_tiles_, tiles_per_block, progress, [&](std::size_t begin, std::size_t end) {
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end && members <= most_members; ++tile) {
      look(tile, rows[tile]);
      members += rows[tile].size();
    }
  });
  if (members > most_members) return;
  offsets_.assign(1, 0);
  offsets_.reserve(rows.size() + 1);
  members_.reserve(members);
  for (const std::vector<std::uint32_t>& row : rows) {
    members_.insert(members_.end(), row.begin(), row.end());
    offsets_.push_back(members_.size());
  }
  sight_.reset();
}

void SightOverGround::find_beside_row(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const {
  if (offsets_.empty()) return look(ground_tile, found);
  found.assign(members_.begin() + static_cast<std::ptrdiff_t>(offsets_[ground_tile]),
               members_.begin() + static_cast<std::ptrdiff_t>(offsets_[ground_tile + 1]));
}

std::uint64_t SightOverGround::bytes() const {
  return offsets_.size() * sizeof(std::uint64_t) + members_.size() * sizeof(std::uint32_t);
}

}  // namespace tesseray
