// SPDX-License-Identifier: GPL-3.0-or-later
// The one interface between a launch and what bounces many tubes at once, such as a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/propagation/rays/arrivals.h"
#include "core/propagation/tubes/held_ray.h"
#include "core/propagation/tubes/launch_view.h"
#include "core/propagation/tubes/left_of_ray.h"
#include "core/propagation/tubes/roulette.h"

namespace tesseray {

// Tubes, none of them scattered, gathered by element, each with what it may hit.
struct TubeBatch {
  struct Group {
    std::uint32_t element = 0;
    std::uint32_t first_tube = 0, end_tube = 0;      // into `tubes`
    std::uint32_t first_member = 0, end_member = 0;  // into `members`
    bool onward = false;                             // whether the rays may do more at members than arrive
  };
  std::vector<Group> groups;
  std::vector<const Tube*> tubes;
  // Of the elements' rows, ascending, and after them with RowTarget::arrives the ground tiles beside these.
  std::vector<std::uint32_t> members;

  void clear() {
    groups.clear();
    tubes.clear();
    members.clear();
  }
};

// How much a batch may have.
struct BatchLimits {
  std::size_t tubes = 0, members = 0;
  std::size_t pairs = 0;  // Σ tubes of a group × targets_of()
};

// What so many members of a group's row are at most, as places where rays arrive and from which they go on.
inline std::size_t targets_of(const TargetPointsView& points, std::uint32_t element, std::size_t members) {
  return points.is_tile(element) || points.ways_on_apart ? 2 * members : members;
}

// Tells what is left of rays that are held before their tiles, one by one: an amplitude of 0 where they do not arrive.
// Some may arrive later, by the caller. REQUIRES: as many of both.
using FollowRays = std::function<void(std::span<const HeldRay> rays, std::span<LeftOfRay> left)>;

// Bounces the tubes of one launch.
class LaunchBouncer {
 public:
  virtual ~LaunchBouncer() = default;
  // Sums what arrives at tiles, those that are followed by `follow`, and appends the tubes that go on, in the order of
  // tubes and of their members. Returns how many members were hit. What it says of a tube does not depend on the
  // others. Thread-safe, and runs no work of the caller's threads while it waits; `follow` runs on the caller's.
  // REQUIRES: a batch within the limits.
  virtual std::uint64_t bounce(const TubeBatch& batch, const FollowRays& follow, std::vector<Tube>& children) = 0;
  // Adds all that has arrived since the last time. REQUIRES: as many sums as tiles; no batch is under way.
  virtual void add_to(std::span<ArrivalSums> sums) = 0;
  // What has arrived at tiles by other ways. REQUIRES: as many as tiles.
  virtual void know_before(std::span<const FixedPointSum> gains) = 0;
  // From now on weak rays are drawn by what has arrived by now, in place of the view's roulette_gain; gives that, too.
  // REQUIRES: as many as elements; know_before() was told; no batch is under way, and add_to() was not called.
  virtual void draw_by(const RouletteScale& scale, std::span<float> roulette_gain) = 0;
};

// Makes them, over one environment.
class TubeBouncer {
 public:
  virtual ~TubeBouncer() = default;
  virtual BatchLimits limits() const = 0;
  // Memory of the host that batches of all launches together take, besides what is given and given back.
  virtual std::size_t host_bytes() const = 0;
  // Thread-safe. What the view points to must outlive the bouncer.
  virtual std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) = 0;
};

}  // namespace tesseray
