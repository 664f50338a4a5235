// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/ray_parameters.h"

#include "core/io/sources/text_values.h"
#include "processing_algorithms/stages/clutter_stage.h"
#include "processing_algorithms/stages/surface_stage.h"

namespace tesseray {
namespace {

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
enum class EdgeVisibility { midpoint, parents };
constexpr Choice<EdgeVisibility> edge_visibilities[] = {{"midpoint", EdgeVisibility::midpoint},
                                                        {"parents", EdgeVisibility::parents}};

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

// Which rays there are.
std::vector<Parameter> interaction_parameters() {
  using Kind = ParameterKind;
  const RayLaunchingOptions defaults;
  return {
      limit("MAX_BOUNCES", "Bounces", "greatest number of interactions of a ray", defaults.max_bounces, 8),
      limit("MAX_REFLECTIONS", "Reflections", "greatest number of reflections of a ray", defaults.max_reflections, 8),
      limit("MAX_DIFFRACTIONS", "Diffractions", "greatest number of diffractions of a ray", defaults.max_diffractions,
            8),
      limit("MAX_SCATTERINGS", "Scatterings",
            "greatest number of diffuse scatterings of a ray; with 0, reflections keep the power that is scattered "
            "otherwise",
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
       .help = "rays that are weaker at a tile or edge go no further; a limit to the path gain, rounded down to 20 dB, "
               "so that transmitters of nearly the same power launch the same rays",
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

// What reaches places out of sight.
std::vector<Parameter> out_of_sight_parameters() {
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
       .help =
           "rays through the building nearest to the transmitter, or the one that it stands on, with those that touch "
           "it, to what they alone hide",
       .kind = Kind::enumeration,
       .default_value = "none",
       .choices = words(transmissions)},
      {.name = "WALL_LOSS",
       .label = "Loss of a wall",
       .help =
           "loss of each outer wall that a ray passes; if not given, by material and frequency after 3GPP TR 38.901",
       .kind = Kind::number,
       .unit = "dB",
       .minimum = 0,
       .maximum = 300,
       .optional = true,
       .advanced = true},
      {.name = "INDOOR_LOSS",
       .label = "Loss per metre indoors",
       .help = "loss of a ray per metre inside the building",
       .kind = Kind::number,
       .default_value = shortest(defaults.transmission.indoor_db_per_m),
       .unit = "dB/m",
       .minimum = 0,
       .maximum = 100,
       .advanced = true},
  };
}

std::vector<Parameter> vegetation_loss_parameters() {
  using Kind = ParameterKind;
  const RayLaunchingOptions defaults;
  return {
      {.name = "VEGETATION_LOSS",
       .label = "Loss in vegetation",
       .help =
           "loss of each metre of a ray inside the environment's vegetation: VEGETATION_DB_PER_M, by frequency after "
           "ITU-R P.833 (dense woodland, 106 to 2,118 MHz; saturating), or none",
       .kind = Kind::enumeration,
       .default_value = "per_metre",
       .choices = words(vegetation_models)},
      {.name = "VEGETATION_DB_PER_M",
       .label = "Loss per metre of vegetation",
       .help = "loss with VEGETATION_LOSS per_metre; 0.04 stands for sparse street trees at 850 to 1,900 MHz",
       .kind = Kind::number,
       .default_value = shortest(defaults.vegetation_db_per_m),
       .unit = "dB/m",
       .minimum = 0,
       .maximum = 10,
       .advanced = true},
  };
}

Parameter summation_parameter() {
  return {.name = "SUMMATION",
          .label = "Summation",
          .help =
              "how rays are added: as powers, but each coherently with its own ground reflection (local_mean); all "
              "but diffusely scattered ones coherently (coherent); all as powers (power)",
          .kind = ParameterKind::enumeration,
          .default_value = "local_mean",
          .choices = words(summations)};
}

// What happens to them on the way, and how they are summed.
std::vector<Parameter> effect_parameters() {
  return concatenated({out_of_sight_parameters(), vegetation_loss_parameters(), {summation_parameter()}});
}

}  // namespace

std::vector<Parameter> receiver_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "RECEIVER_HEIGHT",
       .label = "Receiver height",
       .help = "height above the ground, at ground tiles and at receiver points without a height",
       .kind = Kind::distance,
       .default_value = "1.5",
       .unit = "m",
       .minimum = 0.05,
       .maximum = 1000},
      {.name = "RECEIVER_POLARIZATION",
       .label = "Receiver polarization",
       .help = "polarization of the receiving antenna",
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

std::vector<Parameter> propagation_parameters() {
  return concatenated(
      {interaction_parameters(), surface_parameters(), effect_parameters(), {clutter_loss_parameter()}});
}

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

RayRows::RayRows(const ParameterValues& values, const Visibility& visibility, const Tiling& tiling) : own_(visibility) {
  if (values.choice("EDGE_VISIBILITY", edge_visibilities) == EdgeVisibility::parents) {
    parents_ = with_parents_edge_rows(visibility, tiling);
  }
}

}  // namespace tesseray
