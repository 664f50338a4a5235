// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/io/readers/read_buildings.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/source_crs.h"
#include "core/io/sources/vector_source.h"

namespace tesseray {

BuildingPlansRead read_building_plans(const BuildingPlansInput& input, const LocalFrame& frame, const Rectangle& area,
                                      Progress& progress) {
  VectorSource source(input.source, VectorSource::Content::polygons, "BUILDINGS");
  const Crs environment = frame.crs_wkt.empty() ? Crs() : Crs::from_text(frame.crs_wkt);
  const Crs crs = source_crs(source.crs(), {input.crs, "BUILDINGS_CRS", environment.empty()}, source.place());
  check_coordinates(crs, source.bounds(), source.place());
  if (environment.empty()) check_local_metres(source.crs(), area.middle(), source.place());

  std::vector<Issue> issues;
  FootprintLayer layer = footprint_layer(source, crs, environment, area, issues);
  BuildingPlansRead read;
  for (RawBuilding& building : read_buildings(layer, {}, progress).buildings) {
    std::move(building.parts.begin(), building.parts.end(), std::back_inserter(read.footprints));
  }
  // What their heights and materials are is of no interest here.
  std::copy_if(issues.begin(), issues.end(), std::back_inserter(read.issues),
               [](const Issue& issue) { return issue.action == Issue::Action::dropped; });
  return read;
}

}  // namespace tesseray
