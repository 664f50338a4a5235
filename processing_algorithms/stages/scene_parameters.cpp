// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/scene_parameters.h"

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/io/sources/text_values.h"
#include "core/scene/elevation_range.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/run/tool.h"

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

}  // namespace

std::vector<Parameter> scene_parameters() {
  return concatenated({building_parameters(), height_reference_parameters(), footprint_parameters(),
                       ground_parameters(), vegetation_parameters(), clutter_parameters(), frame_parameters()});
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

}  // namespace tesseray
