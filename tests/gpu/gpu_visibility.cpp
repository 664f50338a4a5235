// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility on a GPU against the CPU's, bit for bit, and how long both take.
//
// Usage: gpu_visibility CITY [--only-gpu]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/scene/scene_file.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/cuda_sight_runner.h"
#include "cuda/rows_by_blocks.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr int repetitions = 5;
constexpr std::uint32_t point_count = 512;

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

SceneFile city_of(const std::string& name) {
  if (name.ends_with(".tscene")) return read_scene_file(name);
  double side_m = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), side_m);
  if (problem != std::errc() || stop != name.data() + name.size() || !(side_m >= 100)) {
    throw Error(ErrorKind::invalid_input, "bad_city", "'" + name + "' is neither a .tscene file nor a side in metres",
                "give one of them");
  }
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = side_m;
  return {testing::synthetic_city(options), {}, {}};
}

bool is_same(const Visibility& a, const Visibility& b) {
  if (a.tile_count() != b.tile_count() || a.edge_count() != b.edge_count()) return false;
  std::vector<std::uint32_t> row_a, row_b;
  for (std::uint32_t element = 0; element < a.element_count(); ++element) {
    a.read_row(element, row_a);
    b.read_row(element, row_b);
    if (row_a != row_b) return false;
  }
  return true;
}

std::uint64_t entries_of(const Visibility& visibility) {
  std::uint64_t entries = 0;
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    entries += visibility.row_length(element);
  }
  return entries;
}

// Points in front of tiles: over streets, over roofs, before walls.
std::vector<Vec3> points_in(const Tiling& tiling) {
  testing::Random random(1);
  std::vector<Vec3> points;
  for (std::uint32_t k = 0; k < point_count && !tiling.tiles.empty(); ++k) {
    const Tile& tile = tiling.tiles[random.below(static_cast<std::uint32_t>(tiling.tiles.size()))];
    points.push_back(tile.centroid + random.uniform(1.5, 25) * tile.normal);
  }
  return points;
}

class Comparison {
 public:
  explicit Comparison(const std::string& city) : content_(city_of(city)), occlusion_(content_.scene) {
    tiling_ = tile_scene(content_.scene, content_.tiling_options, no_progress());
    std::printf("%zu parts, %zu tiles, %zu edge segments\n", content_.scene.prisms.size(), tiling_.tiles.size(),
                tiling_.edges.size());
  }

  void run_only_gpu() const {
    compute_visibility_with_cuda(occlusion_, tiling_, {}, no_progress());
    PointVisibilityByBlocks(make_cuda_sight_runner, occlusion_, tiling_).visible_from(points_in(tiling_));
  }

  // True when everything is equal.
  bool run() {
    compare_matrix();
    compare_points();
    return is_equal_;
  }

 private:
  void report(const char* what, double cpu_s, double gpu_s, bool is_equal) {
    std::printf("| %s | %.4f | %.4f | %.1f | %s |\n", what, cpu_s, gpu_s, cpu_s / gpu_s, is_equal ? "yes" : "NO");
    is_equal_ = is_equal_ && is_equal;
  }

  void compare_matrix() {
    std::unique_ptr<Visibility> cpu, gpu;
    const double cpu_s = seconds_of([&] { cpu = compute_visibility(occlusion_, tiling_, {}, no_progress()); });
    double best_s = std::numeric_limits<double>::infinity();
    bool is_equal = true, is_repeated = true;
    for (int k = 0; k < repetitions; ++k) {
      std::unique_ptr<Visibility> again;
      best_s = std::min(
          best_s, seconds_of([&] { again = compute_visibility_with_cuda(occlusion_, tiling_, {}, no_progress()); }));
      if (gpu == nullptr) {
        is_equal = is_same(*cpu, *again);
        gpu = std::move(again);
      } else {
        is_repeated = is_repeated && is_same(*gpu, *again);
      }
    }
    std::printf("%llu entries over all rows\n\n", static_cast<unsigned long long>(entries_of(*cpu)));
    std::printf("| what | CPU, s | GPU, s | ratio | equal |\n|---|---|---|---|---|\n");
    report("whole matrix, best of 5", cpu_s, best_s, is_equal);
    std::printf("| the same bits 5 times | | | | %s |\n", is_repeated ? "yes" : "NO");
    is_equal_ = is_equal_ && is_repeated;
  }

  void compare_points() {
    const std::vector<Vec3> points = points_in(tiling_);
    if (points.empty()) return;
    const PointVisibility on_cpu(occlusion_, tiling_);
    PointVisibilityByBlocks on_gpu(make_cuda_sight_runner, occlusion_, tiling_);
    std::vector<std::vector<std::uint32_t>> cpu, gpu = on_gpu.visible_from(points);
    const double gpu_s = seconds_of([&] { gpu = on_gpu.visible_from(points); });
    const double cpu_s = seconds_of([&] {
      for (const Vec3 point : points) cpu.push_back(on_cpu.visible_from(point));
    });
    const auto count = static_cast<double>(points.size());
    report("one point of 512, mean", cpu_s / count, gpu_s / count, cpu == gpu);
  }

  SceneFile content_;
  Occlusion occlusion_;
  Tiling tiling_;
  bool is_equal_ = true;
};

int run(const std::vector<std::string>& arguments) {
  const bool only_gpu = arguments.size() == 2 && arguments[1] == "--only-gpu";
  if (arguments.empty() || (arguments.size() > 1 && !only_gpu)) {
    std::fprintf(stderr, "usage: gpu_visibility CITY.tscene|SIDE_M [--only-gpu]\n");
    return 2;
  }
  const CudaDevice gpu = find_cuda_device();
  if (!gpu.is_there) {
    std::fprintf(stderr, "nothing to compare: %s\n", gpu.missing.c_str());
    return 3;
  }
  std::printf("%s\n", gpu.name.c_str());
  Comparison comparison(arguments[0]);
  if (only_gpu) {
    comparison.run_only_gpu();
    return 0;
  }
  return comparison.run() ? 0 : 1;
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  try {
    return tesseray::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
