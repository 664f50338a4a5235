// SPDX-License-Identifier: GPL-3.0-or-later
// Names of fields that name transmitters, in tables of them and in measurements.
#pragma once

#include <array>
#include <string_view>

#include "core/io/readers/joined_names.h"

namespace tesseray {

namespace transmitter_names {

inline constexpr auto of_transmitters = std::to_array<std::string_view>({"transmitter", "transmittername"});
inline constexpr auto of_cells = std::to_array<std::string_view>({"cell", "cellname", "cellid"});
inline constexpr auto of_sites =
    std::to_array<std::string_view>({"site", "sitename", "siteid", "zelle", "sektor", "standort"});

}  // namespace transmitter_names

// Of transmitters, whose features are called so themselves.
inline constexpr auto transmitter_name_aliases =
    joined(std::to_array<std::string_view>({"name"}), transmitter_names::of_transmitters, transmitter_names::of_cells,
           std::to_array<std::string_view>({"sector", "pci"}), transmitter_names::of_sites,
           std::to_array<std::string_view>({"id"}));
// Of measurements, whose own name and number are others.
inline constexpr auto measured_transmitter_aliases = joined(
    transmitter_names::of_transmitters, std::to_array<std::string_view>({"transmitterid"}), transmitter_names::of_cells,
    std::to_array<std::string_view>({"pci", "sector"}), transmitter_names::of_sites);

}  // namespace tesseray
