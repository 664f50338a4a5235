// SPDX-License-Identifier: GPL-3.0-or-later
// The walls and raised parts that may stand between an eye and its targets, by sectors of azimuth.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/visibility/horizon.h"
#include "core/visibility/occlusion_view.h"

namespace tesseray {

// A target as the eye sees it.
struct Sight {
  double azimuth = 0;   // square_azimuth
  double distance = 0;  // square_norm, m
  double slope = 0;     // height over distance
};

class SectorOccluders {
 public:
  explicit SectorOccluders(const OcclusionView& occlusion);

  void reset(Vec3 eye);
  // Adding twice is adding once.
  void add_wall(std::uint32_t side);
  void add_raised_part(std::uint32_t part, const Rectangle& bounds);

  // True when one of the occluders meets the segment from the eye to `target`, by the tests of occlusion_view.h.
  bool block(Vec3 target, const Sight& sight) const;

 private:
  static constexpr int sectors = 256;

  // Bounds are rounded outwards: what they exclude cannot meet the segment.
  struct Occluder {
    float highest_slope = 0;
    float nearest_m = 0;
    std::uint32_t index = 0;  // of OcclusionView::outlines, or raised_flag plus an index of its parts
  };
  static constexpr std::uint32_t raised_flag = 0x80000000u;

  void add(const Rectangle& box_from_eye, double top_z, std::uint32_t index, AzimuthInterval azimuths);
  bool meets(Vec3 first, Vec3 second, std::uint32_t index) const;

  const OcclusionView& occlusion_;
  Vec3 eye_;
  std::array<std::vector<Occluder>, sectors> occluders_;
  std::vector<std::uint32_t> wall_round_, part_round_;  // the round in which each was added last
  std::uint32_t round_ = 0;
};

}  // namespace tesseray
