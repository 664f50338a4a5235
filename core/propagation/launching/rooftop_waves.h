// SPDX-License-Identifier: GPL-3.0-or-later
// The waves from one antenna over roofs and along the ground, and what these leave of the waves that go straight
// (paper 002, §2.6; docs/physics.md §6). Internal to core/propagation.
//
// A wave over the roofs comes in as if from a level edge across its plane at the last roof: upwards it spreads from
// there, and sideways from the transmitter, at the distance that it has gone. A reflection at a tile is launched from
// that edge.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/physics/fresnel.h"
#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/rays/local_mean.h"
#include "core/propagation/rays/virtual_source.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/tubes/left_along_edge.h"
#include "core/propagation/tubes/left_of_ray.h"

namespace tesseray {

class BuildingTransmission;

// How the antenna's rays go straight: by what solid scene, and through which building, if any.
struct StraightWay {
  const Occlusion& occlusion;
  Mechanism mechanism;  // of what arrives
  InteractionChain chain;
  const BuildingTransmission* building;  // passed by walls and metres; nullptr: in the air
};

// Roofs and ground take half of the amplitude and more where they hide the antenna; what hides it otherwise, all.
inline constexpr double most_left_of_hidden = 0.6;
// Places on walls and edges are asked for so much in the air, so that their own walls are none in the way; less than
// what tells an edge's own roof from others.
inline constexpr double before_roofs_in_air_m = 0.005;

struct RooftopWave {
  RooftopPath path;
  Vec3 end;
  VirtualSource source;  // the last edge
  ComplexVec3 strength;
  double departure_gain = 1;
  double vegetation = 1;  // factor of the amplitude on all legs up to the last edge; not in `strength`
};

class RooftopWaves {
 public:
  using Workspace = OverRooftopPaths::Workspace;

  // Keeps a reference.
  explicit RooftopWaves(const LaunchSetting& setting);

  StraightWay way_in_air() const { return {environment_.occlusion, Mechanism::direct, {}, nullptr}; }

  // Deygout's method takes too much from many roofs at grazing to be asked in sight.
  bool screens_count_in_sight() const {
    return setting_.goes_over_rooftops() && environment_.options.over_rooftop == OverRooftop::screens;
  }
  bool roofs_count_in_sight(const StraightWay& way) const {
    return way.building == nullptr && screens_count_in_sight();
  }
  // sight_along_ground.cpp: whether uneven ground is asked at all.
  bool uneven_ground_counts_in_sight() const;
  // Whether the ground reflects to every receiver over it, and to every wall, as a whole, not by its tiles.
  bool ground_reflects_as_a_whole(const StraightWay& way) const {
    return way.building == nullptr && uneven_ground_counts_in_sight();
  }

  // Whether nothing is in the way that goes by a ground tile's plane to a target.
  bool sees_reflection_on_tile(const StraightWay& way, std::uint32_t ground, Vec3 target) const;

  // rooftop_waves.cpp: what a search over the roofs asks.
  RooftopRays search_rays() const;
  RooftopTarget target_at(std::uint32_t number, Vec3 point) const;
  // The same of what goes straight to where the number's rays arrive: to a wall, too, it comes over the ground.
  RooftopTarget target_in_sight(std::uint32_t number) const;
  // False when there is none.
  bool find(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const;
  // The same over parts with air below, which are no screens: where no other roof is in the way.
  bool find_over_parts_in_air(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const;
  // The wave along wave.path, or, where a part with air below stands in that way, over it; false when nothing is left
  // of it. However weak it is, it arrives: only what goes on from an element is held against MIN_POWER. Vegetation on
  // the way to a point in sight is not in it.
  bool complete(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const;
  // Over the last edge of a path, as of a screen alone.
  Complex behind_last_edge(const RooftopPath& path, Vec3 point) const;

  // Of the plane that reflects what comes from the last edge to a target over the ground: that of the tile below, or,
  // where it bends away from a crest, the one along which the wave runs from there. None over no ground.
  Vec3 ground_normal_behind(const RooftopWave& wave, std::uint32_t number) const;
  // What the wave that goes by way of the ground below a target has of the one that comes straight from the last edge:
  // it bends farther down there. `normal`: of the ground.
  LeftOfRay left_by_way_of_ground(const RooftopWave& wave, std::uint32_t number, Vec3 normal) const;
  // Of what comes from the last edge to a target by way of the ground below: where it leaves the edge, and is reflected
  // in the plane from there to the foot. REQUIRES: the number stands over the ground.
  struct WayByGroundBelow {
    Vec3 edge, place;
  };
  WayByGroundBelow way_by_ground_below(const RooftopWave& wave, std::uint32_t number) const;

  // What roofs leave of a way in sight to a point of a number; of what the ground reflects to where its rays arrive,
  // which ends at the target's image.
  LeftOfRay left_by_roofs(const StraightWay& way, std::uint32_t number, Vec3 point, Workspace& work) const;
  LeftOfRay left_of_companion(const StraightWay& way, std::uint32_t number, Workspace& work) const;

  // sight_along_ground.cpp: what comes to a target in sight near uneven ground; false elsewhere.
  // Not `with_roofs`: as if there were none, which is right through a building, where waves go below them.
  bool find_along_ground(bool with_roofs, const RooftopTarget& target, Workspace& work, RooftopWave& wave) const;
  // Of the straight ray's field, whatever its polarisation.
  LeftOfRay left_along_ground(const RooftopWave& wave) const;
  // What the ground right before a target reflects of that wave, of which the straight ray has what is `left`: over the
  // straight ray's field, as it comes there. REQUIRES: find_along_ground() was the last search of `work`, likewise.
  Complex reflected_along_ground(bool with_roofs, const RooftopTarget& target, LeftOfRay left, Workspace& work) const;
  // The same of the ray to a tile near uneven ground, with the wave that runs along that; none elsewhere.
  std::optional<LeftOfRay> left_near_ground(const StraightWay& way, std::uint32_t element, Workspace& work,
                                            RooftopWave& wave) const;
  // sight_of_edges.cpp: what roofs and uneven ground near the lines of sight leave along an edge segment.
  struct LeftOfEdge {
    struct Place {
      double z_m = 0;           // from the midpoint on
      TurningField factor;      // of the field of free space
      Complex reflected{0, 0};  // by the ground right before the edge, where the wave runs along it
      TurningField by_ground;   // of what a plane of the ground reflects to there, by roofs
      bool runs_along_ground = false, near_roofs = false;
      bool is_hidden = false;  // by something else
      bool is_free() const { return !(runs_along_ground || near_roofs || is_hidden); }
      bool is_free_by_ground() const { return by_ground.steady.re == 1 && by_ground.steady.im == 0; }
    };
    std::vector<Place> places;  // ascending; none where nothing comes near
  };
  // By a way. `another_part`: where that is the way through a building, what is seen in the air is not of it.
  enum class SeenOfEdge { middle, another_part };
  // Whether the antenna sees an end at least, or, through a building, the middle.
  bool sees_a_part(const StraightWay& way, std::uint32_t element, Workspace& work) const;
  // Whether both ends are beyond the smooth earth's horizon.
  bool is_beyond_horizon(std::uint32_t edge, Workspace& work) const;
  void find_left_of_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, Workspace& work,
                         RooftopWave& wave, LeftOfEdge& left) const;
  // Where uneven ground reflects what comes along it. REQUIRES: the number stands over the ground.
  Vec3 place_along_ground(const RooftopWave& wave, std::uint32_t number) const;
  // What uneven ground reflects to a number over it or to a wall, as a plane from the antenna's foot to the one of the
  // number would: of that, the plane, and where. With `along_ground`, the wave along the ground of which `left` is what
  // the straight ray has, it is the rest. Roofs near the straight line leave of both ways what `by_roofs` says; without
  // it they hide ground as they would from light.
  struct LeftOfBothWays {
    LeftOfRay straight, by_ground;
  };
  struct GroundBelowSight {
    LeftOfRay left;
    Vec3 normal, place;
    WaveAlongGround along_ground;    // that reflection with the straight ray
    bool has_all_of_ground = false;  // OverRooftopPaths::Workspace
  };
  std::optional<GroundBelowSight> ground_below_sight(const StraightWay& way, std::uint32_t number, LeftOfRay left,
                                                     const RooftopWave* along_ground,
                                                     const std::optional<LeftOfBothWays>& by_roofs,
                                                     Workspace& work) const;

  // rooftop_departure.cpp: what departs to a number in sight at a point, of which roofs leave what they do, with the
  // reflection of the ground before the roofs; none where no roof comes near the way from there.
  std::optional<Link::Departure> departure_with_ground(const StraightWay& straight_way, const Link::Departure& straight,
                                                       std::uint32_t number, Vec3 point, LeftOfRay left,
                                                       Workspace& work) const;

 private:
  bool complete_over(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const;
  // What vegetation leaves along all of a path: the factor of the amplitude.
  double vegetation_over(const RooftopPath& path) const;
  bool sees_place(const StraightWay& way, const EdgeSegment& edge, double z_m) const;
  bool is_beyond_horizon(const EdgeSegment& edge, double z_m, Workspace& work) const;
  // Which of both ways to a place of an edge are asked; what the place has of the other stays.
  struct AskedOfEdge {
    bool straight = false, by_ground = false;
  };
  void ask_at_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, AskedOfEdge asked, Workspace& work,
                   RooftopWave& wave, LeftOfEdge::Place& place) const;
  void ask_straight_to_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, Workspace& work,
                            RooftopWave& wave, LeftOfEdge::Place& place) const;
  // The factor of the amplitude that a building leaves on the way to a place of an edge that is seen in part, over what
  // it does to the middle.
  double left_by_building_over_middle(const StraightWay& way, const EdgeSegment& edge, SeenOfEdge seen,
                                      double z_m) const;
  // What roofs leave of what level ground below an upright edge reflects to a place of it.
  TurningField left_by_ground_to_edge(std::uint32_t element, Vec3 place, Workspace& work) const;
  // What they leave to a target in sight, or to its image in the ground.
  TurningField turning_past_roofs(const OverRooftopPaths::FieldPastRoofs& left) const;
  Vec3 ground_normal_behind(const RooftopPath& path, Vec3 target, Vec3 centroid, Vec3 normal) const;
  LeftOfRay left_of_way(OverRooftopPaths::WayInSight way, const RooftopTarget& target, Workspace& work) const;

  // rooftop_departure.cpp: what departs over the roofs, at 1 m and without phase as Link::Departure: with what comes by
  // way of the ground, where the antenna stands over it and roofs do not hide that.
  // From the antenna by way of the ground to a point.
  struct GroundWay {
    Vec3 place;               // of the reflection
    Vec3 departure, arrival;  // unit, of travel before and after it
    Vec3 normal;              // of the ground
    double longer_m = 0;      // than the straight way to the point
    Complex factor;           // over what goes straight, but for the reflection and the phase of the longer way
  };
  GroundWay way_from_image(const PlaneImage& image, Vec3 to) const;
  // The same along a way by the ground.
  double vegetation_by_ground(const GroundWay& way, Vec3 to) const;
  // What goes straight along a direction and by way of the ground, together; `in_step`: how far, 0 … 1. The gain
  // is that of the pattern over what both would bring without one.
  Link::Departure with_ground_way(const Link::Departure& straight, Vec3 direction, const GroundWay& way,
                                  double in_step) const;
  // Whether the antenna sees the ground where it reflects what comes over an edge to a point.
  bool sees_ground_behind(const StraightWay& straight_way, Vec3 edge, const PlaneImage& image, Vec3 point) const;
  // By way of the ground to the first edge of a path; none where it brings next to nothing.
  std::optional<GroundWay> way_before_roofs(Vec3 target, const RooftopPath& path, Workspace& work) const;
  // To that edge, straight and by that way.
  Link::Departure departure_towards_roofs(const Link::Departure& straight, const RooftopPath& path,
                                          const std::optional<GroundWay>& by_ground) const;

  // rooftop_waves.cpp: the wave's factors become such that all its ways together, by the ground before the first edge
  // and behind the last one, are the wave along the ground where that is known as a whole: over the smooth earth, and
  // behind crests.
  void follow_ground(const RooftopTarget& target, const std::optional<GroundWay>& by_ground, Workspace& work,
                     RooftopWave& wave) const;
  // `in_step`: as far as the reflection behind the last edge is, behind crests, 0 … 1.
  WaveOverGround whole_wave_over_ground(const RooftopRays& rays, const RooftopTarget& target,
                                        std::span<const Vec2> over, double in_step, Workspace& work) const;
  // What has departed for a path, at its target, with the phase that rays of such a length do not have.
  ComplexVec3 field_over(const RooftopPath& path, const ComplexVec3& departing, Vec3 target, double length_m) const;
  // What the ground behind the last edge reflects to a target, as a plane.
  struct ReflectionBehind {
    FresnelCoefficients at_ratio_one;  // over what comes straight from the edge, but for:
    Complex ratio;                     // of what comes to the target's image to what comes to itself
    double phase = 0;                  // of its longer way
    // Unit: of travel straight to the target and by way of the ground, and the ground's normal.
    Vec3 direction, arrival, normal;
    bool reflects = false;        // the edge stands above the plane
    double horizontal_share = 0;  // of the power that comes to the plane
  };
  ReflectionBehind reflection_behind(const RooftopTarget& target, const RooftopWave& wave) const;

  // ground_beside_roofs.cpp: the wave, and its field at the target, become those of one that has run along uneven
  // ground before the first roof and behind the last one, where there is such ground, and not over crests there.
  void follow_ground_beside_roofs(const RooftopTarget& target, Workspace& work, RooftopWave& wave,
                                  ComplexVec3& field) const;
  struct GroundBesideRoofs {
    std::vector<bool> is_crest;  // by edge of the path
    std::size_t first_roof = 0, last_roof = 0;
    ReflectionBehind by_plane;
    // Either end's ground, where it is to count.
    const OverRooftopPaths::GroundUpToRoof *before = nullptr, *behind = nullptr;
  };
  struct BesideGround {
    ComplexVec3 field;
    Complex target_image_ratio;
  };
  std::optional<BesideGround> beside_ground(const RooftopTarget& target, const RooftopWave& wave,
                                            const GroundBesideRoofs& ground, Workspace& work) const;
  static BesideGround between(const BesideGround& first, const BesideGround& second, double share);
  // With which a wave and its reflection in the plane behind the last roof bring to a target what they do over uneven
  // ground, of which `ratio` is that of the images. `normal`: of the ground below the target.
  struct AsByPlane {
    Complex ratio;         // of the images
    double amplitude = 1;  // of the wave
  };
  AsByPlane as_by_plane(const ReflectionBehind& by_plane, const OverRooftopPaths::GroundUpToRoof& ground, Complex ratio,
                        Vec3 target, Vec3 normal) const;
  // `ratio`: of what comes from there over the edge to what comes from the antenna.
  GroundWay way_up_to_roof(const OverRooftopPaths::GroundUpToRoof& ground, Vec3 edge, Complex ratio) const;

  // Of what is reflected on the ground, along `direction`, with a factor besides the ground's coefficients.
  FresnelCoefficients reflected_by_ground(Vec3 direction, Vec3 normal, Complex factor) const;

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  const Link& link_;
  const InteractionLimits& limits_;
  const VegetationLoss& vegetation_;
  const LaunchView& view_;
  std::vector<Complex> permittivities_;  // by material of the scene
  std::uint32_t roof_;                   // that the transmitter stands over, by its number; no_roof over the ground
};

// Where a ray over the roofs whose last leg ends at a target leaves the antenna, as it is drawn: the place on one edge
// lies towards where it goes next, those on several are the path's. Unit.
Vec3 departure_over_rooftops(const Tiling& tiling, Vec3 antenna, const FirstLevelRecord::FirstEdge& first,
                             const InteractionChain& chain, Vec3 target);

}  // namespace tesseray
