// SPDX-License-Identifier: GPL-3.0-or-later
// Some of many items, in their order, chosen by a block of threads: by what they are, or drawn by chance.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {

// Memory that the block's threads share. Items are taken in parts that lie side by side, one after the other by each
// thread.
struct SelectionMemory {
  static constexpr std::uint32_t parts = 128, parts_of_group = 16;
  std::uint32_t before[parts + 1];  // how many are wanted before each part of the items, and before the end
  std::uint64_t chances[parts + 1];
  std::uint64_t before_group[parts / parts_of_group];
};

// Makes of what each part has, in sums[part + 1], what is before each part, and before the end.
template <class Block, class Number>
TESSERAY_HD void sum_over_parts(const Block& block, SelectionMemory& memory, Number* sums) {
  constexpr std::uint32_t parts = SelectionMemory::parts, of_group = SelectionMemory::parts_of_group;
  block.for_each(parts / of_group, [&](std::uint32_t group) {
    Number* const first = sums + 1 + group * of_group;
    for (std::uint32_t part = 1; part < of_group; ++part) first[part] += first[part - 1];
  });
  block.once([&] {
    sums[0] = 0;
    memory.before_group[0] = 0;
    for (std::uint32_t group = 1; group < parts / of_group; ++group) {
      memory.before_group[group] = memory.before_group[group - 1] + sums[group * of_group];
    }
  });
  block.for_each(
      parts, [&](std::uint32_t part) { sums[part + 1] += static_cast<Number>(memory.before_group[part / of_group]); });
}

// Calls visit(item) for the items of a part.
template <class Visit>
TESSERAY_HD void for_items_of_part(std::uint32_t part, std::uint32_t count, const Visit& visit) {
  const std::uint32_t length = (count + SelectionMemory::parts - 1) / SelectionMemory::parts;
  const std::uint32_t end = length * (part + 1) < count ? length * (part + 1) : count;
  for (std::uint32_t item = length * part; item < end; ++item) visit(item);
}

// Calls write(place, item) for each of `count` items of which wanted(item), `place` being how many such items stand
// before it. Returns how many there are. wanted_of(part) gives a wanted() for the items of a part, asked in their
// order.
template <class Block, class WantedOf, class Write>
TESSERAY_HD std::uint32_t select_by_parts(const Block& block, SelectionMemory& memory, std::uint32_t count,
                                          const WantedOf& wanted_of, const Write& write) {
  constexpr std::uint32_t parts = SelectionMemory::parts;
  block.for_each(parts, [&](std::uint32_t part) {
    auto wanted = wanted_of(part);
    std::uint32_t found = 0;
    for_items_of_part(part, count, [&](std::uint32_t item) { found += wanted(item) ? 1 : 0; });
    memory.before[part + 1] = found;
  });
  sum_over_parts(block, memory, memory.before);
  block.for_each(parts, [&](std::uint32_t part) {
    auto wanted = wanted_of(part);
    std::uint32_t place = memory.before[part];
    for_items_of_part(part, count, [&](std::uint32_t item) {
      if (wanted(item)) write(place++, item);
    });
  });
  return block.settled(memory.before[parts]);
}

template <class Block, class Wanted, class Write>
TESSERAY_HD std::uint32_t select_in_order(const Block& block, SelectionMemory& memory, std::uint32_t count,
                                          const Wanted& wanted, const Write& write) {
  return select_by_parts(
      block, memory, count, [&](std::uint32_t) { return wanted; }, write);
}

// The same for items that are drawn by chance (EvenDraw), each with chances_of(item).
template <class Block, class ChancesOf, class Write>
TESSERAY_HD std::uint32_t draw_in_order(const Block& block, SelectionMemory& memory, std::uint32_t count,
                                        std::uint64_t seed, const ChancesOf& chances_of, const Write& write) {
  block.for_each(SelectionMemory::parts, [&](std::uint32_t part) {
    std::uint64_t chances = 0;
    for_items_of_part(part, count, [&](std::uint32_t item) { chances += chances_of(item); });
    memory.chances[part + 1] = chances;
  });
  sum_over_parts(block, memory, memory.chances);
  const EvenDraw from_the_first(seed);
  return select_by_parts(
      block, memory, count,
      [&](std::uint32_t part) {
        return [draw = from_the_first.after(memory.chances[part]), &chances_of](std::uint32_t item) mutable {
          return draw.takes(chances_of(item));
        };
      },
      write);
}

}  // namespace tesseray
