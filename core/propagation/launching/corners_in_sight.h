// SPDX-License-Identifier: GPL-3.0-or-later
// What the corners of several houses in a row leave of the direct ray that passes near them, as screens in a plane
// through the ray (docs/physics.md §3.2). Internal to core/propagation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/launching/launch_environment.h"
#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

class CornersInSight {
 public:
  CornersInSight() = default;
  // Of those elements, which the antenna sees, the upright edges.
  CornersInSight(const LaunchEnvironment& environment, Vec3 antenna, double wavelength_m,
                 std::span<const std::uint32_t> seen);

  // Of the straight ray to a point in sight.
  PastCorners past(Vec3 to) const;

 private:
  struct Corner {
    Vec2 from_antenna;  // in the plan
    double bottom_z = 0, top_z = 0;
    std::uint32_t house = 0;  // all parts that stand on each other
  };
  // By place along a way and distance beside it, negative; and of which house.
  struct Beside {
    Vec2 place;
    std::uint32_t house = 0;
  };
  // What those on one side leave, and how much of what they diffract is in it.
  struct OneSide {
    Complex factor{1, 0};
    double taken = 0;
  };
  // Both may put them in order.
  OneSide past_one_side(std::vector<Beside>& corners, double way_m) const;
  Complex past_screens(std::vector<Beside>& corners, double way_m) const;
  // How much of one counts, 0 … 1.
  double part_of(const Beside& corner, double way_m) const;
  std::span<const std::uint32_t> near_azimuth(Vec2 way) const;

  Vec3 antenna_;
  double wavelength_m_ = 0;
  std::vector<Corner> corners_;
  std::vector<std::uint32_t> offsets_, of_sector_;  // by sector of azimuth: corners that may come near a ray there
};

}  // namespace tesseray
