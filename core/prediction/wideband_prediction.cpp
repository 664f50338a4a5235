// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/wideband_prediction.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/units.h"
#include "core/propagation/rays/arrivals.h"

namespace tesseray {
namespace {

void append_number(std::string& text, double value, int digits) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  text.append(buffer.data(), end.ptr);
}

}  // namespace

double circular_spread_deg(double cosines, double sines, double all) {
  const double concentration = std::min(1.0, norm(Vec2{cosines, sines}) / all);
  return degrees(std::sqrt(1.0 - concentration * concentration));
}

WidebandPrediction predict_wideband(const ArrivalSums& sums, const WidebandSums& wideband) {
  WidebandPrediction prediction;
  const double all = sums.gain.value();
  if (sums.rays == 0 || !(all > 0)) return prediction;
  const auto spread = [all](const FixedPointSum& cosines, const FixedPointSum& sines) {
    return static_cast<float>(circular_spread_deg(cosines.value(), sines.value(), all));
  };
  prediction.arrival_elevation_deg = static_cast<float>(degrees(static_cast<double>(wideband.strongest_elevation)));
  prediction.elevation_spread_deg = spread(wideband.cos_elevation, wideband.sin_elevation);
  prediction.departure_azimuth_spread_deg = spread(wideband.departure_cos_azimuth, wideband.departure_sin_azimuth);
  prediction.departure_elevation_spread_deg =
      spread(wideband.departure_cos_elevation, wideband.departure_sin_elevation);
  const double others = all - sums.strongest_gain;
  if (sums.rays > 1 && others > 0) {
    prediction.k_factor_db = static_cast<float>(decibels(sums.strongest_gain / others));
  }
  return prediction;
}

std::string delay_profile_text(std::span<const ProfileRay> rays, double distance_m, double eirp_dbm) {
  std::string text;
  for (const ProfileRay& ray : rays) {
    text += text.empty() ? "[[" : ",[";
    append_number(text, (distance_m + static_cast<double>(ray.excess_length_m)) / speed_of_light * 1e9, 1);
    text += ',';
    append_number(text, eirp_dbm + decibels(static_cast<double>(ray.path_gain)), 2);
    text += ']';
  }
  return text.empty() ? text : text + ']';
}

WidebandPredictions::WidebandPredictions(const WidebandTable& table, std::size_t first,
                                         std::span<const ArrivalSums> sums,
                                         const std::function<Vec3(std::size_t)>& position_of,
                                         const Transmitter& transmitter, double receiver_gain_dbi) {
  for (std::size_t i = 0; i < sums.size() && table.wants_angles(); ++i) {
    angles_.push_back(predict_wideband(sums[i], table.sums(first + i)));
  }
  const auto receiver_gain = static_cast<float>(power_ratio(receiver_gain_dbi));
  for (std::size_t i = 0; i < sums.size() && table.wants_profiles(); ++i) {
    // Rays too weak for the sums are no signal (predict_target).
    if (received_gain(sums[i]) > 0) {
      for (ProfileRay ray : table.profile(first + i)) {
        ray.path_gain *= receiver_gain;
        profile_rays_.push_back(ray);
      }
    }
    profile_ends_.push_back(profile_rays_.size());
    distances_m_.push_back(norm(position_of(i) - transmitter.position));
  }
  set_power(transmitter);
}

void WidebandPredictions::set_power(const Transmitter& transmitter) {
  texts_.clear();
  text_ends_.clear();
  const std::span<const ProfileRay> rays(profile_rays_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < profile_ends_.size(); begin = profile_ends_[i++]) {
    texts_ += delay_profile_text(rays.subspan(begin, profile_ends_[i] - begin), distances_m_[i],
                                 transmitter.erp_dbm + half_wave_dipole_gain_dbi);
    text_ends_.push_back(texts_.size());
  }
}

std::string_view WidebandPredictions::profile(std::size_t target) const {
  const std::size_t begin = target == 0 ? 0 : text_ends_[target - 1];
  return std::string_view(texts_).substr(begin, text_ends_[target] - begin);
}

}  // namespace tesseray
