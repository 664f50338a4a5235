// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/population_field.h"

#include <array>
#include <string_view>

#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array names_of_population = {Names("population"), Names("inhabitants"), Names("residents"),
                                            Names("einwohner"),  Names("persons"),     Names("people"),
                                            Names("pop")};

}  // namespace

AttributeSearch population_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, names_of_population, {}, "population"};
}

std::optional<double> PopulationField::read(const OGRFeature& feature, ErrorPlace place) {
  place.field = name();
  const NumberCell cell = read_number(attribute_, feature, 1.0, [&](const std::string& text) {
    const std::optional<double> number = parse_number(text);
    if (number) note_sign(text, place);
    return number;
  });
  // Of another sign before decimals in the same row.
  if (parse_number(cell.unreadable)) throw ambiguous(cell.unreadable, place);
  if (cell.unreadable.empty() && cell.value.value_or(0) >= 0) return cell.value;
  throw Error(ErrorKind::invalid_input, "bad_value",
              "\"" + attribute_.text(feature).value_or("") + "\" is not a number of inhabitants",
              "write a number from 0 on, or leave it empty where it is not known", place);
}

void PopulationField::note_sign(const std::string& text, const ErrorPlace& place) {
  if (const std::optional<char> sign = possible_thousands_sign(text)) first_ambiguous_.try_emplace(*sign, text, place);
  if (const std::optional<char> sign = decimal_sign(text)) decimal_signs_.insert(*sign);
}

void PopulationField::refuse_ambiguous() const {
  for (const auto& [sign, first] : first_ambiguous_) {
    if (!decimal_signs_.contains(sign)) throw ambiguous(first.first, first.second);
  }
}

Error PopulationField::ambiguous(const std::string& text, const ErrorPlace& place) {
  return {ErrorKind::invalid_input, "ambiguous_number", "\"" + text + "\" may be read with thousands or with decimals",
          "write numbers of inhabitants without separators, or decimals with another number of digits (1.2500)", place};
}

}  // namespace tesseray
