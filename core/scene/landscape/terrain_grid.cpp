// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/terrain_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/infinity.h"
#include "core/scene/issue_text.h"
#include "core/scene/landscape/terrain_holes.h"

namespace tesseray {
namespace {

constexpr double most_nodes = 4e8;

// How far `needed` reaches beyond the DEM's nodes, m.
double reach_outside(const Rectangle& covered, const Rectangle& needed) {
  return std::max({0.0, covered.min.x - needed.min.x, covered.min.y - needed.min.y, needed.max.x - covered.max.x,
                   needed.max.y - covered.max.y});
}

// The nodes around `needed`; outside of the DEM its nearest node's height.
Terrain cropped(const RawTerrain& raw, Vec2 south_west, const Rectangle& needed) {
  const double first_column = std::floor((needed.min.x - south_west.x) / raw.step_x) - 1;
  const double first_row = std::floor((needed.min.y - south_west.y) / raw.step_y) - 1;
  const double columns = std::ceil((needed.max.x - south_west.x) / raw.step_x) + 2 - first_column;
  const double rows = std::ceil((needed.max.y - south_west.y) / raw.step_y) + 2 - first_row;
  if (!(columns * rows <= most_nodes)) {
    throw Error(ErrorKind::resources, "terrain_too_large",
                "the area needs a terrain of " + std::to_string(std::llround(columns * rows)) + " nodes",
                "give a smaller EXTENT or a coarser DEM; one feature far from all others can also be the cause",
                {.file = raw.source});
  }
  Terrain terrain;
  terrain.south_west = {south_west.x + first_column * raw.step_x, south_west.y + first_row * raw.step_y};
  terrain.step_x = raw.step_x;
  terrain.step_y = raw.step_y;
  terrain.columns = static_cast<std::uint32_t>(columns);
  terrain.rows = static_cast<std::uint32_t>(rows);
  terrain.height_m.reserve(static_cast<std::size_t>(terrain.columns) * terrain.rows);
  const auto nearest = [](double index, std::uint32_t count) {
    return static_cast<std::size_t>(std::clamp(index, 0.0, count - 1.0));
  };
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    const std::size_t raw_row = nearest(first_row + row, raw.rows) * raw.columns;
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      terrain.height_m.push_back(raw.height_m[raw_row + nearest(first_column + column, raw.columns)]);
    }
  }
  return terrain;
}

// Where a terrain has heights, before the others are filled.
struct KnownGround {
  std::size_t known = 0, nodes = 0;
  Rectangle bounds;                            // of the cells around the known nodes
  std::array<std::size_t, 4> known_in_half{};  // in the order of half_names
  std::array<std::size_t, 4> nodes_in_half{};

  double unknown_share() const { return 1.0 - static_cast<double>(known) / static_cast<double>(nodes); }
  double unknown_share(std::size_t half) const {
    const double of = std::max(1.0, static_cast<double>(nodes_in_half[half]));
    return 1.0 - static_cast<double>(known_in_half[half]) / of;
  }
};
constexpr std::array half_names = {"north", "south", "east", "west"};

KnownGround known_ground(const Terrain& terrain) {
  KnownGround ground{.nodes = terrain.height_m.size()};
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      const bool known = is_known_height(terrain.height_m[static_cast<std::size_t>(row) * terrain.columns + column]);
      const std::size_t up = 2 * row >= terrain.rows ? 0 : 1, across = 2 * column >= terrain.columns ? 2 : 3;
      for (const std::size_t half : {up, across}) {
        ++ground.nodes_in_half[half];
        if (known) ++ground.known_in_half[half];
      }
      if (!known) continue;
      ++ground.known;
      for (const double to_side : {-0.5, 0.5}) {
        ground.bounds.extend(terrain.south_west +
                             Vec2{(column + to_side) * terrain.step_x, (row + to_side) * terrain.step_y});
      }
    }
  }
  return ground;
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// "mostly in the north (98 % there)", or nothing where they are all over.
std::string where_unknown(const KnownGround& ground) {
  std::size_t worst = 0;
  for (std::size_t half = 1; half < half_names.size(); ++half) {
    if (ground.unknown_share(half) > ground.unknown_share(worst)) worst = half;
  }
  constexpr double telling = 0.1;
  if (ground.unknown_share(worst) - ground.unknown_share() < telling) return ", all over the area";
  return std::string(", most in the ") + half_names[worst] + " (" + percent(ground.unknown_share(worst)) +
         " of that half)";
}

// Heights that were filled; of most of them, also where the known ones are and what can be done.
void note_filled(const KnownGround& ground, Vec2 origin, IssueLog& log) {
  const std::string filled = std::to_string(ground.nodes - ground.known) + " of " + std::to_string(ground.nodes) +
                             " terrain heights " + (ground.nodes - ground.known == 1 ? "is" : "are") +
                             " no-data or not on Earth";
  if (ground.known == ground.nodes) return;
  if (ground.unknown_share() <= 0.5) {
    log.add(Issue::Action::repaired, "terrain_filled", filled + "; filled from their surroundings");
    return;
  }
  const auto range = [](const char* axis, double from, double to) {
    return std::string(axis) + " " + std::to_string(std::lround(from)) + " … " + std::to_string(std::lround(to));
  };
  const Rectangle& box = ground.bounds;
  log.add(Issue::Action::assumed, "terrain_mostly_unknown",
          percent(ground.unknown_share()) + " of the ground is a guess: " + filled + where_unknown(ground) +
              ", and are filled from the nearest known ones. Known heights lie within " +
              range("x", origin.x + box.min.x, origin.x + box.max.x) + ", " +
              range("y", origin.y + box.min.y, origin.y + box.max.y) +
              ". Give a DEM of the whole area, or limit EXTENT to where there are heights",
          -1, {{box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}}});
}

// Zeros may be no-data that the file does not declare, and are where most of their neighbours stand on a cliff above or
// below them, as no shore does.
void note_zeros(const Terrain& terrain, IssueLog& log) {
  constexpr std::size_t fewest = 4;  // a slope may meet 0 in one node
  const double cliff_m = std::max(10.0, 0.5 * std::min(terrain.step_x, terrain.step_y));
  std::size_t zeros = 0, neighbours = 0, cliffs = 0;
  Rectangle box;
  for (std::size_t i = 0; i < terrain.height_m.size(); ++i) {
    if (terrain.height_m[i] != 0) continue;
    ++zeros;
    const std::size_t row = i / terrain.columns, column = i % terrain.columns;
    for (const double to_side : {-0.5, 0.5}) {
      box.extend(terrain.south_west + Vec2{(static_cast<double>(column) + to_side) * terrain.step_x,
                                           (static_cast<double>(row) + to_side) * terrain.step_y});
    }
    for_neighbours(terrain, i, [&](std::size_t neighbour) {
      const float height = terrain.height_m[neighbour];
      if (!is_known_height(height) || height == 0) return;
      ++neighbours;
      if (std::fabs(static_cast<double>(height)) >= cliff_m) ++cliffs;
    });
  }
  if (zeros < fewest || 2 * cliffs <= neighbours) return;
  log.add(Issue::Action::assumed, "terrain_zeros",
          std::to_string(zeros) + " terrain heights are exactly 0 amid ground " + std::to_string(std::lround(cliff_m)) +
              " m and more above or below, and are taken as they are. If they stand for no data, declare 0 as the "
              "DEM's no-data value",
          -1, {{box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}}});
}

// How far a height stands above or below all that lie around it: 0 where it does not.
double stands_out_m(const Terrain& terrain, std::size_t node) {
  const auto here = static_cast<double>(terrain.height_m[node]);
  double above_m = infinity, below_m = infinity;
  for_neighbours(terrain, node, [&](std::size_t neighbour) {
    const auto there = static_cast<double>(terrain.height_m[neighbour]);
    if (!std::isfinite(there)) return;
    above_m = std::min(above_m, here - there);
    below_m = std::min(below_m, there - here);
  });
  const double most_m = std::max(above_m, below_m);
  return std::isfinite(most_m) ? std::max(most_m, 0.0) : 0.0;
}

// Single heights far from all around them are errors: no ground is so steep on every side.
void note_spikes(const Terrain& terrain, Vec2 origin, IssueLog& log) {
  const double spike_m = std::max(30.0, 2 * std::max(terrain.step_x, terrain.step_y));
  std::size_t spikes = 0;
  double most_m = 0;
  Rectangle box;
  Vec2 place;
  for (std::size_t i = 0; i < terrain.height_m.size(); ++i) {
    if (!is_known_height(terrain.height_m[i])) continue;
    const double out_m = stands_out_m(terrain, i);
    if (out_m < spike_m) continue;
    ++spikes;
    const std::size_t row = i / terrain.columns, column = i % terrain.columns;
    const Vec2 here = terrain.south_west +
                      Vec2{static_cast<double>(column) * terrain.step_x, static_cast<double>(row) * terrain.step_y};
    const Vec2 cell = {terrain.step_x, terrain.step_y};
    box.extend(here - cell);
    box.extend(here + cell);
    if (out_m <= most_m) continue;
    most_m = out_m;
    place = here + origin;
  }
  if (spikes == 0) return;
  log.add(Issue::Action::assumed, "terrain_spikes",
          std::to_string(spikes) + " terrain height(s) stand " + metres(spike_m) +
              " and more above or below all around them, most by " + metres(most_m) + " at x " +
              std::to_string(std::lround(place.x)) + ", y " + std::to_string(std::lround(place.y)) +
              ", and are taken as they are. If they are errors, mend the DEM, or make them its no-data",
          -1, {{box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}}});
}

// The step that the grid can have, and whether it is the DEM's own for all that the coordinates show.
double step_on_grid(double step, std::uint32_t count, bool& is_same) {
  const double on_grid = std::max(coordinate_step_m, snapped(step));
  constexpr double shown_m = 0.01;
  is_same = is_same && std::fabs(on_grid - step) * count < shown_m;
  return on_grid;
}

Terrain resampled(const Terrain& source, double step_x, double step_y) {
  Terrain terrain;
  terrain.south_west = {snapped(source.south_west.x), snapped(source.south_west.y)};
  terrain.step_x = step_x;
  terrain.step_y = step_y;
  // As many cells as cover the source.
  const auto nodes = [](double length, double step) {
    return static_cast<std::uint32_t>(std::ceil(length / step)) + 1;
  };
  terrain.columns = nodes(source.step_x * (source.columns - 1), step_x);
  terrain.rows = nodes(source.step_y * (source.rows - 1), step_y);
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      const Vec2 p = terrain.south_west + Vec2{column * step_x, row * step_y};
      terrain.height_m.push_back(static_cast<float>(source.height_at(p)));
    }
  }
  return terrain;
}

}  // namespace

Terrain make_terrain(const RawTerrain& raw, const Rectangle& needed, Vec2 origin, IssueLog& log) {
  const ErrorPlace place{.file = raw.source};
  if (raw.columns == 0 || raw.rows == 0 || !(raw.step_x > 0) || !(raw.step_y > 0) ||
      raw.height_m.size() != static_cast<std::size_t>(raw.columns) * raw.rows) {
    throw Error(ErrorKind::invalid_input, "bad_terrain", "the terrain model has no grid of heights",
                "check the DEM with gdalinfo", place);
  }
  const Vec2 south_west{snapped(raw.south_west.x - origin.x), snapped(raw.south_west.y - origin.y)};
  const Rectangle covered{south_west,
                          {south_west.x + raw.step_x * (raw.columns - 1), south_west.y + raw.step_y * (raw.rows - 1)}};
  const bool is_apart = covered.max.x < needed.min.x || covered.min.x > needed.max.x || covered.max.y < needed.min.y ||
                        covered.min.y > needed.max.y;
  if (is_apart) {
    throw Error(ErrorKind::invalid_input, "terrain_elsewhere", "the terrain model does not cover the area",
                "check the CRS of both, or leave DEM out for flat ground", place);
  }

  Terrain terrain = cropped(raw, south_west, needed);
  if (std::none_of(terrain.height_m.begin(), terrain.height_m.end(), is_known_height)) {
    throw Error(ErrorKind::invalid_input, "terrain_without_data", "the terrain model has only no-data in the area",
                "give a DEM that covers the area, or leave DEM out for flat ground", place);
  }
  note_zeros(terrain, log);
  note_spikes(terrain, origin, log);
  note_filled(known_ground(terrain), origin, log);
  fill_holes(terrain);
  const double outside = reach_outside(covered, needed);
  if (outside > 0) {
    log.add(Issue::Action::assumed, "terrain_extended",
            "the area reaches up to " + metres(outside) + " beyond the terrain model; its border heights go on there");
  }

  bool is_same = true;
  const double step_x = step_on_grid(raw.step_x, terrain.columns, is_same);
  const double step_y = step_on_grid(raw.step_y, terrain.rows, is_same);
  if (is_same) {
    terrain.south_west = {south_west.x + std::round((terrain.south_west.x - south_west.x) / raw.step_x) * step_x,
                          south_west.y + std::round((terrain.south_west.y - south_west.y) / raw.step_y) * step_y};
    terrain.step_x = step_x;
    terrain.step_y = step_y;
  } else {
    terrain = resampled(terrain, step_x, step_y);
    log.add(Issue::Action::repaired, "terrain_resampled",
            "the terrain's cells of " + std::to_string(raw.step_x) + " m × " + std::to_string(raw.step_y) +
                " m are resampled to whole 1/1024 m");
  }
  for (float& height : terrain.height_m) height = static_cast<float>(snapped(static_cast<double>(height)));
  return terrain;
}

Terrain flat_terrain(double height_m, const Rectangle& needed, IssueLog& log) {
  log.add(Issue::Action::assumed, "flat_ground",
          "no DEM is given: the ground is taken as flat, at GROUND_HEIGHT, " + metres(height_m));
  constexpr double margin_m = 1;
  Terrain terrain;
  terrain.south_west = {std::floor(needed.min.x) - margin_m, std::floor(needed.min.y) - margin_m};
  terrain.step_x = std::ceil(needed.max.x) + margin_m - terrain.south_west.x;
  terrain.step_y = std::ceil(needed.max.y) + margin_m - terrain.south_west.y;
  terrain.columns = terrain.rows = 2;
  terrain.height_m.assign(4, static_cast<float>(snapped(height_m)));
  return terrain;
}

}  // namespace tesseray
