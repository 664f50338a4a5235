// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/gpu_city.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/scene/ground_plan/prism_index.h"
#include "cuda/backend.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

int run_command(const char* program, const std::vector<std::string>& arguments, bool (*task)(const GpuCommand&),
                const std::string& own_options) {
  GpuCommand command;
  if (!arguments.empty()) command.city = arguments[0];
  std::size_t next = 1;
  if (next < arguments.size() && (arguments[next] == "--only-gpu" || arguments[next] == "--on-host")) {
    command.task = arguments[next++] == "--only-gpu" ? GpuTask::only_gpu : GpuTask::on_host;
  }
  if (next < arguments.size())
    command.options.assign(arguments.begin() + static_cast<std::ptrdiff_t>(next), arguments.end());
  if (arguments.empty() || (!command.options.empty() && own_options.empty())) {
    std::fprintf(stderr, "usage: %s CITY.tscene|SIDE_M [--only-gpu | --on-host] %s\n", program, own_options.c_str());
    return 2;
  }
  if (command.task != GpuTask::on_host) {
    const CudaDevice gpu = find_cuda_device();
    if (!gpu.is_there) {
      std::fprintf(stderr, "nothing to compare: %s\n", gpu.missing.c_str());
      return 3;
    }
    std::printf("%s\n", gpu.name.c_str());
  }
  return task(command) ? 0 : 1;
}

// The place itself, or the nearest one on a spiral around it where `is_good`; none within `reach_m`.
std::optional<Vec2> nearest_place(Vec2 wanted, double reach_m, const auto& is_good) {
  constexpr double golden_angle = 2.399963229728653, spacing_m = 2;
  for (int k = 0; spacing_m * std::sqrt(k) <= reach_m; ++k) {
    const double away = spacing_m * std::sqrt(k), angle = golden_angle * k;
    const Vec2 place = wanted + Vec2{away * std::cos(angle), away * std::sin(angle)};
    if (is_good(place)) return place;
  }
  return std::nullopt;
}

bool is_over_roof(const Scene& scene, const PrismIndex& surface, Vec2 place) {
  return surface.surface_height(place) > scene.terrain.height_at(place) + 1;
}

}  // namespace

SceneFile city_of(const std::string& name) {
  if (name.ends_with(".tscene")) return read_scene_file(name);
  double side_m = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), side_m);
  if (problem != std::errc() || stop != name.data() + name.size() || !(side_m >= 100)) {
    throw Error(ErrorKind::invalid_input, "bad_city", "'" + name + "' is neither a .tscene file nor a side in metres",
                "give one of them");
  }
  testing::SyntheticCityOptions options = testing::large_city();
  options.width_m = options.depth_m = side_m;
  if (side_m < 1000) options.park_share = 0.3;  // so that few blocks have vegetation among them
  return {testing::synthetic_city(options), {}, {}};
}

std::vector<Antenna> antennas_of(const Scene& scene) {
  const PrismIndex surface(scene);
  const Rectangle area = scene.terrain.extent();
  const Vec2 middle = 0.5 * (area.min + area.max);
  double highest = -std::numeric_limits<double>::infinity();
  for (const Prism& prism : scene.prisms) highest = std::max(highest, prism.top_z);
  std::vector<Antenna> antennas{{"50 m above all roofs", {middle.x, middle.y, highest + 50}}};
  constexpr double reach_m = 500;
  const auto add = [&](const char* name, bool on_roof, double height_m) {
    const std::optional<Vec2> place = nearest_place(
        middle, reach_m, [&](Vec2 p) { return area.contains(p) && is_over_roof(scene, surface, p) == on_roof; });
    if (place) antennas.push_back({name, {place->x, place->y, surface.surface_height(*place) + height_m}});
  };
  add("street, 6 m", false, 6);
  add("roof + 3 m", true, 3);
  return antennas;
}

std::vector<Vec3> rooftops_of(const Scene& scene, std::size_t count) {
  const PrismIndex surface(scene);
  const Rectangle area = scene.terrain.extent();
  const Vec2 size = area.max - area.min;
  const auto is_roof = [&](Vec2 p) { return area.contains(p) && is_over_roof(scene, surface, p); };
  std::vector<Vec3> rooftops;
  for (std::size_t k = 0; k < count; ++k) {
    // An additive sequence with the plastic number, over the inner 80 % of the city; its first place is the middle.
    const double across = 0.5 + 0.7548776662466927 * static_cast<double>(k),
                 up = 0.5 + 0.5698402909980532 * static_cast<double>(k);
    const Vec2 part{0.1 + 0.8 * (across - std::floor(across)), 0.1 + 0.8 * (up - std::floor(up))};
    constexpr double reach_m = 150;
    const std::optional<Vec2> place =
        nearest_place(area.min + Vec2{part.x * size.x, part.y * size.y}, reach_m, is_roof);
    if (place) rooftops.push_back({place->x, place->y, surface.surface_height(*place) + 3});
  }
  return rooftops;
}

void print_with_bar(const std::string& what, double seconds, double bar_s, std::size_t tiles) {
  constexpr std::size_t tiles_of_bars = 412'000;
  if (tiles < tiles_of_bars) return;
  std::printf("bar: %s: %.3f s of %.1f s: %s\n", what.c_str(), seconds, bar_s, seconds <= bar_s ? "met" : "MISSED");
}

int run_on_city(const char* program, int argc, char** argv, bool (*task)(const GpuCommand&), const char* own_options) {
  try {
    return run_command(program, {argv + 1, argv + argc}, task, own_options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace tesseray
