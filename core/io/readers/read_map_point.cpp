// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

Error unreadable(const std::string& text, const std::string& parameter) {
  return {ErrorKind::invalid_input,
          "bad_point",
          "\"" + text + "\" is no point",
          "write x,y with decimal points, and the CRS in brackets if it is not the environment's: "
          "\"447000.5,5411000 [EPSG:25832]\"",
          {.field = parameter}};
}

Vec2 coordinates(const std::string& text, const std::string& numbers, const std::string& parameter) {
  const std::size_t comma = numbers.find(',');
  if (comma == std::string::npos) throw unreadable(text, parameter);
  // A further comma fails as part of the second number, where it would be read as a decimal one.
  const std::string second = numbers.substr(comma + 1);
  const std::optional<double> x = parse_number(numbers.substr(0, comma));
  const std::optional<double> y = second.find(',') == std::string::npos ? parse_number(second) : std::nullopt;
  if (!x || !y) throw unreadable(text, parameter);
  return {*x, *y};
}

}  // namespace

Vec2 read_map_point(const std::string& text, const LocalFrame& frame, const std::string& parameter,
                    Progress& progress) {
  const std::size_t open = text.find('[');
  const Vec2 point = coordinates(text, text.substr(0, open), parameter);
  const ErrorPlace place{.field = parameter};
  std::string_view name;
  if (open != std::string::npos) {
    const std::size_t close = text.rfind(']');  // WKT has brackets of its own
    if (close == std::string::npos) throw unreadable(text, parameter);
    name = trimmed(std::string_view(text).substr(open + 1, close - open - 1));
  }
  if (name.empty() || lower_case(name) == lower_case(frame.crs_name)) return point;
  if (frame.crs_wkt.empty()) {
    throw Error(ErrorKind::invalid_input, "point_in_local_metres",
                "the point is in " + std::string(name) + ", but the environment is in metres of no known CRS",
                "give the point in the metres of the environment, without a CRS", place);
  }
  const Crs own = Crs::from_text(std::string(name), place);
  const Rectangle there{point, point};
  check_coordinates(own, there, place);
  const Crs environment = Crs::from_text(frame.crs_wkt);
  const PointTransform transform(own, environment, there);
  const Vec2 transformed = transform(point);
  if (!std::isfinite(transformed.x) || !std::isfinite(transformed.y)) {
    throw Error(ErrorKind::invalid_input, "no_transformation",
                "the point cannot be transformed from " + own.name() + " to " + environment.name(),
                "check the coordinates and their CRS", place);
  }
  warn_of_unknown_datum_shift(transform, parameter, progress);
  return transformed;
}

}  // namespace tesseray
