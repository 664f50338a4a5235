// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/terrain_holes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/units.h"
#include "core/scene/elevation_range.h"

namespace tesseray {
namespace {

struct Holes {
  std::vector<std::uint32_t> nodes;  // ascending
  std::size_t depth = 0;             // of the deepest, in nodes from its rim
};

// A first guess, from the rims inwards: each wave takes the mean of the neighbours that are known by then.
Holes filled_in_waves(Terrain& terrain) {
  std::vector<float>& heights = terrain.height_m;
  Holes holes;
  std::vector<bool> is_queued(heights.size(), false);
  std::vector<std::size_t> wave, next;
  const auto queue_unknown_neighbours = [&](std::size_t of, std::vector<std::size_t>& queue) {
    for_neighbours(terrain, of, [&](std::size_t i) {
      if (is_known_height(heights[i]) || is_queued[i]) return;
      is_queued[i] = true;
      queue.push_back(i);
    });
  };
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (is_known_height(heights[i])) {
      queue_unknown_neighbours(i, wave);
    } else {
      holes.nodes.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::vector<float> filled;
  while (!wave.empty()) {
    ++holes.depth;
    filled.clear();
    for (const std::size_t i : wave) {
      double sum = 0;
      int known = 0;
      for_neighbours(terrain, i, [&](std::size_t neighbour) {
        if (!is_known_height(heights[neighbour])) return;
        sum += static_cast<double>(heights[neighbour]);
        ++known;
      });
      filled.push_back(static_cast<float>(sum / known));
    }
    for (std::size_t k = 0; k < wave.size(); ++k) heights[wave[k]] = filled[k];
    next.clear();
    for (const std::size_t i : wave) queue_unknown_neighbours(i, next);
    wave.swap(next);
  }
  return holes;
}

// What Laplace's equation has at a node, from the two or four next to it.
class Stretched {
 public:
  explicit Stretched(const Terrain& terrain)
      : terrain_(terrain),
        along_x_(1 / (terrain.step_x * terrain.step_x)),
        along_y_(1 / (terrain.step_y * terrain.step_y)) {}

  double at(std::size_t node) const {
    const std::size_t columns = terrain_.columns, column = node % columns, row = node / columns;
    double sum = 0, weights = 0;
    const auto add = [&](bool is_inside, std::size_t neighbour, double weight) {
      if (!is_inside) return;
      sum += weight * static_cast<double>(terrain_.height_m[neighbour]);
      weights += weight;
    };
    add(column > 0, node - 1, along_x_);
    add(column + 1 < columns, node + 1, along_x_);
    add(row > 0, node - columns, along_y_);
    add(row + 1 < terrain_.rows, node + columns, along_y_);
    return sum / weights;
  }

 private:
  const Terrain& terrain_;
  double along_x_, along_y_;
};

// As many changes of nodes take a second.
constexpr std::size_t most_changes = 100'000'000;

// By successive over-relaxation. Sweeps go as the hole's width with the right factor for it.
std::size_t sweeps_for(const Holes& holes) { return 5 * holes.depth + 3; }

void stretch(Terrain& terrain, const Holes& holes, double relaxation, std::size_t sweeps) {
  constexpr double settled_m = 1e-4;
  const Stretched stretched(terrain);
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    double most_m = 0;
    for (const std::uint32_t node : holes.nodes) {
      const auto before = static_cast<double>(terrain.height_m[node]);
      const double change_m = relaxation * (stretched.at(node) - before);
      terrain.height_m[node] = static_cast<float>(before + change_m);
      most_m = std::max(most_m, std::fabs(change_m));
    }
    if (most_m < settled_m) return;
  }
}

// Every second node of every second row, before the holes were filled.
Terrain every_second_node(const Terrain& terrain, const Holes& holes) {
  Terrain coarse;
  coarse.south_west = terrain.south_west;
  coarse.step_x = 2 * terrain.step_x;
  coarse.step_y = 2 * terrain.step_y;
  coarse.columns = (terrain.columns + 1) / 2;
  coarse.rows = (terrain.rows + 1) / 2;
  std::vector<bool> is_unknown(terrain.height_m.size(), false);
  for (const std::uint32_t node : holes.nodes) is_unknown[node] = true;
  for (std::size_t row = 0; row < terrain.rows; row += 2) {
    for (std::size_t column = 0; column < terrain.columns; column += 2) {
      const std::size_t node = row * terrain.columns + column;
      coarse.height_m.push_back(is_unknown[node] ? std::numeric_limits<float>::quiet_NaN() : terrain.height_m[node]);
    }
  }
  return coarse;
}

// Wide holes take theirs from a coarser terrain, and are then only smoothed.
void take_from_coarser(Terrain& terrain, const Holes& holes) {
  Terrain coarse = every_second_node(terrain, holes);
  if (std::none_of(coarse.height_m.begin(), coarse.height_m.end(), is_known_height)) return;
  fill_holes(coarse);
  for (const std::uint32_t node : holes.nodes) {
    const std::size_t column = node % terrain.columns, row = node / terrain.columns;
    const Vec2 place = terrain.south_west +
                       Vec2{static_cast<double>(column) * terrain.step_x, static_cast<double>(row) * terrain.step_y};
    terrain.height_m[node] = static_cast<float>(coarse.height_at(place));
  }
  constexpr std::size_t sweeps = 20;
  stretch(terrain, holes, 1, sweeps);
}

}  // namespace

bool is_known_height(float height) {
  const auto height_m = static_cast<double>(height);
  return height_m >= lowest_ground_m && height_m <= highest_ground_m;
}

void fill_holes(Terrain& terrain) {
  const Holes holes = filled_in_waves(terrain);
  const std::size_t sweeps = sweeps_for(holes);
  if (sweeps * holes.nodes.size() > most_changes) return take_from_coarser(terrain, holes);
  const double across = 2.0 * static_cast<double>(holes.depth) + 1;
  stretch(terrain, holes, 2 / (1 + std::sin(pi / across)), 4 * sweeps);
}

}  // namespace tesseray
