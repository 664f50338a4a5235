// SPDX-License-Identifier: GPL-3.0-or-later
// Angles at both ends, K factor and power-delay profile of targets (docs/wideband.md; ITU-R P.1407).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/wideband.h"
#include "core/scene/transmitter.h"

namespace tesseray {

// One transmitter at one target; NaN where nothing arrives.
struct WidebandPrediction {
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  float arrival_elevation_deg = nan;  // of the strongest ray: where the receiver looks, up positive
  float elevation_spread_deg = nan;   // of the arrival elevation
  float departure_azimuth_spread_deg = nan;
  float departure_elevation_spread_deg = nan;
  float k_factor_db = nan;  // the strongest ray over all others; NaN for a single ray
};

// √(1 − R²) in degrees, R being the length of the mean of unit vectors: of power `all`, whose sums these are.
double circular_spread_deg(double cosines, double sines, double all);

WidebandPrediction predict_wideband(const ArrivalSums& sums, const WidebandSums& wideband);

// A profile as JSON, strongest ray first: [[delay_ns,power_dbm],…], to 0.1 ns and 0.01 dB. "" without rays.
std::string delay_profile_text(std::span<const ProfileRay> rays, double distance_m, double eirp_dbm);

// Of all targets of one kind.
class WidebandPredictions {
 public:
  WidebandPredictions() = default;
  // `sums` are of the table's targets from `first` on, `position_of` gives their places; the gain is the receiving
  // antenna's in its maximum.
  WidebandPredictions(const WidebandTable& table, std::size_t first, std::span<const ArrivalSums> sums,
                      const std::function<Vec3(std::size_t)>& position_of, const Transmitter& transmitter,
                      double receiver_gain_dbi);

  // About: the text of a profile's ray has some 17 characters.
  static std::size_t bytes_per_target(bool angles, std::size_t profile_rays) {
    return (angles ? sizeof(WidebandPrediction) : 0) + (sizeof(ProfileRay) + 17) * profile_rays;
  }

  bool has_angles() const { return !angles_.empty(); }
  bool has_profiles() const { return !profile_ends_.empty(); }
  const WidebandPrediction& angles(std::size_t target) const { return angles_[target]; }
  // As delay_profile_text() says.
  std::string_view profile(std::size_t target) const;
  // Makes the powers of profiles those of this transmitter's power.
  void set_power(const Transmitter& transmitter);

  // All but what set_power() makes, to or from an archive (core/base/byte_archive.h).
  template <class Archive, class Predictions>
  static void fields(Archive& archive, Predictions& predictions) {
    archive.list(predictions.angles_, 5 * sizeof(float), [&](auto& angles) {
      archive.field(angles.arrival_elevation_deg);
      archive.field(angles.elevation_spread_deg);
      archive.field(angles.departure_azimuth_spread_deg);
      archive.field(angles.departure_elevation_spread_deg);
      archive.field(angles.k_factor_db);
    });
    archive.list(predictions.profile_rays_, 2 * sizeof(float), [&](auto& ray) {
      archive.field(ray.path_gain);
      archive.field(ray.excess_length_m);
    });
    archive.list(predictions.profile_ends_, sizeof(std::uint64_t), [&](auto& end) { archive.field(end); });
    archive.list(predictions.distances_m_, sizeof(double), [&](auto& distance_m) { archive.field(distance_m); });
  }

 private:
  std::vector<WidebandPrediction> angles_;
  std::vector<ProfileRay> profile_rays_;  // of one target after the other
  std::vector<std::size_t> profile_ends_;
  std::vector<double> distances_m_;  // straight, of targets with profiles
  std::string texts_;                // one after the other
  std::vector<std::size_t> text_ends_;
};

}  // namespace tesseray
