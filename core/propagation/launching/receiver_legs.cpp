// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/receiver_legs.h"

#include "core/propagation/launching/ray_path.h"
#include "core/propagation/tubes/bounced_rays.h"
#include "core/tiling/outline.h"
#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

bool ReceiverLegs::are_free(const RayEnding& ending, std::uint32_t number) const {
  const Way way = way_of(ending, number);
  if (way.chain.length == 0 || stands_for_another_order(way)) return true;
  if (!meets_its_buildings(way)) return false;
  // A wave over the roofs is known by its profile, and one through a building goes through that.
  const bool begins_otherwise = way.chain.over_rooftops || way.chain.through_building;
  for (std::size_t leg = begins_otherwise ? 1 : 0; leg <= way.chain.length; ++leg) {
    if (!is_free(way, leg)) return false;
  }
  return true;
}

ReceiverLegs::Way ReceiverLegs::way_of(const RayEnding& ending, std::uint32_t number) const {
  Way way;
  if (ending.chain.is_scattered()) {
    // From the middle of the tile that scatters it.
    const std::uint32_t scatterer = ending.chain.elements[0];
    way.source = {lifted(environment_.tiling.tiles[scatterer].centroid, scatterer)};
    way.begins_at_tile = true;
    for (std::size_t i = 1; i < ending.chain.length; ++i) way.chain.push(ending.chain.elements[i]);
  } else {
    way.chain = ending.chain;
    way.source = first_source(ending);
  }
  way.places = trace_chain(environment_.tiling, way.chain, way.source, environment_.points.arrival(number));
  return way;
}

// What a ray seems to come from before its first interaction: the antenna, or the last edge of a wave over the roofs.
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

// A ray of two reflections whose planes the middles have met in the other order (comes_from_front()): it is not drawn
// where it goes.
bool ReceiverLegs::stands_for_another_order(const Way& way) const {
  for (std::size_t i = 0; i < way.chain.length; ++i) {
    const std::uint32_t element = way.chain.elements[i];
    if (environment_.points.is_tile(element) && lies_behind(way.places[i + 2], environment_.tiling.tiles[element])) {
      return true;
    }
  }
  return false;
}

bool ReceiverLegs::meets_its_buildings(const Way& way) const {
  for (std::size_t i = 0; i < way.chain.length; ++i) {
    const std::uint32_t element = way.chain.elements[i];
    if (!is_of_terrain(element) && !is_on_its_building(way.places[i + 1], element)) return false;
  }
  return true;
}

bool ReceiverLegs::is_free(const Way& way, std::size_t leg) const {
  // Tiles flatten the terrain, and so do ridges: what meets them does so above it or below.
  const auto is_off_the_terrain = [&](std::uint32_t element) {
    return environment_.points.is_tile(element) || is_of_terrain(element);
  };
  Vec3 begin = way.places[leg], end = way.places[leg + 1];
  bool asks_terrain = leg > 0 || !way.begins_at_tile;
  if (leg > 0) {
    const std::uint32_t element = way.chain.elements[leg - 1];
    begin = lifted(begin, element);
    asks_terrain = !is_off_the_terrain(element);
  }
  if (leg < way.chain.length) {
    const std::uint32_t element = way.chain.elements[leg];
    end = lifted(end, element);
    asks_terrain = asks_terrain && !is_off_the_terrain(element);
  }
  const OcclusionView& occlusion = environment_.occlusion.view();
  const auto [first, second] = ordered_ends(begin, end);
  return !meets_prism(occlusion, first, second) && !(asks_terrain && meets_terrain(occlusion, first, second));
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
  const double before_a_curve_m = lift_m + greatest_shift_m(environment_.tiling.options);
  const auto is_before_solid = [&](double depth_m) {
    return is_inside_part(environment_.occlusion.view(), place - depth_m * into_the_air(element));
  };
  return is_before_solid(lift_m) || is_before_solid(before_a_curve_m);
}

}  // namespace tesseray
