// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of a city's tiles, and of its edges with them, cost straight into a file, block by block, with little
// memory: for cities and tiles of any size, and within a distance. Cities are synthetic:SIDE of visibility_city.h. The
// memory is that of compute_visibility_file.
// Prints a row of a Markdown table per city; the files are removed.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

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
  CLI::App app("What visibility straight into its file takes, as computevisibility writes it.");
  tesseray::Settings settings;
  std::vector<double> sides_m;
  app.add_option("sides", sides_m, "of synthetic cities, m")->required();
  app.add_option("--memory", settings.memory_gib, "the budget, GiB");
  app.add_option("--max-distance", settings.visibility.max_distance_m, "m");
  app.add_option("--tile-area", settings.tiling.tile_area_m2, "m²");
  app.add_option("--edges", settings.with_edges, "1: with edge segments");
  CLI11_PARSE(app, argc, argv);
  std::printf(
      "| city | km² | tiles | edges | entries, 10⁶ | s | processor s | µs per entry | memory, MiB | file, MiB |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const double side_m : sides_m) tesseray::measure(side_m, settings);
  return 0;
}
