// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/parameter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

[[noreturn]] void reject(const std::string& what) { throw std::invalid_argument(what); }

// Independent of the locale; the whole text must be a finite number.
double plain_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !std::isfinite(number)) reject("'" + text + "' is no number");
  return number;
}

void check_range(const Parameter& parameter, double number, const std::string& text) {
  const std::string unit = parameter.unit.empty() ? "" : " " + parameter.unit;
  if (parameter.minimum && number < *parameter.minimum) {
    reject(text + " is below the minimum of " + shortest(*parameter.minimum) + unit);
  }
  if (parameter.maximum && number > *parameter.maximum) {
    reject(text + " is above the maximum of " + shortest(*parameter.maximum) + unit);
  }
  if (parameter.integer && number != std::floor(number)) reject(text + " is no whole number");
}

bool parse_boolean(const std::string& text) {
  const std::string word = lower_case(text);
  if (word == "true" || word == "1" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "0" || word == "no" || word == "off") return false;
  reject("'" + text + "' is neither true nor false");
}

std::string parse_choice(const Parameter& parameter, const std::string& text) {
  if (std::find(parameter.choices.begin(), parameter.choices.end(), text) != parameter.choices.end()) return text;
  if (parameter.check_other == nullptr) {
    reject("'" + text + "' is not one of " + join(parameter.choices, ", ") + did_you_mean(text, parameter.choices));
  }
  parameter.check_other(text);
  return text;
}

std::vector<std::string> parse_choices(const Parameter& parameter, const std::string& text) {
  std::vector<std::string> chosen;
  for (const std::string& word : split(text, ',')) {
    const std::string choice = parse_choice(parameter, word);
    if (std::find(chosen.begin(), chosen.end(), choice) != chosen.end()) reject("'" + word + "' is given twice");
    chosen.push_back(choice);
  }
  return chosen;
}

// Of an extent without area, xmin,xmax,ymin,ymax: two corners, or ends that are exchanged or the same.
std::string why_empty(const std::vector<double>& bounds) {
  const auto greater_side = [](double width, double height) { return std::max(std::fabs(width), std::fabs(height)); };
  const double as_it_is = greater_side(bounds[1] - bounds[0], bounds[3] - bounds[2]);
  const double of_corners = greater_side(bounds[2] - bounds[0], bounds[3] - bounds[1]);
  // Eastings and northings are far apart where they are taken for the two ends of one side.
  const bool is_of_corners = bounds[0] < bounds[2] && bounds[1] < bounds[3] && (as_it_is == 0 || of_corners < as_it_is);
  if (is_of_corners) return "this looks like xmin,ymin,xmax,ymax";
  const std::string axis = bounds[0] >= bounds[1] ? "x" : "y";
  const std::size_t first = bounds[0] >= bounds[1] ? 0 : 2;
  return axis + "min, " + shortest(bounds[first]) + ", is " +
         (bounds[first] == bounds[first + 1] ? axis + "max, too"
                                             : "greater than " + axis + "max, " + shortest(bounds[first + 1]));
}

// Checks "xmin,xmax,ymin,ymax [CRS]" and returns it as it is.
std::string parse_extent(const std::string& text) {
  const std::string numbers = text.substr(0, text.find('['));
  const std::vector<std::string> parts = split(numbers, ',');
  if (parts.size() != 4) reject("'" + text + "' is not xmin,xmax,ymin,ymax");
  std::vector<double> bounds;
  bounds.reserve(parts.size());
  for (const std::string& part : parts) bounds.push_back(plain_number(std::string(trimmed(part))));
  if (bounds[0] >= bounds[1] || bounds[2] >= bounds[3]) {
    reject("'" + text + "' is empty: it is xmin,xmax,ymin,ymax, and " + why_empty(bounds));
  }
  return text;
}

std::string parse_point(const std::string& text) {
  const std::vector<std::string> parts = split(text.substr(0, text.find('[')), ',');
  if (parts.size() != 2) reject("'" + text + "' is not x,y");
  for (const std::string& part : parts) plain_number(std::string(trimmed(part)));
  return text;
}

}  // namespace

bool is_input_source(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::vector_polygon:
    case ParameterKind::vector_point:
    case ParameterKind::vector_any:
    case ParameterKind::table:
    case ParameterKind::raster:
    case ParameterKind::file:
      return true;
    default:
      return false;
  }
}

bool is_destination(ParameterKind kind) {
  return kind == ParameterKind::layer_destination || kind == ParameterKind::file_destination;
}

std::string to_string(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::vector_polygon:
      return "vector polygon";
    case ParameterKind::vector_point:
      return "vector point";
    case ParameterKind::vector_any:
      return "vector any";
    case ParameterKind::table:
      return "table";
    case ParameterKind::raster:
      return "raster";
    case ParameterKind::field:
      return "field";
    case ParameterKind::number:
      return "number";
    case ParameterKind::distance:
      return "distance";
    case ParameterKind::string:
      return "string";
    case ParameterKind::enumeration:
      return "enum";
    case ParameterKind::crs:
      return "crs";
    case ParameterKind::extent:
      return "extent";
    case ParameterKind::point:
      return "point";
    case ParameterKind::boolean:
      return "boolean";
    case ParameterKind::file:
      return "file";
    case ParameterKind::layer_destination:
      return "layer destination";
    case ParameterKind::file_destination:
      return "file destination";
  }
  return {};
}

std::string option_name(std::string_view parameter_name) {
  std::string option = "--" + lower_case(parameter_name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

ParameterValue parse_value(const Parameter& parameter, const std::string& text) {
  if (text.empty()) return std::monostate();
  switch (parameter.kind) {
    case ParameterKind::number:
    case ParameterKind::distance: {
      const double number = plain_number(text);
      check_range(parameter, number, text);
      return number;
    }
    case ParameterKind::boolean:
      return parse_boolean(text);
    case ParameterKind::enumeration:
      if (parameter.multiple) return parse_choices(parameter, text);
      return parse_choice(parameter, text);
    case ParameterKind::extent:
      return parse_extent(text);
    case ParameterKind::point:
      return parse_point(text);
    default:
      return text;
  }
}

}  // namespace tesseray
