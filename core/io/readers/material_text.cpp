// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/material_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

// Units and what they put behind the number's digits: read together, 32.6 mS/m is 0.0326 S/m to the last bit.
struct ConductivityUnit {
  std::string_view name, exponent;
};
constexpr std::array<ConductivityUnit, 3> conductivity_units{{{"mS/m", "e-3"}, {"S/m", ""}, {"s/m", ""}}};

// The two texts around what parts them; commas and blanks part them only where nothing else does.
std::optional<std::pair<std::string_view, std::string_view>> parted(std::string_view text) {
  for (const std::string_view sign : {";", "/", ", ", " ", ","}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    // Without a point beside it, a comma without a blank is that of a decimal.
    if (sign == "," && text.find('.') == std::string_view::npos) return std::nullopt;
    return std::pair(text.substr(0, at), text.substr(at + sign.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ElectricProperties> parse_electric_properties(std::string_view text) {
  std::string_view numbers = trimmed(text);
  std::string_view exponent;
  for (const ConductivityUnit& unit : conductivity_units) {
    if (!numbers.ends_with(unit.name)) continue;
    numbers = trimmed(numbers.substr(0, numbers.size() - unit.name.size()));
    exponent = unit.exponent;
    break;
  }
  const auto parts = parted(numbers);
  if (!parts) return std::nullopt;
  const std::optional<double> permittivity = parse_number(parts->first),
                              conductivity = parse_number(std::string(parts->second).append(exponent));
  if (!permittivity || !conductivity) return std::nullopt;
  return ElectricProperties{*permittivity, *conductivity};
}

std::string out_of_range(const ElectricProperties& properties) {
  const auto [permittivity, conductivity] = properties;
  const std::string of_permittivity = "the permittivity " + shortest(permittivity);
  const std::string of_conductivity = "the conductivity " + shortest(conductivity) + " S/m";
  if (permittivity < 1) return of_permittivity + " is below 1, that of vacuum";
  if (permittivity > greatest_permittivity) return of_permittivity + " is above " + shortest(greatest_permittivity);
  if (conductivity < 0) return of_conductivity + " is below 0";
  if (conductivity > greatest_conductivity) return of_conductivity + " is above " + shortest(greatest_conductivity);
  return {};
}

std::string material_name(const ElectricProperties& properties) {
  return shortest(properties.permittivity) + "/" + shortest(properties.conductivity);
}

std::string material_word(std::string_view name) {
  std::string word = lower_case(trimmed(name));
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

std::optional<Material> material_named(const std::string& name) {
  if (const ItuMaterial* known = find_itu_material(name)) {
    const MaterialPowerLaw& law = known->law;
    return Material{name, law.a, law.b, law.c, law.d, law.minimum_ghz, law.maximum_ghz};
  }
  const std::optional<ElectricProperties> numbers = parse_electric_properties(name);
  if (!numbers) return std::nullopt;
  return Material{.name = name, .a = numbers->permittivity, .b = 0, .c = numbers->conductivity, .d = 0};
}

}  // namespace tesseray
