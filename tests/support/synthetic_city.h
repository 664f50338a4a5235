// SPDX-License-Identifier: GPL-3.0-or-later
// Cities made by rule, the same on every machine, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <functional>

#include "core/scene/scene.h"

namespace tesseray::testing {

// Street grids, each district turned its own way, on hills. Blocks are terraces, courtyard houses, L-shaped and
// free-standing houses, towers on podiums (stacked prisms), or parks (vegetation). Prisms never overlap.
struct SyntheticCityOptions {
  double width_m = 1000, depth_m = 1000;
  double district_m = 700;  // side of a district with one street grid
  double block_m = 80, street_m = 16;
  double mean_height_m = 13;     // of ordinary houses
  double tower_share = 0.02;     // of lots
  double park_share = 0.06;      // of blocks
  double open_lot_share = 0.10;  // of lots
  double equal_lot_m = 0;        // above 0: only blocks of equal lots of this side, of one height per block
  double hill_m = 15;            // the terrain goes from −hill_m to +hill_m; 0: flat
  double terrain_step_m = 20;
  bool rotated = true;
  std::uint64_t seed = 1;
};

Scene synthetic_city(const SyntheticCityOptions& options);

// 0.5 km² of dense blocks, solid or around a yard, with about 5,400 tiles of 100 m².
SyntheticCityOptions dense_block_city();
// 34 houses without parks, of which exact rays are found in no time.
SyntheticCityOptions small_city(double hill_m = 0);
// 20 km² with more than 412,000 tiles of 100 m².
SyntheticCityOptions large_city();

// Flat ground of a given size at height 0, with nothing on it.
Scene flat_ground(double width_m, double depth_m);
// The same extent over a terrain with nodes so far apart.
Scene terrain_of(double width_m, double depth_m, double step_m, const std::function<double(Vec2)>& height_at);
// A prism on the ground from a rectangle of the plan.
Prism box_prism(std::int64_t building_id, Vec2 min, Vec2 max, double bottom_z, double top_z);

// Reproducible numbers: SplitMix64, and nothing of the standard library's distributions, which differ.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform(double low, double high);
  // A whole number of [0, count).
  std::uint32_t below(std::uint32_t count);

 private:
  std::uint64_t state_;
};

}  // namespace tesseray::testing
