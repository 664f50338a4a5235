// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_layer.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"

namespace tesseray {

std::vector<std::int64_t> ground_tiles(const PathLossLayer& path_loss) {
  std::vector<std::int64_t> ids;
  std::unordered_set<std::int64_t> known;
  for (const PredictedTarget& target : path_loss.targets) {
    if (target.kind != SurfaceKind::ground || !path_loss.outlines.contains(target.tile_id)) continue;
    if (known.insert(target.tile_id).second) ids.push_back(target.tile_id);
  }
  std::sort(ids.begin(), ids.end());
  if (!ids.empty()) return ids;
  throw Error(ErrorKind::invalid_input, "no_ground", "the path loss has no ground tiles with polygons",
              "predict with KINDS ground and GEOMETRY polygon");
}

Rectangle plan_of(const PathLossLayer& path_loss, std::int64_t tile_id) {
  Rectangle plan;
  for (const Vec3& corner : path_loss.outlines.at(tile_id).corners) plan.extend(corner.xy() + path_loss.frame.origin);
  return plan;
}

}  // namespace tesseray
