// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/edge_beam.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/propagation/images/beam.h"

namespace tesseray {

std::optional<std::pair<Vec3, Vec3>> part_in_front(const EdgeSegment& edge, const Reflector& reflector) {
  const Vec3 half = 0.5 * edge.length_m * edge.direction;
  Vec3 begin = edge.midpoint - half, end = edge.midpoint + half;
  const double at_begin = dot(begin - reflector.origin, reflector.normal) - least_height_m;
  const double at_end = dot(end - reflector.origin, reflector.normal) - least_height_m;
  if (at_begin <= 0 && at_end <= 0) return std::nullopt;
  if (at_begin < 0) begin = begin + (at_begin / (at_begin - at_end)) * (end - begin);
  if (at_end < 0) end = end + (at_end / (at_end - at_begin)) * (begin - end);
  return std::pair{begin, end};
}

EdgeBeam::EdgeBeam(const Reflector& reflector, Vec3 begin, Vec3 end)
    : image_{mirrored(begin, reflector.origin, reflector.normal), mirrored(end, reflector.origin, reflector.normal)} {
  const std::span<const Vec3> corners = reflector.polygon();
  Vec3 middle;
  for (const Vec3 corner : corners) middle = middle + (1.0 / static_cast<double>(corners.size())) * corner;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    Side& side = sides_[count_++];
    side.origin = corners[i];
    const Vec3 along = corners[i + 1 == corners.size() ? 0 : i + 1] - side.origin;
    for (std::size_t k = 0; k < image_.size(); ++k) {
      const Vec3 to_image = image_[k] - side.origin, across = cross(along, to_image);
      const double length = norm(across);
      // A side on one line with the image bounds nothing.
      if (!(length > 1e-12 * norm(along) * norm(to_image))) continue;
      const double sense = dot(across, middle - side.origin) < 0 ? -1.0 : 1.0;
      side.normals[k] = (sense / length) * across;
    }
  }
}

bool EdgeBeam::is_beyond_a_side(Vec3 begin, Vec3 end) const {
  return std::any_of(sides_.begin(), sides_.begin() + count_, [&](const Side& side) {
    return std::all_of(side.normals.begin(), side.normals.end(), [&](Vec3 normal) {
      return dot(begin - side.origin, normal) < -reach_margin_m && dot(end - side.origin, normal) < -reach_margin_m;
    });
  });
}

bool EdgeBeam::is_passed_by(Vec3 a, Vec3 b, Vec3 c, Vec3 fourth) const {
  const Vec3 across = cross(b - a, c - a);
  const double margin = reach_margin_m * norm(across), at_fourth = dot(fourth - a, across);
  double least = dot(sides_[0].origin - a, across), greatest = least;
  for (std::size_t i = 1; i < count_; ++i) {
    const double at_corner = dot(sides_[i].origin - a, across);
    least = std::min(least, at_corner);
    greatest = std::max(greatest, at_corner);
  }
  return least > std::max(at_fourth, 0.0) + margin || greatest < std::min(at_fourth, 0.0) - margin;
}

bool EdgeBeam::reaches_segment(Vec3 begin, Vec3 end) const {
  if (is_beyond_a_side(begin, end)) return false;
  const auto [first, last] = image_;
  return !is_passed_by(first, last, begin, end) && !is_passed_by(first, last, end, begin) &&
         !is_passed_by(begin, end, first, last) && !is_passed_by(begin, end, last, first);
}

bool EdgeBeam::reaches(const SpaceBox& box) const {
  const auto is_beyond = [&](const Side& side) {
    return std::all_of(side.normals.begin(), side.normals.end(), [&](Vec3 normal) {
      const double reach_m =
          std::fabs(normal.x) * box.half.x + std::fabs(normal.y) * box.half.y + std::fabs(normal.z) * box.half.z;
      return dot(box.centre - side.origin, normal) + reach_m < -reach_margin_m;
    });
  };
  return std::none_of(sides_.begin(), sides_.begin() + count_, is_beyond);
}

}  // namespace tesseray
