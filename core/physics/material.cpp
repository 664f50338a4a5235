// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/material.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tesseray {
namespace {

constexpr std::array<ItuMaterial, 18> table{{
    {"vacuum", {1.0, 0.0, 0.0, 0.0, 0.001, 100.0}},
    {"concrete", {5.24, 0.0, 0.0462, 0.7822, 1.0, 100.0}},
    {"brick", {3.91, 0.0, 0.0238, 0.16, 1.0, 40.0}},
    {"plasterboard", {2.73, 0.0, 0.0085, 0.9395, 1.0, 100.0}},
    {"wood", {1.99, 0.0, 0.0047, 1.0718, 0.001, 100.0}},
    {"glass", {6.31, 0.0, 0.0036, 1.3394, 0.1, 100.0}},
    {"ceiling_board", {1.48, 0.0, 0.0011, 1.0750, 1.0, 100.0}},
    {"chipboard", {2.58, 0.0, 0.0217, 0.7800, 1.0, 100.0}},
    {"plywood", {2.71, 0.0, 0.33, 0.0, 1.0, 40.0}},
    {"marble", {7.074, 0.0, 0.0055, 0.9262, 1.0, 60.0}},
    {"floorboard", {3.66, 0.0, 0.0044, 1.3515, 50.0, 100.0}},
    {"vinyl_tile", {3.62, 0.0, 0.0051, 0.8422, 1.0, 40.0}},
    {"carpet_tile", {2.08, 0.0, 0.0009, 0.8200, 1.0, 40.0}},
    {"asphalt_concrete", {4.83, 0.0, 0.0108, 1.3969, 1.0, 40.0}},
    {"metal", {1.0, 0.0, 1e7, 0.0, 1.0, 100.0}},
    {"very_dry_ground", {3.0, 0.0, 0.00015, 2.52, 1.0, 10.0}},
    {"medium_dry_ground", {15.0, -0.1, 0.035, 1.63, 1.0, 10.0}},
    {"wet_ground", {30.0, -0.4, 0.15, 1.30, 1.0, 10.0}},
}};

// Values of OSM's building:material that are materials of the Recommendation under other names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> synonyms = {{
    {"bricks", "brick"},
    {"cement_block", "concrete"},
    {"reinforced_concrete", "concrete"},
    {"steel", "metal"},
    {"aluminium", "metal"},
    {"metal_plates", "metal"},
    {"timber", "wood"},
}};

}  // namespace

std::span<const ItuMaterial> itu_materials() { return table; }

const ItuMaterial* find_itu_material(std::string_view name) {
  for (const auto& [synonym, of] : synonyms) {
    if (name == synonym) name = of;
  }
  const auto* const found =
      std::find_if(table.begin(), table.end(), [&](const ItuMaterial& material) { return material.name == name; });
  return found == table.end() ? nullptr : found;
}

}  // namespace tesseray
