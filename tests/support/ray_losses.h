// SPDX-License-Identifier: GPL-3.0-or-later
// What a ray's account says (Ray::losses).
#pragma once

#include <string>

#include "core/propagation/rays/ray.h"

namespace tesseray::testing {

// All steps with this name together.
inline double loss_of(const Ray& ray, const std::string& step) {
  double loss_db = 0;
  for (const RayLoss& loss : ray.losses) loss_db += loss.step == step ? loss.loss_db : 0;
  return loss_db;
}

inline double sum_of_losses(const Ray& ray) {
  double loss_db = 0;
  for (const RayLoss& loss : ray.losses) loss_db += loss.loss_db;
  return loss_db;
}

}  // namespace tesseray::testing
