// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/best_server.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/units.h"
#include "core/physics/link_metrics.h"

namespace tesseray {
namespace {

// What one transmitter brings to a place.
struct Offer {
  std::uint32_t transmitter = 0;  // number in the span of transmitters
  const PredictedTarget* row = nullptr;
};

// Strongest first.
bool is_better(const Offer& a, const Offer& b) {
  return std::tuple(-a.row->received_power_dbm, a.row->transmitter_id) <
         std::tuple(-b.row->received_power_dbm, b.row->transmitter_id);
}

class Servers {
 public:
  Servers(std::span<const PredictedTransmitter> transmitters, const BestServerOptions& options)
      : transmitters_(transmitters),
        options_(options),
        noise_dbm_(noise_dbm(options.bandwidth_hz, options.noise_figure_db)),
        numbers_(transmitters) {}

  std::uint32_t number(std::int64_t transmitter_id) const { return numbers_.of(transmitter_id); }

  // REQUIRES: rows of one place, at least one.
  ServedPlace serve(std::span<const PredictedTarget* const> rows) const {
    ServedPlace place;
    place.tile_id = rows.front()->tile_id;
    place.kind = rows.front()->kind;
    place.centroid = rows.front()->centroid;
    const std::vector<Offer> offers = offers_of(rows);
    if (offers.empty() || offers.front().row->received_power_dbm < options_.min_power_dbm) return place;
    const Offer& best = offers.front();
    place.server = best.transmitter;
    place.received_power_dbm = best.row->received_power_dbm;
    place.path_loss_db = best.row->path_loss_db;
    const double least_dbm = std::max(best.row->received_power_dbm - options_.overlap_db, options_.min_power_dbm);
    place.servers = static_cast<std::uint32_t>(std::count_if(
        offers.begin(), offers.end(), [&](const Offer& offer) { return offer.row->received_power_dbm >= least_dbm; }));
    if (offers.size() > 1) {
      place.second = offers[1].transmitter;
      place.margin_db = best.row->received_power_dbm - offers[1].row->received_power_dbm;
    }
    add_interference(offers, place);
    return place;
  }

 private:
  // One per transmitter that reaches the place, strongest first.
  std::vector<Offer> offers_of(std::span<const PredictedTarget* const> rows) const {
    std::vector<Offer> offers;
    for (const PredictedTarget* row : rows) {
      if (std::isfinite(row->received_power_dbm)) offers.push_back({number(row->transmitter_id), row});
    }
    std::sort(offers.begin(), offers.end(), is_better);
    std::vector<Offer> strongest;
    for (const Offer& offer : offers) {
      const bool is_known = std::any_of(strongest.begin(), strongest.end(),
                                        [&](const Offer& known) { return known.transmitter == offer.transmitter; });
      if (!is_known) strongest.push_back(offer);
    }
    return strongest;
  }

  void add_interference(std::span<const Offer> offers, ServedPlace& place) const {
    const double frequency_hz = transmitters_[offers.front().transmitter].frequency_hz;
    std::vector<double> interferers_dbm;
    double sum = 0;
    for (const Offer& offer : offers.subspan(1)) {
      if (transmitters_[offer.transmitter].frequency_hz != frequency_hz || !(options_.load > 0)) continue;
      interferers_dbm.push_back(offer.row->received_power_dbm + decibels(options_.load));
      sum += power_ratio(interferers_dbm.back());
    }
    if (sum > 0) place.interference_dbm = decibels(sum);
    place.sinr_db = tesseray::sinr_db(place.received_power_dbm, interferers_dbm, noise_dbm_);
  }

  std::span<const PredictedTransmitter> transmitters_;
  BestServerOptions options_;
  double noise_dbm_;
  TransmitterNumbers numbers_;
};

}  // namespace

std::vector<ServedPlace> best_servers(std::span<const PredictedTarget> targets,
                                      std::span<const PredictedTransmitter> transmitters,
                                      const BestServerOptions& options) {
  const Servers servers(transmitters, options);
  for (const PredictedTarget& target : targets) servers.number(target.transmitter_id);
  std::vector<const PredictedTarget*> rows(targets.size());
  std::iota(rows.begin(), rows.end(), targets.data());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PredictedTarget* a, const PredictedTarget* b) { return a->tile_id < b->tile_id; });
  std::vector<ServedPlace> places;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last < rows.size() && rows[last]->tile_id == rows[first]->tile_id) ++last;
    places.push_back(servers.serve(std::span(rows).subspan(first, last - first)));
    first = last;
  }
  return places;
}

}  // namespace tesseray
