// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/launch_setting.h"

#include "core/base/infinity.h"
#include "core/base/parallel.h"
#include "core/propagation/tubes/bounced_rays.h"

namespace tesseray {
namespace {

std::vector<double> distances_from(Vec3 antenna, const TargetPoints& points) {
  const std::uint32_t numbers = points.element_count() + points.receiver_count();
  constexpr std::size_t numbers_per_block = 8192;
  std::vector<double> distances(numbers);
  parallel_blocks(numbers, numbers_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      distances[n] = norm(points.arrival(static_cast<std::uint32_t>(n)) - antenna);
    }
  });
  return distances;
}

}  // namespace

LaunchSetting::LaunchSetting(const LaunchEnvironment& of_launches, const Transmitter& of_launch)
    : environment(of_launches),
      transmitter(of_launch),
      link(environment.scene, transmitter, environment.options),
      limits(environment.options),
      vegetation(environment.vegetation, environment.options.vegetation, environment.options.vegetation_db_per_m,
                 transmitter.frequency_hz),
      straight_distances(distances_from(transmitter.position, environment.points)),
      view{.environment = environment.view,
           .link = link.view(),
           .limits = limits,
           .antenna = transmitter.position,
           .summation = environment.options.summation,
           .vegetation = vegetation.rate(),
           .straight_distances = straight_distances.data(),
           .is_antenna_over_ground =
               environment.over_rooftops.roof_below(transmitter.position) == -infinity && limits.may_reflect(0, 0)} {}

std::uint32_t LaunchSetting::ground_below(std::uint32_t number) const { return environment.view.ground_below(number); }

double LaunchSetting::pattern_near_m(const Tile& tile) const { return tesseray::pattern_near_m(view.link, tile); }

bool LaunchSetting::is_pattern_near(std::uint32_t element) const {
  const TargetPoints& points = environment.points;
  return points.is_tile(element) &&
         norm(points.reference(element) - transmitter.position) < pattern_near_m(environment.tiling.tiles[element]);
}

bool LaunchSetting::may_do_anything(std::uint32_t element, int reflections, int diffractions) const {
  return is_in_reach(element, reflections + diffractions) &&
         tesseray::may_do_anything(view, element, reflections, diffractions);
}

bool LaunchSetting::may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections,
                              int diffractions) const {
  if (!chain.is_scattered()) return may_do_anything(element, reflections, diffractions);
  const int had = reflections + diffractions;
  if (had != 1) return had == 0;
  return environment.points.is_edge(element) == goes_on_at_edge(chain.after, chain.last()) &&
         is_in_reach(element, environment.options.max_bounces - 1);
}

std::uint32_t LaunchSetting::ground_before(std::uint32_t number) const {
  const TargetPoints& points = environment.points;
  if (!points.is_tile(number) || environment.tiling.tiles[number].kind != SurfaceKind::wall) {
    return ground_below(number);
  }
  const Tile& wall = environment.tiling.tiles[number];
  return environment.ground_tiles.near((wall.centroid + wall.normal).xy());
}

bool LaunchSetting::goes_on_at_edge(AfterScattering after, std::uint32_t first_element) const {
  if (after == AfterScattering::two_reflections) return false;
  return after == AfterScattering::two_diffractions || !environment.points.is_edge(first_element);
}

VegetationAtTarget LaunchSetting::vegetation_to_target(Vec3 from, std::uint32_t number, Vec3 ground_normal) const {
  if (!vegetation.any()) return {};
  const Vec3 target = environment.points.arrival(number);
  const double straight = vegetation.amplitude(from, target);
  VegetationAtTarget left{straight, straight};
  const std::uint32_t ground = squared_norm(ground_normal) > 0 ? ground_before(number) : ground_below(number);
  if (ground == no_index) return left;
  const Tile& tile = environment.tiling.tiles[ground];
  const Vec3 normal = squared_norm(ground_normal) > 0 ? ground_normal : tile.normal;
  // The companion by way of the ground's plane, where the line to the target's image meets it; straight where the wave
  // runs along the ground, which bends away from that plane.
  const double from_height = dot(from - tile.centroid, normal), target_height = dot(target - tile.centroid, normal);
  if (!(from_height > 0)) return left;
  const Vec3 image = mirrored(target, tile.centroid, normal);
  const Vec3 on_ground = from + (from_height / (from_height + target_height)) * (image - from);
  left.companion = vegetation.amplitude(from, on_ground) * vegetation.amplitude(on_ground, target);
  return left;
}

double LaunchSetting::vegetation_between(std::uint32_t element, std::uint32_t member) const {
  if (!vegetation.any()) return 1;
  const TargetPoints& points = environment.points;
  const bool is_known = !points.is_receiver(member) && environment.vegetation_pairs.known();
  if (is_known) return vegetation.amplitude_after(environment.vegetation_pairs.length_m(element, member));
  const bool ends_at_target =
      points.is_receiver(member) || environment.sight_over_ground.is_beside_row(member, element);
  return vegetation.amplitude(points.reference(element),
                              ends_at_target ? points.arrival(member) : points.reference(member));
}

}  // namespace tesseray
