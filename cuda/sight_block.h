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
#include <limits>

#include "cuda/block_horizon.h"
#include "cuda/sight_scene.h"
#include "cuda/thread_block.h"

namespace tesseray {

// Where blocks put what they find: runs of ascending numbers, in no order.
struct FoundRun {
  std::uint32_t source = 0, count = 0;  // source: index into the batch
  std::uint64_t begin = 0;              // in FoundNumbers::numbers
};
struct FoundNumbers {
  std::uint32_t* numbers = nullptr;
  FoundRun* runs = nullptr;
  std::uint64_t number_capacity = 0, run_capacity = 0;
  std::uint64_t* used = nullptr;           // [0] of numbers, [1] of runs; may grow beyond the capacity
  std::uint8_t* has_overflowed = nullptr;  // by source: its runs are not all there
};

struct SightSearchLimits {
  bool above_only = false;  // only targets above the source; of equally high ones, those with higher numbers
  double max_distance_m = std::numeric_limits<double>::infinity();
};

// Something that hides what is behind it and below its top. Nothing in this and what follows has initialisers, since a
// GPU's shared memory has none: what is read was set by the same search.
struct BlockHider {
  enum class Kind : std::uint32_t { part, wall, terrain_cell, terrain_block };
  Kind kind;
  std::uint32_t index;
  float end_m;  // nothing of it is farther than this (square_norm)
};

// What the threads of a block share.
struct SightBlockMemory {
  static constexpr std::uint32_t block_capacity = 128, cell_capacity = 512, hider_capacity = 256, step_capacity = 384,
                                 target_step_capacity = 1024, candidate_capacity = 1024, found_capacity = 2048;
  struct EnteredCell {
    std::uint32_t cell;
    float floor_z;  // what is lower is hidden
  };
  // Some bins of a hider.
  struct HorizonStep {
    BlockHider::Kind kind;
    std::uint32_t index;
    std::uint16_t first_bin, end_bin;
  };

  BlockHorizon horizon;
  std::uint32_t blocks[block_capacity];
  EnteredCell cells[cell_capacity];
  BlockHider hiders[2][hider_capacity];
  union {  // one after the other in each ring
    HorizonStep horizon_steps[step_capacity];
    std::uint32_t target_steps[target_step_capacity];  // first element · 16 + count
  };
  std::uint32_t candidates[candidate_capacity];
  std::uint32_t found[found_capacity];
  std::uint32_t block_count, cell_count, hider_count[2], step_count, candidate_count, found_count;
  std::uint64_t out_begin;
  bool has_room;
};

// One search. Every thread of the block has one, with the same values.
template <class Block>
class BlockSearch {
 public:
  TESSERAY_HD BlockSearch(const Block& block, const SightSceneView& scene, const SightSearchLimits& limits,
                          SightBlockMemory& memory, const FoundNumbers& out, const Element& source,
                          std::uint32_t source_index)
      : block_(block),
        scene_(scene),
        limits_(limits),
        memory_(memory),
        out_(out),
        source_(source),
        source_index_(source_index),
        eye_(source.point.xy()) {}

  TESSERAY_HD void run() {
    if (source_.is_inside || scene_.element_count == 0) return;
    constexpr double infinity = std::numeric_limits<double>::infinity();
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
    hand_over_found();
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
    const double least = limits_.above_only ? 0 : -std::numeric_limits<double>::infinity();
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
    raise_horizon(nearest_m);
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
    add_terrain(BlockHider::Kind::terrain_block, block, box, bounds.terrain_low_z);
  }

  TESSERAY_HD void enter_cell(std::int32_t i, std::int32_t j) const {
    const auto cell = static_cast<std::uint32_t>(j * scene_.columns + i);
    const SightSquare& bounds = scene_.cells[cell].square;
    const Rectangle box = square(i, j, scene_.cell_m);
    if (is_useless(box, static_cast<double>(bounds.top_z))) return;
    memory_.cells[block_.claim(memory_.cell_count, 1)] = {cell, floor_z(box)};
    add_terrain(BlockHider::Kind::terrain_cell, cell, box, bounds.terrain_low_z);
  }

  // Occluders and targets of the cells that were entered.
  TESSERAY_HD void visit_cells() {
    const std::uint32_t cells = block_.settled(memory_.cell_count);
    block_.for_each(cells, [&](std::uint32_t k) {
      const SightCell& cell = scene_.cells[memory_.cells[k].cell];
      for (std::uint32_t p = cell.first_part; p < cell.end_part; ++p) add_part(scene_.parts[p]);
    });
    // A cell is taken again from where the list of steps was full.
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
    if (block_.settled(memory_.found_count) + count > SightBlockMemory::found_capacity) hand_over_found();
    block_.for_each(count, [&](std::uint32_t k) {
      const Element& target = scene_.elements[memory_.candidates[k]];
      if (path_is_free(scene_.occlusion, source_.point, target.point)) {
        memory_.found[block_.claim(memory_.found_count, 1)] = target.number;
      }
    });
    block_.once([&] { memory_.candidate_count = 0; });
  }

  // Sorts what was found and appends it to what all blocks found.
  TESSERAY_HD void hand_over_found() {
    const std::uint32_t count = block_.settled(memory_.found_count);
    if (count == 0) return;
    sort_found(count);
    block_.once([&] {
      const std::uint64_t begin = block_.claim_of_all(out_.used[0], count), run = block_.claim_of_all(out_.used[1], 1);
      memory_.has_room = begin + count <= out_.number_capacity && run < out_.run_capacity;
      memory_.out_begin = begin;
      if (memory_.has_room) {
        out_.runs[run] = {source_index_, count, begin};
      } else {
        out_.has_overflowed[source_index_] = 1;
        // What a place was claimed for in vain is no run.
        if (run < out_.run_capacity) out_.runs[run] = {source_index_, 0, 0};
      }
      memory_.found_count = 0;
    });
    if (block_.settled(memory_.has_room)) {
      block_.for_each(count, [&](std::uint32_t k) { out_.numbers[memory_.out_begin + k] = memory_.found[k]; });
    }
  }

  // A bitonic network (K. Batcher, 1968): all comparisons of a stage are independent.
  TESSERAY_HD void sort_found(std::uint32_t count) {
    std::uint32_t size_of_network = 1;
    while (size_of_network < count) size_of_network *= 2;
    block_.for_each(size_of_network - count, [&](std::uint32_t k) { memory_.found[count + k] = 0xffffffffu; });
    for (std::uint32_t sorted = 2; sorted <= size_of_network; sorted *= 2) {
      for (std::uint32_t distance = sorted / 2; distance > 0; distance /= 2) {
        block_.for_each(size_of_network / 2, [&](std::uint32_t k) {
          const std::uint32_t low = k / distance * 2 * distance + k % distance, high = low + distance;
          const std::uint32_t a = memory_.found[low], b = memory_.found[high];
          const bool is_rising = (low & sorted) == 0;
          if ((a > b) != is_rising) return;
          memory_.found[low] = b;
          memory_.found[high] = a;
        });
      }
    }
  }

  TESSERAY_HD void add_hider(BlockHider::Kind kind, std::uint32_t index, double end_m) const {
    const std::uint32_t place = block_.claim(memory_.hider_count[pending_], 1);
    if (place >= SightBlockMemory::hider_capacity) return;
    memory_.hiders[pending_][place] = {kind, index, static_cast<float>((end_m + beyond_occluder_m) * (1 + 1e-6))};
  }

  TESSERAY_HD Rectangle relative(const Rectangle& box) const { return {box.min - eye_, box.max - eye_}; }

  TESSERAY_HD void add_part(std::uint32_t index) const {
    const FlatPart& part = scene_.occlusion.parts[index];
    if (limits_.above_only && part.top_z <= source_.point.z) return;
    // Below a raised part one may see through; what rises does not get there from above its underside.
    const double least = -std::numeric_limits<double>::infinity();
    if (part.bottom_z > (limits_.above_only ? source_.point.z : least)) return;
    const Rectangle box = relative(scene_.part_bounds[index]);
    if (nearest_distance(box) > beyond_occluder_m) {
      if (part.top_z - source_.point.z < hidden_height(memory_.horizon, box)) return;
      add_hider(BlockHider::Kind::part, index, farthest_distance(box));
      return;
    }
    for (std::uint32_t w = part.first_side; w < part.end_side; ++w) {
      const WallSide& wall = scene_.occlusion.outlines[w];
      add_hider(BlockHider::Kind::wall, w, higher(square_norm(wall.p - eye_), square_norm(wall.q - eye_)));
    }
  }

  TESSERAY_HD void add_terrain(BlockHider::Kind kind, std::uint32_t index, const Rectangle& box, float low_z) const {
    const double height = static_cast<double>(low_z) - source_.point.z;
    if (height <= 0 || nearest_distance(box) <= beyond_occluder_m) return;
    if (height < hidden_height(memory_.horizon, box)) return;
    add_hider(kind, index, farthest_distance(box));
  }

  // The outline of a hider: its corners one after the other, around the air outside of it.
  struct Outline {
    const WallSide* sides = nullptr;  // whose first ends are the corners; none for a square of terrain
    Rectangle square;
    std::uint32_t corners = 0;
    double top_z = 0;
    bool is_one_wall = false;

    TESSERAY_HD Vec2 corner(std::uint32_t k) const {
      if (is_one_wall) return k == 0 ? sides[0].p : sides[0].q;
      if (sides != nullptr) return sides[k].p;
      return {k == 0 || k == 3 ? square.min.x : square.max.x, k < 2 ? square.min.y : square.max.y};
    }
  };
  TESSERAY_HD Outline outline_of(BlockHider::Kind kind, std::uint32_t index) const {
    const OcclusionView& occlusion = scene_.occlusion;
    if (kind == BlockHider::Kind::part) {
      const FlatPart& part = occlusion.parts[index];
      return {occlusion.outlines + part.first_side, {}, part.end_exterior - part.first_side, part.top_z, false};
    }
    if (kind == BlockHider::Kind::wall)
      return {occlusion.outlines + index, {}, 2, occlusion.outlines[index].top_z, true};
    const bool is_cell = kind == BlockHider::Kind::terrain_cell;
    const double side_m = scene_.cell_m * (is_cell ? 1 : size);
    const auto columns = static_cast<std::uint32_t>(is_cell ? scene_.columns : scene_.block_columns);
    const SightSquare& bounds = is_cell ? scene_.cells[index].square : scene_.blocks[index];
    const Vec2 corner = {scene_.origin.x + index % columns * side_m, scene_.origin.y + index / columns * side_m};
    return {
        nullptr, {corner, {corner.x + side_m, corner.y + side_m}}, 4, static_cast<double>(bounds.terrain_low_z), false};
  }

  // Raises the horizon by the hiders that end before a distance; the others stay pending.
  TESSERAY_HD void raise_horizon(double nearest_m) {
    const std::uint32_t claimed = block_.settled(memory_.hider_count[pending_]);
    const std::uint32_t count = claimed < SightBlockMemory::hider_capacity ? claimed : SightBlockMemory::hider_capacity;
    if (count == 0) return;
    const std::uint32_t now = pending_;
    pending_ = 1 - pending_;
    block_.for_each(count, [&](std::uint32_t k) {
      const BlockHider& hider = memory_.hiders[now][k];
      if (static_cast<double>(hider.end_m) > nearest_m) {
        memory_.hiders[pending_][block_.claim(memory_.hider_count[pending_], 1)] = hider;
      } else {
        add_horizon_steps(hider);
      }
    });
    const std::uint32_t steps = block_.settled(memory_.step_count);
    block_.for_each(steps < SightBlockMemory::step_capacity ? steps : SightBlockMemory::step_capacity,
                    [&](std::uint32_t k) {
                      const SightBlockMemory::HorizonStep& step = memory_.horizon_steps[k];
                      raise_step(step.kind, step.index, step.first_bin, step.end_bin);
                    });
    block_.once([&] {
      memory_.step_count = 0;
      memory_.hider_count[now] = 0;
    });
    if (steps > 0) settle_horizon(block_, memory_.horizon);
  }

  // The bins that a hider fills, as steps.
  TESSERAY_HD void add_horizon_steps(const BlockHider& hider) const {
    const Outline outline = outline_of(hider.kind, hider.index);
    const Vec2 first = outline.corner(0) - eye_;
    // Seen from outside of its box, an outline spans less than half of the circle from its first corner either way.
    double low = square_azimuth(first), high = low, start = low;
    for (std::uint32_t k = 1; k < outline.corners; ++k) {
      double azimuth = square_azimuth(outline.corner(k) - eye_);
      if (azimuth > start + 4) azimuth -= 8;
      if (azimuth < start - 4) azimuth += 8;
      low = lower(low, azimuth);
      high = higher(high, azimuth);
    }
    const double turn = low < 0 ? 8 : 0;
    const auto first_bin = static_cast<std::uint32_t>(std::ceil((low + turn + azimuth_doubt) * bins_per_azimuth));
    const auto end_bin = static_cast<std::uint32_t>(std::floor((high + turn - azimuth_doubt) * bins_per_azimuth));
    for (std::uint32_t bin = first_bin; bin < end_bin;) {
      const std::uint32_t aligned_end = (bin / bins_per_step + 1) * bins_per_step;
      const std::uint32_t end = aligned_end < end_bin ? aligned_end : end_bin;
      const std::uint32_t place = block_.claim(memory_.step_count, 1);
      if (place < SightBlockMemory::step_capacity) {
        memory_.horizon_steps[place] = {hider.kind, hider.index, static_cast<std::uint16_t>(bin),
                                        static_cast<std::uint16_t>(end)};
      } else {
        raise_step(hider.kind, hider.index, bin, end);
      }
      bin = end;
    }
  }

  TESSERAY_HD void raise_step(BlockHider::Kind kind, std::uint32_t index, std::uint32_t first_bin,
                              std::uint32_t end_bin) const {
    const Outline outline = outline_of(kind, index);
    const double height = outline.top_z - source_.point.z - occluder_margin_m;
    StepSlopes slopes(first_bin / bins_per_step * bins_per_step);
    if (outline.is_one_wall) {
      slopes.add_wall(outline.corner(0) - eye_, outline.corner(1) - eye_, height, true);
    } else {
      for (std::uint32_t k = 0; k < outline.corners; ++k) {
        const std::uint32_t next = k + 1 < outline.corners ? k + 1 : 0;
        slopes.add_wall(outline.corner(k) - eye_, outline.corner(next) - eye_, height, false);
      }
    }
    raise_bins(block_, memory_.horizon, slopes, first_bin, end_bin);
  }

  const Block& block_;
  const SightSceneView& scene_;
  const SightSearchLimits& limits_;
  SightBlockMemory& memory_;
  const FoundNumbers& out_;
  const Element& source_;
  std::uint32_t source_index_;
  Vec2 eye_;
  std::int32_t column_ = 0, row_ = 0;  // of the source's cell
  std::uint32_t pending_ = 0;          // which list of hiders is being filled
};

}  // namespace tesseray
