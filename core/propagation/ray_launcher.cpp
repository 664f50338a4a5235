// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/ray_launcher.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/launch.h"

namespace tesseray {
namespace {

double azimuth_deg(Vec3 direction, double convergence_deg) {
  const double azimuth = degrees(std::atan2(direction.x, direction.y)) + convergence_deg;
  return azimuth - 360.0 * std::floor(azimuth / 360.0);
}

double elevation_deg(Vec3 direction) { return degrees(std::atan2(direction.z, norm(direction.xy()))); }

std::string interaction_text(const Tiling& tiling, const InteractionChain& chain) {
  std::string text = "T";
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (element >= tiling.tiles.size()) {
      text += "-D";
    } else {
      text += tiling.tiles[element].kind == SurfaceKind::ground ? "-G" : "-R";
    }
  }
  return text;
}

}  // namespace

Launch::Launch(const LaunchEnvironment& environment, const Transmitter& transmitter)
    : environment_(environment),
      transmitter_(transmitter),
      link_(environment.scene, transmitter, environment.options),
      limits_(environment.options),
      states_([&environment] {
        ThreadState state;
        state.sums.resize(std::size_t{environment.points.tile_count()} + environment.points.receiver_count());
        return state;
      }) {
  const std::uint32_t numbers = environment.points.element_count() + environment.points.receiver_count();
  straight_distances_.reserve(numbers);
  for (std::uint32_t n = 0; n < numbers; ++n) {
    straight_distances_.push_back(norm(environment.points.arrival(n) - transmitter.position));
  }
  prepare_diffuse();
}

RayLaunchingResult Launch::run(Progress& progress) {
  bounce(launch_first_level(progress), progress);
  if (!diffuse_.empty()) {
    scatter_last(progress);
    if (environment_.options.max_after_scattering > 0) {
      scatter_then_reflect(progress);
      scatter_then_diffract(progress);
    }
  }
  return collect();
}

RayLaunchingResult Launch::collect() {
  RayLaunchingResult result;
  result.tubes = tubes_;
  std::vector<ArrivalSums> sums(std::size_t{environment_.points.tile_count()} + environment_.points.receiver_count());
  std::vector<RecordedRay> recorded;
  for (ThreadState& state : states_) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].merge(state.sums[i]);
    recorded.insert(recorded.end(), state.recorded.begin(), state.recorded.end());
  }
  const auto tiles = static_cast<std::ptrdiff_t>(environment_.points.tile_count());
  result.receivers.assign(sums.begin() + tiles, sums.end());
  sums.resize(environment_.points.tile_count());
  result.tiles = std::move(sums);
  result.rays = strongest_rays(std::move(recorded));
  return result;
}

std::vector<Ray> Launch::strongest_rays(std::vector<RecordedRay> recorded) const {
  const auto order = [](const RecordedRay& ray) {
    return std::tuple(ray.receiver, -ray.path_gain, ray.chain.length, ray.chain.elements);
  };
  std::sort(recorded.begin(), recorded.end(),
            [&](const RecordedRay& a, const RecordedRay& b) { return order(a) < order(b); });
  const double convergence_deg = transmitter_.azimuth_deg - transmitter_.grid_azimuth_deg;
  const double eirp_dbm = transmitter_.erp_dbm + half_wave_dipole_gain_dbi;
  std::vector<Ray> rays;
  std::size_t of_receiver = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const RecordedRay& from = recorded[i];
    of_receiver = i > 0 && recorded[i - 1].receiver == from.receiver ? of_receiver + 1 : 0;
    if (of_receiver >= environment_.options.rays_per_receiver) continue;
    const Receiver& receiver = environment_.receivers[from.receiver];
    Ray ray;
    ray.transmitter_id = transmitter_.transmitter_id;
    ray.target_id = receiver.receiver_id;
    ray.interactions = interaction_text(environment_.tiling, from.chain);
    ray.points = trace_chain(environment_.tiling, from.chain, transmitter_.position, receiver.position);
    ray.power_dbm = eirp_dbm + decibels(from.path_gain);
    ray.delay_ns = from.length_m / speed_of_light * 1e9;
    const Vec3 departure = ray.points[1] - ray.points[0];
    const Vec3 look_back = ray.points[ray.points.size() - 2] - ray.points.back();
    ray.departure_azimuth_deg = azimuth_deg(departure, convergence_deg);
    ray.departure_elevation_deg = elevation_deg(departure);
    ray.arrival_azimuth_deg = azimuth_deg(look_back, convergence_deg);
    ray.arrival_elevation_deg = elevation_deg(look_back);
    ray.phase_deg = degrees(from.phase);
    rays.push_back(std::move(ray));
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
};

RayLauncher::RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                         const Visibility& visibility, std::vector<Receiver> receivers,
                         const RayLaunchingOptions& options) {
  if (options.max_bounces < 0 || options.max_bounces > most_bounces) {
    throw Error(ErrorKind::invalid_input, "bad_max_bounces", "MAX_BOUNCES is " + std::to_string(options.max_bounces),
                "give a number from 0 to " + std::to_string(most_bounces));
  }
  const TargetPoints points(tiling, receivers, options.receiver_height_m);
  const ReceiverRows rows(occlusion, tiling, receivers);
  impl_ =
      std::make_unique<Impl>(Impl{scene, tiling, occlusion, visibility, std::move(receivers), options, points, rows});
}

RayLauncher::~RayLauncher() = default;
RayLauncher::RayLauncher(RayLauncher&&) noexcept = default;

RayLaunchingResult RayLauncher::launch(const Transmitter& transmitter, Progress& progress) const {
  const LaunchEnvironment environment{impl_->scene,     impl_->tiling,  impl_->occlusion, impl_->visibility,
                                      impl_->receivers, impl_->options, impl_->points,    impl_->receiver_rows};
  return Launch(environment, transmitter).run(progress);
}

const RayLaunchingOptions& RayLauncher::options() const { return impl_->options; }
const std::vector<Receiver>& RayLauncher::receivers() const { return impl_->receivers; }

}  // namespace tesseray
