// SPDX-License-Identifier: GPL-3.0-or-later
// From files to core's types: buildings, vegetation, terrain, transmitters, receivers, drive tests, each transformed
// to the environment CRS. Every function throws Error(invalid_input) with file, layer, field and feature.
//
// A vector source is what QGIS and ogrinfo understand: "roofs.shp", "city.gpkg|layername=roofs", an OGR connection
// string ("PG:dbname=…"), or a CSV with coordinates in two columns. Inputs are opened read-only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/comparison/comparison.h"
#include "core/io/sources/text_values.h"
#include "core/physics/antenna_pattern.h"
#include "core/prediction/district_coverage.h"
#include "core/prediction/district_inhabitants.h"
#include "core/prediction/fingerprints.h"
#include "core/scene/raw_scene.h"
#include "core/scene/transmitter.h"

namespace tesseray {

enum class HeightKind { above_ground, roof_elevation, storeys };

// What tileenvironment takes. Empty strings: not given.
struct EnvironmentInput {
  std::string buildings;
  std::string height_field;  // empty: by alias (height, building:height, htotale, …)
  HeightKind height_kind = HeightKind::above_ground;
  LengthUnit height_unit = LengthUnit::metre;
  double storey_height_m = 3.0;
  std::string base_field;
  std::string entrance_field;  // elevation of the ground at the entrance
  std::string material_field;
  std::string dem;
  std::string vegetation;
  std::string vegetation_height_field;
  std::string clutter;                       // a raster of class codes …
  std::string clutter_areas, clutter_field;  // … or polygons with their class in a field; empty: by alias
  std::string crs;                           // of the environment: "EPSG:3946", WKT, …; empty: chosen (choose_crs)
  bool local_metres = false;                 // coordinates are metres of no known CRS
  std::optional<Rectangle> extent;           // only features that touch it (and a margin) are read
  std::string extent_crs;                    // of the extent; empty: the environment's
};

// Reads and transforms; heights as the files have them, converted to metres. The environment CRS: `crs` when given,
// else the buildings' if it is projected in metres with a point scale within 0.1 % of true there, else the best UTM
// zone. Assumptions (clamped storeys, unreadable texts, no DEM) are issues.
RawScene read_environment_input(const EnvironmentInput& input, Progress& progress);

// What predictcoverage takes. Field names empty: by alias. An absent field falls back to the default; a missing
// default is an error that names the field and its aliases.
struct TransmitterInput {
  std::string source;
  bool is_copy = false;  // made for this run, so that its folder holds no antenna files
  std::string crs;       // for CSV, or overriding the layer's; empty: the layer's (CSV lat/lon: EPSG:4326)
  std::string name_field, frequency_field, height_field, erp_field, azimuth_field, downtilt_field,
      electrical_tilt_field, antenna_field, polarization_field;
  std::optional<double> frequency_mhz, antenna_height_m, erp_dbm;
  AntennaKind antenna = AntennaKind::isotropic;  // where no field says
  std::string antenna_name;  // instead of `antenna`, as a field would say it: "beam_80", "panel.msi"
  // Of pattern files, "panels;omni" are two; the transmitters file's own folder is looked into as well.
  std::string antenna_folder;
  CutSynthesis synthesis = CutSynthesis::hpi;  // of pattern files
  HeightReference height_reference = HeightReference::ground;
};
std::vector<RawTransmitter> read_transmitters(const TransmitterInput& input, const LocalFrame& frame,
                                              Progress& progress);

struct ReceiverInput {
  std::string source, crs, height_field;
  double height_m = 1.5;  // where no field says
  MisplacedReceivers misplaced = MisplacedReceivers::fail;
};
// Where misplaced ones are to be dropped, those without a place, or with a height that cannot be, have their problem.
std::vector<RawReceiver> read_receivers(const ReceiverInput& input, const LocalFrame& frame, Progress& progress);

struct DriveTestInput {
  std::string source, crs;
  std::string value_field;        // empty: by the usual names of `value_kind` (rsrp, path_loss, toa, …)
  std::string transmitter_field;  // empty: by alias (transmitter, site, cell, pci), or none
  std::string height_field;       // empty: none
  ValueKind value_kind = ValueKind::received_power;
};
// Positions in the scene frame of `frame`. Rows without a readable value or place are kept with NaN.
std::vector<Measurement> read_drive_test(const DriveTestInput& input, const LocalFrame& frame, Progress& progress);

struct LocationQueryInput {
  std::string source, crs;
  std::string query_field;                 // which query a row belongs to; empty: by alias (query, location, …)
  std::string transmitter_field;           // empty: by alias, as in drive tests
  std::string power_field;                 // empty: by alias, as in drive tests
  std::string delay_field, azimuth_field;  // empty: by alias (delay_ns, azimuth_deg, …), or none
};
// What a receiver measured somewhere: one signature per transmitter.
struct LocationQuery {
  std::string name;
  std::vector<Signature> signatures;
  std::optional<Vec2> known_position;  // where it was, when the rows say so
};
// One per query, in the order of their first rows. The source's rows may have places, or columns with coordinates. Rows
// of unknown transmitters are counted in a warning.
std::vector<LocationQuery> read_location_queries(const LocationQueryInput& input, const LocalFrame& frame,
                                                 const std::vector<PredictedTransmitter>& transmitters,
                                                 Progress& progress);

struct DistrictInput {
  std::string source, crs;       // crs: of a layer without one
  std::string name_field;        // empty: by alias (name, district, …), or none
  std::string population_field;  // empty: by alias (population, inhabitants, …), or none
  bool with_population = true;   // false where inhabitants come from elsewhere
};
struct DistrictsRead {
  std::vector<District> districts;  // in file order, in the scene frame of `frame`
  std::vector<Issue> issues;        // features without a polygon, repaired ones
  std::string population_field;     // empty: none was found
};
// Those that touch `area` (scene frame). Throws Error for a population that is no number from 0 on, and for a layer
// without any polygon.
DistrictsRead read_districts(const DistrictInput& input, const LocalFrame& frame, const Rectangle& area,
                             Progress& progress);

struct BuildingPlansInput {
  std::string source, crs;  // crs: of a layer without one
};
struct BuildingPlansRead {
  std::vector<Rings> footprints;  // absolute coordinates of the environment CRS, rings as found
  std::vector<Issue> issues;      // features that are no footprints
};
// Where buildings stand, whatever their heights: those that touch `area` (absolute coordinates of the environment CRS).
BuildingPlansRead read_building_plans(const BuildingPlansInput& input, const LocalFrame& frame, const Rectangle& area,
                                      Progress& progress);

struct InhabitantsInput {
  std::string source, crs;
  std::string number_field;  // empty: by alias (population, inhabitants, …), or one inhabitant at each point
};
// In file order, in the scene frame of `frame`. Throws Error for a point without a place, or with a number of
// inhabitants that is none from 0 on; where it is empty it is not known, and a warning counts these.
std::vector<InhabitedPlace> read_inhabitants(const InhabitantsInput& input, const LocalFrame& frame,
                                             Progress& progress);

// A point as QGIS writes it, "x,y [EPSG:3946]", in absolute coordinates of the environment CRS; without a CRS in
// brackets it is in that already. Warns of the transformation's caveat. `parameter`: what it was given as,
// for messages.
Vec2 read_map_point(const std::string& text, const LocalFrame& frame, const std::string& parameter, Progress& progress);

}  // namespace tesseray
