// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/reflectors.h"

#include <algorithm>
#include <cmath>

#include "core/propagation/rays/surface_materials.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/landscape/terrain_surface.h"

namespace tesseray {
namespace {

// True when the vertices between two of a ring lie on the straight line between these.
bool runs_straight(const Ring& ring, std::size_t from, std::size_t to) {
  const Vec2 a = ring[from % ring.size()], chord = ring[to % ring.size()] - a;
  const double length = norm(chord);
  double reached = 0;
  for (std::size_t i = from + 1; i < to; ++i) {
    const Vec2 way = ring[i % ring.size()] - a;
    const double along = dot(way, chord) / length;
    if (!(along > reached && along < length) || std::fabs(cross(chord, way)) > straight_side_m * length) return false;
    reached = along;
  }
  return length > 0;
}

// A vertex at which the ring certainly turns: the one farthest from the ring's first vertex.
std::size_t turning_vertex(const Ring& ring) {
  std::size_t farthest = 0;
  for (std::size_t i = 1; i < ring.size(); ++i) {
    if (norm(ring[i] - ring[0]) > norm(ring[farthest] - ring[0])) farthest = i;
  }
  return farthest;
}

bool is_flat(const Terrain& terrain) {
  return std::all_of(terrain.height_m.begin(), terrain.height_m.end(),
                     [&](float height) { return height == terrain.height_m.front(); });
}

}  // namespace

std::vector<FootprintSide> footprint_sides(const Ring& ring) {
  std::vector<FootprintSide> sides;
  if (ring.size() < 3) return sides;
  const std::size_t first = turning_vertex(ring), last = first + ring.size();
  for (std::size_t from = first; from < last;) {
    std::size_t to = from + 1;
    while (to < last && runs_straight(ring, from, to + 1)) ++to;
    const FootprintSide side{ring[from % ring.size()], ring[to % ring.size()]};
    if (side.length_m() > 0) sides.push_back(side);
    from = to;
  }
  return sides;
}

Reflectors::Reflectors(const Scene& scene) : scene_(scene) {
  for (std::uint32_t prism = 0; prism < scene.prisms.size(); ++prism) {
    add_walls(prism);
    add_flats(prism);
  }
  add_terrain();
}

void Reflectors::add_walls(std::uint32_t number) {
  const Prism& prism = scene_.prisms[number];
  for (const Ring& ring : prism.rings) {
    for (const FootprintSide& side : footprint_sides(ring)) {
      double foot_z = prism.bottom_z;
      if (prism.on_ground) foot_z = std::min(foot_z, lowest_height_along(scene_.terrain, side.begin, side.end));
      Reflector wall;
      wall.origin = at_height(side.begin, foot_z);
      wall.normal = at_height(side.normal(), 0);
      wall.outline = {at_height(side.begin, foot_z), at_height(side.end, foot_z), at_height(side.end, prism.top_z),
                      at_height(side.begin, prism.top_z)};
      wall.occludes = prism.on_ground;
      wall.material = surface_material(scene_.default_materials, SurfaceKind::wall, prism.material);
      wall.prism = number;
      all_.push_back(wall);
    }
  }
}

void Reflectors::add_flats(std::uint32_t number) {
  const Prism& prism = scene_.prisms[number];
  const Rectangle box = bounds(prism.rings);
  const auto add = [&](double z, bool is_roof) {
    Reflector flat;
    flat.origin = at_height(box.min, z);
    flat.normal = is_roof ? upwards : -upwards;
    flat.outline = {at_height(box.min, z), Vec3{box.max.x, box.min.y, z}, at_height(box.max, z),
                    Vec3{box.min.x, box.max.y, z}};
    flat.kind = is_roof ? SurfaceKind::roof : SurfaceKind::wall;
    flat.level_floor = is_roof;
    flat.is_ceiling = !is_roof;
    flat.material = surface_material(scene_.default_materials, flat.kind, is_roof ? std::uint16_t{0} : prism.material);
    flat.prism = number;
    all_.push_back(flat);
  };
  add(prism.top_z, true);
  if (!prism.on_ground) add(prism.bottom_z, false);
}

void Reflectors::add_terrain() {
  const Terrain& terrain = scene_.terrain;
  if (terrain.columns < 2 || terrain.rows < 2) return;
  if (!is_flat(terrain)) {
    const EvenGround even(terrain);
    for (std::uint32_t row = 0; row + 1 < terrain.rows; ++row) {
      for (std::uint32_t column = 0; column + 1 < terrain.columns; ++column) {
        add_triangle(column, row, false, even.plane_of(column, row));
        add_triangle(column, row, true, even.plane_of(column, row));
      }
    }
    return;
  }
  const Rectangle box = terrain.extent();
  const double z = static_cast<double>(terrain.height_m.front());
  Reflector ground;
  ground.origin = at_height(box.min, z);
  ground.normal = upwards;
  ground.outline = {at_height(box.min, z), Vec3{box.max.x, box.min.y, z}, at_height(box.max, z),
                    Vec3{box.min.x, box.max.y, z}};
  ground.kind = SurfaceKind::ground;
  ground.level_floor = true;
  ground.material = surface_material(scene_.default_materials, SurfaceKind::ground, 0);
  all_.push_back(ground);
}

void Reflectors::add_triangle(std::uint32_t column, std::uint32_t row, bool northern, const EvenPlane* even) {
  const Terrain& terrain = scene_.terrain;
  const auto node = [&](std::uint32_t i, std::uint32_t j) {
    const Vec2 place = terrain.south_west + Vec2{terrain.step_x * i, terrain.step_y * j};
    return at_height(place, even != nullptr ? even->height_at(place) : static_cast<double>(terrain.node(i, j)));
  };
  const Vec3 south_west = node(column, row), north_east = node(column + 1, row + 1);
  Reflector triangle;
  triangle.outline = northern ? std::array{south_west, north_east, node(column, row + 1), Vec3{}}
                              : std::array{south_west, node(column + 1, row), north_east, Vec3{}};
  triangle.corners = 3;
  // The same for all of an even part, so that they mirror alike.
  triangle.origin = even != nullptr ? even->point : south_west;
  triangle.normal = even != nullptr
                        ? even->normal()
                        : normalized(cross(triangle.outline[1] - south_west, triangle.outline[2] - south_west));
  triangle.kind = SurfaceKind::ground;
  triangle.level_floor = triangle.normal.z == 1.0;
  triangle.material = surface_material(scene_.default_materials, SurfaceKind::ground, 0);
  triangle.cell = 2 * (row * (terrain.columns - 1) + column) + (northern ? 1 : 0);
  all_.push_back(triangle);
}

bool Reflectors::contains(const Reflector& reflector, Vec3 point) const {
  if (reflector.kind == SurfaceKind::ground) {
    const Terrain& terrain = scene_.terrain;
    const double u = (point.x - terrain.south_west.x) / terrain.step_x;
    const double v = (point.y - terrain.south_west.y) / terrain.step_y;
    if (!(u >= 0 && v >= 0 && u < terrain.columns - 1.0 && v < terrain.rows - 1.0)) return false;
    if (reflector.cell == no_index) return true;
    const auto column = static_cast<std::uint32_t>(u), row = static_cast<std::uint32_t>(v);
    const bool northern = u - column < v - row;
    return reflector.cell == 2 * (row * (terrain.columns - 1) + column) + (northern ? 1 : 0);
  }
  if (reflector.level_floor || reflector.is_ceiling) {
    return tesseray::contains(scene_.prisms[reflector.prism].rings, point.xy());
  }
  const Vec3 side = reflector.outline[1] - reflector.outline[0];
  const double along = dot(point - reflector.origin, side) / squared_norm(side);
  if (!(along >= 0 && along < 1 && point.z <= reflector.outline[2].z)) return false;
  // Below the foot of a wall on the ground there is the ground, or the wall goes on.
  return reflector.occludes || point.z >= reflector.origin.z;
}

}  // namespace tesseray
