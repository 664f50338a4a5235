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
  // Keeps references. What is below `horizon` when it is added is left out: it meets nothing that is above.
  SectorOccluders(const OcclusionView& occlusion, const Horizon& horizon);

  // With `rising`, targets are not lower than the eye. Walls that face away from it then need no test of their own:
  // a rising segment that leaves a part below its top has entered it lower still.
  // REQUIRES: the eye is inside of no part; rising: nor within a millimetre of a wall.
  void reset(Vec3 eye, bool rising);
  // Adding twice is adding once.
  void add_wall(const WallSide& wall, std::uint32_t side);
  void add_raised_part(std::uint32_t part, const Rectangle& bounds);

  // Whether one of the occluders meets the segment from the eye to `target`, by the tests of occlusion_view.h. `maybe`
  // where the walls that were left out could decide a tie. REQUIRES: the target is not below the horizon.
  enum class Answer { no, maybe, yes };
  Answer block(Vec3 target, const Sight& sight);

 private:
  static constexpr int sectors = 1024;

  // Bounds are rounded outwards: what they exclude cannot meet the segment.
  struct Occluder {
    float highest_slope = 0;
    float nearest_m = 0;
    std::uint32_t index = 0;  // of walls_, or raised_flag plus an index of OcclusionView::parts
  };
  static constexpr std::uint32_t raised_flag = 0x80000000u;

  void add(const Rectangle& box_from_eye, double top_z, std::uint32_t index, AzimuthInterval azimuths);
  Answer test(Vec3 first, Vec3 second, std::uint32_t index) const;

  const OcclusionView& occlusion_;
  const Horizon& horizon_;
  Vec3 eye_;
  bool rising_ = false;
  std::vector<WallSide> walls_;
  std::array<std::vector<Occluder>, sectors> occluders_;
  std::vector<std::uint32_t> wall_round_, part_round_;  // the round in which each was added last
  std::uint32_t round_ = 0;
};

}  // namespace tesseray
