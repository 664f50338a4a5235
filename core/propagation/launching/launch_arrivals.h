// SPDX-License-Identifier: GPL-3.0-or-later
// What one launch's rays bring to their targets: the sums, and single rays where they are wanted. Internal to
// core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/ray_legs.h"
#include "core/propagation/launching/rays_by_ground.h"
#include "core/propagation/launching/scattered_rays.h"
#include "core/propagation/launching/target_sums.h"
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/ground_pairs.h"
#include "core/propagation/rays/wideband.h"
#include "core/propagation/scattering/scattered_sums.h"
#include "core/propagation/tubes/ray_ending.h"
#include "core/propagation/tubes/recorded_ray.h"

namespace tesseray {

// A ray's end at a receiver, kept to tell what its steps took.
struct KeptEnding {
  VirtualSource source;
  ComplexVec3 strength;
  double departure_gain;
  VegetationAtTarget attenuation;
  Vec3 ground_normal;
  std::optional<Vec3> ground_place;
  ArrivedRay ray;
};

// What the rays of one thread bring.
struct ThreadArrivals {
  TargetSums<ArrivalSums> sums;  // tiles, then receivers
  WidebandTable wideband;        // of the same targets, where it is wanted
  std::vector<RecordedRay> recorded;
  std::vector<RaysWithoutPower> without_power;  // per receiver, where rays are recorded
  PairableRays pairable;                        // at receivers, where the mean is summed
  RaysByGround by_ground;                       // at receivers, not yet arrived
  std::vector<KeptEnding>* endings = nullptr;   // where they are asked for
  ScatteredWays scattered_ways;
  TargetSums<ScatteredSums> scattered_sums;  // tiles, then receivers; what edges diffract
};

class LaunchArrivals {
 public:
  // What sums take at each target: those of one thread, or the result's.
  static std::uint64_t bytes_per_target(const RayLaunchingOptions& options);
  // The same at each receiver besides.
  static std::uint64_t bytes_per_receiver(const RayLaunchingOptions& options);
  // What all threads keep of rays at each receiver, about.
  static std::uint64_t bytes_of_kept_rays_per_receiver(const RayLaunchingOptions& options);

  // Keeps references to both, and marks in the record what the ground below receivers reflects to them.
  LaunchArrivals(const LaunchSetting& setting, FirstLevelRecord& record);

  ThreadArrivals& of_thread() { return threads_.local(); }

  // arrival.cpp: one ray at one target, with its ground-reflected companion at ground tiles. REQUIRES: the ray has not
  // been scattered.
  void arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& state);

  // ground_at_targets.cpp: the direct ray to a wall once more, reflected in a plane of the ground before that.
  // REQUIRES: it has that plane's normal; `ground` is a tile of it.
  void arrive_by_ground_before(const RayEnding& ending, std::uint32_t ground, std::uint32_t wall,
                               ThreadArrivals& state);

  // wideband_rays.cpp: where a ray leaves the antenna. `number`: of the target, or of the tile that scatters it, at the
  // point `target`.
  Vec3 departure_direction(const InteractionChain& chain, std::uint32_t number, Vec3 target) const;

  // What all threads have so far at tiles.
  std::vector<FixedPointSum> gain_sums() const;
  std::vector<double> gains_so_far() const;
  // The part of the tiles that have direct rays. REQUIRES: tiles are targets.
  double share_in_sight() const;

  // At receivers, what tiles of the ground reflect of rays that have not arrived themselves, and all that has, with
  // what pairs of rays bring to receivers: into the result's tiles, receivers, wideband and rays without power; and the
  // rays and ways that were kept of it. No ray arrives any more.
  struct Kept {
    std::vector<RecordedRay> recorded;
    std::vector<ScatteredWay> ways;
  };
  Kept take_all(RayLaunchingResult& result);

 private:
  void add_arrival(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadArrivals& state);
  // The same of one that comes with no other.
  void add_arrived(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadArrivals& state);
  // Of a ray at a receiver, by what nothing is left of it.
  void count_without_power(const RayEnding& ending, const ArrivedRay& ray, RaysWithoutPower& counts) const;
  PairableRay as_pairable(const RayEnding& ending, const ArrivedRay& arrived, Complex phased,
                          std::uint32_t receiver) const;
  // The same for chains that differ by reflections on the ground in their last part alone.
  std::uint64_t way_of(const InteractionChain& chain) const;
  // Adds what pairs of them bring to receivers.
  void pair_rays(std::span<ArrivalSums> receivers);
  std::vector<ArrivalSums> sums_of_threads() const;
  std::vector<RaysWithoutPower> rays_without_power_of_threads() const;

  // ground_at_targets.cpp
  // Whether the plane of the ground below a receiver reflects a ray rather than tiles: one from an edge so low over
  // that plane that no tile stands for the reflection, which all but cancels it, or from a crest: there each tile has a
  // last crest of its own, and several would reflect the same wave; or one straight through a building, which may hide
  // the tiles that would reflect it.
  bool arrives_along_ground(const RayEnding& ending, std::uint32_t number) const;
  // A ray at a receiver, reflected once more at the plane of the ground below.
  void arrive_by_ground(const RayEnding& ending, std::uint32_t receiver_number, ThreadArrivals& state);
  // Whether a ray to a receiver goes on to it from the ground once more, `ground` below it.
  bool is_reflected_below(const RayEnding& ending, std::uint32_t ground) const;
  // Whether the plane of the ground around a receiver reflects rays of a chain to it, not tiles: over uneven ground
  // those from walls and upright edges, since of several tiles tilted against that plane each would reflect the same
  // wave, or none.
  bool is_of_ground_around(const InteractionChain& chain) const;
  // Whether it does so with this ray, as one of its own.
  bool is_reflected_around(const RayEnding& ending, std::uint32_t number) const;
  // What the reflection on the ground below a receiver brings with a ray where it is no ray of its own: since the
  // middles of elements missed it, or it was drawn by chance. Then either may be drawn without the other, and what two
  // rays in step bring together is not the mean of what each does.
  BroughtByCompanion brought_by_reflection_below(const RayEnding& ending, const ArrivedRay& arrived,
                                                 std::uint32_t receiver) const;
  // A bounced ray to a receiver, its companion with what vegetation leaves of that on its own legs, by way of the plane
  // of a ground tile. Followed as all rays are, from element to element (docs/physics.md §8), it differs from the ray
  // in the one leg on which it meets the plane.
  RayEnding with_vegetation_by(std::uint32_t ground, const RayEnding& ending, std::uint32_t number) const;
  // How the plane of the ground around reflects a ray's companion to a receiver. False where it does not.
  bool find_way_by_ground(const RayEnding& ending, std::uint32_t ground, std::uint32_t number, WayByPlane& way) const;
  // Whether no building is in the way of what that plane reflects of a ray that an upright edge, or a wall, sends.
  bool is_free_by_ground_around(const RayEnding& ending, std::uint32_t number) const;
  bool is_free_around_corner(const RayEnding& ending, std::uint32_t ground, std::uint32_t number) const;
  bool is_free_behind_wall(const RayEnding& ending, std::uint32_t ground, std::uint32_t number) const;
  // Whether a ray that meets level ground there is sent on by a tile.
  bool is_sent_by_tile(Vec3 place) const;
  // Whether level ground reflects a ray from a wall or a roof to a receiver where it has no tile, which would send it.
  bool is_reflected_without_tile(const RayEnding& ending, std::uint32_t number) const;
  // Where a ray that the ground reflects on its way to a receiver meets the plane of a tile; nothing where something is
  // in its way.
  std::optional<Vec3> place_in_plane_of(std::uint32_t ground, const RayEnding& ending, std::uint32_t number) const;
  // The ground tile that reflects a ray last on its way to a receiver over the tile `ground`; no_index where none does,
  // or something is in the way.
  std::uint32_t reflecting_ground(const RayEnding& ending, std::uint32_t ground, std::uint32_t number) const;
  // Whether a ray at a receiver is the reflection of another ray, which has its own where it arrives: with it, or as a
  // ray that a plane reflects.
  bool comes_with_another(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number) const;
  // What is to be known of such a ray by tiles until it is known whether the other one arrives.
  RayByGround as_ray_by_ground(const RayEnding& ending, std::uint32_t number) const;
  // Those of which no other arrives.
  void arrive_by_ground_alone();

  // wideband_rays.cpp
  WidebandTable empty_wideband_table() const;
  Vec3 departure_direction(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number) const;
  void add_wideband(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadArrivals& state) const;

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  const Link& link_;
  const LaunchView& view_;
  const RayLegs ray_legs_;
  std::vector<std::uint16_t>& reached_over_rooftops_;  // FirstLevelRecord
  const std::vector<FirstLevelRecord::FirstEdge>& first_edges_;
  tbb::enumerable_thread_specific<ThreadArrivals> threads_;
};

}  // namespace tesseray
