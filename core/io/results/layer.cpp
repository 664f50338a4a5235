// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/layer.h"

#include <bit>

namespace tesseray {

ResultHash hash_of_rows(const LayerRows& block) {
  ResultHash hash;
  for (const Value& value : block.values) {
    hash.add(static_cast<std::uint64_t>(value.type()));
    switch (value.type()) {
      case Value::Type::null:
        break;
      case Value::Type::integer:
        hash.add(static_cast<std::uint64_t>(value.as_integer()));
        break;
      case Value::Type::real:
        hash.add(std::bit_cast<std::uint64_t>(value.as_real()));
        break;
      case Value::Type::text:
        hash.add(value.as_text());
        break;
    }
  }
  for (std::size_t i = 0; i < block.geometries.size(); ++i) hash.add(block.geometries.wkb(i));
  return hash;
}

ResultHash hash_of_columns(const Layer& layer) {
  ResultHash hash;
  hash.add(static_cast<std::uint64_t>(layer.geometry));
  for (const Column& column : layer.columns) hash.add(column.name);
  return hash;
}

}  // namespace tesseray
