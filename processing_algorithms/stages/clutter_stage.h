// SPDX-License-Identifier: GPL-3.0-or-later
// From what covers the ground to what receivers lose in it.
#pragma once

#include "processing_algorithms/run/run.h"

namespace tesseray {

// CLUTTER_LOSS.
Parameter clutter_loss_parameter();

// The scene with the losses of its clutter classes as the parameter says. Warns of classes without a loss. Throws
// Error(invalid_input) for a text that is no list of losses, and for classes that the environment does not have.
Scene with_clutter_losses(Run& run, Scene scene);

}  // namespace tesseray
