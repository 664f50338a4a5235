// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/source_name.h"

#include <charconv>
#include <cstddef>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/io/sources/passwords.h"

namespace tesseray {

SourceParts parts_of_source(const std::string& text) {
  SourceParts parts;
  std::size_t bar = text.find('|');
  parts.dataset = text.substr(0, bar);
  while (bar != std::string::npos) {
    const std::size_t next = text.find('|', bar + 1);
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
