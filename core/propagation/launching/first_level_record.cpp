// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/first_level_record.h"

namespace tesseray {

FirstLevelRecord::FirstLevelRecord(const LaunchSetting& setting)
    : left_in_sight(setting.environment.points.receiver_count()), view(setting.view) {
  const RayLaunchingOptions& options = setting.environment.options;
  const std::uint32_t numbers = setting.number_count();
  if (setting.goes_over_rooftops() || options.transmission.nearest_building) {
    reached_over_rooftops.assign(numbers, 0);
    view.reached_over_rooftops = reached_over_rooftops.data();
  }
  if (setting.goes_over_rooftops() && options.wideband) first_edges.resize(numbers);
}

}  // namespace tesseray
