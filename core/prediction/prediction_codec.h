// SPDX-License-Identifier: GPL-3.0-or-later
// A transmitter's prediction as bytes and back, to the last bit: all but its id and what its power alone makes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/prediction/prediction.h"

namespace tesseray {

std::vector<std::uint8_t> encoded_prediction(const TransmitterPrediction& prediction);
// What was encoded, as the prediction of `transmitter`, which may have another id and power. REQUIRES nothing: throws
// std::length_error when `bytes` are not a whole prediction.
TransmitterPrediction decoded_prediction(std::span<const std::uint8_t> bytes, const Transmitter& transmitter);

}  // namespace tesseray
