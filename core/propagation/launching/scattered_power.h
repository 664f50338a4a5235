// SPDX-License-Identifier: GPL-3.0-or-later
// What tiles scatter to targets, straight or by way of one more tile or edge. Internal to core/propagation.
//
// What all tubes bring to a tile is one number per tile, so that scattering as the last interaction is a product of
// the (sparse) visibility relation with a vector: each target gathers from the row of the tiles that it sees. One
// further reflection or diffraction is searched for like a tube's, with the scattering tile as a point source.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/scattering_tiles.h"
#include "core/propagation/rays/launch_cost.h"
#include "core/propagation/rows/row_reader.h"
#include "core/propagation/rows/weighted_sample.h"
#include "core/propagation/scattering/diffuse_diffraction.h"
#include "core/propagation/scattering/member_sums.h"
#include "core/propagation/scattering/row_scatterer.h"
#include "core/propagation/scattering/scattering_view.h"

namespace tesseray {

class ScatteredPower {
 public:
  static std::uint64_t bytes_per_tile(const RayLaunchingOptions& options);

  // Of tiles that have taken in all tubes. Keeps references to all but the pruning.
  ScatteredPower(const LaunchSetting& setting, LaunchArrivals& arrivals, const ScatteringTiles& scattering,
                 const Pruning& pruning);

  // False when no tile scatters power of this kind: then no row need be read for it.
  bool has_power(AfterScattering after) const;

  // Scattering as the last interaction, or with one more.
  void scatter_last(Progress& progress);
  void scatter_then_reflect(Progress& progress);
  void scatter_then_diffract(Progress& progress);
  // No rows go in batches any more: what takes them is let go.
  void end_batches() { scatterer_.reset(); }

  // With what a thread finds the tiles whose power comes to an element.
  struct SourceFinder : RowSearcher {
    std::vector<ScatteringSource> sources;
    std::vector<float> estimates;
    DrawnNumbers drawn;
    RadiatedRays radiated;
  };
  // The tiles of the row just read whose scattered power goes on at the element, thinned (weighted_sample.h): those of
  // which as much arrives there as the threshold asks for.
  void find_sources(AfterScattering after, std::uint32_t element, SourceFinder& state) const;

  LaunchCost cost() const;

 private:
  struct ThreadState : SourceFinder {
    explicit ThreadState(ThreadArrivals& of_thread) : arrivals(of_thread) {}

    ThreadArrivals& arrivals;
    // Sources that light a mirror, with the bounds for what they may hit.
    struct BeforeMirror {
      ScatteringSource source;
      IntervalBounds bounds;
    };
    std::vector<BeforeMirror> before_mirror;
    std::vector<std::uint32_t> numbers, lit;
    std::vector<std::int32_t> lit_marks;
    MemberSums diffuse_sums;
    EdgeObservers observers;
    EdgeBeams diffracted;
    // Of `diffracted`, what the limits do not allow a reflection as well; where some is allowed it.
    EdgeBeams beyond_limits;
    // Of `diffracted`, where angles are wanted.
    EdgeDepartures beam_departures;
    EdgeArrivals beam_arrivals;
    std::vector<SourceAboutEdge> sources_about_edge;
    std::vector<float> observers_stand_for;
    std::vector<std::uint32_t> reached;
  };
  // With what a thread fills batches for those that take many at once.
  struct BatchState : RowReader {
    RowBatch rows;
  };

  // What each tile scatters, and at most, as the gain at 1 m.
  void prepare_scatterers();
  std::span<const RoughScatterer> scatterers(AfterScattering after) const {
    return std::span(scatterers_).subspan(static_cast<std::size_t>(after) * diffuse_.size(), diffuse_.size());
  }
  // Of what each tile scatters, per unit of what radiate() tells.
  double gain(std::uint32_t tile, AfterScattering after) const { return gains_[diffuse_.place(tile, after)]; }
  // pruning.cpp: what is at tiles by now, with which scattered rays are compared; none without such draws.
  void prepare_scattered_draw();
  // Of the tiles of an edge's row those to which the sources just found bring much, and some of the others: into
  // state.drawn.
  void draw_observers(const EdgeSegment& edge, std::span<const std::uint32_t> members, std::uint64_t seed,
                      ThreadState& state) const;

  // The tiles of a row that may bring as much to an element as the threshold asks for, or to a target as much as is
  // not drawn by chance, and those of the others that are: into state.drawn.
  void find_scattering(AfterScattering after, std::uint32_t number, std::span<const std::uint32_t> row,
                       SourceFinder& state) const;
  // Who sees the tiles that scatter to a target: the tile that it is, at its middle, or the target's own point.
  enum class SeenFrom { middle, point };
  void gather_scattered(std::uint32_t number, std::span<const std::uint32_t> row, SeenFrom seen_from,
                        ThreadState& state) const;
  // To the tiles from their rows, and to ground tiles from what receivers over them see beside these.
  void scatter_to_tiles(Progress& progress);
  void scatter_beside_rows(Progress& progress);
  void reflect_diffuse(std::uint32_t tile, FollowedTo members, ThreadState& state) const;
  void diffract_diffuse(std::uint32_t edge, FollowedTo members, ThreadState& state) const;
  void lay_out_diffuse_edge_row(std::uint32_t edge, const Wedge& wedge, FollowedTo members, ThreadState& state) const;
  void add_diffuse_sums(ThreadState& state) const;
  // At a place of an edge segment's row, along a direction.
  DiffuseTarget diffracted_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place, Vec3 direction,
                                  const ThreadState& state) const;
  void add_diffracted_beams(const EdgeSegment& edge, std::uint32_t element, ThreadState& state) const;
  // Whether an edge diffracts both what the limits allow a reflection as well and the rest, and to receivers.
  bool goes_on_beyond_limits(std::uint32_t element) const;
  // See reflected_below(); at the direction from the segment's midpoint, as at tiles.
  double reflected_from_edge(const EdgeSegment& edge, std::uint32_t number) const;
  // At a place of the segment's row, with what the ground below a receiver reflects beyond the limits.
  DiffuseEdgeSum beam_at_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place,
                                const ThreadState& state) const;
  // The tiles at which diffuse power from an element may arrive, whose row has just been read.
  std::span<const std::uint32_t> diffuse_targets(std::uint32_t element, FollowedTo members, ThreadState& state) const;
  // Keeps the ways for single rays of what the source diffracted last sends to receivers by way of an edge.
  void keep_diffracted_ways(const ScatteringSource& source, const EdgeSegment& edge, std::uint32_t element,
                            ThreadState& state) const;

  // wideband_rays.cpp: the beam at a place of an edge's row.
  void add_wideband(const EdgeSegment& edge, std::uint32_t place, const DiffuseEdgeSum& beam,
                    const DiffractedWays& ways, const DiffuseTarget& at_target, ThreadState& state) const;

  // scatter_batches.cpp: the same by a scatterer that takes many rows at once.
  void scatter_last_in_batches(Progress& progress);
  void reflect_in_batches(Progress& progress);
  void diffract_in_batches(Progress& progress);
  // Of the elements first … end − 1: to_receivers(element), then the batch with their rows by `scatterer`.
  using RowWork = PairCounts (LaunchScatterer::*)(const RowBatch&);
  template <class ToReceivers>
  void work_in_batches(LaunchPhase phase, std::uint32_t first, std::uint32_t end, RowWork work,
                       const ToReceivers& to_receivers, Progress& progress);
  // The elements first … end − 1 in as few batches as the scatterer's limits allow: where each begins, and the end.
  std::vector<std::uint32_t> row_batches(std::uint32_t first, std::uint32_t end) const;

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Link& link_;
  LaunchArrivals& arrivals_;
  const ScatteringTiles& scattering_;
  const ScatteringColumns& columns_;
  const TileDiffusePowers& diffuse_;
  const Pruning pruning_;
  // Both by AfterScattering, then by tile. Of the gains alone more lie close together than of all that a tile scatters.
  std::vector<RoughScatterer> scatterers_;      // see prepare_scatterers()
  std::vector<double> gains_;                   // see gain()
  std::vector<float> known_gains_;              // by tile, see prepare_scattered_draw()
  ScatteringView scattering_view_;              // the tiles', with both
  std::unique_ptr<LaunchScatterer> scatterer_;  // until end_batches(), where there is one
  tbb::enumerable_thread_specific<ThreadState> states_;
  tbb::enumerable_thread_specific<BatchState> batch_states_;
};

}  // namespace tesseray
