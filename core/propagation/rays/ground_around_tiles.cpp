// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/ground_around_tiles.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr double cell_m = 20;
constexpr std::ptrdiff_t cells_around = 2;
constexpr std::size_t most_patches = (2 * cells_around + 1) * (2 * cells_around + 1);

// The ground of a cell: its area, its middle and, about that, its second moments over the area (m² times m²).
struct Patch {
  double area = 0;
  Vec3 middle;
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0;

  // `weight`: of an area, all of it at `off` from the middle.
  void add_at(Vec3 off, double weight) {
    xx += weight * off.x * off.x;
    xy += weight * off.x * off.y;
    yy += weight * off.y * off.y;
    xz += weight * off.x * off.z;
    yz += weight * off.y * off.z;
    zz += weight * off.z * off.z;
  }
  void add_spread(const Patch& other, double weight) {
    xx += weight * other.xx;
    xy += weight * other.xy;
    yy += weight * other.yy;
    xz += weight * other.xz;
    yz += weight * other.yz;
    zz += weight * other.zz;
  }
};

// Through a point, rising by `slope` to the east and to the north.
struct Plane {
  Vec3 point;
  Vec2 slope;

  Vec3 normal() const { return normalized(Vec3{-slope.x, -slope.y, 1}); }
  // Of a patch, upright, in the mean.
  double squared_distance_of(const Patch& patch) const {
    const Vec3 way = patch.middle - point;
    const double off = way.z - dot(slope, way.xy());
    const double spread = patch.zz - 2 * (slope.x * patch.xz + slope.y * patch.yz) + slope.x * slope.x * patch.xx +
                          2 * slope.x * slope.y * patch.xy + slope.y * slope.y * patch.yy;
    return off * off + spread / patch.area;
  }
};

// The ground around a place, and the plane in which most of it lies.
class GroundAround {
 public:
  void add(const Patch& patch) {
    if (patch.area > 0) patches_[count_++] = patch;
  }

  // `own`: the plane of the place itself.
  Plane plane(const Plane& own) const {
    const Plane of_all = fitted([](const Patch&) { return 1.0; });
    constexpr double even_m = 0.1;
    if (mean_over_area(of_all, [](double squared_m) { return squared_m; }) < even_m * even_m) return of_all;
    const Plane from_all = settled(of_all), from_own = settled(own);
    return mean_over_area(from_own, off_plane) < mean_over_area(from_all, off_plane) ? from_own : from_all;
  }

 private:
  // What lies farther off is other ground: across a quay's wall, beyond the top of a slope.
  static constexpr double other_ground_m = 1;
  static constexpr int turns = 4;

  // Of a squared distance, in units of other_ground_m: 0 … 1 (S. Geman and D. E. McClure, Bull. Int. Stat. Inst. 52
  // (1987) 5).
  static double off_plane(double squared_m) {
    const double squared = squared_m / (other_ground_m * other_ground_m);
    return squared / (1 + squared);
  }

  std::span<const Patch> patches() const { return std::span(patches_).first(count_); }

  template <class Cost>
  double mean_over_area(const Plane& plane, const Cost& cost) const {
    double all = 0, area = 0;
    for (const Patch& patch : patches()) {
      all += patch.area * cost(plane.squared_distance_of(patch));
      area += patch.area;
    }
    return all / area;
  }

  // By least squares. `weight_of`: a patch, > 0.
  template <class WeightOf>
  Plane fitted(const WeightOf& weight_of) const {
    std::array<double, most_patches> weights;
    double area = 0;
    Vec3 sum;
    for (std::size_t i = 0; i < count_; ++i) {
      weights[i] = weight_of(patches_[i]);
      area += weights[i] * patches_[i].area;
      sum = sum + (weights[i] * patches_[i].area) * patches_[i].middle;
    }
    Patch all;
    all.middle = (1 / area) * sum;
    for (std::size_t i = 0; i < count_; ++i) {
      all.add_spread(patches_[i], weights[i]);
      all.add_at(patches_[i].middle - all.middle, weights[i] * patches_[i].area);
    }
    const double determinant = all.xx * all.yy - all.xy * all.xy;
    return {all.middle,
            {(all.yy * all.xz - all.xy * all.yz) / determinant, (all.xx * all.yz - all.xy * all.xz) / determinant}};
  }

  // The plane next to one in which the ground lies that is not off it.
  Plane settled(Plane plane) const {
    for (int turn = 0; turn < turns; ++turn) {
      plane = fitted([&](const Patch& patch) {
        const double part = 1 - off_plane(plane.squared_distance_of(patch));
        return part * part;
      });
    }
    return plane;
  }

  std::array<Patch, most_patches> patches_;
  std::size_t count_ = 0;
};

bool is_ground(const Tile& tile) { return tile.kind == SurfaceKind::ground; }

class GroundCells {
 public:
  explicit GroundCells(const Tiling& tiling) {
    const Tile* first = nullptr;
    Vec2 most;
    for (const Tile& tile : tiling.tiles) {
      if (!is_ground(tile)) continue;
      if (first == nullptr) {
        first = &tile;
        least_ = tile.centroid;
        most = least_.xy();
      }
      least_.x = std::min(least_.x, tile.centroid.x);
      least_.y = std::min(least_.y, tile.centroid.y);
      most = {std::max(most.x, tile.centroid.x), std::max(most.y, tile.centroid.y)};
    }
    if (first == nullptr) return;
    columns_ = cell_of(most.x - least_.x) + 1;
    rows_ = cell_of(most.y - least_.y) + 1;
    cells_.resize(static_cast<std::size_t>(columns_ * rows_));
    find_middles(tiling);
    find_spreads(tiling);
  }

  Vec3 normal_around(const Tile& tile) const {
    GroundAround around;
    const std::ptrdiff_t column = column_of(tile), row = row_of(tile);
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(row - cells_around, 0);
         j <= std::min(row + cells_around, rows_ - 1); ++j) {
      for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(column - cells_around, 0);
           i <= std::min(column + cells_around, columns_ - 1); ++i) {
        around.add(cells_[static_cast<std::size_t>(j * columns_ + i)]);
      }
    }
    const Vec3 normal = tile.normal;
    return around.plane({tile.centroid - least_, (-1 / normal.z) * normal.xy()}).normal();
  }

 private:
  void find_middles(const Tiling& tiling) {
    for (const Tile& tile : tiling.tiles) {
      if (!is_ground(tile)) continue;
      Patch& cell = cell_of(tile);
      cell.area += tile.area_m2();
      cell.middle = cell.middle + tile.area_m2() * (tile.centroid - least_);
    }
    for (Patch& cell : cells_) {
      if (cell.area > 0) cell.middle = (1 / cell.area) * cell.middle;
    }
  }
  void find_spreads(const Tiling& tiling) {
    for (const Tile& tile : tiling.tiles) {
      if (!is_ground(tile)) continue;
      Patch& cell = cell_of(tile);
      const double third = tile.area_m2() / 3;
      cell.add_at(tile.centroid - least_ - cell.middle, tile.area_m2());
      cell.add_at(tile.half_u, third);
      cell.add_at(tile.half_v, third);
    }
  }

  static std::ptrdiff_t cell_of(double along_m) { return static_cast<std::ptrdiff_t>(along_m / cell_m); }
  std::ptrdiff_t column_of(const Tile& tile) const { return cell_of(tile.centroid.x - least_.x); }
  std::ptrdiff_t row_of(const Tile& tile) const { return cell_of(tile.centroid.y - least_.y); }
  Patch& cell_of(const Tile& tile) {
    return cells_[static_cast<std::size_t>(row_of(tile) * columns_ + column_of(tile))];
  }

  Vec3 least_;
  std::ptrdiff_t columns_ = 0, rows_ = 0;
  std::vector<Patch> cells_;
};

}  // namespace

std::vector<Vec3> normals_of_ground_around(const Tiling& tiling) {
  constexpr std::size_t tiles_per_block = 4096;
  const GroundCells cells(tiling);
  std::vector<Vec3> normals(tiling.tiles.size());
  parallel_blocks(normals.size(), tiles_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Tile& tile = tiling.tiles[t];
      normals[t] = is_ground(tile) ? cells.normal_around(tile) : tile.normal;
    }
  });
  return normals;
}

}  // namespace tesseray
