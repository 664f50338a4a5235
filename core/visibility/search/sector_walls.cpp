// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/search/sector_walls.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"

namespace tesseray {

namespace {

constexpr float sectors_per_unit = SectorWalls::sectors / 8.0F;

// Squares nearer than this are taken triangle by triangle.
constexpr double fine_terrain_m = 16, most_triangles = 100;
// Bottoms of parts on the ground are lower than this (WallPieces), those of others are not.
constexpr float on_ground_z = -5e8F;
// Slopes of ways and of terrain are right within this.
constexpr double terrain_slope_doubt = 1e-5;
constexpr AzimuthInterval all_around = {0, 7.999};

AzimuthInterval azimuths_around(const Rectangle& square) {
  return nearest_distance(square) > static_cast<double>(least_distance_m) ? azimuths_of(square) : all_around;
}

// The steepest slope at which what lies so far over the eye's level is seen: of what is above it, at the nearest place;
// of what is below, at the farthest of the square.
double slope_of(double height_m, double nearest_m, const Rectangle& square) {
  constexpr double rounding_m = 1e-3, least_m = 1e-2;
  if (height_m <= 0) return height_m / (farthest_distance(square) + rounding_m);
  return nearest_m > least_m ? height_m / (nearest_m - rounding_m) : infinity;
}

// Where a sector begins on the square around the eye, whose corners begin sectors.
Vec2 sector_begin(int sector) {
  static const std::array<Vec2, SectorWalls::sectors + 1> begins = [] {
    std::array<Vec2, SectorWalls::sectors + 1> places;
    for (int s = 0; s <= SectorWalls::sectors; ++s) {
      const double azimuth = s * 8.0 / SectorWalls::sectors;
      const int side = static_cast<int>(azimuth / 2) % 4;
      const double along = azimuth - 2 * std::floor(azimuth / 2) - 1;
      constexpr Vec2 starts[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}, steps[] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
      places[static_cast<std::size_t>(s)] = starts[side] + along * steps[side];
    }
    return places;
  }();
  return begins[static_cast<std::size_t>(sector)];
}

int wrapped(int sector) { return sector & (SectorWalls::sectors - 1); }

}  // namespace

SectorWalls::SectorWalls(const SightGrid& grid, const OcclusionView& occlusion, InstructionSet set,
                         std::pmr::memory_resource* memory)
    : occlusion_(occlusion),
      grid_(grid),
      kernels_(sight_kernels(set)),
      groups_(memory),
      added_(6, std::pmr::vector<float>(memory)),
      seen_(10, std::pmr::vector<float>(memory)) {
  // Not a power of two: the same places of the arrays are looked at together, and compete in the processor's cache when
  // they lie whole pages apart.
  make_room(1024 + 80);
}

void SectorWalls::make_room(std::size_t walls) {
  for (std::pmr::vector<float>& numbers : added_) numbers.resize(walls);
  for (std::pmr::vector<float>& numbers : seen_) numbers.resize(walls);
}

WallPointers<float> SectorWalls::added_from(std::size_t wall) {
  return {added_[0].data() + wall, added_[1].data() + wall, added_[2].data() + wall,
          added_[3].data() + wall, added_[4].data() + wall, added_[5].data() + wall};
}

void SectorWalls::reset(Vec3 eye, bool rising, bool knows_terrain) {
  eye_ = eye;
  eye_z_ = static_cast<float>(eye.z - grid_.reference_z());
  rising_ = rising;
  used_groups_ = 0;
  added_walls_ = 0;
  first_group_.fill(-1);
  used_lanes_.fill(lanes);
  wall_slope_.fill(-infinity_f);
  terrain_slope_.fill(-infinity_f);
  used_steps_.fill(0);
  ring_m_ = 0;
  if (!knows_terrain) {
    for (std::size_t s = 0; s < sectors; ++s) raise_terrain(s, infinity_f);
  }
}

void SectorWalls::add_walls_of_cell(std::uint32_t cell, const SquareBounds& bounds, float floor_z) {
  const WallPieces* walls = grid_.walls() + bounds.first_wall / wall_lanes;
  const std::uint32_t most = bounds.end_wall - bounds.first_wall;
  std::uint32_t count = 0;
  while (count < most && walls[count / wall_lanes].top_z[count % wall_lanes] >= floor_z) ++count;
  if (count == 0) return;
  if (added_walls_ + count + 2 * lanes > added_[0].size()) make_room(2 * (added_[0].size() + count));
  const Vec2 offset = grid_.block_corner(cell) - eye_.xy();
  kernels_.copy_walls(static_cast<int>(count), walls, static_cast<float>(offset.x), static_cast<float>(offset.y),
                      eye_z_, added_from(added_walls_));
  added_walls_ += count;
}

void SectorWalls::place_walls(const Horizon& horizon) {
  if (added_walls_ == 0) return;
  const auto [x, y, along_x, along_y, bottom_z, top_z] = added_from(0);
  const std::size_t kept =
      kernels_.see_walls(static_cast<int>(added_walls_), {x, y, along_x, along_y, bottom_z, top_z}, grid_.margins(),
                         rising_, horizon.windows(),
                         {seen_[0].data(), seen_[1].data(), seen_[2].data(), seen_[3].data(), seen_[4].data(),
                          seen_[5].data(), seen_[6].data(), seen_[7].data(), seen_[8].data(), seen_[9].data()});
  const std::pmr::vector<float>&middles = seen_[4], &outers = seen_[6];
  for (std::size_t wall = 0; wall < kept; ++wall) {
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
    fresh.slope = -infinity_f;
    fresh.is_raised = false;
    fresh.next = first_group_[s];
    first_group_[s] = static_cast<std::int32_t>(used_groups_++);
    used_lanes_[s] = 0;
  }
  WallGroup& group = groups_[static_cast<std::size_t>(first_group_[s])];
  const int lane = used_lanes_[s]++;
  group.across_x[lane] = seen_[0][wall];
  group.across_y[lane] = seen_[1][wall];
  group.bottom_z[lane] = seen_[8][wall];
  group.top_z[lane] = seen_[9][wall];
  group.is_raised = group.is_raised || seen_[8][wall] > on_ground_z;
  group.error_of_target[lane] = seen_[2][wall];
  group.error_of_wall[lane] = seen_[3][wall];
  group.middle[lane] = seen_[4][wall] + azimuth_shift;
  group.inner[lane] = seen_[5][wall];
  group.outer[lane] = seen_[6][wall];
  group.slope = std::max(group.slope, seen_[7][wall]);
  wall_slope_[s] = std::max(wall_slope_[s], seen_[7][wall]);
}

void SectorWalls::add_terrain(const Rectangle& square, const TerrainOverEye& terrain_over_eye) {
  const double margin = 4 * static_cast<double>(grid_.margins().height_m);
  const double height = terrain_over_eye.height_m + margin, nearest = nearest_distance(square);
  if (rising_ && height < 0) return;
  // Near the eye, a height over a distance says little: its triangles one by one, unless they are too many.
  const HeightPyramidView& terrain = occlusion_.terrain_grid;
  const double triangles = 2 * grid_.cell_m() * grid_.cell_m() / (terrain.step_x * terrain.step_y);
  if (height <= 0 || nearest > fine_terrain_m || triangles > most_triangles) {
    const Vec2 middle = 0.5 * (square.min + square.max), gradient = terrain_over_eye.gradient;
    const double level = slope_of(height, nearest, square);
    const double inclined = slope_of(terrain_over_eye.plane_m + margin, nearest, square);
    const bool is_inclined = inclined + dot(gradient, middle) / square_norm(middle) < level;
    return add_slope(is_inclined ? inclined : level, is_inclined ? gradient : Vec2{}, azimuths_around(square));
  }
  const auto cell = [](double at, double step, std::int32_t count) {
    return static_cast<std::int32_t>(std::clamp(std::floor(at / step), 0.0, static_cast<double>(count - 1)));
  };
  const Vec2 low = square.min + eye_.xy() - terrain.origin, high = square.max + eye_.xy() - terrain.origin;
  constexpr double margin_m = 1e-3;
  const std::int32_t last_i = cell(high.x + margin_m, terrain.step_x, terrain.columns);
  const std::int32_t last_j = cell(high.y + margin_m, terrain.step_y, terrain.rows);
  for (std::int32_t j = cell(low.y - margin_m, terrain.step_y, terrain.rows); j <= last_j; ++j) {
    for (std::int32_t i = cell(low.x - margin_m, terrain.step_x, terrain.columns); i <= last_i; ++i) {
      add_terrain_cell(i, j);
    }
  }
}

void SectorWalls::add_terrain_cell(std::int32_t i, std::int32_t j) {
  const HeightPyramidView& terrain = occlusion_.terrain_grid;
  const double sx = terrain.step_x, sy = terrain.step_y;
  const float* south = occlusion_.terrain_height_m + std::int64_t{j} * occlusion_.terrain_columns + i;
  const float* north = south + occlusion_.terrain_columns;
  const double sw = static_cast<double>(south[0]) - eye_.z, se = static_cast<double>(south[1]) - eye_.z;
  const double nw = static_cast<double>(north[0]) - eye_.z, ne = static_cast<double>(north[1]) - eye_.z;
  if (rising_ && std::max({sw, se, nw, ne}) < -1e-6) return;
  const Vec2 corner = terrain.origin + Vec2{i * sx, j * sy} - eye_.xy();
  const Rectangle square = {corner, corner + Vec2{sx, sy}};
  const AzimuthInterval azimuths = azimuths_around(square);
  const double to_square = nearest_distance(square);
  // How far the eye is on the north-western side of the diagonal, in distances of the larger of |x| and |y|.
  const double beyond = (corner.x * sy - corner.y * sx) / (sx + sy);
  const auto add = [&](Vec2 gradient, double beyond_diagonal) {
    const double over_eye = sw - dot(gradient, corner);
    add_slope(slope_of(over_eye, std::max(to_square, beyond_diagonal), square), gradient, azimuths);
  };
  add({(se - sw) / sx, (ne - se) / sy}, beyond);
  add({(ne - nw) / sx, (nw - sw) / sy}, -beyond);
}

void SectorWalls::add_slope(double slope, Vec2 gradient, AzimuthInterval azimuths) {
  constexpr double margin = static_cast<double>(azimuth_margin);
  const int first = static_cast<int>(std::floor((azimuths.low - margin) * (sectors / 8.0)));
  const int last = static_cast<int>(std::floor((azimuths.high + margin) * (sectors / 8.0)));
  const double of_azimuth = margin * (std::fabs(gradient.x) + std::fabs(gradient.y));
  for (int sector = first; sector <= last; ++sector) {
    const int s = wrapped(sector);
    const double steepest =
        slope + higher(dot(gradient, sector_begin(s)), dot(gradient, sector_begin(s + 1))) + of_azimuth;
    const double certain = steepest + static_cast<double>(slope_margin) * (1 + std::fabs(steepest));
    raise_terrain(static_cast<std::size_t>(s), static_cast<float>(certain));
  }
}

void SectorWalls::raise_terrain(std::size_t sector, float slope) {
  if (!(slope > terrain_slope_[sector])) return;
  terrain_slope_[sector] = slope;
  std::array<TerrainStep, most_steps>& steps = terrain_steps_[sector];
  std::uint8_t& used = used_steps_[sector];
  if (used == 0 || (used < most_steps && steps[used - 1u].distance_m < ring_m_)) steps[used++].distance_m = ring_m_;
  steps[used - 1u].slope = slope;
}

double SectorWalls::distance_over_terrain(double azimuth, double slope) const {
  const auto sector = static_cast<std::size_t>(wrapped(static_cast<int>(azimuth * (sectors / 8.0))));
  const double least_slope = slope - terrain_slope_doubt * (1 + std::fabs(slope));
  for (std::size_t k = 0; k < used_steps_[sector]; ++k) {
    const TerrainStep& step = terrain_steps_[sector][k];
    if (least_slope <= static_cast<double>(step.slope)) return step.distance_m;
  }
  return infinity;
}

void SectorWalls::judge(std::size_t count, CandidateArrays candidates, Verdict* verdicts) const {
  kernels_.judge(count, candidates, {first_group_.data(), groups_.data(), wall_slope_.data(), terrain_slope_.data()},
                 grid_.margins(), verdicts);
}

}  // namespace tesseray
