// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/receiver_legs.h"

#include <vector>

#include "core/propagation/bounced_rays.h"
#include "core/propagation/ray_path.h"
#include "core/tiling/outline.h"
#include "core/visibility/occlusion_view.h"

namespace tesseray {

// What the ray seems to come from before its first interaction: the antenna, or the last edge of a wave over the roofs.
VirtualSource ReceiverLegs::first_source(const RayEnding& ending) const {
  VirtualSource source = ending.source;
  for (std::size_t i = ending.chain.length; i-- > 0;) {
    const std::uint32_t element = ending.chain.elements[i];
    if (environment_.points.is_edge(element)) return {transmitter_.position};
    const Tile& tile = environment_.tiling.tiles[element];
    source = mirrored(source, tile.centroid, tile.normal);
  }
  return source;
}

ReceiverLegs::Way ReceiverLegs::way_of(const RayEnding& ending) const {
  const InteractionChain& chain = ending.chain;
  if (!chain.is_scattered()) return {chain, first_source(ending)};
  // From the middle of the tile that scatters it.
  Way way;
  way.source = {lifted(environment_.tiling.tiles[chain.elements[0]].centroid, chain.elements[0])};
  for (std::size_t i = 1; i < chain.length; ++i) way.chain.push(chain.elements[i]);
  return way;
}

Vec3 ReceiverLegs::into_the_air(std::uint32_t element) const {
  return environment_.points.is_tile(element) ? environment_.tiling.tiles[element].normal
                                              : bisector(environment_.view.edge(element));
}

bool ReceiverLegs::is_of_terrain(std::uint32_t element) const {
  return environment_.points.is_tile(element) ? environment_.points.is_ground(element)
                                              : environment_.view.edge(element).kind == EdgeKind::terrain;
}

// Places are found on a tile's plane or an edge's line, which go on beyond the building; where they are on it there is
// solid behind them. Before a curve the outline that is tiled lies in the air.
bool ReceiverLegs::is_on_its_building(Vec3 place, std::uint32_t element) const {
  const Vec3 outwards = into_the_air(element);
  for (const double depth_m : {lift_m, lift_m + greatest_shift_m(environment_.tiling.options)}) {
    if (is_inside_part(environment_.occlusion.view(), place - depth_m * outwards)) return true;
  }
  return false;
}

bool ReceiverLegs::is_free(Vec3 begin, Vec3 end, bool asks_terrain) const {
  const OcclusionView& occlusion = environment_.occlusion.view();
  const auto [first, second] = ordered_ends(begin, end);
  return !meets_prism(occlusion, first, second) && !(asks_terrain && meets_terrain(occlusion, first, second));
}

bool ReceiverLegs::are_free(const RayEnding& ending, std::uint32_t number) const {
  const auto [chain, source] = way_of(ending);
  if (chain.length == 0) return true;
  const std::vector<Vec3> places = trace_chain(environment_.tiling, chain, source, environment_.points.arrival(number));
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    // It stands for a ray of another order (comes_from_front()).
    if (environment_.points.is_tile(element) && lies_behind(places[i + 2], environment_.tiling.tiles[element])) {
      return true;
    }
  }
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (!is_of_terrain(element) && !is_on_its_building(places[i + 1], element)) return false;
  }
  // A wave over the roofs is known by its profile, and one through a building goes through that.
  const bool begins_otherwise = chain.over_rooftops || chain.through_building;
  // Tiles flatten the terrain: what meets them does so above it or below.
  const auto is_off_the_terrain = [&](std::uint32_t element) {
    return environment_.points.is_tile(element) || is_of_terrain(element);
  };
  for (std::size_t leg = begins_otherwise ? 1 : 0; leg <= chain.length; ++leg) {
    Vec3 begin = places[leg], end = places[leg + 1];
    bool asks_terrain = leg > 0 || !ending.chain.is_scattered();
    if (leg > 0) {
      const std::uint32_t element = chain.elements[leg - 1];
      begin = lifted(begin, element);
      asks_terrain &= !is_off_the_terrain(element);
    }
    if (leg < chain.length) {
      const std::uint32_t element = chain.elements[leg];
      end = lifted(end, element);
      asks_terrain &= !is_off_the_terrain(element);
    }
    if (!is_free(begin, end, asks_terrain)) return false;
  }
  return true;
}

}  // namespace tesseray
