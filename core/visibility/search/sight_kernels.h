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
#include "core/visibility/search/horizon.h"
#include "core/visibility/search/sight_margins.h"

namespace tesseray {

inline constexpr int lanes = 16;

// A source as seen by the kernels: a tile's normal, an edge's direction, or zero; and its height over the reference.
struct KernelSource {
  float nx = 0, ny = 0, nz = 0;
  float along_x = 0, along_y = 0, along_z = 0;
  bool is_edge = false;
  float z = 0;
  float least_z = 0;  // what is lower than this matters neither as a target nor as an occluder; −∞ for no such limit
  float lift_m = 0;   // how far targets in front of the source may have their points behind its plane
};

// Squares with their lower corners at (x, y) relative to the eye. Nothing in them is higher than top_z.
struct SquareArrays {
  const float* x;
  const float* y;
  const float* top_z;
  const std::uint32_t* index;
  float side;
};

// Squares that are not hidden: what stands in one below floor_z is.
struct EnteredSquares {
  std::uint32_t* index;
  float* floor_z;
};

// So many elements of one cell, relative to the corner of its block; what is in the lanes of none is not used. Normals
// are of tiles, and zero for edge segments.
struct alignas(64) ElementGroup {
  float x[lanes], y[lanes], z[lanes];
  float nx[lanes], ny[lanes], nz[lanes];
  std::uint32_t number[lanes];
};

// Pieces of walls of one cell, each from a point along a direction that is as long as the piece; the solid is on the
// left. Relative to the corner of the cell's block and to the reference height.
inline constexpr int wall_lanes = 8;
struct alignas(64) WallPieces {
  float x[wall_lanes], y[wall_lanes], along_x[wall_lanes], along_y[wall_lanes];
  float bottom_z[wall_lanes], top_z[wall_lanes];  // bottom −10⁹ for parts on the ground
};

// Consecutive elements of one block, whose corner is at (offset_x, offset_y) from the eye.
struct ElementSpan {
  std::uint32_t begin = 0, end = 0;  // lanes of all groups; begin is the first of its group
  float offset_x = 0, offset_y = 0;
  float floor_z = 0;         // over the reference: what follows the first vector that begins lower may be left out
  bool is_doubtful = false;  // none of them faces the source with certainty
};

// Targets as the eye sees them, relative to it.
struct CandidateArrays {
  float* x;
  float* y;
  float* z;
  float* azimuth;
  float* distance;
  std::uint32_t* number;
  std::int32_t* is_facing;  // −1: certainly
};

// A source's limits on its targets.
struct FacingLimits {
  float least_z = 0, least_certain_z = 0;  // relative to the eye; −∞ for none
  float near_enough_m2 = 0, certainly_near_enough_m2 = 0;
  float lift_m = 0;  // of points over centroids
};

// Walls relative to the eye.
template <class Number>
struct WallPointers {
  Number* x;
  Number* y;
  Number* along_x;
  Number* along_y;
  Number* bottom_z;
  Number* top_z;
};

// Walls as sectors keep them (sector_walls.h), without those that cannot be in the way.
struct SeenWalls {
  float* across_x;
  float* across_y;
  float* error_of_target;
  float* error_of_wall;
  float* middle;
  float* inner;
  float* outer;
  float* slope;  // which the wall does not exceed
  float* bottom_z;
  float* top_z;
};

// What is certain of a candidate. Of those that are not blocked or seen, the exact functions are asked the rest.
enum class Verdict : std::uint8_t { blocked, seen, ask_terrain, ask_path, ask_all };

// So many walls of one sector; those that are not there have outer < 0.
struct WallGroup {
  alignas(64) float across_x[lanes];
  float across_y[lanes];
  float top_z[lanes], bottom_z[lanes];
  float error_of_target[lanes], error_of_wall[lanes];
  float middle[lanes], inner[lanes],
      outer[lanes];        // azimuths: certainly within inner of middle, possibly within outer
  float slope = 0;         // which none of them exceeds
  bool is_raised = false;  // one of them is a raised part's
  std::int32_t next = -1;
};
inline constexpr int wall_sectors = 256;

// By sector: the first of its groups of walls, −1 for none; the slope that none of its walls exceeds; likewise its
// terrain, +∞ where nothing is known of it.
struct SectorView {
  const std::int32_t* first_group;
  const WallGroup* groups;
  const float* wall_slope;
  const float* terrain_slope;
};

struct SightKernels {
  // level[b] = min(below[b], below[b + distance]) for the bins first … end − 1, multiples of `lanes` both.
  void (*halve)(const float* below, float* level, int distance, int first, int end);
  // least[k] = min(least[k], first + k · step, kept between low and high) for `count` bins.
  void (*lower_bins)(int count, float first, float step, float low, float high, float* least);
  // Raises `count` slopes to what is certain of `least`, where that is finite or −∞; says whether any was raised.
  bool (*raise_bins)(int count, const float* least, float* slopes);
  // Writes the squares in which something matters that is not certainly hidden; returns how many they are. There is
  // room for all and `lanes` more.
  std::size_t (*enter_squares)(int count, SquareArrays squares, float position_m, KernelSource source,
                               const float* windows, EnteredSquares entered);
  // Writes the elements that face the source, or may do so, and that the horizon does not hide; returns how many they
  // are. There is room for all of the elements and `lanes` more.
  std::size_t (*face_source)(std::size_t spans, const ElementSpan* span, const ElementGroup* groups, float position_m,
                             KernelSource source, FacingLimits limits, const float* slopes, CandidateArrays candidates);
  // Copies the first `count` walls of a block whose corner is at (offset_x, offset_y) from the eye, relative to the
  // eye.
  void (*copy_walls)(int count, const WallPieces* walls, float offset_x, float offset_y, float eye_z,
                     WallPointers<float> copies);
  // Returns how many walls are kept. There is room for all and `lanes` more.
  std::size_t (*see_walls)(int count, WallPointers<const float> walls, SightMargins margins, bool rising,
                           const float* windows, SeenWalls seen);
  void (*judge)(std::size_t count, CandidateArrays candidates, SectorView sectors, SightMargins margins,
                Verdict* verdicts);
};

// REQUIRES: a set that this machine has.
const SightKernels& sight_kernels(InstructionSet set);

}  // namespace tesseray
