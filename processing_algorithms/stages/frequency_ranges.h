// SPDX-License-Identifier: GPL-3.0-or-later
// At which frequencies the models of a run are defined.
#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/scene.h"
#include "core/scene/transmitter.h"

namespace tesseray {

// One warning for each transmitter's frequency and each of these that the run uses and that is not defined there:
// materials (ITU-R P.2040), woodland (P.833), walls that rays go through (3GPP TR 38.901). Each says what is taken
// instead.
void warn_of_frequencies(const Scene& scene, const std::vector<Transmitter>& transmitters,
                         const RayLaunchingOptions& options, Progress& progress);

}  // namespace tesseray
