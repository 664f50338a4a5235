// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/ground_around_tiles.h"

#include <algorithm>
#include <cstddef>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr double cell_m = 20;
constexpr std::ptrdiff_t cells_around = 2;

// Of surfaces, over their areas: m², times m, times m².
struct Moments {
  double area = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;

  // `middle`: from where moments are about.
  void add(const Tile& tile, Vec3 middle) {
    const double a = tile.area_m2(), third = a / 3;
    const Vec3 u = tile.half_u, v = tile.half_v;
    area += a;
    x += a * middle.x;
    y += a * middle.y;
    z += a * middle.z;
    xx += a * middle.x * middle.x + third * (u.x * u.x + v.x * v.x);
    xy += a * middle.x * middle.y + third * (u.x * u.y + v.x * v.y);
    yy += a * middle.y * middle.y + third * (u.y * u.y + v.y * v.y);
    xz += a * middle.x * middle.z + third * (u.x * u.z + v.x * v.z);
    yz += a * middle.y * middle.z + third * (u.y * u.z + v.y * v.z);
  }
  void add(const Moments& other) {
    for (double Moments::*part : {&Moments::area, &Moments::x, &Moments::y, &Moments::z, &Moments::xx, &Moments::xy,
                                  &Moments::yy, &Moments::xz, &Moments::yz}) {
      this->*part += other.*part;
    }
  }
  // Up, of the plane that fits best. REQUIRES: area > 0.
  Vec3 normal() const {
    const double of_xx = xx - x * x / area, of_xy = xy - x * y / area, of_yy = yy - y * y / area;
    const double of_xz = xz - x * z / area, of_yz = yz - y * z / area;
    const double determinant = of_xx * of_yy - of_xy * of_xy;
    return normalized(
        {(of_xy * of_yz - of_yy * of_xz) / determinant, (of_xy * of_xz - of_xx * of_yz) / determinant, 1});
  }
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
    for (const Tile& tile : tiling.tiles) {
      if (is_ground(tile)) at(column_of(tile), row_of(tile)).add(tile, tile.centroid - least_);
    }
  }

  Vec3 normal_around(const Tile& tile) const {
    Moments all;
    const std::ptrdiff_t column = column_of(tile), row = row_of(tile);
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(row - cells_around, 0);
         j <= std::min(row + cells_around, rows_ - 1); ++j) {
      for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(column - cells_around, 0);
           i <= std::min(column + cells_around, columns_ - 1); ++i) {
        all.add(cells_[static_cast<std::size_t>(j * columns_ + i)]);
      }
    }
    return all.normal();
  }

 private:
  static std::ptrdiff_t cell_of(double along_m) { return static_cast<std::ptrdiff_t>(along_m / cell_m); }
  std::ptrdiff_t column_of(const Tile& tile) const { return cell_of(tile.centroid.x - least_.x); }
  std::ptrdiff_t row_of(const Tile& tile) const { return cell_of(tile.centroid.y - least_.y); }
  Moments& at(std::ptrdiff_t column, std::ptrdiff_t row) {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }

  Vec3 least_;
  std::ptrdiff_t columns_ = 0, rows_ = 0;
  std::vector<Moments> cells_;
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
