// SPDX-License-Identifier: GPL-3.0-or-later
// A scene with everything that a launch needs, and short ways to say who sends and who receives.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/rows/row_targets.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"

namespace tesseray::testing {

// Stays where it was made: launchers keep references into it.
class Environment {
 public:
  // Walls of any size have tiles.
  Environment(Scene the_scene, double tile_side_m);
  Environment(Scene the_scene, const TilingOptions& options);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const Scene scene;
  const Tiling tiling;
  const Occlusion occlusion;
  const std::unique_ptr<Visibility> visibility;

  RayLaunchingResult launch(const Transmitter& transmitter, const std::vector<Receiver>& receivers,
                            const RayLaunchingOptions& options) const;
  // For several transmitters: what receivers over ground tiles see, most of the work in small scenes, is found once.
  RayLauncher launcher(const std::vector<Receiver>& receivers, const RayLaunchingOptions& options) const;
  // For tests that read no tile's sums: the same at receivers, of less work.
  RayLaunchingResult launch_to_receivers(const Transmitter& transmitter, const std::vector<Receiver>& receivers,
                                         RayLaunchingOptions options) const;
};

// 850 MHz, isotropic, vertical, and an ERP that makes the EIRP 0 dBm: received powers are then path gains.
Transmitter test_transmitter(Vec3 position);
// Receivers with the ids 1, 2, …
std::vector<Receiver> receivers_at(const std::vector<Vec3>& positions);

// Nothing but the direct ray; the tests add what they are about. Pure specular reflection: nothing is scattered.
RayLaunchingOptions direct_only();
// Up to `bounces` interactions, any mix of at most so many reflections and diffractions; no threshold that matters.
RayLaunchingOptions without_scattering(int reflections, int diffractions, int bounces);
// Up to `bounces` interactions before and with one scattering.
RayLaunchingOptions scattering_last(ScatteringModel model, double coefficient, int reflections_before = 0);

// All effects of a prediction over a whole city, with the paper's limits for so many bounces: at most so many
// reflections, one diffraction up to three bounces and two beyond, one scattering anywhere, at most three combined.
RayLaunchingOptions all_effects(int bounces);

// The materials of a scene replaced by one for all surfaces.
Scene with_material(Scene scene, double permittivity, double conductivity);

// The power at a target, over the EIRP, as prediction makes it of the sums.
double total_gain(const ArrivalSums& sums);

// What each phase of a launch took and did, a line each.
void print_phases(std::FILE* out, const LaunchCost& cost);

}  // namespace tesseray::testing
