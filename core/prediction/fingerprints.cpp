// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/fingerprints.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tesseray {
namespace {

// Squared differences of one kind of value, in standard deviations, as they come: with `up_to_a_constant` of what is
// left when the best constant is taken off all of them. That takes the place of one value, and may be far greater than
// they are (Welford's sums).
class Differences {
 public:
  explicit Differences(bool up_to_a_constant) : up_to_a_constant_(up_to_a_constant) {}

  void add(double difference) {
    ++added_;
    const double from_mean = difference - mean_;
    if (up_to_a_constant_) mean_ += from_mean / static_cast<double>(added_);
    squared_ += from_mean * (difference - mean_);
  }
  // That can differ.
  std::size_t count() const { return added_ - (up_to_a_constant_ && added_ > 0 ? 1 : 0); }
  double squared() const { return squared_; }

 private:
  bool up_to_a_constant_;
  double mean_ = 0, squared_ = 0;
  std::size_t added_ = 0;
};

// What a transmitter counts that was measured, by its delay or azimuth alone, and does not reach the place.
constexpr double missing_deviations = 3;

struct Mismatch {
  double squared = 0;
  std::size_t values = 0;
};

class Matcher {
 public:
  Matcher(const Fingerprints& fingerprints, std::span<const Signature> query, const MatchOptions& options)
      : fingerprints_(fingerprints), query_(query), options_(options) {
    has_powers_ = std::any_of(query.begin(), query.end(), [](const Signature& s) { return s.heard(); });
  }

  Mismatch at(std::size_t place) const {
    const std::span<const Signature> predicted = fingerprints_.at(place);
    Differences powers(options_.unknown_gain), delays(options_.unknown_clock);
    Mismatch mismatch;
    for (std::size_t t = 0; t < query_.size(); ++t) {
      if (is_missing(query_[t], predicted[t], t)) {
        mismatch.squared += missing_deviations * missing_deviations;
        ++mismatch.values;
        continue;
      }
      const double power_db = power_difference_db(query_[t], predicted[t], t);
      if (std::isfinite(power_db)) powers.add(power_db / options_.power_sigma_db);
      const double delay_ns = query_[t].delay_ns - predicted[t].delay_ns;
      if (std::isfinite(delay_ns)) delays.add(delay_ns / options_.delay_sigma_ns);
      const double azimuth_deg = std::remainder(query_[t].azimuth_deg - predicted[t].azimuth_deg, 360.0);
      if (!std::isfinite(azimuth_deg)) continue;
      const double deviations = azimuth_deg / options_.azimuth_sigma_deg;
      mismatch.squared += deviations * deviations;
      ++mismatch.values;
    }
    mismatch.squared += powers.squared() + delays.squared();
    mismatch.values += powers.count() + delays.count();
    return mismatch;
  }

  std::uint32_t transmitters() const {
    std::uint32_t known = 0;
    for (std::size_t t = 0; t < query_.size(); ++t) {
      known += is_measured(query_[t]) && std::isfinite(fingerprints_.weakest_dbm()[t]) ? 1 : 0;
    }
    return known;
  }

 private:
  static bool is_measured(const Signature& s) {
    return s.heard() || std::isfinite(s.delay_ns) || std::isfinite(s.azimuth_deg);
  }
  // Measured without its power, and not heard at the place though it is at others.
  bool is_missing(const Signature& measured, const Signature& predicted, std::size_t t) const {
    return is_measured(measured) && !measured.heard() && !predicted.heard() &&
           std::isfinite(fingerprints_.weakest_dbm()[t]);
  }
  // NaN where there is nothing to compare. One that is not heard is at most as strong as the weakest that is.
  double power_difference_db(const Signature& measured, const Signature& predicted, std::size_t t) const {
    const double weakest = fingerprints_.weakest_dbm()[t];
    if (measured.heard()) return measured.power_dbm - (predicted.heard() ? predicted.power_dbm : weakest);
    if (!has_powers_ || is_measured(measured) || !predicted.heard()) return Signature::nan;
    return weakest - predicted.power_dbm;
  }

  const Fingerprints& fingerprints_;
  std::span<const Signature> query_;
  const MatchOptions& options_;
  bool has_powers_ = false;
};

}  // namespace

double LocatedQuery::error_m() const {
  return match && known_position ? norm(match->position.xy() - *known_position) : Signature::nan;
}

bool Signature::heard() const { return std::isfinite(power_dbm); }

Fingerprints::Fingerprints(std::span<const PredictedTarget> targets, std::span<const PredictedTransmitter> transmitters,
                           double least_power_dbm)
    : transmitters_(transmitters.size()), weakest_dbm_(transmitters.size(), Signature::nan) {
  const TransmitterNumbers numbers(transmitters);
  // Room for what is needed and no more: there may be hundreds of transmitters at each of many places.
  std::vector<const PredictedTarget*> heard;
  heard.reserve(targets.size());
  for (const PredictedTarget& target : targets) {
    numbers.of(target.transmitter_id);
    if (target.received_power_dbm >= least_power_dbm) heard.push_back(&target);
  }
  std::stable_sort(heard.begin(), heard.end(), [](const auto* a, const auto* b) { return a->tile_id < b->tile_id; });
  std::size_t places = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (i == 0 || heard[i]->tile_id != heard[i - 1]->tile_id) ++places;
  }
  places_.reserve(places);
  signatures_.reserve(places * transmitters_);
  for (const PredictedTarget* target : heard) {
    if (places_.empty() || places_.back().tile_id != target->tile_id) {
      places_.push_back({target->tile_id, target->kind, target->centroid, 0});
      signatures_.resize(signatures_.size() + transmitters_);
    }
    const std::uint32_t t = numbers.of(target->transmitter_id);
    Signature& signature = signatures_[(places_.size() - 1) * transmitters_ + t];
    if (!signature.heard()) ++places_.back().heard;
    if (signature.heard() && signature.power_dbm >= target->received_power_dbm) continue;
    signature = {target->received_power_dbm, target->first_delay_ns, target->arrival_azimuth_deg,
                 target->arrival_elevation_deg};
  }
  for (std::size_t i = 0; i < signatures_.size(); ++i) {
    double& weakest = weakest_dbm_[i % transmitters_];
    weakest = std::fmin(weakest, signatures_[i].power_dbm);
  }
}

bool Fingerprints::have_elevations() const {
  return std::any_of(signatures_.begin(), signatures_.end(),
                     [](const Signature& s) { return std::isfinite(s.elevation_deg); });
}

std::optional<FingerprintMatch> match_fingerprint(const Fingerprints& fingerprints, std::span<const Signature> query,
                                                  const MatchOptions& options) {
  const Matcher matcher(fingerprints, query, options);
  std::vector<std::pair<double, std::size_t>> ranked;  // squared mismatch, place
  std::vector<Mismatch> mismatches(fingerprints.places().size());
  for (std::size_t place = 0; place < mismatches.size(); ++place) {
    mismatches[place] = matcher.at(place);
    if (mismatches[place].values > 0) ranked.emplace_back(mismatches[place].squared, place);
  }
  FingerprintMatch match;
  match.transmitters = matcher.transmitters();
  if (ranked.empty() || match.transmitters == 0) return std::nullopt;
  const std::size_t kept = std::clamp<std::size_t>(options.neighbours, 1, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
  ranked.resize(kept);
  match.best = ranked.front().second;
  const Mismatch& least = mismatches[match.best];
  match.mismatch = std::sqrt(least.squared / static_cast<double>(least.values));

  double all = 0, squares = 0;
  const auto weight = [&](double squared) { return std::exp(-0.5 * (squared - ranked.front().first)); };
  for (const auto& [squared, place] : ranked) {
    all += weight(squared);
    match.position = match.position + weight(squared) * fingerprints.places()[place].position;
  }
  match.position = (1.0 / all) * match.position;
  for (const auto& [squared, place] : ranked) {
    const double away_m = norm(fingerprints.places()[place].position.xy() - match.position.xy());
    squares += weight(squared) * away_m * away_m;
  }
  match.spread_m = std::sqrt(squares / all);
  return match;
}

}  // namespace tesseray
