// SPDX-License-Identifier: GPL-3.0-or-later
// The cleaned environment in the local metric frame: what tiling, occlusion and prediction work on.
//
// Frame: metres, x east, y north (grid axes of the environment CRS), z up and absolute (the DEM's datum).
// Scene coordinates = CRS coordinates − frame.origin. Every coordinate of a scene is a multiple of 1/1024 m
// (`snapped`), and the origin is a multiple of 1,024 m, so that going to the CRS and back loses no bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// Coordinates are rounded to this grid (about 1 mm), which doubles hold exactly in any projected CRS.
inline constexpr double coordinate_step_m = 1.0 / 1024.0;
inline double snapped(double metres) { return std::round(metres / coordinate_step_m) * coordinate_step_m; }

struct LocalFrame {
  Vec2 origin;           // CRS coordinates of the scene's (0, 0), m; multiples of 1,024
  std::string crs_wkt;   // WKT2 of the environment CRS; empty for LOCAL_METRES
  std::string crs_name;  // "EPSG:3946", or the CRS's name, or "local metres"
};

// A closed ring without the repeated last point. Exterior rings run counter-clockwise and holes clockwise, so that
// the solid is on the left of every side.
using Ring = std::vector<Vec2>;

// A polygon of the ground plan: rings[0] is the exterior, the others are holes (courtyards).
using Rings = std::vector<Ring>;

// One part of a building: a polygon extruded from bottom_z to top_z. Walls are vertical, the roof is flat.
// Prisms of a scene never fill the same space; they may share walls and stand on each other. (Walls that should be one
// may be inexact by less than 5 cm.)
struct Prism {
  std::int64_t building_id = 0;     // stable: from the source feature
  std::int64_t source_feature = 0;  // feature id in the source layer
  std::uint32_t part = 0;           // 0, 1, … within the building
  Rings rings;
  double bottom_z = 0;         // m, absolute: lowest ground under the footprint, or the base of a raised part
  double top_z = 0;            // m, absolute
  bool on_ground = true;       // false for a part with a base above the ground (bridge, overhang, stacked part)
  std::uint16_t material = 0;  // index into Scene::materials
};

struct VegetationArea {
  std::int64_t source_feature = 0;
  Rings rings;
  double bottom_z = 0, top_z = 0;  // m, absolute
};

// Terrain heights at the nodes of a regular grid. The surface is the grid's triangles: each cell is split from its
// south-west to its north-east node. Outside the grid the surface does not exist.
struct Terrain {
  Vec2 south_west;                      // scene coordinates of node (0, 0)
  double step_x = 0, step_y = 0;        // m between nodes
  std::uint32_t columns = 0, rows = 0;  // nodes along x and y, at least 2 each
  std::vector<float> height_m;          // columns × rows, row by row from the south; absolute, no no-data values

  float node(std::uint32_t column, std::uint32_t row) const {
    return height_m[static_cast<std::size_t>(row) * columns + column];
  }
  Rectangle extent() const {
    return {south_west, {south_west.x + step_x * (columns - 1), south_west.y + step_y * (rows - 1)}};
  }
  TerrainView view() const { return {south_west, step_x, step_y, columns, rows, height_m.data()}; }
  // Height of the triangulated surface; points outside the grid take the height at the nearest border point.
  double height_at(Vec2 p) const;
};

// What covers the ground, by classes, in the cells of a regular grid; empty where nothing is known of it.
struct Clutter {
  Vec2 south_west;                      // scene coordinates of the grid's corner
  double step_x = 0, step_y = 0;        // m
  std::uint32_t columns = 0, rows = 0;  // cells along x and y
  std::vector<std::uint8_t> cells;      // row by row from the south: 0 for no class, else 1 + the number in `classes`
  std::vector<std::string> classes;     // their names
  // Extra loss of a receiver among each class, dB; none where no class has any. Chosen for a run, and no part of an
  // environment.
  std::vector<double> loss_db = {};

  bool empty() const { return cells.empty(); }
  // The number in `cells` at p; 0 outside of the grid.
  std::uint8_t at(Vec2 p) const;
  double loss_db_at(Vec2 p) const;
};

// Electric properties as a power law of the frequency f in GHz (ITU-R P.2040): permittivity = a·f^b and
// conductivity (S/m) = c·f^d, for frequencies from minimum_ghz to maximum_ghz; beyond, those at the range's end.
struct Material {
  std::string name;
  double a = 5, b = 0, c = 0.01, d = 0;
  double minimum_ghz = 0, maximum_ghz = 1e9;
  // Amplitude ratio S of diffuse scattering, where it is not the one of the whole run. Chosen for a run, and no part of
  // an environment.
  std::optional<double> scattering_coefficient = std::nullopt;
};

// Which of the scene's materials surfaces have that have none of their own (number 0). Chosen for a run, and no part of
// an environment.
struct DefaultMaterials {
  std::uint16_t ground = 0, wall = 0, roof = 0;
};

struct Scene {
  LocalFrame frame;
  Rectangle extent;  // where tiles are made; inside terrain.extent()
  Terrain terrain;
  std::vector<Prism> prisms;  // ordered by (building_id, part)
  std::vector<VegetationArea> vegetation;
  Clutter clutter;
  // [0] the default material: roofs, ground and walls without a material of their own are of this number.
  std::vector<Material> materials = {Material{"default"}};
  DefaultMaterials default_materials;
};

// What was found in the input and what was done about it: a row of the `issues` layer.
struct Issue {
  enum class Action { dropped, repaired, assumed };
  Action action = Action::assumed;
  std::string code;              // stable word, e.g. "missing_height"
  std::string message;           // for people, with figures
  std::string layer;             // source layer name
  std::int64_t feature_id = -1;  // −1: the whole layer
  Rings outline;                 // in scene coordinates; may be empty, or one ring of one point
};

// A hash of everything above but names of people's choosing and clutter, which no ray meets: equal scenes have equal
// hashes on every machine.
std::uint64_t scene_hash(const Scene& scene);

}  // namespace tesseray
