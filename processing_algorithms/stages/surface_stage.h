// SPDX-License-Identifier: GPL-3.0-or-later
// What walls, roofs and ground are made of, and how they reflect and scatter.
#pragma once

#include <vector>

#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/scene.h"
#include "core/scene/transmitter.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// WALL_MATERIAL, ROOF_MATERIAL, GROUND_MATERIAL, PERMITTIVITY and CONDUCTIVITY.
std::vector<Parameter> material_parameters();
// These, and SCATTERING_MODEL, SCATTERING_COEFFICIENT, SCATTERING_BY_MATERIAL, SCATTERING_LOBE, LOBE_EXPONENT and
// CROSS_POLARIZATION.
std::vector<Parameter> surface_parameters();

// The scene with the materials that its surfaces have in this run. Warns of frequencies at which these, or the run's
// losses in vegetation and of walls, are not defined. Throws Error(invalid_input) for a material that does not exist.
Scene with_surfaces(Run& run, Scene scene, const std::vector<Transmitter>& transmitters);

// The same by the parameters of materials alone, for rays that go through no walls.
Scene with_materials(Run& run, Scene scene, const std::vector<Transmitter>& transmitters);

// What the parameters say of diffuse scattering, into `options`.
void read_scattering(const ParameterValues& values, RayLaunchingOptions& options);

}  // namespace tesseray
