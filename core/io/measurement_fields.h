// SPDX-License-Identifier: GPL-3.0-or-later
// The usual names of what drive tests and other measurements hold.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/io/attribute.h"
#include "core/io/text_values.h"

namespace tesseray {

inline constexpr std::array measured_value_aliases = std::to_array<std::string_view>(
    {"rsrp",      "ssrsrp",        "nrssrsrp", "rscp",   "rssi",  "rxlev",    "rxpower", "receivedpower",
     "measured",  "dbm",           "power",    "signal", "level", "pathloss", "pl",      "loss",
     "basicloss", "fieldstrength", "field",    "efield", "dbuvm", "value"});
inline constexpr std::array measured_value_names = std::to_array<std::string_view>({"dbm", "db", "dbuvm", "dbuv"});
inline constexpr std::array measured_value_units = {Unit{"dbm", 1.0}, Unit{"db", 1.0}, Unit{"dbuv/m", 1.0},
                                                    Unit{"dbµv/m", 1.0}};
inline constexpr std::array measured_transmitter_aliases =
    std::to_array<std::string_view>({"transmitter", "transmittername", "transmitterid", "cell", "cellname", "cellid",
                                     "pci", "sector", "site", "sitename", "siteid"});

// `requested`: the field's name where it was given as `parameter`.
inline AttributeSearch measured_value_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, measured_value_aliases, measured_value_names, {}};
}
inline AttributeSearch measured_transmitter_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, measured_transmitter_aliases, {}, {}};
}

}  // namespace tesseray
