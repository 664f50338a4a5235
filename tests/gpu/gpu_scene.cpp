// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a city as the scene file that the other programs read.
//
// Usage: gpu_scene CITY FILE.tscene     CITY: another scene file, or the side of a synthetic city in metres
#include <cstdio>

#include "tests/gpu/gpu_city.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gpu_scene CITY.tscene|SIDE_M FILE.tscene\n");
    return 2;
  }
  try {
    tesseray::write_scene_file(tesseray::city_of(argv[1]), {argv[2]});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
