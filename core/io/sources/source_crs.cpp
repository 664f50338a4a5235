// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/source_crs.h"

#include "core/io/sources/datum_grids.h"

namespace tesseray {
namespace {

// Its coordinates count from the middle of the Earth: x and y alone, which layers are read by, are no place on a map.
void refuse_geocentric(const Crs& crs, const ErrorPlace& place) {
  if (!crs.is_geocentric()) return;
  throw Error(ErrorKind::invalid_input, "geocentric_crs",
              "the CRS " + crs.name() + " is geocentric: its coordinates count from the middle of the Earth",
              "reproject it in QGIS (Reproject layer, with the Z values) to a projected or geographic CRS", place);
}

}  // namespace

Crs source_crs(const Crs& own, const CrsRule& rule, const ErrorPlace& place) {
  refuse_geocentric(own, place);
  if (rule.local_metres) {
    if (own.is_geographic()) {
      throw Error(ErrorKind::invalid_input, "degrees_in_local_metres",
                  "the coordinates are degrees of " + own.name() + ", which LOCAL_METRES would take for metres",
                  "leave LOCAL_METRES out, or give the layer in the local metres of the environment", place);
    }
    if (own.is_projected() && !own.is_projected_in_metres()) {
      throw Error(
          ErrorKind::invalid_input, "feet_in_local_metres",
          "the coordinates are feet or other units of " + own.name() + ", which LOCAL_METRES would take for metres",
          "leave LOCAL_METRES out: the coordinates are transformed then", place);
    }
    return {};
  }
  // Before all: without it GDAL makes a CRS of rasters an engineering one.
  require_proj_database();
  if (own.is_engineering()) {
    throw Error(ErrorKind::invalid_input, "engineering_crs",
                "the CRS \"" + own.name() + "\" is an engineering CRS, of which nobody knows where on Earth it lies",
                "assign the true CRS in QGIS (Layer > Set CRS), or give LOCAL_METRES to compute in its metres", place);
  }
  require_own_grids(own, place);
  if (!own.empty()) return own;
  if (rule.chosen.empty()) {
    // What is read beside the scene lies in an environment whose CRS is known, and is often a table, which has none.
    const std::string hint = rule.chosen_parameter == "CRS"
                                 ? "assign one in QGIS (Layer > Set CRS) or give CRS, or LOCAL_METRES where the "
                                   "coordinates are metres of no known CRS"
                                 : "give " + rule.chosen_parameter +
                                       ", which may be the environment's own CRS, or assign a layer one in QGIS (Layer "
                                       "> Set CRS)";
    throw Error(ErrorKind::invalid_input, "missing_crs", "there is no CRS with it", hint, place);
  }
  Crs chosen = Crs::from_text(rule.chosen, {.field = rule.chosen_parameter});
  refuse_geocentric(chosen, {.field = rule.chosen_parameter});
  return chosen;
}

}  // namespace tesseray
