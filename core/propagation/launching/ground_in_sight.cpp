// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ground_in_sight.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_members = (std::uint64_t{1} << 30) / sizeof(std::uint32_t);
constexpr std::size_t tiles_per_block = 64;

Tiling ground_of(const Tiling& tiling) {
  Tiling ground;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != SurfaceKind::ground) break;  // it comes first
    ground.tiles.push_back(tile);
  }
  return ground;
}

}  // namespace

GroundInSight::GroundInSight(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                             const TargetPoints& points, Progress& progress)
    : visibility_(&visibility), points_(&points) {
  const Tiling ground = ground_of(tiling);
  ground_tiles_ = static_cast<std::uint32_t>(ground.tiles.size());
  sight_ = std::make_unique<const PointVisibility>(occlusion, ground);
  keep(progress);
}

void GroundInSight::look_around(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const {
  const std::vector<std::uint32_t> seen =
      sight_->visible_from(points_->arrival(ground_tile), {.max_distance_m = reach_m});
  std::vector<std::uint32_t> row;
  visibility_->read_tiles_of_row(ground_tile, row);
  found.clear();
  std::set_difference(seen.begin(), seen.end(), row.begin(), row.end(), std::back_inserter(found));
}

void GroundInSight::keep(Progress& progress) {
  std::vector<std::vector<std::uint32_t>> rows(ground_tiles_);
  std::atomic<std::uint64_t> members{0};
  parallel_blocks(ground_tiles_, tiles_per_block, progress, [&](std::size_t begin, std::size_t end) {
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end && members <= most_members; ++tile) {
      look_around(tile, rows[tile]);
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

void GroundInSight::find_around(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const {
  if (offsets_.empty()) return look_around(ground_tile, found);
  found.assign(members_.begin() + static_cast<std::ptrdiff_t>(offsets_[ground_tile]),
               members_.begin() + static_cast<std::ptrdiff_t>(offsets_[ground_tile + 1]));
}

std::uint64_t GroundInSight::bytes() const {
  return offsets_.size() * sizeof(std::uint64_t) + members_.size() * sizeof(std::uint32_t);
}

}  // namespace tesseray
