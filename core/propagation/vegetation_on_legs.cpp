// SPDX-License-Identifier: GPL-3.0-or-later
// What vegetation leaves of rays on their way to a target or to a member of an element's row.
#include "core/propagation/launch.h"

namespace tesseray {

VegetationAtTarget Launch::vegetation_to_target(Vec3 from, std::uint32_t number) const {
  if (!vegetation_.any()) return {};
  const Vec3 target = environment_.points.arrival(number);
  VegetationAtTarget left{vegetation_.amplitude(from, target), 1.0};
  if (!environment_.points.is_tile(number)) return left;
  const Tile& tile = environment_.tiling.tiles[number];
  if (tile.kind != SurfaceKind::ground) return left;
  // The companion by way of the ground's plane, where the line to the target's image meets it.
  const double from_height = dot(from - tile.centroid, tile.normal);
  const double target_height = dot(target - tile.centroid, tile.normal);
  if (!(from_height > 0)) return left;
  const Vec3 image = mirrored(target, tile.centroid, tile.normal);
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
