// SPDX-License-Identifier: GPL-3.0-or-later
// Bounces on a GPU against the CPU's: launches to every tile of a city from three antennas (gpu_city.h), three bounces
// with rays over the roofs and without scattering. The same path loss within 0.01 dB on every tile, the same bits again
// and again, how long both take, and what is tested, followed and copied in that time. Then several transmitters at
// once.
//
// Usage: gpu_bounces CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: the kernels' bodies on the host, which must find the CPU's very bits
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
#include "core/propagation/tube_bouncer.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/bounce_batch.h"
#include "tests/gpu/gpu_city.h"
#include "tests/support/environment.h"

namespace tesseray {
namespace {

constexpr int repetitions = 3;
constexpr double tolerance_db = 0.01;
constexpr std::size_t together = 6;

RayLaunchingOptions options_of_bounces() {
  RayLaunchingOptions options;
  options.max_bounces = options.max_reflections = 3;
  options.max_diffractions = 1;
  options.max_scatterings = 0;
  options.over_rooftop = OverRooftop::screens;
  return options;
}

Transmitter transmitter_at(Vec3 position) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.erp_dbm = 40;
  return transmitter;
}

bool is_same(const ArrivalSums& a, const ArrivalSums& b) {
  return a.gain == b.gain && a.coherent_gain == b.coherent_gain && a.coherent_re == b.coherent_re &&
         a.coherent_im == b.coherent_im && a.basic_gain == b.basic_gain && a.excess == b.excess &&
         a.squared_excess == b.squared_excess && a.cos_azimuth == b.cos_azimuth && a.sin_azimuth == b.sin_azimuth &&
         a.strongest_gain == b.strongest_gain && a.strongest_azimuth == b.strongest_azimuth &&
         a.strongest_mechanism == b.strongest_mechanism && a.first_excess_m == b.first_excess_m && a.rays == b.rays;
}

bool is_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  return a.tubes == b.tubes && std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(), b.tiles.end(),
                                          [](const ArrivalSums& x, const ArrivalSums& y) { return is_same(x, y); });
}

struct Agreement {
  std::size_t reached = 0, differing = 0;
  double most_db = 0;
  bool is_good() const { return reached > 0 && differing == 0 && most_db <= tolerance_db; }
};

Agreement agreement_of(const RayLaunchingResult& expected, const RayLaunchingResult& found) {
  Agreement agreement;
  for (std::size_t t = 0; t < expected.tiles.size(); ++t) {
    const double a = testing::total_gain(found.tiles[t]), b = testing::total_gain(expected.tiles[t]);
    if ((a > 0) != (b > 0)) ++agreement.differing;
    if (!(a > 0 && b > 0)) continue;
    ++agreement.reached;
    agreement.most_db = std::max(agreement.most_db, std::fabs(decibels(a / b)));
  }
  return agreement;
}

class Comparison {
 public:
  explicit Comparison(const std::string& city)
      : content_(city_of(city)),
        tiling_(tile_scene(content_.scene, content_.tiling_options, no_progress())),
        occlusion_(content_.scene) {
    std::printf("%zu parts, %zu tiles, %zu edge segments\n", content_.scene.prisms.size(), tiling_.tiles.size(),
                tiling_.edges.size());
    visibility_ = find_cuda_device().is_there ? compute_visibility_with_cuda(occlusion_, tiling_, {}, no_progress())
                                              : compute_visibility(occlusion_, tiling_, {}, no_progress());
  }

  void run_only_gpu() const {
    const RayLauncher launcher = launcher_by(make_cuda_tube_bouncer);
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      launcher.launch(transmitter_at(antenna.position), no_progress());
    }
  }

  bool run_on_host() const {
    const auto make = [](const EnvironmentView& environment) { return make_host_tube_bouncer(environment, {}); };
    const RayLauncher on_cpu = launcher_by({}), by_bodies = launcher_by(make);
    bool is_good = true;
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      const Transmitter transmitter = transmitter_at(antenna.position);
      const RayLaunchingResult expected = on_cpu.launch(transmitter, no_progress());
      const RayLaunchingResult found = by_bodies.launch(transmitter, no_progress());
      const bool is_equal = is_same(found, expected);
      print_cost(antenna, found);
      std::printf("  the kernels' bodies on the host: %s\n", is_equal ? "the same bits" : "NOT EQUAL");
      is_good = is_good && is_equal;
    }
    return is_good;
  }

  bool run() const {
    const RayLauncher on_cpu = launcher_by({}), on_gpu = launcher_by(make_cuda_tube_bouncer);
    bool is_good = true;
    for (const Antenna& antenna : antennas_of(content_.scene)) {
      is_good = compare(antenna, on_cpu, on_gpu) && is_good;
    }
    return compare_together(on_gpu) && is_good;
  }

 private:
  RayLauncher launcher_by(const MakeTubeBouncer& make) const {
    RayLauncher launcher(content_.scene, tiling_, occlusion_, *visibility_, {}, options_of_bounces(), {}, make);
    launcher.prepare(no_progress());
    return launcher;
  }

  static void print_cost(const Antenna& antenna, const RayLaunchingResult& result) {
    const PhaseCost& cost = result.cost[LaunchPhase::bounces];
    std::printf("%s: %llu tubes, %.3g row entries, %.3g pairs, %.3g hits\n", antenna.name,
                static_cast<unsigned long long>(result.tubes), static_cast<double>(cost.row_entries),
                static_cast<double>(cost.tests), static_cast<double>(cost.contributions));
  }

  static bool compare(const Antenna& antenna, const RayLauncher& on_cpu, const RayLauncher& on_gpu) {
    const Transmitter transmitter = transmitter_at(antenna.position);
    const RayLaunchingResult expected = on_cpu.launch(transmitter, no_progress());
    const RayLaunchingResult first = on_gpu.launch(transmitter, no_progress());
    double seconds = std::numeric_limits<double>::infinity();
    bool is_repeated = true;
    for (int k = 0; k < repetitions; ++k) {
      const RayLaunchingResult again = on_gpu.launch(transmitter, no_progress());
      seconds = std::min(seconds, again.cost[LaunchPhase::bounces].seconds);
      is_repeated = is_repeated && is_same(again, first);
    }
    const Agreement agreement = agreement_of(expected, first);
    print_cost(antenna, first);
    std::printf("  %zu tiles reached, %zu differ, at most %.1e dB: %s; the same bits each time: %s\n",
                agreement.reached, agreement.differing, agreement.most_db, agreement.is_good() ? "equal" : "NOT EQUAL",
                is_repeated ? "yes" : "NO");
    const PhaseCost& cost = first.cost[LaunchPhase::bounces];
    const double cpu_s = expected.cost[LaunchPhase::bounces].seconds;
    const double copied = static_cast<double>(cost.row_entries) * sizeof(std::uint32_t) +
                          2.0 * static_cast<double>(first.tubes) * sizeof(Tube);
    std::printf(
        "  bounces: CPU %.3f s, GPU %.3f s with rows and copies (best of %d), ratio %.1f; %.2e pairs/s, %.2e hits/s, "
        "%.1f GB/s copied\n",
        cpu_s, seconds, repetitions, cpu_s / seconds, static_cast<double>(cost.tests) / seconds,
        static_cast<double>(cost.contributions) / seconds, 1e-9 * copied / seconds);
    return agreement.is_good() && is_repeated;
  }

  // Many transmitters in one go, as a run predicts them, share one bouncer.
  bool compare_together(const RayLauncher& on_gpu) const {
    const std::vector<Antenna> antennas = antennas_of(content_.scene);
    std::vector<RayLaunchingResult> one_by_one(together), at_once(together);
    const auto launch = [&](std::size_t a, RayLaunchingResult& result) {
      const Vec3 position = antennas[a % antennas.size()].position + Vec3{1.7 * static_cast<double>(a), 0, 0};
      result = on_gpu.launch(transmitter_at(position), no_progress());
    };
    const double one_by_one_s = seconds_of([&] {
      for (std::size_t a = 0; a < together; ++a) launch(a, one_by_one[a]);
    });
    const double at_once_s = seconds_of([&] {
      parallel_blocks(together, 1, no_progress(), [&](std::size_t a, std::size_t) { launch(a, at_once[a]); });
    });
    bool is_good = true;
    for (std::size_t a = 0; a < together; ++a) is_good = is_good && is_same(one_by_one[a], at_once[a]);
    std::printf("%zu transmitters: one by one %.3f s each, all at once %.3f s each; the same bits: %s\n", together,
                one_by_one_s / together, at_once_s / together, is_good ? "yes" : "NO");
    return is_good;
  }

  SceneFile content_;
  Tiling tiling_;
  Occlusion occlusion_;
  std::unique_ptr<Visibility> visibility_;
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) { return tesseray::compare_on_city<tesseray::Comparison>("gpu_bounces", argc, argv); }
