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

  void search(const Element& source, std::vector<std::uint32_t>& seen);
  void search_near(std::vector<std::uint32_t>& seen);
  void search_far(std::vector<std::uint32_t>& seen);
  // False when the ring is beyond the maximum distance.
  bool begin_ring(double nearest_m);
  template <class Visit>
  void for_cells_of_block(std::int32_t block_i, std::int32_t block_j, const Visit& visit) const;
  void add_occluders(std::int32_t i, std::int32_t j);
  void visit_targets(std::int32_t i, std::int32_t j, std::vector<std::uint32_t>& seen);
  void visit_elements(std::span<const Element> elements, std::vector<std::uint32_t>& seen);
  bool is_free(const Element& target) const;

  bool hides_targets(const SightBounds& bounds) const;
  bool hides_occluders(const SightBounds& bounds) const;
  // True when nothing in the box and below top_z is above the horizon.
  bool is_below_horizon(const Rectangle& box, double top_z) const;
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
  std::vector<Hider> hiders_;
  std::vector<std::int32_t> buckets_;  // first hider by farthest distance
  std::size_t first_bucket_ = 0;       // those before have been used
};

}  // namespace tesseray
