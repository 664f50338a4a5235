// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/parts_in_air.h"

#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

PartsInAir::PartsInAir(const Scene& scene, std::span<const std::uint32_t> parts) {
  if (parts.empty()) return;
  Scene alone;
  alone.terrain = {.step_x = 1, .step_y = 1, .columns = 2, .rows = 2, .height_m = {0, 0, 0, 0}};  // asked by nobody
  for (const std::uint32_t part : parts) alone.prisms.push_back(scene.prisms[part]);
  occlusion_ = std::make_unique<const Occlusion>(alone);
}

bool PartsInAir::stand_between(Vec3 from, Vec3 to) const {
  return occlusion_ != nullptr && !path_is_free_of_buildings(occlusion_->view(), from, to);
}

}  // namespace tesseray
