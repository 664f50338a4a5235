// SPDX-License-Identifier: GPL-3.0-or-later
// What one transmitter's prediction over a whole city costs: an antenna 6 m above a street, one 3 m above a roof and
// one 50 m above all roofs, with all effects on. The visibility is computed once and kept in a file. Prints a row of a
// Markdown table per site and number of bounces. With --save, each prediction is kept as floats (received power of each
// tile, dBm, NaN where nothing arrives), with which a later run compares its own (--compare).
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "city_sites.h"
#include "core/prediction/prediction.h"
#include "tests/support/environment.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double anonymous_memory_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  }
  return 0;
}

std::vector<float> powers_of(const TransmitterPrediction& prediction) {
  std::vector<float> powers;
  powers.reserve(prediction.tiles.size());
  for (const TargetPrediction& tile : prediction.tiles) powers.push_back(tile.received_power_dbm);
  return powers;
}

std::filesystem::path file_of(const std::string& folder, const std::string& site, int bounces) {
  return std::filesystem::path(folder) / (site + "-" + std::to_string(bounces) + ".f32");
}

std::vector<float> read_powers(const std::filesystem::path& file, std::size_t count) {
  std::vector<float> powers(count);
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(powers.data()), static_cast<std::streamsize>(count * sizeof(float)))) {
    throw std::runtime_error(file.string() + ": not a prediction of this city");
  }
  return powers;
}

void write_powers(const std::vector<float>& powers, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(powers.data()), static_cast<std::streamsize>(powers.size() * sizeof(float)));
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
}

// Over the tiles above a noise floor in `before`.
struct Difference {
  std::size_t tiles = 0, lost = 0;
  double mean_db = 0, rms_db = 0, greatest_db = 0;
};

Difference compare(const std::vector<float>& before, const std::vector<float>& now, float noise_floor_dbm) {
  Difference difference;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!(before[i] >= noise_floor_dbm)) continue;
    ++difference.tiles;
    if (!std::isfinite(now[i])) {
      ++difference.lost;
      continue;
    }
    const double d = static_cast<double>(now[i]) - static_cast<double>(before[i]);
    difference.mean_db += d;
    difference.rms_db += d * d;
    difference.greatest_db = std::max(difference.greatest_db, std::fabs(d));
  }
  const auto compared = static_cast<double>(std::max<std::size_t>(difference.tiles - difference.lost, 1));
  difference.mean_db /= compared;
  difference.rms_db = std::sqrt(difference.rms_db / compared);
  return difference;
}

void print_cost(const LaunchCost& cost, const std::vector<std::uint64_t>& tubes_by_interactions) {
  testing::print_phases(stderr, cost);
  std::fprintf(stderr, "  tubes by interactions:");
  for (const std::uint64_t tubes : tubes_by_interactions) {
    std::fprintf(stderr, " %llu", static_cast<unsigned long long>(tubes));
  }
  std::fprintf(stderr, "\n");
}

double share_in_sight(const RayLaunchingResult& rays) {
  const auto seen =
      std::count_if(rays.tiles.begin(), rays.tiles.end(), [](const ArrivalSums& at) { return at.direct; });
  return static_cast<double>(seen) / static_cast<double>(rays.tiles.size());
}

struct Study {
  std::string city = "synthetic:4480", visibility_file = "propagation_of_city.tvis", save, compare_with;
  std::vector<std::string> sites;  // all if empty
  int spread = 0;                  // > 0: so many sites over the city instead of one of each kind about its middle
  std::vector<int> bounces{3, 5};
  int after_scattering = 1;
  bool pruning = true;
  std::size_t tubes_of_level = RayLaunchingOptions().tubes_of_level;
  float noise_floor_dbm = -110;
};

RayLaunchingOptions options_for(const Study& study, int bounces) {
  RayLaunchingOptions options = testing::all_effects(bounces);
  options.max_after_scattering = study.after_scattering;
  options.pruning = study.pruning;
  options.tubes_of_level = study.tubes_of_level;
  return options;
}

void measure(const Study& study) {
  const testing::VisibilityCity city = testing::city_by_name(study.city);
  const Occlusion occlusion(city.scene);
  const std::uint64_t hash = std::hash<std::string>()(study.city);
  if (!std::filesystem::exists(study.visibility_file)) {
    compute_visibility_file(occlusion, city.tiling, {}, hash, {study.visibility_file}, std::uint64_t{2} << 30,
                            no_progress());
  }
  const auto visibility = open_visibility(study.visibility_file, city.tiling, hash);
  std::printf(
      "| city | tiles | edges | site | bounces | once for all, s | s | processor s | tubes | tiles reached | MiB | "
      "against | mean dB | rms dB | greatest dB | lost "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const std::vector<testing::CitySite> sites =
      study.spread > 0 ? testing::sites_over_city(city.scene, study.spread) : testing::sites_near_middle(city.scene);
  for (const testing::CitySite& site : sites) {
    const bool is_wanted =
        study.sites.empty() || std::find(study.sites.begin(), study.sites.end(), site.name) != study.sites.end();
    if (!is_wanted) continue;
    Transmitter transmitter = testing::test_transmitter(site.position);
    transmitter.erp_dbm = 40;
    for (const int bounces : study.bounces) {
      const RayLauncher launcher(city.scene, city.tiling, occlusion, *visibility, {}, options_for(study, bounces));
      const auto first = std::chrono::steady_clock::now();
      launcher.prepare(no_progress(), kept_beside(*visibility, launcher.options().receiver_height_m));
      const auto begin = std::chrono::steady_clock::now();
      const double preparation = std::chrono::duration<double>(begin - first).count();
      const double processor_begin = processor_seconds();
      RayLaunchingResult rays = launcher.launch(transmitter, no_progress());
      const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const double processor = processor_seconds() - processor_begin;
      const std::uint64_t tubes = rays.tubes;
      const LaunchCost rays_cost = rays.cost;
      const Pruning pruning = rays.pruning;
      const double in_sight = share_in_sight(rays);
      const std::vector<std::uint64_t> tubes_by_interactions = rays.tubes_by_interactions;
      const std::vector<float> powers =
          powers_of(predict_path_loss(std::move(rays), transmitter, city.tiling, {}, launcher.options()));
      const auto reached = std::count_if(powers.begin(), powers.end(), [](float p) { return std::isfinite(p); });
      std::printf("| %s | %zu | %zu | %s | %d | %.2f | %.2f | %.2f | %llu | %td | %.0f |", city.name.c_str(),
                  city.tiling.tiles.size(), city.tiling.edges.size(), site.name.c_str(), bounces, preparation, wall,
                  processor, static_cast<unsigned long long>(tubes), reached, anonymous_memory_mib());
      if (!study.compare_with.empty()) {
        const Difference d = compare(read_powers(file_of(study.compare_with, site.name, bounces), powers.size()),
                                     powers, study.noise_floor_dbm);
        std::printf(" %zu tiles above %.0f dBm | %.4f | %.4f | %.2f | %zu |", d.tiles,
                    static_cast<double>(study.noise_floor_dbm), d.mean_db, d.rms_db, d.greatest_db, d.lost);
      }
      std::printf("\n");
      print_cost(rays_cost, tubes_by_interactions);
      std::fprintf(stderr, "  pruning: %.1f %% of the tiles in sight, %zu scattering sources, roulette %g\n",
                   100 * in_sight, pruning.scattering_sources, pruning.roulette);
      std::fflush(stdout);
      if (!study.save.empty()) {
        write_powers(powers, file_of(study.save, site.name, bounces));
      }
    }
  }
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  CLI::App app("What one transmitter's prediction over a whole city costs.");
  tesseray::Study study;
  app.add_option("city", study.city, "synthetic:SIDE[:SEED] or an environment file");
  app.add_option("--visibility", study.visibility_file, "its visibility, computed when it is not there");
  app.add_option("--sites", study.sites, "names of sites: street, rooftop, macro; with --spread street-1, rooftop-2 …");
  app.add_option("--spread", study.spread, "so many sites over the city instead of one of each kind about its middle");
  app.add_option("--bounces", study.bounces, "numbers of bounces");
  app.add_option("--after-scattering", study.after_scattering, "interactions after a scattering");
  app.add_option("--save", study.save, "folder for the predictions")->check(CLI::ExistingDirectory);
  app.add_option("--compare", study.compare_with, "folder of earlier predictions")->check(CLI::ExistingDirectory);
  app.add_flag("--pruning,!--no-pruning", study.pruning, "see RayLaunchingOptions; on by default");
  app.add_option("--tubes-of-level", study.tubes_of_level, "see RayLaunchingOptions");
  app.add_option("--noise-floor", study.noise_floor_dbm, "compare tiles above this received power, dBm");
  CLI11_PARSE(app, argc, argv);
  tesseray::measure(study);
  return 0;
}
