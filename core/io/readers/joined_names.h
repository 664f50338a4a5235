// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of names of fields that have parts in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace tesseray {

// The names of all lists, in their order.
template <std::size_t... counts>
constexpr auto joined(const std::array<std::string_view, counts>&... lists) {
  std::array<std::string_view, (counts + ...)> all;
  auto next = all.begin();
  ((next = std::copy(lists.begin(), lists.end(), next)), ...);
  return all;
}

}  // namespace tesseray
