// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/prediction_stage.h"

#include "core/prediction/clutter_loss.h"
#include "cuda/backend.h"
#include "processing_algorithms/stages/prediction_keeping.h"
#include "processing_algorithms/stages/ray_parameters.h"

namespace tesseray {
namespace {

// Anew by the CPU where the GPU has no room for what the transmitter has there, whatever was done by then.
RayLaunchingResult rays_of(const Run& run, const RayLauncher& launcher, const Transmitter& transmitter,
                           Progress& progress) {
  return run.gpu_or_cpu(
      "the rays of " + transmitter.name, [&] { return launcher.launch(transmitter, progress); },
      [&] { return launcher.launch_by_cpu(transmitter, progress); }, progress);
}

// Without tiles no ray is drawn by chance: in a whole city more than a few receivers, or a second diffraction, would
// take longer than all tiles (docs/propagation-cost.md).
bool receivers_are_enough(const Run& run, const RayLaunchingOptions& options, std::size_t receivers,
                          std::size_t tiles) {
  constexpr std::size_t tiles_per_receiver = 1000;
  if (run.destinations().layer("PATH_LOSS") || receivers == 0) return false;
  if (!options.pruning || tiles < options.pruning_from_tiles) return true;
  return options.max_diffractions <= 1 && receivers * tiles_per_receiver <= tiles;
}

// Told from what some of them see.
void require_memory_for_receivers(Run& run, const Tiling& tiling, const Occlusion& occlusion,
                                  const std::vector<Receiver>& receivers) {
  constexpr std::size_t samples = 64;
  if (receivers.size() <= samples) return;
  const SightFromPoints sight(occlusion, tiling, samples);
  std::uint64_t seen = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    run.progress().throw_if_cancelled();
    seen += sight.visible_from(receivers[s * receivers.size() / samples].position).size();
  }
  run.settings().memory.require(ReceiverRows::bytes_per_entry * seen * receivers.size() / samples,
                                "what " + std::to_string(receivers.size()) + " receivers see",
                                "give fewer RECEIVERS at a time, or allow more memory");
}

// Those that the GPU has; where it fails to make one, the run says so.
LaunchMakers makers_on_gpu(Run& run) {
  const LaunchMakers makers = cuda_launch_makers();
  return {[&run, makers](const RooftopSceneView& view) {
            return run.on_gpu("rays over the roofs", [&] { return makers.rooftop_search(view); });
          },
          [&run, makers](const EnvironmentView& view) {
            return run.on_gpu("bounces", [&] { return makers.tube_bouncer(view); });
          },
          [&run, makers](const EnvironmentView& view) {
            return run.on_gpu("scattered power", [&] { return makers.row_scatterer(view); });
          }};
}

}  // namespace

void require_targets(const Tiling& tiling, const Sites& sites) {
  if (!tiling.tiles.empty() || !sites.receivers.empty()) return;
  throw Error(ErrorKind::invalid_input, "nothing_to_predict", "the area has no tile, and there are no receivers",
              "make the environment with a larger EXTENT or a smaller TILE_AREA, or give RECEIVERS");
}

RayLauncher launch_rays(Run& run, const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                        const RayRows& rows, const Sites& sites, PredictedAt predicted_at) {
  run.progress().begin_stage("rays");
  RayLaunchingOptions options = ray_launching_options(run.values());
  if (!sites.receivers.empty() && run.destinations().layer("RAYS")) {
    options.rays_per_receiver = static_cast<std::size_t>(run.values().integer("RAYS_PER_RECEIVER"));
  }
  options.pruning = run.values().flag("PRUNING");
  options.wideband = run.values().flag("WIDEBAND");
  options.delay_profile_rays = static_cast<std::size_t>(run.values().integer("DELAY_PROFILE_RAYS"));
  options.tiles_are_targets = predicted_at == PredictedAt::tiles_and_receivers ||
                              !receivers_are_enough(run, options, sites.receivers.size(), tiling.tiles.size());
  require_memory_for_receivers(run, tiling, occlusion, sites.receivers);
  const std::optional<KeptBeside> beside = kept_beside(rows.visibility(), options.receiver_height_m);
  PartOfStage sight_of_receivers(run.progress(), 0,
                                 share_of_receivers(tiling, sites.receivers.size(), options, beside));
  return RayLauncher(scene, tiling, occlusion, rows.visibility(), sites.receivers, options,
                     run.uses_cuda() ? makers_on_gpu(run) : LaunchMakers(), sight_of_receivers);
}

Predictions predict_path_loss(Run& run, const RayLauncher& launcher, const RayRows& rows, const Scene& scene,
                              const Tiling& tiling, const Sites& sites, const PredictionFolders& folders) {
  std::vector<TransmitterPrediction> found = find_kept_predictions(run, folders, sites.transmitters);
  const bool launches = found.size() < sites.transmitters.size();
  if (launches) {
    const std::optional<KeptBeside> beside = kept_beside(rows.visibility(), launcher.options().receiver_height_m);
    PartOfStage of_all_launches(run.progress(),
                                share_of_receivers(tiling, launcher.receivers().size(), launcher.options(), beside), 1);
    launcher.prepare(of_all_launches, beside);
  }
  run.progress().begin_stage("prediction");
  const std::size_t targets =
      (launcher.options().tiles_are_targets ? tiling.tiles.size() : 0) + launcher.receivers().size();
  const std::size_t at_once =
      launches ? transmitters_at_once(run.settings().memory, launcher, targets, sites.transmitters.size()) : 1;
  return predict_each(
      sites.transmitters,
      [&](const Transmitter& transmitter, Progress& progress) {
        RayLaunchingResult rays = rays_of(run, launcher, transmitter, progress);
        TransmitterPrediction prediction =
            predict_path_loss(std::move(rays), transmitter, tiling, launcher.receivers(), launcher.options());
        add_clutter_loss(scene.clutter, tiling, launcher.receivers(), transmitter, prediction);
        if (folders.kept) folders.kept->keep(transmitter, prediction, progress);
        return prediction;
      },
      run.progress(), at_once, std::move(found),
      [&](const Transmitter& transmitter) { return launcher.expected_work(transmitter); });
}

}  // namespace tesseray
