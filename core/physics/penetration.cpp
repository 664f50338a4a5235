// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/penetration.h"

#include <algorithm>
#include <array>

#include "core/physics/material.h"

namespace tesseray {
namespace {

// at_zero_db + per_ghz_db · f/GHz.
struct LinearLoss {
  double at_zero_db, per_ghz_db;
};
constexpr LinearLoss multi_pane_glass{2, 0.2}, coated_glass{23, 0.3}, concrete{5, 4}, wood{4.85, 0.12};
constexpr std::array<std::string_view, 7> light{"wood",    "plasterboard", "ceiling_board", "chipboard",
                                                "plywood", "floorboard",   "carpet_tile"};

LinearLoss loss_of(std::string_view name) {
  const ItuMaterial* const known = find_itu_material(name);
  const std::string_view material = known != nullptr ? known->name : name;
  if (material == "glass") return multi_pane_glass;
  if (material == "metal") return coated_glass;
  return std::find(light.begin(), light.end(), material) != light.end() ? wood : concrete;
}

}  // namespace

double wall_penetration_loss_db(std::string_view material, double frequency_hz) {
  const LinearLoss loss = loss_of(material);
  return loss.at_zero_db + loss.per_ghz_db * frequency_hz * 1e-9;
}

}  // namespace tesseray
