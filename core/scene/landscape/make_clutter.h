// SPDX-License-Identifier: GPL-3.0-or-later
// From clutter as read to the cells of a scene.
#pragma once

#include "core/scene/raw_scene.h"

namespace tesseray {

// A grid stays as it is; areas fill the cells, of 1 m or more, whose middles they hold. `extent`: where clutter is
// needed, in scene coordinates.
Clutter make_clutter(const RawClutter& raw, const Rectangle& extent, Vec2 origin);

}  // namespace tesseray
