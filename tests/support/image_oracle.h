// SPDX-License-Identifier: GPL-3.0-or-later
// Exact single reflections (images) and single diffractions (Keller points) on the real walls, roofs and edges of a
// scene, without any tiles: what the discrete launcher is judged by.
#pragma once

#include <vector>

#include "core/physics/diffraction.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/scene.h"
#include "core/visibility/visibility.h"

namespace tesseray::testing {

struct ExactPath {
  Vec3 point;  // of the interaction
  double length_m = 0;
  double path_gain = 0;  // between isotropic vertical antennas
};

// REQUIRES: flat ground at height 0, one material for all surfaces. Keeps references to scene and occlusion.
class ImageOracle {
 public:
  ImageOracle(const Scene& scene, const Occlusion& occlusion, double frequency_hz);

  // Paths from a free point to a target over walls, roofs and the ground. `seen_at` is the target lifted off the
  // surface on which it may lie, for the tests of sight.
  std::vector<ExactPath> reflections(Vec3 from, Vec3 to, Vec3 seen_at) const;
  // Paths over eaves and convex corners.
  std::vector<ExactPath> diffractions(Vec3 from, Vec3 to, Vec3 seen_at) const;

 private:
  // A flat part of a surface: a wall over one side of a footprint, a roof, or the ground.
  struct Face {
    Vec3 origin, normal;
    Vec2 side;                       // of a wall, from `origin`
    double bottom_z = 0, top_z = 0;  // of a wall
    const Prism* roof_of = nullptr;
    bool contains(Vec3 p) const;
  };
  struct Edge {
    Vec3 origin;
    double length_m = 0;
    Wedge wedge;
    Vec3 tangent_n, normal_n;
  };
  void add_prism(const Prism& prism);
  bool is_exposed(const Edge& edge, Vec3 point) const;

  const Scene& scene_;
  const Occlusion& occlusion_;
  PrismIndex index_;
  double wave_number_, unit_gain_;
  Complex permittivity_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
};

}  // namespace tesseray::testing
