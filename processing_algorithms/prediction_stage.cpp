// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/prediction_stage.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/units.h"
#include "core/comparison/statistics.h"
#include "core/io/readers.h"
#include "core/physics/vegetation.h"
#include "core/prediction/clutter_loss.h"
#include "core/propagation/vegetation_file.h"
#include "cuda/backend.h"
#include "processing_algorithms/clutter_stage.h"
#include "processing_algorithms/spelling.h"
#include "processing_algorithms/surface_stage.h"

namespace tesseray {
namespace {

constexpr Choice<HeightReference> height_references[] = {
    {"ground", HeightReference::ground}, {"roof", HeightReference::roof}, {"sea", HeightReference::sea}};
constexpr Choice<CutSynthesis> cut_syntheses[] = {
    {"hpi", CutSynthesis::hpi}, {"sum", CutSynthesis::sum}, {"cross_weighted", CutSynthesis::cross_weighted}};
constexpr Choice<Polarization> polarizations[] = {{"vertical", Polarization::vertical},
                                                  {"horizontal", Polarization::horizontal},
                                                  {"slant+45", Polarization::slant_plus_45},
                                                  {"slant-45", Polarization::slant_minus_45}};
constexpr Choice<AntennaKind> receiver_antennas[] = {{"isotropic", AntennaKind::isotropic},
                                                     {"half_wave_dipole", AntennaKind::half_wave_dipole}};
constexpr Choice<OverRooftop> over_rooftop_methods[] = {
    {"screens", OverRooftop::screens}, {"deygout", OverRooftop::deygout}, {"none", OverRooftop::none}};
constexpr Choice<bool> transmissions[] = {{"none", false}, {"nearest_building", true}};
constexpr Choice<VegetationModel> vegetation_models[] = {
    {"per_metre", VegetationModel::per_metre}, {"p833", VegetationModel::p833}, {"none", VegetationModel::none}};
constexpr Choice<Summation> summations[] = {
    {"local_mean", Summation::local_mean}, {"coherent", Summation::coherent}, {"power", Summation::power}};
constexpr Choice<SurfaceKind> surface_kinds[] = {
    {"ground", SurfaceKind::ground}, {"wall", SurfaceKind::wall}, {"roof", SurfaceKind::roof}};
constexpr Choice<TargetGeometry> geometries[] = {
    {"polygon", TargetGeometry::polygon}, {"point", TargetGeometry::point}, {"none", TargetGeometry::none}};
enum class EdgeVisibility { midpoint, parents };
constexpr Choice<EdgeVisibility> edge_visibilities[] = {{"midpoint", EdgeVisibility::midpoint},
                                                        {"parents", EdgeVisibility::parents}};

// `what` in words for the label; the help says which of the field's usual names there are.
Parameter field_of_transmitters(const std::string& name, const std::string& what, const std::string& usual) {
  return {.name = name,
          .label = what + " field",
          .help = "the field with it; found by its usual names (" + usual + ", …) if not given",
          .kind = ParameterKind::field,
          .optional = true,
          .advanced = true,
          .parent = "TRANSMITTERS"};
}

Parameter limit(const std::string& name, const std::string& label, const std::string& help, int value, int greatest) {
  return {.name = name,
          .label = label,
          .help = help,
          .kind = ParameterKind::number,
          .default_value = std::to_string(value),
          .minimum = 0,
          .maximum = greatest,
          .integer = true,
          .advanced = name != "MAX_BOUNCES"};
}

// Rough sizes of one row in a GeoPackage, spatial index included, for the check of free space.
std::uint64_t bytes_per_row(TargetGeometry geometry) {
  switch (geometry) {
    case TargetGeometry::polygon:
      return 400;
    case TargetGeometry::point:
      return 260;
    case TargetGeometry::none:
      break;
  }
  return 130;
}

// Which rays there are.
std::vector<Parameter> interaction_parameters() {
  using Kind = ParameterKind;
  const RayLaunchingOptions defaults;
  return {
      limit("MAX_BOUNCES", "Bounces", "greatest number of interactions of a ray", defaults.max_bounces, 8),
      limit("MAX_REFLECTIONS", "Reflections", "greatest number of reflections of a ray", defaults.max_reflections, 8),
      limit("MAX_DIFFRACTIONS", "Diffractions", "greatest number of diffractions of a ray", defaults.max_diffractions,
            8),
      limit("MAX_SCATTERINGS", "Scatterings", "greatest number of diffuse scatterings of a ray",
            defaults.max_scatterings, 1),
      limit("MAX_REFLECTIONS_WITH_DIFFRACTIONS", "Reflections and diffractions",
            "greatest number of reflections and diffractions of a ray that has both",
            defaults.max_reflections_with_diffractions, 8),
      limit("MAX_DIFFRACTIONS_WITH_SCATTERINGS", "Diffractions and scatterings",
            "greatest number of diffractions and scatterings of a ray that has both",
            defaults.max_diffractions_with_scatterings, 8),
      limit("MAX_AFTER_SCATTERING", "Interactions after scattering",
            "greatest number of interactions after a diffuse scattering", defaults.max_after_scattering, 2),
      {.name = "MIN_POWER",
       .label = "Least power",
       .help = "rays that are weaker at a tile or edge go no further",
       .kind = Kind::number,
       .default_value = shortest(defaults.min_power_dbm),
       .unit = "dBm",
       .minimum = -300,
       .maximum = 100,
       .advanced = true},
      {.name = "EDGE_VISIBILITY",
       .label = "What an edge sees",
       .help = "what its midpoint sees, or what either of its parent tiles sees (as the papers)",
       .kind = Kind::enumeration,
       .default_value = "midpoint",
       .choices = words(edge_visibilities),
       .advanced = true},
  };
}

// What happens to them on the way, and how they are summed.
std::vector<Parameter> effect_parameters() {
  using Kind = ParameterKind;
  const RayLaunchingOptions defaults;
  return {
      {.name = "OVER_ROOFTOP",
       .label = "Rays over the roofs",
       .help = "to what the transmitter does not see: losses by the exact integral over the edges that obstruct, by "
               "Deygout's method, or no such rays",
       .kind = Kind::enumeration,
       .default_value = "screens",
       .choices = words(over_rooftop_methods)},
      {.name = "TRANSMISSION",
       .label = "Rays through a building",
       .help = "through the building nearest to the transmitter, or the one that it stands on, to what it alone hides",
       .kind = Kind::enumeration,
       .default_value = "none",
       .choices = words(transmissions)},
      {.name = "WALL_LOSS",
       .label = "Loss of a wall",
       .help =
           "of each outer wall that a ray passes; by its material and the frequency after 3GPP TR 38.901 if not given",
       .kind = Kind::number,
       .unit = "dB",
       .minimum = 0,
       .maximum = 300,
       .optional = true,
       .advanced = true},
      {.name = "INDOOR_LOSS",
       .label = "Loss per metre indoors",
       .help = "of a ray inside of the building",
       .kind = Kind::number,
       .default_value = shortest(defaults.transmission.indoor_db_per_m),
       .unit = "dB/m",
       .minimum = 0,
       .maximum = 100,
       .advanced = true},
      {.name = "VEGETATION_LOSS",
       .label = "Loss in vegetation",
       .help = "of each metre of a ray inside the environment's vegetation: VEGETATION_DB_PER_M, by frequency after "
               "ITU-R P.833 (dense woodland, 106 to 2,118 MHz; saturating), or none",
       .kind = Kind::enumeration,
       .default_value = "per_metre",
       .choices = words(vegetation_models)},
      {.name = "VEGETATION_DB_PER_M",
       .label = "Loss per metre of vegetation",
       .help = "with VEGETATION_LOSS per_metre; 0.04 stands for sparse street trees at 850 to 1,900 MHz",
       .kind = Kind::number,
       .default_value = shortest(defaults.vegetation_db_per_m),
       .unit = "dB/m",
       .minimum = 0,
       .maximum = 10,
       .advanced = true},
      {.name = "SUMMATION",
       .label = "Summation",
       .help = "of powers with the direct ray and its ground reflection in amplitude, of amplitudes, or of powers",
       .kind = Kind::enumeration,
       .default_value = "local_mean",
       .choices = words(summations)},
  };
}

}  // namespace

RayLaunchingOptions ray_launching_options(const ParameterValues& values) {
  RayLaunchingOptions options;
  options.max_bounces = values.integer("MAX_BOUNCES");
  options.max_reflections = values.integer("MAX_REFLECTIONS");
  options.max_diffractions = values.integer("MAX_DIFFRACTIONS");
  options.max_scatterings = values.integer("MAX_SCATTERINGS");
  options.max_reflections_with_diffractions = values.integer("MAX_REFLECTIONS_WITH_DIFFRACTIONS");
  options.max_diffractions_with_scatterings = values.integer("MAX_DIFFRACTIONS_WITH_SCATTERINGS");
  options.max_after_scattering = values.integer("MAX_AFTER_SCATTERING");
  read_scattering(values, options);
  options.min_power_dbm = values.number("MIN_POWER");
  options.over_rooftop = values.choice("OVER_ROOFTOP", over_rooftop_methods);
  options.transmission.nearest_building = values.choice("TRANSMISSION", transmissions);
  options.transmission.wall_loss_db = values.optional_number("WALL_LOSS");
  options.transmission.indoor_db_per_m = values.number("INDOOR_LOSS");
  read_link_options(values, options);
  return options;
}

void read_link_options(const ParameterValues& values, RayLaunchingOptions& options) {
  options.summation = values.choice("SUMMATION", summations);
  options.vegetation = values.choice("VEGETATION_LOSS", vegetation_models);
  options.vegetation_db_per_m = values.number("VEGETATION_DB_PER_M");
  options.receiver_height_m = values.number("RECEIVER_HEIGHT");
  options.receiver_polarization = values.choice("RECEIVER_POLARIZATION", polarizations);
  options.receiver_antenna = values.choice("RECEIVER_ANTENNA", receiver_antennas);
  options.receiver_gain_dbi = values.number("RECEIVER_GAIN");
}

std::vector<Parameter> transmitter_parameters(const std::string& site) {
  using Kind = ParameterKind;
  return concatenated({
      {{.name = "TRANSMITTERS",
        .label = "Transmitters",
        .help = "points of any OGR source, or a CSV file with coordinates",
        .kind = Kind::vector_point,
        .within = site,
        .crs_from = {"TRANSMITTERS_CRS"}}},
      {field_of_transmitters("NAME_FIELD", "Name", "name, site, cell"),
       field_of_transmitters("FREQUENCY_FIELD", "Frequency", "frequency, freq_mhz"),
       field_of_transmitters("ANTENNA_HEIGHT_FIELD", "Antenna height", "height, antenna_height"),
       field_of_transmitters("ERP_FIELD", "ERP", "erp, eirp, power"),
       field_of_transmitters("AZIMUTH_FIELD", "Azimuth", "azimuth, bearing"),
       field_of_transmitters("DOWNTILT_FIELD", "Downtilt", "downtilt, tilt"),
       field_of_transmitters("ELECTRICAL_TILT_FIELD", "Electrical tilt", "electrical_tilt, etilt"),
       field_of_transmitters("ANTENNA_FIELD", "Antenna", "antenna, pattern"),
       field_of_transmitters("POLARIZATION_FIELD", "Polarization", "polarization, pol")},
      {{.name = "FREQUENCY",
        .label = "Frequency",
        .help = "of transmitters without one",
        .kind = Kind::number,
        .unit = "MHz",
        .minimum = 10,
        .maximum = 300000,
        .optional = true},
       {.name = "ANTENNA_HEIGHT",
        .label = "Antenna height",
        .help = "of transmitters without one, above ANTENNA_HEIGHT_REFERENCE",
        .kind = Kind::distance,
        .unit = "m",
        .minimum = -500,
        .maximum = 10000,
        .optional = true},
       {.name = "ERP",
        .label = "ERP",
        .help = "effective radiated power, relative to a half-wave dipole, of transmitters without one",
        .kind = Kind::number,
        .unit = "dBm",
        .minimum = -100,
        .maximum = 120,
        .optional = true},
       {.name = "ANTENNA",
        .label = "Antenna",
        .help = "of transmitters without one: isotropic, half_wave_dipole, short_dipole, sector_3gpp, a beam by its "
                "half-power width (beam_80), or a pattern file (MSI/Planet, NSMA, ADF)",
        .kind = Kind::string,
        .default_value = "isotropic"},
       {.name = "ANTENNA_FOLDER",
        .label = "Folder of antenna files",
        .help = "where pattern files named by ANTENNA or the antenna field lie; the transmitters file's folder is "
                "looked into as well",
        .kind = Kind::string,
        .optional = true,
        .advanced = true},
       {.name = "ANTENNA_SYNTHESIS",
        .label = "Between the cuts of antenna files",
        .help = "how a pattern file's two cuts give the gain in other directions: horizontal projection interpolation, "
                "the sum of both attenuations, or the cross-weighted sum",
        .kind = Kind::enumeration,
        .default_value = "hpi",
        .choices = words(cut_syntheses),
        .advanced = true},
       {.name = "ANTENNA_DIAMETER",
        .label = "Antenna diameter",
        .help = "greatest extent D of the antennas: targets nearer than their far field (2D²/λ) are flagged in "
                "in_near_field; 0: none are",
        .kind = Kind::distance,
        .default_value = "0",
        .unit = "m",
        .minimum = 0,
        .maximum = 100,
        .advanced = true},
       {.name = "ANTENNA_HEIGHT_REFERENCE",
        .label = "Antenna heights count from",
        .help = "the ground, the roof below, or the sea level of the DEM",
        .kind = Kind::enumeration,
        .default_value = "ground",
        .choices = words(height_references)},
       {.name = "TRANSMITTERS_CRS",
        .label = "CRS of the transmitters",
        .help = "of a CSV file, or in place of the layer's; lat/lon columns of a CSV are EPSG:4326",
        .kind = Kind::crs,
        .optional = true,
        .advanced = true}},
  });
}

std::vector<Parameter> receiver_point_parameters(const std::string& site) {
  using Kind = ParameterKind;
  return {
      {.name = "RECEIVERS",
       .label = "Receiver points",
       .help = "points with a row of their own in RECEIVER_PATH_LOSS, and rays in RAYS",
       .kind = Kind::vector_point,
       .optional = true,
       .within = site,
       .crs_from = {"RECEIVERS_CRS"}},
      {.name = "RECEIVER_HEIGHT_FIELD",
       .label = "Receiver height field",
       .help = "the field with the heights of receiver points above the ground; RECEIVER_HEIGHT if not given",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "RECEIVERS",
       .content = "length"},
      {.name = "RECEIVERS_CRS",
       .label = "CRS of the receiver points",
       .help = "of a CSV file, or in place of the layer's",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
  };
}

std::vector<Parameter> receiver_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "RECEIVER_HEIGHT",
       .label = "Receiver height",
       .help = "above the ground, at ground tiles and at receiver points without a height",
       .kind = Kind::distance,
       .default_value = "1.5",
       .unit = "m",
       .minimum = 0.05,
       .maximum = 1000},
      {.name = "RECEIVER_POLARIZATION",
       .label = "Receiver polarization",
       .help = "of the receiving antenna",
       .kind = Kind::enumeration,
       .default_value = "vertical",
       .choices = words(polarizations),
       .advanced = true},
      {.name = "RECEIVER_ANTENNA",
       .label = "Receiver antenna",
       .help = "its pattern: the same in all directions, or an upright half-wave dipole; RECEIVER_GAIN is its maximum",
       .kind = Kind::enumeration,
       .default_value = "isotropic",
       .choices = words(receiver_antennas),
       .advanced = true},
      receiver_gain_parameter(),
  };
}

Parameter receiver_gain_parameter() {
  return {.name = "RECEIVER_GAIN",
          .label = "Receiver gain",
          .help =
              "of the receiving antenna in its maximum: in received powers and path losses, predicted and measured; "
              "they are compared without it",
          .kind = ParameterKind::number,
          .default_value = "0",
          .unit = "dBi",
          .minimum = -50,
          .maximum = 50};
}

std::vector<Parameter> site_parameters(const std::string& site) {
  return concatenated({transmitter_parameters(site), receiver_point_parameters(site), receiver_parameters()});
}

std::vector<Parameter> propagation_parameters() {
  return concatenated(
      {interaction_parameters(), surface_parameters(), effect_parameters(), {clutter_loss_parameter()}});
}

std::vector<Parameter> prediction_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "KINDS",
       .label = "Kinds of tiles",
       .help = "the tiles that get rows in PATH_LOSS",
       .kind = Kind::enumeration,
       .default_value = "ground,wall,roof",
       .choices = words(surface_kinds),
       .multiple = true,
       .advanced = true},
      {.name = "REACHED_ONLY",
       .label = "Only tiles that are reached",
       .help = "leave out the rows of tiles at which nothing arrives",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
      {.name = "GEOMETRY",
       .label = "Geometry of path loss",
       .help = "tiles as polygons, as points, or a table without geometry",
       .kind = Kind::enumeration,
       .default_value = "polygon",
       .choices = words(geometries),
       .advanced = true},
      {.name = "PRUNING",
       .label = "Draw weak rays by chance",
       .help =
           "from 20,000 tiles on, a few of many weak rays stand for all: tiles change by some 0.1 dB and the mean by "
           "none, and a whole city takes a fraction of the time; how many is chosen by transmitter and reported",
       .kind = Kind::boolean,
       .default_value = "true",
       .advanced = true},
      {.name = "WIDEBAND",
       .label = "Angles at both ends",
       .help = "with elevation, spreads of elevation and of departure angles, and the K factor",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
      {.name = "DELAY_PROFILE_RAYS",
       .label = "Rays of the power-delay profile",
       .help = "delay and power of so many of the strongest rays at each place, in delay_profile; 0 for none",
       .kind = Kind::number,
       .default_value = "0",
       .minimum = 0,
       .maximum = 64,
       .integer = true,
       .advanced = true},
      {.name = "RAYS_PER_RECEIVER",
       .label = "Rays per receiver point",
       .help = "how many of the strongest rays go to RAYS",
       .kind = Kind::number,
       .default_value = "20",
       .minimum = 1,
       .maximum = 100000,
       .integer = true,
       .advanced = true},
      {.name = "PATH_LOSS",
       .label = "Path loss",
       .help = "what arrives at each tile, one row per transmitter and tile",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "path_loss",
       .geometry = "Polygon Z"},
      {.name = "RECEIVER_PATH_LOSS",
       .label = "Path loss at receiver points",
       .help = "what arrives at each of RECEIVERS",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "receiver_path_loss",
       .geometry = "Point Z",
       .needs = "RECEIVERS"},
      {.name = "TRANSMITTERS_OUT",
       .label = "Transmitters as used",
       .help = "the transmitters with all that was assumed; beside PATH_LOSS if not given",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "transmitters",
       .geometry = "Point Z",
       .beside = "PATH_LOSS"},
      {.name = "RAYS",
       .label = "Rays",
       .help = "the strongest rays to each of RECEIVERS",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "rays",
       .geometry = "LineString Z",
       .needs = "RECEIVERS"},
  };
}

std::vector<Transmitter> read_transmitters(Run& run, const Scene& scene) {
  run.progress().begin_stage("reading");
  const ParameterValues& values = run.values();
  TransmitterInput input;
  input.source = values.text("TRANSMITTERS");
  input.crs = values.text("TRANSMITTERS_CRS");
  input.name_field = values.text("NAME_FIELD");
  input.frequency_field = values.text("FREQUENCY_FIELD");
  input.height_field = values.text("ANTENNA_HEIGHT_FIELD");
  input.erp_field = values.text("ERP_FIELD");
  input.azimuth_field = values.text("AZIMUTH_FIELD");
  input.downtilt_field = values.text("DOWNTILT_FIELD");
  input.antenna_field = values.text("ANTENNA_FIELD");
  input.polarization_field = values.text("POLARIZATION_FIELD");
  input.frequency_mhz = values.optional_number("FREQUENCY");
  input.antenna_height_m = values.optional_number("ANTENNA_HEIGHT");
  input.erp_dbm = values.optional_number("ERP");
  input.electrical_tilt_field = values.text("ELECTRICAL_TILT_FIELD");
  input.antenna_name = values.text("ANTENNA");
  input.antenna_folder = values.text("ANTENNA_FOLDER");
  input.synthesis = values.choice("ANTENNA_SYNTHESIS", cut_syntheses);
  input.height_reference = values.choice("ANTENNA_HEIGHT_REFERENCE", height_references);
  std::vector<RawTransmitter> transmitters = read_transmitters(input, scene.frame, run.progress());
  for (RawTransmitter& transmitter : transmitters) {
    transmitter.diameter_m = values.number("ANTENNA_DIAMETER");
    if (!transmitter.antenna_details.file.empty()) run.add_input(transmitter.antenna_details.file);
  }
  return place_transmitters(transmitters, scene);
}

Sites read_sites(Run& run, const Scene& scene) {
  run.progress().begin_stage("reading");
  const ParameterValues& values = run.values();
  for (const char* output : {"RECEIVER_PATH_LOSS", "RAYS"}) {
    if (values.has("RECEIVERS") || !run.destinations().asked_for(output)) continue;
    throw Error(ErrorKind::invalid_input, "no_receivers", std::string(output) + " is asked for without RECEIVERS",
                "give the receiver points, or leave the output out");
  }
  Sites sites;
  sites.transmitters = read_transmitters(run, scene);
  if (values.has("RECEIVERS")) {
    const ReceiverInput receivers{.source = values.text("RECEIVERS"),
                                  .crs = values.text("RECEIVERS_CRS"),
                                  .height_field = values.text("RECEIVER_HEIGHT_FIELD"),
                                  .height_m = values.number("RECEIVER_HEIGHT")};
    sites.receivers = place_receivers(read_receivers(receivers, scene.frame, run.progress()), scene);
  }
  return sites;
}

RayRows::RayRows(const ParameterValues& values, const Visibility& visibility, const Tiling& tiling) : own_(visibility) {
  if (values.choice("EDGE_VISIBILITY", edge_visibilities) == EdgeVisibility::parents) {
    parents_ = with_parents_edge_rows(visibility, tiling);
  }
}

namespace {

// P.833's woodland beyond what its table says.
void warn_of_vegetation(const Scene& scene, const Sites& sites, VegetationModel model, Progress& progress) {
  if (model != VegetationModel::p833 || scene.vegetation.empty()) return;
  const double lowest_hz = std::begin(p833_woodland)->frequency_hz,
               highest_hz = std::rbegin(p833_woodland)->frequency_hz;
  for (const Transmitter& transmitter : sites.transmitters) {
    if (transmitter.frequency_hz >= lowest_hz && transmitter.frequency_hz <= highest_hz) continue;
    progress.warn({"vegetation_frequency", "ITU-R P.833 gives the loss in woodland from " + shortest(lowest_hz / 1e6) +
                                               " to " + shortest(highest_hz / 1e6) + " MHz; at " +
                                               shortest(transmitter.frequency_hz / 1e6) + " MHz (" + transmitter.name +
                                               ") it is extrapolated"});
    return;
  }
}

}  // namespace

RayLauncher launch_rays(Run& run, const Scene& scene, const Tiling& tiling, const Occlusion& occlusion,
                        const RayRows& rows, const Sites& sites) {
  run.progress().begin_stage("rays");
  RayLaunchingOptions options = ray_launching_options(run.values());
  if (!sites.receivers.empty() && run.destinations().layer("RAYS")) {
    options.rays_per_receiver = static_cast<std::size_t>(run.values().integer("RAYS_PER_RECEIVER"));
  }
  options.pruning = run.values().flag("PRUNING");
  options.wideband = run.values().flag("WIDEBAND");
  options.delay_profile_rays = static_cast<std::size_t>(run.values().integer("DELAY_PROFILE_RAYS"));
  warn_of_vegetation(scene, sites, options.vegetation, run.progress());
  MakeRooftopSearch make_rooftop_search;
  if (run.uses_cuda() && options.over_rooftop == OverRooftop::screens) {
    make_rooftop_search = make_cuda_rooftop_search;
    run.add_on_gpu("rays over the roofs");
  }
  RayLauncher launcher(scene, tiling, occlusion, rows.visibility(), sites.receivers, options, make_rooftop_search);
  launcher.prepare(run.progress(), vegetation_file_beside(rows.visibility()));
  return launcher;
}

namespace {

// As many as there are threads, or as the memory takes besides the predictions. Throws when it does not take one.
std::size_t transmitters_at_once(const Run& run, const RayLauncher& launcher, const Tiling& tiling,
                                 const Sites& sites) {
  const RayLaunchingOptions& options = launcher.options();
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::uint64_t bytes_of_launch = launcher.bytes_of_launch(threads);
  const std::uint64_t bytes_of_predictions =
      sites.transmitters.size() * tiling.tiles.size() *
      (sizeof(TargetPrediction) + WidebandPredictions::bytes_per_target(options.wideband, options.delay_profile_rays));
  const MemoryBudget& memory = run.settings().memory;
  memory.require(bytes_of_predictions + bytes_of_launch,
                 "the prediction of " + std::to_string(sites.transmitters.size()) + " transmitters at " +
                     std::to_string(tiling.tiles.size()) + " tiles");
  const std::uint64_t fitting = (memory.left_bytes() - bytes_of_predictions) / bytes_of_launch;
  return std::min<std::uint64_t>({sites.transmitters.size(), threads, std::max<std::uint64_t>(fitting, 1)});
}

}  // namespace

Predictions predict_path_loss(Run& run, const RayLauncher& launcher, const Scene& scene, const Tiling& tiling,
                              const Sites& sites, FinishedPredictions* finished) {
  run.progress().begin_stage("prediction");
  const std::size_t at_once = transmitters_at_once(run, launcher, tiling, sites);
  return predict_each(
      sites.transmitters,
      [&](const Transmitter& transmitter, Progress& progress) {
        RayLaunchingResult rays = launcher.launch(transmitter, progress);
        TransmitterPrediction prediction =
            predict_path_loss(std::move(rays), transmitter, tiling, launcher.receivers(), launcher.options());
        add_clutter_loss(scene.clutter, tiling, launcher.receivers(), prediction);
        if (finished) finished->keep(transmitter, prediction);
        return prediction;
      },
      run.progress(), at_once, finished ? finished->take_found() : std::vector<TransmitterPrediction>());
}

PathLossLayout path_loss_layout(const ParameterValues& values) {
  PathLossLayout layout;
  layout.kinds.clear();
  for (const Choice<SurfaceKind>& kind : surface_kinds) {
    const std::vector<std::string>& chosen = values.chosen_words("KINDS");
    if (std::find(chosen.begin(), chosen.end(), kind.word) != chosen.end()) layout.kinds.push_back(kind.value);
  }
  layout.reached_only = values.flag("REACHED_ONLY");
  layout.geometry = values.choice("GEOMETRY", geometries);
  return layout;
}

void add_transmitters_layer(const Run& run, const std::vector<Transmitter>& transmitters, ResultWriter& writer,
                            std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("TRANSMITTERS_OUT");
  if (!destination) return;
  writer.add_transmitters(*destination, transmitters);
  written.emplace_back("TRANSMITTERS_OUT");
}

void add_receiver_path_loss_layer(const Run& run, const std::vector<Receiver>& receivers,
                                  const Predictions& predictions, ResultWriter& writer,
                                  std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("RECEIVER_PATH_LOSS");
  if (!destination) return;
  writer.add_receiver_path_loss(*destination, receivers, predictions.of_transmitters);
  written.emplace_back("RECEIVER_PATH_LOSS");
}

void add_rays_layer(const Run& run, const Predictions& predictions, ResultWriter& writer,
                    std::vector<std::string>& written) {
  const auto destination = run.destinations().layer("RAYS");
  if (!destination) return;
  writer.add_rays(*destination, predictions.of_transmitters);
  written.emplace_back("RAYS");
}

void add_prediction_layers(const Run& run, const Scene& scene, const Tiling& tiling, const Sites& sites,
                           const Predictions& predictions, ResultWriter& writer, std::vector<std::string>& written) {
  add_transmitters_layer(run, sites.transmitters, writer, written);
  if (const auto destination = run.destinations().layer("PATH_LOSS")) {
    const PathLossLayout layout = path_loss_layout(run.values());
    require_disk_space(destination->file,
                       tiling.tiles.size() * predictions.of_transmitters.size() * bytes_per_row(layout.geometry));
    writer.add_path_loss(*destination, scene, tiling, predictions.of_transmitters, layout);
    written.emplace_back("PATH_LOSS");
  }
  if (sites.receivers.empty()) return;
  add_receiver_path_loss_layer(run, sites.receivers, predictions, writer, written);
  add_rays_layer(run, predictions, writer, written);
}

namespace {

std::string in_words(const Pruning& pruning) {
  if (pruning.scattering_sources == 0) return "none";
  return std::to_string(pruning.scattering_sources) + " scattering tiles; tubes below " +
         std::to_string(std::lround(decibels(pruning.roulette))) + " dB";
}

}  // namespace

void add_prediction_figures(const Sites& sites, const Tiling& tiling, const Predictions& predictions,
                            nlohmann::ordered_json& figures) {
  figures["transmitters"] = sites.transmitters.size();
  figures["receivers"] = sites.receivers.size();
  auto rows = nlohmann::ordered_json::array();
  for (const TransmitterPrediction& prediction : predictions.of_transmitters) {
    const auto transmitter = std::find_if(sites.transmitters.begin(), sites.transmitters.end(), [&](const auto& site) {
      return site.transmitter_id == prediction.transmitter_id;
    });
    std::size_t ground = 0;
    std::vector<double> losses;
    for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
      if (tiling.tiles[t].kind != SurfaceKind::ground) continue;
      ++ground;
      if (prediction.tiles[t].reached()) losses.push_back(static_cast<double>(prediction.tiles[t].path_loss_db));
    }
    nlohmann::ordered_json row{{"transmitter", transmitter->name}};
    row["frequency_mhz"] = transmitter->frequency_hz / 1e6;
    row["ground_tiles_reached"] = losses.size();
    row["reached_percent"] =
        ground == 0 ? 0.0 : 100.0 * static_cast<double>(losses.size()) / static_cast<double>(ground);
    const double median = percentile(losses, 0.5);
    row["median_path_loss_db"] = std::isnan(median) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(median);
    row["pruning"] = in_words(prediction.pruning);
    rows.push_back(std::move(row));
  }
  figures["coverage"] = std::move(rows);
}

}  // namespace tesseray
