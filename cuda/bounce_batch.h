// SPDX-License-Identifier: GPL-3.0-or-later
// Bouncing a batch of tubes: the kernels' bodies, by the CPU's own functions. Four steps, one after the other:
//
// 1. prepare_tube, a thread per tube: what the members of its element's row are asked with.
// 2. find_hits, a block per piece of a group: each thread takes members of the row, lays them out as intervals and asks
//    them with every tube of the group. Hits are written side by side, in any order, but for those that are surely not
//    drawn.
// 3. follow_hit, a thread per hit: the field that the element reflects or diffracts there, what arrives, and the tube
//    that goes on. What arrives is summed in whole numbers, so that no order of threads changes the sums; the tubes are
//    put in the CPU's order afterwards (child_order.h). Rays that are followed leg by leg are held: the CPU does that.
// 4. arrive_followed, a thread per ray held: what is left of it is summed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/infinity.h"
#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/tubes/bounced_rays.h"
#include "core/propagation/tubes/tube_bouncer.h"

namespace tesseray {

// Where a tube of a batch hits: in the order of tubes, then of places, the CPU finds its hits.
struct HitPlace {
  std::uint32_t tube = 0;   // of the batch
  std::uint32_t place = 0;  // twice the member's place in the batch, and one more for the second target at its number
  friend TESSERAY_HD constexpr bool operator<(const HitPlace& a, const HitPlace& b) {
    return a.tube != b.tube ? a.tube < b.tube : a.place < b.place;
  }
};

struct TubeHit {
  HitPlace place;
  std::uint32_t target = 0;  // a RowTarget
};

// Owns nothing. Each hit may have one child, and one ray that is held.
struct BounceBatch {
  LaunchView launch;
  const TubeBatch::Group* groups = nullptr;  // in pieces (for_pieces_of)
  std::uint32_t group_count = 0;
  const Tube* tubes = nullptr;
  std::uint32_t tube_count = 0;
  const std::uint32_t* members = nullptr;
  IntervalBounds* bounds = nullptr;  // by tube
  RoughDraw* draws = nullptr;        // the same, of tubes at edges
  TubeHit* hits = nullptr;           // room for all pairs of BatchLimits
  std::uint64_t* hit_count = nullptr;
  Tube* children = nullptr;          // room for as many as hits are followed at once
  HitPlace* child_places = nullptr;  // of their hits
  std::uint64_t* child_count = nullptr;
  HeldRay* rays = nullptr;  // as much room
  std::uint64_t* ray_count = nullptr;
  const LeftOfRay* left = nullptr;  // of those rays
  ArrivalSums* sums = nullptr;      // by tile
  std::uint32_t* locks = nullptr;   // one per tile, 0 while nobody has it
};

// What a block of threads has of a group at most.
struct PiecesOfGroups {
  static constexpr std::uint32_t tubes = 64, members = 512;

  // So many pieces there may be at most, of groups with at least one tube each.
  static constexpr std::uint32_t most(std::uint32_t all_tubes, std::uint32_t all_members, std::uint32_t all_pairs) {
    return all_tubes + all_tubes / tubes + all_members / members + all_pairs / (tubes * members) + 1;
  }
};

// REQUIRES: k < batch.tube_count.
TESSERAY_HD inline void prepare_tube(const BounceBatch& batch, std::uint32_t k) {
  const EnvironmentView& environment = batch.launch.environment;
  const Tube& tube = batch.tubes[k];
  IntervalBounds bounds{-infinity_f, infinity_f, -infinity_f, infinity_f};  // hits nothing
  if (environment.points.is_tile(tube.element)) {
    const Tile& tile = environment.tiles[tube.element];
    reflection_bounds(batch.launch, tube, tile, TileFrame(tile), bounds);
  } else {
    const EdgeSegment& edge = environment.edge(tube.element);
    const TubeAtEdge at_edge(tube, batch.launch.wedge_of(edge), batch.launch);
    if (at_edge.incidence.in_air()) {
      bounds = edge_bounds(edge, tube.source.point);
      batch.draws[k] = RoughDraw(at_edge, batch.launch.link.wave_number);
    }
  }
  batch.bounds[k] = bounds;
}

// Calls add(piece) for groups whose tubes and members are those of the given ones, few enough that no block of threads
// is busy long after the others.
template <class Add>
void for_pieces_of(std::span<const TubeBatch::Group> groups, const Add& add) {
  for (const TubeBatch::Group& group : groups) {
    for (std::uint32_t m = group.first_member; m < group.end_member; m += PiecesOfGroups::members) {
      for (std::uint32_t t = group.first_tube; t < group.end_tube; t += PiecesOfGroups::tubes) {
        TubeBatch::Group piece = group;
        piece.first_member = m;
        piece.end_member = std::min(group.end_member, m + PiecesOfGroups::members);
        piece.first_tube = t;
        piece.end_tube = std::min(group.end_tube, t + PiecesOfGroups::tubes);
        add(piece);
      }
    }
  }
}

// By a block of threads (thread_block.h). REQUIRES: g < batch.group_count; all tubes are prepared.
template <class Block>
TESSERAY_HD void find_hits(const Block& block, const BounceBatch& batch, std::uint32_t g) {
  const EnvironmentView& environment = batch.launch.environment;
  const TargetPointsView& points = environment.points;
  const TubeBatch::Group group = batch.groups[g];
  const auto ask = [&](const PointIntervals& intervals, bool at_tile, std::uint32_t place, std::uint32_t target,
                       const auto& is_left_out) {
    for (std::uint32_t t = group.first_tube; t < group.end_tube; ++t) {
      if (!is_hit(intervals, batch.bounds[t], at_tile) || is_left_out(t)) continue;
      batch.hits[block.claim_of_all(*batch.hit_count, 1)] = {{t, place}, target};
    }
  };
  const std::uint32_t member_count = group.end_member - group.first_member;
  if (points.is_tile(group.element)) {
    const TileFrame frame(environment.tiles[group.element]);
    const bool from_ground = points.is_ground(group.element);
    block.for_each(member_count, [&](std::uint32_t m) {
      std::uint32_t place = 2 * (group.first_member + m);
      for_targets_of_tile(points, from_ground, batch.members[group.first_member + m], group.onward,
                          [&](std::uint32_t point, std::uint32_t target) {
                            const Vec3 p = points.points[point];
                            ask(intervals_at_tile(frame, p.x, p.y, p.z), true, place++, target,
                                [](std::uint32_t) { return false; });
                          });
    });
    return;
  }
  const EdgeSegment& edge = environment.edge(group.element);
  const bool draws = batch.launch.roulette_gain != nullptr;
  block.for_each(member_count, [&](std::uint32_t m) {
    std::uint32_t place = 2 * (group.first_member + m);
    for_targets_of_edge(points, batch.members[group.first_member + m], [&](std::uint32_t point, std::uint32_t target) {
      const std::uint32_t number = target & RowTarget::number_mask;
      const Vec3 p = points.points[point];
      const PointPastEdge past_edge = draws ? point_past_edge(edge, p) : PointPastEdge();
      ask(intervals_at_edge(edge.midpoint, edge.direction, 0.5 * edge.length_m, p.x, p.y, p.z), false, place++, target,
          [&](std::uint32_t t) {
            return draws && is_surely_not_drawn(batch.launch, batch.draws[t], batch.tubes[t].chain, group.element,
                                                past_edge, number);
          });
    });
  });
}

// A ray that arrives at a tile. `Together` is how threads share what they write (HostSharing, DeviceSharing).
template <class Together>
TESSERAY_HD void sum_arrival(const BounceBatch& batch, const RayEnding& ending, std::uint32_t number) {
  arrive(batch.launch, ending, number, [&](const ArrivedRay& ray) {
    batch.sums[number].add(ray.arrival, typename Together::Adder{batch.locks + number});
  });
}

// REQUIRES: k < the rays held; what is left of them is known.
template <class Together>
TESSERAY_HD void arrive_followed(const BounceBatch& batch, std::uint64_t k) {
  const LeftOfRay& left = batch.left[k];
  if (!(left.amplitude > 0)) return;
  HeldRay ray = batch.rays[k];
  ray.keep(left);
  sum_arrival<Together>(batch, ray.ending(), ray.number);
}

// Whose rays bounced_rays.h follows: those of one hit.
template <class Together>
class RaysOfHit {
 public:
  TESSERAY_HD RaysOfHit(const BounceBatch& batch, HitPlace place) : batch_(batch), place_(place) {}

  TESSERAY_HD const LaunchView& view() const { return batch_.launch; }
  TESSERAY_HD LinkView::Departure departure(const InteractionChain&, Vec3 direction) const {
    return batch_.launch.link.depart(direction);
  }
  TESSERAY_HD ComplexVec3 reflected(const InteractionChain&, const ComplexVec3& incident, Vec3 incidence,
                                    const Tile& tile) const {
    return specularly_reflected(batch_.launch, incident, incidence, tile);
  }
  TESSERAY_HD double vegetation_between(std::uint32_t element, std::uint32_t number) const {
    return batch_.launch.vegetation_between(element, number);
  }
  TESSERAY_HD bool may_go_on(const InteractionChain&, std::uint32_t element, int reflections, int diffractions) const {
    return may_do_anything(batch_.launch, element, reflections, diffractions);
  }
  TESSERAY_HD void arrive(const RayEnding& ending, std::uint32_t number) const {
    if (is_followed(batch_.launch.environment.points, ending.chain, number)) {
      batch_.rays[Together::claim(*batch_.ray_count)] = HeldRay(ending, number);
    } else {
      sum_arrival<Together>(batch_, ending, number);
    }
  }
  TESSERAY_HD Tube& new_child() const {
    const std::uint64_t k = Together::claim(*batch_.child_count);
    batch_.child_places[k] = place_;
    batch_.children[k] = Tube();
    return batch_.children[k];
  }

 private:
  const BounceBatch& batch_;
  HitPlace place_;
};

// REQUIRES: k < the hits found; room for a child and a ray of each hit that is followed before they are taken.
template <class Together>
TESSERAY_HD void follow_hit(const BounceBatch& batch, std::uint64_t k) {
  const EnvironmentView& environment = batch.launch.environment;
  const TubeHit hit = batch.hits[k];
  const Tube& tube = batch.tubes[hit.place.tube];
  RaysOfHit<Together> rays(batch, hit.place);
  if (!environment.points.is_tile(tube.element)) {
    const Wedge wedge = batch.launch.wedge_of(environment.edge(tube.element));
    diffract(TubeAtEdge(tube, wedge, batch.launch), hit.target, rays);
    return;
  }
  const Tile& tile = environment.tiles[tube.element];
  const VirtualSource image = mirrored(tube.source, tile.centroid, tile.normal);
  if (image.is_edge()) {
    const TileFrame frame(tile);
    if (!reaches(edge_image(batch.launch, tube, image, tile, frame), environment.points, hit.target)) return;
  }
  reflect(tube, tile, image, hit.target, rays);
}

// What has arrived at a tile, with what had arrived `before` by other ways, as its roulette. Makes room for more sums.
TESSERAY_HD inline float roulette_at_tile(ArrivalSums& sums, FixedPointSum before, const RouletteScale& scale) {
  sums.settle();
  before.merge(sums.gain);
  return scale.of(before);
}

// How much is bounced at once.
struct BounceCapacity {
  std::uint32_t tubes = 32'768, members = 1u << 21, pairs = 1u << 23;
  std::uint32_t children = 65'536;  // hits that are followed at once

  std::uint32_t pieces() const { return PiecesOfGroups::most(tubes, members, pairs); }
  // At least what one tube at any element of an environment needs.
  BounceCapacity at_least(const TargetPointsView& points) const;
  BatchLimits limits() const { return {tubes, members, pairs}; }
};

// Runs the kernels' bodies on the host: what tests hold against the CPU's own way. Keeps the view.
std::unique_ptr<TubeBouncer> make_host_tube_bouncer(const EnvironmentView& environment, const BounceCapacity& capacity);

}  // namespace tesseray
