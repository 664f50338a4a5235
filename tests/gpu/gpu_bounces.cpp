// SPDX-License-Identifier: GPL-3.0-or-later
// Bounces on a GPU against the CPU's (launch_comparison.h): three of them, with rays over the roofs and without
// scattering.
//
// Usage: gpu_bounces CITY [--only-gpu | --on-host]
//   CITY         a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu   neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host    needs no GPU: the kernels' bodies on the host, which must find the CPU's very bits
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <cstdio>

#include "core/propagation/tubes/tube_bouncer.h"
#include "cuda/bounce_batch.h"
#include "tests/gpu/device_peak.h"
#include "tests/gpu/launch_comparison.h"

namespace tesseray {
namespace {

// Additions, multiplications, divisions and roots in double precision: for a member of a row, laid out as intervals,
// and for a hit at an edge segment, as most are (one at a tile takes 150 to 310). Counted as instructions of the
// kernels' bodies on the host. A pair is two or four comparisons.
constexpr double operations_per_entry = 22, operations_per_hit = 1270;

struct Bounces {
  static constexpr LaunchPhase phase = LaunchPhase::bounces;

  static RayLaunchingOptions options() {
    RayLaunchingOptions options;
    options.max_bounces = options.max_reflections = 3;
    options.max_diffractions = 1;
    options.max_scatterings = 0;
    options.over_rooftop = OverRooftop::screens;
    return options;
  }
  static LaunchMakers makers(Executor executor) {
    if (executor == Executor::cpu) return {};
    if (executor == Executor::gpu) return {.tube_bouncer = make_cuda_tube_bouncer};
    return {
        .tube_bouncer = [](const EnvironmentView& view) { return make_host_tube_bouncer(view, {.pairs = 1u << 22}); }};
  }
  static double seconds(const RayLaunchingResult& result) { return result.cost[phase].seconds; }
  static void print_counts(const RayLaunchingResult& result) {
    const PhaseCost& cost = result.cost[phase];
    std::printf("%llu tubes, %.3g row entries, %.3g pairs, %.3g hits\n", static_cast<unsigned long long>(result.tubes),
                static_cast<double>(cost.row_entries), static_cast<double>(cost.tests),
                static_cast<double>(cost.contributions));
  }
  static void print_rates(const RayLaunchingResult& result) {
    const PhaseCost& cost = result.cost[phase];
    const double copied = static_cast<double>(cost.row_entries) * sizeof(std::uint32_t) +
                          2.0 * static_cast<double>(result.tubes) * sizeof(Tube);
    std::printf("%.2e pairs/s, %.2e hits/s, %.1f GB/s copied\n", static_cast<double>(cost.tests) / cost.seconds,
                static_cast<double>(cost.contributions) / cost.seconds, 1e-9 * copied / cost.seconds);
    const double operations = operations_per_entry * static_cast<double>(cost.row_entries) +
                              operations_per_hit * static_cast<double>(cost.contributions);
    const double peak = peak_double_operations_per_s();
    std::printf("  roofline: at most %.2e operations in double precision, %.1f %% of the peak of %.1e/s\n", operations,
                100 * operations / cost.seconds / peak, peak);
  }
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  return tesseray::compare_on_city<tesseray::LaunchComparison<tesseray::Bounces>>("gpu_bounces", argc, argv);
}
