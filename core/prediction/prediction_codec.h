// SPDX-License-Identifier: GPL-3.0-or-later
// A transmitter's prediction as bytes and back, to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/prediction/prediction.h"

namespace tesseray {

std::vector<std::uint8_t> encoded_prediction(const TransmitterPrediction& prediction);
// REQUIRES nothing: throws std::length_error when `bytes` are not a whole prediction.
TransmitterPrediction decoded_prediction(std::span<const std::uint8_t> bytes);

}  // namespace tesseray
