// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of a search that run over many squares, elements or walls at a time. They leave out what is certain, either
// way, and say of the rest that it is not: rounding of single precision is within the margins of sight_margins.h.
// Arrays hold whole vectors of `lanes`: what is beyond `count` is read and written, not used.
//
// They are built for several instruction sets and chosen when the program runs; the bits are the same on all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/vector_dispatch.h"
#include "core/visibility/horizon.h"
#include "core/visibility/sight_margins.h"

namespace tesseray {

inline constexpr int lanes = 16;

// A source as seen by the kernels: its normal, or zero, and its height over the reference.
struct KernelSource {
  float nx = 0, ny = 0, nz = 0;
  float z = 0;
  float least_z = 0;  // what is lower than this matters neither as a target nor as an occluder; −∞ for no such limit
  float lift_m = 0;   // how far targets in front of the source may have their points behind its plane
};

// Squares with their lower corners at (x, y) relative to the eye. Nothing in them is higher than top_z.
struct SquareArrays {
  const float* x;
  const float* y;
  const float* top_z;
  float side;
};

// Elements relative to the corner of their block, which is at (offset_x, offset_y) from the eye.
struct ElementSpan {
  const float* x;
  const float* y;
  const float* z;
  const float* nx;
  const float* ny;
  const float* nz;
  float offset_x, offset_y;
};

// A target as the eye sees it, relative to it.
struct Candidate {
  float x = 0, y = 0, z = 0;
  float azimuth = 0, distance = 0;
  std::uint32_t element = 0;  // place in SightGrid::elements
  bool is_facing = false;     // certainly
};

// A source's limits on its targets.
struct FacingLimits {
  float least_z = 0, least_certain_z = 0;  // relative to the eye; −∞ for none
  float near_enough_m2 = 0, certainly_near_enough_m2 = 0;
  float lift_m = 0;  // of points over centroids
};

// Walls, relative to the eye or to the corner of their block.
template <class Number>
struct WallPointers {
  Number* x;
  Number* y;
  Number* along_x;
  Number* along_y;
  Number* bottom_z;
  Number* top_z;
};

// Walls as sectors keep them (sector_walls.h).
struct SeenWalls {
  float* across_x;
  float* across_y;
  float* error_of_target;
  float* error_of_wall;
  float* middle;
  float* inner;
  float* outer;
  std::int32_t* is_kept;
};

enum class Sight : std::uint8_t { free, blocked, uncertain };

// So many walls of one sector; those that are not there have outer < 0.
struct WallGroup {
  alignas(64) float across_x[lanes];
  float across_y[lanes];
  float top_z[lanes], bottom_z[lanes];
  float error_of_target[lanes], error_of_wall[lanes];
  float middle[lanes], inner[lanes],
      outer[lanes];  // azimuths: certainly within inner of middle, possibly within outer
  std::int32_t next = -1;
};
inline constexpr int wall_sectors = 128;

struct SightKernels {
  // level[b] = min(below[b], below[b + width]) for all bins.
  void (*halve)(const float* below, float* level, int width);
  // least[k] = min(least[k], first + k · step, kept between low and high) for `count` bins.
  void (*lower_bins)(int count, float first, float step, float low, float high, float* least);
  // Raises `count` slopes to what is certain of `least`, where that is finite or −∞; says whether any was raised.
  bool (*raise_bins)(int count, const float* least, float* slopes);
  // For each square the height below which all that stands in it is hidden, +∞ where nothing in it matters.
  void (*find_floors)(int count, SquareArrays squares, float position_m, KernelSource source, const float* windows,
                      float* floor_z);
  // Writes the elements that face the source, or may do so, and that the horizon does not hide; returns how many they
  // are. `first` is the place of the first element. There is room for `count` candidates and one.
  int (*face_source)(int count, std::uint32_t first, ElementSpan elements, float position_m, KernelSource source,
                     FacingLimits limits, const float* slopes, Candidate* candidates);
  // Copies walls of a block whose corner is at (offset_x, offset_y) from the eye, relative to the eye.
  void (*copy_walls)(int count, WallPointers<const float> walls, float offset_x, float offset_y, float eye_z,
                     WallPointers<float> copies);
  void (*see_walls)(int count, WallPointers<const float> walls, SightMargins margins, bool rising, const float* windows,
                    SeenWalls seen);
  // first_group: of each sector, −1 for none.
  void (*test_walls)(std::size_t count, const Candidate* candidates, const std::int32_t* first_group,
                     const WallGroup* groups, SightMargins margins, Sight* sights);
};

// REQUIRES: a set that this machine has.
const SightKernels& sight_kernels(InstructionSet set);

}  // namespace tesseray
