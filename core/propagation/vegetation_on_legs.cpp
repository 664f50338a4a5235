// SPDX-License-Identifier: GPL-3.0-or-later
// What vegetation leaves of rays on their way to a target or to a member of an element's row.
#include "core/propagation/launch.h"

namespace tesseray {

VegetationAtTarget Launch::vegetation_to_target(Vec3 from, std::uint32_t number, Vec3 ground_normal) const {
  if (!vegetation_.any()) return {};
  const Vec3 target = environment_.points.arrival(number);
  const double straight = vegetation_.amplitude(from, target);
  VegetationAtTarget left{straight, straight};
  const std::uint32_t ground = ground_below(number);
  if (ground == no_index) return left;
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 normal = squared_norm(ground_normal) > 0 ? ground_normal : tile.normal;
  // The companion by way of the ground's plane, where the line to the target's image meets it; straight where the wave
  // runs along the ground, which bends away from that plane.
  const double from_height = dot(from - tile.centroid, normal), target_height = dot(target - tile.centroid, normal);
  if (!(from_height > 0)) return left;
  const Vec3 image = mirrored(target, tile.centroid, normal);
  const Vec3 on_ground = from + (from_height / (from_height + target_height)) * (image - from);
  left.companion = vegetation_.amplitude(from, on_ground) * vegetation_.amplitude(on_ground, target);
  return left;
}

double Launch::vegetation_between(std::uint32_t element, std::uint32_t member) const {
  if (!vegetation_.any()) return 1;
  const TargetPoints& points = environment_.points;
  if (points.is_receiver(member)) return vegetation_.amplitude(points.reference(element), points.arrival(member));
  return environment_.vegetation_pairs.known()
             ? vegetation_.amplitude_after(environment_.vegetation_pairs.length_m(element, member))
             : vegetation_.amplitude(points.reference(element), points.reference(member));
}

}  // namespace tesseray
