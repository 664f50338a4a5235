// SPDX-License-Identifier: GPL-3.0-or-later
// What a ray's account says (Ray::losses).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
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

// A ray, and the same without roofs.
struct WithAndWithoutRoofs {
  const Ray& with;
  const Ray& without;
  double taken_db() const { return without.power_dbm - with.power_dbm; }
  double turned_deg() const { return with.phase_deg - without.phase_deg; }
};

// That roofs take from a ray and turn it as they do the one that goes straight to a place of it, and that its account
// says so. `at`: for the message.
inline void expect_roofs_take(const WithAndWithoutRoofs& ray, const WithAndWithoutRoofs& straight, double within_deg,
                              double at) {
  constexpr double within_db = 0.25;
  EXPECT_NEAR(ray.taken_db(), straight.taken_db(), within_db) << at;
  EXPECT_NEAR(ray.taken_db(), loss_of(ray.with, "roofs"), 1e-6) << at;
  EXPECT_NEAR(std::remainder(ray.turned_deg() - straight.turned_deg(), 360.0), 0, within_deg) << at;
  EXPECT_NEAR(sum_of_losses(ray.with), -ray.with.power_dbm - 2.15, 1e-6) << at;
}

}  // namespace tesseray::testing
