// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility on a GPU against the CPU's, bit for bit, and how long both take.
//
// Usage: gpu_visibility CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: runs the kernel's body on the host for 3,000 random elements and 200 points
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/scene/file/scene_file.h"
#include "core/tiling/tiling.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/cuda_sight_runner.h"
#include "cuda/found_rows.h"
#include "cuda/rows_by_blocks.h"
#include "tests/gpu/device_peak.h"
#include "tests/gpu/gpu_city.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr int repetitions = 5;
constexpr double visibility_bar_s = 2;
// Additions, multiplications, divisions and roots in double precision for two elements that see each other, all that is
// tested and not seen included: 1,100 to 1,206 in synthetic cities of 0.25 to 20 km², counted as instructions of 200 to
// 400 searches by the kernel's body on the host.
constexpr double operations_per_pair = 1180;
constexpr std::uint32_t point_count = 512, host_rows = 3000, host_points = 200;

bool is_same(const Visibility& a, const Visibility& b) {
  if (a.tile_count() != b.tile_count() || a.edge_count() != b.edge_count()) return false;
  constexpr std::size_t rows_at_once = 1024;
  std::atomic<bool> is_same_so_far{true};
  parallel_blocks(a.element_count(), rows_at_once, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> row_a, row_b;
    for (auto element = static_cast<std::uint32_t>(begin); element < end; ++element) {
      a.read_row(element, row_a);
      b.read_row(element, row_b);
      if (row_a != row_b) is_same_so_far = false;
    }
  });
  return is_same_so_far;
}

std::uint64_t entries_of(const Visibility& visibility) {
  std::uint64_t entries = 0;
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    entries += visibility.row_length(element);
  }
  return entries;
}

// When the searches were over, since this was made.
class EndOfFinding final : public Progress {
 public:
  void advance(double fraction) override {
    constexpr double end_of_finding = 0.5;
    if (fraction >= end_of_finding && seconds_ == 0) seconds_ = seconds_since(begin_);
  }
  double seconds() const { return seconds_; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

// Points in front of tiles: over streets, over roofs, before walls.
std::vector<Vec3> points_in(const Tiling& tiling, std::uint32_t count = point_count) {
  testing::Random random(1);
  std::vector<Vec3> points;
  for (std::uint32_t k = 0; k < count && !tiling.tiles.empty(); ++k) {
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
    compute_visibility_by_blocks(make_cuda_sight_runner, occlusion_, tiling_, {}, no_progress(), Searchers::blocks);
    PointVisibilityByBlocks(make_cuda_sight_runner, occlusion_, tiling_).visible_from(points_in(tiling_));
  }

  // True when the kernel's body finds on the host what the CPU's search finds.
  bool run_on_host() const {
    const std::vector<Element> elements = make_elements(occlusion_.view(), tiling_);
    testing::Random random(2);
    std::vector<Element> sources, points;
    for (std::uint32_t k = 0; k < host_rows && !elements.empty(); ++k) {
      sources.push_back(elements[random.below(static_cast<std::uint32_t>(elements.size()))]);
    }
    for (const Vec3 point : points_in(tiling_, host_points)) {
      points.push_back(free_point_element(occlusion_.view(), point));
    }
    const std::uint32_t rows = differing_on_host(elements, sources, true);
    const std::uint32_t views = differing_on_host(elements, points, false);
    std::printf("on the host %u of %zu rows and %u of %zu views from points differ\n", rows, sources.size(), views,
                points.size());
    return rows + views == 0;
  }

  // True when everything is equal.
  bool run() {
    const double seconds = compare_matrix();
    compare_points();
    print_with_bar("visibility", seconds, visibility_bar_s, tiling_.tiles.size());
    return is_equal_;
  }

 private:
  // For how many sources blocks on the host find something else than the CPU's search.
  std::uint32_t differing_on_host(const std::vector<Element>& elements, const std::vector<Element>& sources,
                                  bool above_only) const {
    const OcclusionView& solid = occlusion_.view();
    const SightSceneArrays arrays(solid, elements);
    const SightSceneView view = arrays.view();
    const auto count = static_cast<std::uint32_t>(sources.size());
    const std::unique_ptr<SightRunner> runner =
        make_host_sight_runner(view, suitable_capacity(elements.size(), count, 1));
    const std::vector<std::vector<std::uint32_t>> rows = rows_of_batch(*runner, 0, sources, {.above_only = above_only});
    const SightGrid grid(solid, elements);
    const SightScene scene = {solid, elements, static_cast<std::uint32_t>(tiling_.tiles.size()), grid};
    SightSearch search(scene, std::numeric_limits<double>::infinity());
    std::uint32_t differing = 0;
    std::vector<std::uint32_t> seen;
    for (std::uint32_t k = 0; k < count; ++k) {
      seen.clear();
      if (above_only) {
        search.find_above(sources[k], seen);
      } else {
        search.find_all(sources[k], seen);
      }
      std::sort(seen.begin(), seen.end());
      if (seen != rows[k]) ++differing;
    }
    return differing;
  }

  void report(const char* what, double cpu_s, double gpu_s, bool is_equal) {
    std::printf("| %s | %.4f | %.4f | %.1f | %s |\n", what, cpu_s, gpu_s, cpu_s / gpu_s, is_equal ? "yes" : "NO");
    is_equal_ = is_equal_ && is_equal;
  }

  struct Timed {
    double seconds = std::numeric_limits<double>::infinity(), finding_s = 0;
    bool is_equal = true;  // to the CPU's, each time
  };
  Timed best_of_matrices(Searchers searchers, const Visibility& cpu) const {
    Timed best;
    for (int k = 0; k < repetitions; ++k) {
      std::unique_ptr<Visibility> visibility;
      EndOfFinding progress;
      const double seconds = seconds_of([&] {
        visibility = compute_visibility_by_blocks(make_cuda_sight_runner, occlusion_, tiling_, {}, progress, searchers);
      });
      best.is_equal = best.is_equal && is_same(cpu, *visibility);
      if (seconds >= best.seconds) continue;
      best.seconds = seconds;
      best.finding_s = progress.seconds();
    }
    return best;
  }

  // What the GPU took with the CPU beside it, s.
  double compare_matrix() {
    std::unique_ptr<Visibility> cpu;
    const double cpu_s = seconds_of([&] { cpu = compute_visibility(occlusion_, tiling_, {}, no_progress()); });
    const Timed alone = best_of_matrices(Searchers::blocks, *cpu);
    const Timed both = best_of_matrices(Searchers::blocks_and_cpu, *cpu);
    const std::uint64_t entries = entries_of(*cpu);
    const double operations = operations_per_pair * static_cast<double>(entries) / 2,
                 peak = peak_double_operations_per_s();
    std::printf(
        "%llu entries over all rows; roofline: about %.2e operations in double precision, %.1f %% of the peak of "
        "%.1e/s, with copies and the host's part\n\n",
        static_cast<unsigned long long>(entries), operations, 100 * operations / alone.seconds / peak, peak);
    std::printf("| what | CPU, s | GPU, s | ratio | equal |\n|---|---|---|---|---|\n");
    report("whole matrix by both, best of 5", cpu_s, both.seconds, both.is_equal);
    std::printf("| of which finding | | %.4f | | |\n", both.finding_s);
    report("by the GPU alone, best of 5", cpu_s, alone.seconds, alone.is_equal);
    std::printf("| of which finding, with what the CPU codes beside it | | %.4f | | |\n", alone.finding_s);
    return both.seconds;
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

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  return tesseray::compare_on_city<tesseray::Comparison>("gpu_visibility", argc, argv);
}
