// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/sight_over_ground.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/base/parallel.h"
#include "core/visibility/file/visibility_file.h"

namespace tesseray {
namespace {

constexpr std::size_t tiles_per_block = 64;

double max_distance_m(const Visibility& visibility) {
  const VisibilityFile* const file = visibility.file();
  return file != nullptr ? file->info().options.max_distance_m : infinity;
}

// How far a receiver looks, m.
struct Reach {
  double ground_m = 0;
  double others_m = 0;  // to walls, roofs and edges
};

// Looks around from over ground tiles.
class Lookout {
 public:
  Lookout(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility, const TargetPoints& points)
      : ground_(occlusion, tiling, {.end = ground_tiles_of(tiling)}),
        others_(occlusion, tiling, {.begin = ground_tiles_of(tiling)}),
        visibility_(visibility),
        points_(points) {}

  std::vector<std::uint32_t> beside_row(std::uint32_t ground_tile, Reach reach) const {
    const Vec3 here = points_.arrival(ground_tile);
    std::vector<std::uint32_t> seen = ground_.visible_from(here, {.max_distance_m = reach.ground_m});
    const std::vector<std::uint32_t> others = others_.visible_from(here, {.max_distance_m = reach.others_m});
    seen.insert(seen.end(), others.begin(), others.end());
    std::vector<std::uint32_t> row, beside;
    visibility_.read_row(ground_tile, row);
    std::set_difference(seen.begin(), seen.end(), row.begin(), row.end(), std::back_inserter(beside));
    return beside;
  }

 private:
  const PointVisibility ground_, others_;
  const Visibility& visibility_;
  const TargetPoints& points_;
};

// How many elements all tiles see so beside their rows, told by a sample of them.
double expected_members(const Lookout& lookout, Reach reach, std::uint32_t ground_tiles, Progress& progress) {
  const std::uint32_t one_in = std::clamp(ground_tiles / 100, 1u, 256u);
  std::atomic<std::uint64_t> members{0};
  parallel_blocks(ground_tiles / one_in, 1, progress, [&](std::size_t i, std::size_t) {
    members += lookout.beside_row(static_cast<std::uint32_t>(i) * one_in, reach).size();
  });
  return static_cast<double>(members * one_in);
}

// So far that no more is seen than may be kept, or about so much.
Reach kept_reach(const Lookout& lookout, std::uint32_t ground_tiles, double farthest_m, double most_members,
                 Progress& progress) {
  const double around_m = std::min(SightOverGround::ground_reach_m, farthest_m);
  const std::array<double, 5> others_m = {farthest_m, 8 * around_m, 4 * around_m, 2 * around_m, around_m};
  double expected = 0;
  for (std::size_t k = 0; k < others_m.size(); ++k) {
    if (others_m[k] > farthest_m) continue;
    PartOfStage part(progress, static_cast<double>(k) / others_m.size(), static_cast<double>(k + 1) / others_m.size());
    const Reach reach{around_m, others_m[k]};
    expected = expected_members(lookout, reach, ground_tiles, part);
    if (expected <= most_members) return reach;
  }
  const double reach_m = around_m * std::sqrt(most_members / expected);
  return {reach_m, reach_m};
}

// Numbers in an order of which any part is spread over all: from hills looking around takes longer than in alleys, and
// the time that is left is told from what has gone by.
class SpreadNumbers {
 public:
  explicit SpreadNumbers(std::size_t count)
      : count_(count), step_(std::max<std::size_t>(1, static_cast<std::size_t>(0.618 * static_cast<double>(count)))) {
    while (std::gcd(step_, count_) > 1) ++step_;
  }

  std::size_t operator[](std::size_t k) const { return k * step_ % count_; }

 private:
  std::size_t count_, step_;
};

}  // namespace

std::uint32_t ground_tiles_of(const Tiling& tiling) {
  const auto is_ground = [](const Tile& tile) { return tile.kind == SurfaceKind::ground; };
  const auto end = std::find_if_not(tiling.tiles.begin(), tiling.tiles.end(), is_ground);
  return static_cast<std::uint32_t>(end - tiling.tiles.begin());
}

SightOverGround look_over_ground(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress, std::uint64_t most_members) {
  const std::uint32_t ground_tiles = ground_tiles_of(tiling);
  const Lookout lookout(occlusion, tiling, visibility, points);
  PartOfStage sampling(progress, 0, 0.01), looking(progress, 0.01, 1);
  const Reach reach =
      kept_reach(lookout, ground_tiles, max_distance_m(visibility), static_cast<double>(most_members), sampling);
  std::vector<std::vector<std::uint32_t>> rows(ground_tiles);
  const std::size_t blocks = (ground_tiles + tiles_per_block - 1) / tiles_per_block;
  const SpreadNumbers spread(blocks);
  parallel_blocks(blocks, 1, looking, [&](std::size_t k, std::size_t) {
    const std::size_t begin = tiles_per_block * spread[k];
    const std::size_t end = std::min<std::size_t>(ground_tiles, begin + tiles_per_block);
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
