// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/point_source.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/listed.h"
#include "core/io/sources/source_crs.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

// Names of other languages are compared with ä, ö and ü as ae, oe and ue; "lange" is what is left of Länge where marks
// were dropped before.
constexpr std::array longitude_aliases = {
    Names("longitude"), Names("long"),         Names("lon"),      Names("lng"),        Names("longitudedeg"),
    Names("londeg"),    Names("gpslongitude"), Names("gpslon"),   Names("langengrad"), Names("laengengrad"),
    Names("lange"),     Names("laenge"),       Names("longitud"), Names("longitudine")};
constexpr std::array latitude_aliases = {
    Names("latitude"), Names("lat"),         Names("latitudedeg"), Names("latdeg"),  Names("gpslatitude"),
    Names("gpslat"),   Names("breitengrad"), Names("breite"),      Names("latitud"), Names("latitudine")};
constexpr std::array x_aliases = {Names("x"),      Names("xm"),         Names("easting"),
                                  Names("east"),   Names("xcoord"),     Names("coordx"),
                                  Names("pointx"), Names("rechtswert"), Names("ostwert")};
constexpr std::array y_aliases = {Names("y"),      Names("ym"),       Names("northing"),
                                  Names("north"),  Names("ycoord"),   Names("coordy"),
                                  Names("pointy"), Names("hochwert"), Names("nordwert")};

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

}  // namespace

PointSource::PointSource(const std::string& source, const std::string& crs, const LocalFrame& frame,
                         const std::string& parameter, Places places)
    : source_(source, VectorSource::Content::points, parameter),
      environment_(frame.crs_wkt.empty() ? Crs() : Crs::from_text(frame.crs_wkt)) {
  const std::string crs_parameter = parameter + "_CRS";
  const Crs given = crs.empty() ? Crs() : Crs::from_text(crs, {.field = crs_parameter});
  if (source_.layer().GetGeomType() == wkbNone) find_columns(given, places);
  if (has_places_) choose_crs(given, crs_parameter);
}

void PointSource::find_columns(const Crs& given, Places places) {
  const auto find = [&](std::span<const Names> aliases) { return find_attribute(source_, {.aliases = aliases}); };
  const auto find_pair = [&](std::span<const Names> for_x, std::span<const Names> for_y, bool degrees) {
    std::optional<Attribute> x = find(for_x), y = find(for_y);
    if (x && y && !columns_) columns_ = Columns{std::move(*x), std::move(*y), degrees};
  };
  const bool metres_first = environment_.empty() || (!given.empty() && !given.is_geographic());
  if (metres_first) find_pair(x_aliases, y_aliases, false);
  find_pair(longitude_aliases, latitude_aliases, true);
  find_pair(x_aliases, y_aliases, false);
  has_places_ = columns_.has_value() || places == Places::needed;
  if (columns_ || places == Places::optional) return;
  throw Error(ErrorKind::invalid_input, "no_coordinates",
              "there are no columns with coordinates: looked for lat and lon, latitude and longitude, x and y, "
              "easting and northing; its columns: " +
                  listed(field_names(source_.fields())),
              "name two columns of the header so", place());
}

void PointSource::choose_crs(const Crs& given, const std::string& crs_parameter) {
  own_crs_ = given.empty() ? source_.crs() : given;
  if (own_crs_.empty() && columns_ && columns_->are_degrees) own_crs_ = Crs::from_text("EPSG:4326");
  if (columns_ && columns_->are_degrees && !own_crs_.is_geographic()) {
    throw Error(ErrorKind::invalid_input, "degrees_as_metres",
                "its columns " + columns_->x.name() + " and " + columns_->y.name() + " are degrees, but " +
                    crs_parameter + " is " + own_crs_.name(),
                "leave " + crs_parameter + " empty, or name the columns x and y", place());
  }
  crs_ = source_crs(own_crs_, {{}, crs_parameter, environment_.empty()}, place());
}

std::optional<Attribute> PointSource::find(const AttributeSearch& search) {
  std::optional<Attribute> found = find_attribute(source_, search);
  if (found && columns_ && (found->name() == columns_->x.name() || found->name() == columns_->y.name())) return {};
  return found;
}

bool PointSource::holds_nothing(const OGRFeature& feature) {
  for (int i = 0; i < feature.GetFieldCount(); ++i) {
    if (feature.IsFieldSetAndNotNull(i) && !trimmed(feature.GetFieldAsString(i)).empty()) return false;
  }
  return true;
}

PointRow PointSource::row_of(const OGRFeature& feature) const {
  if (columns_) return row_from_columns(feature);
  PointRow row{feature, {nowhere, nowhere}, {}};
  if (!has_places_) return row;
  const OGRGeometry* geometry = feature.GetGeometryRef();
  if (geometry == nullptr || geometry->IsEmpty()) {
    row.problem = "there is no geometry";
    return row;
  }
  // Layers of multipoints with one point each are common: QGIS makes them.
  if (wkbFlatten(geometry->getGeometryType()) == wkbMultiPoint) {
    const OGRMultiPoint* points = geometry->toMultiPoint();
    if (points->getNumGeometries() > 1) {
      row.problem = "the feature has " + std::to_string(points->getNumGeometries()) + " points";
      return row;
    }
    geometry = points->getGeometryRef(0);
  }
  if (wkbFlatten(geometry->getGeometryType()) != wkbPoint) {
    row.problem = "the geometry is no point but a " + std::string(OGRGeometryTypeToName(geometry->getGeometryType()));
    return row;
  }
  row.position = {geometry->toPoint()->getX(), geometry->toPoint()->getY()};
  if (!std::isfinite(row.position.x) || !std::isfinite(row.position.y)) {
    row.problem = "a coordinate is not a finite number";
    row.position = {nowhere, nowhere};
  }
  return row;
}

PointRow PointSource::row_from_columns(const OGRFeature& feature) const {
  PointRow row{feature, {nowhere, nowhere}, {}};
  const auto read = [&](const Attribute& column) {
    const NumberCell cell =
        read_number(column, feature, 1.0, [](const std::string& text) { return parse_number(text); });
    if (!cell.value && row.problem.empty()) {
      const std::string text = column.name_in(feature);
      row.problem = column.name() + (text.empty() ? " is empty" : " \"" + text + "\" is not a number");
    }
    return cell.value.value_or(nowhere);
  };
  const Vec2 position{read(columns_->x), read(columns_->y)};
  if (columns_->are_degrees && std::abs(position.y) > 90.0) {
    row.problem = columns_->y.name() + " is beyond ±90 degrees (are the columns swapped?)";
  } else if (columns_->are_degrees && std::abs(position.x) > 360.0) {
    row.problem = columns_->x.name() + " is beyond ±360 degrees";
  }
  if (row.problem.empty()) row.position = position;
  return row;
}

Error PointSource::empty_source() { return source_.no_features("check what was given as " + source_.parameter()); }

void PointSource::warn_of_long_rows(Progress& progress) {
  const TableLines* lines = source_.table_lines();
  if (lines == nullptr || lines->too_long == 0) return;
  const std::string rows = lines->too_long == 1 ? "1 row has" : std::to_string(lines->too_long) + " rows have";
  progress.warn({"more_cells_than_columns",
                 place().file + ": " + rows + " more cells than the header (line " +
                     std::to_string(lines->first_too_long) + " has " + std::to_string(lines->cells_there) +
                     " and the header " + std::to_string(fields().GetFieldCount()) +
                     "); what is behind the last column is not read. Where commas separate, a number with a decimal "
                     "comma must stand between quotes, or is cut"});
}

void PointSource::to_environment(std::vector<Vec2>& positions, Progress& progress) {
  if (!has_places_) return;
  Rectangle bounds;
  for (const Vec2 p : positions) {
    if (std::isfinite(p.x)) bounds.extend(p);
  }
  check_coordinates(crs_, bounds, place());
  if (environment_.empty() && !bounds.empty()) check_local_metres(own_crs_, bounds.middle(), place());
  const PointTransform transform(crs_, environment_, bounds);
  warn_of_unknown_datum_shift(transform, source_.parameter(), progress);
  transform.apply(positions);
}

}  // namespace tesseray
