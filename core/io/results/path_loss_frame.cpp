// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_frame.h"

#include <ogrsf_frmts.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/io/results/path_loss_geometry.h"
#include "core/io/sources/crs.h"

namespace tesseray {

namespace {

// Distances and areas are worked out in the layer's coordinates, which are metres as they were written.
void require_own_crs(const PathLossFile& file, const Crs& crs, Vec2 middle) {
  if (crs.empty()) return;
  try {
    check_environment_crs(crs, middle);
  } catch (const Error& error) {
    file.fail("reprojected", "the layer has been reprojected: " + error.message());
  }
  OGRLayer* transmitters = file.transmitters();
  if (transmitters == nullptr) return;
  const Crs of_transmitters = Crs::of(transmitters->GetSpatialRef());
  if (of_transmitters.empty() || of_transmitters.is_same(crs)) return;
  file.fail("reprojected", std::string("the layer ") + transmitters->GetName() + " beside it is in another CRS, " +
                               of_transmitters.name());
}

}  // namespace

LocalFrame frame_of(const PathLossFile& file, Outlines outlines) {
  const Crs crs = Crs::of(file.rows().GetSpatialRef());
  if (crs.is_geographic()) file.fail("degrees", "the layer is in degrees");
  if (!crs.empty()) require_proj_database();
  OGREnvelope bounds;
  if (file.rows().GetExtent(&bounds, TRUE) != OGRERR_NONE) {
    throw Error(ErrorKind::invalid_input, "no_geometry", "the layer has no geometries", hint_on_geometry(outlines),
                file.place());
  }
  require_own_crs(file, crs, {0.5 * (bounds.MinX + bounds.MaxX), 0.5 * (bounds.MinY + bounds.MaxY)});
  // As every scene has it: coordinates stay small and exact.
  constexpr double step_m = 1024;
  return {.origin = {std::floor(bounds.MinX / step_m) * step_m, std::floor(bounds.MinY / step_m) * step_m},
          .crs_wkt = crs.empty() ? "" : crs.wkt(),
          .crs_name = crs.empty() ? "local metres" : crs.name()};
}

}  // namespace tesseray
