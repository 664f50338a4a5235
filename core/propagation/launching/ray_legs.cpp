// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ray_legs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/rooftops/roof_sides.h"
#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/tubes/bounced_rays.h"
#include "core/propagation/tubes/left_near_edge.h"
#include "core/tiling/outline.h"
#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

std::optional<RayLegs::FreeRay> RayLegs::follow(const RayEnding& ending, std::uint32_t number) const {
  if (ending.chain.length == (ending.chain.is_scattered() ? 1 : 0)) return FreeRay{};
  const std::optional<Way> way = way_of(ending, number);
  if (!way || !is_free(*way)) return std::nullopt;
  const std::optional<LeftOfRay> left = left_at_wall(*way);
  if (!left) return std::nullopt;
  FreeRay ray{.left_at_wall = *left};
  if (!may_have_any_order(*way)) return ray;
  const std::span met(way->chain.elements.begin(), way->chain.length);
  ray.comes_as_drawn =
      std::equal(met.rbegin(), met.rend(), std::span(ending.chain.elements).first(ending.chain.length).rbegin());
  double length_m = 0;
  for (std::size_t leg = 0; leg <= way->chain.length; ++leg) length_m += norm(way->places[leg + 1] - way->places[leg]);
  const Vec3 target = way->places[way->chain.length + std::size_t{1}], last = way->places[way->chain.length];
  ray.in_any_order = RayInAnyOrder{.number = number,
                                   .interactions = ending.chain.length,
                                   .cross_polarized = ending.chain.cross_polarized,
                                   .through_building = ending.chain.through_building,
                                   .first_place = way->places[1],
                                   .image = target + length_m * normalized(last - target)};
  return ray;
}

LeftOfRay RayLegs::left_at_wall(const RayEnding& ending, std::uint32_t number) const {
  const std::optional<Way> way = way_of(ending, number);
  return way ? left_at_wall(*way).value_or(LeftOfRay{}) : LeftOfRay{};
}

bool RayLegs::is_free_without(std::uint32_t tile, const RayEnding& ending, std::uint32_t number) const {
  Way way;
  way.source = first_source(ending);
  way.chain = ending.chain;
  const auto met = std::span(way.chain.elements).first(way.chain.length);
  const auto left_out = std::find(met.rbegin(), met.rend(), tile);
  std::copy(left_out.base(), met.end(), left_out.base() - 1);
  way.chain.pop();
  return trace_in_order(environment_, way.source, environment_.points.arrival(number), way.chain, way.places) &&
         is_free(way);
}

bool RayLegs::is_free_of_buildings(Vec3 place, std::uint32_t element, Vec3 on_ground) const {
  const Vec3 begin = element == no_index ? place : lifted(place, element), end = on_ground + Vec3{0, 0, lift_m};
  return path_is_free_of_buildings(environment_.occlusion.view(), begin, end);
}

bool RayLegs::comes_to_last(const RayEnding& ending, Vec3 place) const {
  InteractionChain before = ending.chain;
  before.pop();
  RayPlaces places;
  return trace_in_order(environment_, first_source(ending), place, before, places);
}

std::optional<Vec3> RayLegs::place_on(std::uint32_t tile, const RayEnding& ending, std::uint32_t number) const {
  const std::optional<Way> way = way_of(ending, number);
  if (!way || !is_free(*way)) return std::nullopt;
  const auto met = std::span(way->chain.elements).first(way->chain.length);
  const auto place = std::find(met.begin(), met.end(), tile) - met.begin();
  return way->places[static_cast<std::size_t>(place) + 1];
}

std::optional<RayLegs::Way> RayLegs::way_of(const RayEnding& ending, std::uint32_t number) const {
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
  if (!trace_in_order(environment_, way.source, environment_.points.arrival(number), way.chain, way.places)) {
    return std::nullopt;
  }
  way.begins_as_drawn =
      !way.begins_at_tile && way.chain.length > 0 && way.chain.elements[0] == ending.chain.elements[0];
  return way;
}

VirtualSource RayLegs::first_source(const RayEnding& ending) const {
  VirtualSource source = ending.source;
  for (std::size_t i = ending.chain.length; i-- > 0;) {
    const std::uint32_t element = ending.chain.elements[i];
    if (environment_.points.is_edge(element)) return {transmitter_.position};
    const Tile& tile = environment_.tiling.tiles[element];
    source = mirrored(source, tile.centroid, tile.normal);
  }
  return source;
}

bool RayLegs::may_have_any_order(const Way& way) const {
  for (std::size_t i = 0; i + 1 < way.chain.length; ++i) {
    if (have_any_order(environment_.view, way.chain.elements[i], way.chain.elements[i + 1])) return true;
  }
  return false;
}

bool RayLegs::is_free(const Way& way) const {
  if (!meets_its_buildings(way)) return false;
  // A wave over the roofs is known by its profile to the first element, and one through a building goes through that.
  if (way.chain.over_rooftops && way.source.is_edge() && !comes_down(way)) return false;
  const bool begins_otherwise = way.chain.over_rooftops || way.chain.through_building || asks_roofs_before_wall(way);
  for (std::size_t leg = begins_otherwise ? 1 : 0; leg <= way.chain.length; ++leg) {
    if (!is_free(way, leg)) return false;
  }
  return true;
}

bool RayLegs::meets_its_buildings(const Way& way) const {
  for (std::size_t i = 0; i < way.chain.length; ++i) {
    const std::uint32_t element = way.chain.elements[i];
    if (!is_of_terrain(element) && !is_on_its_building(way.places[i + 1], element)) return false;
  }
  return true;
}

bool RayLegs::is_free(const Way& way, std::size_t leg) const {
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
  const bool is_free =
      asks_terrain ? path_is_free(occlusion, begin, end) : path_is_free_of_buildings(occlusion, begin, end);
  return is_free || (leg == 0 && is_weakened_at_edge(way));
}

// The profile is that to the element's reference point. Beside it the last edge is a line across that profile, and its
// roof and others about as high may end elsewhere: nothing hides it but what rises into the way's nearer part by more
// than the first Fresnel zone, and than half of what the way rises there.
bool RayLegs::comes_down(const Way& way) const {
  constexpr double asked_share = 2.0 / 3, rise = 0.5, step = 1.0 / 12;
  const Vec3 place = lifted(way.places[1], way.chain.elements[0]), edge = way.places[0];
  const double fresnel_zone_m = std::sqrt(2 * pi / view_.link.wave_number * norm(edge - place));  // across, halfway
  const Vec3 way_up = edge + Vec3{0, 0, std::max(rise * (edge.z - place.z), fresnel_zone_m)} - place;
  double share = asked_share;
  while (share > 0 && is_over_roof_of(edge, place + share * way_up)) share -= step;
  if (!(share > 0)) return true;
  return path_is_free_of_buildings(environment_.occlusion.view(), place, place + share * way_up);
}

bool RayLegs::is_over_roof_of(Vec3 edge, Vec3 point) const {
  constexpr double above_m = 1;
  const double roof_z = environment_.over_rooftops.roof_below({point.x, point.y, edge.z + above_m});
  return std::fabs(roof_z - edge.z) < even_roof_m;
}

bool RayLegs::is_weakened_at_edge(const Way& way) const {
  if (way.begins_at_tile || way.chain.length == 0 || view_.left_along_edges == nullptr ||
      environment_.options.over_rooftop != OverRooftop::screens) {
    return false;
  }
  const std::uint32_t first = way.chain.elements[0];
  if (!environment_.points.is_edge(first)) return false;
  const bool through_building = way.chain.through_building;
  const double amplitude = left_along_edge(view_, first, through_building).amplitude;
  const double left = amplitude * norm(left_at_edge(view_, first, through_building, way.places[1]).factor);
  return left > 0 && left < most_left_of_hidden;
}

bool RayLegs::asks_roofs_before_wall(const Way& way) const {
  if (roofs_ == nullptr || !way.begins_as_drawn || way.chain.over_rooftops || way.chain.through_building) return false;
  const std::uint32_t first = way.chain.elements[0];
  return environment_.points.is_tile(first) && environment_.tiling.tiles[first].kind == SurfaceKind::wall;
}

std::optional<LeftOfRay> RayLegs::left_at_wall(const Way& way) const {
  return asks_roofs_before_wall(way) ? roofs_->left_at(way.chain.elements[0], way.places[1]) : LeftOfRay{};
}

Vec3 RayLegs::into_the_air(std::uint32_t element) const {
  return environment_.points.is_tile(element) ? environment_.tiling.tiles[element].normal
                                              : bisector(environment_.view.edge(element));
}

bool RayLegs::is_of_terrain(std::uint32_t element) const {
  return environment_.points.is_tile(element) ? environment_.points.is_ground(element)
                                              : environment_.view.edge(element).kind == EdgeKind::terrain;
}

// Places are found on a tile's plane or an edge's line, which go on beyond the building; where they are on it there is
// solid behind them. Before a curve the outline that is tiled lies in the air, but ends where another wall begins. What
// lies between two parts that touch, side by side or one upon the other, is inside of neither: it is asked for on both
// hands, too.
bool RayLegs::is_on_its_building(Vec3 place, std::uint32_t element) const {
  constexpr double beside_m = 1e-6;
  const double before_a_curve_m = lift_m + greatest_shift_m(environment_.tiling.options);
  const Vec3 out = into_the_air(element);
  // Across the joints of walls and of upright edges, and some way across those of roofs.
  const Vec3 aside = normalized(Vec3{-out.y + 0.6 * out.z, out.x + 0.8 * out.z, 1});
  const auto is_before_solid = [&](double depth_m) {
    const OcclusionView& occlusion = environment_.occlusion.view();
    const Vec3 behind = place - depth_m * out;
    return is_inside_part(occlusion, behind) || (is_inside_part(occlusion, behind + beside_m * aside) &&
                                                 is_inside_part(occlusion, behind - beside_m * aside));
  };
  return is_before_solid(lift_m) || (is_before_solid(before_a_curve_m) && is_on_its_outline(place, element));
}

bool RayLegs::is_on_its_outline(Vec3 place, std::uint32_t element) const {
  constexpr double rounding = 1e-6;  // m along an edge, and of half a tile's side
  const std::vector<Tile>& tiles = environment_.tiling.tiles;
  if (environment_.points.is_edge(element)) {
    const EdgeRun& run = environment_.edge_runs[element - tiles.size()];
    const double along_m = dot(place - run.midpoint, environment_.view.edge(element).direction);
    return along_m > -run.half_length_m - run.before_m - rounding &&
           along_m < run.half_length_m + run.after_m + rounding;
  }
  const Tile& tile = tiles[element];
  if (tile.kind != SurfaceKind::wall) return false;
  // They stand one behind the other.
  const auto is_of_wall = [&](const Tile& other) {
    return other.kind == SurfaceKind::wall && other.prism == tile.prism && other.normal == tile.normal &&
           std::fabs(dot(other.centroid - tile.centroid, tile.normal)) < rounding;
  };
  const auto holds_place = [&](const Tile& other) {
    const Vec3 at = TileFrame(other).coordinates(place);
    return std::fabs(at.x) <= 1 + rounding && std::fabs(at.y) <= 1 + rounding;
  };
  const auto here = tiles.begin() + element;
  const auto begin = std::find_if_not(std::make_reverse_iterator(here), tiles.rend(), is_of_wall).base();
  const auto end = std::find_if_not(here, tiles.end(), is_of_wall);
  return std::any_of(begin, end, holds_place);
}

}  // namespace tesseray
