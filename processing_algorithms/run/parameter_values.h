// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of one run, checked against their declarations and completed with defaults.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "processing_algorithms/run/parameter.h"

namespace tesseray {

// What a user gave: parameter name (UPPER_CASE) → text.
using GivenParameters = std::map<std::string, std::string>;

class ParameterValues {
 public:
  // Throws one Error(invalid_input) that lists everything that is wrong: unknown names (with the nearest known one),
  // missing, unreadable, out of range, files that are not there.
  ParameterValues(const std::vector<Parameter>& declared, const GivenParameters& given);

  // True when the parameter has a value, its default included.
  bool has(std::string_view name) const;
  // REQUIRES for the following: declared with that kind. Throw Error(internal) otherwise.
  const std::string& text(std::string_view name) const;  // "" for none
  double number(std::string_view name) const;            // REQUIRES: has(name)
  int integer(std::string_view name) const;              // REQUIRES: has(name)
  std::optional<double> optional_number(std::string_view name) const;
  bool flag(std::string_view name) const;  // false for none
  const std::vector<std::string>& chosen_words(std::string_view name) const;

  // The meaning of an enumeration's word.
  template <class T, std::size_t N>
  T choice(std::string_view name, const Choice<T> (&choices)[N]) const {
    for (const Choice<T>& candidate : choices) {
      if (text(name) == candidate.word) return candidate.value;
    }
    throw Error(ErrorKind::internal, "unknown_choice", "no meaning for the choice of " + std::string(name));
  }

  const std::vector<Parameter>& declared() const { return declared_; }
  const ParameterValue& value(std::string_view name) const;
  // All parameters that have a value, as one JSON object, without passwords.
  std::string to_json() const;

 private:
  template <class T>
  const T* value_as(std::string_view name) const;

  std::vector<Parameter> declared_;
  std::map<std::string, ParameterValue, std::less<>> values_;
};

// What a temporary file was made from: in words, and the sources themselves, as far as they are files.
struct CopyOrigin {
  std::string description;
  std::vector<std::string> sources;
  std::string name;  // what issues call it; empty: its file
};
using Copies = std::map<std::string, CopyOrigin>;  // by the temporary file's path

// What a front end gives on standard input.
struct Request {
  GivenParameters parameters;
  Copies copies;
};

// "--tile-area 5 …" as JSON gives it: {"TILE_AREA": 5}. Numbers, texts, booleans, null (not given) and lists (of
// words, or of numbers for an extent) where a parameter takes several; and under COPIES an object as
// docs/command_line.md tells. Throws Error(invalid_input) for anything else, and for what is given twice. `declared`:
// the tool's parameters.
Request request_from_json(const std::string& json, const std::vector<Parameter>& declared);

}  // namespace tesseray
