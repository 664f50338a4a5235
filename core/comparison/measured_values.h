// SPDX-License-Identifier: GPL-3.0-or-later
// What measured values are, and what of a prediction they are compared with.
//
// Powers, fields and losses are compared as a level in dB that grows with received power, arrival times in ns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comparison/comparison.h"

namespace tesseray {

// What is predicted of this kind, in the unit of the comparison, of a 0 dBi receiver; NaN where nothing arrives.
double predicted_value(const PredictedTarget& target, const ComparisonOptions& options);

// A measured value in the unit of the comparison: of a 0 dBi receiver, or one way from the transmitter.
double measured_value(double value, const ComparisonOptions& options);

// Whether a scanner could have measured it. Numbers that stand for none, such as −999 and 9999, it could not.
bool is_plausible(double value, ValueKind kind);

// At the scanner's floor: powers and fields at or below the limit, losses at or above it.
bool is_censored(double value, const ComparisonOptions& options);

// What says that values are not of the kind that they are given as, and the kinds that they look like.
struct ContradictedKind {
  std::string message, looks_like;
};

// Empty when their median can be one of that kind. Those that stand for none count only where they are the most.
std::optional<ContradictedKind> contradicted_kind(std::vector<double> values, ValueKind kind);

// Throws Error(invalid_input) when half of the values cannot be of the options' kind, or when an option is of another
// kind.
void require_values_of_kind(const std::vector<Measurement>& measurements, const ComparisonOptions& options);

}  // namespace tesseray
