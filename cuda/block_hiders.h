// SPDX-License-Identifier: GPL-3.0-or-later
// What a block has met that hides what is behind it, until the search is beyond it and the horizon can be raised by it.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/infinity.h"
#include "cuda/block_horizon.h"
#include "cuda/sight_block_memory.h"
#include "cuda/sight_scene.h"

namespace tesseray {

// Of one search. Every thread of the block has one, with the same values.
template <class Block>
class BlockHiders {
 public:
  // With `above_only`, targets are not lower than the eye.
  TESSERAY_HD BlockHiders(const Block& block, const SightSceneView& scene, SightBlockMemory& memory, Vec3 eye,
                          bool above_only)
      : block_(block), scene_(scene), memory_(memory), eye_(eye.xy()), eye_z_(eye.z), above_only_(above_only) {}

  TESSERAY_HD void add_part(std::uint32_t index) const {
    const FlatPart& part = scene_.occlusion.parts[index];
    if (above_only_ && part.top_z <= eye_z_) return;
    // Below a raised part one may see through; what rises does not get there from above its underside.
    const double least = -infinity;
    if (part.bottom_z > (above_only_ ? eye_z_ : least)) return;
    const Rectangle box = relative(scene_.part_bounds[index]);
    if (nearest_distance(box) > beyond_occluder_m) {
      if (part.top_z - eye_z_ < hidden_height(memory_.horizon, box)) return;
      add_hider(BlockHider::Kind::part, index, farthest_distance(box));
      return;
    }
    for (std::uint32_t w = part.first_side; w < part.end_side; ++w) {
      const Vec2 p = scene_.occlusion.outlines[w].p - eye_, q = scene_.occlusion.outlines[w].q - eye_, along = q - p;
      const double turn = cross(p, along);
      const bool is_in_plane = turn * turn < in_plane_m * in_plane_m * dot(along, along);
      if (!is_in_plane) add_hider(BlockHider::Kind::wall, w, higher(square_norm(p), square_norm(q)));
    }
  }

  TESSERAY_HD void add_terrain(BlockHider::Kind kind, std::uint32_t index, const Rectangle& box, float low_z) const {
    const double height = static_cast<double>(low_z) - eye_z_;
    if (height <= 0 || nearest_distance(box) <= beyond_occluder_m) return;
    if (height < hidden_height(memory_.horizon, box)) return;
    add_hider(kind, index, farthest_distance(box));
  }

  // Raises the horizon by the hiders that end before a distance; the others stay pending.
  TESSERAY_HD void raise(double nearest_m) {
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

 private:
  TESSERAY_HD void add_hider(BlockHider::Kind kind, std::uint32_t index, double end_m) const {
    const std::uint32_t place = block_.claim(memory_.hider_count[pending_], 1);
    if (place >= SightBlockMemory::hider_capacity) return;
    memory_.hiders[pending_][place] = {kind, index, static_cast<float>((end_m + beyond_occluder_m) * (1 + 1e-6))};
  }

  TESSERAY_HD Rectangle relative(const Rectangle& box) const { return {box.min - eye_, box.max - eye_}; }

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
    const double side_m = scene_.cell_m * (is_cell ? 1 : SightGrid::block_cells);
    const auto columns = static_cast<std::uint32_t>(is_cell ? scene_.columns : scene_.block_columns);
    const SightSquare& bounds = is_cell ? scene_.cells[index].square : scene_.blocks[index];
    const Vec2 corner = {scene_.origin.x + index % columns * side_m, scene_.origin.y + index / columns * side_m};
    return {
        nullptr, {corner, {corner.x + side_m, corner.y + side_m}}, 4, static_cast<double>(bounds.terrain_low_z), false};
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
    // A wall in line with the eye has no breadth, and may lie where azimuths begin.
    const double last = higher(high + turn - azimuth_doubt, 0.0);
    const auto end_bin = static_cast<std::uint32_t>(std::floor(last * bins_per_azimuth));
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
    const double height = outline.top_z - eye_z_ - occluder_margin_m;
    StepSlopes slopes(first_bin / bins_per_step * bins_per_step);
    const std::uint32_t walls = outline.is_one_wall ? 1 : outline.corners;
    for (std::uint32_t k = 0; k < walls; ++k) {
      const std::uint32_t next = k + 1 < outline.corners ? k + 1 : 0;
      slopes.add_wall(outline.corner(k) - eye_, outline.corner(next) - eye_, height, outline.is_one_wall);
    }
    raise_bins(block_, memory_.horizon, slopes, first_bin, end_bin);
  }

  const Block& block_;
  const SightSceneView& scene_;
  SightBlockMemory& memory_;
  Vec2 eye_;
  double eye_z_;
  bool above_only_;
  std::uint32_t pending_ = 0;  // which list of hiders is being filled
};

}  // namespace tesseray
