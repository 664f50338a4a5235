// SPDX-License-Identifier: GPL-3.0-or-later
// Whole predictions with all effects, by all that a GPU takes over at once: rays over the roofs, bounces and scattered
// power, from three antennas (gpu_city.h) and from many rooftops in one go, as predictcoverage launches them. Against
// the CPU's: within 0.01 dB on every tile where all rays are launched, else by statistics over the tiles; the same bits
// again and again; how long each phase takes, and all beside the bars.
//
// Usage: gpu_launches CITY [--only-gpu | --on-host] [--bounces N[,N]] [--transmitters N] [--pruning-from TILES]
//   CITY             a scene file (.tscene), or the side of a synthetic city in metres
//   --only-gpu       neither compares nor times: for tools that look over the GPU's shoulder
//   --on-host        needs no GPU: the kernels' bodies on the host, which must find the CPU's very bits
//   --bounces        3,5; the last is that of the many transmitters
//   --transmitters   how many there are, 100
//   --pruning-from   the size from which on weak rays are drawn by chance, 20000 tiles
// Exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
#include <bit>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/bounce_batch.h"
#include "cuda/rooftop_batch.h"
#include "cuda/scatter_batch.h"
#include "processing_algorithms/stages/predict_each.h"
#include "tests/gpu/launch_comparison.h"
#include "tests/support/environment.h"

namespace tesseray {
namespace {

constexpr double five_bounces_bar_s = 3, hundred_transmitters_bar_s = 60;
constexpr std::size_t transmitters_of_bar = 100;
constexpr int repetitions = 2;

struct Study {
  std::vector<int> bounces{3, 5};
  std::size_t transmitters = transmitters_of_bar;
  std::uint32_t pruning_from_tiles = RayLaunchingOptions().pruning_from_tiles;
};

std::vector<std::uint32_t> numbers_in(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  const char *next = text.data(), *const end = next + text.size();
  while (next != end) {
    std::uint32_t number = 0;
    const auto [stop, problem] = std::from_chars(next, end, number);
    if (problem != std::errc() || (stop != end && *stop != ',')) return {};
    numbers.push_back(number);
    next = stop == end ? end : stop + 1;
  }
  return numbers;
}

Study study_of(const std::vector<std::string>& options) {
  Study study;
  for (std::size_t k = 0; k < options.size(); k += 2) {
    const std::vector<std::uint32_t> numbers = k + 1 < options.size() ? numbers_in(options[k + 1]) : numbers_in("");
    if (options[k] == "--bounces" && !numbers.empty()) {
      study.bounces.assign(numbers.begin(), numbers.end());
    } else if (options[k] == "--transmitters" && numbers.size() == 1) {
      study.transmitters = numbers[0];
    } else if (options[k] == "--pruning-from" && numbers.size() == 1) {
      study.pruning_from_tiles = numbers[0];
    } else {
      throw Error(ErrorKind::invalid_input, "bad_option", "'" + options[k] + "' is no option with what follows it",
                  "give --bounces N[,N], --transmitters N or --pruning-from TILES");
    }
  }
  return study;
}

// As predictcoverage makes them (processing_algorithms/stages/prediction_stage.cpp).
LaunchMakers makers_of(Executor executor) {
  if (executor == Executor::cpu) return {};
  if (executor == Executor::gpu) return cuda_launch_makers();
  return {[](const RooftopSceneView& scene) { return make_host_rooftop_search(scene, {.targets = 512}); },
          [](const EnvironmentView& environment) { return make_host_tube_bouncer(environment, {.pairs = 1u << 22}); },
          [](const EnvironmentView& environment) { return make_host_row_scatterer(environment, {}); }};
}

bool is_drawn(const Pruning& pruning) {
  return pruning.scattering_sources > 0 || pruning.tubes > 0 || pruning.roulette > 0 || pruning.scattered > 0 ||
         pruning.then_diffracted > 0 || pruning.of_all_scattered > 0;
}

bool is_same(const TargetPrediction& a, const TargetPrediction& b) {
  const auto is_same_float = [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  };
  return is_same_float(a.path_loss_db, b.path_loss_db) && is_same_float(a.basic_loss_db, b.basic_loss_db) &&
         is_same_float(a.received_power_dbm, b.received_power_dbm) && is_same_float(a.mean_delay_ns, b.mean_delay_ns) &&
         is_same_float(a.delay_spread_ns, b.delay_spread_ns) && is_same_float(a.angle_spread_deg, b.angle_spread_deg) &&
         is_same_float(a.arrival_azimuth_deg, b.arrival_azimuth_deg) && a.ray_count == b.ray_count &&
         a.mechanism == b.mechanism && a.line_of_sight == b.line_of_sight;
}

bool is_same(const TransmitterPrediction& a, const TransmitterPrediction& b) {
  return std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(), b.tiles.end(),
                    [](const TargetPrediction& x, const TargetPrediction& y) { return is_same(x, y); });
}

class Launches {
 public:
  Launches(const std::string& city, const Study& study) : city_(city), study_(study) {
    std::printf("visibility: %.2f s (%s)\n", city_.visibility_s(),
                find_cuda_device().is_there ? "GPU, with its first start" : "CPU");
  }

  void run_only_gpu() const {
    run_all(Executor::gpu, [](const Antenna&, const RayLauncher&, int) { return true; });
  }

  bool run_on_host() const {
    return run_all(Executor::kernels_on_host, [](const Antenna& antenna, const RayLauncher& launcher, int bounces) {
      const Transmitter transmitter = transmitter_at(antenna.position);
      const RayLaunchingResult found = launcher.launch(transmitter, no_progress());
      const bool is_equal = is_same(found, launcher.launch_by_cpu(transmitter, no_progress()));
      std::printf("%s, %d bounces: %llu tubes, %s; the kernels' bodies on the host: %s\n", antenna.name, bounces,
                  static_cast<unsigned long long>(found.tubes), how_launched(found),
                  is_equal ? "the same bits" : "NOT EQUAL");
      return is_equal;
    });
  }

  bool run() const {
    return run_all(Executor::gpu, [this](const Antenna& antenna, const RayLauncher& launcher, int bounces) {
      return compare(antenna, launcher, bounces);
    });
  }

 private:
  static const char* how_launched(const RayLaunchingResult& result) {
    return is_drawn(result.pruning) ? "weak rays drawn" : "all rays";
  }

  // True when all that is compared is equal.
  bool run_all(Executor executor, const auto& compare_one) const {
    bool is_good = true;
    for (const int bounces : study_.bounces) {
      const RayLauncher launcher = launcher_by(executor, bounces);
      for (const Antenna& antenna : antennas_of(city_.scene())) {
        is_good = compare_one(antenna, launcher, bounces) && is_good;
        std::fflush(stdout);
      }
      if (bounces == study_.bounces.back() && study_.transmitters > 0) {
        is_good = predict_many(launcher, bounces) && is_good;
      }
    }
    return is_good;
  }

  RayLauncher launcher_by(Executor executor, int bounces) const {
    RayLaunchingOptions options = testing::all_effects(bounces);
    options.pruning = true;
    options.pruning_from_tiles = study_.pruning_from_tiles;
    RayLauncher launcher = city_.launcher(options, makers_of(executor));
    const double seconds = seconds_of([&] { launcher.prepare(no_progress()); });
    std::printf("once for all transmitters, %d bounces: %.2f s; bounces %s, scattered power %s\n", bounces, seconds,
                launcher.bounces_by_batches() ? "in batches" : "BY THE CPU",
                launcher.scatters_by_batches() ? "in batches" : "BY THE CPU");
    return launcher;
  }

  bool compare(const Antenna& antenna, const RayLauncher& launcher, int bounces) const {
    const Transmitter transmitter = transmitter_at(antenna.position);
    RayLaunchingResult first, best, expected;
    double best_s = seconds_of([&] { first = launcher.launch(transmitter, no_progress()); });
    best = first;
    bool is_repeated = true;
    for (int k = 0; k < repetitions; ++k) {
      RayLaunchingResult again;
      const double again_s = seconds_of([&] { again = launcher.launch(transmitter, no_progress()); });
      is_repeated = is_repeated && is_same(again, first);
      if (again_s >= best_s) continue;
      best_s = again_s;
      best = std::move(again);
    }
    const double cpu_s = seconds_of([&] { expected = launcher.launch_by_cpu(transmitter, no_progress()); });

    const Agreement agreement = agreement_of(expected, first);
    const bool is_equal = is_drawn(first.pruning) ? agreement.is_good_with_draws() : agreement.is_good();
    const std::string what = std::string(antenna.name) + ", " + std::to_string(bounces) + " bounces";
    std::printf(
        "%s: %llu tubes, %s; %zu tiles reached, by one alone %zu, beyond %.2f dB %zu, at most %.1e dB, mean "
        "%.1e dB, rms %.1e dB: %s; the same bits each time: %s\n",
        what.c_str(), static_cast<unsigned long long>(first.tubes), how_launched(first), agreement.reached,
        agreement.differing, Agreement::tolerance_db, agreement.beyond, agreement.most_db, agreement.mean_db,
        agreement.rms_db, is_equal ? "equal" : "NOT EQUAL", is_repeated ? "yes" : "NO");
    std::printf("  CPU %.3f s, with GPU %.3f s (best of %d), ratio %.1f; the latter by phases:\n", cpu_s, best_s,
                repetitions + 1, cpu_s / best_s);
    testing::print_phases(stdout, best.cost);
    if (bounces == 5) print_with_bar(what, best_s, five_bounces_bar_s, city_.tiling().tiles.size());
    return is_equal && is_repeated;
  }

  // Rooftops all over the city in one go; some of them have the same bits alone.
  bool predict_many(const RayLauncher& launcher, int bounces) const {
    std::vector<Transmitter> transmitters;
    for (const Vec3 position : rooftops_of(city_.scene(), study_.transmitters)) {
      transmitters.push_back(transmitter_at(position));
      transmitters.back().transmitter_id = static_cast<std::int64_t>(transmitters.size());
    }
    if (transmitters.empty()) return true;
    std::mutex mutex;
    LaunchCost cost;
    const auto predict = [&](const Transmitter& transmitter, Progress& progress) {
      RayLaunchingResult rays = launcher.launch(transmitter, progress);
      const std::lock_guard lock(mutex);
      cost.merge(rays.cost);
      return predict_path_loss(std::move(rays), transmitter, city_.tiling(), {}, launcher.options());
    };
    const std::size_t at_once =
        transmitters_at_once(MemoryBudget(), launcher, city_.tiling().tiles.size(), transmitters.size());
    Predictions predictions;
    const double seconds = seconds_of([&] {
      predictions = predict_each(transmitters, predict, no_progress(), at_once, {},
                                 [&](const Transmitter& transmitter) { return launcher.expected_work(transmitter); });
    });

    const auto count = static_cast<double>(transmitters.size());
    std::printf(
        "%zu rooftop transmitters, %d bounces, %zu at once: %.3f s, %.3f s each; phases of all, one after the other:\n",
        transmitters.size(), bounces, at_once, seconds, seconds / count);
    testing::print_phases(stdout, cost);
    print_with_bar("100 rooftop transmitters at this rate", seconds * transmitters_of_bar / count,
                   hundred_transmitters_bar_s, city_.tiling().tiles.size());
    for (const auto& [name, message] : predictions.failed) std::printf("  FAILED: %s\n", message.c_str());
    bool is_good = predictions.failed.empty();
    for (const std::size_t t : {std::size_t{0}, transmitters.size() / 2, transmitters.size() - 1}) {
      is_good = is_good && is_same(predictions.of_transmitters[t], predict(transmitters[t], no_progress()));
    }
    std::printf("  the same bits alone: %s\n", is_good ? "yes" : "NO");
    return is_good;
  }

  LaunchCity city_;
  Study study_;
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  using namespace tesseray;
  return run_on_city(
      "gpu_launches", argc, argv,
      [](const GpuCommand& command) {
        return compare_by(Launches(command.city, study_of(command.options)), command.task);
      },
      "[--bounces N[,N]] [--transmitters N] [--pruning-from TILES]");
}
