// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/units.h"
#include "core/prediction/clutter_loss.h"

namespace tesseray {
namespace {

// What is left of a sum when rounding alone may make it negative.
double rest(double whole, double part) { return std::max(whole - part, 0.0); }

// `all`: the sum of powers, without the receiver's gain that rays have.
PowerShares shares_of(const RayLaunchingResult& result, double all, double receiver_gain) {
  const GainByMechanism& gains = result.ray_gains.front();
  double shown_rays = 0, shown_scattering = 0;
  for (const Ray& ray : result.rays) {
    (ray.mechanism == Mechanism::scattering ? shown_scattering : shown_rays) += ray.path_gain / receiver_gain;
  }
  const double scattering = rest(all, gains.sum());
  PowerShares shares;
  shares.direct = gains.direct / all;
  shares.reflection = gains.reflection / all;
  shares.diffraction = gains.diffraction / all;
  shares.over_rooftop = gains.over_rooftop / all;
  shares.through_building = gains.through_building / all;
  shares.scattering = scattering / all;
  shares.shown = (shown_rays + shown_scattering) / all;
  shares.other_rays = rest(gains.sum(), shown_rays) / all;
  shares.other_scattering = rest(scattering, shown_scattering) / all;
  return shares;
}

// [["free space",71.30],["R",8.25]], without what rounds to nothing; interactions are all there. JSON knows no number
// for a loss of all.
std::string losses_text(const std::vector<RayLoss>& losses) {
  constexpr double rounds_to_nothing_db = 0.005;
  std::string list;
  for (const RayLoss& loss : losses) {
    const bool is_interaction = loss.step.size() == 1;
    if (!is_interaction && std::fabs(loss.loss_db) < rounds_to_nothing_db) continue;
    std::array<char, 40> number{};
    std::snprintf(number.data(), number.size(), "%.2f", std::round(100 * loss.loss_db) / 100 + 0.0);
    list += (list.empty() ? "[\"" : ",[\"") + loss.step + "\"," +
            (std::isfinite(loss.loss_db) ? number.data() : "null") + "]";
  }
  return list.empty() ? list : "[" + list + "]";
}

}  // namespace

PointExplanation explain(const RayLaunchingResult& result, const Transmitter& transmitter, const Receiver& receiver,
                         const Scene& scene, const Tiling& tiling, double receiver_gain_dbi) {
  PointExplanation explanation;
  explanation.transmitter_id = transmitter.transmitter_id;
  explanation.transmitter = transmitter.name;
  explanation.prediction = predict_target(result.receivers.front(), receiver.position, transmitter, receiver_gain_dbi);
  if (result.wideband.wants_angles()) {
    explanation.angles = predict_wideband(result.receivers.front(), result.wideband.sums(result.tiles.size()));
  }
  const std::uint8_t clutter_class = scene.clutter.at(receiver.position.xy());
  if (clutter_class > 0) explanation.clutter_class = scene.clutter.classes[clutter_class - 1u];
  add_clutter_loss(scene.clutter.loss_db_at(receiver.position.xy()), transmitter, explanation.prediction);
  explanation.distance_m = norm(receiver.position - transmitter.position);
  explanation.free_space_loss_db = free_space_loss_db(explanation.distance_m, transmitter.frequency_hz);
  explanation.roofs_in_sight_db = 0.0 - 2 * decibels(result.left_in_sight.front().by_roofs);
  explanation.ground_in_sight_db = 0.0 - 2 * decibels(result.left_in_sight.front().with_ground);
  explanation.runs_along_ground = result.left_in_sight.front().ground == LeftInSight::Ground::along;
  explanation.without_power = result.rays_without_power.front();
  explanation.power_sum_dbm = explanation.interference_db = std::numeric_limits<double>::quiet_NaN();
  const double all = result.receivers.front().gain.value();
  if (!explanation.prediction.reached()) return explanation;

  const double eirp_dbm = transmitter.erp_dbm + half_wave_dipole_gain_dbi;
  const double receiver_gain = power_ratio(receiver_gain_dbi);
  explanation.power_sum_dbm = eirp_dbm + receiver_gain_dbi + decibels(all);
  explanation.interference_db = decibels(received_gain(result.receivers.front()) / all);
  explanation.shares = shares_of(result, all, receiver_gain);
  for (const Ray& ray : result.rays) {
    const int rank = static_cast<int>(explanation.rays.size()) + 1;
    explanation.rays.push_back({ray, rank, ray.path_gain / (receiver_gain * all), to_string(ray.mechanism),
                                route_in_words(ray, scene, tiling), losses_text(ray.losses)});
  }
  return explanation;
}

}  // namespace tesseray
