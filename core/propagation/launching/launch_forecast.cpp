// SPDX-License-Identifier: GPL-3.0-or-later
// Fits to launches over synthetic cities of 1, 5 and 20 km² (docs/benchmarks/propagation.md): seconds of two cores, of
// which only the ratios matter. With weak rays drawn by chance and one diffraction to sixteen of today's launches,
// three antennas over 5 and 20 km²; all else to 60 earlier ones, antennas 3 to 120 m high.
#include "core/propagation/launching/launch_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/propagation/tubes/tube.h"

namespace tesseray {
namespace {

// What of all row entries the transmitter's first rays meet.
double lit_share(const LaunchExtent& extent) {
  return (extent.entries_of_lit_tiles + extent.entries_of_lit_edges) / extent.row_entries;
}

double share_in_sight(const LaunchExtent& extent) { return extent.tiles_in_sight / extent.tiles; }

// With what roofs and ground near the way leave of rays in sight, and of the way from the ground to the roofs. Ways are
// longer in a larger city, and from a low antenna more comes near to them.
double seconds_in_sight(const LaunchExtent& extent) {
  const double from_above = std::max(9e-6, 2.8e-8 * extent.hidden_distance_m);
  const double ray = share_in_sight(extent) < many_in_sight ? 2 * from_above : from_above;
  return 0.3e-6 * extent.tiles + ray * extent.tiles_in_sight;
}

// Rays over the roofs go further, and over more roofs, in a larger city. On what is not level, what the ground reflects
// and screens is looked for along each (Lyon and the synthetic city, five antennas: 2.0 to 2.6 times; 0.9 and 1.3 in
// Munich, which is level).
double first_level_seconds(const LaunchExtent& extent, OverRooftop over_rooftop) {
  const double hidden = extent.tiles - extent.tiles_in_sight, straight = seconds_in_sight(extent);
  const double by_ground = extent.is_ground_level ? 1 : 2.1;
  if (over_rooftop == OverRooftop::none) return by_ground * straight;
  const double farther = std::pow(extent.hidden_distance_m / 1000, 0.68);
  const double profile = 3.8e-6 * farther, screens = 3.4e-6 * farther;
  const double ray = over_rooftop == OverRooftop::screens ? profile + screens : profile;
  return by_ground * (straight + hidden * ray);
}

// Per row entry, as all that follow.
double bounces_seconds(const LaunchExtent& extent, const RayLaunchingOptions& options) {
  const double lit = lit_share(extent);
  if (options.max_bounces == 1) return 0.02 + 0.34 * lit;
  const bool twice_diffracted = options.max_diffractions > 1;
  if (!extent.draws_by_chance) {
    return twice_diffracted ? 0.5 + 75 * lit / (0.25 + lit) : 1.3 + 4.5 * lit / (1 + 1.1 * lit * lit);
  }
  if (twice_diffracted) {
    const double deep = options.max_bounces == 2 ? 0.6 : 1;
    if (share_in_sight(extent) >= many_in_sight) return deep * 7.8;
    // The few tubes of a larger city are spread over more of it.
    const double first = 48 * std::min(lit, 0.03) * std::pow(extent.row_entries / 3e8, -0.4);
    return deep * (0.8 + first + 15.5 * lit);
  }
  const double three = 0.16 + 0.25 * std::min(1.0, lit / 0.03) + 1.6 * lit / (1 + 0.1 * lit);
  return options.max_bounces == 2 ? 0.7 * three : three;
}

// What comes of the tubes of a level takes so many times as long as they do themselves: a product of powers, in a city
// of 10⁸ row entries.
struct TimesOwn {
  double all, edge_pairs, tubes, city, many_in_sight, not_drawn;
};

double times_own(const TimesOwn& fit, const TubesOfLevel& tubes, const Pruning& pruning) {
  // Between which the fits hold.
  const double pairs = std::clamp(tubes.edge_pairs / tubes.row_entries, 1e-3, 100.0);
  const double density = std::clamp(100 * tubes.tubes / tubes.row_entries, 1e-4, 100.0);
  const double city = std::clamp(tubes.row_entries / 1e8, 0.03, 30.0);
  const double drawn = pruning.roulette <= 0                                     ? fit.not_drawn
                       : pruning.roulette >= pruning_for(many_in_sight).roulette ? fit.many_in_sight
                                                                                 : 1;
  return fit.all * drawn * std::pow(pairs, fit.edge_pairs) * std::pow(density, fit.tubes) * std::pow(city, fit.city);
}

struct ScatteringSeconds {
  double last = 0, then_reflection = 0, then_diffraction = 0;
};

ScatteringSeconds scattering_seconds(const LaunchExtent& extent, const RayLaunchingOptions& options) {
  const double lit = std::sqrt(extent.entries_of_lit_tiles / extent.row_entries), seen = share_in_sight(extent);
  if (options.max_bounces == 1) return {.last = 0.15};
  if (!extent.draws_by_chance) {
    const bool once = options.max_diffractions < 2;
    return {0.83, (once ? 1 : 1.25) * (0.4 + 5.4 * lit), once ? 21 * std::pow(lit, 1.25) : 1.1 + 24 * lit};
  }
  // Around an antenna between houses most of a large city gets too little to send on.
  const double bright = 0.37 + 7 * lit;
  ScatteringSeconds seconds{.last = 0.22 / (1 + 1.9 * seen),
                            .then_reflection = std::min(1.0, bright) * (0.4 + 2 * lit),
                            .then_diffraction = 1.1 * std::min(1.4, bright) / (1 + 0.9 * seen)};
  if (options.max_bounces == 2) {
    seconds.then_reflection *= 0.65;
    seconds.then_diffraction *= 0.73;
  }
  if (options.max_diffractions > 1) {
    seconds.then_reflection *= 1.35;
    seconds.then_diffraction *= 1.45;
  }
  return seconds;
}

}  // namespace

RayLaunchingOptions options_with_work(RayLaunchingOptions options, const Scene& scene) {
  const bool scatters = std::any_of(scene.materials.begin(), scene.materials.end(), [&](const Material& material) {
    return material.scattering_coefficient.value_or(options.scattering_coefficient) > 0;
  });
  if (!scatters) options.max_after_scattering = 0;
  return options;
}

double own_share_of(const TubesOfLevel& tubes, const RayLaunchingOptions& options, const Pruning& pruning) {
  if (tubes.level + 1 >= options.max_bounces) return 1;
  if (tubes.level > 2) return 0.97;  // few rays may go on
  const auto level = static_cast<std::size_t>(tubes.level);
  const bool twice_diffracted = options.max_diffractions > 1;
  if (options.max_bounces == 2) return 0.56;
  if (!twice_diffracted && options.max_bounces > 3) return std::array{0.3, 0.45, 0.66}[level];
  // Receivers alone: nothing is told of the city.
  if (!(tubes.row_entries > 0)) return 0.5;
  constexpr std::array once{TimesOwn{2.35, 0.096, 0, 0.05, 0.77, 2.58}, TimesOwn{0.77, 0.32, -0.32, 0, 0.84, 1.91},
                            TimesOwn{0.5, 0, 0, 0, 1, 1}};
  constexpr std::array twice{TimesOwn{20.3, 0.215, 0, 0.112, 0.23, 5.33},
                             TimesOwn{0.167, 0.62, -0.717, -0.365, 1.135, 2.21}, TimesOwn{0.1, 0, 0, 0, 0.8, 2.1}};
  return 1 / (1 + times_own((twice_diffracted ? twice : once)[level], tubes, pruning));
}

LaunchForecast::LaunchForecast(const RayLaunchingOptions& options) : options_(options) {}

LaunchForecast::Seconds LaunchForecast::usual_seconds(const LaunchExtent& extent) const {
  Seconds seconds{};
  const auto of = [&](LaunchPhase phase) -> double& { return seconds[static_cast<std::size_t>(phase)]; };
  // Without targets among the tiles, and without any tile, there is little to foretell.
  if (!(extent.row_entries > 0) || options_.max_bounces == 0) {
    of(LaunchPhase::first_level) = 1;
    return seconds;
  }
  constexpr double per_entry = 1e-8;
  of(LaunchPhase::first_level) = first_level_seconds(extent, options_.over_rooftop);
  const InteractionLimits limits(options_);
  constexpr double per_ns = 0.42e-9;
  if (extent.bounces_ns) {
    of(LaunchPhase::bounces) = per_ns * *extent.bounces_ns;
  } else if (limits.may_reflect(0, 0) || limits.may_diffract(0, 0)) {
    of(LaunchPhase::bounces) = per_entry * extent.row_entries * bounces_seconds(extent, options_);
  }
  if (!limits.may_scatter(0, 0)) return seconds;
  const ScatteringSeconds scattering = scattering_seconds(extent, options_);
  of(LaunchPhase::scattering) = per_entry * extent.row_entries * scattering.last;
  if (limits.may_scatter(AfterScattering::reflection, 0, 0))
    of(LaunchPhase::then_reflection) = per_entry * extent.row_entries * scattering.then_reflection;
  if (limits.may_scatter(AfterScattering::diffraction, 0, 0))
    of(LaunchPhase::then_diffraction) = per_entry * extent.row_entries * scattering.then_diffraction;
  if (options_.max_after_scattering <= 1) return seconds;
  constexpr double twice_over_all_else = 2;
  of(LaunchPhase::then_two) = twice_over_all_else * std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return seconds;
}

LaunchForecast::Ends LaunchForecast::ends(const LaunchExtent& extent) const {
  Seconds seconds = usual_seconds(extent);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t p = 0; p < launch_phases; ++p) {
      if (foretold_[p] > 0) seconds[p] *= taken_[p] / foretold_[p];
    }
  }
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  double sum = 0;
  Ends ends{};
  for (std::size_t p = 0; p < launch_phases; ++p) ends[p] = std::min(1.0, (sum += seconds[p]) / all);
  return ends;
}

double LaunchForecast::in_sight(const LaunchExtent& extent) const {
  const double all = first_level_seconds(extent, options_.over_rooftop);
  return all > 0 ? first_level_seconds(extent, OverRooftop::none) / all : 0;
}

double LaunchForecast::work(const LaunchExtent& extent) const {
  const Seconds seconds = usual_seconds(extent);
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

void LaunchForecast::learn_from(const LaunchExtent& extent, const LaunchCost& cost) {
  const Seconds usual = usual_seconds(extent);
  const std::lock_guard lock(mutex_);
  for (std::size_t p = 0; p < launch_phases; ++p) {
    foretold_[p] += usual[p];
    // So that there is always a sum.
    taken_[p] += std::max(cost[static_cast<LaunchPhase>(p)].seconds, 1e-9);
  }
}

}  // namespace tesseray
