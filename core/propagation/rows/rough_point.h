// SPDX-License-Identifier: GPL-3.0-or-later
// Points in single precision, for what is asked of very many of them before the few that matter are asked exactly.
#pragma once

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// A point for estimates, from an origin within the city. Sixteen bytes in all, so that one of many is in one line of
// the cache.
struct alignas(16) RoughPoint {
  float x = 0, y = 0, z = 0;

  [[gnu::always_inline]] TESSERAY_HD RoughPoint operator-(RoughPoint from) const {
    return {x - from.x, y - from.y, z - from.z};
  }
};

[[gnu::always_inline]] TESSERAY_HD inline float dot(RoughPoint a, RoughPoint b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

TESSERAY_HD inline RoughPoint rough_point(Vec3 v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace tesseray
