// SPDX-License-Identifier: GPL-3.0-or-later
// What is lost among the clutter that a receiver stands in: not on the way of single rays, but from all that arrives.
#pragma once

#include <vector>

#include "core/prediction/prediction.h"

namespace tesseray {

// Takes so much off what arrives at a target from this transmitter.
void add_clutter_loss(double loss_db, const Transmitter& transmitter, TargetPrediction& prediction);

// The same at all ground tiles and receivers, by what covers the ground there. Rays stay what they are before it.
void add_clutter_loss(const Clutter& clutter, const Tiling& tiling, const std::vector<Receiver>& receivers,
                      const Transmitter& transmitter, TransmitterPrediction& prediction);

}  // namespace tesseray
