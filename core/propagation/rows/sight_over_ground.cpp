// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/sight_over_ground.h"

#include <algorithm>
#include <atomic>
#include <cmath>
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

// Looks around from over ground tiles.
class Lookout {
 public:
  Lookout(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility, const TargetPoints& points)
      : sight_(occlusion, tiling), visibility_(visibility), points_(points) {}

  std::vector<std::uint32_t> beside_row(std::uint32_t ground_tile, double reach_m) const {
    const std::vector<std::uint32_t> seen =
        sight_.visible_from(points_.arrival(ground_tile), {.max_distance_m = reach_m});
    std::vector<std::uint32_t> row, beside;
    visibility_.read_row(ground_tile, row);
    std::set_difference(seen.begin(), seen.end(), row.begin(), row.end(), std::back_inserter(beside));
    return beside;
  }

 private:
  const PointVisibility sight_;
  const Visibility& visibility_;
  const TargetPoints& points_;
};

// So far that about as much is seen as may be kept, told by a sample of the tiles.
double kept_reach_m(const Lookout& lookout, std::uint32_t ground_tiles, Progress& progress) {
  constexpr std::uint32_t one_in = 256;
  std::atomic<std::uint64_t> members{0};
  parallel_blocks(ground_tiles / one_in, 1, progress, [&](std::size_t i, std::size_t) {
    members += lookout.beside_row(static_cast<std::uint32_t>(i) * one_in, SightOverGround::reach_m).size();
  });
  const auto expected = static_cast<double>(members * one_in);
  return SightOverGround::reach_m * std::min(1.0, std::sqrt(static_cast<double>(most_members) / expected));
}

}  // namespace

SightOverGround look_over_ground(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress) {
  const std::uint32_t ground_tiles = ground_tiles_of(tiling);
  const Lookout lookout(occlusion, tiling, visibility, points);
  PartOfStage sampling(progress, 0, 0.01), looking(progress, 0.01, 1);
  const double reach = kept_reach_m(lookout, ground_tiles, sampling);
  std::vector<std::vector<std::uint32_t>> rows(ground_tiles);
  parallel_blocks(ground_tiles, tiles_per_block, looking, [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) {
      rows[tile] = lookout.beside_row(static_cast<std::uint32_t>(tile), reach);
    }
  });
  return SightOverGround(rows, visibility.element_count());
}

SightOverGround::SightOverGround(const std::vector<std::vector<std::uint32_t>>& rows, std::uint32_t element_count) {
  rows_.offsets.assign(1, 0);
  for (const std::vector<std::uint32_t>& row : rows) rows_.offsets.push_back(rows_.offsets.back() + row.size());
  rows_.members.reserve(rows_.offsets.back());
  for (const std::vector<std::uint32_t>& row : rows) {
    rows_.members.insert(rows_.members.end(), row.begin(), row.end());
  }
  turn_rows(element_count);
}

void SightOverGround::turn_rows(std::uint32_t element_count) {
  const std::uint32_t grounds = ground_tiles();
  std::vector<std::uint64_t>& offsets = seen_from_.offsets;
  offsets.assign(element_count - grounds + 1, 0);
  for (const std::uint32_t element : rows_.members) {
    if (element >= grounds) ++offsets[element - grounds + 1];
  }
  for (std::size_t e = 1; e < offsets.size(); ++e) offsets[e] += offsets[e - 1];
  seen_from_.members.resize(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t tile = 0; tile < grounds; ++tile) {
    for (const std::uint32_t element : rows_.of(tile)) {
      if (element >= grounds) seen_from_.members[next[element - grounds]++] = tile;
    }
  }
}

bool SightOverGround::is_beside_row(std::uint32_t ground_tile, std::uint32_t element) const {
  if (ground_tile >= ground_tiles()) return false;
  const std::span<const std::uint32_t> row = beside_row(ground_tile);
  return std::binary_search(row.begin(), row.end(), element);
}

}  // namespace tesseray
