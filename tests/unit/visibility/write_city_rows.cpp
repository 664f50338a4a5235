// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a city's visibility file and its rows as text, one line per element, for the test of the Python reader.
#include <cstdio>
#include <fstream>

#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_city_rows FOLDER\n");
    return 2;
  }
  using namespace tesseray;
  const std::filesystem::path folder = argv[1];
  testing::SyntheticCityOptions options;
  options.width_m = 420;
  options.depth_m = 300;
  const Scene scene = testing::synthetic_city(options);
  const auto visibility = compute_visibility(Occlusion(scene), tile_scene(scene, {}, no_progress()), {}, no_progress());
  write_visibility(*visibility, {}, 1, folder / "city.tvis", no_progress());
  std::ofstream rows(folder / "rows.txt");
  std::vector<std::uint32_t> row;
  for (std::uint32_t element = 0; element < visibility->element_count(); ++element) {
    visibility->read_row(element, row);
    for (const std::uint32_t other : row) rows << other << ' ';
    rows << '\n';
  }
  return rows.good() ? 0 : 1;
}
