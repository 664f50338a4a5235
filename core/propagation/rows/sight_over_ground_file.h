// SPDX-License-Identifier: GPL-3.0-or-later
// What receivers over ground tiles see beside the tiles' rows, in a file beside the visibility's (NAME.tsog,
// docs/formats.md). Internal to core/propagation.
#pragma once

#include <optional>

#include "core/propagation/rows/sight_over_ground.h"
#include "core/visibility/file/kept_beside.h"

namespace tesseray {

extern const KeptKind sight_over_ground;

// As read_kept and write_kept.
std::optional<SightOverGround> read_sight_over_ground(const KeptBeside& beside);
void write_sight_over_ground(const SightOverGround& sight, const KeptBeside& beside);

}  // namespace tesseray
