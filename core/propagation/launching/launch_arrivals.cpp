// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/launch_arrivals.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/parallel.h"
#include "core/propagation/launching/rays_in_any_order.h"

namespace tesseray {
namespace {

constexpr std::size_t targets_per_block = TargetSums<ArrivalSums>::targets_per_block;

}  // namespace

std::uint64_t LaunchArrivals::bytes_per_target(const RayLaunchingOptions& options) {
  return sizeof(ArrivalSums) + (options.max_scatterings > 0 ? sizeof(ScatteredSums) : 0) +
         WidebandTable::bytes_per_target(options.wideband, options.delay_profile_rays);
}

std::uint64_t LaunchArrivals::bytes_per_receiver(const RayLaunchingOptions& options) {
  return options.rays_per_receiver > 0 ? sizeof(RaysWithoutPower) : 0;
}

std::uint64_t LaunchArrivals::bytes_of_kept_rays_per_receiver(const RayLaunchingOptions& options) {
  // Of each about so many at a receiver of a city; those by the ground where it is not level.
  constexpr std::uint64_t pairable_rays = 128, rays_by_ground = 48, rays_in_any_order = 32;
  const std::uint64_t in_any_order = rays_in_any_order * sizeof(RayInAnyOrder);
  if (options.summation != Summation::local_mean) return in_any_order;
  return in_any_order + pairable_rays * sizeof(PairableRay) * 5 / 4 +  // a quarter is gathered at a time
         rays_by_ground * (sizeof(RayByGround) + sizeof(const RayByGround*));
}

LaunchArrivals::LaunchArrivals(const LaunchSetting& setting, FirstLevelRecord& record)
    : setting_(setting),
      environment_(setting.environment),
      transmitter_(setting.transmitter),
      link_(setting.link),
      view_(record.view),
      ray_legs_(environment_, transmitter_, view_),
      reached_over_rooftops_(record.reached_over_rooftops),
      first_edges_(record.first_edges),
      threads_([this] {
        const RayLaunchingOptions& options = environment_.options;
        ThreadArrivals state;
        state.sums = TargetSums<ArrivalSums>(setting_.sum_count());
        if (setting_.limits.may_scatter(0, 0) && options.max_after_scattering > 0) {
          state.scattered_sums = TargetSums<ScatteredSums>(setting_.sum_count());
        }
        if (setting_.wants_wideband()) state.wideband = empty_wideband_table();
        if (options.rays_per_receiver > 0) state.without_power.resize(environment_.points.receiver_count());
        return state;
      }) {}

std::vector<FixedPointSum> LaunchArrivals::gain_sums() const {
  std::vector<FixedPointSum> sums(environment_.points.target_tile_count());
  parallel_blocks(sums.size(), targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (const ThreadArrivals& state : threads_) {
      const std::span<const ArrivalSums> arrived = state.sums.block(begin / targets_per_block);
      for (std::size_t t = begin; t < end && !arrived.empty(); ++t) sums[t].merge(arrived[t - begin].gain);
    }
  });
  return sums;
}

std::vector<double> LaunchArrivals::gains_so_far() const {
  const std::vector<FixedPointSum> sums = gain_sums();
  std::vector<double> gains(sums.size());
  parallel_blocks(gains.size(), targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) gains[t] = sums[t].value();
  });
  return gains;
}

double LaunchArrivals::share_in_sight() const {
  const std::size_t tiles = environment_.points.target_tile_count();
  std::atomic<std::size_t> in_sight{0};
  parallel_blocks(tiles, targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> is_in_sight(end - begin, 0);
    for (const ThreadArrivals& state : threads_) {
      const std::span<const ArrivalSums> arrived = state.sums.block(begin / targets_per_block);
      for (std::size_t t = begin; t < end && !arrived.empty(); ++t) {
        is_in_sight[t - begin] |= arrived[t - begin].direct ? 1 : 0;
      }
    }
    in_sight += static_cast<std::size_t>(std::count(is_in_sight.begin(), is_in_sight.end(), 1));
  });
  return static_cast<double>(in_sight) / static_cast<double>(tiles);
}

std::vector<ArrivalSums> LaunchArrivals::sums_of_threads() const {
  std::vector<ArrivalSums> sums(setting_.sum_count());
  parallel_blocks(sums.size(), targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<ScatteredSums> diffracted(end - begin);
    for (const ThreadArrivals& state : threads_) {
      const std::size_t block = begin / targets_per_block;
      const std::span<const ArrivalSums> arrived = state.sums.block(block);
      for (std::size_t k = 0; k < arrived.size(); ++k) sums[begin + k].merge(arrived[k]);
      if (state.scattered_sums.empty()) continue;
      const std::span<const ScatteredSums> of_edges = state.scattered_sums.block(block);
      for (std::size_t k = 0; k < of_edges.size(); ++k) diffracted[k].merge(of_edges[k]);
    }
    for (std::size_t i = begin; i < end; ++i) sums[i].add(diffracted[i - begin].total());
  });
  return sums;
}

std::vector<RaysWithoutPower> LaunchArrivals::rays_without_power_of_threads() const {
  std::vector<RaysWithoutPower> sums(environment_.points.receiver_count());
  for (const ThreadArrivals& state : threads_) {
    for (std::size_t r = 0; r < sums.size(); ++r) {
      sums[r].by_polarization += state.without_power[r].by_polarization;
      sums[r].by_pattern += state.without_power[r].by_pattern;
    }
  }
  return sums;
}

LaunchArrivals::Kept LaunchArrivals::take_all(RayLaunchingResult& result) {
  if (view_.summation == Summation::local_mean) arrive_by_ground_alone();
  Kept kept;
  if (setting_.wants_wideband()) result.wideband = empty_wideband_table();
  for (const ThreadArrivals& state : threads_) {
    if (setting_.wants_wideband()) result.wideband.merge(state.wideband);
    kept.recorded.insert(kept.recorded.end(), state.recorded.begin(), state.recorded.end());
    kept.ways.insert(kept.ways.end(), state.scattered_ways.list.begin(), state.scattered_ways.list.end());
  }
  std::vector<ArrivalSums> sums = sums_of_threads();
  const auto tiles = static_cast<std::ptrdiff_t>(environment_.points.target_tile_count());
  result.receivers.assign(sums.begin() + tiles, sums.end());
  pair_rays(result.receivers);
  sums.resize(environment_.points.target_tile_count());
  result.tiles = std::move(sums);
  if (environment_.options.rays_per_receiver > 0) result.rays_without_power = rays_without_power_of_threads();
  return kept;
}

}  // namespace tesseray
