// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ray_launcher.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/infinity.h"
#include "core/base/is_there.h"
#include "core/propagation/launching/launch.h"
#include "core/propagation/launching/scattered_power.h"
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

// Of the terrain below the middles of elements, m.
std::vector<double> ground_heights_below(const Scene& scene, const Tiling& tiling) {
  std::vector<double> heights;
  heights.reserve(tiling.tiles.size() + tiling.edges.size());
  for (const Tile& tile : tiling.tiles) heights.push_back(scene.terrain.height_at(tile.centroid.xy()));
  for (const EdgeSegment& edge : tiling.edges) heights.push_back(scene.terrain.height_at(edge.midpoint.xy()));
  return heights;
}

// Whether anything sends rays to ground tiles but the antenna.
bool anything_sends_rays(const RayLaunchingOptions& options) {
  const InteractionLimits limits(options);
  return options.tiles_are_targets &&
         (limits.may_reflect(0, 0) || limits.may_diffract(0, 0) || limits.may_scatter(0, 0));
}

bool is_kept_there(const KeptKind& kind, const std::optional<KeptBeside>& beside) {
  return beside && is_there(kept_file(kind, *beside));
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

double share_of_receivers(const Tiling& tiling, std::size_t receivers, const RayLaunchingOptions& options,
                          const std::optional<KeptBeside>& beside) {
  if (receivers == 0) return 0;
  if (!anything_sends_rays(options) || is_kept_there(sight_over_ground, beside)) return 1;
  return static_cast<double>(receivers) / static_cast<double>(receivers + ground_tiles_of(tiling));
}

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
  std::vector<double> ground_heights;
  std::vector<EdgeRun> runs;
  std::vector<std::uint32_t> stacks;
  OverRooftopPaths over_rooftops;
  std::unique_ptr<const GroundTiles> ground_tiles;
  std::vector<std::uint32_t> grounds;  // see EnvironmentView::receiver_grounds
  std::unique_ptr<RooftopSearch> rooftop_search;
  VegetationPrisms vegetation;
  LaunchMakers makers;
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

  bool asks_for_vegetation() const {
    return !vegetation.empty() && options.vegetation != VegetationModel::none && anything_sends_rays(options);
  }

  // Of the two below: where neither is kept, lengths in vegetation take a fifth of the time in the synthetic city.
  double share_of_sight(const std::optional<KeptBeside>& beside) const {
    if (!asks_for_vegetation()) return 1;
    return is_kept_there(tesseray::sight_over_ground, beside) ? 0 : 0.8;
  }

  // Likewise. REQUIRES: look_over_ground() has returned.
  void make_vegetation_pairs(const std::optional<KeptBeside>& beside, Progress& progress) {
    if (!asks_for_vegetation()) return;
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
    return {points.view(), tiling.tiles.data(), normals_around.data(),   ground_heights.data(),  tiling.edges.data(),
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

  // What a thread gathers for those who work in place of the CPU.
  std::uint64_t bytes_of_thread_by_batches() const {
    const std::uint64_t of_rooftops =
        rooftop_search ? rooftop_search->most_targets() * (sizeof(RooftopTarget) + sizeof(RooftopBends)) : 0;
    const BatchLimits batch = tube_bouncer ? tube_bouncer->limits() : BatchLimits();
    const RowLimits rows = row_scatterer ? row_scatterer->limits() : RowLimits();
    return of_rooftops + (batch.members + rows.members) * sizeof(std::uint32_t) + batch.tubes * sizeof(const Tube*) +
           rows.rows * sizeof(RowBatch::Row);
  }

  // What a launch takes over from them at each tile, one after the other.
  std::uint64_t bytes_per_tile_by_batches() const {
    if (row_scatterer) return sizeof(ArrivalSums) + sizeof(ScatteredSums);
    return tube_bouncer ? sizeof(ArrivalSums) : 0;
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
      if (makers.tube_bouncer) tube_bouncer = makers.tube_bouncer(view());
      if (makers.row_scatterer && options.max_scatterings > 0) row_scatterer = makers.row_scatterer(view());
    });
  }
};

RayLauncher::RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                         const Visibility& visibility, std::vector<Receiver> receivers,
                         const RayLaunchingOptions& options, LaunchMakers makers, Progress& progress) {
  if (options.max_bounces < 0 || options.max_bounces > most_bounces) {
    throw Error(ErrorKind::invalid_input, "bad_max_bounces", "MAX_BOUNCES is " + std::to_string(options.max_bounces),
                "give a number from 0 to " + std::to_string(most_bounces));
  }
  std::unique_ptr<const Tiling> even_tiling = with_even_tiles(scene, tiling);
  const Tiling& reflecting = even_tiling ? *even_tiling : tiling;
  TargetPoints points(reflecting, receivers, options.receiver_height_m, options.tiles_are_targets);
  // What can be reached takes about as long where that is asked at all.
  const double sight_end = options.tiles_are_targets ? 1 : 0.5;
  PartOfStage sight(progress, 0, sight_end), reaching(progress, sight_end, 1);
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
                                      ground_heights_below(scene, reflecting),
                                      edge_runs(tiling),
                                      stacks_of(scene, over_rooftops.index()),
                                      std::move(over_rooftops),
                                      std::move(ground_tiles),
                                      std::move(grounds),
                                      nullptr,
                                      VegetationPrisms(scene.vegetation),
                                      std::move(makers)});
  if (impl_->makers.rooftop_search && options.over_rooftop == OverRooftop::screens) {
    impl_->rooftop_search = impl_->makers.rooftop_search(impl_->over_rooftops.view());
  }
}

RayLauncher::~RayLauncher() = default;
RayLauncher::RayLauncher(RayLauncher&&) noexcept = default;

void RayLauncher::prepare(Progress& progress, const std::optional<KeptBeside>& beside) const {
  const double sight_end = impl_->share_of_sight(beside);
  PartOfStage sight(progress, 0, sight_end), vegetation(progress, sight_end, 1);
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
  const LaunchExtent extent = extent_of(impl_->environment(), transmitter.position, lit);
  return impl_->forecast->work(extent);
}

std::uint64_t RayLauncher::bytes_of_launch(std::size_t threads) const {
  const RayLaunchingOptions& options = impl_->options;
  const TargetPoints& points = impl_->points;
  const std::uint64_t receivers = points.receiver_count(), targets = points.target_tile_count() + receivers,
                      numbers = points.element_count() + receivers;
  const std::uint64_t of_sums =
      targets * LaunchArrivals::bytes_per_target(options) + receivers * LaunchArrivals::bytes_per_receiver(options);
  const std::uint64_t per_number = LaunchSetting::bytes_per_number + FirstLevelRecord::bytes_per_number(options) +
                                   ScatteringTiles::bytes_per_number(options);
  const std::uint64_t per_tile = ScatteringTiles::bytes_per_tile(options) + ScatteredPower::bytes_per_tile(options) +
                                 impl_->bytes_per_tile_by_batches();
  // Sums are those of the threads, and the result.
  return threads * impl_->bytes_of_thread_by_batches() + (threads + 1) * of_sums +
         receivers * (FirstLevelRecord::bytes_per_receiver + LaunchArrivals::bytes_of_kept_rays_per_receiver(options)) +
         numbers * per_number + points.element_count() * Bounces::bytes_per_element + points.tile_count() * per_tile;
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
