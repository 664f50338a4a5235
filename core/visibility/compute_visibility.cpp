// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/all_pairs.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  return compute_visibility_of_all_pairs(occlusion, tiling, options, progress);
}

}  // namespace tesseray
