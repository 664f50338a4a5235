// SPDX-License-Identifier: GPL-3.0-or-later
// What the rays that come from the antenna itself leave on record for those that follow. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/propagation/launching/launch_setting.h"

namespace tesseray {

struct FirstLevelRecord {
  // Where a ray over the roofs first comes down, and whether it is the only such place.
  struct FirstEdge {
    Vec3 place;
    bool is_only = false;
  };

  // What it takes at each tile, edge and receiver, about; and at each receiver besides.
  static std::uint64_t bytes_per_number(const RayLaunchingOptions& options);
  static constexpr std::uint64_t bytes_per_receiver = 2 * sizeof(LeftInSight);  // with the result's

  explicit FirstLevelRecord(const LaunchSetting& setting);
  FirstLevelRecord(const FirstLevelRecord&) = delete;
  FirstLevelRecord& operator=(const FirstLevelRecord&) = delete;

  std::vector<LeftInSight> left_in_sight;            // see RayLaunchingResult
  std::vector<std::uint16_t> reached_over_rooftops;  // by number, lit_as_…; empty without rays that are marked so
  std::vector<PastCorners> past_corners;             // by number; empty: none count
  std::vector<FirstEdge> first_edges;                // by number, where angles are wanted: of rays over the roofs
  // LaunchView, and the places; empty where roofs and uneven ground come near none, and all are seen as a whole.
  std::vector<LeftAlongEdge> left_along_edges;
  std::vector<LeftAtPlace> left_at_places;
  LaunchView view;  // the setting's, with what is reached over the roofs and left along edges
};

}  // namespace tesseray
