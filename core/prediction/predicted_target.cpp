// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/predicted_target.h"

#include "core/base/blank_text.h"
#include "core/base/error.h"

namespace tesseray {

std::vector<std::string> names_of(std::span<const PredictedTransmitter> transmitters) {
  std::vector<std::string> names;
  names.reserve(transmitters.size());
  for (const PredictedTransmitter& transmitter : transmitters) names.push_back(transmitter.name);
  return names;
}

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

TransmitterNames::TransmitterNames(std::span<const PredictedTransmitter> transmitters)
    : only_one_(transmitters.size() == 1) {
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
    by_name_.emplace(trimmed(transmitters[t].name), t);
    by_id_.emplace(std::to_string(transmitters[t].transmitter_id), t);
  }
}

std::optional<std::uint32_t> TransmitterNames::find(std::string_view text, bool may_be_id) const {
  const std::string name(trimmed(text));
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  if (is_blank(name)) return only_one_ ? std::optional<std::uint32_t>(0) : std::nullopt;
  if (!may_be_id) return std::nullopt;
  const auto found = by_id_.find(name);
  return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

bool TransmitterNames::is_name(std::string_view text) const { return by_name_.contains(std::string(trimmed(text))); }

}  // namespace tesseray
