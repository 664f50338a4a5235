// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements that nothing is compared with, and what is told of those that look like a wrong field or name.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/comparison/snapping.h"

namespace tesseray {

// Of a measurement whose transmitter the prediction does not have.
inline constexpr std::uint32_t unknown_transmitter = std::numeric_limits<std::uint32_t>::max();

// Why a measurement cannot be used whatever is predicted; empty when it can.
std::string unusable_because(const Measurement& measurement, std::uint32_t transmitter,
                             const ComparisonOptions& options);

// Names that differ are what most often leaves nothing to compare; those of both sides are told.
void warn_of_unknown_transmitters(const std::vector<Measurement>& measurements,
                                  const std::vector<std::uint32_t>& transmitter_of,
                                  const std::vector<PredictedTransmitter>& transmitters, Progress& progress);

// Of what the errors of all measurements, in their order, say why they were left out, and of what makes all of them
// doubtful. Each measurement is counted once, by the reason for which it is not used.
void warn_of_doubtful(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                      const std::vector<Snapped>& snapped, const ComparisonOptions& options, Progress& progress);

}  // namespace tesseray
