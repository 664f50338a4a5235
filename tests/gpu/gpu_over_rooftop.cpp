// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs on a GPU against the CPU's, to every tile of a city from three antennas (gpu_city.h). The same
// edges, the same loss within 0.01 dB, the same bits again and again; how long both take; and how near the GPU comes to
// its peak. Then the path loss of whole launches.
//
// Usage: gpu_over_rooftop CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: runs the kernel's body on the host for one in 20 tiles
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/rooftop_batch.h"
#include "tests/gpu/device_peak.h"
#include "tests/gpu/gpu_city.h"
#include "tests/support/environment.h"

namespace tesseray {
namespace {

using Outcome = RooftopBends::Outcome;

constexpr int repetitions = 5;
constexpr double tolerance_db = 0.01;
constexpr std::size_t host_step = 20, together = 12;

// Counts the pairs of nodes between which the screens' integral has a kernel.
struct CountingLoops {
  static constexpr std::uint32_t vector_bytes = 1;
  template <class Loop, class... Arguments>
  void run(Arguments... arguments) const {
    count(arguments...);
    Loop::run_in_turn(arguments...);
  }
  void count(const float* before_t, const float*, const float*, std::uint32_t before, const float* t,
             std::uint32_t after, float steepness, float*, float*) const {
    const float beyond = physics_detail::beyond_reach_of(steepness);
    for (std::uint32_t a = 0; a < after; ++a) {
      for (std::uint32_t b = 0; b < before; ++b) *kernels += std::fabs(t[a] - before_t[b]) < beyond ? 1 : 0;
    }
  }
  void count(const double*, const double*, std::uint32_t, double, float*, float*) const {}
  std::uint64_t* kernels;
};
// Additions and multiplications in single precision for one pair of nodes: CarryField. All else that a ray takes is in
// double precision, a third to all as many: the street's 123,000 and 40,000 a ray, 11,000 and 10,000 from high above
// (20 km², instructions of the kernel's body on the host).
constexpr double operations_per_kernel = 28;

// Rays to every tile from one antenna.
class RaysToTiles {
 public:
  RaysToTiles(const Scene& scene, const Tiling& tiling, Vec3 antenna, std::size_t step)
      : paths_(scene), link_(scene, testing::test_transmitter(antenna), {}), permittivities_(link_.permittivities()) {
    rays_ = {.from = antenna,
             .wavelength_m = 2.0 * pi / link_.wave_number(),
             .permittivities = permittivities_,
             .may_reflect = true};
    for (std::size_t t = 0; t < tiling.tiles.size(); t += step) {
      targets_.push_back({target_point(tiling.tiles[t], 1.5)});
    }
  }
  const RooftopSceneView& view() const { return paths_.view(); }
  std::size_t size() const { return targets_.size(); }

  std::vector<RooftopBends> on_cpu() const {
    std::vector<RooftopBends> found(targets_.size());
    parallel_blocks(targets_.size(), 512, no_progress(), [&](std::size_t begin, std::size_t end) {
      OverRooftopPaths::Workspace work;
      RooftopPath path;
      for (std::size_t k = begin; k < end; ++k) {
        paths_.find(rays_, targets_[k], OverRooftop::screens, work, path);
        found[k] = work.bends;
      }
    });
    return found;
  }
  std::vector<RooftopBends> by(RooftopSearch& search) const {
    std::vector<RooftopBends> found(targets_.size());
    parallel_blocks(targets_.size(), search.most_targets(), no_progress(), [&](std::size_t begin, std::size_t end) {
      search.find(rays_, std::span(targets_).subspan(begin, end - begin), std::span(found).subspan(begin, end - begin));
    });
    return found;
  }
  // Pairs of nodes that the screens' integral of a ray takes, on average over one in 100 targets.
  double mean_kernels() const {
    std::uint64_t kernels = 0, asked = 0;
    ProfileMemory memory;
    RooftopBends bends;
    for (std::size_t k = 0; k < targets_.size(); k += 100, ++asked) {
      ProfileRow<1> row = memory.row();
      const auto screens = [&](std::span<const Vec2> path, const ProfileGrounds& grounds) {
        return multiple_screen_factors(CountingLoops{&kernels}, path, rays_.wavelength_m, grounds);
      };
      find_rooftop_bends(view(), rays_, targets_[k], row, screens, bends);
    }
    return asked == 0 ? 0 : static_cast<double>(kernels) / static_cast<double>(asked);
  }

 private:
  OverRooftopPaths paths_;
  Link link_;
  std::vector<Complex> permittivities_;
  RooftopRays rays_;
  std::vector<RooftopTarget> targets_;
};

bool is_same(const RooftopBends& a, const RooftopBends& b) {
  if (a.outcome != b.outcome) return false;
  return a.outcome != Outcome::found || (a.count == b.count && std::equal(a.edges, a.edges + a.count, b.edges) &&
                                         a.horizontal == b.horizontal && a.vertical == b.vertical);
}

struct Agreement {
  std::size_t rays = 0, no_room = 0, differing = 0;
  double most_db = 0;
  bool is_good() const { return differing == 0 && most_db <= tolerance_db; }
};

// Rays that found no room are the CPU's.
Agreement agreement_of(const std::vector<RooftopBends>& expected, const std::vector<RooftopBends>& found) {
  Agreement agreement;
  const auto compare = [&](Complex a, Complex b) {
    agreement.most_db = std::max(agreement.most_db, std::fabs(decibels(squared_norm(a) / squared_norm(b))));
  };
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const RooftopBends &a = found[k], &b = expected[k];
    if (a.outcome == Outcome::no_room) {
      ++agreement.no_room;
      continue;
    }
    const bool same_way =
        a.outcome == b.outcome && a.count == b.count && std::equal(a.edges, a.edges + a.count, b.edges);
    if (!same_way) ++agreement.differing;
    if (!same_way || b.outcome != Outcome::found) continue;
    ++agreement.rays;
    compare(a.horizontal, b.horizontal);
    compare(a.vertical, b.vertical);
  }
  return agreement;
}

void print(const char* where, const Antenna& antenna, std::size_t targets, const Agreement& agreement) {
  std::printf("%s, %s: %zu tiles, %zu rays, %zu without room, %zu differ, at most %.1e dB: %s\n", antenna.name, where,
              targets, agreement.rays, agreement.no_room, agreement.differing, agreement.most_db,
              agreement.is_good() ? "equal" : "NOT EQUAL");
}

class Comparison {
 public:
  explicit Comparison(const std::string& city)
      : content_(city_of(city)), tiling_(tile_scene(content_.scene, content_.tiling_options, no_progress())) {
    std::printf("%zu parts, %zu tiles\n", content_.scene.prisms.size(), tiling_.tiles.size());
  }

  void run_only_gpu() const {
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      const RaysToTiles rays(content_.scene, tiling_, antenna.position, 1);
      rays.by(*make_cuda_rooftop_search(rays.view()));
    }
  }

  bool run_on_host() const {
    bool is_good = true;
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      const RaysToTiles rays(content_.scene, tiling_, antenna.position, host_step);
      const std::unique_ptr<RooftopSearch> search = make_host_rooftop_search(rays.view(), {.targets = 512});
      const Agreement agreement = agreement_of(rays.on_cpu(), rays.by(*search));
      print("the kernel's body on the host", antenna, rays.size(), agreement);
      std::printf("  %.0f pairs of nodes a tile\n", rays.mean_kernels());
      is_good = is_good && agreement.is_good();
    }
    return is_good;
  }

  bool run() const {
    bool is_good = true;
    const double peak = peak_single_operations_per_s();
    for (const Antenna& antenna : antennas_of(content_.scene)) is_good = compare_rays(antenna, peak) && is_good;
    is_good = compare_together() && is_good;
    const Occlusion occlusion(content_.scene);
    const auto visibility = compute_visibility_with_cuda(occlusion, tiling_, {}, no_progress());
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      is_good = compare_launches(antenna, occlusion, *visibility) && is_good;
    }
    return is_good;
  }

 private:
  bool compare_rays(const Antenna& antenna, double peak) const {
    const RaysToTiles rays(content_.scene, tiling_, antenna.position, 1);
    std::vector<RooftopBends> on_cpu;
    const double cpu_s = seconds_of([&] { on_cpu = rays.on_cpu(); });
    const std::unique_ptr<RooftopSearch> search = make_cuda_rooftop_search(rays.view());
    const std::vector<RooftopBends> first = rays.by(*search);
    double gpu_s = std::numeric_limits<double>::infinity();
    bool is_repeated = true;
    for (int k = 0; k < repetitions; ++k) {
      std::vector<RooftopBends> again;
      gpu_s = std::min(gpu_s, seconds_of([&] { again = rays.by(*search); }));
      is_repeated = is_repeated && std::equal(first.begin(), first.end(), again.begin(), is_same);
    }
    const Agreement agreement = agreement_of(on_cpu, first);
    print("GPU", antenna, rays.size(), agreement);
    const auto count = static_cast<double>(rays.size());
    const double operations = operations_per_kernel * rays.mean_kernels() * count;
    std::printf("  CPU %.3f s, GPU %.4f s with copies (best of %d), ratio %.1f; the same bits each time: %s\n", cpu_s,
                gpu_s, repetitions, cpu_s / gpu_s, is_repeated ? "yes" : "NO");
    std::printf(
        "  roofline: %.2e operations in single precision for the screens alone, %.1f %% of the peak of %.1e/s; "
        "%.0f MB copied, %.1f GB/s\n",
        operations, 100 * operations / gpu_s / peak, peak,
        1e-6 * count * (sizeof(RooftopTarget) + sizeof(RooftopBends)),
        1e-9 * count * (sizeof(RooftopTarget) + sizeof(RooftopBends)) / gpu_s);
    return agreement.is_good() && is_repeated;
  }

  // Many transmitters in one go, as a run predicts them, share one search.
  bool compare_together() const {
    constexpr std::size_t step = 4;  // so that all results fit into the memory of a small node
    const std::vector<Antenna> antennas = antennas_of(content_.scene);
    std::vector<std::unique_ptr<RaysToTiles>> rays;
    for (std::size_t a = 0; a < together; ++a) {
      const Vec3 position = antennas[a % antennas.size()].position + Vec3{1.7 * static_cast<double>(a), 0, 0};
      rays.push_back(std::make_unique<RaysToTiles>(content_.scene, tiling_, position, step));
    }
    const std::unique_ptr<RooftopSearch> search = make_cuda_rooftop_search(rays[0]->view());
    std::vector<std::vector<RooftopBends>> one_by_one, at_once(together);
    const double one_by_one_s = seconds_of([&] {
      for (const auto& of_antenna : rays) one_by_one.push_back(of_antenna->by(*search));
    });
    const double at_once_s = seconds_of([&] {
      parallel_blocks(together, 1, no_progress(),
                      [&](std::size_t a, std::size_t) { at_once[a] = rays[a]->by(*search); });
    });
    bool is_good = true;
    for (std::size_t a = 0; a < together; ++a) {
      is_good = is_good && std::equal(one_by_one[a].begin(), one_by_one[a].end(), at_once[a].begin(), is_same);
    }
    std::printf(
        "%zu transmitters, one in 4 tiles: one by one %.4f s each, all at once %.4f s each; the same bits: %s\n",
        together, one_by_one_s / together, at_once_s / together, is_good ? "yes" : "NO");
    return is_good;
  }

  // Path loss of all tiles, with one bounce, which makes tubes of the rays over the roofs.
  bool compare_launches(const Antenna& antenna, const Occlusion& occlusion, const Visibility& visibility) const {
    RayLaunchingOptions options;
    options.over_rooftop = OverRooftop::screens;
    options.max_bounces = 1;
    Transmitter transmitter = testing::test_transmitter(antenna.position);
    transmitter.erp_dbm = 40;
    const auto launched = [&](const MakeRooftopSearch& make_search, double& seconds) {
      const RayLauncher launcher(content_.scene, tiling_, occlusion, visibility, {}, options,
                                 {.rooftop_search = make_search});
      launcher.prepare(no_progress());
      RayLaunchingResult result;
      seconds = seconds_of([&] { result = launcher.launch(transmitter, no_progress()); });
      return result.tiles;
    };
    double cpu_s = 0, gpu_s = 0, most_db = 0;
    const std::vector<ArrivalSums> cpu = launched({}, cpu_s), gpu = launched(make_cuda_rooftop_search, gpu_s);
    std::size_t reached = 0, differing = 0;
    for (std::size_t t = 0; t < cpu.size(); ++t) {
      const double a = testing::total_gain(gpu[t]), b = testing::total_gain(cpu[t]);
      if ((a > 0) != (b > 0)) ++differing;
      if (!(a > 0 && b > 0)) continue;
      ++reached;
      most_db = std::max(most_db, std::fabs(decibels(a / b)));
    }
    const bool is_good = differing == 0 && most_db <= tolerance_db;
    std::printf(
        "%s, launch with one bounce: %zu tiles reached, %zu differ, at most %.1e dB: %s; CPU %.2f s, with GPU "
        "%.2f s\n",
        antenna.name, reached, differing, most_db, is_good ? "equal" : "NOT EQUAL", cpu_s, gpu_s);
    return is_good;
  }

  SceneFile content_;
  Tiling tiling_;
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  return tesseray::compare_on_city<tesseray::Comparison>("gpu_over_rooftop", argc, argv);
}
