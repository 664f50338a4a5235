// SPDX-License-Identifier: GPL-3.0-or-later
// Radio fingerprints: what all transmitters bring to each place, and which place a measured vector is like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/infinity.h"
#include "core/prediction/predicted_target.h"

namespace tesseray {

// One transmitter as a receiver notices it; NaN for what is not known.
struct Signature {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  double power_dbm = nan;
  double delay_ns = nan;       // of the first ray
  double azimuth_deg = nan;    // of the strongest ray, from true north: where the receiver looks
  double elevation_deg = nan;  // of the same, up positive

  bool heard() const;  // with a power
};

struct FingerprintPlace {
  std::int64_t tile_id = 0;
  SurfaceKind kind = SurfaceKind::ground;
  Vec3 position;
  std::uint32_t heard = 0;  // transmitters
};

class Fingerprints {
 public:
  // Transmitters below `least_power_dbm` count as not heard, and places where none is heard are left out. A
  // transmitter that has several rows at a place counts with its strongest. Throws Error(invalid_input) for a row of a
  // transmitter that is not given.
  Fingerprints(std::span<const PredictedTarget> targets, std::span<const PredictedTransmitter> transmitters,
               double least_power_dbm = -infinity);

  const std::vector<FingerprintPlace>& places() const { return places_; }  // by tile_id
  std::size_t transmitters() const { return transmitters_; }
  // Of one place, by number of transmitter.
  std::span<const Signature> at(std::size_t place) const {
    return std::span(signatures_).subspan(place * transmitters_, transmitters_);
  }
  // The weakest power with which each transmitter is heard anywhere; NaN for those that are heard nowhere.
  const std::vector<double>& weakest_dbm() const { return weakest_dbm_; }
  // Whether any signature has an elevation, which predictions have only with wideband output.
  bool have_elevations() const;

 private:
  std::size_t transmitters_ = 0;
  std::vector<FingerprintPlace> places_;
  std::vector<Signature> signatures_;
  std::vector<double> weakest_dbm_;
};

struct MatchOptions {
  double power_sigma_db = 6;  // standard deviations of measurement and prediction together
  double delay_sigma_ns = 100;
  double azimuth_sigma_deg = 15;
  bool unknown_gain = false;   // powers are compared up to one number for all transmitters of a query …
  bool unknown_clock = false;  // … and delays likewise
  std::size_t neighbours = 4;  // places that the position is a mean of
};

struct FingerprintMatch {
  std::size_t best = 0;            // the most likely place
  Vec3 position;                   // mean of the likeliest places, weighted by likelihood
  double spread_m = 0;             // their weighted rms distance from it, in the plan
  double mismatch = 0;             // rms over the values compared, in standard deviations, at the best place
  std::uint32_t transmitters = 0;  // that were measured and are known
};

// What became of one query.
struct LocatedQuery {
  std::string name;
  std::optional<Vec2> known_position;     // where it was measured, when that is known
  std::optional<FingerprintMatch> match;  // empty: nothing could be compared

  double error_m() const;  // in the plan; NaN without a match or a known position
};

// Where a query fits best: the least sum of squared differences, each over its standard deviation. Differences are of
// powers, of delays and of azimuths, where both sides have them. A transmitter that is measured but not predicted at a
// place is compared with the weakest power that it is heard with anywhere, and one that is predicted but not measured
// likewise, if the query has powers at all. Of equally good places the one with the lower tile_id is best.
// Empty when the query has nothing in common with the fingerprints. REQUIRES: one signature per transmitter.
std::optional<FingerprintMatch> match_fingerprint(const Fingerprints& fingerprints, std::span<const Signature> query,
                                                  const MatchOptions& options);

}  // namespace tesseray
