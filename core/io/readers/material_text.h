// SPDX-License-Identifier: GPL-3.0-or-later
// Materials as people write them: by a name of ITU-R P.2040, or as permittivity and conductivity.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/physics/material.h"
#include "core/scene/scene.h"

namespace tesseray {

// Beyond these a number is in other units, or of something else. Water has 80; silver has 6.3e7 S/m.
inline constexpr double greatest_permittivity = 100, greatest_conductivity = 1e8;

// What to write, for messages.
inline constexpr std::string_view material_numbers_example =
    "relative permittivity and conductivity in S/m as in 5.31/0.0326";

// Relative permittivity and conductivity: "5.31/0.0326", "5,31; 0,0326 S/m", "5.31, 3.26e-2", "5.31 32.6 mS/m".
// Between them is a slash, a semicolon, or a comma or blanks that no number can hold ("5,01" is one number). Empty for
// anything else; the numbers may be out of range.
std::optional<ElectricProperties> parse_electric_properties(std::string_view text);

// What is out of the physical range: "the permittivity 0.5 is below 1, that of vacuum"; empty where nothing is.
std::string out_of_range(const ElectricProperties& properties);

// The one spelling of these properties, by which they are a material of a scene: "5.31/0.0326". Reads back as the same
// numbers.
std::string material_name(const ElectricProperties& properties);

// A name as find_itu_material() knows it: "Medium dry ground" is medium_dry_ground.
std::string material_word(std::string_view name);

// The material of that name: of those that find_itu_material() knows, or of one that material_name() spells.
std::optional<Material> material_named(const std::string& name);

}  // namespace tesseray
