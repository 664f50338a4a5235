// SPDX-License-Identifier: GPL-3.0-or-later
// The exact test (path_is_free) of all candidates of a batch: those whose path something blocks are struck out.
//
// Paths have very different lengths, and threads in lockstep wait for each other. So each goes along a path of its own
// by a few nodes, then looks at a few walls where it has come to some, and those whose paths have ended take the next
// ones together, as soon as they are a quarter of all.
#pragma once

#include <cstdint>

#include "cuda/sight_candidates.h"
#include "cuda/sight_scene.h"

namespace tesseray {

// So many candidates threads in lockstep take for themselves.
inline constexpr std::uint64_t candidates_taken_at_once = 512;

// What may block a path, one after the other, so that all threads are after the same. Each has
//   static const HeightPyramidView& grid(view);             that is walked
//   static bool passes_above(view, path);                   without any walk
//   a state that is made of (view, walk, path) at a low cell, and Found look(view, walk, path) there
class ByPrisms {
 public:
  using Found = PrismsInCell::Found;
  TESSERAY_HD static const HeightPyramidView& grid(const OcclusionView& view) { return view.prism_grid; }
  TESSERAY_HD static bool passes_above(const OcclusionView& view, const OrderedEnds& path) {
    return is_above_prisms(view, path.first, path.second);
  }

  ByPrisms() = default;
  TESSERAY_HD ByPrisms(const OcclusionView& view, const LowCellWalk& walk, const OrderedEnds& path)
      : prisms_(view, walk.cell(), path.first, path.second) {}
  TESSERAY_HD Found look(const OcclusionView& view, const LowCellWalk&, const OrderedEnds& path) {
    return prisms_.look(view, path.first, path.second);
  }

 private:
  PrismsInCell prisms_;
};
class ByTerrain {
 public:
  using Found = PrismsInCell::Found;
  TESSERAY_HD static const HeightPyramidView& grid(const OcclusionView& view) { return view.terrain_grid; }
  TESSERAY_HD static bool passes_above(const OcclusionView& view, const OrderedEnds& path) {
    return is_above_terrain(view, path.first, path.second);
  }

  ByTerrain() = default;
  TESSERAY_HD ByTerrain(const OcclusionView&, const LowCellWalk&, const OrderedEnds&) {}
  TESSERAY_HD Found look(const OcclusionView& view, const LowCellWalk& walk, const OrderedEnds&) {
    return meets_terrain_in(view, walk) ? Found::hit : Found::nothing;
  }
};

// The way of one thread, candidate after candidate.
template <class Obstacles>
class PathOfThread {
 public:
  TESSERAY_HD bool has_ended() const { return at_ == LowCellWalk::At::end; }

  // Sets out for a candidate, unless its path is decided already.
  TESSERAY_HD void begin(const SightSceneView& scene, const Element* sources, SightCandidate& candidate) {
    if (candidate.element == SightCandidate::none) return;
    candidate_ = &candidate;
    path_ = ordered_ends(sources[candidate.source].point, scene.elements[candidate.element].point);
    if (Obstacles::passes_above(scene.occlusion, path_)) return;
    walk_ = LowCellWalk(Obstacles::grid(scene.occlusion), path_.first, path_.second);
    at_ = LowCellWalk::At::the_way;
  }

  // A little further.
  TESSERAY_HD void go_on(const OcclusionView& view) {
    constexpr int nodes = 4, walls = 2;
    if (at_ == LowCellWalk::At::the_way) {
      const HeightPyramidView& grid = Obstacles::grid(view);
      for (int n = 0; n < nodes && at_ == LowCellWalk::At::the_way; ++n) at_ = walk_.step(grid);
      if (at_ == LowCellWalk::At::low_cell) obstacles_ = Obstacles(view, walk_, path_);
    }
    if (at_ != LowCellWalk::At::low_cell) return;
    auto found = Obstacles::Found::nothing_yet;
    for (int n = 0; n < walls && found == Obstacles::Found::nothing_yet; ++n) {
      found = obstacles_.look(view, walk_, path_);
    }
    if (found == Obstacles::Found::nothing) at_ = LowCellWalk::At::the_way;
    if (found != Obstacles::Found::hit) return;
    candidate_->element = SightCandidate::none;
    at_ = LowCellWalk::At::end;
  }

 private:
  SightCandidate* candidate_ = nullptr;
  OrderedEnds path_;
  LowCellWalk walk_;
  Obstacles obstacles_;
  LowCellWalk::At at_ = LowCellWalk::At::end;
};

// By one group of threads (thread_block.h); groups share the work by `next`, the first candidate that none has taken.
template <class Obstacles, class Group>
TESSERAY_HD inline void strike_out_blocked(const Group& group, const SightSceneView& scene, const Element* sources,
                                           const SightCandidates& candidates, std::uint64_t& next) {
  const std::uint64_t count = candidates.count();
  const std::uint32_t worth_a_start = group.threads() > 4 ? group.threads() / 4 : 1;
  std::uint64_t first = 0, end = 0;  // taken by the group, and nobody has set out for them
  bool is_all_taken = false;
  PathOfThread<Obstacles> path;
  for (;;) {
    const bool is_waiting = path.has_ended();
    const std::uint32_t waiting = group.how_many(is_waiting);
    if (is_all_taken) {
      if (waiting == group.threads()) return;
    } else if (waiting >= worth_a_start) {
      if (first == end) {
        first = group.claim_together(next, candidates_taken_at_once);
        end = first + candidates_taken_at_once < count ? first + candidates_taken_at_once : count;
        is_all_taken = first >= count;
      }
      const std::uint64_t mine = first + group.how_many_before(is_waiting);
      if (is_waiting && mine < end) path.begin(scene, sources, candidates.items[mine]);
      first = first + waiting < end ? first + waiting : end;
    }
    path.go_on(scene.occlusion);
  }
}

}  // namespace tesseray
