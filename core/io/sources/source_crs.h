// SPDX-License-Identifier: GPL-3.0-or-later
// Which CRS a layer or raster is taken to be in.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/io/sources/crs.h"

namespace tesseray {

// The CRS of a layer or raster: `chosen` where it has none of its own. Throws Error for a missing one without
// `chosen`, for an engineering or geocentric one, and, with `local_metres`, for one of degrees or feet; gives none with
// `local_metres`.
struct CrsRule {
  std::string chosen;            // a CRS's text; empty: not given
  std::string chosen_parameter;  // "CRS"
  bool local_metres = false;
};
Crs source_crs(const Crs& own, const CrsRule& rule, const ErrorPlace& place);

}  // namespace tesseray
