// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of a city's tiles, and of its edges with them, cost straight into a file, block by block, with little
// memory: for cities and tiles of any size, and within a distance. Usage:
//   visibility_to_file [--memory GIB] [--max-distance M] [--tile-area M2] [--edges 1] SIDE...
// Cities are synthetic:SIDE of visibility_city.h. The memory (2 GiB if not given) is that of compute_visibility_file.
// Prints a row of a Markdown table per city; the files are removed.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct Settings {
  double memory_gib = 2;
  TilingOptions tiling;
  VisibilityOptions visibility;
  bool with_edges = false;
};

rusage usage_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double processor_seconds() {
  const rusage usage = usage_so_far();
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

void measure(double side_m, const Settings& settings) {
  testing::SyntheticCityOptions city = testing::large_city();
  city.width_m = city.depth_m = side_m;
  const Scene scene = testing::synthetic_city(city);
  Tiling tiling = tile_scene(scene, settings.tiling, no_progress());
  if (!settings.with_edges) tiling.edges.clear();
  const Occlusion occlusion(scene);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("visibility_to_file." + std::to_string(getpid()) + ".tvis");
  const auto begin = std::chrono::steady_clock::now();
  const double processor_begin = processor_seconds();
  constexpr double bytes_per_gib = 1 << 30, bytes_per_mib = 1 << 20, kib_per_mib = 1024;
  compute_visibility_file(occlusion, tiling, settings.visibility, 1, path,
                          static_cast<std::uint64_t>(settings.memory_gib * bytes_per_gib), no_progress());
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double processor = processor_seconds() - processor_begin;
  const auto entries = static_cast<double>(read_visibility_info(path).entry_count);
  std::printf("| synthetic:%.0f | %.1f | %zu | %zu | %.1f | %.1f | %.1f | %.3f | %.0f | %.0f |\n", side_m,
              side_m * side_m / 1e6, tiling.tiles.size(), tiling.edges.size(), entries / 1e6, wall, processor,
              1e6 * processor / entries, static_cast<double>(usage_so_far().ru_maxrss) / kib_per_mib,
              static_cast<double>(std::filesystem::file_size(path)) / bytes_per_mib);
  std::fflush(stdout);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  tesseray::Settings settings;
  int next = 1;
  for (; next + 1 < argc && std::string(argv[next]).starts_with("--"); next += 2) {
    const std::string option = argv[next];
    const double value = std::stod(argv[next + 1]);
    if (option == "--memory") settings.memory_gib = value;
    if (option == "--max-distance") settings.visibility.max_distance_m = value;
    if (option == "--tile-area") settings.tiling.tile_area_m2 = value;
    if (option == "--edges") settings.with_edges = value != 0;
  }
  std::printf(
      "| city | km² | tiles | edges | entries, 10⁶ | s | processor s | µs per entry | memory, MiB | file, MiB |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (; next < argc; ++next) tesseray::measure(std::stod(argv[next]), settings);
  return 0;
}
