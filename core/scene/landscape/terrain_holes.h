// SPDX-License-Identifier: GPL-3.0-or-later
// Heights that a terrain lacks, from those around them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/scene/scene.h"

namespace tesseray {

// False for no-data, declared or not.
bool is_known_height(float height);

// Calls visit(index) for the up to eight neighbours of a node.
template <class Visit>
void for_neighbours(const Terrain& terrain, std::size_t index, const Visit& visit) {
  const auto columns = static_cast<std::int64_t>(terrain.columns), rows = static_cast<std::int64_t>(terrain.rows);
  const auto column = static_cast<std::int64_t>(index) % columns, row = static_cast<std::int64_t>(index) / columns;
  for (std::int64_t r = std::max<std::int64_t>(0, row - 1); r <= std::min(rows - 1, row + 1); ++r) {
    for (std::int64_t c = std::max<std::int64_t>(0, column - 1); c <= std::min(columns - 1, column + 1); ++c) {
      if (r != row || c != column) visit(static_cast<std::size_t>(r * columns + c));
    }
  }
}

// The unknown nodes become a skin stretched over their rims (Laplace's equation), which goes on level at the terrain's
// border: slopes go on through a hole. REQUIRES: at least one known node.
void fill_holes(Terrain& terrain);

}  // namespace tesseray
