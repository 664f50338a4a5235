// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/level_units.h"

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

struct LevelUnit {
  std::string_view text;      // behind a number
  std::string_view name_end;  // of a field, in letters alone
  double offset_db = 0;
  double db_per_decade = 0;  // of powers and field strengths themselves; 0: of levels
};

// Longer ends of names first.
constexpr std::array power_units = {LevelUnit{"dbm", "dbm"},        LevelUnit{"db", "db"},
                                    LevelUnit{"dbw", "dbw", 30},    LevelUnit{"mw", "mw", 0, 10},
                                    LevelUnit{"µw", "µw", -30, 10}, LevelUnit{"uw", "uw", -30, 10},
                                    LevelUnit{"w", "w", 30, 10}};
constexpr std::array field_units = {
    LevelUnit{"dbuv/m", "dbuvm"},     LevelUnit{"dbµv/m", "dbµvm"},    LevelUnit{"dbmv/m", "dbmvm", 60},
    LevelUnit{"dbv/m", "dbvm", 120},  LevelUnit{"uv/m", "uvm", 0, 20}, LevelUnit{"µv/m", "µvm", 0, 20},
    LevelUnit{"mv/m", "mvm", 60, 20}, LevelUnit{"v/m", "vm", 120, 20}, LevelUnit{"dbuv", "dbuv"},
    LevelUnit{"dbµv", "dbµv"},        LevelUnit{"dbm", "dbm"},         LevelUnit{"db", "db"}};
constexpr std::array loss_units = {LevelUnit{"dbm", "dbm"}, LevelUnit{"db", "db"}};

std::span<const LevelUnit> units_of(ValueKind kind) {
  if (kind == ValueKind::received_power) return power_units;
  if (kind == ValueKind::field_strength) return field_units;
  return loss_units;
}

// Units of powers are words of their own, since "w" ends many; those of field strengths may have signs within.
const LevelUnit* unit_in_name(const std::string& name, ValueKind kind) {
  const std::span<const LevelUnit> units = units_of(kind);
  std::vector<std::string_view> ends;
  for (const LevelUnit& unit : units) ends.push_back(unit.name_end);
  const std::string plain = plain_name(name);
  const std::string_view word = unit_at_end(name, ends);
  for (const LevelUnit& unit : units) {
    if (kind == ValueKind::field_strength ? plain.ends_with(unit.name_end) : word == unit.name_end) return &unit;
  }
  return nullptr;
}

std::optional<double> level_in(double value, const LevelUnit* unit) {
  if (unit == nullptr) return value;
  if (unit->db_per_decade == 0) return value + unit->offset_db;
  return value > 0 ? std::optional(unit->db_per_decade * std::log10(value) + unit->offset_db) : std::nullopt;
}

std::optional<double> parse_level(const std::string& text, ValueKind kind, const LevelUnit* unit_of_bare) {
  if (const std::optional<double> bare = parse_quantity(text, {}, 1.0)) return level_in(*bare, unit_of_bare);
  for (const LevelUnit& unit : units_of(kind)) {
    const std::array spelling = {Unit{unit.text, 1.0}};
    if (const std::optional<double> value = parse_quantity(text, spelling, 1.0)) return level_in(*value, &unit);
  }
  return std::nullopt;
}

}  // namespace

NumberCell read_level(const Attribute& attribute, const OGRFeature& feature, ValueKind kind) {
  const LevelUnit* const unit = unit_in_name(attribute.name(), kind);
  if (const std::optional<double> stored = attribute.stored_number(feature)) {
    const std::optional<double> level = level_in(*stored, unit);
    return {level, level ? std::string() : shortest(*stored)};
  }
  return read_number(attribute, feature, 1.0, [&](const std::string& text) { return parse_level(text, kind, unit); });
}

}  // namespace tesseray
