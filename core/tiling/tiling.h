// SPDX-License-Identifier: GPL-3.0-or-later
// Walls, roofs and ground as small flat tiles, and the edge segments between them (docs/physics.md, paper 000 III.A).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/host_device.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/scene/tiling_options.h"

namespace tesseray {

enum class SurfaceKind : std::uint8_t { ground, wall, roof };
enum class EdgeKind : std::uint8_t { roof, corner, terrain };

inline constexpr std::uint32_t no_index = 0xffffffffu;

// A flat parallelogram: centroid ± half_u ± half_v (a rectangle but for tiles on sloping ground, whose sides are the
// ground cell's east and north directions laid on the slope). half_u × half_v points along the normal.
struct Tile {
  std::int64_t id = 0;  // stable; see tile_id.h
  Vec3 centroid;
  Vec3 normal;          // unit, into the air
  Vec3 half_u, half_v;  // m
  SurfaceKind kind = SurfaceKind::ground;
  std::uint16_t material = 0;      // index into Scene::materials
  std::uint32_t prism = no_index;  // index into Scene::prisms

  double area_m2() const { return 4.0 * norm(cross(half_u, half_v)); }
  // The longer side, m.
  TESSERAY_HD double side_m() const { return 2.0 * std::fmax(norm(half_u), norm(half_v)); }
};

// A piece of a convex edge between two faces. The 0-face and the n-face are described by their unit tangents (away
// from the edge, along the face, at right angles to it) and unit normals (into the air); direction is oriented so
// that normal_0 = direction × tangent_0.
struct EdgeSegment {
  std::int64_t id = 0;  // stable
  Vec3 midpoint;
  Vec3 direction;  // unit
  double length_m = 0;
  Vec3 tangent_0, normal_0;
  Vec3 tangent_n, normal_n;
  double wedge_angle = 0;  // exterior angle, rad, in (π, 2π]
  EdgeKind kind = EdgeKind::roof;
  std::uint16_t material_0 = 0, material_n = 0;
  std::uint32_t tile_a = no_index;  // parent tile on the 0-face (nearest border tile), or no_index
  std::uint32_t tile_b = no_index;  // parent tile on the n-face
  std::uint32_t prism = no_index;
};

// Unit vector from the edge into the air, halfway between the faces.
Vec3 bisector(const EdgeSegment& edge);

// What was left out, for the issues layer and the log.
struct TilingCounts {
  std::uint64_t walls_too_small = 0, roofs_without_tile = 0;
  std::uint64_t wall_tiles_covered = 0, wall_tiles_under_ground = 0, roof_tiles_covered = 0;
};

struct Tiling {
  TilingOptions options;
  std::vector<Tile> tiles;  // ground first (south to north, west to east), then by prism
  std::vector<EdgeSegment> edges;
  TilingCounts counts;
  // The first prism of each building that is left without a wall tile and an edge, since all its walls are too small,
  // although together they are large enough for a tile.
  std::vector<std::uint32_t> without_walls;
};

// Tiles and edge segments are numbered together, below no_index. Throws Error(resources) where they are too many.
void require_numbers(std::uint64_t tiles, std::uint64_t edges);

// Tiles exist only where a surface is exposed to air. Deterministic. REQUIRES: tile_area_m2 > 0.
Tiling tile_scene(const Scene& scene, const TilingOptions& options, Progress& progress);

// What there is to tell of the tiling, as rows of the issues layer.
std::vector<Issue> tiling_issues(const Scene& scene, const Tiling& tiling, const std::string& buildings_layer);

// A hash of the scene and the options: what a visibility file belongs to.
std::uint64_t environment_hash(const Scene& scene, const TilingOptions& options);

// Counts the ways of cutting a scene into tiles and edges: with another one the same scene and options make others.
inline constexpr int tiling_version = 4;

// The scene's hash and the options' alone, for places that already know the scene's.
std::uint64_t environment_hash(std::uint64_t scene_hash, const TilingOptions& options, int version = tiling_version);

}  // namespace tesseray
