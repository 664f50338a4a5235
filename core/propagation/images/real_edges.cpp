// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/real_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/images/reflectors.h"
#include "core/tiling/edges.h"

namespace tesseray {
namespace {

// Walls of two parts that end and begin this near to each other meet in one corner.
constexpr double meeting_m = 0.05;
// How far from an edge the space about it is probed.
constexpr double probe_m = 0.05;
// So near to its faces: the tangent of 10°.
constexpr double tan_near_face = 0.17632698070846498;
// Flatter corners are none: rounding of coordinates.
constexpr double least_turn = radians(1.0);

// A side of a footprint as a wall between two heights.
struct StandingSide {
  FootprintSide side;
  double bottom_z = 0, top_z = 0;
  std::uint32_t prism = 0;
  std::uint16_t material = 0;
};

std::vector<StandingSide> standing_sides(const Scene& scene) {
  std::vector<StandingSide> sides;
  for (std::uint32_t number = 0; number < scene.prisms.size(); ++number) {
    const Prism& prism = scene.prisms[number];
    for (const Ring& ring : prism.rings) {
      for (const FootprintSide& side : footprint_sides(ring)) {
        sides.push_back({side, prism.bottom_z, prism.top_z, number, prism.material});
      }
    }
  }
  return sides;
}

// Sides by the square cell in which they begin.
class Beginnings {
 public:
  explicit Beginnings(const std::vector<StandingSide>& sides) {
    for (std::uint32_t i = 0; i < sides.size(); ++i) cells_[cell_of(sides[i].side.begin)].push_back(i);
  }
  template <class Visit>
  void for_near(Vec2 p, const Visit& visit) const {
    const auto [x, y] = cell_of(p);
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto found = cells_.find({x + dx, y + dy});
        if (found == cells_.end()) continue;
        for (const std::uint32_t i : found->second) visit(i);
      }
    }
  }

 private:
  using Cell = std::pair<std::int64_t, std::int64_t>;
  static Cell cell_of(Vec2 p) {
    return {static_cast<std::int64_t>(std::floor(p.x / meeting_m)),
            static_cast<std::int64_t>(std::floor(p.y / meeting_m))};
  }
  std::map<Cell, std::vector<std::uint32_t>> cells_;
};

}  // namespace

RealEdges::RealEdges(const Scene& scene, const PrismIndex& index, double ridge_angle_deg)
    : scene_(scene), index_(index) {
  add_prism_edges();
  add_corners();
  add_ridges(ridge_angle_deg);
}

void RealEdges::add(EdgeSegment edge, Vec3 tangent_0, Vec3 tangent_n) {
  set_faces(edge, tangent_0, tangent_n);
  all_.push_back(edge);
}

void RealEdges::add_prism_edges() {
  for (const StandingSide& wall : standing_sides(scene_)) {
    const Vec2 middle = 0.5 * (wall.side.begin + wall.side.end);
    const Vec3 inwards = -at_height(wall.side.normal(), 0);
    EdgeSegment edge;
    edge.direction = at_height(wall.side.direction(), 0);
    edge.length_m = wall.side.length_m();
    edge.prism = wall.prism;
    edge.material_n = wall.material;
    edge.kind = EdgeKind::roof;
    edge.midpoint = at_height(middle, wall.top_z);
    add(edge, inwards, -upwards);
    if (scene_.prisms[wall.prism].on_ground) continue;
    edge.material_0 = wall.material;
    edge.kind = EdgeKind::corner;
    edge.midpoint = at_height(middle, wall.bottom_z);
    add(edge, upwards, inwards);
  }
}

void RealEdges::add_corners() {
  const std::vector<StandingSide> walls = standing_sides(scene_);
  const Beginnings beginnings(walls);
  for (const StandingSide& in : walls) {
    std::vector<std::uint32_t> next;
    beginnings.for_near(in.side.end, [&](std::uint32_t i) {
      if (norm(walls[i].side.begin - in.side.end) <= meeting_m) next.push_back(i);
    });
    std::sort(next.begin(), next.end());
    for (const std::uint32_t i : next) {
      const StandingSide& out = walls[i];
      const Vec2 from = in.side.direction(), to = out.side.direction();
      const double low_z = std::max(in.bottom_z, out.bottom_z), high_z = std::min(in.top_z, out.top_z);
      if (std::atan2(cross(from, to), dot(from, to)) < least_turn || !(low_z < high_z)) continue;
      EdgeSegment edge;
      edge.kind = EdgeKind::corner;
      edge.prism = in.prism;
      edge.direction = upwards;
      edge.length_m = high_z - low_z;
      edge.midpoint = at_height(in.side.end, 0.5 * (low_z + high_z));
      edge.material_0 = in.material;
      edge.material_n = out.material;
      add(edge, -at_height(from, 0), at_height(to, 0));
    }
  }
}

void RealEdges::add_ridges(double ridge_angle_deg) {
  const Terrain& terrain = scene_.terrain;
  const auto node = [&](std::uint32_t i, std::uint32_t j) {
    return Vec3{terrain.south_west.x + terrain.step_x * i, terrain.south_west.y + terrain.step_y * j,
                static_cast<double>(terrain.node(i, j))};
  };
  // Seen along from → to, the 0-face is on the left: then the air is above.
  const auto add_ridge = [&](Vec3 from, Vec3 to, Vec3 left, Vec3 right) {
    EdgeSegment edge;
    edge.kind = EdgeKind::terrain;
    edge.midpoint = 0.5 * (from + to);
    edge.length_m = norm(to - from);
    edge.direction = (1.0 / edge.length_m) * (to - from);
    const auto tangent_to = [&](Vec3 p) {
      const Vec3 away = p - from;
      return normalized(away - dot(away, edge.direction) * edge.direction);
    };
    set_faces(edge, tangent_to(left), tangent_to(right));
    if (edge.wedge_angle > radians(ridge_angle_deg)) all_.push_back(edge);
  };
  for (std::uint32_t j = 0; j + 1 < terrain.rows; ++j) {
    for (std::uint32_t i = 0; i + 1 < terrain.columns; ++i) {
      const Vec3 sw = node(i, j), se = node(i + 1, j), nw = node(i, j + 1), ne = node(i + 1, j + 1);
      add_ridge(sw, ne, nw, se);
      if (j > 0) add_ridge(sw, se, ne, node(i, j - 1));
      if (i > 0) add_ridge(sw, nw, node(i - 1, j), ne);
    }
  }
}

bool RealEdges::is_exposed(const EdgeSegment& edge, Vec3 point) const {
  const auto is_air = [&](Vec3 way) {
    const Vec3 probe = point + probe_m * way;
    return index_.prism_at(probe) < 0 && scene_.terrain.height_at(probe.xy()) < probe.z;
  };
  const Vec3 middle = bisector(edge);
  // What stands on a face may begin at the edge at an acute angle to it, as the next house does at a corner of both.
  const auto is_free_face = [&](Vec3 tangent, Vec3 normal) { return is_air(tangent + tan_near_face * normal); };
  return is_free_face(edge.tangent_0, edge.normal_0) && is_free_face(edge.tangent_n, edge.normal_n) &&
         is_air(edge.tangent_0 + edge.normal_0) && is_air(edge.normal_0 + middle) && is_air(middle) &&
         is_air(middle + edge.normal_n) && is_air(edge.tangent_n + edge.normal_n);
}

}  // namespace tesseray
