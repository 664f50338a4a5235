// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/population_field.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array aliases = {Names("population"), Names("inhabitants"), Names("residents"), Names("einwohner"),
                                Names("persons"),    Names("people"),      Names("pop")};

// "1,250" may be 1250 or 1.25, by the reader's language.
bool may_have_thousands(const std::string& text) {
  const std::string_view number = trimmed(text);
  const std::size_t comma = number.find(',');
  return comma >= 1 && comma <= 3 && number.size() == comma + 4 && number.front() != '0' &&
         std::all_of(number.begin(), number.end(), [](char c) { return c == ',' || (c >= '0' && c <= '9'); }) &&
         std::count(number.begin(), number.end(), ',') == 1;
}

}  // namespace

AttributeSearch population_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, aliases, {}, "population"};
}

std::optional<double> read_population(const Attribute& attribute, const OGRFeature& feature, ErrorPlace place) {
  place.field = attribute.name();
  const NumberCell cell = read_number(attribute, feature, 1.0, [&](const std::string& text) {
    if (may_have_thousands(text)) {
      throw Error(ErrorKind::invalid_input, "ambiguous_number",
                  "\"" + text + "\" may be read with thousands or with decimals",
                  "write numbers of inhabitants without separators, or decimals with a point", place);
    }
    return parse_number(text);
  });
  if (cell.unreadable.empty() && cell.value.value_or(0) >= 0) return cell.value;
  throw Error(ErrorKind::invalid_input, "bad_value",
              "\"" + attribute.text(feature).value_or("") + "\" is not a number of inhabitants",
              "write a number from 0 on, or leave it empty where it is not known", place);
}

}  // namespace tesseray
