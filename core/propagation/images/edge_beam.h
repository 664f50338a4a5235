// SPDX-License-Identifier: GPL-3.0-or-later
// The rays between an edge and what one surface shows to it: where a second edge can be.
//
// A surface shows the edge's image, which from any point in front looks like a segment of the surface's plane. The
// image is beyond a side of the surface when both of its ends are; and all straight lines between the image and a
// second edge lie in the tetrahedron of their four ends, which passes by the surface when one of its sides does. As
// with a beam (beam.h), what is within reach_margin_m of the border counts as reached.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/geometry/vector.h"
#include "core/propagation/images/reflectors.h"

namespace tesseray {

// Along the axes.
struct SpaceBox {
  Vec3 centre, half;
};

// The part of an edge that a surface can reflect; none when all of it is behind the surface or grazes it.
std::optional<std::pair<Vec3, Vec3>> part_in_front(const EdgeSegment& edge, const Reflector& reflector);

class EdgeBeam {
 public:
  // REQUIRES: begin and end at least least_height_m in front of the surface.
  EdgeBeam(const Reflector& reflector, Vec3 begin, Vec3 end);

  // True when a ray may come from a part of the segment, or of the box, by way of the surface to the edge.
  bool reaches_segment(Vec3 begin, Vec3 end) const;
  bool reaches(const SpaceBox& box) const;

 private:
  // The planes through a side of the surface and either end of the image; the surface is on their positive sides.
  // Zero normals bound nothing.
  struct Side {
    Vec3 origin;
    std::array<Vec3, 2> normals;
  };
  bool is_beyond_a_side(Vec3 begin, Vec3 end) const;
  // True when a plane through three of the points has all of the surface beyond it, or beyond the fourth.
  bool is_passed_by(Vec3 a, Vec3 b, Vec3 c, Vec3 fourth) const;

  std::array<Vec3, 2> image_;
  std::array<Side, 4> sides_{};
  std::size_t count_ = 0;
};

}  // namespace tesseray
