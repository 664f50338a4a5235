// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/frequency_ranges.h"

#include <cstdint>
#include <iterator>
#include <set>
#include <string>

#include "core/io/sources/text_values.h"
#include "core/physics/material.h"
#include "core/physics/penetration.h"
#include "core/physics/vegetation.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

std::string in_mhz(double frequency_hz) { return shortest(frequency_hz / 1e6); }

// Materials of parts, and those of surfaces without one.
std::set<std::uint16_t> used_materials(const Scene& scene) {
  const DefaultMaterials& defaults = scene.default_materials;
  std::set<std::uint16_t> used{defaults.ground, defaults.wall, defaults.roof};
  for (const Prism& prism : scene.prisms) {
    if (prism.material != 0) used.insert(prism.material);
  }
  return used;
}

void warn_of_materials(const Scene& scene, double frequency_hz, Progress& progress) {
  std::vector<std::string> undefined;
  for (const std::uint16_t number : used_materials(scene)) {
    const Material& m = scene.materials[number];
    if (!is_clamped({m.a, m.b, m.c, m.d, m.minimum_ghz, m.maximum_ghz}, frequency_hz)) continue;
    undefined.push_back(m.name + " (" + shortest(m.minimum_ghz) + " to " + shortest(m.maximum_ghz) + " GHz)");
  }
  if (undefined.empty()) return;
  progress.warn({"material_frequency", std::string(itu_materials_edition) + " does not define " +
                                           join(undefined, ", ") + " at " + in_mhz(frequency_hz) +
                                           " MHz: the properties at the nearer end of the range are taken"});
}

void warn_of_vegetation(double frequency_hz, Progress& progress) {
  const double lowest_hz = std::begin(p833_woodland)->frequency_hz,
               highest_hz = std::rbegin(p833_woodland)->frequency_hz;
  if (frequency_hz >= lowest_hz && frequency_hz <= highest_hz) return;
  progress.warn({"vegetation_frequency", "ITU-R P.833 gives the loss in woodland from " + in_mhz(lowest_hz) + " to " +
                                             in_mhz(highest_hz) + " MHz; at " + in_mhz(frequency_hz) +
                                             " MHz it is extrapolated"});
}

void warn_of_walls(double frequency_hz, Progress& progress) {
  if (frequency_hz >= lowest_penetration_hz && frequency_hz <= highest_penetration_hz) return;
  progress.warn({"wall_frequency", "3GPP TR 38.901 gives the loss of walls from " + in_mhz(lowest_penetration_hz) +
                                       " to " + in_mhz(highest_penetration_hz) + " MHz; at " + in_mhz(frequency_hz) +
                                       " MHz it is extrapolated"});
}

}  // namespace

void warn_of_frequencies(const Scene& scene, const std::vector<Transmitter>& transmitters,
                         const RayLaunchingOptions& options, Progress& progress) {
  const bool uses_woodland = options.vegetation == VegetationModel::p833 && !scene.vegetation.empty();
  const bool uses_wall_losses =
      options.transmission.nearest_building && !options.transmission.wall_loss_db && !scene.prisms.empty();
  std::set<double> checked_hz;
  for (const Transmitter& transmitter : transmitters) {
    const double frequency_hz = transmitter.frequency_hz;
    if (!checked_hz.insert(frequency_hz).second) continue;
    warn_of_materials(scene, frequency_hz, progress);
    if (uses_woodland) warn_of_vegetation(frequency_hz, progress);
    if (uses_wall_losses) warn_of_walls(frequency_hz, progress);
  }
}

}  // namespace tesseray
