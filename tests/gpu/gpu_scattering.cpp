// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power on a GPU against the CPU's (launch_comparison.h): three bounces, one of them a scattering with one
// interaction after it or none; weak rays drawn by chance in cities of 20,000 tiles and more.
//
// Usage: gpu_scattering CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: the kernels' bodies on the host, which must find the CPU's very bits
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <cstdio>

#include "cuda/scatter_batch.h"
#include "tests/gpu/device_peak.h"
#include "tests/gpu/launch_comparison.h"

namespace tesseray {
namespace {

// Additions, multiplications, divisions and roots in single precision for one pair past an edge: pair_at_edge() and
// DiffuseEdgeSum::add().
constexpr double operations_per_pair = 367;

struct Phase {
  LaunchPhase phase;
  const char* name;
};
constexpr Phase phases[] = {{LaunchPhase::scattering, "last"},
                            {LaunchPhase::then_reflection, "then reflection"},
                            {LaunchPhase::then_diffraction, "then diffraction"}};

struct Scattering {
  static RayLaunchingOptions options() {
    RayLaunchingOptions options;
    options.max_bounces = options.max_reflections = 3;
    options.max_diffractions = 1;
    options.pruning = true;
    return options;
  }
  // Bounces stay with the CPU: what they leave is then the same.
  static LaunchMakers makers(Executor executor) {
    if (executor == Executor::cpu) return {};
    if (executor == Executor::gpu) return {.row_scatterer = make_cuda_row_scatterer};
    return {.row_scatterer = [](const EnvironmentView& view) { return make_host_row_scatterer(view, {}); }};
  }
  static double seconds(const RayLaunchingResult& result) {
    double sum = 0;
    for (const Phase& phase : phases) sum += result.cost[phase.phase].seconds;
    return sum;
  }
  static void print_counts(const RayLaunchingResult& result) {
    std::printf("row entries, pairs, and pairs joined");
    for (const Phase& phase : phases) {
      const PhaseCost& cost = result.cost[phase.phase];
      std::printf("; %s: %.3g, %.3g, %.3g", phase.name, static_cast<double>(cost.row_entries),
                  static_cast<double>(cost.tests), static_cast<double>(cost.contributions));
    }
    std::printf("\n");
  }
  static void print_rates(const RayLaunchingResult& result) {
    for (const Phase& phase : phases) {
      const PhaseCost& cost = result.cost[phase.phase];
      std::printf("%s: %.3f s, %.2e pairs joined/s, %.1f GB/s copied; ", phase.name, cost.seconds,
                  static_cast<double>(cost.contributions) / cost.seconds,
                  1e-9 * static_cast<double>(cost.row_entries) * sizeof(std::uint32_t) / cost.seconds);
    }
    const PhaseCost& by_edges = result.cost[LaunchPhase::then_diffraction];
    const double rate = operations_per_pair * static_cast<double>(by_edges.contributions) / by_edges.seconds,
                 peak = peak_single_operations_per_s();
    std::printf("by edges %.1f %% of the peak of %.1e operations/s in single precision\n", 100 * rate / peak, peak);
  }
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  return tesseray::compare_on_city<tesseray::LaunchComparison<tesseray::Scattering>>("gpu_scattering", argc, argv);
}
