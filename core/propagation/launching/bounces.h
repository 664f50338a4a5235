// SPDX-License-Identifier: GPL-3.0-or-later
// Steps d to i of paper 000, III.E: reflections and diffractions of tubes, level by level, in chunks that keep memory
// small. Internal to core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/ray_legs.h"
#include "core/propagation/launching/scattering_tiles.h"
#include "core/propagation/rays/launch_cost.h"
#include "core/propagation/rays/pruning.h"
#include "core/propagation/rows/row_reader.h"
#include "core/propagation/tubes/bounced_rays.h"
#include "core/propagation/tubes/tube.h"
#include "core/propagation/tubes/tube_bouncer.h"
#include "core/propagation/tubes/tube_groups.h"

namespace tesseray {

class Bounces {
 public:
  static constexpr std::uint64_t bytes_per_element = sizeof(float);  // roulette

  // Keeps references to all but the pruning. `row_entries`: LaunchExtent's, for the progress.
  Bounces(const LaunchSetting& setting, const FirstLevelRecord& record, const RooftopWaves& waves,
          LaunchArrivals& arrivals, ScatteringTiles& scattering, const Pruning& pruning, double row_entries);

  // Of the first level's tubes, which are not scattered. `foretold` is called once it is known about how long all
  // bounces take, as LaunchExtent::bounces_ns, from when on the progress is the part of that; see foretell().
  void bounce_first(TubeParts tubes, std::function<void(double ns)> foretold, Progress& progress);
  // `level`: how often such tubes have bounced before, for the progress; scattered ones as many as leave them the
  // bounces that they were launched for.
  void bounce(TubeParts tubes, int level, Progress& progress);
  // At targets, what tubes have brought in another order alone (rays_in_any_order.h). No tube bounces any more.
  void arrive_in_other_orders();
  // Adds the tube that goes on to `element`, unless it is too weak or may do nothing there.
  void go_on(const Outgoing& outgoing, std::uint32_t element, std::vector<Tube>& children);
  // pruning.cpp: what is at elements by now, times Pruning::roulette: weaker tubes and rays are drawn there (go_on,
  // is_drawn). None without roulette.
  void prepare_roulette();

  // Of all levels, by how many interactions they had had.
  const std::vector<std::uint64_t>& tubes_by_interactions() const { return tubes_by_interactions_; }
  LaunchCost cost() const;
  // RayLaunchingResult
  double sampled_over_done() const { return sampled_over_done_; }

 private:
  class RaysOfThread;
  struct ThreadState : RowSearcher {
    explicit ThreadState(ThreadArrivals* of_thread) : arrivals(of_thread) {}
    ThreadArrivals* arrivals;                           // none: rays that arrive are counted alone
    std::uint64_t arrived_rays = 0, followed_rays = 0;  // all of them, those that are followed leg by leg
    // Of the tubes that go on at an element, with the bounds for what they may hit.
    struct ReflectedTube {
      const Tube* tube;
      IntervalBounds bounds;
    };
    std::vector<ReflectedTube> reflected;
    std::vector<Tube> children;  // of the groups of a task
    RaysInAnyOrder in_any_order;
  };
  // With what a thread fills batches for those that take many at once.
  struct BatchState : RowReader {
    TubeBatch tubes;
  };

  // What has been done for a group, and about how long that took: the row by itself, which tubes at one element share.
  struct GroupWork {
    bool at_edge = false;
    std::size_t tubes = 0, children = 0;
    std::uint64_t row_entries = 0, hits = 0, arrived_rays = 0, followed_rays = 0;
    double row_ns() const;
    double rays_ns() const;
  };
  GroupWork bounce_group(const TubeGroup& arrived, ThreadState& state, std::vector<Tube>& children) const;

  // bounce_sample.cpp: tells how long all bounces take, by the first level's `children`, of which the part `brought` is
  // there. Not where weak rays are drawn by what is there by then, where rays end at receivers alone, where a bouncer
  // takes the tubes, where no ray is diffracted twice, and where tubes are few.
  void foretell(const TubeParts& children, double brought, const Progress& progress);
  // Of tubes and of all that come of them, by a sample of each level.
  double sampled_ns(const TubeParts& tubes, const Progress& progress) const;
  // A tube of a level, and how many of the level it stands for.
  struct SampledTube {
    const Tube* tube;
    double stands_for;
  };
  // Of all tubes of a level, without what comes of them, by a sample; with the children of each tube of that.
  double level_ns(std::span<const SampledTube> sample, const Progress& progress,
                  std::vector<std::vector<Tube>>& children) const;
  // Of a tube and what comes of it, by how often it was reflected and diffracted: at a tile, and at an edge segment for
  // each member of the row. Very roughly: a sample is chosen by it, and its sum is right all the same.
  struct LikelyNs {
    using ByInteractions = std::array<std::array<double, most_bounces + 2>, most_bounces + 2>;
    ByInteractions at_tile{}, of_member{};
  };
  LikelyNs likely_ns() const;

  // Some groups on all threads; `work_before`: the part of the work that is done before each of them, and after the
  // last.
  void bounce_one_by_one(std::span<const TubeGroup> groups, std::span<const double> work_before, TubeParts& children,
                         Progress& progress);
  // bounce_batches.cpp: the same of some groups, by a bouncer that takes many tubes at once. Receivers, of which there
  // are few and of which more is asked, stay with the CPU.
  void bounce_in_batches(std::span<const TubeGroup> groups, TubeParts& children, Progress& progress);
  struct RowSize {
    std::size_t members, targets;  // BatchLimits
  };
  std::vector<RowSize> row_sizes(std::span<const TubeGroup> groups) const;
  // Groups one after the other into batches; large ones in pieces.
  std::vector<std::vector<TubeGroup>> batches_of(std::span<const TubeGroup> groups) const;
  // What batches may have so that there are some for each thread.
  BatchLimits limits_of_batches(std::span<const TubeGroup> groups, std::span<const RowSize> sizes) const;
  void add_to_batch(const TubeGroup& arrived, BatchState& state) const;
  void bounce_to_receivers(const TubeGroup& arrived);
  // Adds what the bouncer, if there is one, has summed since the last time.
  void take_bounced();

  void arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& arrivals) const;
  // What is left of a ray to a target to which it is followed; of one that does not arrive, or waits for the same in
  // its own order, an amplitude of 0.
  LeftOfRay follow(const RayEnding& ending, std::uint32_t number, RaysInAnyOrder& in_any_order) const;
  void count_by_interactions(std::span<const TubeGroup> groups);
  void bounce_tile(const TubeGroup& arrived, FollowedTo members, ThreadState& state, std::vector<Tube>& children) const;
  // Of what a tube hits past an edge segment, before anything else is asked.
  void leave_out_surely_not_drawn(const TubeAtEdge& at_edge, ThreadState& state) const;
  void bounce_edge(const TubeGroup& arrived, FollowedTo members, ThreadState& state, std::vector<Tube>& children) const;
  // The row of an element without members at which a ray with so many interactions can do nothing any more; `edges`:
  // whether there is anything to do at edges.
  void read_useful_row(std::uint32_t element, int interactions, bool edges, RowReader& reader) const;
  // What the rays of a group may do at the members of its row, but for arriving there.
  struct Onward {
    bool at_tiles = false, at_edges = false;
    bool any() const { return at_tiles || at_edges; }
  };
  Onward onward_of(const TubeGroup& arrived) const;
  // What tubes may hit: into reader.row, and what is beside it.
  TargetsBesideRow read_row_for(const TubeGroup& arrived, FollowedTo members, Onward onward, RowReader& reader) const;
  // The row for tubes of scattered power: what they may go on to, or at last where they arrive.
  TargetsBesideRow read_row_of_scattered(const TubeGroup& arrived, RowReader& reader) const;
  static LaunchPhase phase_of(const Tube& tube) {
    return tube.chain.is_scattered() ? LaunchPhase::then_two : LaunchPhase::bounces;
  }

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Link& link_;
  const InteractionLimits& limits_;
  LaunchArrivals& arrivals_;
  ScatteringTiles& scattering_;
  const Pruning pruning_;
  const double row_entries_;
  const RoofsBeforeWalls roofs_before_walls_;
  const RayLegs ray_legs_;
  LaunchView view_;                   // with the roulette, where there is one
  std::vector<float> roulette_gain_;  // by element, see prepare_roulette()
  std::vector<std::uint64_t> tubes_by_interactions_ = std::vector<std::uint64_t>(most_bounces + 1, 0);
  std::unique_ptr<LaunchBouncer> bouncer_;  // while the transmitter's own tubes bounce
  std::function<void(double)> foretold_;    // until it is known
  std::optional<double> expected_ns_;       // of these, where it is known
  std::atomic<double> done_ns_ = 0;
  double sampled_over_done_ = 0;
  tbb::enumerable_thread_specific<ThreadState> states_;
  tbb::enumerable_thread_specific<BatchState> batch_states_;
};

}  // namespace tesseray
