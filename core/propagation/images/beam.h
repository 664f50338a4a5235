// SPDX-License-Identifier: GPL-3.0-or-later
// The rays from an image point through an opening: where the rays of one sequence of reflections can be.
//
// All tests keep what is within reach_margin_m of the border: a beam may be too wide by that, never too narrow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/geometry/vector.h"

namespace tesseray {

inline constexpr double reach_margin_m = 1e-5;

// Convex, in one plane, with few corners. A clip that would need more corners is left out.
class ConvexPolygon {
 public:
  static constexpr std::size_t most_corners = 16;

  ConvexPolygon() = default;
  explicit ConvexPolygon(std::span<const Vec3> corners);

  std::span<const Vec3> corners() const { return {corners_.data(), count_}; }
  bool empty() const { return count_ == 0; }
  // Keeps what lies on the positive side of a plane through `origin`; the unit normal points there.
  void clip(Vec3 origin, Vec3 normal);

 private:
  std::array<Vec3, most_corners> corners_{};
  std::size_t count_ = 0;
};

class Beam {
 public:
  // All space around a point.
  explicit Beam(Vec3 apex) : apex_(apex) {}
  // What is reflected at the opening, a part of a surface with this unit normal into the air; `apex` is the image.
  Beam(Vec3 apex, const ConvexPolygon& opening, Vec3 normal);

  Vec3 apex() const { return apex_; }
  bool is_everywhere() const { return planes_ == 0; }
  const ConvexPolygon& opening() const { return opening_; }

  bool reaches(Vec3 point) const;
  // The part of a surface that the beam may light.
  ConvexPolygon lit_part(std::span<const Vec3> outline) const;
  // True when it may light a part of the segment.
  bool reaches_segment(Vec3 begin, Vec3 end) const;

 private:
  void add_plane(Vec3 origin, Vec3 normal);

  Vec3 apex_;
  ConvexPolygon opening_;
  // The opening's own plane, then those through the apex and the sides of the opening; the beam is on the positive
  // side.
  std::array<Vec3, ConvexPolygon::most_corners + 1> origins_{}, normals_{};
  std::size_t planes_ = 0;
};

}  // namespace tesseray
