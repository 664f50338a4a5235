// SPDX-License-Identifier: GPL-3.0-or-later
// Steps a to c of paper 000, III.E: the rays from the antenna itself, straight or over the roofs, where they arrive and
// the first tubes that go on. Internal to core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/corners_in_sight.h"
#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/rays/building_transmission.h"
#include "core/propagation/tubes/bounced_rays.h"
#include "core/propagation/tubes/tube.h"
#include "core/propagation/tubes/tube_groups.h"

namespace tesseray {

class FirstLevel {
 public:
  // Keeps references to all.
  FirstLevel(const LaunchSetting& setting, const RooftopWaves& waves, FirstLevelRecord& record,
             LaunchArrivals& arrivals);

  // `lit`: which of all numbers are, lit_as_…. To what is in sight, in a moment; then to all that is hidden.
  void launch_into_sight(std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress);
  void launch_to_hidden(const std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress);

  // With what a thread launches.
  struct ThreadState {
    ThreadArrivals& arrivals;
    OverRooftopPaths::Workspace rooftop_work = {};
    RooftopWave wave = {};
    RooftopWaves::LeftOfEdge left_of_edge = {};
  };
  ThreadState& of_thread() { return threads_.local(); }

  // Of one ray, as the launch does it: in the air, or through the nearest building. The latter REQUIRES options with
  // ray_losses, and the launch to what is hidden.
  StraightWay way_of(const InteractionChain& chain) const {
    return chain.through_building ? way_through_building() : waves_.way_in_air();
  }
  // What leaves the antenna straight to an element, and what is left of its amplitude there.
  struct FirstLeg {
    Link::Departure departure;
    LeftOfRay left;
    double building = 1, vegetation = 1;
  };
  FirstLeg first_leg(const StraightWay& way, std::uint32_t element, bool runs_along_ground, LeftOfRay left,
                     ThreadState& state);
  void go_on_from_antenna(const FirstLeg& leg, const StraightWay& way, std::uint32_t element,
                          std::vector<Tube>& tubes) const;
  // To the target of a number, near uneven ground or not.
  void arrive_in_sight(const StraightWay& way, std::uint32_t number, ThreadState& state);
  // The factor of the amplitude.
  double attenuation_of_building(const StraightWay& way, Vec3 to) const;

  // over_rooftop_rays.cpp: what a ray over the roofs may do at a number.
  struct RooftopUse {
    bool arrives = false, goes_on = false;
    bool any() const { return arrives || goes_on; }
  };
  // The wave to where that is evaluated, or to a tile that goes on with it, where the point over it is in sight.
  bool find_rooftop_wave(std::uint32_t number, RooftopUse use, ThreadState& state, RooftopWave& wave) const;
  void launch_rooftop_wave(const RooftopWave& wave, std::uint32_t number, RooftopUse use, ThreadState& state,
                           std::vector<Tube>& tubes);

 private:
  // REQUIRES: building_ is there.
  StraightWay way_through_building() const;
  // To all numbers that are not lit yet, which it marks.
  void launch_straight(const StraightWay& way, std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress);
  std::vector<std::uint32_t> elements_in_sight(const StraightWay& way, const std::vector<std::uint8_t>& lit) const;
  // What the elements of a block get: their tubes, and what is left along those that are edges.
  struct Launched {
    std::vector<Tube> tubes;
    std::vector<std::pair<std::uint32_t, LeftAlongEdge>> edges;  // with their place in LaunchView::left_along_edges
    std::vector<LeftAtPlace> places;
  };
  void launch_to_element(const StraightWay& way, std::uint32_t element, std::vector<std::uint8_t>& lit,
                         ThreadState& state, Launched& launched);
  void launch_to_edge(const StraightWay& way, std::uint32_t element, RooftopWaves::SeenOfEdge seen, ThreadState& state,
                      Launched& launched);
  void record(const Launched& launched);
  // To the view of the record, of all that is recorded.
  void show_left_along_edges();
  // launch_to(k, state, launched) for all k < count.
  template <class LaunchTo>
  void launch_to_all(std::size_t count, const LaunchTo& launch_to, TubeParts& tubes);
  // To edge segments whose middle is hidden, and an end or another segment of their upright edge is not; through a
  // building to what it alone hides of such segments, too. `seen`: elements, ascending.
  void launch_to_edges_seen_in_part(const StraightWay& way, const std::vector<std::uint32_t>& seen,
                                    std::vector<std::uint8_t>& lit, TubeParts& tubes);
  // To what the building nearest to the transmitter alone hides.
  void launch_through_building(std::vector<std::uint8_t> lit, TubeParts& tubes, Progress& progress);
  // What is left of a straight ray into sight, by uneven ground along which the wave runs (nullptr: there is none) and
  // by roofs.
  struct LeftOfStraight {
    LeftOfRay by_roofs;
    const RooftopWave* along_ground = nullptr;
    LeftOfRay by_ground;
    std::optional<RooftopWaves::LeftOfBothWays> both_by_roofs;  // over such ground, where roofs come near

    LeftOfRay together() const;
    // For single rays to a receiver. `straight`, `with_ground`: how the ray departs alone, and with the way from the
    // ground where that comes with it; `ground`: how that reflects where the wave does not run along it.
    LeftInSight at_receiver(const Link::Departure& straight, const Link::Departure& with_ground,
                            LeftInSight::Ground ground) const;
  };
  void arrive_straight(const StraightWay& way, std::uint32_t number, LeftOfStraight left, ThreadState& state);
  // What corners near the line of sight leave of the direct ray to a number, which it records.
  LeftOfRay left_by_corners(const StraightWay& way, std::uint32_t number);
  // To a target over uneven ground, whose wave is `wave`. The ground is as if no roof were there, and roofs leave what
  // they do in sight over a plane.
  void arrive_over_uneven_ground(const StraightWay& way, std::uint32_t number, RooftopWave& wave, ThreadState& state);
  void arrive_along_ground(const StraightWay& way, std::uint32_t number, const RooftopWave& wave, ThreadState& state);
  // To a point of a number in sight. Where roofs come near the way from the ground, that is with it; and marked so
  // (`as`: with_ground_as_…) where the ground's tiles would send it, too.
  Link::Departure departure_into_sight(const StraightWay& way, const Link::Departure& straight, std::uint32_t number,
                                       std::uint8_t as, Vec3 point, LeftOfRay left, ThreadState& state);
  // Of a number in sight. Roofs near the line stand for the diffractions at their edges there, as those in its way do
  // elsewhere.
  void mark_lit(const StraightWay& way, std::uint32_t number, std::uint8_t as, std::vector<std::uint8_t>& lit);
  // Of a number in sight, so that what the one edge diffracts that comes near does not count besides:
  // past_one_edge_as_….
  void mark_edge_near(std::uint32_t number, LeftOfRay left, std::uint16_t as);
  // Adds the tube that goes on to `element`, unless it is too weak or may do nothing there.
  void go_on(const Outgoing& outgoing, std::uint32_t element, std::vector<Tube>& tubes) const;

  // over_rooftop_rays.cpp: rays over the roofs to all numbers that are not lit (lit_as_…), and the tubes that they
  // become at tiles.
  RooftopUse rooftop_use(std::uint32_t number, std::uint8_t lit) const;
  // visit(use) for what one wave to a number does there: two over ground where it arrives at another height than that
  // by which it goes on.
  template <class Visit>
  void for_rooftop_uses(std::uint32_t number, std::uint8_t lit, const Visit& visit) const;
  Vec3 rooftop_point(std::uint32_t number, RooftopUse use) const;
  bool find_rooftop_wave_below(std::uint32_t number, RooftopUse use, ThreadState& state, RooftopWave& wave) const;
  void launch_over_rooftops(const std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress);
  // To the numbers first … end − 1, one by one or by a search that takes many at once.
  void launch_over_rooftops_to(std::uint32_t first, std::uint32_t end, const std::vector<std::uint8_t>& lit,
                               std::vector<Tube>& tubes);
  void launch_over_rooftops_by(RooftopSearch& search, std::uint32_t first, std::uint32_t end,
                               const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes);

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  const Link& link_;
  const InteractionLimits& limits_;
  const RooftopWaves& waves_;
  FirstLevelRecord& record_;
  LaunchArrivals& arrivals_;
  tbb::enumerable_thread_specific<ThreadState> threads_;
  CornersInSight corners_;
  std::shared_ptr<const BuildingTransmission> building_;  // while rays go through it, and longer with ray_losses
};

}  // namespace tesseray
