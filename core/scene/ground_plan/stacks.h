// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of buildings on top of each other, as data in 3D have podium and tower: one wall may be of several of them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/scene.h"

namespace tesseray {

// By prism, a number that those have in common of which one stands above another, with air between them or without.
std::vector<std::uint32_t> stacks_of(const Scene& scene, const PrismIndex& index);

}  // namespace tesseray
