// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinate reference systems: which one an environment gets, and the way of points into it.
//
// Axes are always east (longitude, easting) first, as GIS files have them, whatever the CRS's authority says.
// Vertical parts are left out: heights are taken as they are.
#pragma once

#include <ogr_spatialref.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/geometry/vector.h"
#include "core/scene/scene.h"

namespace tesseray {

// Throws Error where PROJ's installation lacks its database, without which hardly any CRS is understood.
void require_proj_database();

class Crs {
 public:
  Crs() = default;  // none: coordinates of no known CRS

  // Any text that GDAL understands: "EPSG:3946", WKT, PROJJSON, a PROJ string. Throws Error for others, and for a CRS
  // with a grid that is not installed.
  static Crs from_text(const std::string& text, const ErrorPlace& place = {});
  // The horizontal part of a layer's CRS. None for null, empty and "undefined" ones.
  static Crs of(const OGRSpatialReference* reference);

  bool empty() const { return reference_.IsEmpty(); }
  bool is_geographic() const { return reference_.IsGeographic() != 0; }
  bool is_geocentric() const { return reference_.IsGeocentric() != 0; }
  bool is_engineering() const { return reference_.IsLocal() != 0; }
  bool is_projected() const { return reference_.IsProjected() != 0; }
  bool is_projected_in_metres() const { return is_projected() && reference_.GetLinearUnits() == 1.0; }
  // The projection of web maps, whose metres are longer than true ones everywhere but at the equator.
  bool is_web_mercator() const;

  // Coordinates are the same in both, whatever they are called.
  bool is_same(const Crs& other) const;

  // The same CRS as its authority defines it, where it is one of EPSG's under another name (Esri's WKT).
  Crs identified() const;
  std::string name() const;  // "EPSG:3946", or the CRS's own name
  std::string wkt() const;   // WKT2:2019; empty for none
  const OGRSpatialReference& reference() const { return reference_; }

 private:
  OGRSpatialReference reference_;
};

// Points from one CRS to another by PROJ's best operation for the area (grids where they are installed); outside of all
// areas of use by the one that PROJ puts first. Between equal CRSs, and where one of them is none, points stay bit for
// bit.
class PointTransform {
 public:
  // `area`: where the points are, in `from`. Throws Error when no operation leads from one to the other.
  PointTransform(const Crs& from, const Crs& to, const std::optional<Rectangle>& area = {});

  bool is_identity() const { return transformation_ == nullptr; }
  // What to tell the user where PROJ has no operation between the two datums, so that they are taken as one, and where
  // its best one for the area needs a grid that is not installed and is more accurate by 1 m and more; else empty.
  std::string caveat() const;
  // Points that cannot be transformed become NaN.
  void apply(std::span<Vec2> points) const;
  Vec2 operator()(Vec2 point) const;
  // The bounding box of the transformed rectangle, its curved sides included; empty when it cannot be transformed.
  Rectangle bounds(const Rectangle& area) const;

 private:
  std::unique_ptr<OGRCoordinateTransformation> transformation_;
  Crs from_, to_;
  Rectangle place_;  // longitudes and latitudes; empty: anywhere
  bool takes_datums_as_one_ = false;
};

// Warns of a transformation's caveat. `parameter`: as what the points were given that it takes to the environment.
void warn_of_unknown_datum_shift(const PointTransform& transform, const std::string& parameter, Progress& progress);

// How a projected grid lies on the ellipsoid at a point.
struct GridDistortion {
  double east_scale = 1, north_scale = 1;  // grid metres per metre on the ellipsoid along the grid's axes
  double convergence_deg = 0;              // azimuth of grid north from true north, clockwise
  double axes_deg = 90;                    // azimuth of grid east from grid north: 90 for a right way round grid
};

// Found from geodesics between points of the grid rather than from PROJ's factors, which PROJ 9.1 gets wrong for
// CRSs in feet and with northing first.
class GridGeometry {
 public:
  explicit GridGeometry(const Crs& projected);
  // Empty where the projection does not reach.
  std::optional<GridDistortion> at(Vec2 point) const;

 private:
  Crs geographic_;
  PointTransform to_geographic_;
  double metres_per_unit_ = 1, degrees_per_unit_ = 1;
  double semi_major_m_ = 0, flattening_ = 0;
};

// The WGS 84 UTM zone whose central meridian is nearest.
Crs utm_zone(double longitude_deg, double latitude_deg);

// The CRS that an environment with buildings in `layer` gets when nobody says otherwise: the same when it is
// projected, in metres, with a scale within 0.1 % of true at the middle of `area`; else the best UTM zone.
Crs choose_environment_crs(const Crs& layer, const Rectangle& area);
// The middle of an area in the units of a CRS. One in degrees that reaches over more than half of the globe is meant to
// cross the 180th meridian.
Vec2 middle_of(const Crs& crs, const Rectangle& area);

// Checks a CRS that the user chose, `middle` being the middle of the data in it: it must be projected in metres, with
// x to the east and y to the north, and within 1 % of true scale. A scale beyond 0.1 % is returned as an issue.
std::vector<Issue> check_environment_crs(const Crs& crs, Vec2 middle);

// Checks the CRS that a layer in local metres comes with, which nothing is transformed from: as for one that the user
// chose. An engineering CRS and none are right.
std::vector<Issue> check_local_metres(const Crs& own, Vec2 middle, const ErrorPlace& place);

// Throws Error when coordinates contradict their CRS: degrees in a projected one, metres in a geographic one.
void check_coordinates(const Crs& crs, const Rectangle& bounds, const ErrorPlace& place);

}  // namespace tesseray
