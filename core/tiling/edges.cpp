// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/edges.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/tiling/outline.h"
#include "core/tiling/subdivision.h"

namespace tesseray {
namespace {

constexpr double least_corner_angle = pi + least_corner_turn;

// What of `a` is also in `b`; both ascending.
void intersect(const std::vector<Interval>& a, const std::vector<Interval>& b, std::vector<Interval>& out) {
  out.clear();
  for (const Interval& p : a) {
    for (const Interval& q : b) {
      const Interval common{std::max(p.low, q.low), std::min(p.high, q.high)};
      if (common.low < common.high) out.push_back(common);
    }
  }
}

void subtract(std::vector<Interval>& from, const Interval& hole) {
  std::vector<Interval> left;
  for (const Interval& part : from) {
    if (hole.high <= part.low || hole.low >= part.high) {
      left.push_back(part);
      continue;
    }
    if (part.low < hole.low) left.push_back({part.low, hole.low});
    if (hole.high < part.high) left.push_back({hole.high, part.high});
  }
  from = std::move(left);
}

// Angle through the air from the end of wall `in` to the start of wall `out`: 3π/2 at the corner of a box.
double exterior_angle(const Wall& in, const Wall& out) { return pi + turn_between(in, out); }

class EdgeFinder {
 public:
  EdgeFinder(const Scene& scene, const PrismIndex& index, const TiledPrisms& tiled, std::uint32_t prism,
             const TilingOptions& options)
      : scene_(scene),
        index_(index),
        tiled_(tiled),
        prism_index_(prism),
        prism_(scene.prisms[prism]),
        walls_(tiled.walls[prism]),
        options_(options),
        side_m_(std::sqrt(options.tile_area_m2)) {}

  std::vector<EdgeSegment> run() {
    std::uint64_t first_slot = 0;
    for (std::uint32_t w = 0; w < walls_.walls.size(); ++w) {
      const WallSlots slots = wall_slots(walls_.walls[w], prism_.top_z - prism_.bottom_z, options_);
      add_eaves(w, slots, first_slot);
      add_corner(w, slots, first_slot);
      first_slot += slots.count();
    }
    return std::move(edges_);
  }

 private:
  void add_eaves(std::uint32_t w, const WallSlots& slots, std::uint64_t first_slot) {
    const Wall& wall = walls_.walls[w];
    for (std::uint32_t r = wall.rectangles_begin; r < wall.rectangles_end; ++r) {
      const ExposedRectangle& rectangle = walls_.rectangles[r];
      if (!rectangle.is_tiled || rectangle.z.high != prism_.top_z) continue;
      for (std::uint32_t e = wall.eaves_begin; e < wall.eaves_end; ++e) {
        const Interval& eave = walls_.eaves[e];
        const Interval u{std::max(eave.low, rectangle.u.low), std::min(eave.high, rectangle.u.high)};
        if (u.length() >= std::max(wall.least_width_m(options_), touch_m)) add_eave(w, u, slots, first_slot);
      }
    }
  }

  void add_eave(std::uint32_t w, Interval u, const WallSlots& slots, std::uint64_t first_slot) {
    const Wall& wall = walls_.walls[w];
    const std::uint32_t pieces = subdivisions(u.length(), side_m_);
    const double length = u.length() / pieces;
    for (std::uint32_t k = 0; k < pieces; ++k) {
      const double middle = u.low + (k + 0.5) * length;
      EdgeSegment edge;
      edge.kind = EdgeKind::roof;
      edge.prism = prism_index_;
      edge.id = static_cast<std::int64_t>(first_slot + slots.slot(middle, 0));
      edge.midpoint = at_height(wall.start + middle * wall.direction, prism_.top_z);
      edge.direction = at_height(wall.direction, 0);
      edge.length_m = length;
      edge.material_n = prism_.material;
      // The 0-face is the roof, the n-face the wall.
      set_faces(edge, at_height(-1.0 * wall.normal, 0), {0, 0, -1});
      if (scene_.terrain.height_at(edge.midpoint.xy() + probe_lift_m * wall.normal) >= prism_.top_z) continue;
      edge.tile_a = nearest_tile(prism_index_, tiled_.tiles[prism_index_].roof_tiles, edge.midpoint);
      edge.tile_b = nearest_tile(prism_index_, tiled_.tiles[prism_index_].wall_tiles[w], edge.midpoint);
      edges_.push_back(edge);
    }
  }

  // A wall that starts where the wall in question ends: of the same prism, or of one that touches it.
  struct Continuation {
    std::uint32_t prism = 0, wall = 0;
    double exterior_angle = 0;
  };

  void add_corner(std::uint32_t w, const WallSlots& slots, std::uint64_t first_slot) {
    const Wall& wall = walls_.walls[w];
    std::vector<Interval> open;
    bool is_tiled = exposed_at_end(walls_, wall, open);
    if (open.empty()) return;

    std::uint64_t row = 0;
    for (const Continuation& next : continuations(w)) {
      const PrismWalls& other = tiled_.walls[next.prism];
      std::vector<Interval> start, common;
      const bool is_next_tiled = exposed_at_start(other, other.walls[next.wall], start);
      intersect(open, start, common);
      // What this continuation meets, no later one (further round through the air) does.
      for (const Interval& met : common) subtract(open, met);
      const bool turns = wall.turns_at_end && next.prism == prism_index_ && next.wall == wall.next;
      if (next.exterior_angle < least_corner_angle || !(is_tiled || is_next_tiled || turns)) continue;
      leave_air_only(wall, other.walls[next.wall], common);
      for (std::size_t i = common.size(); i-- > 0;) {
        row = add_corner_segments(w, next, common[i], slots, first_slot, row);
      }
    }
  }

  // In which heights a wall is exposed at its end (start); returns whether a tile is there.
  static bool exposed_at_end(const PrismWalls& walls, const Wall& wall, std::vector<Interval>& heights) {
    return exposed_where(walls, wall, heights,
                         [&wall](const Interval& u) { return u.high >= wall.length_m - touch_m; });
  }
  static bool exposed_at_start(const PrismWalls& walls, const Wall& wall, std::vector<Interval>& heights) {
    return exposed_where(walls, wall, heights, [](const Interval& u) { return u.low <= touch_m; });
  }
  template <class IsThere>
  static bool exposed_where(const PrismWalls& walls, const Wall& wall, std::vector<Interval>& heights,
                            const IsThere& is_there) {
    bool is_tiled = false;
    for (std::uint32_t r = wall.rectangles_begin; r < wall.rectangles_end; ++r) {
      if (!is_there(walls.rectangles[r].u)) continue;
      heights.push_back(walls.rectangles[r].z);
      is_tiled = is_tiled || walls.rectangles[r].is_tiled;
    }
    return is_tiled;
  }

  // In the order in which one meets them turning through the air from the wall's face.
  std::vector<Continuation> continuations(std::uint32_t w) const {
    const Wall& wall = walls_.walls[w];
    std::vector<Continuation> found{{prism_index_, wall.next, exterior_angle(wall, walls_.walls[wall.next])}};
    const Vec2 end = wall.end();
    for (const std::uint32_t i : index_.candidates(grown({end, end}, touch_m))) {
      const std::vector<Wall>& others = tiled_.walls[i].walls;
      for (std::uint32_t k = 0; k < others.size(); ++k) {
        if ((i == prism_index_ && k == wall.next) || norm(others[k].start - end) > touch_m) continue;
        found.push_back({i, k, exterior_angle(wall, others[k])});
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Continuation& a, const Continuation& b) { return a.exterior_angle < b.exterior_angle; });
    return found;
  }

  // Takes away the heights at which something stands diagonally before the corner, and what is under the ground.
  void leave_air_only(const Wall& in, const Wall& out, std::vector<Interval>& heights) const {
    const Vec2 diagonal = in.normal + out.normal;
    const double length = norm(diagonal);
    if (length < 1e-6) return;
    const Vec2 probe = in.end() + (touch_m / length) * diagonal;
    for (const std::uint32_t i : index_.candidates(probe)) {
      const Prism& other = scene_.prisms[i];
      if (!contains(other.rings, probe)) continue;
      subtract(heights, {other.on_ground ? -infinity : other.bottom_z, other.top_z});
    }
    subtract(heights, {-infinity, scene_.terrain.height_at(probe)});
  }

  std::uint64_t add_corner_segments(std::uint32_t w, const Continuation& next, Interval z, const WallSlots& slots,
                                    std::uint64_t first_slot, std::uint64_t row) {
    if (z.length() < std::max(options_.min_wall_width_m, touch_m)) return row;
    const Wall& wall = walls_.walls[w];
    const std::uint32_t pieces = subdivisions(z.length(), side_m_);
    const double length = z.length() / pieces;
    for (std::uint32_t k = 0; k < pieces; ++k, ++row) {
      EdgeSegment edge;
      edge.kind = EdgeKind::corner;
      edge.prism = prism_index_;
      edge.id =
          slots.has_row(row) ? static_cast<std::int64_t>(first_slot + slots.corner_slot(row)) : --last_without_slot_;
      edge.midpoint = at_height(wall.end(), z.high - (k + 0.5) * length);
      edge.direction = {0, 0, 1};
      edge.length_m = length;
      edge.material_0 = prism_.material;
      edge.material_n = scene_.prisms[next.prism].material;
      set_faces(edge, at_height(-1.0 * wall.direction, 0),
                at_height(tiled_.walls[next.prism].walls[next.wall].direction, 0));
      edge.tile_a = nearest_tile(prism_index_, tiled_.tiles[prism_index_].wall_tiles[w], edge.midpoint);
      edge.tile_b = nearest_tile(next.prism, tiled_.tiles[next.prism].wall_tiles[next.wall], edge.midpoint);
      edges_.push_back(edge);
    }
    return row;
  }

  std::uint32_t nearest_tile(std::uint32_t prism, TileRange range, Vec3 p) const {
    const std::vector<Tile>& tiles = tiled_.tiles[prism].tiles;
    std::uint32_t nearest = no_index;
    double least = infinity;
    for (std::uint32_t t = range.begin; t < range.end; ++t) {
      const double squared = squared_norm(tiles[t].centroid - p);
      if (squared >= least) continue;
      least = squared;
      nearest = tiled_.first_tile[prism] + t;
    }
    return nearest;
  }

  const Scene& scene_;
  const PrismIndex& index_;
  const TiledPrisms& tiled_;
  const std::uint32_t prism_index_;
  const Prism& prism_;
  const PrismWalls& walls_;
  const TilingOptions& options_;
  const double side_m_;
  std::vector<EdgeSegment> edges_;
  std::int64_t last_without_slot_ = 0;
};

}  // namespace

void set_faces(EdgeSegment& edge, Vec3 tangent_0, Vec3 tangent_n) {
  edge.tangent_0 = tangent_0;
  edge.normal_0 = cross(edge.direction, tangent_0);
  edge.tangent_n = tangent_n;
  edge.normal_n = cross(tangent_n, edge.direction);
  const double angle = std::atan2(dot(tangent_n, edge.normal_0), dot(tangent_n, tangent_0));
  edge.wedge_angle = angle > 0 ? angle : angle + 2 * pi;
}

std::vector<EdgeSegment> find_edges(const Scene& scene, const PrismIndex& index, const TiledPrisms& tiled,
                                    std::uint32_t prism, const TilingOptions& options) {
  return EdgeFinder(scene, index, tiled, prism, options).run();
}

}  // namespace tesseray
