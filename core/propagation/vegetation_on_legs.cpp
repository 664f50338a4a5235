// SPDX-License-Identifier: GPL-3.0-or-later
// What vegetation leaves of rays on their way to a target or to a member of an element's row.
#include <cmath>
#include <limits>

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

double Launch::vegetation_in_row(std::uint32_t element, std::size_t place, std::uint32_t member) const {
  if (!vegetation_.any()) return 1;
  const std::span<const float> lengths = environment_.vegetation_pairs.row(element);
  return lengths.empty()
             ? vegetation_.amplitude(environment_.points.reference(element), environment_.points.reference(member))
             : vegetation_.amplitude_after(lengths[place]);
}

void Launch::begin_vegetation(std::uint32_t element, ThreadState& state) const {
  if (!vegetation_.any()) return;
  state.vegetation.assign(state.intervals.size(), std::numeric_limits<double>::quiet_NaN());
  const std::span<const float> lengths = environment_.vegetation_pairs.row(element);
  if (lengths.empty()) return;
  // What is laid out comes in the order of the row, some members twice, and then the receivers.
  std::size_t member = 0;
  for (std::size_t place = 0; place < state.intervals.size(); ++place) {
    const std::uint32_t number = state.intervals.target[place] & RowTarget::number_mask;
    if (environment_.points.is_receiver(number)) break;
    while (state.row[member] != number) ++member;
    state.vegetation[place] = vegetation_.amplitude_after(lengths[member]);
  }
}

double Launch::vegetation_to_member(std::uint32_t element, std::uint32_t place, ThreadState& state) const {
  if (!vegetation_.any()) return 1;
  double& left = state.vegetation[place];
  if (std::isnan(left)) {
    const TargetPoints& points = environment_.points;
    const std::uint32_t number = state.intervals.target[place] & RowTarget::number_mask;
    const Vec3 to = points.is_receiver(number) ? points.arrival(number) : points.reference(number);
    left = vegetation_.amplitude(points.reference(element), to);
  }
  return left;
}

}  // namespace tesseray
