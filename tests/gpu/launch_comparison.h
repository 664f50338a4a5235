// SPDX-License-Identifier: GPL-3.0-or-later
// Launches to every tile of a city from three antennas (gpu_city.h), by a GPU against the CPU's: the same path loss
// within 0.01 dB on every tile, the same bits again and again, how long both take, and several transmitters at once.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "tests/gpu/gpu_city.h"

namespace tesseray {

// What works out a launch's part that is compared.
enum class Executor { cpu, gpu, kernels_on_host };

Transmitter transmitter_at(Vec3 position);
// Whether two launches have the same bits.
bool is_same(const RayLaunchingResult& a, const RayLaunchingResult& b);

struct Agreement {
  std::size_t reached = 0, differing = 0;
  std::size_t beyond = 0;  // the tolerance
  double most_db = 0, mean_db = 0, rms_db = 0;

  static constexpr double tolerance_db = 0.01;
  // On every tile.
  bool is_good() const { return reached > 0 && differing == 0 && beyond == 0; }
  // Where weak rays are drawn by chance by what is there, whose last digit decides on few of them: as near as
  // tests/unit/propagation/pruning_test.cpp holds draws to all rays, nearly everywhere within the tolerance.
  bool is_good_with_draws() const;
};
Agreement agreement_of(const RayLaunchingResult& expected, const RayLaunchingResult& found);

// A city, and all that launches there need; its visibility by the GPU where there is one.
class LaunchCity {
 public:
  explicit LaunchCity(const std::string& city);

  const Scene& scene() const { return content_.scene; }
  const Tiling& tiling() const { return tiling_; }
  double visibility_s() const { return visibility_s_; }
  // Not prepared.
  RayLauncher launcher(const RayLaunchingOptions& options, LaunchMakers makers) const;

 private:
  SceneFile content_;
  Tiling tiling_;
  Occlusion occlusion_;
  double visibility_s_ = 0;
  std::unique_ptr<Visibility> visibility_;
};

// Part, all static: RayLaunchingOptions options(); LaunchMakers makers(Executor); double seconds(const
// RayLaunchingResult&) that it took; and what it did, in all and by the second, void print_counts(const
// RayLaunchingResult&) and print_rates(const RayLaunchingResult&).
template <class Part>
class LaunchComparison {
 public:
  explicit LaunchComparison(const std::string& city) : city_(city) {}

  void run_only_gpu() const {
    const RayLauncher launcher = launcher_by(Executor::gpu);
    for (const Antenna& antenna : antennas_of(city_.scene())) {
      launcher.launch(transmitter_at(antenna.position), no_progress());
    }
  }

  bool run_on_host() const {
    const RayLauncher on_cpu = launcher_by(Executor::cpu), by_bodies = launcher_by(Executor::kernels_on_host);
    bool is_good = true;
    for (const Antenna& antenna : antennas_of(city_.scene())) {
      const Transmitter transmitter = transmitter_at(antenna.position);
      const RayLaunchingResult expected = on_cpu.launch(transmitter, no_progress());
      const RayLaunchingResult found = by_bodies.launch(transmitter, no_progress());
      const bool is_equal = is_same(found, expected);
      std::printf("%s: ", antenna.name);
      Part::print_counts(found);
      std::printf("  the kernels' bodies on the host: %s\n", is_equal ? "the same bits" : "NOT EQUAL");
      is_good = is_good && is_equal;
    }
    return is_good;
  }

  bool run() const {
    const RayLauncher on_cpu = launcher_by(Executor::cpu), on_gpu = launcher_by(Executor::gpu);
    bool is_good = true;
    for (const Antenna& antenna : antennas_of(city_.scene())) {
      is_good = compare(antenna, on_cpu, on_gpu) && is_good;
    }
    return compare_together(on_gpu) && is_good;
  }

 private:
  static constexpr int repetitions = 3;
  static constexpr std::size_t together = 6;

  RayLauncher launcher_by(Executor executor) const {
    RayLauncher launcher = city_.launcher(Part::options(), Part::makers(executor));
    launcher.prepare(no_progress());
    return launcher;
  }

  static bool compare(const Antenna& antenna, const RayLauncher& on_cpu, const RayLauncher& on_gpu) {
    const Transmitter transmitter = transmitter_at(antenna.position);
    const RayLaunchingResult expected = on_cpu.launch(transmitter, no_progress());
    const RayLaunchingResult first = on_gpu.launch(transmitter, no_progress());
    RayLaunchingResult best = first;
    bool is_repeated = true;
    for (int k = 0; k < repetitions; ++k) {
      const RayLaunchingResult again = on_gpu.launch(transmitter, no_progress());
      is_repeated = is_repeated && is_same(again, first);
      if (Part::seconds(again) < Part::seconds(best)) best = again;
    }
    const Agreement agreement = agreement_of(expected, first);
    std::printf("%s: ", antenna.name);
    Part::print_counts(first);
    std::printf("  %zu tiles reached, %zu differ, at most %.1e dB: %s; the same bits each time: %s\n",
                agreement.reached, agreement.differing, agreement.most_db, agreement.is_good() ? "equal" : "NOT EQUAL",
                is_repeated ? "yes" : "NO");
    const double cpu_s = Part::seconds(expected), gpu_s = Part::seconds(best);
    std::printf("  CPU %.3f s, GPU %.3f s with rows and copies (best of %d), ratio %.1f; ", cpu_s, gpu_s,
                repetitions + 1, cpu_s / gpu_s);
    Part::print_rates(best);
    return agreement.is_good() && is_repeated;
  }

  // Many transmitters in one go, as a run predicts them, share what the GPU has.
  bool compare_together(const RayLauncher& on_gpu) const {
    const std::vector<Antenna> antennas = antennas_of(city_.scene());
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

  LaunchCity city_;
};

}  // namespace tesseray
