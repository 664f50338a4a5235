// SPDX-License-Identifier: GPL-3.0-or-later
// What writer and reader of the environment file agree on.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/hash.h"
#include "core/scene/scene.h"

namespace tesseray {

inline constexpr int environment_format_version = 1;
inline constexpr char environment_table[] = "tesseray_environment";

// Of what the scene's hash leaves out of a CRS: PROJ versions spell it differently, but nobody does within a file.
inline std::uint64_t crs_hash(const LocalFrame& frame) {
  StableHash hash;
  hash.add(std::string_view(frame.crs_name));
  hash.add(std::string_view(frame.crs_wkt));
  return hash.value();
}

}  // namespace tesseray
