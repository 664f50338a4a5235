// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/beam.h"

#include <algorithm>
#include <cmath>

namespace tesseray {

ConvexPolygon::ConvexPolygon(std::span<const Vec3> corners) : count_(corners.size()) {
  std::copy(corners.begin(), corners.end(), corners_.begin());
}

void ConvexPolygon::clip(Vec3 origin, Vec3 normal) {
  std::array<double, most_corners> height_m{};
  std::size_t inside = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    height_m[i] = dot(corners_[i] - origin, normal) + reach_margin_m;
    if (height_m[i] >= 0) ++inside;
  }
  if (inside == count_) return;
  if (inside == 0) {
    count_ = 0;
    return;
  }
  if (count_ == most_corners) return;
  std::array<Vec3, most_corners> kept{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t next = i + 1 == count_ ? 0 : i + 1;
    if (height_m[i] >= 0) kept[count++] = corners_[i];
    if ((height_m[i] >= 0) == (height_m[next] >= 0)) continue;
    const double share = height_m[i] / (height_m[i] - height_m[next]);
    kept[count++] = corners_[i] + share * (corners_[next] - corners_[i]);
  }
  corners_ = kept;
  count_ = count;
}

void Beam::add_plane(Vec3 origin, Vec3 normal) {
  origins_[planes_] = origin;
  normals_[planes_] = normal;
  ++planes_;
}

Beam::Beam(Vec3 apex, const ConvexPolygon& opening, Vec3 normal) : apex_(apex), opening_(opening) {
  const std::span<const Vec3> corners = opening.corners();
  add_plane(corners[0], normal);
  Vec3 middle;
  for (const Vec3 corner : corners) middle = middle + (1.0 / static_cast<double>(corners.size())) * corner;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 a = corners[i] - apex, b = corners[i + 1 == corners.size() ? 0 : i + 1] - apex;
    const Vec3 across = cross(a, b);
    const double length = norm(across);
    // Corners that lie on one line with the apex bound nothing.
    if (!(length > 1e-12 * norm(a) * norm(b))) continue;
    const double sense = dot(across, middle - apex) < 0 ? -1.0 : 1.0;
    add_plane(apex, (sense / length) * across);
  }
}

bool Beam::reaches(Vec3 point) const {
  for (std::size_t i = 0; i < planes_; ++i) {
    if (dot(point - origins_[i], normals_[i]) < -reach_margin_m) return false;
  }
  return true;
}

ConvexPolygon Beam::lit_part(std::span<const Vec3> outline) const {
  ConvexPolygon part(outline);
  for (std::size_t i = 0; i < planes_ && !part.empty(); ++i) part.clip(origins_[i], normals_[i]);
  return part;
}

bool Beam::reaches_segment(Vec3 begin, Vec3 end) const {
  double first = 0, last = 1;
  for (std::size_t i = 0; i < planes_; ++i) {
    const double at_begin = dot(begin - origins_[i], normals_[i]) + reach_margin_m;
    const double at_end = dot(end - origins_[i], normals_[i]) + reach_margin_m;
    if (at_begin < 0 && at_end < 0) return false;
    if (at_begin < 0) first = std::max(first, at_begin / (at_begin - at_end));
    if (at_end < 0) last = std::min(last, at_begin / (at_begin - at_end));
    if (first > last) return false;
  }
  return true;
}

}  // namespace tesseray
