// SPDX-License-Identifier: GPL-3.0-or-later
// Sources and destinations as users and QGIS write them: "city.gpkg|layername=roofs|subset=height > 3".
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tesseray {

// What stands between the bars, not yet understood: "city.gpkg" and {"layername", "roofs"}, keys in lower case.
struct SourceParts {
  std::string dataset;  // a path or a connection string
  std::vector<std::pair<std::string, std::string>> options;
};
SourceParts parts_of_source(const std::string& text);

struct SourceName {
  std::string dataset;
  std::string layer;  // empty: not given
  std::optional<int> layer_index;
  std::string filter;  // SQL condition; empty: all
};
// Throws Error for options that are not known.
SourceName parse_source_name(const std::string& source);

}  // namespace tesseray
