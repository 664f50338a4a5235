// SPDX-License-Identifier: GPL-3.0-or-later
// The field with numbers of inhabitants, of districts and of points.
#pragma once

#include <optional>
#include <string>

#include "core/io/sources/attribute.h"

namespace tesseray {

// `requested`: as given for `parameter`; empty: by alias (population, inhabitants, …).
AttributeSearch population_search(const std::string& requested, const std::string& parameter);

// Empty where the feature has none. Throws Error at `place` for what is no number from 0 on.
std::optional<double> read_population(const Attribute& attribute, const OGRFeature& feature, ErrorPlace place);

}  // namespace tesseray
