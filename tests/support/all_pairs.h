// SPDX-License-Identifier: GPL-3.0-or-later
// The plain way to the relation: every pair, by its definition. What the fast way is held against.
#pragma once

#include <memory>

#include "core/visibility/visibility.h"

namespace tesseray::testing {

std::unique_ptr<Visibility> compute_visibility_of_all_pairs(const Occlusion& occlusion, const Tiling& tiling,
                                                            const VisibilityOptions& options, Progress& progress);

}  // namespace tesseray::testing
