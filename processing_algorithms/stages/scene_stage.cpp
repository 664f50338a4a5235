// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/scene_stage.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/io/readers/readers.h"
#include "core/io/sources/text_values.h"
#include "core/scene/elevation_range.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

constexpr Choice<HeightKind> height_kinds[] = {{"above_ground", HeightKind::above_ground},
                                               {"roof_elevation", HeightKind::roof_elevation},
                                               {"storeys", HeightKind::storeys}};
constexpr Choice<LengthUnit> length_units[] = {{"m", LengthUnit::metre}, {"ft", LengthUnit::foot}};
constexpr Choice<SceneOptions::GroundReference> ground_references[] = {
    {"mean", SceneOptions::GroundReference::mean},
    {"lowest", SceneOptions::GroundReference::lowest},
    {"entrance", SceneOptions::GroundReference::entrance}};
constexpr Choice<SceneOptions::MissingHeight> missing_heights[] = {
    {"default", SceneOptions::MissingHeight::use_default},
    {"fail", SceneOptions::MissingHeight::fail},
    {"drop", SceneOptions::MissingHeight::drop}};

// "EPSG:25832" of "1,2,3,4 [EPSG:25832]", as QGIS writes extents.
std::string extent_crs(const std::string& text) {
  const std::size_t open = text.find('[');
  return open == std::string::npos ? "" : std::string(trimmed(text.substr(open + 1, text.rfind(']') - open - 1)));
}

std::optional<Rectangle> extent_of(const ParameterValues& values) {
  if (!values.has("EXTENT")) return std::nullopt;
  const std::string& text = values.text("EXTENT");
  std::vector<double> bounds;
  for (const std::string& part : split(text.substr(0, text.find('[')), ',')) bounds.push_back(*parse_number(part));
  return Rectangle{{bounds[0], bounds[2]}, {bounds[1], bounds[3]}};
}

EnvironmentInput environment_input(const ParameterValues& values) {
  EnvironmentInput input;
  input.buildings = values.text("BUILDINGS");
  input.height_field = values.text("HEIGHT_FIELD");
  input.height_kind = values.choice("HEIGHT_KIND", height_kinds);
  input.height_unit = values.choice("HEIGHT_UNIT", length_units);
  input.storey_height_m = values.number("STOREY_HEIGHT");
  input.base_field = values.text("BASE_FIELD");
  input.entrance_field = values.text("ENTRANCE_FIELD");
  input.material_field = values.text("MATERIAL_FIELD");
  input.dem = values.text("DEM");
  input.vegetation = values.text("VEGETATION");
  input.vegetation_height_field = values.text("VEGETATION_HEIGHT_FIELD");
  input.clutter = values.text("CLUTTER");
  input.clutter_areas = values.text("CLUTTER_AREAS");
  input.clutter_field = values.text("CLUTTER_FIELD");
  input.crs = values.text("CRS");
  input.local_metres = values.flag("LOCAL_METRES");
  input.extent = extent_of(values);
  input.extent_crs = extent_crs(values.text("EXTENT"));
  return input;
}

SceneOptions scene_options(const ParameterValues& values) {
  SceneOptions options;
  options.missing_height = values.choice("MISSING_HEIGHT", missing_heights);
  options.default_height_m = values.number("DEFAULT_HEIGHT");
  options.default_vegetation_height_m = values.number("VEGETATION_HEIGHT");
  options.ground_reference = values.choice("GROUND_REFERENCE", ground_references);
  if (options.ground_reference == SceneOptions::GroundReference::entrance && !values.has("ENTRANCE_FIELD")) {
    throw Error(ErrorKind::invalid_input, "no_entrance_field",
                "GROUND_REFERENCE is entrance, but there is no ENTRANCE_FIELD",
                "name the field with the elevation of the ground at the entrance, or choose mean or lowest");
  }
  options.ground_height_m = values.number("GROUND_HEIGHT");
  options.simplify_tolerance_m = values.number("SIMPLIFY_TOLERANCE");
  options.min_building_area_m2 = values.number("MIN_BUILDING_AREA");
  return options;
}

}  // namespace

void warn_of_issues(const std::vector<Issue>& issues, Progress& progress) {
  struct Kind {
    std::size_t count = 0;
    const Issue* first = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Kind> kinds;  // by code and layer
  for (const Issue& issue : issues) {
    Kind& kind = kinds[{issue.code, issue.layer}];
    if (kind.count++ == 0) kind.first = &issue;
  }
  for (const auto& [key, kind] : kinds) {
    std::string message = kind.first->layer.empty() ? "" : kind.first->layer + ": ";
    if (kind.count > 1) message += std::to_string(kind.count) + " times, first ";
    if (kind.first->feature_id >= 0) message += "feature " + std::to_string(kind.first->feature_id) + ": ";
    progress.warn({key.first, message + kind.first->message});
  }
}

namespace {

std::vector<Parameter> building_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "BUILDINGS",
       .label = "Buildings",
       .help = "building footprints, polygons of any OGR source; parts may stand on or beside each other",
       .kind = Kind::vector_polygon,
       .crs_from = {"CRS", "LOCAL_METRES"}},
      {.name = "HEIGHT_FIELD",
       .label = "Height field",
       .help = "the field with the buildings' heights; found by its name (height, building:height, storeys, …) if not "
               "given",
       .kind = Kind::field,
       .optional = true,
       .parent = "BUILDINGS",
       .content = "length"},
      {.name = "HEIGHT_KIND",
       .label = "What heights mean",
       .help = "roof above the ground, elevation of the roof above the DEM's datum, or number of storeys",
       .kind = Kind::enumeration,
       .default_value = "above_ground",
       .choices = words(height_kinds)},
      {.name = "HEIGHT_UNIT",
       .label = "Unit of heights",
       .help =
           "what a bare number in HEIGHT_FIELD and BASE_FIELD means; texts like \"12 m\" and \"40'\" say it themselves",
       .kind = Kind::enumeration,
       .default_value = "m",
       .choices = words(length_units)},
      {.name = "STOREY_HEIGHT",
       .label = "Storey height",
       .help = "height of one storey",
       .kind = Kind::distance,
       .default_value = "3",
       .unit = "m",
       .minimum = 1,
       .maximum = 20,
       .advanced = true},
      {.name = "BASE_FIELD",
       .label = "Base field",
       .help = "the field with the height of a part's bottom above the ground (bridges, overhangs, parts on a podium)",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "BUILDINGS",
       .content = "length"},
  };
}

// What heights count from, and what stands for missing ones.
std::vector<Parameter> height_reference_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "GROUND_REFERENCE",
       .label = "Heights count from",
       .help = "the mean or the lowest ground under a footprint, or the ground at the entrance (ENTRANCE_FIELD)",
       .kind = Kind::enumeration,
       .default_value = "mean",
       .choices = words(ground_references),
       .advanced = true},
      {.name = "ENTRANCE_FIELD",
       .label = "Entrance field",
       .help = "the field with the elevation of the ground at the entrance, for GROUND_REFERENCE entrance",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "BUILDINGS",
       .content = "length"},
      {.name = "MISSING_HEIGHT",
       .label = "Buildings without height",
       .help = "take DEFAULT_HEIGHT, fail, or drop the building; each is listed in ISSUES",
       .kind = Kind::enumeration,
       .default_value = "default",
       .choices = words(missing_heights)},
      {.name = "DEFAULT_HEIGHT",
       .label = "Default height",
       .help = "height of buildings without one",
       .kind = Kind::distance,
       .default_value = "9",
       .unit = "m",
       .minimum = 1,
       .maximum = 1000},
  };
}

std::vector<Parameter> footprint_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "MATERIAL_FIELD",
       .label = "Material field",
       .help = "the field that says what the walls are made of: a name of ITU-R P.2040 (concrete, brick, glass, wood, "
               "metal, "
               "…), or relative permittivity and conductivity in S/m as in 5.31/0.0326",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "BUILDINGS"},
      {.name = "SIMPLIFY_TOLERANCE",
       .label = "Simplify footprints within",
       .help =
           "corners of footprints are left out while every one lies within this of the outline that stays; walls that "
           "neighbours share stay shared; 0: none are",
       .kind = Kind::distance,
       .default_value = "0",
       .unit = "m",
       .minimum = 0,
       .maximum = 20,
       .advanced = true},
      {.name = "MIN_BUILDING_AREA",
       .label = "Least area of a footprint",
       .help =
           "smaller footprints are joined to a neighbour along a long common wall, rather to one that is about as high "
           "and too small as well, or left out where there is none; 0: all stay",
       .kind = Kind::number,
       .default_value = "0",
       .unit = "m²",
       .minimum = 0,
       .maximum = 10000,
       .advanced = true},
  };
}

std::vector<Parameter> ground_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "DEM",
       .label = "Terrain",
       .help = "ground heights in metres, any GDAL raster; the ground is flat if not given",
       .kind = Kind::raster,
       .optional = true,
       .crs_from = {"CRS", "LOCAL_METRES"}},
      {.name = "GROUND_HEIGHT",
       .label = "Height of flat ground",
       .help = "where there is no DEM",
       .kind = Kind::number,
       .default_value = "0",
       .unit = "m",
       .minimum = lowest_ground_m,
       .maximum = highest_ground_m,
       .advanced = true},
  };
}

std::vector<Parameter> vegetation_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "VEGETATION",
       .label = "Vegetation",
       .help = "areas of trees, polygons",
       .kind = Kind::vector_polygon,
       .optional = true,
       .crs_from = {"CRS", "LOCAL_METRES"}},
      {.name = "VEGETATION_HEIGHT_FIELD",
       .label = "Vegetation height field",
       .help = "the field with the height of the trees above the ground",
       .kind = Kind::field,
       .optional = true,
       .parent = "VEGETATION",
       .content = "length"},
      {.name = "VEGETATION_HEIGHT",
       .label = "Default vegetation height",
       .help = "height of trees without one",
       .kind = Kind::distance,
       .default_value = "8",
       .unit = "m",
       .minimum = 0.5,
       .maximum = 150,
       .advanced = true},
  };
}

std::vector<Parameter> clutter_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "CLUTTER",
       .label = "Clutter raster",
       .help = "what covers the ground, as codes of classes that CLUTTER_LOSS gives a loss",
       .kind = Kind::raster,
       .optional = true,
       .advanced = true,
       .crs_from = {"CRS", "LOCAL_METRES"}},
      {.name = "CLUTTER_AREAS",
       .label = "Clutter areas",
       .help = "the same as polygons, in place of CLUTTER; later ones lie on top of earlier ones",
       .kind = Kind::vector_polygon,
       .optional = true,
       .advanced = true,
       .crs_from = {"CRS", "LOCAL_METRES"}},
      {.name = "CLUTTER_FIELD",
       .label = "Clutter class field",
       .help = "the field of CLUTTER_AREAS with the class; found by its usual names (class, landuse, …) if not given",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "CLUTTER_AREAS"},
  };
}

// Where the scene lies.
std::vector<Parameter> frame_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "EXTENT",
       .label = "Extent",
       .help = "the area to work on: xmin,xmax,ymin,ymax in the environment CRS, or with their CRS in brackets behind, "
               "such as 7.0,7.1,50.7,50.8 [EPSG:4326]; the buildings and 50 m around if not given",
       .kind = Kind::extent,
       .optional = true,
       .crs_from = {"CRS", "BUILDINGS"}},
      {.name = "CRS",
       .label = "Environment CRS",
       .help = "a projected CRS in metres; the buildings' own if it is one, else the best UTM zone",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
      {.name = "LOCAL_METRES",
       .label = "Coordinates are local metres",
       .help = "all coordinates are metres of no known CRS",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
  };
}

}  // namespace

std::vector<Parameter> scene_parameters() {
  return concatenated({building_parameters(), height_reference_parameters(), footprint_parameters(),
                       ground_parameters(), vegetation_parameters(), clutter_parameters(), frame_parameters()});
}

std::vector<Parameter> tiling_parameters() {
  using Kind = ParameterKind;
  const TilingOptions defaults;
  return {
      {.name = "TILE_AREA",
       .label = "Tile area",
       .help = "area of a tile; smaller tiles are more exact and take more time",
       .kind = Kind::number,
       .default_value = shortest(defaults.tile_area_m2),
       .unit = "m²",
       .minimum = 0.25,
       .maximum = 10000},
      {.name = "MIN_WALL_WIDTH",
       .label = "Least width of a wall",
       .help = "walls that are narrower make no tiles; narrow sides of a curve are put together",
       .kind = Kind::distance,
       .default_value = shortest(defaults.min_wall_width_m),
       .unit = "m",
       .minimum = 0,
       .maximum = 100,
       .advanced = true},
      {.name = "MIN_WALL_AREA",
       .label = "Least area of a wall",
       .help = "walls that are smaller make no tiles",
       .kind = Kind::number,
       .default_value = shortest(defaults.min_wall_area_m2),
       .unit = "m²",
       .minimum = 0,
       .maximum = 10000,
       .advanced = true},
      {.name = "RIDGE_ANGLE",
       .label = "Ridge angle",
       .help = "a side between terrain tiles diffracts when its exterior angle is larger",
       .kind = Kind::number,
       .default_value = shortest(defaults.ridge_angle_deg),
       .unit = "°",
       .minimum = 180,
       .maximum = 360,
       .advanced = true},
  };
}

std::vector<Parameter> scene_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "TILES",
       .label = "Tiles",
       .help = "ground, walls and roofs in pieces of TILE_AREA",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "tiles",
       .geometry = "Polygon Z"},
      {.name = "EDGES",
       .label = "Edges",
       .help = "where waves are diffracted: eaves, corners and ridges",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "edges",
       .geometry = "LineString Z"},
      {.name = "ISSUES",
       .label = "Issues",
       .help = "what was found in the inputs, and what was done about it",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "issues",
       .geometry = "Geometry"},
  };
}

PieceMemory tile_memory() {
  return {.layer = "BUILDINGS", .extent = "EXTENT", .piece_area = "TILE_AREA", .bytes_per_piece = sizeof(Tile)};
}

CleanScene read_scene(Run& run) {
  RawScene raw = read_environment_input(environment_input(run.values()), run.progress());
  SceneOptions options = scene_options(run.values());
  options.extent = raw.extent;
  CleanScene clean = build_scene(std::move(raw), options, run.progress());
  warn_of_issues(clean.issues, run.progress());
  // Another run has its copies elsewhere, and is to have the same rows. Front ends put names in warnings themselves.
  for (Issue& issue : clean.issues) issue.layer = run.name_for_user(issue.layer);
  return clean;
}

TilingOptions tiling_options(const ParameterValues& values) {
  TilingOptions options;
  options.tile_area_m2 = values.number("TILE_AREA");
  options.min_wall_width_m = values.number("MIN_WALL_WIDTH");
  options.min_wall_area_m2 = values.number("MIN_WALL_AREA");
  options.ridge_angle_deg = values.number("RIDGE_ANGLE");
  return options;
}

Tiling tile_scene(Run& run, const Scene& scene, const TilingOptions& options) {
  // Ground tiles are the most that a small TILE_AREA over a large extent can go wrong by.
  const Vec2 size = scene.extent.max - scene.extent.min;
  constexpr double more_than_any_machine_has = 1e18;
  const double ground_tiles = std::min(size.x * size.y / options.tile_area_m2, more_than_any_machine_has);
  const auto km = [](double length_m) { return shortest(std::round(length_m / 100) / 10); };
  run.settings().memory.require(
      static_cast<std::uint64_t>(std::min(ground_tiles * sizeof(Tile), more_than_any_machine_has)),
      "about " + std::to_string(std::llround(ground_tiles)) + " ground tiles on " + km(size.x) + " × " + km(size.y) +
          " km (a wide EXTENT, or one building far from all others, can be the cause)");
  Tiling tiling = tile_scene(scene, options, run.progress());
  if (tiling.tiles.empty()) {
    run.progress().warn({"no_tiles", "the area of " + shortest(std::round(size.x)) + " × " +
                                         shortest(std::round(size.y)) + " m has no tile of " +
                                         shortest(options.tile_area_m2) +
                                         " m²: give a larger EXTENT, or a smaller TILE_AREA"});
  }
  return tiling;
}

void note_tiling_issues(Run& run, const Tiling& tiling, CleanScene& clean) {
  const std::vector<Issue> issues = tiling_issues(clean.scene, tiling, clean.buildings_layer);
  warn_of_issues(issues, run.progress());
  clean.issues.insert(clean.issues.end(), issues.begin(), issues.end());
}

void add_scene_layers(const Run& run, const CleanScene& clean, const Tiling& tiling,
                      std::span<const std::uint32_t> visible_tiles, ResultWriter& writer,
                      std::vector<std::string>& written) {
  if (const auto destination = run.destinations().layer("TILES")) {
    writer.add_tiles(*destination, clean.scene, tiling, visible_tiles);
    written.emplace_back("TILES");
  }
  if (const auto destination = run.destinations().layer("EDGES")) {
    writer.add_edges(*destination, clean.scene, tiling);
    written.emplace_back("EDGES");
  }
  if (const auto destination = run.destinations().layer("ISSUES")) {
    writer.add_issues(*destination, clean.issues);
    written.emplace_back("ISSUES");
  }
}

namespace {

// Of what stands on the ground: a wrong unit shows here first.
void add_height_figures(const Scene& scene, nlohmann::ordered_json& figures) {
  std::vector<double> heights_m;
  for (const Prism& prism : scene.prisms) {
    if (prism.on_ground) heights_m.push_back(prism.top_z - prism.bottom_z);
  }
  if (heights_m.empty()) return;
  const auto middle = heights_m.begin() + static_cast<std::ptrdiff_t>(heights_m.size() / 2);
  std::nth_element(heights_m.begin(), middle, heights_m.end());
  figures["median_building_height_m"] = *middle;
  figures["highest_building_m"] = *std::max_element(middle, heights_m.end());
}

}  // namespace

void add_scene_figures(const CleanScene& clean, nlohmann::ordered_json& figures) {
  const auto count = [&](Issue::Action action) {
    return std::count_if(clean.issues.begin(), clean.issues.end(),
                         [&](const Issue& issue) { return issue.action == action; });
  };
  figures["crs"] = clean.scene.frame.crs_name;
  figures["prisms"] = clean.scene.prisms.size();
  add_height_figures(clean.scene, figures);
  figures["vegetation_areas"] = clean.scene.vegetation.size();
  figures["issues_dropped"] = count(Issue::Action::dropped);
  figures["issues_repaired"] = count(Issue::Action::repaired);
  figures["issues_assumed"] = count(Issue::Action::assumed);
}

void add_tiling_figures(const Tiling& tiling, nlohmann::ordered_json& figures) {
  const auto count = [&](SurfaceKind kind) {
    return std::count_if(tiling.tiles.begin(), tiling.tiles.end(), [&](const Tile& tile) { return tile.kind == kind; });
  };
  figures["tiles"] = tiling.tiles.size();
  figures["ground_tiles"] = count(SurfaceKind::ground);
  figures["wall_tiles"] = count(SurfaceKind::wall);
  figures["roof_tiles"] = count(SurfaceKind::roof);
  figures["edges"] = tiling.edges.size();
  figures["walls_without_tiles"] = tiling.counts.walls_too_small;
  figures["roofs_without_tile"] = tiling.counts.roofs_without_tile;
}

}  // namespace tesseray
