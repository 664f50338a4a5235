// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/environment.h"

#include <utility>

#include "core/base/units.h"

namespace tesseray::testing {
namespace {

TilingOptions tiles_of(double side_m) {
  TilingOptions options;
  options.tile_area_m2 = side_m * side_m;
  options.min_wall_width_m = 0;
  options.min_wall_area_m2 = 0;
  return options;
}

constexpr double no_threshold_dbm = -400;

}  // namespace

Environment::Environment(Scene the_scene, double tile_side_m)
    : Environment(std::move(the_scene), tiles_of(tile_side_m)) {}

Environment::Environment(Scene the_scene, const TilingOptions& options)
    : scene(std::move(the_scene)),
      tiling(tile_scene(scene, options, no_progress())),
      occlusion(scene),
      visibility(compute_visibility(occlusion, tiling, {}, no_progress())) {}

RayLaunchingResult Environment::launch(const Transmitter& transmitter, const std::vector<Receiver>& receivers,
                                       const RayLaunchingOptions& options) const {
  return launcher(receivers, options).launch(transmitter, no_progress());
}

RayLauncher Environment::launcher(const std::vector<Receiver>& receivers, const RayLaunchingOptions& options) const {
  return {scene, tiling, occlusion, *visibility, receivers, options};
}

RayLaunchingResult Environment::launch_to_receivers(const Transmitter& transmitter,
                                                    const std::vector<Receiver>& receivers,
                                                    RayLaunchingOptions options) const {
  options.tiles_are_targets = false;
  return launch(transmitter, receivers, options);
}

Transmitter test_transmitter(Vec3 position) {
  Transmitter transmitter;
  transmitter.transmitter_id = 1;
  transmitter.name = "test";
  transmitter.position = position;
  transmitter.frequency_hz = 850e6;
  transmitter.erp_dbm = -half_wave_dipole_gain_dbi;
  return transmitter;
}

std::vector<Receiver> receivers_at(const std::vector<Vec3>& positions) {
  std::vector<Receiver> receivers;
  receivers.reserve(positions.size());
  for (const Vec3& position : positions) {
    receivers.push_back({static_cast<std::int64_t>(receivers.size()) + 1, position});
  }
  return receivers;
}

RayLaunchingOptions direct_only() { return without_scattering(0, 0, 0); }

RayLaunchingOptions without_scattering(int reflections, int diffractions, int bounces) {
  RayLaunchingOptions options;
  options.max_bounces = bounces;
  options.max_reflections = reflections;
  options.max_diffractions = diffractions;
  options.max_scatterings = 0;
  options.max_reflections_with_diffractions = bounces;
  options.max_diffractions_with_scatterings = bounces;
  options.max_after_scattering = 0;
  options.min_power_dbm = no_threshold_dbm;
  options.rays_per_receiver = 10'000;
  return options;
}

RayLaunchingOptions scattering_last(ScatteringModel model, double coefficient, int reflections_before) {
  RayLaunchingOptions options = without_scattering(reflections_before, 0, reflections_before + 1);
  options.max_scatterings = 1;
  options.scattering_model = model;
  options.scattering_coefficient = coefficient;
  return options;
}

RayLaunchingOptions all_effects(int bounces) {
  RayLaunchingOptions options;
  options.max_bounces = bounces;
  options.max_reflections = bounces;
  options.max_diffractions = bounces > 3 ? 2 : 1;
  options.over_rooftop = OverRooftop::screens;
  options.vegetation = VegetationModel::per_metre;
  options.transmission.nearest_building = true;
  return options;
}

Scene with_material(Scene scene, double permittivity, double conductivity) {
  scene.materials = {Material{"test", permittivity, 0, conductivity, 0}};
  for (Prism& prism : scene.prisms) prism.material = 0;
  return scene;
}

double total_gain(const ArrivalSums& sums) { return received_gain(sums); }

void print_phases(std::FILE* out, const LaunchCost& cost) {
  constexpr const char* names[launch_phases] = {"first level",     "bounces",          "scattering last",
                                                "then reflection", "then diffraction", "then two"};
  for (std::size_t p = 0; p < launch_phases; ++p) {
    const PhaseCost& phase = cost[static_cast<LaunchPhase>(p)];
    std::fprintf(out, "  %-16s %7.2f s  %8.0f thousand rows  %8.1f M entries  %10.1f M tests  %8.1f M contributions\n",
                 names[p], phase.seconds, static_cast<double>(phase.rows) / 1e3,
                 static_cast<double>(phase.row_entries) / 1e6, static_cast<double>(phase.tests) / 1e6,
                 static_cast<double>(phase.contributions) / 1e6);
  }
}

}  // namespace tesseray::testing
