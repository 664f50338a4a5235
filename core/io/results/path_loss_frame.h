// SPDX-License-Identifier: GPL-3.0-or-later
// The local frame of path losses that are read back.
#pragma once

#include "core/io/results/path_loss_file.h"
#include "core/io/results/path_loss_layer.h"
#include "core/scene/scene.h"

namespace tesseray {

// In the CRS of the layer, its origin below the layer's south-western corner. Throws Error(invalid_input) for a layer
// without geometries, in degrees or in another CRS than it was written in, and for transmitters in another than it.
LocalFrame frame_of(const PathLossFile& file, Outlines outlines);

}  // namespace tesseray
