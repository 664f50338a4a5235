// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/predicted_target.h"

#include "core/base/error.h"

namespace tesseray {

TransmitterNumbers::TransmitterNumbers(std::span<const PredictedTransmitter> transmitters) {
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) numbers_.emplace(transmitters[t].transmitter_id, t);
}

std::uint32_t TransmitterNumbers::of(std::int64_t transmitter_id) const {
  const auto found = numbers_.find(transmitter_id);
  if (found != numbers_.end()) return found->second;
  throw Error(ErrorKind::invalid_input, "unknown_transmitter",
              "the layer transmitters has no transmitter " + std::to_string(transmitter_id),
              "give path losses with the transmitters of the same run beside them");
}

}  // namespace tesseray
