// SPDX-License-Identifier: GPL-3.0-or-later
// The walls that may stand between an eye and its targets, by sectors of azimuth, and how high the terrain rises in
// each sector. Both are asked by floats with margins, so that there is a third answer: it is not certain.
//
// A wall in the plane n · x = 1 (horizontal vectors from the eye) is passed by the way to the target v when n · v > 1,
// at the height v.z / (n · v).
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/visibility/search/sight_grid.h"
#include "core/visibility/search/sight_kernels.h"

namespace tesseray {

// How high the terrain lies over an eye in a square: nowhere over height_m, nor over a plane, which lies so far over
// the eye and rises with a gradient.
struct TerrainOverEye {
  double height_m = 0, plane_m = 0;
  Vec2 gradient;
};

class SectorWalls {
 public:
  static constexpr int sectors = wall_sectors;

  SectorWalls(const SightGrid& grid, const OcclusionView& occlusion, InstructionSet set,
              std::pmr::memory_resource* memory);

  // With `rising`, targets are not lower than the eye. Unless `knows_terrain`, terrain that is not added may be in the
  // way. REQUIRES: the eye is inside of no part; rising: nor within 2 mm
  // of a wall, nor under a raised part.
  void reset(Vec3 eye, bool rising, bool knows_terrain);
  // The walls of a cell that rise above a height over the reference; they count from the next call of `place_walls` on.
  void add_walls_of_cell(std::uint32_t cell, const SquareBounds& bounds, float floor_z);
  // Sorts those into sectors that rise above the horizon.
  void place_walls(const Horizon& horizon);
  // What is added from here on lies no nearer than this (the larger of |x| and |y|). REQUIRES: no less than before.
  void begin_ring(double nearest_m) { ring_m_ = nearest_m; }
  // The terrain in a square relative to the eye.
  void add_terrain(const Rectangle& square, const TerrainOverEye& terrain);

  void judge(std::size_t count, CandidateArrays candidates, Verdict* verdicts) const;
  // How far the way towards an azimuth is certainly above the terrain when it rises (or falls) with `slope`: the larger
  // of |x| and |y|, m.
  double distance_over_terrain(double azimuth, double slope) const;

 private:
  void push(int sector, std::size_t wall, float azimuth_shift);
  WallPointers<float> added_from(std::size_t wall);
  void make_room(std::size_t walls);

  void add_terrain_cell(std::int32_t i, std::int32_t j);
  // Terrain that rises over the eye by no more than (slope + gradient · direction) times the distance.
  void add_slope(double slope, Vec2 gradient, AzimuthInterval azimuths);

  void raise_terrain(std::size_t sector, float slope);

  const OcclusionView& occlusion_;
  const SightGrid& grid_;
  const SightKernels& kernels_;
  Vec3 eye_;
  float eye_z_ = 0;
  bool rising_ = false;
  std::pmr::vector<WallGroup> groups_;
  std::size_t used_groups_ = 0;
  std::array<std::int32_t, sectors> first_group_{}, used_lanes_{};
  std::array<float, sectors> wall_slope_{}, terrain_slope_{};
  // How that slope grew: from distance_m on terrain is steeper than the slope of the step before, and nowhere steeper
  // than this step's. More steps than there is room for are one with the last.
  struct TerrainStep {
    double distance_m = 0;
    float slope = 0;
  };
  static constexpr std::size_t most_steps = 8;
  std::array<std::array<TerrainStep, most_steps>, sectors> terrain_steps_{};
  std::array<std::uint8_t, sectors> used_steps_{};
  double ring_m_ = 0;
  std::size_t added_walls_ = 0;
  std::vector<std::pmr::vector<float>> added_;  // WallPointers
  std::vector<std::pmr::vector<float>> seen_;   // SeenWalls
};

}  // namespace tesseray
