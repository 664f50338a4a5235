// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs by the kernel as nvcc compiles it, run on the host (tests/support/kernel_on_host).
#pragma once

#include <memory>

#include "core/propagation/rooftops/rooftop_search.h"

namespace tesseray::test {

// Only where TESSERAY_RUNS_COMPILED_KERNELS is defined. Keeps the view.
std::unique_ptr<RooftopSearch> make_compiled_rooftop_search(const RooftopSceneView& scene);

}  // namespace tesseray::test
