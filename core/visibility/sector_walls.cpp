// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sector_walls.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tesseray {

namespace {

constexpr float sectors_per_unit = SectorWalls::sectors / 8.0F;

int wrapped(int sector) { return sector & (SectorWalls::sectors - 1); }

}  // namespace

SectorWalls::SectorWalls(const SightGrid& grid, InstructionSet set) : grid_(grid), kernels_(sight_kernels(set)) {
  make_room(1024);
}

void SectorWalls::make_room(std::size_t walls) {
  for (std::vector<float>& numbers : added_) numbers.resize(walls);
  for (std::vector<float>& numbers : seen_) numbers.resize(walls);
  is_kept_.resize(walls);
}

WallPointers<float> SectorWalls::added_from(std::size_t wall) {
  return {added_[0].data() + wall, added_[1].data() + wall, added_[2].data() + wall,
          added_[3].data() + wall, added_[4].data() + wall, added_[5].data() + wall};
}

void SectorWalls::reset(Vec3 eye, bool rising) {
  eye_ = eye;
  eye_z_ = static_cast<float>(eye.z - grid_.reference_z());
  rising_ = rising;
  used_groups_ = 0;
  added_walls_ = 0;
  first_group_.fill(-1);
  used_lanes_.fill(lanes);
  terrain_slope_.fill(-std::numeric_limits<float>::infinity());
}

void SectorWalls::add_walls_of_cell(std::uint32_t cell, float floor_z) {
  const WallArrays& walls = grid_.walls();
  const std::uint32_t begin = grid_.first_wall(cell);
  std::uint32_t end = grid_.end_wall(cell);
  while (end > begin && walls.top_z[end - 1] < floor_z) --end;
  if (begin == end) return;
  const std::size_t count = end - begin;
  if (added_walls_ + count + 2 * lanes > is_kept_.size()) make_room(2 * (is_kept_.size() + count));
  const Vec2 offset = grid_.block_corner(cell) - eye_.xy();
  kernels_.copy_walls(static_cast<int>(count),
                      {walls.x.data() + begin, walls.y.data() + begin, walls.along_x.data() + begin,
                       walls.along_y.data() + begin, walls.bottom_z.data() + begin, walls.top_z.data() + begin},
                      static_cast<float>(offset.x), static_cast<float>(offset.y), eye_z_, added_from(added_walls_));
  added_walls_ += count;
}

void SectorWalls::place_walls(const Horizon& horizon) {
  if (added_walls_ == 0) return;
  const auto [x, y, along_x, along_y, bottom_z, top_z] = added_from(0);
  kernels_.see_walls(static_cast<int>(added_walls_), {x, y, along_x, along_y, bottom_z, top_z}, grid_.margins(),
                     rising_, horizon.slopes(),
                     {seen_[0].data(), seen_[1].data(), seen_[2].data(), seen_[3].data(), seen_[4].data(),
                      seen_[5].data(), seen_[6].data(), is_kept_.data()});
  const std::vector<float>&middles = seen_[4], &outers = seen_[6];
  for (std::size_t wall = 0; wall < added_walls_; ++wall) {
    if (is_kept_[wall] == 0) continue;
    const float middle = middles[wall], reach = outers[wall] + azimuth_margin;
    // Sectors from −sectors on, so that truncation rounds down.
    const int first = static_cast<int>((middle - reach) * sectors_per_unit + sectors) - sectors;
    const int last =
        std::min(static_cast<int>((middle + reach) * sectors_per_unit + sectors) - sectors, first + sectors - 1);
    for (int sector = first; sector <= last; ++sector) {
      push(wrapped(sector), wall, sector < 0 ? 8.0F : sector >= sectors ? -8.0F : 0.0F);
    }
  }
  added_walls_ = 0;
}

void SectorWalls::push(int sector, std::size_t wall, float azimuth_shift) {
  const auto s = static_cast<std::size_t>(sector);
  if (used_lanes_[s] == lanes) {
    if (used_groups_ == groups_.size()) groups_.emplace_back();
    WallGroup& fresh = groups_[used_groups_];
    std::fill(fresh.outer, fresh.outer + lanes, -1.0F);
    std::fill(fresh.inner, fresh.inner + lanes, -1.0F);
    fresh.next = first_group_[s];
    first_group_[s] = static_cast<std::int32_t>(used_groups_++);
    used_lanes_[s] = 0;
  }
  WallGroup& group = groups_[static_cast<std::size_t>(first_group_[s])];
  const int lane = used_lanes_[s]++;
  group.across_x[lane] = seen_[0][wall];
  group.across_y[lane] = seen_[1][wall];
  group.bottom_z[lane] = added_[4][wall];
  group.top_z[lane] = added_[5][wall];
  group.error_of_target[lane] = seen_[2][wall];
  group.error_of_wall[lane] = seen_[3][wall];
  group.middle[lane] = seen_[4][wall] + azimuth_shift;
  group.inner[lane] = seen_[5][wall];
  group.outer[lane] = seen_[6][wall];
}

void SectorWalls::add_terrain(const Rectangle& square, double height_m) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nearest = nearest_distance(square);
  const double height = height_m + 4 * static_cast<double>(grid_.margins().height_m);
  if (rising_ && height < 0) return;
  double slope = height > 0 ? infinity : height / (farthest_distance(square) + 1e-3);
  AzimuthInterval azimuths = {0, 7.999};
  if (nearest > static_cast<double>(least_distance_m)) {
    if (height > 0) slope = height / (nearest - 1e-3);
    azimuths = azimuths_of(square);
  }
  const float highest = static_cast<float>(slope + static_cast<double>(slope_margin) * (1 + std::fabs(slope)));
  constexpr double margin = static_cast<double>(azimuth_margin);
  const int first = static_cast<int>(std::floor((azimuths.low - margin) * (sectors / 8.0)));
  const int last = static_cast<int>(std::floor((azimuths.high + margin) * (sectors / 8.0)));
  for (int sector = first; sector <= last; ++sector) {
    float& stored = terrain_slope_[static_cast<std::size_t>(wrapped(sector))];
    stored = std::max(stored, highest);
  }
}

void SectorWalls::test(std::span<const Candidate> candidates, std::vector<Sight>& walls) const {
  walls.resize(candidates.size());
  kernels_.test_walls(candidates.size(), candidates.data(), first_group_.data(), groups_.data(), grid_.margins(),
                      walls.data());
}

bool SectorWalls::is_certainly_above_terrain(const Candidate& candidate) const {
  const int sector = static_cast<int>(candidate.azimuth * sectors_per_unit) & (sectors - 1);
  const float slope = candidate.z / candidate.distance;
  const float error = (1 + std::fabs(slope)) *
                      (slope_margin + 2 * (grid_.margins().position_m + grid_.margins().height_m) / candidate.distance);
  return slope - error > terrain_slope_[static_cast<std::size_t>(sector)];
}

}  // namespace tesseray
