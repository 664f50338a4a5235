// SPDX-License-Identifier: GPL-3.0-or-later
// The field with numbers of inhabitants, of districts and of points.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/io/sources/attribute.h"

namespace tesseray {

// `requested`: as given for `parameter`; empty: by alias (population, inhabitants, …).
AttributeSearch population_search(const std::string& requested, const std::string& parameter);

// The field that was found, which is read feature by feature.
class PopulationField {
 public:
  explicit PopulationField(Attribute attribute) : attribute_(std::move(attribute)) {}

  const std::string& name() const { return attribute_.name(); }
  // Empty where the feature has none. Throws Error at `place` for what is no number from 0 on.
  std::optional<double> read(const OGRFeature& feature, ErrorPlace place);
  // Throws Error for a text such as "1,250" or "1.250", which are 1250 or 1.25 by the writer's language, when none of
  // those read has its sign before decimals ("2,5", "0.250"). Stored numbers are what they are.
  void refuse_ambiguous() const;

 private:
  void note_sign(const std::string& text, const ErrorPlace& place);
  static Error ambiguous(const std::string& text, const ErrorPlace& place);

  Attribute attribute_;
  std::map<char, std::pair<std::string, ErrorPlace>> first_ambiguous_;  // by sign
  std::set<char> decimal_signs_;
};

}  // namespace tesseray
