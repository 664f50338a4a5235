// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/population_field.h"

#include <array>
#include <string_view>

#include "core/io/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array aliases = {Names("population"), Names("inhabitants"), Names("residents"), Names("einwohner"),
                                Names("persons"),    Names("people"),      Names("pop")};

}  // namespace

AttributeSearch population_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, aliases, {}, "population"};
}

std::optional<double> read_population(const Attribute& attribute, const OGRFeature& feature, ErrorPlace place) {
  const NumberCell cell =
      read_number(attribute, feature, 1.0, [](const std::string& text) { return parse_number(text); });
  if (cell.unreadable.empty() && cell.value.value_or(0) >= 0) return cell.value;
  place.field = attribute.name();
  throw Error(ErrorKind::invalid_input, "bad_value",
              "\"" + attribute.text(feature).value_or("") + "\" is not a number of inhabitants",
              "write a number from 0 on, or leave it empty where it is not known", place);
}

}  // namespace tesseray
