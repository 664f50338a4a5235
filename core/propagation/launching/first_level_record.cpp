// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/first_level_record.h"

namespace tesseray {

std::uint64_t FirstLevelRecord::bytes_per_number(const RayLaunchingOptions& options) {
  const bool has_first_edges = options.wideband && options.over_rooftop != OverRooftop::none;
  return sizeof(std::uint16_t) + sizeof(PastCorners) + (has_first_edges ? sizeof(FirstEdge) : 0);
}

FirstLevelRecord::FirstLevelRecord(const LaunchSetting& setting)
    : left_in_sight(setting.environment.points.receiver_count()), view(setting.view) {
  const RayLaunchingOptions& options = setting.environment.options;
  const std::uint32_t numbers = setting.number_count();
  const bool has_receivers = setting.environment.points.receiver_count() > 0;
  if (setting.goes_over_rooftops() || options.transmission.nearest_building || has_receivers) {
    reached_over_rooftops.assign(numbers, 0);
    view.reached_over_rooftops = reached_over_rooftops.data();
  }
  if (options.over_rooftop == OverRooftop::screens && setting.limits.may_diffract(0, 0)) {
    past_corners.assign(numbers, {});
    view.past_corners = past_corners.data();
  }
  if (setting.goes_over_rooftops() && options.wideband) first_edges.resize(numbers);
}

}  // namespace tesseray
