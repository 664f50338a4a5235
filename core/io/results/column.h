// SPDX-License-Identifier: GPL-3.0-or-later
// A column of a layer, and what people read above it.
#pragma once

#include <string>
#include <string_view>

namespace tesseray {

enum class ColumnType { integer, real, text, boolean };

struct Column {
  std::string name;
  ColumnType type = ColumnType::integer;
  std::string description;  // what it is, with its unit
  bool is_newer = false;    // tables that earlier versions made lack it, and get it when rows are added to them
};

// The title of a column, made from its name by the rule that names end in their unit:
//   path_loss_db → "Path loss [dB]", field_dbuvm → "Field strength [dB(µV/m)]", roof_z → "Roof z [m]",
//   tile_id → "Tile ID"
// Every unit that ends a name of ours is known; other names keep their last word.
std::string column_title(std::string_view name);

}  // namespace tesseray
