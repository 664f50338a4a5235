// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <utility>

namespace tesseray {

std::string describe(const ErrorPlace& place) {
  std::string text = place.file;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!place.layer.empty()) add("layer " + place.layer);
  if (!place.field.empty()) add("field " + place.field);
  if (place.feature_id) add("feature " + std::to_string(*place.feature_id));
  if (place.line) add("line " + std::to_string(*place.line));
  return text;
}

Error::Error(ErrorKind kind, std::string code, std::string message, std::string hint, ErrorPlace place)
    : kind_(kind), code_(std::move(code)), hint_(std::move(hint)), place_(std::move(place)) {
  const std::string where = describe(place_);
  message_ = where.empty() ? std::move(message) : where + ": " + message;
  text_ = hint_.empty() ? message_ : message_ + ". " + hint_;
}

}  // namespace tesseray
