// SPDX-License-Identifier: GPL-3.0-or-later
// Over-rooftop diffraction: the ray in the vertical plane over all roofs and crests between two points (paper 002,
// §2.6; docs/physics.md §6).
//
// The loss is that of absorbing screens, exact for the paraxial wave, at the edges that obstruct. A screen knows
// neither polarisation nor steep angles: an edge over which the ray bends by more than 15° has its factor replaced by
// that of the lossy wedge (UTD) it is.
#pragma once

#include <optional>
#include <vector>

#include "core/physics/complex.h"
#include "core/propagation/ray_launcher.h"
#include "core/propagation/rooftop_bends.h"
#include "core/propagation/rooftop_profiles.h"
#include "core/scene/prism_index.h"

namespace tesseray {

// The image of an antenna in the ground before it.
struct PlaneImage {
  Vec3 point;
  Vec3 normal;  // unit, of the ground
};

struct RooftopPath {
  std::vector<Vec3> edges;  // over which the ray goes, from the transmitter on
  Vec3 departure, arrival;  // unit, of travel on the first and the last leg
  double length_m = 0;      // over the edges
  // Field at the end over the one in free space at the straight distance, with phase against the straight line:
  // across the vertical plane (horizontal polarisation) and in it (vertical).
  Complex horizontal, vertical;
  // The way by the ground before the first edge, where there is one (RooftopBends::image_ratio).
  struct ByGround {
    PlaneImage image;
    Complex ratio;
  };
  std::optional<ByGround> by_ground;
};

// `direction`: unit, of the vertical plane. REQUIRES: the ground reflects.
PlaneImage image_in(const GroundBeforeEdge& ground, Vec3 antenna, Vec2 direction);

// The path over the edges at which a ray bends. REQUIRES: bends.outcome is `found`.
void follow_bends(Vec3 from, Vec3 to, const RooftopBends& bends, RooftopPath& path);

class OverRooftopPaths {
 public:
  // Keeps a reference to the scene.
  explicit OverRooftopPaths(const Scene& scene) : index_(scene), profiles_(scene, index_) {}

  struct Workspace {
    ProfileMemory memory;
    RooftopBends bends;
  };

  // False when there is no such ray (RooftopBends::Outcome::none). REQUIRES: the method is not `none`.
  bool find(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
            RooftopPath& path) const;

  // What roofs near the straight line, mostly just below it, leave of the field.
  struct LeftByRoofs {
    Complex factor{1, 0};  // over the field of free space, with phase against that line
    Vec3 first_edge;       // that takes something; the target where none does
  };
  // By the exact integral over screens. Not the terrain: in sight it is below.
  LeftByRoofs left_in_sight(const RooftopRays& rays, const RooftopTarget& target, Workspace& work) const;

  // Whether no roof stands in the way of two points, but for what stands within a roof's gap of the second one.
  bool is_clear_of_roofs(Vec3 from, Vec3 to, Workspace& work) const;

  // Whether roofs or terrain stand in the way of two points over the curved earth that see each other over a flat one.
  bool is_beyond_horizon(Vec3 from, Vec3 to, Workspace& work) const;

  // The height of the roof that a point stands over; −∞ over the ground.
  double roof_below(Vec3 point) const;

  const RooftopSceneView& view() const { return profiles_.view(); }

 private:
  PrismIndex index_;
  RooftopProfiles profiles_;
};

}  // namespace tesseray
