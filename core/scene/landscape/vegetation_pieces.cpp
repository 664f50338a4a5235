// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/vegetation_pieces.h"

#include <algorithm>

#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/landscape/terrain_surface.h"

namespace tesseray {
namespace {

constexpr double least_side_m = 30;
// Of the trees' height: on a plane the lowest ground lies half its rise below the mean, and the highest above it.
constexpr double greatest_off_mean = 0.25;

bool follows_ground(const Terrain& terrain, const Rings& rings, double height_m) {
  const double mean = mean_height_under(terrain, rings), most = greatest_off_mean * height_m;
  const HeightRange heights = heights_under(terrain, rings);
  return mean - heights.lowest <= most && heights.highest - mean <= most;
}

void append_pieces(const Terrain& terrain, const Rings& rings, double height_m, PolygonOverlay& overlay,
                   std::vector<Rings>& pieces) {
  const Rectangle box = bounds(rings);
  const Vec2 size = box.max - box.min;
  if (std::max(size.x, size.y) <= least_side_m || follows_ground(terrain, rings, height_m)) {
    pieces.push_back(rings);
    return;
  }
  const Vec2 middle = 0.5 * (box.min + box.max);
  const bool is_wide = size.x >= size.y;
  for (const Rings& half : {as_rings({box.min, is_wide ? Vec2{middle.x, box.max.y} : Vec2{box.max.x, middle.y}}),
                            as_rings({is_wide ? Vec2{middle.x, box.min.y} : Vec2{box.min.x, middle.y}, box.max})}) {
    for (const Rings& piece : overlay.intersection(rings, half)) {
      append_pieces(terrain, piece, height_m, overlay, pieces);
    }
  }
}

}  // namespace

std::vector<Rings> vegetation_pieces(const Terrain& terrain, const Rings& rings, double height_m,
                                     PolygonOverlay& overlay) {
  std::vector<Rings> pieces;
  append_pieces(terrain, rings, height_m, overlay, pieces);
  return pieces;
}

}  // namespace tesseray
