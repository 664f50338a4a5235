// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering with two interactions after it (docs/physics.md §7): the power that a tile scatters goes on as tubes.
//
// Each element gathers the tiles whose scattered power reaches it, as for one interaction (diffuse.cpp), and takes a
// tube of each: a point source at the tile's centroid, with the tile's intensity for a field. Two levels of bounce.cpp
// do the rest. What one interaction after the scattering brings is summed in diffuse.cpp, so that these tubes arrive
// after the second alone.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"
#include "core/propagation/launch.h"
#include "core/propagation/ray_ending.h"

namespace tesseray {
namespace {

constexpr std::size_t elements_per_block = 16, elements_per_step = 1024;
// So many tubes are gathered before they are bounced: the more, the fewer rows are read twice.
constexpr std::size_t batch_tubes = std::size_t{1} << 19;

// The tiles' or the edges' numbers, by which the power goes on first.
struct FirstElements {
  AfterScattering after;
  bool edges;
};

constexpr FirstElements ways[] = {{AfterScattering::two_reflections, false},
                                  {AfterScattering::reflection_and_diffraction, false},
                                  {AfterScattering::reflection_and_diffraction, true},
                                  {AfterScattering::two_diffractions, true}};

}  // namespace

bool Launch::goes_on_at_edge(AfterScattering after, std::uint32_t first_element) const {
  if (after == AfterScattering::two_reflections) return false;
  return after == AfterScattering::two_diffractions || !environment_.points.is_edge(first_element);
}

void Launch::scatter_then_twice(Progress& progress) {
  const PhaseClock clock(cost_[LaunchPhase::then_two]);
  // What is there by now tells better than before which tubes are weak.
  prepare_roulette();
  const TargetPoints& points = environment_.points;
  double done = 0;
  for (const FirstElements& way : ways) {
    PartOfStage part(progress, done, done + 1.0 / std::size(ways));
    done += 1.0 / std::size(ways);
    if (way.edges) {
      launch_scattered(way.after, points.tile_count(), points.element_count(), part);
    } else {
      launch_scattered(way.after, 0, points.tile_count(), part);
    }
  }
}

void Launch::launch_scattered(AfterScattering after, std::uint32_t first, std::uint32_t last, Progress& progress) {
  if (!has_power(after)) return;
  const auto share = [&](std::size_t at) {
    return static_cast<double>(at - first) / static_cast<double>(last - first);
  };
  TubeParts tubes;
  double bounced = 0;
  for (std::size_t begin = first; begin < last;) {
    const std::size_t end = std::min<std::size_t>(begin + elements_per_step, last);
    std::vector<std::vector<Tube>> produced((end - begin + elements_per_block - 1) / elements_per_block);
    parallel_blocks(end - begin, elements_per_block, no_progress(), [&](std::size_t from, std::size_t to) {
      ThreadState& state = states_.local();
      for (std::size_t i = from; i < to; ++i) {
        launch_scattered_at(after, static_cast<std::uint32_t>(begin + i), state, produced[from / elements_per_block]);
      }
    });
    for (std::vector<Tube>& part : produced) tubes.add(std::move(part));
    begin = end;
    progress.throw_if_cancelled();
    if (tubes.size() < batch_tubes && end < last) continue;
    PartOfStage part(progress, bounced, share(end));
    bounce(std::exchange(tubes, {}), environment_.options.max_bounces - 2, part);
    bounced = share(end);
  }
}

void Launch::launch_scattered_at(AfterScattering after, std::uint32_t element, ThreadState& state,
                                 std::vector<Tube>& tubes) {
  if (!is_in_reach(element, environment_.options.max_bounces - 2)) return;
  read_tiles_of_row(element, LaunchPhase::then_two, state);
  find_sources(after, element, state);
  const bool by_polarization = after != AfterScattering::two_reflections && environment_.options.cross_polarization > 0;
  const Vec3 here = environment_.points.reference(element);
  for (const ScatteringSource& lit : state.sources) {
    const VirtualSource source{environment_.points.reference(lit.tile)};
    InteractionChain chain;
    chain.after = after;
    chain.push(lit.tile);
    for (const bool crossed : {false, true}) {
      if (crossed && !by_polarization) break;
      chain.cross_polarized = crossed;
      const Link::Departure departure = scattered_departure(chain, normalized(here - source.point));
      go_on({source, departure.field, departure.relative_gain, chain, 0, 0, std::sqrt(lit.share)}, element, state,
            tubes);
    }
  }
}

Link::Departure Launch::scattered_departure(const InteractionChain& chain, Vec3 direction) const {
  const std::uint32_t tile = chain.elements[0];
  const double crossed = environment_.options.cross_polarization;
  const double share = chain.after == AfterScattering::two_reflections ? 1.0
                       : chain.cross_polarized                         ? crossed
                                                                       : 1 - crossed;
  const double power = share * diffuse_.at(tile, chain.after).power * diffuse_intensity(tile, direction, chain.after);
  const Vec3 upright = link_.copolar_polarization(direction);
  return {Complex{std::sqrt(power), 0} * (chain.cross_polarized ? cross(direction, upright) : upright), 1.0};
}

ComplexVec3 Launch::reflected_diffuse(const ComplexVec3& incident, Vec3 incidence, const Tile& tile) const {
  const double factor = surface(tile).specular_factor * std::sqrt(reflectance(tile, -dot(incidence, tile.normal)));
  const Complex along_normal = dot(incident, tile.normal);
  return factor * (incident - (2.0 * along_normal) * tile.normal);
}

std::span<const std::uint32_t> Launch::read_row_of_scattered(const TubeGroup& arrived, RowReader& reader) const {
  const TargetPoints& points = environment_.points;
  const Tube& tube = *arrived.tubes.front();
  const bool is_last = tube.interactions() > 0;
  if (is_last) {
    reader.row.clear();
    if (points.tiles_are_targets()) read_tiles_of_row(arrived.element, LaunchPhase::then_two, reader);
    return environment_.receiver_rows.seen_from(arrived.element);
  }
  const bool to_edges = goes_on_at_edge(tube.chain.after, arrived.element);
  if (!to_edges && points.tiles_are_targets()) {
    read_tiles_of_row(arrived.element, LaunchPhase::then_two, reader);
  } else {
    read_useful_row(arrived.element, environment_.options.max_bounces - 1, true, reader);
    std::erase_if(reader.row, [&](std::uint32_t member) { return points.is_edge(member) != to_edges; });
  }
  return {};
}

void Launch::arrive_scattered(const RayEnding& ending, std::uint32_t number, ThreadState& state) {
  const InteractionChain& chain = ending.chain;
  const std::uint32_t tile = chain.elements[0];
  const DiffusePower& source = diffuse_.at(tile, chain.after);
  const Leg leg = leg_to(ending.source, environment_.points.arrival(number));
  const double factor = leg.amplitude * ending.attenuation.ray;
  const bool over_edge = ending.source.is_edge();
  // To the first edge, or to the target's image.
  const Vec3 first_stop = over_edge ? leg.from : environment_.points.arrival(number);
  const Vec3 way = mirrored_back(view_.environment, chain, 1, first_stop - ending.source.point);
  const double near = over_edge ? nearness_of_edge(way, environment_.tiling.tiles[tile], columns_.near_m(tile))
                                : nearness(scattering_view_, tile, way);
  const double density = near * squared_norm(ending.strength) * (factor * factor) / source.power;
  if (!(density > 0)) return;
  const DiffuseTarget at_target = diffuse_target(scattering_view_, number, leg.direction, 1.0);
  DiffuseSum sum;
  add_diffuse(source, density, leg.length_m, at_target, sum);
  state.sums[sum_index(number)].add(sum);
  keep_scattered_way(number, tile, {chain.elements[1], chain.elements[2]}, density * at_target.gain_factor,
                     leg.length_m, state, chain.cross_polarized);
  add_wideband(tile, chain.after, density, leg.length_m, at_target, number, leg.direction, state);
}

}  // namespace tesseray
