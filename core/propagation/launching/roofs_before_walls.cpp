// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/roofs_before_walls.h"

#include "core/propagation/rows/point_intervals.h"
#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

std::optional<LeftOfRay> RoofsBeforeWalls::left_at(std::uint32_t tile_number, Vec3 place) const {
  const Tile& tile = setting_.environment.tiling.tiles[tile_number];
  const bool is_hidden = is_hidden_by_buildings(place + lift_m * tile.normal);
  const auto as_at_middle = [&] { return is_hidden ? std::nullopt : std::optional(LeftOfRay{}); };
  if (!waves_.screens_count_in_sight()) return as_at_middle();
  ThreadState& state = threads_.local();
  const LeftOnTile& on_tile = left_on_tile(tile_number, state);
  if (on_tile.runs_along_ground || !(on_tile.at_middle.amplitude > 0)) return as_at_middle();
  if (!is_hidden && !on_tile.comes_near && TileFrame(tile).holds(place)) return LeftOfRay{};
  const LeftOfRay left = left_by_roofs(tile_number, place, state);
  if (is_hidden && !(left.comes_near && left.amplitude < most_left_of_hidden)) return std::nullopt;
  return LeftOfRay{left.amplitude / on_tile.at_middle.amplitude, left.offset_m - on_tile.at_middle.offset_m};
}

const RoofsBeforeWalls::LeftOnTile& RoofsBeforeWalls::left_on_tile(std::uint32_t tile_number,
                                                                   ThreadState& state) const {
  const auto [found, is_new] = state.tiles.try_emplace(tile_number);
  LeftOnTile& left = found->second;
  if (!is_new) return left;
  const StraightWay way = waves_.way_in_air();
  left.runs_along_ground = waves_.left_near_ground(way, tile_number, state.work, state.wave).has_value();
  if (left.runs_along_ground) return left;
  const Vec3 middle = setting_.environment.points.reference(tile_number);
  left.at_middle = waves_.left_by_roofs(way, tile_number, middle, state.work);
  // Rays to its lower corners pass lower over all roofs than those to the rest of it.
  const Tile& tile = setting_.environment.tiling.tiles[tile_number];
  const Vec3 foot = tile.centroid - tile.half_v;
  left.comes_near = left.at_middle.comes_near || left_by_roofs(tile_number, foot - tile.half_u, state).comes_near ||
                    left_by_roofs(tile_number, foot + tile.half_u, state).comes_near;
  return left;
}

LeftOfRay RoofsBeforeWalls::left_by_roofs(std::uint32_t tile, Vec3 place, ThreadState& state) const {
  const Vec3 in_air = before_roofs_in_air_m * setting_.environment.tiling.tiles[tile].normal;
  return waves_.left_by_roofs(waves_.way_in_air(), tile, place + in_air, state.work);
}

bool RoofsBeforeWalls::is_hidden_by_buildings(Vec3 place) const {
  return !path_is_free_of_buildings(setting_.environment.occlusion.view(), setting_.transmitter.position, place);
}

}  // namespace tesseray
