// SPDX-License-Identifier: GPL-3.0-or-later
// Grids of datum shifts, without which PROJ transforms less accurately or not at all.
#pragma once

#include <optional>
#include <string>

#include "core/io/sources/crs.h"

namespace tesseray {

// PROJ's best operation for a place, which needs grids that are not installed.
struct OperationWithoutGrids {
  std::string grids;                         // their names
  std::optional<double> accuracy_m;          // none: not known
  bool has_another = false;                  // that needs none of them
  std::optional<double> another_accuracy_m;  // of the best of the others
};
// What to do about it.
inline constexpr const char* get_grid = "put it among PROJ's data (projsync --file NAME gets one of PROJ's own)";

// `place`: longitudes and latitudes; empty: anywhere. None where the best operation can be had.
std::optional<OperationWithoutGrids> operation_without_grids(const Crs& from, const Crs& to, const Rectangle& place);

// Throws Error for a CRS with a grid of its own (+nadgrids) that is not installed: nothing leads from it to another.
void require_own_grids(const Crs& crs, const ErrorPlace& place);

}  // namespace tesseray
