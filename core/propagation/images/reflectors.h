// SPDX-License-Identifier: GPL-3.0-or-later
// The real flat surfaces of a scene, without tiles: walls, roofs, undersides of raised parts, terrain triangles.
//
// A surface is here whole, covered or not: whether a ray meets it in the air is asked of Occlusion, point by point.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scene/landscape/even_ground.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// One straight side of a footprint, counter-clockwise seen from above; vertices that lie within straight_side_m of a
// straight line do not divide it. The solid is on the left.
struct FootprintSide {
  Vec2 begin, end;
  double length_m() const { return norm(end - begin); }
  Vec2 direction() const { return (1.0 / length_m()) * (end - begin); }
  Vec2 normal() const { return {direction().y, -direction().x}; }  // into the air
};
inline constexpr double straight_side_m = 0.004;

// The sides of one ring, in order: each begins where the one before ends.
std::vector<FootprintSide> footprint_sides(const Ring& ring);

// What is nearer than this to a surface's plane grazes it, and is not reflected.
inline constexpr double least_height_m = 1e-3;

struct Reflector {
  Vec3 origin, normal;            // a point of its plane; unit, into the air
  std::array<Vec3, 4> outline{};  // the corners of a convex polygon in the plane that holds the surface, in order
  std::uint8_t corners = 4;
  SurfaceKind kind = SurfaceKind::wall;
  bool level_floor = false;    // horizontal, with the air above
  bool is_ceiling = false;     // horizontal, with the air below
  bool occludes = false;       // a wall that stands on the ground: nothing is seen below its top
  std::uint16_t material = 0;  // index into Scene::materials, the kind's default where it has none of its own
  std::uint32_t prism = no_index;
  std::uint32_t cell = no_index;  // of a terrain triangle: twice the cell's number, one more for the northern one

  bool is_wall() const { return kind == SurfaceKind::wall && !is_ceiling; }
  bool is_floor() const { return kind == SurfaceKind::ground || level_floor; }
  std::span<const Vec3> polygon() const { return {outline.data(), corners}; }
};

// Keeps a reference to the scene. Flat terrain is one surface; other terrain is one per triangle of its grid, which
// lies in the plane of the even ground around it where there is some.
class Reflectors {
 public:
  explicit Reflectors(const Scene& scene);

  const std::vector<Reflector>& all() const { return all_; }
  const Reflector& operator[](std::uint32_t number) const { return all_[number]; }
  // True when a point of the reflector's plane lies on the surface itself. Surfaces that meet share no point.
  bool contains(const Reflector& reflector, Vec3 point) const;

 private:
  void add_walls(std::uint32_t prism);
  void add_flats(std::uint32_t prism);
  void add_terrain();
  // `even`: the plane of the cell, or nullptr.
  void add_triangle(std::uint32_t column, std::uint32_t row, bool northern, const EvenPlane* even);

  const Scene& scene_;
  std::vector<Reflector> all_;
};

}  // namespace tesseray
