// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ray_launcher.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/infinity.h"
#include "core/propagation/launching/launch.h"
#include "core/propagation/launching/rays_by_ground.h"
#include "core/propagation/launching/rays_in_any_order.h"
#include "core/propagation/rays/even_tiles.h"
#include "core/propagation/rays/ground_around_tiles.h"
#include "core/propagation/rows/sight_over_ground_file.h"
#include "core/propagation/tubes/tube.h"
#include "core/propagation/vegetation/vegetation_file.h"
#include "core/scene/ground_plan/stacks.h"

namespace tesseray {
namespace {

// The ground tile under each receiver that stands over the ground; no_index elsewhere.
std::vector<std::uint32_t> grounds_below(const GroundTiles& ground_tiles, const std::vector<Receiver>& receivers,
                                         const OverRooftopPaths& over_rooftops) {
  std::vector<std::uint32_t> grounds;
  for (const Receiver& receiver : receivers) {
    const bool is_over_ground = over_rooftops.roof_below(receiver.position) == -infinity;
    grounds.push_back(is_over_ground ? ground_tiles.near(receiver.position.xy()) : no_index);
  }
  return grounds;
}

// Whether anything sends rays to ground tiles but the antenna.
bool anything_sends_rays(const RayLaunchingOptions& options) {
  const InteractionLimits limits(options);
  return options.tiles_are_targets &&
         (limits.may_reflect(0, 0) || limits.may_diffract(0, 0) || limits.may_scatter(0, 0));
}

// What read() finds in a file beside the visibility's, or else what is made, which write() keeps there where that can
// be done.
template <class Read, class Make, class Write>
auto kept_or_made(const KeptKind& kind, const std::optional<KeptBeside>& beside, Progress& progress, const Read& read,
                  const Make& make, const Write& write) {
  if (!beside) return make();
  decltype(read(*beside)) found;
  const bool may_write = is_kept_file_usable(kind, progress, [&] { found = read(*beside); });
  if (found) return std::move(*found);
  auto made = make();
  if (may_write) is_kept_file_usable(kind, progress, [&] { write(made, *beside); });
  return made;
}

}  // namespace

struct RayLauncher::Impl {
  const Scene& scene;
  const Tiling& seen_tiling;
  std::unique_ptr<const Tiling> even_tiling;  // nullptr: no tile differs
  const Tiling& tiling;
  const Occlusion& occlusion;
  const Visibility& visibility;
  std::vector<Receiver> receivers;
  RayLaunchingOptions options;
  TargetPoints points;
  ReceiverRows receiver_rows;
  ReceiverReach reach;
  std::vector<Vec3> normals_around;
  std::vector<EdgeRun> runs;
  std::vector<std::uint32_t> stacks;
  OverRooftopPaths over_rooftops;
  std::unique_ptr<const GroundTiles> ground_tiles;
  std::vector<std::uint32_t> grounds;  // see EnvironmentView::receiver_grounds
  std::unique_ptr<RooftopSearch> rooftop_search;
  VegetationPrisms vegetation;
  MakeTubeBouncer make_tube_bouncer;
  MakeRowScatterer make_row_scatterer;
  VegetationPairs vegetation_pairs = {};  // made by the first launch, as all below
  SightOverGround sight_over_ground = {};
  std::unique_ptr<TubeBouncer> tube_bouncer = nullptr;
  std::unique_ptr<RowScatterer> row_scatterer = nullptr;
  std::unique_ptr<std::once_flag> pairs_made = std::make_unique<std::once_flag>();
  std::unique_ptr<std::once_flag> looked_over_ground = std::make_unique<std::once_flag>();
  std::unique_ptr<std::once_flag> batchers_made = std::make_unique<std::once_flag>();
  std::unique_ptr<LaunchForecast> forecast = std::make_unique<LaunchForecast>(options_with_work(options, scene));
  std::unique_ptr<const SightFromPoints> sight = std::make_unique<const SightFromPoints>(occlusion, seen_tiling);

  // Alone on its threads: whoever waits for it must not find itself waiting within it.
  void look_over_ground(const std::optional<KeptBeside>& beside, Progress& progress) {
    if (!anything_sends_rays(options)) return;
    std::call_once(*looked_over_ground, [&] {
      tbb::this_task_arena::isolate([&] {
        sight_over_ground = kept_or_made(
            tesseray::sight_over_ground, beside, progress, read_sight_over_ground,
            [&] { return tesseray::look_over_ground(occlusion, seen_tiling, visibility, points, progress); },
            write_sight_over_ground);
      });
    });
  }

  // Likewise. REQUIRES: look_over_ground() has returned.
  void make_vegetation_pairs(const std::optional<KeptBeside>& beside, Progress& progress) {
    if (vegetation.empty() || options.vegetation == VegetationModel::none || !anything_sends_rays(options)) return;
    std::call_once(*pairs_made, [&] {
      tbb::this_task_arena::isolate([&] {
        vegetation_pairs = kept_or_made(
            vegetation_lengths, beside, progress, read_vegetation_pairs,
            [&] { return VegetationPairs(vegetation, visibility, sight_over_ground, points, progress); },
            [&](const VegetationPairs& pairs, const KeptBeside& file) {
              if (pairs.known()) write_vegetation_pairs(pairs, file);
            });
      });
    });
  }

  EnvironmentView view() const {
    return {points.view(), tiling.tiles.data(), normals_around.data(),   tiling.edges.data(),
            runs.data(),   grounds.data(),      scene.default_materials, vegetation_pairs.view()};
  }

  LaunchEnvironment environment() const {
    return {scene,
            tiling,
            seen_tiling,
            occlusion,
            *sight,
            visibility,
            receivers,
            options,
            points,
            receiver_rows,
            reach,
            runs,
            stacks,
            over_rooftops,
            *ground_tiles,
            sight_over_ground,
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
};

RayLauncher::RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                         const Visibility& visibility, std::vector<Receiver> receivers,
                         const RayLaunchingOptions& options, const MakeRooftopSearch& make_rooftop_search,
                         MakeTubeBouncer make_tube_bouncer, MakeRowScatterer make_row_scatterer, Progress& progress) {
  if (options.max_bounces < 0 || options.max_bounces > most_bounces) {
    throw Error(ErrorKind::invalid_input, "bad_max_bounces", "MAX_BOUNCES is " + std::to_string(options.max_bounces),
                "give a number from 0 to " + std::to_string(most_bounces));
  }
  std::unique_ptr<const Tiling> even_tiling = with_even_tiles(scene, tiling);
  const Tiling& reflecting = even_tiling ? *even_tiling : tiling;
  TargetPoints points(reflecting, receivers, options.receiver_height_m, options.tiles_are_targets);
  // What can be reached takes about as long where that is asked at all.
  PartOfStage sight(progress, 0, 0.5), reaching(progress, 0.5, 1);
  ReceiverRows rows(occlusion, tiling, receivers, sight);
  OverRooftopPaths over_rooftops(scene);
  const bool is_uneven = options.tiles_are_targets && !over_rooftops.is_ground_level();
  auto ground_tiles = std::make_unique<const GroundTiles>(scene, reflecting, is_uneven || !receivers.empty());
  std::vector<std::uint32_t> grounds = grounds_below(*ground_tiles, receivers, over_rooftops);
  ReceiverReach reach;
  if (!options.tiles_are_targets) reach = ReceiverReach(visibility, rows, reaching);
  impl_ = std::make_unique<Impl>(Impl{scene,
                                      tiling,
                                      std::move(even_tiling),
                                      reflecting,
                                      occlusion,
                                      visibility,
                                      std::move(receivers),
                                      options,
                                      std::move(points),
                                      std::move(rows),
                                      std::move(reach),
                                      normals_of_ground_around(reflecting),
                                      edge_runs(tiling),
                                      stacks_of(scene, PrismIndex(scene)),
                                      std::move(over_rooftops),
                                      std::move(ground_tiles),
                                      std::move(grounds),
                                      nullptr,
                                      VegetationPrisms(scene.vegetation),
                                      std::move(make_tube_bouncer),
                                      std::move(make_row_scatterer)});
  if (make_rooftop_search && options.over_rooftop == OverRooftop::screens) {
    impl_->rooftop_search = make_rooftop_search(impl_->over_rooftops.view());
  }
}

RayLauncher::~RayLauncher() = default;
RayLauncher::RayLauncher(RayLauncher&&) noexcept = default;

void RayLauncher::prepare(Progress& progress, const std::optional<KeptBeside>& beside) const {
  PartOfStage sight(progress, 0, 0.5), vegetation(progress, 0.5, 1);
  impl_->look_over_ground(beside, sight);
  impl_->make_vegetation_pairs(beside, vegetation);
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
  std::vector<std::uint8_t> lit(impl_->points.element_count(), 0);
  for (const std::uint32_t element : impl_->sight->visible_from(transmitter.position)) lit[element] = lit_as_element;
  const LaunchExtent extent = extent_of(impl_->points, impl_->visibility, transmitter.position,
                                        draws_by_chance(impl_->options, impl_->points), lit);
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
      scatters
          ? kinds * (sizeof(DiffusePower) + sizeof(RoughScatterer) + sizeof(double)) + sizeof(float) +  // known gains
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
  // About so many at a receiver of a city; a quarter is gathered at a time.
  constexpr std::uint64_t pairable_rays = 128;
  const std::uint64_t of_pairs =
      options.summation == Summation::local_mean ? pairable_rays * sizeof(PairableRay) * 5 / 4 : 0;
  constexpr std::uint64_t rays_by_ground = 48;  // likewise, where the ground is not level
  const std::uint64_t of_rays_by_ground = options.summation == Summation::local_mean
                                              ? rays_by_ground * (sizeof(RayByGround) + sizeof(const RayByGround*))
                                              : 0;
  constexpr std::uint64_t rays_in_any_order = 32;  // at a receiver of a city
  const std::uint64_t of_orders = rays_in_any_order * sizeof(RayInAnyOrder);
  const std::uint64_t of_kept_rays = keeps_rays ? sizeof(RaysWithoutPower) : 0;
  // Those of the threads, and the result.
  return threads * (of_rooftop_thread + of_batches) + (threads + 1) * (targets * of_sums + receivers * of_kept_rays) +
         receivers * (of_pairs + of_rays_by_ground + of_orders + 2 * sizeof(LeftInSight)) +
         impl_->points.element_count() * sizeof(float) +  // roulette
         (impl_->points.element_count() + receivers) * of_number +
         impl_->points.tile_count() * (of_scattering_tile + of_tile_by_batches);
}

std::uint64_t RayLauncher::bytes_of_tubes() const {
  // Those that wait, of several levels (docs/benchmarks/propagation.md). Few elements have no more than that each.
  constexpr std::uint64_t halves_of_a_level = 3, at_an_element = 256;
  const std::uint64_t waiting = halves_of_a_level * impl_->options.tubes_of_level / 2;
  return sizeof(Tube) * std::min<std::uint64_t>(waiting, at_an_element * impl_->points.element_count());
}

std::uint64_t RayLauncher::bytes_besides_launches() const {
  return impl_->sight->bytes() + impl_->sight_over_ground.bytes() +
         (impl_->rooftop_search ? impl_->rooftop_search->host_bytes() : 0) +
         (impl_->tube_bouncer ? impl_->tube_bouncer->host_bytes() : 0) +
         (impl_->row_scatterer ? impl_->row_scatterer->host_bytes() : 0);
}

const RayLaunchingOptions& RayLauncher::options() const { return impl_->options; }
const std::vector<Receiver>& RayLauncher::receivers() const { return impl_->receivers; }

}  // namespace tesseray
