// SPDX-License-Identifier: GPL-3.0-or-later
// Values that may be missing, in JSON.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tesseray {

// null for NaN and infinities, which JSON does not have.
inline nlohmann::ordered_json or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? or_null(*value) : nlohmann::ordered_json(nullptr);
}
// null for an empty text.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace tesseray
