// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/hexadecimal.h"
#include "core/base/units.h"
#include "core/io/results/environment_format.h"
#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

// A value of the environment's one metadata row.
struct Metadata {
  Column column;
  std::string text;
  double number = 0;
};

}  // namespace

std::string_view to_text(SurfaceKind kind) {
  static constexpr std::array<std::string_view, 3> names = {"ground", "wall", "roof"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view to_text(EdgeKind kind) {
  static constexpr std::array<std::string_view, 3> names = {"roof", "corner", "terrain"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view to_text(Issue::Action action) {
  static constexpr std::array<std::string_view, 3> names = {"dropped", "repaired", "assumed"};
  return names[static_cast<std::size_t>(action)];
}

TileCorners corners_of(const Tile& tile) {
  const Vec3 &c = tile.centroid, &u = tile.half_u, &v = tile.half_v;
  return {{c - u - v, c + u - v, c + u + v, c - u + v}};
}

Layer buildings_layer(const Scene& scene) {
  Layer layer{.name = "buildings",
              .description = "Cleaned building parts: footprints at roof height",
              .geometry = LayerGeometry::polygon_z};
  layer.styles = styles::buildings();
  std::vector<Field<Prism>> fields = {
      {{"building_id", integer, "Number of the building, stable from run to run"},
       [](const Prism& p) { return Value::integer(p.building_id); }},
      {{"part", integer, "Number of the part within the building"},
       [](const Prism& p) { return Value::integer(p.part); }},
      {{"source_feature", integer, "Feature id in the source layer"},
       [](const Prism& p) { return Value::integer(p.source_feature); }},
      {{"base_z", real, "Bottom of the part, absolute height, m"},
       [](const Prism& p) { return Value::real(p.bottom_z); }},
      {{"roof_z", real, "Roof, absolute height, m"}, [](const Prism& p) { return Value::real(p.top_z); }},
      {{"on_ground", boolean, "False for a part with a base above the ground"},
       [](const Prism& p) { return Value::boolean(p.on_ground); }},
      {{"material", text, "Material of the walls"},
       [&scene](const Prism& p) { return Value::text(scene.materials[p.material].name); }},
      {{"material_id", integer, "Number of the material in the table materials"},
       [](const Prism& p) { return Value::integer(p.material); }},
  };
  return with_rows<Prism>(
      std::move(layer), scene.frame.origin, scene.prisms.size(),
      [&scene](std::size_t i) -> const Prism& { return scene.prisms[i]; }, std::move(fields),
      [](const Prism& p, GeometryEncoder& encoder) { encoder.polygon(p.rings, p.top_z); });
}

Layer vegetation_layer(const Scene& scene) {
  Layer layer{.name = "vegetation",
              .description = "Vegetation areas at their top height",
              .geometry = LayerGeometry::polygon_z};
  layer.styles = styles::vegetation();
  std::vector<Field<VegetationArea>> fields = {
      {{"source_feature", integer, "Feature id in the source layer"},
       [](const VegetationArea& v) { return Value::integer(v.source_feature); }},
      {{"base_z", real, "Bottom, absolute height, m"}, [](const VegetationArea& v) { return Value::real(v.bottom_z); }},
      {{"top_z", real, "Top, absolute height, m"}, [](const VegetationArea& v) { return Value::real(v.top_z); }},
  };
  return with_rows<VegetationArea>(
      std::move(layer), scene.frame.origin, scene.vegetation.size(),
      [&scene](std::size_t i) -> const VegetationArea& { return scene.vegetation[i]; }, std::move(fields),
      [](const VegetationArea& v, GeometryEncoder& encoder) { encoder.polygon(v.rings, v.top_z); });
}

Layer materials_layer(const Scene& scene) {
  Layer layer{.name = "materials",
              .description = "Electric properties as a power law of the frequency f in GHz (ITU-R P.2040)"};
  const Material* first = scene.materials.data();
  std::vector<Field<Material>> fields = {
      {{"material_id", integer, "Number of the material; 0 is the default"},
       [first](const Material& m) { return Value::integer(&m - first); }},
      {{"name", text, "Name"}, [](const Material& m) { return Value::text(m.name); }},
      {{"a", real, "Relative permittivity is a·f^b"}, [](const Material& m) { return Value::real(m.a); }},
      {{"b", real, "Relative permittivity is a·f^b"}, [](const Material& m) { return Value::real(m.b); }},
      {{"c", real, "Conductivity is c·f^d, S/m"}, [](const Material& m) { return Value::real(m.c); }},
      {{"d", real, "Conductivity is c·f^d, S/m"}, [](const Material& m) { return Value::real(m.d); }},
      {{"minimum_ghz", real, "Least frequency of the law, GHz"},
       [](const Material& m) { return Value::real(m.minimum_ghz); }},
      {{"maximum_ghz", real, "Greatest frequency of the law, GHz"},
       [](const Material& m) { return Value::real(m.maximum_ghz); }},
  };
  return with_rows<Material>(std::move(layer), scene.frame.origin, scene.materials.size(),
                             [&scene](std::size_t i) -> const Material& { return scene.materials[i]; },
                             std::move(fields), {});
}

Layer clutter_classes_layer(const Scene& scene) {
  Layer layer{.name = "clutter_classes", .description = "Classes of what covers the ground"};
  const std::string* first = scene.clutter.classes.data();
  std::vector<Field<std::string>> fields = {
      {{"class_id", integer, "Number of the class in the raster clutter"},
       [first](const std::string& name) { return Value::integer(&name - first + 1); }},
      {{"name", text, "Name, or code, of the class"}, [](const std::string& name) { return Value::text(name); }},
  };
  return with_rows<std::string>(std::move(layer), scene.frame.origin, scene.clutter.classes.size(),
                                [&scene](std::size_t i) -> const std::string& { return scene.clutter.classes[i]; },
                                std::move(fields), {});
}

namespace {

// What there is to say of an environment, in the order of the layer's fields.
std::vector<Metadata> environment_values(const Scene& scene, const Tiling& tiling) {
  const TilingOptions& options = tiling.options;
  const TilingCounts& counts = tiling.counts;
  const auto count = [](const char* name, const char* description, std::uint64_t number) {
    return Metadata{{name, integer, description}, {}, static_cast<double>(number)};
  };
  const Terrain& terrain = scene.terrain;
  const Clutter& clutter = scene.clutter;
  const std::uint64_t hash = scene_hash(scene);
  return {
      {{"format_version", integer, "Version of the environment format"}, {}, environment_format_version},
      {{"crs_name", text, "Name of the CRS"}, scene.frame.crs_name},
      {{"crs_wkt", text, "WKT of the CRS; empty for local metres"}, scene.frame.crs_wkt},
      {{"origin_x", real, "CRS coordinate of the local frame's origin, m"}, {}, scene.frame.origin.x},
      {{"origin_y", real, "CRS coordinate of the local frame's origin, m"}, {}, scene.frame.origin.y},
      {{"extent_min_x", real, "Where tiles are made, local frame, m"}, {}, scene.extent.min.x},
      {{"extent_min_y", real, "Where tiles are made, local frame, m"}, {}, scene.extent.min.y},
      {{"extent_max_x", real, "Where tiles are made, local frame, m"}, {}, scene.extent.max.x},
      {{"extent_max_y", real, "Where tiles are made, local frame, m"}, {}, scene.extent.max.y},
      {{"terrain_x", real, "South-west node of the terrain, local frame, m"}, {}, terrain.south_west.x},
      {{"terrain_y", real, "South-west node of the terrain, local frame, m"}, {}, terrain.south_west.y},
      {{"terrain_step_x", real, "Distance of terrain nodes, m"}, {}, terrain.step_x},
      {{"terrain_step_y", real, "Distance of terrain nodes, m"}, {}, terrain.step_y},
      {{"terrain_columns", integer, "Terrain nodes from west to east"}, {}, static_cast<double>(terrain.columns)},
      {{"terrain_rows", integer, "Terrain nodes from south to north"}, {}, static_cast<double>(terrain.rows)},
      {{"clutter_x", real, "South-west corner of the clutter, local frame, m"}, {}, clutter.south_west.x},
      {{"clutter_y", real, "South-west corner of the clutter, local frame, m"}, {}, clutter.south_west.y},
      {{"clutter_step_x", real, "Size of clutter cells, m"}, {}, clutter.step_x},
      {{"clutter_step_y", real, "Size of clutter cells, m"}, {}, clutter.step_y},
      {{"clutter_columns", integer, "Clutter cells from west to east; 0 without clutter"},
       {},
       static_cast<double>(clutter.columns)},
      {{"clutter_rows", integer, "Clutter cells from south to north"}, {}, static_cast<double>(clutter.rows)},
      {{"tile_area_m2", real, "Option of the tiling: wanted tile area, m²"}, {}, options.tile_area_m2},
      {{"min_wall_width_m", real, "Option of the tiling: narrower walls have no tiles, m"},
       {},
       options.min_wall_width_m},
      {{"min_wall_area_m2", real, "Option of the tiling: smaller walls have no tiles, m²"},
       {},
       options.min_wall_area_m2},
      {{"ridge_angle_deg", real, "Option of the tiling: exterior angle of terrain ridges, degrees"},
       {},
       options.ridge_angle_deg},
      count("walls_too_small", "Walls without tiles for their size", counts.walls_too_small),
      count("roofs_without_tile", "Roofs without tiles", counts.roofs_without_tile),
      count("wall_tiles_covered", "Wall tiles left out where another part covers them", counts.wall_tiles_covered),
      count("wall_tiles_under_ground", "Wall tiles left out under the ground", counts.wall_tiles_under_ground),
      count("roof_tiles_covered", "Roof tiles left out where another part stands", counts.roof_tiles_covered),
      {{"scene_hash", text, "Hash of buildings, vegetation, terrain and materials"}, hexadecimal(hash)},
      {{"environment_hash", text, "Hash of the scene and the tiling options: what a visibility file belongs to"},
       hexadecimal(environment_hash(hash, options))},
      {{"crs_hash", text, "Hash of the CRS's name and WKT"}, hexadecimal(crs_hash(scene.frame))},
  };
}

}  // namespace

Layer environment_layer(const Scene& scene, const Tiling& tiling) {
  const auto values = std::make_shared<const std::vector<Metadata>>(environment_values(scene, tiling));
  std::vector<Field<std::vector<Metadata>>> fields;
  for (std::size_t i = 0; i < values->size(); ++i) {
    fields.push_back({(*values)[i].column, [i](const std::vector<Metadata>& row) {
                        const Metadata& item = row[i];
                        if (item.column.type == text) return Value::text(item.text);
                        return item.column.type == real ? Value::real(item.number)
                                                        : Value::integer(static_cast<std::int64_t>(item.number));
                      }});
  }
  Layer layer{.name = environment_table, .description = "What the environment's layers do not say themselves"};
  return with_rows<std::vector<Metadata>>(std::move(layer), scene.frame.origin, 1,
                                          [values](std::size_t) -> const std::vector<Metadata>& { return *values; },
                                          std::move(fields), {});
}

std::vector<Field<Tile>> tile_identity_fields(const Scene& scene) {
  return {
      {{"tile_id", integer, "Stable number of the tile"}, [](const Tile& t) { return Value::integer(t.id); }},
      {{"kind", text, "ground, wall or roof"}, [](const Tile& t) { return Value::text(to_text(t.kind)); }},
      {{"building_id", integer, "Building the tile belongs to; NULL for ground"},
       [&scene](const Tile& t) {
         return t.prism == no_index ? Value() : Value::integer(scene.prisms[t.prism].building_id);
       }},
      {{"area_m2", real, "Area, m²"}, [](const Tile& t) { return Value::real(t.area_m2()); }},
  };
}

Layer tiles_layer(const std::string& name, const Scene& scene, const Tiling& tiling,
                  std::span<const std::uint32_t> visible_tiles) {
  const Vec2 origin = scene.frame.origin;
  const Tile* first = tiling.tiles.data();
  Layer layer{
      .name = name, .description = "Walls, roofs and ground as flat tiles", .geometry = LayerGeometry::polygon_z};
  layer.styles = styles::tiles();
  std::vector<Field<Tile>> fields = tile_identity_fields(scene);
  const std::vector<Field<Tile>> more = {
      {{"x", real, "Centroid, easting, m"}, [origin](const Tile& t) { return Value::real(origin.x + t.centroid.x); }},
      {{"y", real, "Centroid, northing, m"}, [origin](const Tile& t) { return Value::real(origin.y + t.centroid.y); }},
      {{"z", real, "Centroid, absolute height, m"}, [](const Tile& t) { return Value::real(t.centroid.z); }},
      {{"nx", real, "Outward unit normal, east"}, [](const Tile& t) { return Value::real(t.normal.x); }},
      {{"ny", real, "Outward unit normal, north"}, [](const Tile& t) { return Value::real(t.normal.y); }},
      {{"nz", real, "Outward unit normal, up"}, [](const Tile& t) { return Value::real(t.normal.z); }},
      {{"material", text, "Material"},
       [&scene](const Tile& t) { return Value::text(scene.materials[t.material].name); }},
      {{"visible_count", integer, "Tiles that this one sees"},
       [visible_tiles, first](const Tile& t) {
         return visible_tiles.empty() ? Value() : Value::integer(visible_tiles[static_cast<std::size_t>(&t - first)]);
       }},
  };
  fields.insert(fields.end(), more.begin(), more.end());
  return with_rows<Tile>(
      std::move(layer), origin, tiling.tiles.size(),
      [&tiling](std::size_t i) -> const Tile& { return tiling.tiles[i]; }, std::move(fields),
      [](const Tile& t, GeometryEncoder& encoder) { encoder.quadrilateral(corners_of(t).corners); });
}

Layer edges_layer(const std::string& name, const Scene& scene, const Tiling& tiling) {
  Layer layer{
      .name = name, .description = "Edges that diffract, in segments", .geometry = LayerGeometry::line_string_z};
  layer.styles = styles::edges();
  const auto tile_id = [&tiling](std::uint32_t index) {
    return index == no_index ? Value() : Value::integer(tiling.tiles[index].id);
  };
  std::vector<Field<EdgeSegment>> fields = {
      {{"edge_id", integer, "Stable number of the segment, of 64 bits: beyond 2^53 at buildings"},
       [](const EdgeSegment& e) { return Value::integer(e.id); }},
      {{"kind", text, "roof (eaves), corner (vertical) or terrain (ridge)"},
       [](const EdgeSegment& e) { return Value::text(to_text(e.kind)); }},
      {{"tile_a", integer, "Parent tile on the 0-face"}, [tile_id](const EdgeSegment& e) { return tile_id(e.tile_a); }},
      {{"tile_b", integer, "Parent tile on the n-face"}, [tile_id](const EdgeSegment& e) { return tile_id(e.tile_b); }},
      {{"length_m", real, "Length, m"}, [](const EdgeSegment& e) { return Value::real(e.length_m); }},
      {{"wedge_deg", real, "Exterior angle between the faces, degrees"},
       [](const EdgeSegment& e) { return Value::real(degrees(e.wedge_angle)); }},
  };
  return with_rows<EdgeSegment>(
      std::move(layer), scene.frame.origin, tiling.edges.size(),
      [&tiling](std::size_t i) -> const EdgeSegment& { return tiling.edges[i]; }, std::move(fields),
      [](const EdgeSegment& e, GeometryEncoder& encoder) {
        const Vec3 half = 0.5 * e.length_m * e.direction;
        const std::array<Vec3, 2> ends = {e.midpoint - half, e.midpoint + half};
        encoder.line_string(ends);
      });
}

Layer issues_layer(const std::string& name, const LocalFrame& frame, const std::vector<Issue>& issues) {
  Layer layer{.name = name,
              .description = "What was found in the input and what was done about it",
              .geometry = LayerGeometry::geometry};
  layer.styles = styles::issues();
  std::vector<Field<Issue>> fields = {
      {{"action", text, "dropped, repaired or assumed"}, [](const Issue& i) { return Value::text(to_text(i.action)); }},
      {{"code", text, "Stable word for the kind of issue"}, [](const Issue& i) { return Value::text(i.code); }},
      {{"message", text, "What was found and done"}, [](const Issue& i) { return Value::text(i.message); }},
      {{"source_layer", text, "Source layer"}, [](const Issue& i) { return Value::text_or_null(i.layer); }},
      {{"source_feature", integer, "Feature id in the source layer; NULL for the whole layer"},
       [](const Issue& i) { return i.feature_id < 0 ? Value() : Value::integer(i.feature_id); }},
  };
  return with_rows<Issue>(
      std::move(layer), frame.origin, issues.size(), [&issues](std::size_t i) -> const Issue& { return issues[i]; },
      std::move(fields), [](const Issue& i, GeometryEncoder& encoder) { encoder.outline(i.outline); });
}

}  // namespace tesseray
