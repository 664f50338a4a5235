// SPDX-License-Identifier: GPL-3.0-or-later
// What visibility costs on a whole city: the matrix of tiles, edge rows and links, first level, file, and the plain way
// (every facing pair to Embree) on a sample in the same run.
// Prints a row of a Markdown table per city.
#include <sys/resource.h>
#include <tbb/parallel_for.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/visibility/occlusion/elements.h"
#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/visibility/triangle_oracle.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

// Seconds that a piece of work takes, and of processor time in all threads: on a machine that others use too, the
// latter over the number of cores tells what the former would be.
struct Seconds {
  double wall = 0, processor = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

template <class Work>
Seconds seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double processor_begin = processor_seconds();
  work();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {wall, processor_seconds() - processor_begin};
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::uint64_t entries_of(const Visibility& visibility) {
  std::uint64_t entries = 0;
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    entries += visibility.row_length(element);
  }
  return entries;
}

// Rays of the plain way: each source tile to every tile above it that it faces.
Seconds seconds_of_plain_way(const testing::VisibilityCity& city, const Occlusion& occlusion, int sources) {
  const test::TriangleOracle oracle(city.scene);
  Tiling tiles;
  tiles.tiles = city.tiling.tiles;
  const std::vector<Element> elements = make_elements(occlusion.view(), tiles);
  testing::Random random(1);
  std::vector<std::uint32_t> chosen;
  for (int k = 0; k < sources; ++k) chosen.push_back(random.below(static_cast<std::uint32_t>(elements.size())));
  std::atomic<std::uint64_t> seen{0};
  return seconds([&] {
    tbb::parallel_for(std::size_t{0}, chosen.size(), [&](std::size_t k) {
      const Element& source = elements[chosen[k]];
      std::uint64_t free = 0;
      for (const Element& target : elements) {
        if (target.point.z < source.point.z || !face_each_other(source, target)) continue;
        if (oracle.is_free(source.point, target.point)) ++free;
      }
      seen += free;
    });
  });
}

struct Costs {
  Seconds tiles, all;
  double memory_mib = 0, all_memory_mib = 0;
  std::uint64_t tile_entries = 0, entries = 0;
  Seconds write;
  double bytes_per_entry = 0, decoded_per_s = 0;
  double street_ms = 0, macro_ms = 0;
};

void measure_file(const Tiling& tiling, const Visibility& visibility, Costs& costs) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("visibility_of_city." + std::to_string(getpid()) + ".tvis");
  costs.write = seconds([&] { write_visibility(visibility, {}, 1, path, no_progress()); });
  costs.bytes_per_entry = static_cast<double>(std::filesystem::file_size(path)) /
                          static_cast<double>(std::max<std::uint64_t>(costs.entries, 1));
  const auto file = open_visibility(path, tiling, 1);
  std::vector<std::uint32_t> row;
  const Seconds decode = seconds([&] {
    for (std::uint32_t element = 0; element < file->element_count(); ++element) file->read_row(element, row);
  });
  costs.decoded_per_s = static_cast<double>(costs.entries) / decode.processor;
  std::filesystem::remove(path);
}

void measure_first_level(const testing::VisibilityCity& city, const Occlusion& occlusion, Costs& costs) {
  Tiling tiles;
  tiles.tiles = city.tiling.tiles;
  const PointVisibility prepared(occlusion, tiles);
  testing::Random random(7);
  constexpr int sites = 20;
  const auto mean_ms = [&](double over_m) {
    double sum_s = 0;
    for (int k = 0; k < sites;) {
      const Vec2 p = {random.uniform(city.scene.extent.min.x, city.scene.extent.max.x),
                      random.uniform(city.scene.extent.min.y, city.scene.extent.max.y)};
      const Vec3 point = {p.x, p.y, city.scene.terrain.height_at(p) + over_m};
      std::vector<std::uint32_t> seen;
      const double s = seconds([&] { seen = prepared.visible_from(point); }).processor;
      if (seen.empty()) continue;  // inside of a building
      sum_s += s;
      ++k;
    }
    return 1e3 * sum_s / sites;
  };
  costs.street_ms = mean_ms(1.5);
  costs.macro_ms = mean_ms(40);
}

void measure(const std::string& name, int sources, bool tiles_only) {
  const testing::VisibilityCity city = testing::city_by_name(name);
  const Occlusion occlusion(city.scene);
  const double tiles = static_cast<double>(city.tiling.tiles.size());
  Costs costs;
  {
    Tiling without_edges = city.tiling;
    without_edges.edges.clear();
    std::unique_ptr<Visibility> visibility;
    costs.tiles = seconds([&] { visibility = compute_visibility(occlusion, without_edges, {}, no_progress()); });
    costs.tile_entries = entries_of(*visibility);
    costs.memory_mib = peak_memory_mib();
  }
  if (!tiles_only) {
    std::unique_ptr<Visibility> visibility;
    costs.all = seconds([&] { visibility = compute_visibility(occlusion, city.tiling, {}, no_progress()); });
    costs.entries = entries_of(*visibility);
    costs.all_memory_mib = peak_memory_mib();
    measure_file(city.tiling, *visibility, costs);
  }
  measure_first_level(city, occlusion, costs);
  const double kilometres =
      (city.scene.extent.max.x - city.scene.extent.min.x) * (city.scene.extent.max.y - city.scene.extent.min.y) / 1e6;
  std::printf("| %s | %.1f | %zu | %zu | %.1f | %.1f | ", city.name.c_str(), kilometres, city.tiling.tiles.size(),
              city.tiling.edges.size(), static_cast<double>(costs.tile_entries) / 1e6,
              static_cast<double>(costs.entries) / 1e6);
  std::printf("%.1f (%.1f) | %.1f (%.1f) | %.0f | %.0f | %.1f (%.1f) | %.2f | %.2f | %.2f | %.2f | ", costs.tiles.wall,
              costs.tiles.processor, costs.all.wall, costs.all.processor, costs.memory_mib, costs.all_memory_mib,
              costs.write.wall, costs.write.processor, costs.bytes_per_entry, costs.decoded_per_s / 1e9,
              costs.street_ms, costs.macro_ms);
  if (sources > 0) {
    const Seconds sample = seconds_of_plain_way(city, occlusion, sources);
    const double plain = sample.processor * tiles / sources;
    std::printf("%.0f | %.0f |\n", plain, plain / costs.tiles.processor);
  } else {
    std::printf("– | – |\n");
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  CLI::App app("What it takes to find which tiles and edge segments of a city see each other.");
  std::vector<std::string> cities;
  int sources = 2000;
  bool tiles_only = false;
  app.add_option("cities", cities, "synthetic:SIDE[:SEED] or environment files")->required();
  app.add_option("--sources", sources, "tiles of which Embree is asked about every facing pair; 0: none");
  app.add_flag("--tiles-only", tiles_only, "without edge segments");
  CLI11_PARSE(app, argc, argv);
  std::printf(
      "Times in brackets are of the processor, in all threads; decoding, first level and Embree are all of it.\n\n"
      "| city | km² | tiles | edge segments | entries of tiles, 10⁶ | all entries, 10⁶ | tiles, s | all, s | "
      "memory tiles, MiB | memory all, MiB | writing, s | bytes per entry | decoded, 10⁹/s | street, ms | 40 m, ms | "
      "every pair to Embree, s | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& city : cities) tesseray::measure(city, sources, tiles_only);
  return 0;
}
