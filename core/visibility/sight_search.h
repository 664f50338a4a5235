// SPDX-License-Identifier: GPL-3.0-or-later
// All that is seen from one point: front to back over the grid, with a horizon of what is certainly hidden, and the
// exact test for the rest. The result is that of testing every element exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "core/visibility/horizon.h"
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
  struct Occluder {
    enum class Kind : std::uint8_t { part, wall, terrain };
    Kind kind = Kind::part;
    std::uint32_t index = 0;  // of a part, or of a wall of OcclusionView::outlines
    double top_z = 0;
    Rectangle square;        // of terrain
    std::int32_t next = -1;  // in its bucket
  };

  void search(const Element& source, std::vector<std::uint32_t>& seen);
  void search_near(std::vector<std::uint32_t>& seen);
  void search_far(std::vector<std::uint32_t>& seen);
  // False when the ring is beyond the maximum distance.
  bool begin_ring(double nearest_m);
  void visit_block(std::int32_t block_i, std::int32_t block_j, std::vector<std::uint32_t>& seen);
  void visit_cell(std::int32_t i, std::int32_t j, std::vector<std::uint32_t>& seen);
  void visit_elements(std::span<const Element> elements, std::vector<std::uint32_t>& seen);
  bool is_hidden(const SightBounds& bounds) const;
  bool is_hidden(const Element& target) const;
  bool is_wanted(const Element& target) const;
  // The least distance from the source to anything outside of a square of cells.
  double distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const;

  void add_parts(std::size_t cell);
  void add_terrain(const SightBounds& bounds, const Rectangle& square);
  void add_occluder(const Occluder& occluder, double farthest_m);
  // Lets the occluders that end before a distance hide what comes from there on.
  void raise_horizon(double nearest_target_m);
  void raise_horizon_by(const Occluder& occluder);
  // True when nothing below top_z in the box can be above the horizon.
  bool adds_nothing(const Rectangle& box, double top_z) const;

  const OcclusionView& occlusion_;
  const SightGrid& grid_;
  double max_distance_m_;
  Horizon horizon_;
  Element source_;
  std::int32_t source_column_ = 0, source_row_ = 0;
  bool above_only_ = false;
  std::vector<Occluder> occluders_;
  std::vector<std::int32_t> buckets_;  // first occluder by farthest distance
  std::size_t first_bucket_ = 0;       // those before have been used
};

}  // namespace tesseray
