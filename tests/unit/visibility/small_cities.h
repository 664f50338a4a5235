// SPDX-License-Identifier: GPL-3.0-or-later
// Small random cities that are hard for a test of sight: courtyards, terraces, stacked and raised parts, curves,
// hills.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray::test {

struct CityOptions {
  std::string name = "boxes";
  std::uint32_t seed = 1;
  int blocks = 4;            // along each side
  double block_m = 48;       // between the centres of blocks
  double hill_height_m = 0;  // 0: flat ground
  double terrain_step_m = 7.3;
  bool rotated = true;  // blocks turn by random angles; otherwise walls lie along the axes and in line
  bool courtyards = false, terraces = false, towers = false, raised = false, corner_touching = false;
  bool curves = false;  // of sides too narrow for tiles of their own
};

Scene make_city(const CityOptions& options);

// The cities that every way of computing visibility is held against.
std::vector<CityOptions> hard_cities();

// The same city turned about the origin by a quarter turn to the left.
Scene quarter_turn(const Scene& scene);

}  // namespace tesseray::test
