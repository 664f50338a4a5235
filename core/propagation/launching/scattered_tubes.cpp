// SPDX-License-Identifier: GPL-3.0-or-later
// Each element gathers the tiles whose scattered power reaches it, as for one interaction (scattered_power.h), and
// takes a tube of each: a point source at the tile's centroid, with the tile's intensity for a field. Two levels of
// bounce.cpp do the rest. What one interaction after the scattering brings is summed there, so that these tubes arrive
// after the second alone.
#include "core/propagation/launching/scattered_tubes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"

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

LaunchCost ScatteredTubes::cost() const {
  LaunchCost cost;
  for (const ScatteredPower::SourceFinder& finder : finders_) cost.merge(finder.cost);
  return cost;
}

void ScatteredTubes::scatter_then_twice(Progress& progress) {
  // What is there by now tells better than before which tubes are weak.
  bounces_.prepare_roulette();
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

void ScatteredTubes::launch_scattered(AfterScattering after, std::uint32_t first, std::uint32_t last,
                                      Progress& progress) {
  if (!power_.has_power(after)) return;
  const auto share = [&](std::size_t at) {
    return static_cast<double>(at - first) / static_cast<double>(last - first);
  };
  TubeParts tubes;
  double bounced = 0;
  for (std::size_t begin = first; begin < last;) {
    const std::size_t end = std::min<std::size_t>(begin + elements_per_step, last);
    std::vector<std::vector<Tube>> produced((end - begin + elements_per_block - 1) / elements_per_block);
    parallel_blocks(end - begin, elements_per_block, no_progress(), [&](std::size_t from, std::size_t to) {
      ScatteredPower::SourceFinder& state = finders_.local();
      for (std::size_t i = from; i < to; ++i) {
        launch_scattered_at(after, static_cast<std::uint32_t>(begin + i), state, produced[from / elements_per_block]);
      }
    });
    for (std::vector<Tube>& part : produced) tubes.add(std::move(part));
    begin = end;
    progress.throw_if_cancelled();
    if (tubes.size() < batch_tubes && end < last) continue;
    PartOfStage part(progress, bounced, share(end));
    bounces_.bounce(std::exchange(tubes, {}), environment_.options.max_bounces - 2, part);
    bounced = share(end);
  }
}

void ScatteredTubes::launch_scattered_at(AfterScattering after, std::uint32_t element,
                                         ScatteredPower::SourceFinder& state, std::vector<Tube>& tubes) {
  if (!setting_.is_in_reach(element, environment_.options.max_bounces - 2)) return;
  state.read_tiles_of_row(environment_.visibility, element, LaunchPhase::then_two);
  power_.find_sources(after, element, state);
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
      const Link::Departure departure = scattering_.departure(chain, normalized(here - source.point));
      const Outgoing outgoing{source, departure.field, departure.relative_gain, chain, 0, 0, std::sqrt(lit.share)};
      bounces_.go_on(standing_for(lit.stands_for, outgoing), element, tubes);
    }
  }
}

}  // namespace tesseray
