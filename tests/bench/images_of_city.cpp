// SPDX-License-Identifier: GPL-3.0-or-later
// Ray launching against all exact rays in a whole city: difference of the received power at the same points, and the
// time per point of either. Points are 1.5 m above streets. Of the cases, which are sets of rays, the later ones take
// exact rays the longer.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/synthetic_city.h"
#include "visibility_city.h"

namespace tesseray::testing {
namespace {

class Seconds {
 public:
  double passed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<Receiver> street_points(const Scene& scene, Vec2 middle, double radius_m, std::size_t count) {
  const PrismIndex index(scene);
  Random random(1);
  std::vector<Receiver> receivers;
  while (receivers.size() < count) {
    const Vec2 p = middle + Vec2{random.uniform(-radius_m, radius_m), random.uniform(-radius_m, radius_m)};
    const double ground_z = scene.terrain.height_at(p);
    if (norm(p - middle) > radius_m || !scene.extent.contains(p) || index.surface_height(p) > ground_z) continue;
    receivers.push_back({static_cast<std::int64_t>(receivers.size()) + 1, {p.x, p.y, ground_z + 1.5}});
  }
  return receivers;
}

Transmitter antenna_at(const Scene& scene, Vec2 place, double height_m, double frequency_mhz) {
  Transmitter transmitter;
  transmitter.transmitter_id = 1;
  transmitter.name = "antenna";
  const Vec2 p = place - scene.frame.origin;
  transmitter.position = {p.x, p.y, scene.terrain.height_at(p) + height_m};
  transmitter.frequency_hz = frequency_mhz * 1e6;
  transmitter.erp_dbm = 40;
  return transmitter;
}

// Mean and standard deviation of launched over exact, dB, where both find something.
void print_difference(const char* what, const std::vector<ArrivalSums>& launched,
                      const std::vector<ArrivalSums>& exact) {
  double sum = 0, squares = 0;
  std::size_t n = 0, only_exact = 0, only_launched = 0;
  for (std::size_t r = 0; r < exact.size(); ++r) {
    const double a = launched[r].gain.value(), b = exact[r].gain.value();
    only_exact += b > 0 && !(a > 0) ? 1 : 0;
    only_launched += a > 0 && !(b > 0) ? 1 : 0;
    if (!(a > 0 && b > 0)) continue;
    const double difference_db = decibels(a / b);
    sum += difference_db;
    squares += difference_db * difference_db;
    ++n;
  }
  const double mean = sum / static_cast<double>(n);
  const double variance = (squares - static_cast<double>(n) * mean * mean) / static_cast<double>(n - 1);
  std::printf("%s: %zu points, mean %.2f dB, standard deviation %.2f dB; %zu only exact, %zu only launched\n", what, n,
              mean, std::sqrt(variance), only_exact, only_launched);
}

struct Limits {
  const char* name;
  int reflections, diffractions, bounces;
};

void compare(const VisibilityCity& city, const Occlusion& occlusion, const Visibility& visibility,
             const std::vector<Receiver>& receivers, const Transmitter& transmitter, const Limits& limits) {
  ImageTracingOptions exact_options;
  exact_options.max_reflections = limits.reflections;
  exact_options.max_diffractions = limits.diffractions;
  exact_options.max_reflections_with_diffractions = limits.bounces;
  exact_options.ridge_angle_deg = city.tiling.options.ridge_angle_deg;
  RayLaunchingOptions options;
  options.max_bounces = limits.bounces;
  options.max_reflections = limits.reflections;
  options.max_diffractions = limits.diffractions;
  options.max_scatterings = 0;
  options.max_reflections_with_diffractions = limits.bounces;
  options.min_power_dbm = -200;
  options.tiles_are_targets = false;

  const ImageTracer tracer(city.scene, occlusion, receivers, exact_options);
  const Seconds tracing;
  const ImageTracingResult exact = tracer.trace(transmitter, no_progress());
  const double tracing_s = tracing.passed();
  const RayLauncher launcher(city.scene, city.tiling, occlusion, visibility, receivers, options);
  const Seconds launching;
  const RayLaunchingResult launched = launcher.launch(transmitter, no_progress());
  const double launching_s = launching.passed();
  const auto count = static_cast<double>(receivers.size());
  print_difference(limits.name, launched.receivers, exact.receivers);
  std::printf("  exact: %.1f ms per point, %llu images, %llu sequences tried, %llu rays; launched: %.1f ms per point\n",
              1e3 * tracing_s / count, static_cast<unsigned long long>(exact.images),
              static_cast<unsigned long long>(exact.candidates), static_cast<unsigned long long>(exact.found),
              1e3 * launching_s / count);
}

constexpr Limits cases[] = {{"one reflection", 1, 0, 1},    {"two reflections", 2, 0, 2},
                            {"one diffraction", 0, 1, 1},   {"two interactions, one diffraction", 1, 1, 2},
                            {"three reflections", 3, 0, 3}, {"three interactions, one diffraction", 3, 1, 3}};

void run(const std::string& name, Vec2 place, double height_m, double frequency_mhz, double radius_m, std::size_t count,
         std::size_t wanted_cases) {
  const VisibilityCity city = city_by_name(name);
  const Transmitter transmitter = antenna_at(city.scene, place, height_m, frequency_mhz);
  if (!city.scene.extent.contains(transmitter.position.xy())) {
    throw std::runtime_error("the site is outside of " + city.name + "; give X,Y in its CRS");
  }
  const Occlusion occlusion(city.scene);
  const Seconds computing;
  const auto visibility = compute_visibility(occlusion, city.tiling, {}, no_progress());
  std::printf("%s: %zu tiles, visibility %.1f s\n", city.name.c_str(), city.tiling.tiles.size(), computing.passed());
  const std::vector<Receiver> receivers = street_points(city.scene, transmitter.position.xy(), radius_m, count);
  for (const Limits& limits : std::span(cases).first(std::min(wanted_cases, std::size(cases)))) {
    compare(city, occlusion, *visibility, receivers, transmitter, limits);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tesseray::testing

int main(int argc, char** argv) {
  CLI::App app("Ray launching against all exact rays.");
  std::string city;
  std::array<double, 3> site{};
  double frequency_mhz = 0, radius_m = 0;
  std::size_t count = 0, cases = std::size(tesseray::testing::cases);
  app.add_option("city", city, "synthetic:SIDE[:SEED] or an environment file")->required();
  app.add_option("site", site, "X,Y in the city's CRS, and the height over the ground, m")->delimiter(',')->required();
  app.add_option("frequency", frequency_mhz, "MHz")->required();
  app.add_option("radius", radius_m, "of the receivers about the site, m")->required();
  app.add_option("count", count, "of receivers")->required();
  app.add_option("cases", cases, "how many of the cases; all by default");
  CLI11_PARSE(app, argc, argv);
  tesseray::testing::run(city, {site[0], site[1]}, site[2], frequency_mhz, radius_m, count, cases);
  return 0;
}
