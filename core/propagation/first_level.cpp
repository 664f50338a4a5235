// SPDX-License-Identifier: GPL-3.0-or-later
// Steps a to c of paper 000, III.E: what the transmitter sees, its direct rays and its first tubes.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/base/parallel.h"
#include "core/propagation/launch.h"

namespace tesseray {
namespace {

// Targets nearer than this to the antenna are taken as being in it.
constexpr double least_distance_m = 0.01;

}  // namespace

void Launch::arrive_directly(std::uint32_t number, ThreadState& state) {
  const Vec3 way = environment_.points.arrival(number) - transmitter_.position;
  if (norm(way) < least_distance_m) return;
  const VirtualSource antenna{transmitter_.position};
  const Link::Departure departure = link_.depart(normalized(way));
  const InteractionChain none;
  const VegetationAtTarget vegetation = vegetation_to_target(transmitter_.position, number);
  arrive({antenna, departure.field, Mechanism::direct, departure.relative_gain, none, false, vegetation}, number,
         state);
}

std::vector<Tube> Launch::launch_first_level(Progress& progress) {
  const TargetPoints& points = environment_.points;
  const Vec3 antenna = transmitter_.position;
  const std::vector<std::uint32_t> visible = visible_from(environment_.occlusion, environment_.tiling, antenna);

  std::vector<std::uint8_t> lit(points.element_count() + points.receiver_count(), 0);
  ThreadState& here = states_.local();
  for (const std::uint32_t element : visible) {
    lit[element] |= lit_as_element;
    if (points.tiles_are_targets() && points.is_tile(element) &&
        environment_.tiling.tiles[element].kind != SurfaceKind::ground) {
      arrive_directly(element, here);
      lit[element] |= lit_as_target;
    }
  }
  // Ground targets and receiver points stand off their tile: the direct ray is tested to the point itself.
  const std::uint32_t first = points.tiles_are_targets() ? 0 : points.element_count();
  const std::uint32_t numbers = points.element_count() + points.receiver_count() - first;
  parallel_blocks(numbers, 1024, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto number = first + static_cast<std::uint32_t>(begin); number < first + end; ++number) {
      if (points.is_edge(number)) continue;
      const Vec3 target = points.arrival(number);
      if (points.is_tile(number)) {
        const Tile& tile = environment_.tiling.tiles[number];
        if (tile.kind != SurfaceKind::ground || dot(antenna - tile.centroid, tile.normal) <= in_front_m) continue;
      }
      if (!environment_.occlusion.is_free(antenna, target)) continue;
      arrive_directly(number, state);
      lit[number] |= lit_as_target;
    }
  });

  std::vector<Tube> tubes;
  const VirtualSource source{antenna};
  const InteractionChain none;
  for (const std::uint32_t element : visible) {
    const Vec3 way = points.reference(element) - antenna;
    if (norm(way) < least_distance_m) continue;
    const Link::Departure departure = link_.depart(normalized(way));
    const double vegetation = vegetation_.amplitude(antenna, points.reference(element));
    go_on({source, departure.field, departure.relative_gain, none, 0, 0, vegetation}, element, tubes);
  }
  launch_through_building(lit, tubes, progress);
  launch_over_rooftops(lit, tubes, progress);
  return tubes;
}

}  // namespace tesseray
