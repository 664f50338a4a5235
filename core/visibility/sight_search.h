// SPDX-License-Identifier: GPL-3.0-or-later
// All that is seen from one point: front to back over the grid, in rings. A horizon tells what is certainly hidden; the
// rest is tested exactly against the occluders that the horizon does not hide. The result is that of testing every
// element exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "core/visibility/horizon.h"
#include "core/visibility/sector_occluders.h"
#include "core/visibility/sight_grid.h"

namespace tesseray {

// Holds scratch memory: one for each thread. Keeps references.
class SightSearch {
 public:
  SightSearch(const OcclusionView& occlusion, const SightGrid& grid, double max_distance_m);

  // Appends the numbers of all elements that `source` sees, in no order.
  void find_all(const Element& source, std::vector<std::uint32_t>& seen);
  // The same for those above the source; of equally high ones, those with higher numbers. So each pair of elements is
  // found once, from its lower end, where only what rises above the source can hide anything.
  void find_above(const Element& source, std::vector<std::uint32_t>& seen);

 private:
  // What hides all that is behind it and below a height: a part on the ground, one wall of it, a square of terrain.
  struct Hider {
    enum class Kind : std::uint8_t { part, wall, terrain };
    Kind kind = Kind::part;
    std::uint32_t index = 0;  // of a part, or of a wall of OcclusionView::outlines
    double top_z = 0;
    Rectangle square;        // of terrain
    std::int32_t next = -1;  // in its bucket
  };

  struct BlockState {
    std::uint32_t round = 0;  // the search that asked last
    bool is_hidden = false;
  };

  void search(const Element& source, std::vector<std::uint32_t>& seen);
  bool is_at_a_wall() const;
  void search_rings(std::vector<std::uint32_t>& seen);
  bool is_block_hidden(std::int32_t block_i, std::int32_t block_j);
  // A ring is passed twice: what can be met on the way to its targets lies in it or within it, and must be known before
  // they are tested. The first pass notes the cells that are worth the second.
  void enter_cell(std::int32_t i, std::int32_t j);
  void visit_entered_cells(std::vector<std::uint32_t>& seen);
  void visit_elements(std::span<const Element> elements, double floor, std::vector<std::uint32_t>& seen);
  bool is_free(const Element& target);

  // True when neither targets nor occluders there matter, wherever the horizon is.
  bool is_of_no_use(const SightBounds& bounds) const;
  // What is in the box and lower than this is hidden.
  double floor_z(const Rectangle& box) const;
  // True when all of the box lies farther behind the source's plane than `behind_m`.
  bool is_behind_source(const Rectangle& box, double bottom_z, double top_z, double behind_m) const;
  // The least distance from the source to anything outside of a square of cells.
  double distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const;

  void add_part_as_hider(std::uint32_t part);
  void add_terrain_as_hider(const SightBounds& bounds);
  void add_hider(const Hider& hider, double farthest_m);
  // Lets what ends before a distance hide what comes from there on.
  void raise_horizon(double nearest_target_m);
  void raise_horizon_by(const Hider& hider);

  const OcclusionView& occlusion_;
  const SightGrid& grid_;
  double max_distance_m_;
  Horizon horizon_;
  SectorOccluders occluders_;
  Element source_;
  std::int32_t source_column_ = 0, source_row_ = 0;
  bool above_only_ = false;
  std::vector<std::size_t> entered_;  // cells of the current ring
  std::vector<BlockState> block_states_;
  std::uint32_t round_ = 0;
  std::vector<Hider> hiders_;
  std::vector<std::int32_t> buckets_;  // first hider by farthest distance
  std::size_t first_bucket_ = 0;       // those before have been used
};

}  // namespace tesseray
