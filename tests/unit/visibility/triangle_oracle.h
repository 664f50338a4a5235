// SPDX-License-Identifier: GPL-3.0-or-later
// The scene as triangles: an independent answer to who sees whom, by Embree, and who decides ties.
#pragma once

#include <embree3/rtcore.h>

#include <vector>

#include "core/scene/scene.h"

namespace tesseray::test {

struct Triangle {
  Vec3 a, b, c;
};

// Walls, roofs and undersides (footprints cut up by GEOS), terrain.
std::vector<Triangle> triangles_of(const Scene& scene);

class TriangleOracle {
 public:
  explicit TriangleOracle(const Scene& scene);
  ~TriangleOracle();
  TriangleOracle(const TriangleOracle&) = delete;
  TriangleOracle& operator=(const TriangleOracle&) = delete;

  // Embree, robust, single precision.
  bool is_free(Vec3 a, Vec3 b) const;
  // Every triangle in double precision.
  bool is_free_in_double(Vec3 a, Vec3 b) const;
  // True when moving the segment by a millimetre changes the answer.
  bool is_tie(Vec3 a, Vec3 b) const;

 private:
  std::vector<Triangle> triangles_;
  RTCDevice device_ = nullptr;
  RTCScene scene_ = nullptr;
};

}  // namespace tesseray::test
