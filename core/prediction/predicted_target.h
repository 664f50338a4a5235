// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions as they are read back from a path_loss layer and the transmitters layer beside it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// A row of a path_loss layer. Any metric frame. NaN where nothing arrives, or where the layer does not say.
struct PredictedTarget {
  std::int64_t transmitter_id = 0;
  std::int64_t tile_id = 0;
  SurfaceKind kind = SurfaceKind::ground;
  Vec3 centroid;
  double path_loss_db = std::numeric_limits<double>::quiet_NaN();
  double basic_loss_db = std::numeric_limits<double>::quiet_NaN();
  double received_power_dbm = std::numeric_limits<double>::quiet_NaN();
  double field_dbuvm = std::numeric_limits<double>::quiet_NaN();
  bool line_of_sight = false;
};

struct PredictedTransmitter {
  std::int64_t transmitter_id = 0;
  std::string name;
  Vec3 position;
  double frequency_hz = 0;
};

// The places of transmitters in a list, by their ids.
class TransmitterNumbers {
 public:
  explicit TransmitterNumbers(std::span<const PredictedTransmitter> transmitters);
  // Throws Error(invalid_input) for an id that is not in the list.
  std::uint32_t of(std::int64_t transmitter_id) const;

 private:
  std::map<std::int64_t, std::uint32_t> numbers_;
};

}  // namespace tesseray
