// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/tiling.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/scene/issue_log.h"
#include "core/scene/issue_text.h"
#include "core/tiling/building_tiles.h"
#include "core/tiling/edges.h"
#include "core/tiling/ground_tiles.h"
#include "core/tiling/outline.h"
#include "core/tiling/tile_id.h"
#include "core/tiling/walls.h"

namespace tesseray {
namespace {

constexpr std::size_t prisms_per_block = 64;
constexpr std::uint64_t most_slots = std::uint64_t{1} << slot_bits;  // of a building

[[noreturn]] void refuse_building(const Prism& prism, const TilingOptions& options) {
  throw Error(ErrorKind::invalid_input, "too_many_building_tiles",
              "the building of feature " + std::to_string(prism.source_feature) +
                  " has more parts, or larger ones, than can be numbered in tiles of " +
                  square_metres(options.tile_area_m2),
              "divide the building into several features; a larger TILE_AREA or MIN_WALL_WIDTH takes fewer numbers");
}

// The slots of each prism, the parts of a building one after the other, and where those of its building end.
struct PrismSlots {
  std::uint64_t first = 0, building_end = 0;
};
std::vector<PrismSlots> prism_slots(const Scene& scene, const std::vector<std::uint64_t>& counts,
                                    const TilingOptions& options) {
  std::vector<PrismSlots> slots(scene.prisms.size());
  std::unordered_map<std::int64_t, std::uint64_t> used;
  used.reserve(scene.prisms.size());
  for (std::size_t p = 0; p < scene.prisms.size(); ++p) {
    std::uint64_t& next = used[scene.prisms[p].building_id];
    slots[p].first = next;
    next += counts[p];
    if (next > most_slots) refuse_building(scene.prisms[p], options);
  }
  for (std::size_t p = 0; p < scene.prisms.size(); ++p) slots[p].building_end = used[scene.prisms[p].building_id];
  return slots;
}

void add(TilingCounts& sum, const TilingCounts& counts) {
  sum.walls_too_small += counts.walls_too_small;
  sum.roofs_without_tile += counts.roofs_without_tile;
  sum.wall_tiles_covered += counts.wall_tiles_covered;
  sum.wall_tiles_under_ground += counts.wall_tiles_under_ground;
  sum.roof_tiles_covered += counts.roof_tiles_covered;
}

std::vector<std::uint32_t> buildings_without_walls(const Scene& scene, const TiledPrisms& tiled,
                                                   const std::vector<std::vector<EdgeSegment>>& edges,
                                                   double least_area_m2) {
  std::vector<std::uint32_t> found;
  const std::vector<Prism>& prisms = scene.prisms;
  for (std::size_t first = 0, end = 0; first < prisms.size(); first = end) {
    bool has_some = false;
    double too_small_m2 = 0;
    for (; end < prisms.size() && prisms[end].building_id == prisms[first].building_id; ++end) {
      // Wall tiles go before roof tiles.
      has_some = has_some || !edges[end].empty() || tiled.tiles[end].roof_tiles.begin > 0;
      too_small_m2 += tiled.walls[end].too_small_m2;
    }
    if (!has_some && too_small_m2 > 0 && too_small_m2 >= least_area_m2) {
      found.push_back(static_cast<std::uint32_t>(first));
    }
  }
  return found;
}

// Whether some place of the area, of a few hundred, lies under the open sky.
bool has_open_ground(const Scene& scene) {
  if (scene.extent.empty()) return false;
  const PrismIndex index(scene);
  const Vec2 size = scene.extent.max - scene.extent.min;
  constexpr int places = 20;
  for (int i = 0; i < places * places; ++i) {
    const double x = (i % places + 0.5) / places, y = (i / places + 0.5) / places;
    const Vec2 place = scene.extent.min + Vec2{x * size.x, y * size.y};
    if (!is_in_solid(index, {place.x, place.y, scene.terrain.height_at(place) + probe_lift_m})) return true;
  }
  return false;
}

// Appends the lists of all prisms, numbered by building and slot. Those without a slot of their own get the building's
// last ones, from the end on.
template <class Item, class GetItems, class MakeId>
void append_numbered(const Scene& scene, const std::vector<PrismSlots>& slots, const TilingOptions& options,
                     const GetItems& items_of, const MakeId& make_id, std::vector<Item>& out) {
  std::unordered_map<std::int64_t, std::uint64_t> last_slots;
  for (std::size_t p = 0; p < scene.prisms.size(); ++p) {
    const Prism& prism = scene.prisms[p];
    const auto last_slot = [&] {
      std::uint64_t& last = last_slots.try_emplace(prism.building_id, most_slots).first->second;
      if (--last < slots[p].building_end) refuse_building(prism, options);
      return last;
    };
    for (Item item : items_of(p)) {
      const std::uint64_t slot = item.id >= 0 ? slots[p].first + static_cast<std::uint64_t>(item.id) : last_slot();
      item.id = make_id(prism.building_id, slot);
      out.push_back(item);
    }
  }
}

}  // namespace

Vec3 bisector(const EdgeSegment& edge) {
  const double half = 0.5 * edge.wedge_angle;
  return std::cos(half) * edge.tangent_0 + std::sin(half) * edge.normal_0;
}

void require_numbers(std::uint64_t tiles, std::uint64_t edges) {
  if (tiles + edges < no_index) return;
  throw Error(ErrorKind::resources, "too_many_tiles",
              std::to_string(tiles) + " tiles" + (edges > 0 ? " and " + std::to_string(edges) + " edge segments" : "") +
                  " are more than can be numbered",
              "give a smaller EXTENT or a larger TILE_AREA");
}

Tiling tile_scene(const Scene& scene, const TilingOptions& options, Progress& progress) {
  progress.begin_stage("tiling");
  const std::size_t prisms = scene.prisms.size();
  const PrismIndex index(scene);
  const auto for_prisms = [&](const auto& visit) {
    parallel_blocks(prisms, prisms_per_block, progress, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) visit(static_cast<std::uint32_t>(p));
    });
  };

  // First, since a building that cannot be numbered is one that takes long.
  std::vector<std::uint64_t> slot_counts(prisms);
  for_prisms([&](std::uint32_t p) {
    slot_counts[p] = slot_count(scene.prisms[p], outline_walls(scene.prisms[p], options), options);
  });
  const std::vector<PrismSlots> slots = prism_slots(scene, slot_counts, options);
  TiledGround ground = tile_ground(scene, index, options, progress);
  std::vector<PrismWalls> walls(prisms);
  for_prisms([&](std::uint32_t p) { walls[p] = expose_walls(scene, index, p, options); });
  std::vector<PrismTiles> tiles(prisms);
  for_prisms([&](std::uint32_t p) { tiles[p] = tile_prism(scene, index, p, walls[p], options); });

  std::vector<std::uint32_t> first_tile(prisms);
  std::uint64_t count = ground.tiles.size();
  for (std::size_t p = 0; p < prisms; ++p) {
    first_tile[p] = static_cast<std::uint32_t>(count);
    count += tiles[p].tiles.size();
  }
  require_numbers(count, 0);
  std::vector<std::vector<EdgeSegment>> edges(prisms);
  const TiledPrisms tiled{walls, tiles, first_tile};
  for_prisms([&](std::uint32_t p) { edges[p] = find_edges(scene, index, tiled, p, options); });

  Tiling tiling;
  tiling.options = options;
  for (const PrismTiles& of_prism : tiles) add(tiling.counts, of_prism.counts);
  tiling.without_walls = buildings_without_walls(scene, tiled, edges, options.min_wall_area_m2);
  tiling.edges = find_ridges(scene, index, ground, options);
  std::uint64_t edge_count = tiling.edges.size();
  for (const std::vector<EdgeSegment>& of_prism : edges) edge_count += of_prism.size();
  require_numbers(count, edge_count);
  tiling.tiles = std::move(ground.tiles);
  tiling.tiles.reserve(count);
  append_numbered(
      scene, slots, options, [&](std::size_t p) -> const auto& { return tiles[p].tiles; }, building_tile_id,
      tiling.tiles);
  append_numbered(
      scene, slots, options, [&](std::size_t p) -> const auto& { return edges[p]; }, building_edge_id, tiling.edges);
  return tiling;
}

std::vector<Issue> tiling_issues(const Scene& scene, const Tiling& tiling, const std::string& buildings_layer) {
  IssueLog log(buildings_layer);
  for (const std::uint32_t p : tiling.without_walls) {
    const Prism& prism = scene.prisms[p];
    log.add(Issue::Action::assumed, "walls_too_small",
            "all walls are narrower than MIN_WALL_WIDTH (" + metres(tiling.options.min_wall_width_m) +
                ") or smaller than MIN_WALL_AREA (" + square_metres(tiling.options.min_wall_area_m2) +
                "): it hides what is behind it, but its walls send nothing on and nothing is diffracted around it",
            prism.source_feature, prism.rings);
  }
  const bool has_ground = !tiling.tiles.empty() && tiling.tiles.front().kind == SurfaceKind::ground;
  if (!tiling.tiles.empty() && !has_ground && has_open_ground(scene)) {
    IssueLog of_area("");
    of_area.add(
        Issue::Action::assumed, "no_ground_tiles",
        "of the cells of TILE_AREA, " + square_metres(tiling.options.tile_area_m2) +
            ", none has its middle within the area and a quarter of it on open ground: nothing is predicted on "
            "the ground, which reflects and scatters nothing either; give a smaller TILE_AREA or a larger EXTENT");
    log.append(std::move(of_area));
  }
  return std::move(log.issues());
}

std::uint64_t environment_hash(std::uint64_t scene_hash, const TilingOptions& options, int version) {
  StableHash hash;
  hash.add(std::string_view("tesseray environment " + std::to_string(version)));
  hash.add(scene_hash);
  for (const double option :
       {options.tile_area_m2, options.min_wall_width_m, options.min_wall_area_m2, options.ridge_angle_deg}) {
    hash.add(option);
  }
  return hash.value();
}

std::uint64_t environment_hash(const Scene& scene, const TilingOptions& options) {
  return environment_hash(scene_hash(scene), options);
}

}  // namespace tesseray
