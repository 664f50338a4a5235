// SPDX-License-Identifier: GPL-3.0-or-later
// Transmitters from the attributes of their features. docs/inputs.md lists the fields and their aliases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/readers/antenna_choice.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/point_source.h"
#include "core/scene/elevation_range.h"

namespace tesseray {

// Heights of antennas: a place below the sea's level may be meant, one below ground or roof not.
inline constexpr double lowest_antenna_height_m = lowest_ground_m, highest_antenna_height_m = highest_elevation_m;
inline constexpr double lowest_power_dbm = -100.0, highest_power_dbm = 120.0;

// Makes a transmitter of each feature of a layer; only its convergence and its place in the environment are left out.
class TransmitterReader {
 public:
  // Finds the fields. Throws Error for one that is not there and for which the input has no default. All arguments
  // must outlive the reader.
  TransmitterReader(PointSource& points, const TransmitterInput& input, AntennaChoice& antennas);
  // Fields that look like azimuths, tilts, antennas, polarisations or references of heights, or like what has a default
  // in the input, and are not read.
  std::vector<std::string> overlooked_fields() const;
  // Fields of gains and losses where the powers are not called ERP: those may be the transmitters' own.
  std::vector<std::string> overlooked_gains() const;
  // What the name of the field of heights says that they count from, where something else is taken and no field of
  // references says so.
  std::optional<HeightReference> overlooked_reference() const;
  const std::optional<Attribute>& height() const { return height_; }
  const std::optional<Attribute>& erp() const { return erp_; }
  // Whether the feature itself says its antenna; else it has that of the input.
  bool names_antenna(const OGRFeature& feature) const { return antenna_ && antenna_->text(feature); }
  // Throws Error for a value that cannot be used, naming its field and feature.
  RawTransmitter read(const PointRow& row) const;

 private:
  double frequency_hz(const OGRFeature& feature) const;
  double height_m(const OGRFeature& feature, HeightReference reference) const;
  double erp_dbm(const OGRFeature& feature) const;
  double angle_deg(const std::optional<Attribute>& attribute, const OGRFeature& feature, double lowest,
                   double highest) const;
  HeightReference reference(const OGRFeature& feature) const;
  void choose_antenna(const OGRFeature& feature, RawTransmitter& transmitter) const;
  Error bad_value(const Attribute& attribute, const OGRFeature& feature, const std::string& message,
                  const std::string& hint) const;
  Error missing_value(const Attribute& attribute, const OGRFeature& feature, const std::string& parameter) const;

  PointSource& points_;
  const TransmitterInput& input_;
  AntennaChoice& antennas_;
  std::optional<Attribute> name_, frequency_, height_, erp_, azimuth_, downtilt_, electrical_tilt_, antenna_,
      polarization_, reference_;
  std::string erp_unit_;        // of bare numbers
  bool tilt_is_total_ = false;  // the downtilt's field holds both tilts together
};

}  // namespace tesseray
