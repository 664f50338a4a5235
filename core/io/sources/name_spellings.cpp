// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/name_spellings.h"

#include <iterator>
#include <string_view>

#include "core/base/listed.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

NameSpellings::NameSpellings(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto [known, is_new] = names_.emplace(trimmed(name));
    if (is_new) by_folded_name_.emplace(case_folded(*known), *known);
  }
}

std::string NameSpellings::known(const std::string& name) {
  const std::string_view without_space = trimmed(name);
  if (names_.contains(without_space) || is_blank(without_space)) return name;
  const auto [first, last] = by_folded_name_.equal_range(case_folded(without_space));
  if (first == last || std::next(first) != last) return name;
  taken_.emplace(without_space, first->second);
  ++times_;
  return first->second;
}

void NameSpellings::tell(const std::string& what, Progress& progress) const {
  if (taken_.empty()) return;
  std::vector<std::string> pairs;
  for (const auto& [name, known] : taken_) pairs.push_back("\"" + name + "\" for \"" + known + "\"");
  constexpr std::size_t most_shown = 5;
  progress.warn({"other_spelling", std::to_string(times_) + " of the " + what +
                                       (times_ == 1 ? " names its transmitter" : " name transmitters") +
                                       " in another spelling than the prediction (the case of letters, or marks as "
                                       "characters of their own), and " +
                                       (times_ == 1 ? "is" : "are") + " taken so: " + listed(pairs, most_shown)});
}

}  // namespace tesseray
