// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/reference_system.h"

#include <cpl_conv.h>
#include <ogr_spatialref.h>

#include <cstdlib>
#include <memory>

#include "core/base/error.h"
#include "core/io/sources/gdal_session.h"

namespace tesseray {

namespace {

// Empty when the format cannot express the CRS.
std::string exported(const OGRSpatialReference& crs, const char* format) {
  const std::string option = std::string("FORMAT=") + format;
  const char* const options[] = {option.c_str(), nullptr};
  char* text = nullptr;
  const bool good = crs.exportToWkt(&text, options) == OGRERR_NONE && text != nullptr;
  std::string wkt = good ? text : "";
  CPLFree(text);
  return wkt;
}

}  // namespace

std::unique_ptr<OGRSpatialReference> read_reference_system(const LocalFrame& frame,
                                                           const std::filesystem::path& target) {
  GdalSession session;
  auto crs = std::make_unique<OGRSpatialReference>();
  if (crs->importFromWkt(frame.crs_wkt.c_str()) == OGRERR_NONE) return crs;
  throw Error(ErrorKind::invalid_input, "bad_crs",
              "the CRS " + frame.crs_name + " cannot be read: " + session.last_failure(), "give another CRS",
              {.file = target.string()});
}

ReferenceSystem describe_reference_system(const LocalFrame& frame, const std::filesystem::path& target) {
  GdalSession session;
  const std::unique_ptr<OGRSpatialReference> read = read_reference_system(frame, target);
  const OGRSpatialReference& crs = *read;
  ReferenceSystem system;
  system.name = crs.GetName() != nullptr ? crs.GetName() : frame.crs_name;
  const char* authority = crs.GetAuthorityName(nullptr);
  const char* code = crs.GetAuthorityCode(nullptr);
  const int number = code != nullptr ? std::atoi(code) : 0;
  const bool is_known = authority != nullptr && number > 0;
  system.organization = is_known ? authority : "NONE";
  system.code = is_known ? number : 0;
  const std::string wkt1 = exported(crs, "WKT1_GDAL");
  system.definition = wkt1.empty() ? "undefined" : wkt1;
  const std::string wkt2 = exported(crs, "WKT2_2015");
  system.definition_wkt2 = wkt2.empty() ? "undefined" : wkt2;
  return system;
}

}  // namespace tesseray
