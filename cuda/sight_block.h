// SPDX-License-Identifier: GPL-3.0-or-later
// All that one element sees, found by a block of threads: front to back in square rings of cells, then of blocks of
// cells, of which a horizon leaves out what is certainly hidden. What it does not leave out is decided by the exact
// test, so that the rows are those of the definition, bit for bit, whatever else is full or in what order threads run.
//
// Lists of a block are short. Where one is full, occluders are forgotten (more is then tested exactly), and targets
// are dealt with before more are taken.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/infinity.h"
#include "cuda/block_hiders.h"
#include "cuda/block_horizon.h"
#include "cuda/found_numbers.h"
#include "cuda/sight_block_memory.h"
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
                         SightBlockMemory& memory, const FoundNumbers& out, const Element& source,
                         std::uint32_t source_index)
      : block_(block),
        scene_(scene),
        limits_(limits),
        memory_(memory),
        source_(source),
        eye_(source.point.xy()),
        hiders_(block, scene, memory, source.point, limits.above_only),
        found_(block, memory, out, source_index) {}

  TESSERAY_HD void run() {
    if (source_.is_inside || scene_.element_count == 0) return;
    reset_horizon(block_, memory_.horizon, static_cast<float>(limits_.above_only ? 0 : -infinity));
    block_.once([&] {
      memory_.hider_count[0] = memory_.hider_count[1] = 0;
      memory_.step_count = memory_.cell_count = memory_.block_count = 0;
      memory_.candidate_count = memory_.found_count = 0;
    });
    column_ = cell_at((eye_.x - scene_.origin.x) / scene_.cell_m, scene_.columns);
    row_ = cell_at((eye_.y - scene_.origin.y) / scene_.cell_m, scene_.rows);
    search_near();
    search_far();
    decide_candidates();
    found_.hand_over();
  }

 private:
  // Blocks so far from the source's own are searched cell by cell, in rings of cells; farther ones in rings of blocks.
  static constexpr std::int32_t near_blocks = 2, size = SightGrid::block_cells;
  static constexpr std::uint32_t elements_per_step = 8;

  TESSERAY_HD static std::int32_t cell_at(double place, std::int32_t count) {
    return place <= 0 ? 0 : place >= count ? count - 1 : static_cast<std::int32_t>(place);
  }
  TESSERAY_HD static std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }

  // The squares (low_i, low_j) … (high_i, high_j), all included, relative to the eye.
  TESSERAY_HD Rectangle squares(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j,
                                double side_m) const {
    const Vec2 origin = scene_.origin - eye_;
    return {{origin.x + low_i * side_m, origin.y + low_j * side_m},
            {origin.x + (high_i + 1.0) * side_m, origin.y + (high_j + 1.0) * side_m}};
  }
  // The same, a little larger than what lies in it by rounding.
  TESSERAY_HD Rectangle square(std::int32_t i, std::int32_t j, double side_m) const {
    const Rectangle exact = squares(i, j, i, j, side_m);
    return {{exact.min.x - cell_padding_m, exact.min.y - cell_padding_m},
            {exact.max.x + cell_padding_m, exact.max.y + cell_padding_m}};
  }
  // The least distance from the eye to anything outside of a square around it.
  TESSERAY_HD static double distance_out_of(const Rectangle& around) {
    return higher(0.0, lower(lower(-around.min.x, around.max.x), lower(-around.min.y, around.max.y)) - cell_padding_m);
  }

  // Square number k of the ring at `ring` steps around (i, j), of ring_size(ring).
  TESSERAY_HD static std::uint32_t ring_size(std::int32_t ring) {
    return ring == 0 ? 1 : 8 * static_cast<std::uint32_t>(ring);
  }
  TESSERAY_HD static void move_to_ring(std::uint32_t k, std::int32_t ring, std::int32_t& i, std::int32_t& j) {
    if (ring == 0) return;
    const auto side = static_cast<std::int32_t>(k) / (2 * ring), along = static_cast<std::int32_t>(k) % (2 * ring);
    i += side == 0 ? along - ring : side == 1 ? ring : side == 2 ? ring - along : -ring;
    j += side == 0 ? -ring : side == 1 ? along - ring : side == 2 ? ring : ring - along;
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

  TESSERAY_HD void search_near() {
    const std::int32_t low_i = (column_ / size - near_blocks) * size, low_j = (row_ / size - near_blocks) * size;
    const std::int32_t last = (2 * near_blocks + 1) * size - 1;
    const double out_m = distance_out_of(squares(low_i, low_j, low_i + last, low_j + last, scene_.cell_m));
    const std::int32_t rings =
        larger(larger(column_ - low_i, low_i + last - column_), larger(row_ - low_j, low_j + last - row_));
    for (std::int32_t ring = 0; ring <= rings; ++ring) {
      const double inner_m = ring == 0 ? 0
                                       : distance_out_of(squares(column_ - ring + 1, row_ - ring + 1,
                                                                 column_ + ring - 1, row_ + ring - 1, scene_.cell_m));
      if (!begin_ring(lower(inner_m, out_m))) return;
      block_.for_each(ring_size(ring), [&](std::uint32_t k) {
        std::int32_t i = column_, j = row_;
        move_to_ring(k, ring, i, j);
        const bool is_near = i >= low_i && j >= low_j && i <= low_i + last && j <= low_j + last;
        if (is_near && i >= 0 && j >= 0 && i < scene_.columns && j < scene_.rows) enter_cell(i, j);
      });
      visit_cells();
    }
  }

  TESSERAY_HD void search_far() {
    const std::int32_t block_i = column_ / size, block_j = row_ / size;
    const std::int32_t rings =
        larger(larger(block_i, scene_.block_columns - 1 - block_i), larger(block_j, scene_.block_rows - 1 - block_j));
    const double side_m = scene_.cell_m * size;
    for (std::int32_t ring = near_blocks + 1; ring <= rings; ++ring) {
      const Rectangle inner =
          squares(block_i - ring + 1, block_j - ring + 1, block_i + ring - 1, block_j + ring - 1, side_m);
      if (!begin_ring(distance_out_of(inner))) return;
      for (std::uint32_t first = 0; first < ring_size(ring); first += SightBlockMemory::block_capacity) {
        visit_blocks(block_i, block_j, ring, first);
      }
    }
  }

  // Lets what ends before the ring hide what is in it. False when nothing from there on can be seen.
  TESSERAY_HD bool begin_ring(double nearest_m) {
    if (nearest_m > limits_.max_distance_m) return false;
    hiders_.raise(nearest_m);
    const double slope = static_cast<double>(slope_of(block_.settled(memory_.horizon.nodes[1])));
    const double highest = static_cast<double>(scene_.top_z) - source_.point.z;
    return !(nearest_m > least_hidden_m && slope > 0 && highest < nearest_m * slope * (1 - slope_doubt));
  }

  TESSERAY_HD void visit_blocks(std::int32_t block_i, std::int32_t block_j, std::int32_t ring, std::uint32_t first) {
    const std::uint32_t left = ring_size(ring) - first;
    const std::uint32_t count = left < SightBlockMemory::block_capacity ? left : SightBlockMemory::block_capacity;
    block_.for_each(count, [&](std::uint32_t k) {
      std::int32_t i = block_i, j = block_j;
      move_to_ring(first + k, ring, i, j);
      if (i >= 0 && j >= 0 && i < scene_.block_columns && j < scene_.block_rows) enter_block(i, j);
    });
    const std::uint32_t entered = block_.settled(memory_.block_count);
    constexpr std::uint32_t cells_of_block = SightGrid::cells_per_block;
    constexpr std::uint32_t blocks_at_once = SightBlockMemory::cell_capacity / cells_of_block;
    for (std::uint32_t begin = 0; begin < entered; begin += blocks_at_once) {
      const std::uint32_t blocks = entered - begin < blocks_at_once ? entered - begin : blocks_at_once;
      block_.for_each(blocks * cells_of_block, [&](std::uint32_t k) {
        const std::uint32_t block = memory_.blocks[begin + k / cells_of_block];
        const auto columns = static_cast<std::uint32_t>(scene_.block_columns);
        const auto cell = static_cast<std::int32_t>(k % cells_of_block);
        enter_cell(static_cast<std::int32_t>(block % columns) * size + cell % size,
                   static_cast<std::int32_t>(block / columns) * size + cell / size);
      });
      visit_cells();
    }
    block_.once([&] { memory_.block_count = 0; });
  }

  TESSERAY_HD void enter_block(std::int32_t i, std::int32_t j) const {
    const auto block = static_cast<std::uint32_t>(j * scene_.block_columns + i);
    const SightSquare& bounds = scene_.blocks[block];
    const Rectangle box = square(i, j, scene_.cell_m * size);
    if (is_useless(box, static_cast<double>(bounds.top_z))) return;
    memory_.blocks[block_.claim(memory_.block_count, 1)] = block;
    hiders_.add_terrain(BlockHider::Kind::terrain_block, block, box, bounds.terrain_low_z);
  }

  TESSERAY_HD void enter_cell(std::int32_t i, std::int32_t j) const {
    const auto cell = static_cast<std::uint32_t>(j * scene_.columns + i);
    const SightSquare& bounds = scene_.cells[cell].square;
    const Rectangle box = square(i, j, scene_.cell_m);
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
      make_room_for_candidates();
      const std::uint32_t count = steps - begin < steps_at_once ? steps - begin : steps_at_once;
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
      make_room_for_candidates();
      const std::uint32_t count = cell.end_element - begin < at_once ? cell.end_element - begin : at_once;
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
    memory_.candidates[block_.claim(memory_.candidate_count, 1)] = element;
  }

  // So that half of the list is free.
  TESSERAY_HD void make_room_for_candidates() {
    if (block_.settled(memory_.candidate_count) > SightBlockMemory::candidate_capacity / 2) decide_candidates();
  }

  TESSERAY_HD void decide_candidates() {
    const std::uint32_t count = block_.settled(memory_.candidate_count);
    found_.make_room(count);
    block_.for_each(count, [&](std::uint32_t k) {
      const Element& target = scene_.elements[memory_.candidates[k]];
      if (path_is_free(scene_.occlusion, source_.point, target.point)) found_.add(target.number);
    });
    block_.once([&] { memory_.candidate_count = 0; });
  }

  const Block& block_;
  const SightSceneView& scene_;
  const SightSearchLimits& limits_;
  SightBlockMemory& memory_;
  const Element& source_;
  Vec2 eye_;
  BlockHiders<Block> hiders_;
  FoundList<Block> found_;
  std::int32_t column_ = 0, row_ = 0;  // of the source's cell
};

}  // namespace tesseray
