// SPDX-License-Identifier: GPL-3.0-or-later
// Some of many items, in their order, chosen by a block of threads.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace tesseray {

// Memory that the block's threads share.
struct SelectionMemory {
  static constexpr std::uint32_t parts = 128;
  std::uint32_t before[parts + 1];  // how many are wanted before each part of the items, and before the end
};

// Calls write(place, item) for each of `count` items of which wanted(item), place being how many such items stand
// before it. Returns how many there are. Each thread takes parts of the items that lie side by side.
template <class Block, class Wanted, class Write>
TESSERAY_HD std::uint32_t select_in_order(const Block& block, SelectionMemory& memory, std::uint32_t count,
                                          const Wanted& wanted, const Write& write) {
  constexpr std::uint32_t parts = SelectionMemory::parts;
  const std::uint32_t length = (count + parts - 1) / parts;
  const auto for_part = [&](std::uint32_t part, const auto& visit) {
    const std::uint32_t end = length * (part + 1) < count ? length * (part + 1) : count;
    for (std::uint32_t item = length * part; item < end; ++item) {
      if (wanted(item)) visit(item);
    }
  };
  block.for_each(parts, [&](std::uint32_t part) {
    std::uint32_t found = 0;
    for_part(part, [&](std::uint32_t) { ++found; });
    memory.before[part + 1] = found;
  });
  block.once([&] {
    memory.before[0] = 0;
    for (std::uint32_t part = 0; part < parts; ++part) memory.before[part + 1] += memory.before[part];
  });
  block.for_each(parts, [&](std::uint32_t part) {
    std::uint32_t place = memory.before[part];
    for_part(part, [&](std::uint32_t item) { write(place++, item); });
  });
  return block.settled(memory.before[parts]);
}

}  // namespace tesseray
