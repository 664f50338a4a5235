// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/base/infinity.h"
#include "core/io/readers/readers.h"
#include "core/io/results/coverage_raster.h"
#include "core/io/results/open_ground.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/issue_warnings.h"
#include "processing_algorithms/stages/path_loss_input.h"

namespace tesseray {
namespace {

// What a pixel tells, as a member of a row of path_loss.
struct RasterValue {
  double PredictedTarget::*member;
  const char* unit;
};
constexpr Choice<RasterValue> pixel_values[] = {{"received_power", {&PredictedTarget::received_power_dbm, "dBm"}},
                                                {"path_loss", {&PredictedTarget::path_loss_db, "dB"}},
                                                {"basic_loss", {&PredictedTarget::basic_loss_db, "dB"}},
                                                {"field_strength", {&PredictedTarget::field_dbuvm, "dB(µV/m)"}}};
enum class Bands { each, strongest };
constexpr Choice<Bands> band_choices[] = {{"each", Bands::each}, {"strongest", Bands::strongest}};

// One band per transmitter, or one for the transmitter that is strongest at each place.
std::vector<RasterBand> make_bands(const PathLossLayer& layer, const GroundRaster& raster, RasterValue value,
                                   Bands choice) {
  std::unordered_map<std::int64_t, std::size_t> number_of_tile;
  for (std::size_t t = 0; t < raster.tile_ids.size(); ++t) number_of_tile.emplace(raster.tile_ids[t], t);
  std::vector<RasterBand> bands;
  const std::vector<float> nothing(raster.tile_ids.size(), std::numeric_limits<float>::quiet_NaN());
  if (choice == Bands::strongest) {
    bands.push_back({"strongest transmitter", value.unit, nothing});
  } else {
    for (const PredictedTransmitter& transmitter : layer.transmitters) {
      bands.push_back({transmitter.name, value.unit, nothing});
    }
  }
  const TransmitterNumbers numbers(layer.transmitters);
  std::vector<double> strongest_dbm(raster.tile_ids.size(), -infinity);
  for (const PredictedTarget& target : layer.targets) {
    const auto tile = number_of_tile.find(target.tile_id);
    if (tile == number_of_tile.end() || !std::isfinite(target.received_power_dbm)) continue;
    std::size_t band = numbers.of(target.transmitter_id);
    if (choice == Bands::strongest) {
      if (target.received_power_dbm <= strongest_dbm[tile->second]) continue;
      strongest_dbm[tile->second] = target.received_power_dbm;
      band = 0;
    }
    bands[band].values[tile->second] = static_cast<float>(target.*value.member);
  }
  return bands;
}

// The footprints that touch the raster, in CRS coordinates.
std::vector<Rings> read_footprints(Run& run, const PathLossLayer& layer, const GroundRaster& raster) {
  run.progress().begin_stage("buildings");
  const Vec2 north_west{raster.west, raster.north};
  const Vec2 south_east = north_west + raster.step_m * Vec2{1.0 * raster.columns, -1.0 * raster.rows};
  BuildingPlansRead read =
      read_building_plans({.source = run.values().text("BUILDINGS"), .crs = run.values().text("BUILDINGS_CRS")},
                          layer.frame, {{north_west.x, south_east.y}, {south_east.x, north_west.y}}, run.progress());
  warn_of_issues(read.issues, run.progress());
  if (read.footprints.empty()) {
    run.progress().warn({"buildings_elsewhere",
                         "no building of BUILDINGS stands on predicted ground: check its CRS, "
                         "which is transformed to that of the prediction, " +
                             layer.frame.crs_name});
  }
  return std::move(read.footprints);
}

Outcome make_coverage_raster(Run& run) {
  const ParameterValues& values = run.values();
  const PathLossLayer layer = read_path_loss(run, {.outlines = Outlines::require});
  const PixelGrid grid = ground_grid(layer, values.number("RESOLUTION"));
  const Bands choice = values.choice("BANDS", band_choices);
  const std::size_t band_count = choice == Bands::strongest ? 1 : layer.transmitters.size();
  // The tile of each pixel, the value of each tile, and what is written of them.
  run.settings().memory.require(
      sizeof(std::int32_t) * grid.pixels() + sizeof(float) * band_count * ground_tiles(layer).size() +
          ground_raster_bytes(grid, band_count),
      "a raster of " + std::to_string(grid.columns) + " × " + std::to_string(grid.rows) + " pixels with " +
          std::to_string(band_count) + " bands",
      "choose a greater RESOLUTION, fewer transmitters by a filter of PATH_LOSS, or BANDS strongest, or allow more "
      "memory");
  GroundRaster raster = rasterize_ground(layer, grid);
  if (values.has("BUILDINGS")) show_open_ground(raster, layer, read_footprints(run, layer, raster));
  const std::vector<RasterBand> bands = make_bands(layer, raster, values.choice("VALUE", pixel_values), choice);
  const std::filesystem::path file = *run.destinations().file("RASTER");
  write_ground_raster(raster, bands, layer.frame, run.target(file), run.progress());

  Outcome outcome;
  outcome.outputs = run.destinations().spelled({"RASTER"});
  outcome.figures["columns"] = raster.columns;
  outcome.figures["rows"] = raster.rows;
  outcome.figures["bands"] = bands.size();
  outcome.figures["ground_tiles"] = raster.tile_ids.size();
  return outcome;
}

std::vector<Parameter> raster_parameters() {
  using Kind = ParameterKind;
  return {
      path_loss_input("the layer of polygons that predictcoverage wrote, its transmitters beside it"),
      {.name = "VALUE",
       .label = "Value",
       .help = "what the pixels tell",
       .kind = Kind::enumeration,
       .default_value = "received_power",
       .choices = words(pixel_values)},
      {.name = "BANDS",
       .label = "Bands",
       .help = "one for each transmitter, or one with the strongest transmitter at each place",
       .kind = Kind::enumeration,
       .default_value = "each",
       .choices = words(band_choices)},
      {.name = "RESOLUTION",
       .label = "Resolution",
       .help =
           "side of a pixel; each takes the value of the ground tile in which its centre lies, or else of one with its "
           "middle in the pixel",
       .kind = Kind::number,
       .default_value = "5",
       .unit = "m",
       .minimum = 0.01,
       .maximum = 10000},
      {.name = "BUILDINGS",
       .label = "Buildings",
       .help =
           "footprints, which show no value then: the ground beside walls, where tiles of the prediction end, takes "
           "that of the nearest tile on its side. Those of the environment, or the layer buildings of its file",
       .kind = Kind::vector_polygon,
       .optional = true,
       .crs_from = {"BUILDINGS_CRS", "PATH_LOSS"}},
      {.name = "BUILDINGS_CRS",
       .label = "CRS of the buildings",
       .help = "CRS of a layer that has none",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
      {.name = "RASTER",
       .label = "Raster",
       .help = "a cloud-optimized GeoTIFF; pixels without ground, or where nothing arrives, are no-data (-9999)",
       .kind = Kind::file_destination,
       .extension = "tif"},
  };
}

}  // namespace

Tool coverageraster() {
  return {.id = "coverageraster",
          .title = "Coverage raster",
          .group = "Coverage",
          .help = "A prediction on the ground as a raster, in the resolution asked for: a cloud-optimized GeoTIFF.",
          .parameters = raster_parameters(),
          .roles = {},
          .run = make_coverage_raster};
}

}  // namespace tesseray
