// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the nearest building to the tiles and receivers that it alone hides, and the tubes that they become
// there.
#include "core/base/parallel.h"
#include "core/propagation/building_transmission.h"
#include "core/propagation/launch.h"

namespace tesseray {

void Launch::launch_through_building(const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes,
                                     Progress& progress) {
  const TransmissionOptions& options = environment_.options.transmission;
  if (!options.nearest_building) return;
  const Vec3 antenna = transmitter_.position;
  const BuildingTransmission building(environment_.scene, antenna, transmitter_.frequency_hz, options);
  if (!building.any()) return;
  const TargetPoints& points = environment_.points;
  InteractionChain chain;
  chain.through_building = true;

  // Walls and roofs, and what goes on from all tiles.
  const VirtualSource source{antenna};
  ThreadState& here = states_.local();
  for (const std::uint32_t element : visible_from(building.occlusion_without(), environment_.tiling, antenna)) {
    if (!points.is_tile(element) || (lit[element] & lit_as_element) != 0) continue;
    if (points.tiles_are_targets() && environment_.tiling.tiles[element].kind != SurfaceKind::ground) {
      arrive_through(building, element, chain, here);
    }
    const Vec3 reference = points.reference(element);
    const Link::Departure departure = link_.depart(normalized(reference - antenna));
    const double left = vegetation_.amplitude(antenna, reference) * building.amplitude(antenna, reference);
    go_on({source, departure.field, departure.relative_gain, chain, 0, 0, left}, element, tubes);
  }
  // Ground targets and receiver points stand off their tile.
  const std::uint32_t first = points.tiles_are_targets() ? 0 : points.element_count();
  const std::uint32_t numbers = points.element_count() + points.receiver_count() - first;
  parallel_blocks(numbers, 1024, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto number = first + static_cast<std::uint32_t>(begin); number < first + end; ++number) {
      if (points.is_edge(number) || (lit[number] & lit_as_target) != 0) continue;
      if (points.is_tile(number)) {
        const Tile& tile = environment_.tiling.tiles[number];
        if (tile.kind != SurfaceKind::ground || dot(antenna - tile.centroid, tile.normal) <= in_front_m) continue;
      }
      if (!building.occlusion_without().is_free(antenna, points.arrival(number))) continue;
      arrive_through(building, number, chain, state);
    }
  });
}

void Launch::arrive_through(const BuildingTransmission& building, std::uint32_t number, const InteractionChain& chain,
                            ThreadState& state) {
  const Vec3 antenna = transmitter_.position, target = environment_.points.arrival(number);
  const double left = building.amplitude(antenna, target);
  const Link::Departure departure = link_.depart(normalized(target - antenna));
  const VirtualSource source{antenna};
  arrive({source, departure.field, Mechanism::through_building, departure.relative_gain, chain, false,
          left * vegetation_to_target(antenna, number)},
         number, state);
}

}  // namespace tesseray
