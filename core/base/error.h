// SPDX-License-Identifier: GPL-3.0-or-later
// The one exception of Tesseray: what is wrong, where, and what to do about it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace tesseray {

// What an error means to the caller; each kind is one exit status of the executable.
enum class ErrorKind {
  invalid_input,  // exit 2: the input or a parameter is wrong; nothing was written
  resources,      // exit 3: out of memory budget or disk
  partial,        // exit 4: some transmitters failed while running
  cancelled,      // exit 130
  internal,       // exit 1: a fault of Tesseray itself
};

// Where an input is wrong. Empty members are left out of the message.
struct ErrorPlace {
  std::string file = {};
  std::string layer = {};
  std::string field = {};
  std::optional<std::int64_t> feature_id = {};
  std::optional<std::int64_t> line = {};
};

// Example:
//   throw Error(ErrorKind::invalid_input, "missing_crs", "the layer has no CRS",
//               "assign one in QGIS (Layer > Set CRS) or give LOCAL_METRES", {.file = path, .layer = "roofs"});
// what() reads: "roofs.shp, layer roofs: the layer has no CRS. Assign one in …".
class Error : public std::exception {
 public:
  // `code` is a stable word for programs (snake_case); `message` says what is wrong; `hint` what to do.
  Error(ErrorKind kind, std::string code, std::string message, std::string hint = {}, ErrorPlace place = {});

  const char* what() const noexcept override { return text_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  const std::string& code() const noexcept { return code_; }
  // The place and what is wrong, without the hint.
  const std::string& message() const noexcept { return message_; }
  const std::string& hint() const noexcept { return hint_; }
  const ErrorPlace& place() const noexcept { return place_; }

 private:
  ErrorKind kind_;
  std::string code_, message_, hint_, text_;
  ErrorPlace place_;
};

// The text of a place: "roofs.shp, layer roofs, feature 12", or "" when nothing is known.
std::string describe(const ErrorPlace& place);

}  // namespace tesseray
