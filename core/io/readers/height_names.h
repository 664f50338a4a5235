// SPDX-License-Identifier: GPL-3.0-or-later
// Names of fields with heights of antennas, of transmitters and of receivers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/readers/joined_names.h"

namespace tesseray {

namespace height_names {

// What both are called by. Names of other languages are compared with ä, ö and ü as ae, oe and ue; "hohe" is what is
// left of Höhe where marks were dropped before.
inline constexpr auto of_any_antenna =
    std::to_array<std::string_view>({"antennaheight", "height", "agl", "heightagl", "heightaboveground", "antheight",
                                     "antennenhohe", "antennenhoehe", "hohe", "hoehe", "hauteur", "altura", "altezza"});
inline constexpr auto of_transmitters = std::to_array<std::string_view>({"hubheight", "txheight"});
inline constexpr auto of_receivers = std::to_array<std::string_view>({"receiverheight", "rxheight", "ueheight"});

}  // namespace height_names

inline constexpr auto antenna_height_aliases = joined(height_names::of_any_antenna, height_names::of_transmitters);
// Of receivers and of measurements.
inline constexpr auto receiver_height_aliases = joined(height_names::of_receivers, height_names::of_any_antenna);

// Whether a field may hold heights, though nobody can tell what they count from: "Z", "altitude", "height_asl".
bool sounds_like_height(const std::string& field);
std::vector<std::string> those_like_heights(const std::vector<std::string>& fields);

}  // namespace tesseray
