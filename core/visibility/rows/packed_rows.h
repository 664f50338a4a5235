// SPDX-License-Identifier: GPL-3.0-or-later
// The relation in memory, about a byte per entry, and the way from halves of it to whole rows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/rows/turned_halves.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// The relation of `halves`, which together hold the elements 0 … tile_count + edge_count − 1 in order.
std::unique_ptr<Visibility> whole_rows(std::uint32_t tile_count, std::uint32_t edge_count,
                                       const std::vector<HalfRows>& halves, Progress& progress);

}  // namespace tesseray
