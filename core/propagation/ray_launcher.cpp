// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/ray_launcher.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/infinity.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/launch.h"
#include "core/tiling/tile_index.h"

namespace tesseray {
namespace {

std::string interaction_text(const Tiling& tiling, const RecordedRay& ray) {
  std::string text = ray.chain.over_rooftops ? "T-O" : ray.chain.through_building ? "T-B" : "T";
  for (std::size_t i = 0; i < ray.chain.length; ++i) {
    const std::uint32_t element = ray.chain.elements[i];
    if (i == ray.scattered_at) {
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
    sum += ray.path_gain;
  }
  return gains;
}

// The ground tile under each receiver that stands over the ground; no_index elsewhere.
std::vector<std::uint32_t> grounds_below(const Tiling& tiling, const std::vector<Receiver>& receivers,
                                         const OverRooftopPaths& over_rooftops) {
  std::vector<std::uint32_t> grounds(receivers.size(), no_index);
  if (receivers.empty()) return grounds;
  std::vector<IndexedTile> tiles;  // ground comes first
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != SurfaceKind::ground) break;
    tiles.push_back({tile.id, tile.kind, tile.centroid});
  }
  const TileIndex index(tiles);
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const Vec3 position = receivers[r].position;
    const std::optional<NearestTile> nearest = index.nearest_2d(position.xy());
    if (!nearest || nearest->distance_m > tiling.tiles[nearest->tile].side_m()) continue;
    if (over_rooftops.roof_below(position) == -infinity) grounds[r] = nearest->tile;
  }
  return grounds;
}

// Does what needs the file; false, with a warning, when that cannot be done.
template <class Work>
bool is_file_usable(Progress& progress, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::invalid_input && refused.kind() != ErrorKind::resources) throw;
    progress.warn(
        {"vegetation_lengths_not_kept", "the lengths in vegetation are not kept for other runs: " + refused.message()});
    return false;
  }
}

// How large a launch is whose transmitter lights the elements of which `is_lit` says so.
template <class IsLit>
LaunchExtent extent_of(const TargetPoints& points, const Visibility& visibility, Vec3 antenna, bool draws_by_chance,
                       const IsLit& is_lit) {
  LaunchExtent extent;
  extent.draws_by_chance = draws_by_chance;
  if (!points.tiles_are_targets()) return extent;
  double distances_m = 0;
  for (std::uint32_t element = 0; element < points.element_count(); ++element) {
    const double entries = visibility.row_length(element);
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

}  // namespace

Launch::Launch(const LaunchEnvironment& environment, const Transmitter& transmitter)
    : environment_(environment),
      transmitter_(transmitter),
      link_(environment.scene, transmitter, environment.options),
      limits_(environment.options),
      vegetation_(environment.vegetation, environment.options.vegetation, environment.options.vegetation_db_per_m,
                  transmitter.frequency_hz),
      permittivities_(link_.permittivities()),
      roof_z_(environment.over_rooftops.roof_below(transmitter.position)),
      scattered_rays_(environment.options.scattered_rays && environment.options.max_scatterings > 0
                          ? environment.options.rays_per_receiver
                          : 0,
                      environment.points.tile_count()),
      states_([this] {
        ThreadState state;
        state.sums.resize(sum_count());
        if (!diffuse_.empty() && environment_.options.max_after_scattering > 0) {
          state.scattered_sums.resize(sum_count());
        }
        if (wants_wideband()) state.wideband = empty_wideband_table();
        if (environment_.options.rays_per_receiver > 0) {
          state.without_power.resize(environment_.points.receiver_count());
        }
        return state;
      }) {
  const std::uint32_t numbers = environment.points.element_count() + environment.points.receiver_count();
  straight_distances_.reserve(numbers);
  for (std::uint32_t n = 0; n < numbers; ++n) {
    straight_distances_.push_back(norm(environment.points.arrival(n) - transmitter.position));
  }
  view_ = {.environment = environment.view,
           .link = link_.view(),
           .limits = limits_,
           .antenna = transmitter.position,
           .summation = environment.options.summation,
           .vegetation = vegetation_.rate(),
           .straight_distances = straight_distances_.data(),
           .is_antenna_over_ground = roof_z_ == -infinity && limits_.may_reflect(0, 0)};
  prepare_diffuse();
}

PartOfStage Launch::PhaseParts::of(LaunchPhase phase) const {
  // The first phase tells its own (run).
  const auto p = static_cast<std::size_t>(phase);
  return {progress, ends[p - 1], ends[p]};
}

RayLaunchingResult Launch::run(LaunchForecast& forecast, Progress& progress) {
  LaunchExtent extent;
  PhaseParts parts{{}, progress};
  std::vector<Tube> tubes;
  {
    const PhaseClock clock(cost_[LaunchPhase::first_level]);
    std::vector<std::uint8_t> lit;
    PartOfStage moment(progress, 0, 0);
    launch_into_sight(lit, tubes, moment);
    choose_pruning();
    extent = extent_of(environment_.points, environment_.visibility, transmitter_.position,
                       draws_by_chance(environment_.options, environment_.points),
                       [&](std::uint32_t element) { return (lit[element] & lit_as_element) != 0; });
    parts.ends = forecast.ends(extent);
    const double end = parts.ends[static_cast<std::size_t>(LaunchPhase::first_level)];
    // What has gone by untold is told at once, but not as a leap.
    constexpr double most_at_once = 0.18;
    PartOfStage part(progress, std::min(most_at_once, end * forecast.in_sight(extent)), end);
    launch_to_hidden(lit, tubes, part);
  }
  {
    const PhaseClock clock(cost_[LaunchPhase::bounces]);
    PartOfStage part = parts.of(LaunchPhase::bounces);
    TubeParts first;
    first.add(std::move(tubes));
    if (environment_.tube_bouncer != nullptr) bouncer_ = environment_.tube_bouncer->start(view_);
    bounce(std::move(first), 0, part);
    take_bounced();
    bouncer_.reset();
  }
  if (!diffuse_.empty()) scatter(parts);
  RayLaunchingResult result = collect();
  forecast.learn_from(extent, result.cost);
  return result;
}

void Launch::scatter(const PhaseParts& parts) {
  scattered_rays_.sort_tubes();
  prepare_scatterers();
  prepare_scattered_draw();
  if (environment_.row_scatterer != nullptr) scatterer_ = environment_.row_scatterer->start(scattering_view_);
  PartOfStage last = parts.of(LaunchPhase::scattering);
  scatter_last(last);
  if (has_power(AfterScattering::reflection)) {
    PartOfStage reflection = parts.of(LaunchPhase::then_reflection);
    scatter_then_reflect(reflection);
  }
  if (has_power(AfterScattering::diffraction)) {
    PartOfStage diffraction = parts.of(LaunchPhase::then_diffraction);
    prepare_scattered_draw();
    scatter_then_diffract(diffraction);
  }
  scatterer_.reset();
  if (environment_.options.max_after_scattering > 1) {
    PartOfStage two = parts.of(LaunchPhase::then_two);
    scatter_then_twice(two);
  }
}

std::vector<ArrivalSums> Launch::sums_of_threads() const {
  constexpr std::size_t targets_per_block = 1024;
  std::vector<ArrivalSums> sums(sum_count());
  parallel_blocks(sums.size(), targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<ScatteredSums> diffracted(end - begin);
    for (const ThreadState& state : states_) {
      for (std::size_t i = begin; i < end; ++i) sums[i].merge(state.sums[i]);
      if (state.scattered_sums.empty()) continue;
      for (std::size_t i = begin; i < end; ++i) diffracted[i - begin].merge(state.scattered_sums[i]);
    }
    for (std::size_t i = begin; i < end; ++i) sums[i].add(diffracted[i - begin].total());
  });
  return sums;
}

std::vector<RaysWithoutPower> Launch::rays_without_power_of_threads() const {
  std::vector<RaysWithoutPower> sums(environment_.points.receiver_count());
  for (const ThreadState& state : states_) {
    for (std::size_t r = 0; r < sums.size(); ++r) {
      sums[r].by_polarization += state.without_power[r].by_polarization;
      sums[r].by_pattern += state.without_power[r].by_pattern;
    }
  }
  return sums;
}

RayLaunchingResult Launch::collect() {
  RayLaunchingResult result;
  result.tubes = std::accumulate(tubes_by_interactions_.begin(), tubes_by_interactions_.end(), std::uint64_t{0});
  result.tubes_by_interactions = tubes_by_interactions_;
  result.cost = cost_;
  result.pruning = pruning_;
  std::vector<RecordedRay> recorded;
  std::vector<ScatteredWay> ways;
  if (wants_wideband()) result.wideband = empty_wideband_table();
  for (ThreadState& state : states_) {
    if (wants_wideband()) result.wideband.merge(state.wideband);
    result.cost.merge(state.cost);
    recorded.insert(recorded.end(), state.recorded.begin(), state.recorded.end());
    ways.insert(ways.end(), state.scattered_ways.list.begin(), state.scattered_ways.list.end());
  }
  for (const BatchState& state : batch_states_) result.cost.merge(state.cost);
  std::vector<ArrivalSums> sums = sums_of_threads();
  const auto tiles = static_cast<std::ptrdiff_t>(environment_.points.target_tile_count());
  result.receivers.assign(sums.begin() + tiles, sums.end());
  pair_rays(result.receivers);
  result.left_in_sight = left_in_sight_;
  sums.resize(environment_.points.target_tile_count());
  result.tiles = std::move(sums);
  if (environment_.options.rays_per_receiver == 0) return result;
  result.rays_without_power = rays_without_power_of_threads();
  sort_by_strength(recorded);
  result.ray_gains = gains_by_mechanism(recorded, environment_.points);
  const std::vector<RecordedRay> scattered = scattered_rays_.strongest(std::move(ways));
  recorded.insert(recorded.end(), scattered.begin(), scattered.end());
  sort_by_strength(recorded);
  result.rays = strongest_rays(recorded);
  return result;
}

std::vector<Vec3> Launch::trace(const RecordedRay& recorded, Vec3 target) const {
  const InteractionChain& chain = recorded.chain;
  if (chain.over_rooftops) return trace_over_rooftops(recorded, target);
  const VirtualSource antenna{transmitter_.position};
  if (recorded.scattered_at != RecordedRay::nowhere) {
    return trace_scattered(environment_.tiling, chain, recorded.scattered_at, antenna, target);
  }
  const std::uint32_t number = environment_.points.element_count() + recorded.receiver;
  if (const std::optional<Vec3> place = place_on_uneven_ground(chain, number)) {
    return {transmitter_.position, *place, target};
  }
  return trace_chain(environment_.tiling, chain, antenna, target);
}

Ray Launch::as_ray(const RecordedRay& recorded) const {
  const Receiver& receiver = environment_.receivers[recorded.receiver];
  const InteractionChain& chain = recorded.chain;
  Ray ray;
  ray.target_id = receiver.receiver_id;
  ray.interactions = interaction_text(environment_.tiling, recorded);
  ray.elements.assign(chain.elements.begin(), chain.elements.begin() + chain.length);
  ray.points = trace(recorded, receiver.position);
  ray.mechanism = mechanism_of(recorded, environment_.points);
  ray.path_gain = recorded.path_gain;
  ray.delay_ns = recorded.length_m / speed_of_light * 1e9;
  ray.phase_deg = degrees(recorded.phase);
  ray.complete_for(transmitter_);
  return ray;
}

std::vector<Ray> Launch::strongest_rays(const std::vector<RecordedRay>& recorded) {
  std::vector<Ray> rays;
  std::size_t of_receiver = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    of_receiver = i > 0 && recorded[i - 1].receiver == recorded[i].receiver ? of_receiver + 1 : 0;
    if (of_receiver >= environment_.options.rays_per_receiver) continue;
    rays.push_back(as_ray(recorded[i]));
    if (environment_.options.ray_losses) add_losses(recorded[i], rays.back());
  }
  return rays;
}

struct RayLauncher::Impl {
  const Scene& scene;
  const Tiling& tiling;
  const Occlusion& occlusion;
  const Visibility& visibility;
  std::vector<Receiver> receivers;
  RayLaunchingOptions options;
  TargetPoints points;
  ReceiverRows receiver_rows;
  ReceiverReach reach;
  std::vector<EdgeRun> runs;
  OverRooftopPaths over_rooftops;
  std::vector<std::uint32_t> grounds;  // see EnvironmentView::receiver_grounds
  std::unique_ptr<RooftopSearch> rooftop_search;
  VegetationPrisms vegetation;
  MakeTubeBouncer make_tube_bouncer;
  MakeRowScatterer make_row_scatterer;
  VegetationPairs vegetation_pairs = {};  // made by the first launch, as all below
  std::unique_ptr<TubeBouncer> tube_bouncer = nullptr;
  std::unique_ptr<RowScatterer> row_scatterer = nullptr;
  std::unique_ptr<std::once_flag> pairs_made = std::make_unique<std::once_flag>();
  std::unique_ptr<std::once_flag> batchers_made = std::make_unique<std::once_flag>();
  std::unique_ptr<LaunchForecast> forecast = std::make_unique<LaunchForecast>(options_with_work(options, scene));
  std::unique_ptr<const SightFromPoints> sight = std::make_unique<const SightFromPoints>(occlusion, tiling);

  // Alone on its threads: whoever waits for it must not find itself waiting within it.
  void make_vegetation_pairs(Progress& progress, const std::optional<VegetationFile>& kept) {
    if (vegetation.empty() || !options.tiles_are_targets || options.vegetation == VegetationModel::none) return;
    std::call_once(*pairs_made, [&] {
      tbb::this_task_arena::isolate([&] {
        if (kept) {
          vegetation_pairs = kept_pairs(*kept, progress);
        } else {
          vegetation_pairs = VegetationPairs(vegetation, visibility, points, progress);
        }
      });
    });
  }

  EnvironmentView view() const {
    return {points.view(),  tiling.tiles.data(),     tiling.edges.data(),    runs.data(),
            grounds.data(), scene.default_materials, vegetation_pairs.view()};
  }

  LaunchEnvironment environment() const {
    return {scene,
            tiling,
            occlusion,
            *sight,
            visibility,
            receivers,
            options,
            points,
            receiver_rows,
            reach,
            runs,
            over_rooftops,
            rooftop_search.get(),
            tube_bouncer.get(),
            row_scatterer.get(),
            vegetation,
            vegetation_pairs,
            view()};
  }

  // See bounces_by_batches().
  bool may_work_by_batches() const {
    if (!options.tiles_are_targets || options.wideband || options.delay_profile_rays > 0) return false;
    const bool loses = !vegetation.empty() && options.vegetation != VegetationModel::none;
    return !loses || vegetation_pairs.known();
  }

  // REQUIRES: what vegetation takes is known.
  void make_batchers() {
    std::call_once(*batchers_made, [&] {
      if (!may_work_by_batches()) return;
      if (make_tube_bouncer) tube_bouncer = make_tube_bouncer(view());
      if (make_row_scatterer && options.max_scatterings > 0) row_scatterer = make_row_scatterer(view());
    });
  }

  VegetationPairs kept_pairs(const VegetationFile& file, Progress& progress) const {
    const std::uint32_t elements = visibility.element_count();
    std::optional<VegetationPairs> found;
    const bool may_write = is_file_usable(progress, [&] { found = read_vegetation_pairs(file, elements); });
    if (found) return std::move(*found);
    VegetationPairs made(vegetation, visibility, points, progress);
    if (may_write && made.known()) {
      is_file_usable(progress, [&] { write_vegetation_pairs(made, file, elements); });
    }
    return made;
  }
};

RayLauncher::RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                         const Visibility& visibility, std::vector<Receiver> receivers,
                         const RayLaunchingOptions& options, const MakeRooftopSearch& make_rooftop_search,
                         MakeTubeBouncer make_tube_bouncer, MakeRowScatterer make_row_scatterer) {
  if (options.max_bounces < 0 || options.max_bounces > most_bounces) {
    throw Error(ErrorKind::invalid_input, "bad_max_bounces", "MAX_BOUNCES is " + std::to_string(options.max_bounces),
                "give a number from 0 to " + std::to_string(most_bounces));
  }
  TargetPoints points(tiling, receivers, options.receiver_height_m, options.tiles_are_targets);
  ReceiverRows rows(occlusion, tiling, receivers);
  OverRooftopPaths over_rooftops(scene);
  std::vector<std::uint32_t> grounds = grounds_below(tiling, receivers, over_rooftops);
  ReceiverReach reach;
  if (!options.tiles_are_targets) reach = ReceiverReach(visibility, rows, points.receiver_count());
  impl_ = std::make_unique<Impl>(
      Impl{scene, tiling, occlusion, visibility, std::move(receivers), options, std::move(points), std::move(rows),
           std::move(reach), edge_runs(tiling), std::move(over_rooftops), std::move(grounds), nullptr,
           VegetationPrisms(scene.vegetation), std::move(make_tube_bouncer), std::move(make_row_scatterer)});
  if (make_rooftop_search && options.over_rooftop == OverRooftop::screens) {
    impl_->rooftop_search = make_rooftop_search(impl_->over_rooftops.view());
  }
}

RayLauncher::~RayLauncher() = default;
RayLauncher::RayLauncher(RayLauncher&&) noexcept = default;

void RayLauncher::prepare(Progress& progress, const std::optional<VegetationFile>& kept) const {
  impl_->make_vegetation_pairs(progress, kept);
  impl_->make_batchers();
}

bool RayLauncher::bounces_by_batches() const { return impl_->tube_bouncer != nullptr; }
bool RayLauncher::scatters_by_batches() const { return impl_->row_scatterer != nullptr; }

RayLaunchingResult RayLauncher::launch(const Transmitter& transmitter, Progress& progress) const {
  PartOfStage preparation(progress, 0, 0);
  prepare(preparation);
  const LaunchEnvironment environment = impl_->environment();
  return Launch(environment, transmitter).run(*impl_->forecast, progress);
}

RayLaunchingResult RayLauncher::launch_by_cpu(const Transmitter& transmitter, Progress& progress) const {
  PartOfStage preparation(progress, 0, 0);
  prepare(preparation);
  LaunchEnvironment environment = impl_->environment();
  environment.rooftop_search = nullptr;
  environment.tube_bouncer = nullptr;
  environment.row_scatterer = nullptr;
  // What launches elsewhere took says nothing of its time, nor it of theirs.
  LaunchForecast forecast(options_with_work(impl_->options, impl_->scene));
  return Launch(environment, transmitter).run(forecast, progress);
}

double RayLauncher::expected_work(const Transmitter& transmitter) const {
  if (!impl_->points.tiles_are_targets()) return 1;
  std::vector<std::uint8_t> is_lit(impl_->points.element_count(), 0);
  for (const std::uint32_t element : impl_->sight->visible_from(transmitter.position)) {
    is_lit[element] = 1;
  }
  const LaunchExtent extent =
      extent_of(impl_->points, impl_->visibility, transmitter.position, draws_by_chance(impl_->options, impl_->points),
                [&](std::uint32_t element) { return is_lit[element] != 0; });
  return impl_->forecast->work(extent);
}

std::uint64_t RayLauncher::bytes_of_launch(std::size_t threads) const {
  const RayLaunchingOptions& options = impl_->options;
  const bool scatters = options.max_scatterings > 0, keeps_rays = options.rays_per_receiver > 0;
  const std::uint64_t receivers = impl_->points.receiver_count();
  const std::uint64_t targets = impl_->points.target_tile_count() + receivers;
  const std::uint64_t of_sums = sizeof(ArrivalSums) + (scatters ? sizeof(ScatteredSums) : 0) +
                                WidebandTable::bytes_per_target(options.wideband, options.delay_profile_rays);
  const bool first_edges = options.wideband && options.over_rooftop != OverRooftop::none;
  const std::uint64_t of_number = sizeof(double) + 2 * sizeof(std::uint8_t) +  // straight distance, what lights it
                                  (first_edges ? sizeof(Vec3) + sizeof(double) : 0) +
                                  (scatters ? ScatteringColumns::bytes_per_number : 0);
  const std::uint64_t kinds = after_scattering_kinds(options.max_after_scattering);
  const std::uint64_t of_scattering_tile =
      scatters ? kinds * (sizeof(DiffusePower) + sizeof(RoughScatterer)) + sizeof(float) +  // known gains
                     ScatteringColumns::bytes_per_tile + (options.wideband ? kinds * sizeof(DirectionMoments) : 0) +
                     (options.scattering_lobe_exponent > 0
                          ? kinds * lobe_coefficients(options.scattering_lobe_exponent) * sizeof(double)
                          : 0) +
                     (keeps_rays && options.scattered_rays ? sizeof(std::vector<ScatteredTube>) : 0)
               : 0;
  const std::uint64_t of_rooftop_thread =
      impl_->rooftop_search ? impl_->rooftop_search->most_targets() * (sizeof(RooftopTarget) + sizeof(RooftopBends))
                            : 0;
  const BatchLimits batch = impl_->tube_bouncer ? impl_->tube_bouncer->limits() : BatchLimits();
  const RowLimits rows = impl_->row_scatterer ? impl_->row_scatterer->limits() : RowLimits();
  const std::uint64_t of_batches = (batch.members + rows.members) * sizeof(std::uint32_t) +
                                   batch.tubes * sizeof(const Tube*) + rows.rows * sizeof(RowBatch::Row);
  // One after the other.
  const std::uint64_t of_tile_by_batches = impl_->row_scatterer  ? sizeof(ArrivalSums) + sizeof(ScatteredSums)
                                           : impl_->tube_bouncer ? sizeof(ArrivalSums)
                                                                 : 0;
  constexpr std::uint64_t pairable_rays = 128;  // about so many at a receiver of a city; they are gathered once
  const std::uint64_t of_pairs =
      options.summation == Summation::local_mean ? 2 * pairable_rays * sizeof(PairableRay) : 0;
  const std::uint64_t of_kept_rays = keeps_rays ? sizeof(RaysWithoutPower) : 0;
  // Those of the threads, and the result.
  return threads * (of_rooftop_thread + of_batches) + (threads + 1) * (targets * of_sums + receivers * of_kept_rays) +
         receivers * (of_pairs + 2 * sizeof(LeftInSight)) + impl_->points.element_count() * sizeof(float) +  // roulette
         (impl_->points.element_count() + receivers) * of_number +
         impl_->points.tile_count() * (of_scattering_tile + of_tile_by_batches);
}

std::uint64_t RayLauncher::bytes_besides_launches() const {
  return impl_->sight->bytes() + (impl_->rooftop_search ? impl_->rooftop_search->host_bytes() : 0) +
         (impl_->tube_bouncer ? impl_->tube_bouncer->host_bytes() : 0) +
         (impl_->row_scatterer ? impl_->row_scatterer->host_bytes() : 0);
}

const RayLaunchingOptions& RayLauncher::options() const { return impl_->options; }
const std::vector<Receiver>& RayLauncher::receivers() const { return impl_->receivers; }

}  // namespace tesseray
