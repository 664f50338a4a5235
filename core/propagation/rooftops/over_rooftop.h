// SPDX-License-Identifier: GPL-3.0-or-later
// Over-rooftop diffraction: the ray in the vertical plane over all roofs and crests between two points (paper 002,
// §2.6; docs/physics.md §6).
//
// The loss is that of absorbing screens, exact for the paraxial wave, at the edges that obstruct. A screen knows
// neither polarisation nor steep angles: an edge over which the ray bends by more than 20° has its factor replaced by
// that of the lossy wedge (UTD) it is, one by 10 to 20° by some of both (roof_edge.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/infinity.h"
#include "core/physics/complex.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/propagation/rooftops/grazed_ground.h"
#include "core/propagation/rooftops/ground_near_sight.h"
#include "core/propagation/rooftops/parts_in_air.h"
#include "core/propagation/rooftops/rooftop_bends.h"
#include "core/propagation/rooftops/rooftop_profiles.h"
#include "core/propagation/rooftops/smooth_ground.h"
#include "core/propagation/rooftops/terrain_reflection.h"
#include "core/scene/ground_plan/prism_index.h"

namespace tesseray {

// The image of an antenna in the ground before it.
struct PlaneImage {
  Vec3 point;
  Vec3 normal;  // unit, of the ground
};

struct RooftopPath {
  std::vector<Vec3> edges;  // over which the ray goes, from the transmitter on
  Vec3 departure, arrival;  // unit, of travel on the first and the last leg
  // To the first edge's Keller point, beside the plane where that meets it at an angle: unit.
  Vec3 departure_to_keller_point;
  double length_m = 0;  // over the edges
  // Field at the end over the one in free space at the straight distance, with phase against the straight line:
  // across the vertical plane (horizontal polarisation) and in it (vertical).
  Complex horizontal, vertical;
  // The way by the ground before the first edge, where there is one (RooftopBends::transmitter_image_ratio).
  struct ByGround {
    PlaneImage image;
    Complex ratio;
  };
  std::optional<ByGround> by_ground;
  std::optional<Complex> target_image_ratio;  // RooftopBends::runs_along_ground
  // To a point in sight near uneven ground: it departs straight, and is as long as the straight way.
  bool is_in_sight = false;
  bool passes_roofs = true;         // or, above them or through one, the ground alone
  bool is_straight_behind = false;  // the ground, from the last edge to the target's foot
  bool meets_roofs = true;          // or its edges are all the ground's; only in sight
};

// `direction`: unit, of the vertical plane. REQUIRES: the ground reflects.
PlaneImage image_in(const GroundBeforeEdge& ground, Vec3 antenna, Vec2 direction);

// The path over the edges at which a ray bends. REQUIRES: bends.outcome is `found`.
void follow_bends(Vec3 from, Vec3 to, const RooftopBends& bends, RooftopPath& path);

class OverRooftopPaths {
 public:
  // Keeps a reference to the scene.
  explicit OverRooftopPaths(const Scene& scene);

  struct Workspace {
    ProfileMemory memory;
    RooftopBends bends;
    GroundNearSight ground;  // of the ray asked for last
    TerrainReflection reflection;
    GrazedGround grazed_ground;
    // What uneven ground reflects of either polarisation, where the ray has it: over the direct ray's field.
    Complex reflected_horizontal, reflected_vertical;
    bool has_all_of_ground = false;  // the reflection: what the ground's own field sends on, too
  };

  // False when there is no such ray (RooftopBends::Outcome::none). REQUIRES: the method is not `none`.
  bool find(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
            RooftopPath& path) const;

  // What roofs near the straight line, mostly just below it, leave of the field (roofs_in_sight.cpp).
  struct FieldPastRoofs {
    Complex factor{1, 0};                       // over the field of free space, with phase against that line
    std::optional<Vec3> first_edge, last_edge;  // that come near, if any
    bool is_one_edge = false;                   // that does
    double detour_m = 0;                        // of the shortest way over all that rise above the line
  };
  enum class WayInSight {
    straight,
    by_ground,  // from or to an image in the ground: unfolded where the line crosses it
  };
  // By the exact integral over screens. Not the terrain: in sight it is below. Where `rays` may reflect on the ground,
  // a roof and its image in it are a strip: the wave passes below it, too, so that a low roof takes nothing.
  FieldPastRoofs left_in_sight(const RooftopRays& rays, const RooftopTarget& target, WayInSight way,
                               Workspace& work) const;

  // waves_along_ground.cpp, as far as wave_behind_crests(). To a point in sight: false where no uneven ground comes
  // near the straight line. Elsewhere the wave runs along that ground as it does over crests; by the exact integral
  // over screens.
  bool find_along_ground(const RooftopRays& rays, const RooftopTarget& target, bool with_roofs, Workspace& work,
                         RooftopPath& path) const;

  // What uneven ground, where roofs (if they do) do not hide it, reflects to the same point (work.reflected_…, and
  // work.reflection where): all that the wave has of the ground. False where it is straight. REQUIRES: the target
  // stands over the ground, and find_along_ground has been asked for the same ray.
  bool find_reflection(const RooftopRays& rays, const RooftopTarget& target, bool roofs_hide, Workspace& work) const;

  // The wave along the smooth earth to a target over the ground, where that is smooth and no roof comes near the way.
  // `over`: as of share_of_smooth_ground.
  WaveOverGround wave_over_earth(const RooftopRays& rays, const RooftopTarget& target, std::span<const Vec2> over,
                                 Workspace& work) const;

  // The wave along uneven ground to a target that stands over it just behind a crest, by the integral equation as in
  // sight, where no roof comes near the way: what it lights is part of it, and it has no step at the horizon. `over`:
  // as above.
  WaveOverGround wave_behind_crests(const RooftopRays& rays, const RooftopTarget& target, std::span<const Vec2> over,
                                    Workspace& work) const;

  // Uneven ground on the way from `end`, an end of rays over the roofs, up to the roof edge next to it
  // (ground_beside_roofs.cpp): what it reflects there, where no other roof comes near the way.
  struct GroundUpToRoof {
    double share = 0;  // of it, 0 … 1: none where the ground reflects as a plane or hides the edge
    // Over the field that comes straight, with phase against it; of polarisations asked for.
    Complex horizontal, vertical;
    Vec3 place;                // that reflects, or over which the wave runs
    double longer_m = 0;       // the way by it than the straight one
    double image_below_m = 0;  // how far below the end its image is seen from the edge; at least 0
  };
  GroundUpToRoof ground_up_to_roof(const RooftopRays& rays, Vec3 end, Vec3 edge, Workspace& work) const;

  // What roofs in sight leave of what uneven ground before or behind them reflects to the target: of the way over them
  // from or to the image in the ground that comes nearest to the straight way. No share where that is not what
  // reflects, or stands among roofs. REQUIRES: find_reflection() was the last search of `work`.
  struct LeftOfReflection {
    double share = 0;
    Complex factor;
  };
  LeftOfReflection left_of_reflection(const RooftopRays& rays, const RooftopTarget& target, Workspace& work) const;

  // As find(), by the exact integral over screens, over roofs and no ground but those crests, as points of a profile;
  // with images as `ends` says, of which work.bends has the ratios. False where no roof comes near the straight line.
  bool find_over_roofs(const RooftopRays& rays, const RooftopTarget& target, std::span<const Vec2> crests,
                       const rooftop_detail::GroundAtEnds& ends, Workspace& work, RooftopPath& path) const;

  // What roofs leave of what the ground reflects from an antenna to a point that it sees: each alone, of which the one
  // that takes most counts, as a strip about the straight line from the antenna's image. The wave passes above it, and
  // below, which is above it on the other side of the ground. Over the field without roofs, with its phase.
  Complex left_beside_strips(const PlaneImage& image, Vec3 antenna, Vec3 to, double wavelength_m,
                             Workspace& work) const;

  // Whether roofs or terrain stand in the way of two points over the curved earth that see each other over a flat one.
  bool is_beyond_horizon(Vec3 from, Vec3 to, Workspace& work) const;

  // Whether a part of a building with air below, which is no screen, stands in the way over a path's edges.
  bool meets_part_in_air(Vec3 from, const RooftopPath& path, Vec3 to) const;
  // As find(), with such parts as if they stood on the ground: over them. False below them.
  bool find_over_parts_in_air(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
                              RooftopPath& path) const;

  // The height of the roof that a point stands over; −∞ over the ground.
  double roof_below(Vec3 point) const;
  // The number of the roof (ProfileEdge::roof) that an end of rays stands over, or before whose wall it is right: that
  // is in no way over the roof there. no_roof elsewhere.
  std::uint32_t roof_at(Vec3 end) const;

  bool is_ground_level() const { return is_ground_level_; }

  const RooftopSceneView& view() const { return profiles_.view(); }
  const PrismIndex& index() const { return *index_; }  // of the scene

 private:
  // Where the ground reflects what find_reflection() has found; or, where the ends see no ground, the place that comes
  // nearest to the straight way between them.
  static Vec2 reflecting_place(Vec2 from, Vec2 to, double wavelength_m, const Workspace& work);
  // Of the way from the image at the ground's place of reflection, before all roofs, to the target.
  Complex left_from_reflection(const RooftopRays& rays, const RooftopTarget& target, Vec3 place, Workspace& work) const;
  struct RoofBelow {
    double z = -infinity;
    std::uint32_t number = no_roof;
  };
  RoofBelow find_roof_below(Vec3 point) const;
  // By how far roofs are below the way over `over`: 0 … 1.
  double share_without_roofs(const RooftopRays& rays, const RooftopTarget& target, std::span<const Vec2> over,
                             Workspace& work) const;

  OverRooftopPaths(const Scene& scene, std::shared_ptr<const PrismIndex> index, BelowParts below);

  std::shared_ptr<const PrismIndex> index_;
  RooftopProfiles profiles_;
  PartsInAir parts_in_air_;
  // As if these were solid down to the ground; nullptr where there are none.
  std::unique_ptr<const OverRooftopPaths> over_all_parts_;
  bool is_ground_level_;
};

}  // namespace tesseray
