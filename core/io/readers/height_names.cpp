// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/height_names.h"

#include <iterator>

#include "core/io/sources/attribute.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

constexpr auto height_stems =
    std::to_array<std::string_view>({"height", "hoehe", "hohe", "hauteur", "altura", "altezza", "altitud"});
// Too short to be looked for within names.
constexpr auto height_words = std::to_array<std::string_view>({"h", "z", "alt"});

}  // namespace

bool sounds_like_height(const std::string& field) {
  const std::string plain = plain_name(field);
  const auto is_within = [&plain](std::string_view stem) { return plain.find(stem) != plain.npos; };
  if (std::any_of(height_stems.begin(), height_stems.end(), is_within)) return true;
  const std::string_view unit = unit_at_end(field, length_names);
  const std::string_view bare =
      plain.ends_with(unit) ? std::string_view(plain).substr(0, plain.size() - unit.size()) : std::string_view(plain);
  return std::find(height_words.begin(), height_words.end(), bare) != height_words.end();
}

std::vector<std::string> those_like_heights(const std::vector<std::string>& fields) {
  std::vector<std::string> found;
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(found), sounds_like_height);
  return found;
}

}  // namespace tesseray
