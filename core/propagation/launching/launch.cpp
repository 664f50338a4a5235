// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/launch.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/launching/ray_losses.h"
#include "core/propagation/launching/scattered_power.h"
#include "core/propagation/launching/scattered_tubes.h"

namespace tesseray {
namespace {

std::string interaction_text(const Tiling& tiling, const InteractionChain& chain, std::uint8_t scattered_at) {
  std::string text = chain.over_rooftops ? "T-O" : chain.through_building ? "T-B" : "T";
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (i == scattered_at) {
      text += "-S";
    } else if (element >= tiling.tiles.size()) {
      text += "-D";
    } else {
      text += tiling.tiles[element].kind == SurfaceKind::ground ? "-G" : "-R";
    }
  }
  return text;
}

// By receiver, strongest first.
void sort_by_strength(std::vector<RecordedRay>& rays) {
  const auto order = [](const RecordedRay& ray) {
    return std::tuple(ray.receiver, -ray.path_gain, ray.chain.over_rooftops, ray.chain.through_building,
                      ray.chain.length, ray.scattered_at, ray.chain.elements);
  };
  std::sort(rays.begin(), rays.end(), [&](const RecordedRay& a, const RecordedRay& b) { return order(a) < order(b); });
}

Mechanism mechanism_of(const RecordedRay& ray, const TargetPoints& points) {
  if (ray.scattered_at != RecordedRay::nowhere) return Mechanism::scattering;
  if (ray.chain.over_rooftops) return Mechanism::over_rooftop;
  const std::span<const std::uint32_t> elements(ray.chain.elements.data(), ray.chain.length);
  if (elements.empty()) return ray.chain.through_building ? Mechanism::through_building : Mechanism::direct;
  const bool diffracted =
      std::any_of(elements.begin(), elements.end(), [&](std::uint32_t element) { return points.is_edge(element); });
  return diffracted ? Mechanism::diffraction : Mechanism::reflection;
}

std::vector<GainByMechanism> gains_by_mechanism(const std::vector<RecordedRay>& rays, const TargetPoints& points) {
  std::vector<GainByMechanism> gains(points.receiver_count());
  for (const RecordedRay& ray : rays) {
    GainByMechanism& of_receiver = gains[ray.receiver];
    const Mechanism mechanism = mechanism_of(ray, points);
    double& sum = mechanism == Mechanism::direct             ? of_receiver.direct
                  : mechanism == Mechanism::reflection       ? of_receiver.reflection
                  : mechanism == Mechanism::over_rooftop     ? of_receiver.over_rooftop
                  : mechanism == Mechanism::through_building ? of_receiver.through_building
                                                             : of_receiver.diffraction;
    sum += ray.stands_for * ray.path_gain;
  }
  return gains;
}

}  // namespace

LaunchExtent extent_of(const LaunchEnvironment& environment, Vec3 antenna, std::span<const std::uint8_t> lit) {
  const TargetPoints& points = environment.points;
  LaunchExtent extent;
  extent.draws_by_chance = draws_by_chance(environment.options, points);
  extent.is_ground_level = environment.over_rooftops.is_ground_level();
  if (!points.tiles_are_targets()) return extent;
  const auto is_lit = [&](std::uint32_t element) { return (lit[element] & lit_as_element) != 0; };
  double distances_m = 0;
  for (std::uint32_t element = 0; element < points.element_count(); ++element) {
    const double entries = environment.visibility.row_length(element);
    if (points.is_edge(element)) {
      if (is_lit(element)) extent.entries_of_lit_edges += entries;
      continue;
    }
    ++extent.tiles;
    extent.row_entries += entries;
    if (is_lit(element)) {
      ++extent.tiles_in_sight;
      extent.entries_of_lit_tiles += entries;
    } else {
      distances_m += norm(points.arrival(element) - antenna);
    }
  }
  extent.hidden_distance_m = distances_m / std::max(1.0, extent.tiles - extent.tiles_in_sight);
  return extent;
}

Launch::Launch(const LaunchEnvironment& environment, const Transmitter& transmitter)
    : setting_(environment, transmitter),
      environment_(environment),
      record_(setting_),
      arrivals_(setting_, record_),
      scattering_(setting_, arrivals_),
      waves_(setting_),
      first_level_(setting_, waves_, record_, arrivals_) {}

PartOfStage Launch::PhaseParts::of(LaunchPhase phase) const {
  // The first phase tells its own (run).
  const auto p = static_cast<std::size_t>(phase);
  return {progress, ends[p - 1], ends[p]};
}

// The bounces' part of the whole: how large that is may become known while they are under way.
class Launch::PartOfBounces final : public Progress {
 public:
  explicit PartOfBounces(PhaseParts& parts) : parts_(parts) {}

  void advance(double fraction) override {
    const auto phase = static_cast<std::size_t>(LaunchPhase::bounces);
    const double begin = parts_.ends[phase - 1], end = parts_.ends[phase];
    const double done = std::max(least_, begin + (end - begin) * fraction);
    parts_.progress.advance(done);
    for (double told = told_; told < done && !told_.compare_exchange_weak(told, done);) {
    }
  }
  void warn(const Warning& warning) override { parts_.progress.warn(warning); }
  bool is_cancelled() const override { return parts_.progress.is_cancelled(); }

  // While nothing advances. Progress does not go back.
  void tell_anew(const LaunchForecast::Ends& ends) {
    least_ = told_;
    parts_.ends = ends;
    for (double& end : parts_.ends) end = std::max(end, least_);
  }

 private:
  PhaseParts& parts_;
  double least_ = 0;  // told before
  std::atomic<double> told_ = 0;
};

RayLaunchingResult Launch::run(LaunchForecast& forecast, Progress& progress) {
  LaunchExtent extent;
  PhaseParts parts{{}, progress};
  TubeParts tubes;
  {
    const PhaseClock clock(cost_[LaunchPhase::first_level]);
    std::vector<std::uint8_t> lit;
    PartOfStage moment(progress, 0, 0);
    first_level_.launch_into_sight(lit, tubes, moment);
    pruning_ = choose_pruning();
    extent = extent_of(environment_, setting_.transmitter.position, lit);
    parts.ends = forecast.ends(extent);
    const double end = parts.ends[static_cast<std::size_t>(LaunchPhase::first_level)];
    // What has gone by untold is told at once, but not as a leap.
    constexpr double most_at_once = 0.18;
    PartOfStage part(progress, std::min(most_at_once, end * forecast.in_sight(extent)), end);
    first_level_.launch_to_hidden(lit, tubes, part);
  }
  Bounces bounces(setting_, record_, waves_, arrivals_, scattering_, pruning_, extent.row_entries);
  {
    const PhaseClock clock(cost_[LaunchPhase::bounces]);
    PartOfBounces part(parts);
    bounces.bounce_first(
        std::move(tubes),
        [&](double ns) {
          extent.bounces_ns = ns;
          part.tell_anew(forecast.ends(extent));
        },
        part);
  }
  if (!scattering_.empty()) scatter(bounces, parts);
  bounces.arrive_in_other_orders();
  cost_.merge(bounces.cost());
  RayLaunchingResult result = collect(bounces);
  forecast.learn_from(extent, result.cost);
  return result;
}

void Launch::scatter(Bounces& bounces, const PhaseParts& parts) {
  scattering_.sort_tubes();
  ScatteredPower power(setting_, arrivals_, scattering_, pruning_);
  {
    const PhaseClock clock(cost_[LaunchPhase::scattering]);
    PartOfStage last = parts.of(LaunchPhase::scattering);
    power.scatter_last(last);
  }
  if (power.has_power(AfterScattering::reflection)) {
    const PhaseClock clock(cost_[LaunchPhase::then_reflection]);
    PartOfStage reflection = parts.of(LaunchPhase::then_reflection);
    power.scatter_then_reflect(reflection);
  }
  if (power.has_power(AfterScattering::diffraction)) {
    const PhaseClock clock(cost_[LaunchPhase::then_diffraction]);
    PartOfStage diffraction = parts.of(LaunchPhase::then_diffraction);
    power.scatter_then_diffract(diffraction);
  }
  power.end_batches();
  if (environment_.options.max_after_scattering > 1) {
    const PhaseClock clock(cost_[LaunchPhase::then_two]);
    PartOfStage two = parts.of(LaunchPhase::then_two);
    ScatteredTubes tubes(setting_, scattering_, power, bounces);
    tubes.scatter_then_twice(two);
    cost_.merge(tubes.cost());
  }
  cost_.merge(power.cost());
}

RayLaunchingResult Launch::collect(const Bounces& bounces) {
  RayLaunchingResult result;
  result.tubes_by_interactions = bounces.tubes_by_interactions();
  result.tubes =
      std::accumulate(result.tubes_by_interactions.begin(), result.tubes_by_interactions.end(), std::uint64_t{0});
  result.cost = cost_;
  result.pruning = pruning_;
  result.left_in_sight = record_.left_in_sight;
  result.sampled_over_done = bounces.sampled_over_done();
  LaunchArrivals::Kept kept = arrivals_.take_all(result);
  if (environment_.options.rays_per_receiver == 0) return result;
  std::vector<RecordedRay>& recorded = kept.recorded;
  sort_by_strength(recorded);
  result.ray_gains = gains_by_mechanism(recorded, environment_.points);
  const std::vector<RecordedRay> scattered = scattering_.rays().strongest(std::move(kept.ways));
  recorded.insert(recorded.end(), scattered.begin(), scattered.end());
  sort_by_strength(recorded);
  result.rays = strongest_rays(recorded);
  return result;
}

Ray Launch::as_ray(const RecordedRay& recorded, const RayPaths& paths) const {
  const Receiver& receiver = environment_.receivers[recorded.receiver];
  RayPath path = paths.trace(recorded, receiver.position);
  const InteractionChain& chain = path.chain;
  Ray ray;
  ray.target_id = receiver.receiver_id;
  ray.interactions = interaction_text(environment_.tiling, chain, recorded.scattered_at);
  ray.elements.assign(chain.elements.begin(), chain.elements.begin() + chain.length);
  ray.points = std::move(path.points);
  ray.mechanism = mechanism_of(recorded, environment_.points);
  ray.path_gain = setting_.link.receiver_gain() * recorded.path_gain;
  ray.delay_ns = recorded.length_m / speed_of_light * 1e9;
  ray.phase_deg = degrees(recorded.phase);
  ray.complete_for(setting_.transmitter);
  return ray;
}

std::vector<Ray> Launch::strongest_rays(const std::vector<RecordedRay>& recorded) {
  const RayPaths paths(setting_, waves_, record_);
  const RayLosses losses(setting_, record_, waves_, first_level_, arrivals_, scattering_);
  std::vector<Ray> rays;
  std::size_t of_receiver = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    of_receiver = i > 0 && recorded[i - 1].receiver == recorded[i].receiver ? of_receiver + 1 : 0;
    if (of_receiver >= environment_.options.rays_per_receiver) continue;
    rays.push_back(as_ray(recorded[i], paths));
    if (environment_.options.ray_losses) losses.add_to(rays.back(), recorded[i]);
  }
  return rays;
}

}  // namespace tesseray
