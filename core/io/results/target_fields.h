// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a layer of path losses, and what they hold of a tile or receiver.
#pragma once

#include <ogrsf_frmts.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/io/results/layer_values.h"
#include "core/io/results/path_loss_file.h"
#include "core/prediction/predicted_target.h"

namespace tesseray {

// What only one row may have. A receiver's number stands in place of a tile's.
struct TargetKey {
  std::int64_t transmitter_id = 0, tile_id = 0;

  auto operator<=>(const TargetKey&) const = default;
};

// All but the geometry. Units are those of PredictedTarget.
class TargetFields {
 public:
  // `used`: the fields that must be there besides those of every path loss. From here on the layer reads no others.
  // Throws Error(invalid_input) where one is missing, and for texts among numbers.
  TargetFields(PathLossFile& file, const std::vector<std::string>& used);

  TargetKey key_of(const OGRFeature& row) const;
  // A target with what it is. Throws Error(invalid_input) where a value is missing or none that there is, as do those
  // that follow.
  PredictedTarget identity_of(const OGRFeature& row) const;
  // Sets what arrives at the target.
  void read_quantities(const OGRFeature& row, PredictedTarget& target) const;

  // `second`: the feature of the second row with the key, if it was found.
  [[noreturn]] void refuse_repeated(const TargetKey& key, std::optional<std::int64_t> second) const;

 private:
  bool are_of_receivers() const { return kind_ == none; }
  std::vector<int> numbers() const;
  void ignore_others(OGRLayer& layer) const;
  SurfaceKind required_kind(const OGRFeature& row) const;
  void require_both_or_neither(const OGRFeature& row, const PredictedTarget& target) const;

  static constexpr int none = LayerValues::missing;
  LayerValues values_;
  // Places in the layer.
  int transmitter_id_ = none, target_id_ = none, kind_ = none, path_loss_ = none, basic_loss_ = none,
      received_power_ = none, field_ = none, first_delay_ = none, mean_delay_ = none, arrival_azimuth_ = none,
      arrival_elevation_ = none, line_of_sight_ = none, receiver_gain_ = none, height_ = none;
};

}  // namespace tesseray
