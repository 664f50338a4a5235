// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions as they are read back from a path_loss layer and the transmitters layer beside it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// A row of a path_loss layer. Any metric frame. NaN where nothing arrives, or where the layer does not say.
struct PredictedTarget {
  std::int64_t transmitter_id = 0;
  std::int64_t tile_id = 0;
  SurfaceKind kind = SurfaceKind::ground;
  Vec3 centroid;
  Vec3 half_u, half_v;  // of a tile, from its centroid to the middles of two sides; zero where it is a point
  double height_m = 0;  // of a receiver above the ground
  double path_loss_db = std::numeric_limits<double>::quiet_NaN();
  double basic_loss_db = std::numeric_limits<double>::quiet_NaN();
  double received_power_dbm = std::numeric_limits<double>::quiet_NaN();
  double field_dbuvm = std::numeric_limits<double>::quiet_NaN();
  double receiver_gain_dbi = 0;  // that the power and the path loss contain
  double first_delay_ns = std::numeric_limits<double>::quiet_NaN();
  double mean_delay_ns = std::numeric_limits<double>::quiet_NaN();
  double arrival_azimuth_deg = std::numeric_limits<double>::quiet_NaN();    // of the strongest ray, from true north
  double arrival_elevation_deg = std::numeric_limits<double>::quiet_NaN();  // of the same
  bool line_of_sight = false;
};

struct PredictedTransmitter {
  std::int64_t transmitter_id = 0;
  std::string name;
  Vec3 position;
  double frequency_hz = 0;
};

std::vector<std::string> names_of(std::span<const PredictedTransmitter> transmitters);

// The places of transmitters in a list, by their ids.
class TransmitterNumbers {
 public:
  explicit TransmitterNumbers(std::span<const PredictedTransmitter> transmitters);
  // Throws Error(invalid_input) for an id that is not in the list.
  std::uint32_t of(std::int64_t transmitter_id) const;

 private:
  std::map<std::int64_t, std::uint32_t> numbers_;
};

// The same by what people call them: by name, or else by id; white space around it does not count.
class TransmitterNames {
 public:
  explicit TransmitterNames(std::span<const PredictedTransmitter> transmitters);
  // Nothing said, also in a word ("n/a") that is no name, is the only transmitter there is. Empty for an unknown one.
  // Numbers of a network (PCI, cell id) must not be taken for ids, and no others of a list in which any is a name:
  // they are names of transmitters that were not predicted. `may_be_id`.
  std::optional<std::uint32_t> find(std::string_view text, bool may_be_id) const;
  bool is_name(std::string_view text) const;

 private:
  bool only_one_;
  std::unordered_map<std::string, std::uint32_t> by_name_, by_id_;
};

}  // namespace tesseray
