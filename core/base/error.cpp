// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <utility>

namespace tesseray {

std::string describe(const ErrorPlace& place) {
  std::string text = place.file;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (!place.layer.empty()) add("layer " + place.layer);
  // Without a file, a parameter is meant.
  if (!place.field.empty()) add((place.file.empty() ? "" : "field ") + place.field);
  if (place.feature_id) add("feature " + std::to_string(*place.feature_id));
  if (place.line) add("line " + std::to_string(*place.line));
  return text;
}

namespace {

// Hints are stored as clauses; in what() they are sentences of their own.
std::string as_sentence(std::string clause) {
  if (clause.front() >= 'a' && clause.front() <= 'z') clause.front() = static_cast<char>(clause.front() - 'a' + 'A');
  return clause;
}

}  // namespace

Error::Error(ErrorKind kind, std::string code, std::string message, std::string hint, ErrorPlace place)
    : kind_(kind), code_(std::move(code)), hint_(std::move(hint)), place_(std::move(place)) {
  const std::string where = describe(place_);
  message_ = where.empty() ? std::move(message) : where + ": " + message;
  text_ = hint_.empty() ? message_ : message_ + (message_.ends_with('?') ? " " : ". ") + as_sentence(hint_);
}

}  // namespace tesseray
