// SPDX-License-Identifier: GPL-3.0-or-later
// The ground below a line of sight: where it comes near, the vertices along which the wave runs (docs/physics.md §6).
#pragma once

#include <cstddef>
#include <vector>

#include "core/geometry/vector.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

class GroundNearSight {
 public:
  // Farther below the line of sight the ground reflects (TerrainReflection).
  static constexpr double least_nu = -1.2;

  // False where all of the ground is certainly farther below: find() has no vertices then, and need not be asked.
  static bool may_come_near(const RooftopSceneView& scene, const RooftopLine& line, double wavelength_m);

  // The vertices at steps of the terrain that stand out above or below the others; none where all ground is straight.
  void find(const TerrainView& terrain, const RooftopLine& line, double wavelength_m);

  void clear();

  // How far what is in sight along the line and what the ground reflects are one wave: wholly where it runs along the
  // ground, and not where that lies farther below or reflects as a plane.
  double share_of_one_wave() const;

  // x: distance over the ground plan from the line's beginning, y: height; m.
  // Where it bends, or at many equal steps, from foot to foot; these alone where it reflects as a plane
  // (terrain_reflection.h).
  std::vector<Vec2> ground;
  std::vector<Vec2> vertices;
  bool is_straight = true;  // all of the ground
  double nearest_nu = 0;    // of all places where it bends; −∞: it is straight
  // From an end's foot to the vertex next to it.
  bool is_straight_before = false, is_straight_behind = false;

 private:
  // The ground below a line from foot to foot, kept: places above each other have the same one.
  struct Traced {
    const float* terrain = nullptr;
    Vec2 from, direction;
    double length_m = 0;
    std::vector<Vec2> ground;

    bool is_below(const TerrainView& other_terrain, const RooftopLine& line) const;
    void trace(const TerrainView& of_terrain, const RooftopLine& line);
  };
  // How a stretch of the ground between two of its points is cut: where it lies farthest, by its ν, above or below the
  // straight line.
  struct Stretch {
    std::size_t begin, end, farthest;
    double nu;
  };
  Stretch stretch_between(std::size_t begin, std::size_t end, double wavelength_m) const;
  // The ends of the stretches, from foot to foot.
  void cut(double wavelength_m);

  Traced traced_;
  std::vector<Stretch> stretches_;
};

}  // namespace tesseray
