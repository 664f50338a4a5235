// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/crs.h"

#include <geodesic.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/base/units.h"
#include "core/io/sources/datum_grids.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

// How far the scale of the environment's grid may be from true: what the choice keeps to, what a user may insist on.
constexpr double good_scale_error = 0.001;
constexpr double greatest_scale_error = 0.01;

Crs wgs84() { return Crs::from_text("EPSG:4326"); }

double scale_error(const GridDistortion& grid) {
  return std::max(std::abs(grid.east_scale - 1.0), std::abs(grid.north_scale - 1.0));
}

// A few grids count to the south and west, or y before x in a way that mirrors the map: not what a scene can use.
bool is_right_way_round(const GridDistortion& grid) {
  return std::abs(grid.axes_deg - 90.0) < 1.0 && std::abs(grid.convergence_deg) < 45.0;
}

double wrapped_degrees(double angle) { return std::remainder(angle, 360.0); }

std::string percent(double ratio) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100.0 * ratio);
  return text.data();
}

// PROJ takes a box without width for one across 180°, which it cuts there in two: at 180° itself without end.
Rectangle with_extent(const Rectangle& degrees) {
  constexpr double least_deg = 1e-6;
  Rectangle box = degrees;
  const auto widen = [](double& low, double& high, double bound) {
    if (high - low >= least_deg) return;
    low = std::clamp(0.5 * (low + high - least_deg), -bound, bound - least_deg);
    high = std::min(low + least_deg, bound);
  };
  widen(box.min.x, box.max.x, 180);
  widen(box.min.y, box.max.y, 90);
  return box;
}

using Transformation = std::unique_ptr<OGRCoordinateTransformation>;

// `place`: longitudes and latitudes; empty: anywhere. Null when no operation leads from one to the other.
Transformation find_transformation(const Crs& from, const Crs& to, const Rectangle& place, bool ballpark_allowed) {
  OGRCoordinateTransformationOptions choice;
  choice.SetBallparkAllowed(ballpark_allowed);
  if (!place.empty()) choice.SetAreaOfInterest(place.min.x, place.min.y, place.max.x, place.max.y);
  return Transformation(OGRCreateCoordinateTransformation(&from.reference(), &to.reference(), choice));
}

// A ballpark operation takes the two datums as one and is off by up to hundreds of metres, so any other goes before it:
// outside of all areas of use, where PROJ has nothing else for the place, the others are off by metres.
Transformation find_accurate_transformation(const Crs& from, const Crs& to, const Rectangle& place) {
  Transformation found = find_transformation(from, to, place, false);
  return found || place.empty() ? std::move(found) : find_transformation(from, to, {}, false);
}

// What keeps lengths in a CRS's grid from being those on the ground, in words behind its name; empty where nothing
// does.
std::string flaw_of(const Crs& crs, const std::optional<GridDistortion>& grid) {
  if (!grid) return "is not defined where the buildings are";
  const double error = scale_error(*grid);
  if (crs.is_web_mercator() || error > greatest_scale_error) {
    return "is off true scale by " + percent(error) + " where the buildings are";
  }
  return is_right_way_round(*grid) ? "" : "does not count to the east and to the north";
}

// Of a grid without such a flaw.
std::vector<Issue> scale_issues(const Crs& crs, const GridDistortion& grid) {
  const double error = scale_error(grid);
  if (error <= good_scale_error) return {};
  return {Issue{.action = Issue::Action::assumed,
                .code = "scale_of_crs",
                .message = "lengths in " + crs.name() + " are off by " + percent(error) + " where the buildings are"}};
}

std::string utm_name_near(const Crs& crs, Vec2 point) {
  const Vec2 place = PointTransform(crs, wgs84())(point);
  return std::isfinite(place.x) ? utm_zone(place.x, place.y).name() : "the UTM zone of the place";
}

}  // namespace

void require_proj_database() {
  static const bool is_there = [] {
    const GdalSession gdal;
    return OGRSpatialReference().importFromEPSG(4326) == OGRERR_NONE;
  }();
  if (is_there) return;
  throw Error(ErrorKind::invalid_input, "no_proj_database",
              "PROJ's database of CRSs, proj.db, is not found or cannot be read",
              "correct or unset the environment variables PROJ_DATA and PROJ_LIB, or install PROJ's data");
}

Crs Crs::from_text(const std::string& text, const ErrorPlace& place) {
  require_proj_database();
  const GdalSession gdal;
  OGRSpatialReference reference;
  // GDAL takes no text for WKT that begins with a line's end, as one read from a file may.
  const OGRErr failed = reference.SetFromUserInput(std::string(trimmed(text)).c_str(),
                                                   OGRSpatialReference::SET_FROM_USER_INPUT_LIMITATIONS_get());
  Crs crs = failed == OGRERR_NONE ? of(&reference) : Crs();
  if (crs.empty()) {
    throw Error(ErrorKind::invalid_input, "unknown_crs", "\"" + text + "\" is not a CRS",
                "write it as an authority's code (EPSG:3946), WKT or a PROJ string", place);
  }
  require_own_grids(crs, place);
  return crs;
}

Crs Crs::of(const OGRSpatialReference* reference) {
  Crs crs;
  if (reference == nullptr || reference->IsEmpty()) return crs;
  // What GeoPackages with srs_id 0 and −1 come with.
  const char* name = reference->GetName();
  if (name != nullptr && std::string_view(name).starts_with("Undefined ")) return crs;
  crs.reference_ = *reference;
  if (crs.reference_.IsCompound()) crs.reference_.StripVertical();
  if (crs.reference_.GetAxesCount() == 3) crs.reference_.DemoteTo2D(nullptr);
  crs.reference_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  return crs;
}

bool Crs::is_web_mercator() const {
  if (!is_projected()) return false;
  const char* method = reference_.GetAttrValue("PROJECTION");
  const char* extension = reference_.GetExtension("PROJCS", "PROJ4", "");
  return (method != nullptr && std::string_view(method).find("Popular_Visualisation") != std::string_view::npos) ||
         (method != nullptr && std::string_view(method).find("Mercator_Auxiliary_Sphere") != std::string_view::npos) ||
         std::string_view(extension).find("nadgrids=@null") != std::string_view::npos;
}

Crs Crs::identified() const {
  if (empty() || reference_.GetAuthorityCode(nullptr) != nullptr) return *this;
  const GdalSession gdal;
  OGRSpatialReference* match = reference_.FindBestMatch();
  if (match == nullptr) return *this;
  Crs crs = of(match);
  match->Release();
  return crs;
}

std::string Crs::name() const {
  if (empty()) return "local metres";
  const char* authority = reference_.GetAuthorityName(nullptr);
  const char* code = reference_.GetAuthorityCode(nullptr);
  if (authority != nullptr && code != nullptr) return std::string(authority) + ":" + code;
  const char* name = reference_.GetName();
  return name != nullptr ? name : "unnamed CRS";
}

std::string Crs::wkt() const {
  if (empty()) return {};
  constexpr std::array<const char*, 2> options = {"FORMAT=WKT2_2019", nullptr};
  char* text = nullptr;
  reference_.exportToWkt(&text, options.data());
  std::string wkt = text != nullptr ? text : "";
  CPLFree(text);
  return wkt;
}

bool Crs::is_same(const Crs& other) const {
  constexpr std::array<const char*, 3> options = {"IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES",
                                                  "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS", nullptr};
  return reference_.IsSame(&other.reference_, options.data()) != 0;
}

PointTransform::PointTransform(const Crs& from, const Crs& to, const std::optional<Rectangle>& area) {
  if (from.empty() || to.empty()) return;
  const GdalSession gdal;
  if (from.is_same(to)) return;
  if (area && !area->empty() && !from.is_engineering()) {
    place_ = from.is_geographic() ? *area : PointTransform(from, wgs84()).bounds(*area);
    if (!place_.empty()) place_ = with_extent(place_);
  }
  from_ = from;
  to_ = to;
  transformation_ = find_accurate_transformation(from, to, place_);
  if (transformation_ != nullptr) return;
  takes_datums_as_one_ = true;
  transformation_ = find_transformation(from, to, place_, true);
  if (transformation_ == nullptr) {
    throw Error(ErrorKind::invalid_input, "no_transformation",
                "there is no transformation from " + from.name() + " to " + to.name() +
                    (gdal.last_failure().empty() ? "" : " (" + gdal.last_failure() + ")"),
                "choose another CRS");
  }
}

std::string PointTransform::caveat() const {
  if (is_identity() || (place_.empty() && !takes_datums_as_one_)) return {};
  const std::string from_to = from_.name() + " to " + to_.name();
  const std::optional<OperationWithoutGrids> best = operation_without_grids(from_, to_, place_);
  const std::string without =
      best ? "the grid " + best->grids + ", which PROJ needs for the best way from " + from_to + ", is not installed: "
           : "";
  const std::string hint = best ? std::string("; ") + get_grid : "";
  if (takes_datums_as_one_) {
    return (best ? without : "no transformation is known from " + from_to + ": ") +
           "the datums are taken as one, and places may be off by 100 m and more" + hint;
  }
  if (!best) return {};
  if (!best->another_accuracy_m) return without + "places may be off by some metres" + hint;
  constexpr double slight_m = 1;
  const double worse_m = *best->another_accuracy_m - best->accuracy_m.value_or(0);
  if (worse_m < slight_m) return {};
  return without + "places may be off by " + shortest(*best->another_accuracy_m) + " m" +
         (best->accuracy_m ? " instead of " + shortest(*best->accuracy_m) + " m" : "") + hint;
}

void PointTransform::apply(std::span<Vec2> points) const {
  if (is_identity() || points.empty()) return;
  const GdalSession gdal;
  std::vector<double> x(points.size()), y(points.size());
  std::vector<int> done(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    x[i] = points[i].x;
    y[i] = points[i].y;
  }
  transformation_->Transform(static_cast<int>(points.size()), x.data(), y.data(), nullptr, nullptr, done.data());
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool valid = done[i] != 0 && std::isfinite(x[i]) && std::isfinite(y[i]);
    points[i] = valid ? Vec2{x[i], y[i]} : Vec2{nowhere, nowhere};
  }
}

Vec2 PointTransform::operator()(Vec2 point) const {
  apply({&point, 1});
  return point;
}

Rectangle PointTransform::bounds(const Rectangle& area) const {
  if (is_identity() || area.empty()) return area;
  const GdalSession gdal;
  constexpr int points_per_side = 21;
  Rectangle box;
  const bool done = transformation_->TransformBounds(area.min.x, area.min.y, area.max.x, area.max.y, &box.min.x,
                                                     &box.min.y, &box.max.x, &box.max.y, points_per_side) != 0;
  const bool finite =
      std::isfinite(box.min.x) && std::isfinite(box.min.y) && std::isfinite(box.max.x) && std::isfinite(box.max.y);
  return done && finite ? box : Rectangle{};
}

void warn_of_unknown_datum_shift(const PointTransform& transform, const std::string& parameter, Progress& progress) {
  const std::string caveat = transform.caveat();
  if (!caveat.empty()) progress.warn({"unknown_datum_shift", parameter + ": " + caveat});
}

GridGeometry::GridGeometry(const Crs& projected)
    : geographic_([&] {
        const std::unique_ptr<OGRSpatialReference> base(projected.reference().CloneGeogCS());
        return Crs::of(base.get());
      }()),
      to_geographic_(projected, geographic_),
      metres_per_unit_(projected.reference().GetLinearUnits()),
      degrees_per_unit_(degrees(geographic_.reference().GetAngularUnits())),
      semi_major_m_(geographic_.reference().GetSemiMajor()),
      flattening_(1.0 - geographic_.reference().GetSemiMinor() / geographic_.reference().GetSemiMajor()) {}

std::optional<GridDistortion> GridGeometry::at(Vec2 point) const {
  // Short enough for the curvature of the projection not to count, long enough for the digits of a coordinate.
  constexpr double reach_m = 50.0;
  const double reach = reach_m / metres_per_unit_;
  std::array<Vec2, 4> ends = {point - Vec2{reach, 0}, point + Vec2{reach, 0}, point - Vec2{0, reach},
                              point + Vec2{0, reach}};
  to_geographic_.apply(ends);
  geod_geodesic ellipsoid{};
  geod_init(&ellipsoid, semi_major_m_, flattening_);
  // Length and azimuth at the middle of the geodesic between two ends.
  const auto measure = [&](Vec2 from, Vec2 to) {
    double length_m = 0, azimuth_from = 0, azimuth_to = 0;
    geod_inverse(&ellipsoid, from.y * degrees_per_unit_, from.x * degrees_per_unit_, to.y * degrees_per_unit_,
                 to.x * degrees_per_unit_, &length_m, &azimuth_from, &azimuth_to);
    return std::pair(length_m, azimuth_from + 0.5 * wrapped_degrees(azimuth_to - azimuth_from));
  };
  const auto [east_m, east_azimuth] = measure(ends[0], ends[1]);
  const auto [north_m, north_azimuth] = measure(ends[2], ends[3]);
  if (!(east_m > 0) || !(north_m > 0)) return std::nullopt;
  return GridDistortion{.east_scale = 2 * reach_m / east_m,
                        .north_scale = 2 * reach_m / north_m,
                        .convergence_deg = wrapped_degrees(north_azimuth),
                        .axes_deg = wrapped_degrees(east_azimuth - north_azimuth)};
}

Crs utm_zone(double longitude_deg, double latitude_deg) {
  const int zone = std::clamp(static_cast<int>(std::floor(wrapped_degrees(longitude_deg) / 6.0)) + 31, 1, 60);
  return Crs::from_text("EPSG:" + std::to_string((latitude_deg < 0 ? 32700 : 32600) + zone));
}

Vec2 middle_of(const Crs& crs, const Rectangle& area) {
  const Vec2 middle = area.middle();
  if (!crs.is_geographic() || area.max.x - area.min.x <= 180.0) return middle;
  return {wrapped_degrees(middle.x + 180.0), middle.y};
}

Crs choose_environment_crs(const Crs& layer, const Rectangle& area) {
  const Vec2 middle = middle_of(layer, area);
  if (layer.is_projected_in_metres() && !layer.is_web_mercator()) {
    const std::optional<GridDistortion> grid = GridGeometry(layer).at(middle);
    if (grid && is_right_way_round(*grid) && scale_error(*grid) <= good_scale_error) return layer.identified();
  }
  const Vec2 place = PointTransform(layer, wgs84())(middle);
  if (!std::isfinite(place.x) || !std::isfinite(place.y)) {
    throw Error(ErrorKind::invalid_input, "no_transformation",
                "the middle of the buildings lies where " + layer.name() + " is not defined",
                "check that the layer has its true CRS");
  }
  return utm_zone(place.x, place.y);
}

std::vector<Issue> check_environment_crs(const Crs& crs, Vec2 middle) {
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorKind::invalid_input, "unsuitable_crs", "CRS " + crs.name() + " " + why,
                 "leave CRS empty, or choose " + utm_name_near(crs, middle), {});
  };
  if (crs.is_engineering()) {
    throw Error(ErrorKind::invalid_input, "engineering_crs",
                "CRS " + crs.name() + " is an engineering CRS, of which nobody knows where on Earth it lies",
                "give LOCAL_METRES to compute in its metres, with every input in the same ones");
  }
  if (!crs.is_projected()) throw refuse("is not a projected one, and tiles need metres");
  if (!crs.is_projected_in_metres()) throw refuse("does not count in metres");
  const std::optional<GridDistortion> grid = GridGeometry(crs).at(middle);
  if (const std::string flaw = flaw_of(crs, grid); !flaw.empty()) throw refuse(flaw);
  return scale_issues(crs, *grid);
}

std::vector<Issue> check_local_metres(const Crs& own, Vec2 middle, const ErrorPlace& place) {
  if (!own.is_projected()) return {};
  const std::optional<GridDistortion> grid = GridGeometry(own).at(middle);
  const std::string flaw = flaw_of(own, grid);
  if (flaw.empty()) return scale_issues(own, *grid);
  throw Error(ErrorKind::invalid_input, "false_local_metres",
              "LOCAL_METRES would take the coordinates for true metres, but their CRS " + own.name() + " " + flaw,
              "leave LOCAL_METRES out: the coordinates are transformed then; or take the CRS off the layer where its "
              "coordinates are true metres all the same",
              place);
}

void check_coordinates(const Crs& crs, const Rectangle& bounds, const ErrorPlace& place) {
  if (crs.empty() || bounds.empty()) return;
  const double x = std::max(std::abs(bounds.min.x), std::abs(bounds.max.x));
  const double y = std::max(std::abs(bounds.min.y), std::abs(bounds.max.y));
  if (crs.is_projected() && x <= 180.0 && y <= 90.0) {
    throw Error(ErrorKind::invalid_input, "degrees_as_metres",
                "the coordinates look like degrees, but the CRS " + crs.name() + " is in metres or feet",
                "assign the CRS that the coordinates are in (EPSG:4326 for WGS 84 longitude and latitude)", place);
  }
  // 400 grads are a full circle, too.
  if (crs.is_geographic() && (x > 400.0 || y > 100.0)) {
    throw Error(ErrorKind::invalid_input, "metres_as_degrees",
                "the coordinates go beyond ±180 and ±90 degrees, but the CRS " + crs.name() + " is geographic",
                "assign the projected CRS that the coordinates are in", place);
  }
}

}  // namespace tesseray
