// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/clutter_loss.h"

namespace tesseray {

void add_clutter_loss(double loss_db, const Transmitter& transmitter, TargetPrediction& prediction) {
  const auto loss = static_cast<float>(loss_db);
  prediction.clutter_loss_db += loss;
  prediction.path_loss_db += loss;
  prediction.basic_loss_db += loss;
  set_power(transmitter, prediction);
}

void add_clutter_loss(const Clutter& clutter, const Tiling& tiling, const std::vector<Receiver>& receivers,
                      const Transmitter& transmitter, TransmitterPrediction& prediction) {
  if (clutter.loss_db.empty()) return;
  for (std::size_t t = 0; t < prediction.tiles.size(); ++t) {
    const Tile& tile = tiling.tiles[t];
    if (tile.kind != SurfaceKind::ground) continue;
    add_clutter_loss(clutter.loss_db_at(tile.centroid.xy()), transmitter, prediction.tiles[t]);
  }
  for (std::size_t r = 0; r < prediction.receivers.size(); ++r) {
    add_clutter_loss(clutter.loss_db_at(receivers[r].position.xy()), transmitter, prediction.receivers[r]);
  }
}

}  // namespace tesseray
