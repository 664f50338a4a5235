// SPDX-License-Identifier: GPL-3.0-or-later
// The usual names of what drive tests and other measurements hold.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/comparison/comparison.h"
#include "core/io/readers/transmitter_names.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

inline constexpr std::array measured_value_aliases = std::to_array<std::string_view>(
    {"rsrp",           "ssrsrp",        "nrssrsrp", "rscp",   "rssi",   "rxlev", "rxlevel",  "rxpower", "receivedpower",
     "signalstrength", "measured",      "dbm",      "power",  "signal", "level", "pathloss", "pl",      "loss",
     "basicloss",      "fieldstrength", "field",    "efield", "dbuvm",  "value"});
// Of these, those that only powers are called by.
inline constexpr std::array received_power_aliases = std::to_array<std::string_view>(
    {"rsrp", "ssrsrp", "nrssrsrp", "rscp", "rssi", "rxlev", "rxlevel", "rxpower", "receivedpower", "signalstrength",
     "measured", "dbm", "power", "signal", "level", "value"});
inline constexpr std::array measured_value_names = std::to_array<std::string_view>(
    {"dbm", "db", "dbuvm", "dbuv", "dbw", "w", "mw", "dbmvm", "dbvm", "uvm", "mvm", "vm"});
// By what is measured; of levels, which people call by each other's names, the general names follow.
inline constexpr std::array path_loss_aliases = std::to_array<std::string_view>({"pathloss", "pl", "loss"});
inline constexpr std::array basic_loss_aliases =
    std::to_array<std::string_view>({"basicloss", "basictransmissionloss"});
inline constexpr std::array field_strength_aliases =
    std::to_array<std::string_view>({"fieldstrength", "field", "efield", "dbuvm"});
inline constexpr std::array time_of_arrival_aliases = std::to_array<std::string_view>(
    {"timeofarrival", "toa", "arrivaltime", "firstdelay", "delay", "measured", "value"});
inline constexpr std::array timing_advance_aliases =
    std::to_array<std::string_view>({"timingadvance", "ta", "measured", "value"});
inline constexpr std::array time_names = std::to_array<std::string_view>({"ns", "us", "µs", "ms", "s"});
inline constexpr std::array time_units = {Unit{"ns", 1.0}, Unit{"us", 1e3}, Unit{"µs", 1e3}, Unit{"ms", 1e6},
                                          Unit{"s", 1e9}};
inline constexpr std::array timing_advance_units = {Unit{"steps", 1.0}};
inline constexpr std::array timing_advance_names = std::to_array<std::string_view>({"steps"});

// `requested`: the field's name where it was given as `parameter`.
inline AttributeSearch measured_value_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, measured_value_aliases, measured_value_names, {}};
}
// Nanoseconds in one of what a field of times holds, by its name.
inline double ns_in_unit_of(const Attribute& attribute) {
  const Unit* unit = find_unit(time_units, attribute.unit());
  return unit != nullptr ? unit->factor : 1.0;
}
// The searches for values of one kind, to be tried in turn.
inline std::vector<AttributeSearch> measured_value_searches(const std::string& requested, const std::string& parameter,
                                                            ValueKind kind) {
  const AttributeSearch any = measured_value_search(requested, parameter);
  const auto of = [&](std::span<const std::string_view> aliases) {
    return AttributeSearch{requested, parameter, aliases, measured_value_names, {}};
  };
  switch (kind) {
    case ValueKind::received_power:
      return {any};
    case ValueKind::path_loss:
      return {of(path_loss_aliases), any};
    case ValueKind::basic_loss:
      return {of(basic_loss_aliases), of(path_loss_aliases), any};
    case ValueKind::field_strength:
      return {of(field_strength_aliases), any};
    case ValueKind::time_of_arrival:
      return {{requested, parameter, time_of_arrival_aliases, time_names, {}}};
    case ValueKind::timing_advance:
      return {{requested, parameter, timing_advance_aliases, timing_advance_names, {}}};
  }
  return {any};
}
inline AttributeSearch measured_transmitter_search(const std::string& requested, const std::string& parameter) {
  return {requested, parameter, measured_transmitter_aliases, {}, {}};
}
// False for fields of a network's own numbers, which say nothing about the transmitters' order.
inline bool may_hold_transmitter_ids(const Attribute& attribute) {
  const std::string name = plain_name(attribute.name());
  return name != "pci" && name != "cellid" && name != "siteid";
}

}  // namespace tesseray
