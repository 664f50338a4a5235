// SPDX-License-Identifier: GPL-3.0-or-later
// All that one element may see, found by a block of threads: front to back in square rings of cells, then of blocks of
// cells, of which a horizon leaves out what is certainly hidden. What it does not leave out is left to the exact test
// (blocked_paths.h), so that the rows are those of the definition, bit for bit, whatever else is full or in what order
// threads run.
//
// Lists of a block are short. Where one is full, occluders are forgotten (more is then tested exactly), and targets
// are handed over before more are taken.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/infinity.h"
#include "cuda/block_hiders.h"
#include "cuda/block_horizon.h"
#include "cuda/sight_block_memory.h"
#include "cuda/sight_candidates.h"
#include "cuda/sight_scene.h"
#include "cuda/thread_block.h"

namespace tesseray {

struct SightSearchLimits {
  bool above_only = false;  // only targets above the source; of equally high ones, those with higher numbers
  double max_distance_m = infinity;
};

// One search. Every thread of the block has one, with the same values.
template <class Block>
class SightBlock {
 public:
  TESSERAY_HD SightBlock(const Block& block, const SightSceneView& scene, const SightSearchLimits& limits,
                         SightBlockMemory& memory, const SightCandidates& out, const Element& source,
                         std::uint32_t source_index)
      : block_(block),
        scene_(scene),
        limits_(limits),
        memory_(memory),
        source_(source),
        eye_(source.point.xy()),
        hiders_(block, scene, memory, source.point, limits.above_only),
        candidates_(block, memory, out, source_index) {}

  TESSERAY_HD void run() {
    if (!source_.is_inside && scene_.element_count > 0) search();
    candidates_.close();
  }

 private:
  // Blocks so far from the source's own are searched cell by cell, in rings of cells; farther ones in rings of blocks.
  static constexpr std::int32_t near_blocks = 2, size = SightGrid::block_cells,
                                near_size = (2 * near_blocks + 1) * size;
  static constexpr std::uint32_t elements_per_step = 8;

  struct Place {
    std::int32_t i, j;
  };
  // Rings of squares around one: of cells as far as `near_blocks`, or of blocks from there on.
  struct Rings {
    bool is_far;
    Place middle;
    std::int32_t first, last;  // first … last
    double side_m;
  };

  // Near and far in the same loops, so that a GPU has the code of what is done in them once.
  TESSERAY_HD void search() {
    reset_horizon(block_, memory_.horizon, static_cast<float>(limits_.above_only ? 0 : -infinity));
    block_.once([&] {
      memory_.hider_count[0] = memory_.hider_count[1] = 0;
      memory_.step_count = memory_.cell_count = memory_.block_count = 0;
    });
    const Place cell = {cell_at((eye_.x - scene_.origin.x) / scene_.cell_m, scene_.columns),
                        cell_at((eye_.y - scene_.origin.y) / scene_.cell_m, scene_.rows)};
    near_ = {(cell.i / size - near_blocks) * size, (cell.j / size - near_blocks) * size};
    Rings rings = near_rings(cell);
    for (std::int32_t ring = rings.first; ring <= rings.last; ++ring) {
      if (!begin_ring(nearest_of(rings, ring))) return;
      visit_ring(rings, ring);
      if (ring == rings.last && !rings.is_far) {  // from here on by blocks
        rings = far_rings({cell.i / size, cell.j / size});
        ring = rings.first - 1;
      }
    }
  }

  TESSERAY_HD Rings near_rings(Place cell) const {
    const std::int32_t to_west = cell.i - near_.i, to_south = cell.j - near_.j, last = near_size - 1;
    return {false, cell, 0, larger(larger(to_west, last - to_west), larger(to_south, last - to_south)), scene_.cell_m};
  }
  TESSERAY_HD Rings far_rings(Place block) const {
    const std::int32_t to_east = scene_.block_columns - 1 - block.i, to_north = scene_.block_rows - 1 - block.j;
    return {true, block, near_blocks + 1, larger(larger(block.i, to_east), larger(block.j, to_north)),
            scene_.cell_m * size};
  }

  // The least distance from the eye to what a ring and those behind it have.
  TESSERAY_HD double nearest_of(const Rings& rings, std::int32_t ring) const {
    const auto [i, j] = rings.middle;
    const std::int32_t to = ring - 1;
    const double inner_m = ring == 0 ? 0 : distance_out_of(squares({i - to, j - to}, {i + to, j + to}, rings.side_m));
    if (rings.is_far) return inner_m;
    const Place last = {near_.i + near_size - 1, near_.j + near_size - 1};
    return lower(inner_m, distance_out_of(squares(near_, last, scene_.cell_m)));
  }

  TESSERAY_HD static std::int32_t cell_at(double place, std::int32_t count) {
    return place <= 0 ? 0 : place >= count ? count - 1 : static_cast<std::int32_t>(place);
  }
  TESSERAY_HD static std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
  TESSERAY_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

  // The squares low … high, both included, relative to the eye.
  TESSERAY_HD Rectangle squares(Place low, Place high, double side_m) const {
    const Vec2 origin = scene_.origin - eye_;
    return {{origin.x + low.i * side_m, origin.y + low.j * side_m},
            {origin.x + (high.i + 1.0) * side_m, origin.y + (high.j + 1.0) * side_m}};
  }
  // The same, a little larger than what lies in it by rounding.
  TESSERAY_HD Rectangle square(Place place, double side_m) const {
    const Rectangle exact = squares(place, place, side_m);
    return {{exact.min.x - cell_padding_m, exact.min.y - cell_padding_m},
            {exact.max.x + cell_padding_m, exact.max.y + cell_padding_m}};
  }
  // The least distance from the eye to anything outside of a square around it.
  TESSERAY_HD static double distance_out_of(const Rectangle& around) {
    return higher(0.0, lower(lower(-around.min.x, around.max.x), lower(-around.min.y, around.max.y)) - cell_padding_m);
  }

  // Square number k of a ring, of ring_size(ring).
  TESSERAY_HD static std::uint32_t ring_size(std::int32_t ring) {
    return ring == 0 ? 1 : 8 * static_cast<std::uint32_t>(ring);
  }
  TESSERAY_HD static Place place_in_ring(const Rings& rings, std::int32_t ring, std::uint32_t k) {
    auto [i, j] = rings.middle;
    if (ring == 0) return {i, j};
    const auto side = static_cast<std::int32_t>(k) / (2 * ring), along = static_cast<std::int32_t>(k) % (2 * ring);
    i += side == 0 ? along - ring : side == 1 ? ring : side == 2 ? ring - along : -ring;
    j += side == 0 ? -ring : side == 1 ? along - ring : side == 2 ? ring : ring - along;
    return {i, j};
  }
  TESSERAY_HD Place cell_of_block(std::uint32_t block, std::uint32_t cell) const {
    const auto columns = static_cast<std::uint32_t>(scene_.block_columns);
    const auto k = static_cast<std::int32_t>(cell);
    return {static_cast<std::int32_t>(block % columns) * size + k % size,
            static_cast<std::int32_t>(block / columns) * size + k / size};
  }
  // True for cells of the grid as far as `near_blocks`.
  TESSERAY_HD bool is_near(Place cell) const {
    return cell.i >= larger(near_.i, 0) && cell.j >= larger(near_.j, 0) && cell.i < near_.i + near_size &&
           cell.j < near_.j + near_size && cell.i < scene_.columns && cell.j < scene_.rows;
  }
  TESSERAY_HD bool is_block(Place block) const {
    return block.i >= 0 && block.j >= 0 && block.i < scene_.block_columns && block.j < scene_.block_rows;
  }

  // True when nothing that rises to top_z or less in the box matters.
  TESSERAY_HD bool is_useless(const Rectangle& box, double top_z) const {
    if (limits_.above_only && top_z < source_.point.z) return true;
    if (source_.kind == Element::Kind::tile && source_.axis.z >= 0) {
      // Even the corner that lies farthest in front of the source is behind it; nothing is known of how low things are.
      constexpr double margin_m = 5 * lift_m;
      const Vec3 farthest = {source_.axis.x > 0 ? box.max.x : box.min.x, source_.axis.y > 0 ? box.max.y : box.min.y,
                             top_z - source_.point.z};
      if (dot(source_.axis, farthest) < -margin_m) return true;
    }
    return top_z - source_.point.z < hidden_height(memory_.horizon, box);
  }
  // Below this nothing in the box is seen, rounded down.
  TESSERAY_HD float floor_z(const Rectangle& box) const {
    const double least = limits_.above_only ? 0 : -infinity;
    const double z = source_.point.z + higher(least, hidden_height(memory_.horizon, box));
    return static_cast<float>(z - 1e-6 * std::fabs(z) - 1e-6);
  }

  // Lets what ends before the ring hide what is in it. False when nothing from there on can be seen.
  TESSERAY_HD bool begin_ring(double nearest_m) {
    if (nearest_m > limits_.max_distance_m) return false;
    hiders_.raise(nearest_m);
    const double slope = static_cast<double>(slope_of(block_.settled(memory_.horizon.nodes[1])));
    const double highest = static_cast<double>(scene_.top_z) - source_.point.z;
    return !(nearest_m > least_hidden_m && slope > 0 && highest < nearest_m * slope * (1 - slope_doubt));
  }

  TESSERAY_HD void visit_ring(const Rings& rings, std::int32_t ring) {
    constexpr std::uint32_t cells_of_block = SightGrid::cells_per_block;
    constexpr std::uint32_t blocks_at_once = SightBlockMemory::cell_capacity / cells_of_block;
    static_assert(SightBlockMemory::block_capacity <= SightBlockMemory::cell_capacity);
    const std::uint32_t all = ring_size(ring);
    for (std::uint32_t first = 0; first < all; first += SightBlockMemory::block_capacity) {
      const std::uint32_t squares = smaller(all - first, SightBlockMemory::block_capacity);
      const std::uint32_t blocks = rings.is_far ? enter_blocks(rings, ring, first, squares) : 1;
      for (std::uint32_t begin = 0; begin < blocks; begin += blocks_at_once) {
        const std::uint32_t cells = rings.is_far ? smaller(blocks - begin, blocks_at_once) * cells_of_block : squares;
        block_.for_each(cells, [&](std::uint32_t k) {
          const Place cell = rings.is_far
                                 ? cell_of_block(memory_.blocks[begin + k / cells_of_block], k % cells_of_block)
                                 : place_in_ring(rings, ring, first + k);
          if (rings.is_far || is_near(cell)) enter_cell(cell);
        });
        visit_cells();
      }
      block_.once([&] { memory_.block_count = 0; });
    }
  }

  // Returns how many.
  TESSERAY_HD std::uint32_t enter_blocks(const Rings& rings, std::int32_t ring, std::uint32_t first,
                                         std::uint32_t count) const {
    block_.for_each(count, [&](std::uint32_t k) {
      const Place block = place_in_ring(rings, ring, first + k);
      if (is_block(block)) enter_block(block);
    });
    return block_.settled(memory_.block_count);
  }

  TESSERAY_HD void enter_block(Place place) const {
    const auto block = static_cast<std::uint32_t>(place.j * scene_.block_columns + place.i);
    const SightSquare& bounds = scene_.blocks[block];
    const Rectangle box = square(place, scene_.cell_m * size);
    if (is_useless(box, static_cast<double>(bounds.top_z))) return;
    memory_.blocks[block_.claim(memory_.block_count, 1)] = block;
    hiders_.add_terrain(BlockHider::Kind::terrain_block, block, box, bounds.terrain_low_z);
  }

  TESSERAY_HD void enter_cell(Place place) const {
    const auto cell = static_cast<std::uint32_t>(place.j * scene_.columns + place.i);
    const SightSquare& bounds = scene_.cells[cell].square;
    const Rectangle box = square(place, scene_.cell_m);
    if (is_useless(box, static_cast<double>(bounds.top_z))) return;
    memory_.cells[block_.claim(memory_.cell_count, 1)] = {cell, floor_z(box)};
    hiders_.add_terrain(BlockHider::Kind::terrain_cell, cell, box, bounds.terrain_low_z);
  }

  // Occluders and targets of the cells that were entered.
  TESSERAY_HD void visit_cells() {
    const std::uint32_t cells = block_.settled(memory_.cell_count);
    block_.for_each(cells, [&](std::uint32_t k) {
      const SightCell& cell = scene_.cells[memory_.cells[k].cell];
      for (std::uint32_t p = cell.first_part; p < cell.end_part; ++p) hiders_.add_part(scene_.parts[p]);
    });
    // Cells are left over where the list of steps is full.
    std::uint32_t next = 0;
    while (next < cells) next = visit_targets(next, cells);
    block_.once([&] { memory_.cell_count = 0; });
  }

  // Tests the targets of as many cells from `first` on as the list of steps has room for; returns the first one left.
  TESSERAY_HD std::uint32_t visit_targets(std::uint32_t first, std::uint32_t cells) {
    std::uint32_t end = cells, claimed = 0;
    for (;;) {
      block_.for_each(end - first, [&](std::uint32_t k) { add_targets(memory_.cells[first + k]); });
      claimed = block_.settled(memory_.step_count);
      if (claimed <= SightBlockMemory::target_step_capacity || end - first == 1) break;
      block_.once([&] { memory_.step_count = 0; });
      end = first + (end - first) / 2;
    }
    const bool is_one_large_cell = claimed > SightBlockMemory::target_step_capacity;
    const std::uint32_t steps = is_one_large_cell ? 0 : claimed;
    constexpr std::uint32_t steps_at_once = SightBlockMemory::candidate_capacity / (2 * elements_per_step);
    for (std::uint32_t begin = 0; begin < steps; begin += steps_at_once) {
      candidates_.make_room();
      const std::uint32_t count = smaller(steps - begin, steps_at_once);
      block_.for_each(count * elements_per_step, [&](std::uint32_t k) {
        const std::uint32_t step = memory_.target_steps[begin + k / elements_per_step];
        if (k % elements_per_step < step % 16) consider(step / 16 + k % elements_per_step);
      });
    }
    if (is_one_large_cell) visit_large_cell(memory_.cells[first]);
    block_.once([&] { memory_.step_count = 0; });
    return end;
  }

  // A cell with more elements than the list of steps has room for.
  TESSERAY_HD void visit_large_cell(const SightBlockMemory::EnteredCell& entered) {
    const SightCell& cell = scene_.cells[entered.cell];
    constexpr std::uint32_t at_once = SightBlockMemory::candidate_capacity / 2;
    for (std::uint32_t begin = cell.first_element; begin < cell.end_element; begin += at_once) {
      candidates_.make_room();
      const std::uint32_t count = smaller(cell.end_element - begin, at_once);
      block_.for_each(count, [&](std::uint32_t k) { consider(begin + k); });
    }
  }

  // The first of the elements begin … end − 1, by falling height, that is lower than z.
  TESSERAY_HD std::uint32_t first_lower(std::uint32_t begin, std::uint32_t end, double z) const {
    while (begin < end) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (scene_.elements[middle].point.z < z) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
    return begin;
  }

  TESSERAY_HD void add_targets(const SightBlockMemory::EnteredCell& entered) const {
    const SightCell& cell = scene_.cells[entered.cell];
    if (cell.square.target_top_z < entered.floor_z) return;
    const auto floor = static_cast<double>(entered.floor_z);
    add_steps(cell.first_element, first_lower(cell.first_element, cell.first_roof, floor));
    std::uint32_t first_roof = cell.first_roof;
    // Looking up, flat roofs are seen only from places between their planes and their points.
    if (limits_.above_only) {
      first_roof = first_lower(first_roof, cell.end_element, source_.point.z + 2 * lift_m);
    }
    add_steps(first_roof, first_lower(first_roof, cell.end_element, floor));
  }
  TESSERAY_HD void add_steps(std::uint32_t begin, std::uint32_t end) const {
    if (begin >= end) return;
    const std::uint32_t steps = (end - begin + elements_per_step - 1) / elements_per_step;
    const std::uint32_t place = block_.claim(memory_.step_count, steps);
    for (std::uint32_t k = 0; k < steps && place + k < SightBlockMemory::target_step_capacity; ++k) {
      const std::uint32_t first = begin + k * elements_per_step, left = end - first;
      memory_.target_steps[place + k] = first * 16 + (left < elements_per_step ? left : elements_per_step);
    }
  }

  TESSERAY_HD bool is_target(const Element& target) const {
    if (limits_.above_only) {
      if (target.point.z < source_.point.z) return false;
      if (target.point.z == source_.point.z && target.number < source_.number) return false;
    }
    return face_each_other(source_, target) && within(limits_.max_distance_m, source_.point, target.point);
  }

  TESSERAY_HD void consider(std::uint32_t element) const {
    const Element& target = scene_.elements[element];
    if (is_hidden(memory_.horizon, target.point - source_.point) || !is_target(target)) return;
    candidates_.add(element);
  }

  const Block& block_;
  const SightSceneView& scene_;
  const SightSearchLimits& limits_;
  SightBlockMemory& memory_;
  const Element& source_;
  Vec2 eye_;
  BlockHiders<Block> hiders_;
  CandidateList<Block> candidates_;
  Place near_ = {0, 0};  // the first of the cells as far as `near_blocks`
};

}  // namespace tesseray
