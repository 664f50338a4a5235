// SPDX-License-Identifier: GPL-3.0-or-later
// The points of an environment and its receivers, by number, where they lie: on the host or on the device. Numbers:
// tiles, then edge segments, then receivers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// Owns nothing.
struct TargetPointsView {
  std::uint32_t tile_count = 0, edge_count = 0, receiver_count = 0;
  bool tiles_are_targets = true;  // false: rays arrive at receivers alone
  bool ways_on_apart = false;     // arrival() and onward() of ground tiles differ
  // Each number's arrival(), after them each element's reference(), and each tile's onward() where these are apart.
  const Vec3* points = nullptr;
  const std::uint8_t* tiles_on_ground = nullptr;  // by tile, not 0 on the ground

  TESSERAY_HD std::uint32_t element_count() const { return tile_count + edge_count; }
  TESSERAY_HD bool is_tile(std::uint32_t number) const { return number < tile_count; }
  TESSERAY_HD bool is_edge(std::uint32_t number) const { return number >= tile_count && number < element_count(); }
  TESSERAY_HD bool is_receiver(std::uint32_t number) const { return number >= element_count(); }
  TESSERAY_HD std::uint32_t target_tile_count() const { return tiles_are_targets ? tile_count : 0; }
  TESSERAY_HD bool is_ground(std::uint32_t tile) const { return tiles_on_ground[tile] != 0; }
  TESSERAY_HD std::uint32_t reference_index(std::uint32_t element) const {
    return element_count() + receiver_count + element;
  }
  TESSERAY_HD std::uint32_t onward_index(std::uint32_t tile) const { return reference_index(element_count()) + tile; }
  TESSERAY_HD std::size_t point_count() const {
    return 2 * std::size_t{element_count()} + receiver_count + (ways_on_apart ? tile_count : 0);
  }

  // The point at which a tile or receiver is a target.
  TESSERAY_HD Vec3 arrival(std::uint32_t number) const { return points[number]; }
  // The point from which an element goes on: centroid or midpoint.
  TESSERAY_HD Vec3 reference(std::uint32_t element) const { return points[reference_index(element)]; }
  // Where it is evaluated what comes past an edge or over roofs to go on from a number: of a ground tile the height at
  // which targets are mostly over it, where that and what arrives have one evaluation in common; whatever
  // RECEIVER_HEIGHT is, of which receivers with heights of their own know nothing.
  TESSERAY_HD Vec3 onward(std::uint32_t number) const {
    return ways_on_apart && is_tile(number) ? points[onward_index(number)] : arrival(number);
  }
};

// What a row member is: a place where rays arrive, a place from which they go on, or both, with its number.
struct RowTarget {
  static constexpr std::uint32_t arrives = 0x80000000u;  // summed there
  static constexpr std::uint32_t goes_on = 0x40000000u;  // may bounce there
  static constexpr std::uint32_t number_mask = 0x3fffffffu;
};

// What a tile's row is searched for: add(point, target) for each target that a member of it stands for, one or two, or
// none; `point` is an index into TargetPointsView::points. Without `onward` none from which rays would only go on. A
// member with RowTarget::arrives is beside the row, and one target.
template <class Add>
TESSERAY_HD inline void for_targets_of_tile(const TargetPointsView& points, bool from_ground, std::uint32_t member,
                                            bool onward, const Add& add) {
  const std::uint32_t arrives = points.tiles_are_targets ? RowTarget::arrives : 0;
  if ((member & RowTarget::arrives) != 0) {
    add(member & RowTarget::number_mask, member);
  } else if (!points.is_tile(member)) {
    if (onward) add(points.reference_index(member), member | RowTarget::goes_on);
  } else if (!points.is_ground(member)) {
    add(member, member | arrives | RowTarget::goes_on);
  } else if (!from_ground) {
    // Ground to ground is what the ground-reflected companion at the target stands for.
    if (arrives != 0) add(member, member | arrives);
    if (onward) add(points.reference_index(member), member | RowTarget::goes_on);
  }
}

// The same of an edge segment's row, where a ground tile's arrival and its way on are one target as far as both are at
// one height.
template <class Add>
TESSERAY_HD inline void for_targets_of_edge(const TargetPointsView& points, std::uint32_t member, const Add& add) {
  if ((member & RowTarget::arrives) != 0) {
    add(member & RowTarget::number_mask, member);
    return;
  }
  const std::uint32_t arrives = points.is_tile(member) && points.tiles_are_targets ? RowTarget::arrives : 0;
  if (points.ways_on_apart && points.is_tile(member) && points.is_ground(member)) {
    if (arrives != 0) add(member, member | arrives);
    add(points.onward_index(member), member | RowTarget::goes_on);
  } else {
    add(member, member | arrives | RowTarget::goes_on);
  }
}

// The point at which that target is evaluated.
TESSERAY_HD inline Vec3 target_past_edge(const TargetPointsView& points, std::uint32_t target) {
  const std::uint32_t number = target & RowTarget::number_mask;
  return (target & RowTarget::arrives) != 0 ? points.arrival(number) : points.onward(number);
}

}  // namespace tesseray
