// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/roofs_before_walls.h"

#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

std::optional<LeftOfRay> RoofsBeforeWalls::left_at(std::uint32_t tile, Vec3 place) const {
  const Vec3 normal = setting_.environment.tiling.tiles[tile].normal;
  const bool is_hidden = is_hidden_by_buildings(place + lift_m * normal);
  const auto as_at_middle = [&] { return is_hidden ? std::nullopt : std::optional(LeftOfRay{}); };
  if (!waves_.screens_count_in_sight()) return as_at_middle();
  ThreadState& state = threads_.local();
  const LeftAtMiddle& middle = left_at_middle(tile, state);
  if (middle.runs_along_ground || !(middle.by_roofs.amplitude > 0)) return as_at_middle();
  const LeftOfRay left =
      waves_.left_by_roofs(waves_.way_in_air(), tile, place + before_roofs_in_air_m * normal, state.work);
  if (is_hidden && !(left.comes_near && left.amplitude < most_left_of_hidden)) return std::nullopt;
  return LeftOfRay{left.amplitude / middle.by_roofs.amplitude, left.offset_m - middle.by_roofs.offset_m};
}

const RoofsBeforeWalls::LeftAtMiddle& RoofsBeforeWalls::left_at_middle(std::uint32_t tile, ThreadState& state) const {
  const auto [found, is_new] = state.middles.try_emplace(tile);
  LeftAtMiddle& middle = found->second;
  if (!is_new) return middle;
  const StraightWay way = waves_.way_in_air();
  middle.runs_along_ground = waves_.left_near_ground(way, tile, state.work, state.wave).has_value();
  if (!middle.runs_along_ground) {
    middle.by_roofs = waves_.left_by_roofs(way, tile, setting_.environment.points.reference(tile), state.work);
  }
  return middle;
}

bool RoofsBeforeWalls::is_hidden_by_buildings(Vec3 place) const {
  const auto [first, second] = ordered_ends(setting_.transmitter.position, place);
  return meets_prism(setting_.environment.occlusion.view(), first, second);
}

}  // namespace tesseray
