// SPDX-License-Identifier: GPL-3.0-or-later
// Metres inside vegetation between all that see each other, in a file beside the visibility's (NAME.tveg,
// docs/formats.md): so that they too are worked out once per city, not in each run.
#pragma once

#include <optional>

#include "core/visibility/file/kept_beside.h"

namespace tesseray {

class VegetationPairs;  // vegetation_pairs.h

extern const KeptKind vegetation_lengths;

// As read_kept and write_kept. REQUIRES of the latter: pairs.known().
std::optional<VegetationPairs> read_vegetation_pairs(const KeptBeside& beside);
void write_vegetation_pairs(const VegetationPairs& pairs, const KeptBeside& beside);

}  // namespace tesseray
