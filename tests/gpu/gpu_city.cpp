// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/gpu_city.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include "core/base/error.h"
#include "core/scene/prism_index.h"
#include "cuda/backend.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

int run_command(const char* program, const std::vector<std::string>& arguments, bool (*task)(const GpuCommand&)) {
  GpuCommand command;
  bool is_good = arguments.size() == 1 || arguments.size() == 2;
  if (arguments.size() == 2) {
    command.task = arguments[1] == "--only-gpu" ? GpuTask::only_gpu : GpuTask::on_host;
    is_good = arguments[1] == "--only-gpu" || arguments[1] == "--on-host";
  }
  if (!is_good) {
    std::fprintf(stderr, "usage: %s CITY.tscene|SIDE_M [--only-gpu | --on-host]\n", program);
    return 2;
  }
  command.city = arguments[0];
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

}  // namespace

SceneFile city_of(const std::string& name) {
  if (name.ends_with(".tscene")) return read_scene_file(name);
  double side_m = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), side_m);
  if (problem != std::errc() || stop != name.data() + name.size() || !(side_m >= 100)) {
    throw Error(ErrorKind::invalid_input, "bad_city", "'" + name + "' is neither a .tscene file nor a side in metres",
                "give one of them");
  }
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = side_m;
  return {testing::synthetic_city(options), {}, {}};
}

std::vector<Antenna> antennas_of(const Scene& scene) {
  const PrismIndex surface(scene);
  const Rectangle area = scene.terrain.extent();
  const Vec2 middle = 0.5 * (area.min + area.max);
  double highest = -std::numeric_limits<double>::infinity();
  for (const Prism& prism : scene.prisms) highest = std::max(highest, prism.top_z);
  std::vector<Antenna> antennas{{"50 m above all roofs", {middle.x, middle.y, highest + 50}}};
  bool has_street = false, has_roof = false;
  for (double way = 0; area.contains(middle + Vec2{way, 0.37 * way}) && !(has_street && has_roof); way += 7.3) {
    const Vec2 place = middle + Vec2{way, 0.37 * way};
    const double ground = scene.terrain.height_at(place), top = surface.surface_height(place);
    bool& is_there = top > ground ? has_roof : has_street;
    if (is_there) continue;
    is_there = true;
    antennas.push_back(top > ground ? Antenna{"roof + 3 m", {place.x, place.y, top + 3}}
                                    : Antenna{"street, 6 m", {place.x, place.y, ground + 6}});
  }
  return antennas;
}

int run_on_city(const char* program, int argc, char** argv, bool (*task)(const GpuCommand&)) {
  try {
    return run_command(program, {argv + 1, argv + argc}, task);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace tesseray
