// SPDX-License-Identifier: GPL-3.0-or-later
// All that is seen from one point: front to back over the grid, in rings. A horizon tells what is certainly hidden, the
// walls in a target's sector what is certainly blocked or free; the few targets that are neither are tested exactly.
// The result is that of testing every element exactly (docs/visibility.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/large_pages.h"
#include "core/visibility/search/horizon.h"
#include "core/visibility/search/sector_walls.h"
#include "core/visibility/search/sight_grid.h"
#include "core/visibility/search/sight_kernels.h"

namespace tesseray {

// What a search is among. All of it must outlive the search.
struct SightScene {
  const OcclusionView& occlusion;
  const std::vector<Element>& elements;  // by number, tiles first
  std::uint32_t tile_count = 0;
  const SightGrid& grid;
};

// Holds scratch memory: one for each thread.
class SightSearch {
 public:
  SightSearch(const SightScene& scene, double max_distance_m, InstructionSet set = best_instruction_set());

  double max_distance_m() const { return max_distance_m_; }
  // Appends the numbers of all elements that `source` sees, in no order.
  void find_all(const Element& source, std::vector<std::uint32_t>& seen);
  // The same for those above the source; of equally high ones, those with higher numbers. So each pair of elements is
  // found once, from its lower end, where only what rises above the source can hide anything.
  void find_above(const Element& source, std::vector<std::uint32_t>& seen);
  // Of those, all within some azimuths. What else is appended need not be seen.
  void find_above_within(const Element& source, AzimuthInterval azimuths, std::vector<std::uint32_t>& seen);

 private:
  // What hides all that is behind it and below a height: a part on the ground, one wall of it, a square of terrain.
  struct Hider {
    enum class Kind : std::uint8_t { part, wall, terrain };
    Kind kind = Kind::part;
    std::uint32_t index = 0;  // of SightGrid::centred_part, or of a wall of OcclusionView::outlines
    double top_z = 0;
    Rectangle square;        // of terrain
    std::int32_t next = -1;  // in its bucket
  };

  // Squares with their lower corners relative to the eye, and which cell or block each is.
  struct Squares {
    explicit Squares(std::pmr::memory_resource* memory)
        : x(memory), y(memory), top_z(memory), floor_z(memory), index(memory), entered(memory) {}
    std::pmr::vector<float> x, y, top_z, floor_z;  // floor_z of those that are entered
    std::pmr::vector<std::uint32_t> index, entered;
    std::size_t count = 0;
    void clear() { count = 0; }
    void make_room(std::size_t more);
    void add(std::uint32_t square_index, Vec2 corner, float square_top_z);
    std::size_t size() const { return count; }
  };

  class Candidates {
   public:
    explicit Candidates(std::pmr::memory_resource* memory)
        : x_(memory),
          y_(memory),
          z_(memory),
          azimuth_(memory),
          distance_(memory),
          number_(memory),
          is_facing_(memory) {}
    void make_room(std::size_t count);
    CandidateArrays arrays() {
      return {x_.data(), y_.data(), z_.data(), azimuth_.data(), distance_.data(), number_.data(), is_facing_.data()};
    }

   private:
    std::pmr::vector<float> x_, y_, z_, azimuth_, distance_;
    std::pmr::vector<std::uint32_t> number_;
    std::pmr::vector<std::int32_t> is_facing_;
  };

  void search(const Element& source, std::vector<std::uint32_t>& seen);
  // At a wall, in the plane of the roof below, or under a raised part.
  bool is_where_walls_do_not_tell() const;
  void begin_ring(double nearest_m);
  void search_near(std::vector<std::uint32_t>& seen);
  void search_far(std::vector<std::uint32_t>& seen);
  // Of those squares that are not hidden, index and floor; returns how many they are.
  std::size_t enter(Squares& squares, double side_m);
  void add_blocks_of_ring(std::int32_t block_i, std::int32_t block_j, std::int32_t ring);
  void add_cells_of_blocks(std::size_t entered);
  // A ring is passed twice: what can be met on the way to its targets lies in it or within it, and must be known before
  // they are tested.
  void visit_cells(std::vector<std::uint32_t>& seen);
  void add_occluders(std::uint32_t cell, float floor_z);
  void add_targets(std::uint32_t cell, float floor_z);
  // Returns how many there are.
  std::size_t find_candidates();
  void decide(std::size_t candidates, std::vector<std::uint32_t>& seen);
  // What the exact functions say of a candidate that is neither seen nor blocked for certain.
  bool is_seen(std::uint32_t number, Verdict verdict) const;
  bool meets_terrain_towards(Vec3 target) const;
  // Whether all that can be said without walls and terrain is in favour.
  bool faces_source(const Element& target) const;

  // The least distance from the source to anything outside of a square of cells.
  double distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const;

  void add_part_as_hider(std::uint32_t part);
  void add_terrain_as_hider(const Rectangle& square, float low_z);
  void add_hider(const Hider& hider, double farthest_m);
  // Lets what ends before a distance hide what comes from there on.
  void raise_horizon(double nearest_target_m);
  void raise_horizon_by(const Hider& hider);
  // False when nothing that is not higher than top_z in the box (relative to the eye) raises the horizon.
  bool may_raise_horizon(const Rectangle& box, double top_z) const;

  const OcclusionView& occlusion_;
  const std::vector<Element>& elements_;
  const SightGrid& grid_;
  double max_distance_m_;
  const SightKernels& kernels_;
  ScratchMemory memory_;
  Horizon horizon_;
  SectorWalls walls_;

  Element source_;
  KernelSource kernel_source_;
  FacingLimits limits_;
  std::int32_t column_ = 0, row_ = 0;  // of the source's cell
  std::int32_t near_low_i_ = 0, near_high_i_ = 0, near_low_j_ = 0,
               near_high_j_ = 0;  // cells that are searched one by one
  bool above_only_ = false;
  bool trusts_walls_ = false;    // the walls of the sectors answer for this source
  bool trusts_terrain_ = false;  // the grid covers all terrain between the source and its targets

  Squares blocks_{memory_.resource()}, cells_{memory_.resource()};
  std::pmr::vector<ElementSpan> spans_{memory_.resource()};  // the targets of the current ring
  Candidates candidates_{memory_.resource()};
  std::pmr::vector<Verdict> verdicts_{memory_.resource()};

  std::pmr::vector<Hider> hiders_{memory_.resource()};
  std::pmr::vector<std::int32_t> buckets_{memory_.resource()};  // first hider by farthest distance
  std::size_t first_bucket_ = 0;                                // those before have been used
};

}  // namespace tesseray
