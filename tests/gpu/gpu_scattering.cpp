// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by way of edges on a GPU against the CPU's (launch_comparison.h): three bounces, weak rays drawn by
// chance in cities of 20,000 tiles and more.
//
// Usage: gpu_scattering CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: the kernel's body on the host, which must find the CPU's very bits
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <cstdio>

#include "cuda/scatter_batch.h"
#include "tests/gpu/device_peak.h"
#include "tests/gpu/launch_comparison.h"

namespace tesseray {
namespace {

// Additions, multiplications, divisions and roots in single precision for one pair: pair_at_edge() and EdgeBeam::add().
constexpr double operations_per_pair = 343;

struct ScatteringByEdges {
  static constexpr LaunchPhase phase = LaunchPhase::then_diffraction;

  static RayLaunchingOptions options() {
    RayLaunchingOptions options;
    options.max_bounces = options.max_reflections = 3;
    options.max_diffractions = 1;
    options.pruning = true;
    return options;
  }
  // Bounces stay with the CPU: what they leave is then the same.
  static Makers makers(Executor executor) {
    if (executor == Executor::cpu) return {};
    if (executor == Executor::gpu) return {{}, make_cuda_row_scatterer};
    return {{}, [](const EnvironmentView& environment) { return make_host_row_scatterer(environment, {}); }};
  }
  static void print_counts(const RayLaunchingResult& result) {
    const PhaseCost& cost = result.cost[phase];
    std::printf("%.3g row entries, %.3g pairs, %.3g of them joined\n", static_cast<double>(cost.row_entries),
                static_cast<double>(cost.tests), static_cast<double>(cost.contributions));
  }
  static void print_rates(const RayLaunchingResult& result, double seconds) {
    const PhaseCost& cost = result.cost[phase];
    const double pairs_per_s = static_cast<double>(cost.contributions) / seconds, peak = peak_single_operations_per_s();
    std::printf("%.2e pairs joined/s, %.1f %% of the peak of %.1e operations/s; %.1f GB/s copied\n", pairs_per_s,
                100 * pairs_per_s * operations_per_pair / peak, peak,
                1e-9 * static_cast<double>(cost.row_entries) * sizeof(std::uint32_t) / seconds);
  }
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  return tesseray::compare_on_city<tesseray::LaunchComparison<tesseray::ScatteringByEdges>>("gpu_scattering", argc,
                                                                                            argv);
}
