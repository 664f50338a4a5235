// SPDX-License-Identifier: GPL-3.0-or-later
// What it costs to bring the visibility of a whole city up to date after one building was added, raised or removed,
// beside computing all of it. Checks that the files are the same to the byte.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/visibility/scene_edits.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double processor_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Seconds of the stages of a run, by the names that begin them.
class StageClock final : public Progress {
 public:
  void begin_stage(std::string_view stage) override {
    end();
    stage_ = stage;
    begin_s_ = now_s();
  }
  void end() {
    if (!stage_.empty()) stages_.emplace_back(stage_, now_s() - begin_s_);
    stage_.clear();
  }
  std::string told() const {
    std::string text;
    for (const auto& [stage, seconds] : stages_) {
      char part[80];
      std::snprintf(part, sizeof part, "%s%s %.2f", text.empty() ? "" : ", ", stage.c_str(), seconds);
      text += part;
    }
    return text;
  }

 private:
  std::string stage_;
  double begin_s_ = 0;
  std::vector<std::pair<std::string, double>> stages_;
};

std::string bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double write_whole(const testing::VisibilityCity& city, std::uint64_t hash, const fs::path& path) {
  const double begin = now_s();
  constexpr std::uint64_t memory_bytes = std::uint64_t{512} << 20;
  compute_visibility_file(Occlusion(city.scene), city.tiling, {}, hash, path, memory_bytes, no_progress());
  return now_s() - begin;
}

void measure(const testing::VisibilityCity& before, const std::string& what, const Scene& scene, const fs::path& folder,
             double full_s, bool compares) {
  const testing::VisibilityCity after = {what, scene, tile_scene(scene, {}, no_progress())};
  fs::remove(folder / "updated.tvis");  // so that no time goes into giving back what stands in its place
  StageClock clock;
  const double begin = now_s(), processor_begin = processor_s();
  const Occlusion occlusion(after.scene);
  const VisibilityUpdate update =
      update_visibility({before.scene, before.tiling, folder / "before.tvis", 1},
                        {after.scene, after.tiling, occlusion, {}, 2}, folder / "updated.tvis", clock);
  clock.end();
  const double seconds = now_s() - begin, processor = processor_s() - processor_begin;
  const char* verdict = "–";
  if (compares) {
    write_whole(after, 2, folder / "whole.tvis");
    verdict = bytes(folder / "updated.tvis") == bytes(folder / "whole.tvis") ? "yes" : "NO";
  }
  std::printf("| %s | %s | %s | %lu | %lu | %lu | %.2f (%.2f) | %s | %.2f %% | %s |\n", before.name.c_str(),
              what.c_str(), update.why_not.c_str(), update.new_elements, update.searched_elements,
              update.changed_entries, seconds, processor, clock.told().c_str(), 100 * seconds / full_s, verdict);
  std::fflush(stdout);
}

void measure(const std::string& name, bool compares) {
  const testing::VisibilityCity city = testing::city_by_name(name);
  const fs::path folder = fs::temp_directory_path() / ("visibility_update." + std::to_string(getpid()));
  fs::create_directories(folder);
  const double processor_begin = processor_s();
  const double full_s = write_whole(city, 1, folder / "before.tvis");
  std::printf("%s: all of it and its file of %.0f MB in %.1f s (%.1f of the processor), %.0f MiB of memory at most\n",
              name.c_str(), 1e-6 * static_cast<double>(fs::file_size(folder / "before.tvis")), full_s,
              processor_s() - processor_begin, peak_memory_mib());
  testing::Random random(3);
  const auto any = [&] { return random.below(static_cast<std::uint32_t>(city.scene.prisms.size())); };
  for (int k = 0; k < 3; ++k) {
    Scene added = city.scene;
    test::add_box(added, added.extent, 12, random.uniform(6, 25), random);
    measure(city, "added", added, folder, full_s, compares && k == 0);
    Scene raised = city.scene;
    raised.prisms[any()].top_z += random.uniform(2, 12);
    measure(city, "raised", raised, folder, full_s, compares && k == 0);
    Scene removed = city.scene;
    removed.prisms.erase(removed.prisms.begin() + any());
    measure(city, "removed", removed, folder, full_s, compares && k == 0);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  CLI::App app("What an update of a city's visibility costs after one building was added, raised or removed.");
  std::vector<std::string> cities;
  bool compares = true;
  app.add_option("cities", cities, "synthetic:SIDE[:SEED] or environment files")->required();
  app.add_flag("--comparison,!--no-comparison", compares, "hold the first three against all of it; on by default");
  CLI11_PARSE(app, argc, argv);
  std::printf(
      "| city | edit | why not | new elements | searched | changed entries | update, s (processor) | stages, s | of "
      "all | "
      "same bytes |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& city : cities) tesseray::measure(city, compares);
  return 0;
}
