// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/source_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/io/sources/passwords.h"

namespace tesseray {
namespace {

constexpr std::array options_of_sources =
    std::to_array<std::string_view>({"layername", "layerid", "subset", "geometrytype", "uniquegeometrytype"});

bool begins_option(std::string_view text) {
  const std::string name = lower_case(text.substr(0, text.find('=')));
  return std::find(options_of_sources.begin(), options_of_sources.end(), name) != options_of_sources.end();
}

// Where the option that begins behind `bar` ends. SQL has bars of its own ("name || '%'").
std::size_t end_of_option(const std::string& text, std::size_t bar) {
  const bool is_sql = lower_case(text.substr(bar + 1, text.find('=', bar) - bar - 1)) == "subset";
  std::size_t next = text.find('|', bar + 1);
  while (is_sql && next != std::string::npos && !begins_option(std::string_view(text).substr(next + 1))) {
    next = text.find('|', next + 1);
  }
  return next;
}

}  // namespace

SourceParts parts_of_source(const std::string& text) {
  SourceParts parts;
  std::size_t bar = text.find('|');
  parts.dataset = text.substr(0, bar);
  while (bar != std::string::npos) {
    const std::size_t next = end_of_option(text, bar);
    const std::string option = text.substr(bar + 1, next == std::string::npos ? next : next - bar - 1);
    bar = next;
    const std::size_t equals = option.find('=');
    parts.options.emplace_back(lower_case(option.substr(0, equals)),
                               equals == std::string::npos ? "" : option.substr(equals + 1));
  }
  return parts;
}

SourceName parse_source_name(const std::string& source) {
  const SourceParts parts = parts_of_source(source);
  SourceName name{.dataset = parts.dataset, .layer = {}, .layer_index = {}, .filter = {}};
  for (const auto& [key, value] : parts.options) {
    if (key == "layername") {
      name.layer = value;
    } else if (key == "layerid") {
      int index = -1;
      std::from_chars(value.data(), value.data() + value.size(), index);
      name.layer_index = index;
    } else if (key == "subset") {
      name.filter = value;
    } else if (key != "geometrytype" && key != "uniquegeometrytype") {
      throw Error(ErrorKind::invalid_input, "unknown_source_option",
                  "\"|" + without_password(key + (value.empty() ? "" : "=" + value)) + "\" is not understood",
                  "write a layer as file.gpkg|layername=NAME", {.file = without_password(name.dataset)});
    }
  }
  return name;
}

}  // namespace tesseray
