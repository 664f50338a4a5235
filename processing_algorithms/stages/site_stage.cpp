// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/site_stage.h"

#include <algorithm>
#include <vector>

#include "core/base/listed.h"
#include "core/base/units.h"
#include "core/io/readers/readers.h"
#include "core/scene/elevation_range.h"
#include "core/scene/frequency_range.h"
#include "processing_algorithms/stages/ray_parameters.h"

namespace tesseray {
namespace {

constexpr Choice<HeightReference> height_references[] = {
    {"ground", HeightReference::ground}, {"roof", HeightReference::roof}, {"sea", HeightReference::sea}};
constexpr Choice<CutSynthesis> cut_syntheses[] = {
    {"hpi", CutSynthesis::hpi}, {"sum", CutSynthesis::sum}, {"cross_weighted", CutSynthesis::cross_weighted}};
constexpr Choice<MisplacedReceivers> misplaced_receivers[] = {{"fail", MisplacedReceivers::fail},
                                                              {"drop", MisplacedReceivers::drop}};

// `what` in words for the label, `values` for the help, which says by which usual names the field is found.
Parameter field_of_transmitters(const std::string& name, const std::string& what, const std::string& values,
                                const std::string& usual) {
  return {.name = name,
          .label = what + " field",
          .help = "the field with the transmitters' " + values + "; found by its usual names (" + usual +
                  ", …) if not given",
          .kind = ParameterKind::field,
          .optional = true,
          .advanced = true,
          .parent = "TRANSMITTERS"};
}

// Sites are given as receivers, too, to see how they reach each other. Within a wavelength there is no wave yet that a
// path loss could tell of.
void warn_of_receivers_at_transmitters(const Sites& sites, Progress& progress) {
  std::vector<const Transmitter*> by_x;
  double reach_m = 0;
  for (const Transmitter& transmitter : sites.transmitters) {
    by_x.push_back(&transmitter);
    reach_m = std::max(reach_m, wavelength_m(transmitter.frequency_hz));
  }
  const auto x_of = [](const Transmitter* transmitter) { return transmitter->position.x; };
  std::ranges::sort(by_x, {}, x_of);
  std::size_t count = 0;
  std::string first;
  for (const Receiver& receiver : sites.receivers) {
    const double x = receiver.position.x;
    const auto begin = std::ranges::lower_bound(by_x, x - reach_m, {}, x_of),
               end = std::ranges::upper_bound(by_x, x + reach_m, {}, x_of);
    const auto near = std::find_if(begin, end, [&](const Transmitter* transmitter) {
      return norm(transmitter->position - receiver.position) < wavelength_m(transmitter->frequency_hz);
    });
    if (near == end) continue;
    if (count++ == 0) first = "receiver " + std::to_string(receiver.receiver_id) + " from " + (*near)->name;
  }
  if (count == 0) return;
  progress.warn({"receiver_at_transmitter", std::to_string(count) + (count == 1 ? " receiver is" : " receivers are") +
                                                " less than a wavelength from a transmitter (" + first +
                                                "), where their rows mean nothing"});
}

// Looking at each other: a slant seen from its other end leans the other way, so that two of a name are crossed.
bool are_crossed(Polarization transmitter, Polarization receiver) {
  switch (transmitter) {
    case Polarization::vertical:
      return receiver == Polarization::horizontal;
    case Polarization::horizontal:
      return receiver == Polarization::vertical;
    case Polarization::slant_plus_45:
    case Polarization::slant_minus_45:
      return receiver == transmitter;
  }
  return false;
}

// Nothing comes straight from them, and only what roofs, edges and scattering turn comes at all: most rows are empty.
void warn_of_crossed_polarizations(const std::vector<Transmitter>& transmitters, Polarization receiver,
                                   Progress& progress) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> crossed;
  for (const Transmitter& transmitter : transmitters) {
    if (!are_crossed(transmitter.polarization, receiver)) continue;
    crossed.push_back(transmitter.name + " (" + to_string(transmitter.polarization) + ")");
  }
  if (crossed.empty()) return;
  progress.warn({"crossed_polarization",
                 std::to_string(crossed.size()) + " of " + std::to_string(transmitters.size()) +
                     (transmitters.size() == 1 ? " transmitter " : " transmitters ") +
                     (crossed.size() == 1 ? "is" : "are") + " polarised at right angles to the receiver, which is " +
                     to_string(receiver) + " and gets nothing straight from there: " + listed(crossed, most_named) +
                     ". RECEIVER_POLARIZATION says how the receiver is"});
}

// What transmitters have that say nothing themselves.
std::vector<Parameter> default_transmitter_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "FREQUENCY",
       .label = "Frequency",
       .help = "frequency of transmitters that have none",
       .kind = Kind::number,
       .unit = "MHz",
       .minimum = lowest_frequency_mhz,
       .maximum = highest_frequency_mhz,
       .optional = true},
      {.name = "ANTENNA_HEIGHT",
       .label = "Antenna height",
       .help = "antenna height of transmitters that have none, above ANTENNA_HEIGHT_REFERENCE",
       .kind = Kind::distance,
       .unit = "m",
       .minimum = lowest_ground_m,
       .maximum = highest_elevation_m,
       .optional = true},
      {.name = "ERP",
       .label = "ERP",
       .help = "effective radiated power, relative to a half-wave dipole, of transmitters that have none",
       .kind = Kind::number,
       .unit = "dBm",
       .minimum = -100,
       .maximum = 120,
       .optional = true},
  };
}

std::vector<Parameter> default_antenna_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "ANTENNA",
       .label = "Antenna",
       .help = "antenna of transmitters that have none: isotropic, half_wave_dipole, short_dipole, sector_3gpp, a "
               "beam by its half-power width (beam_80), or a pattern file (MSI/Planet, NSMA, ADF)",
       .kind = Kind::string,
       .default_value = "isotropic"},
      {.name = "ANTENNA_FOLDER",
       .label = "Folders of antenna files",
       .help = "where pattern files named by ANTENNA or the antenna field lie, with semicolons between several "
               "folders; the transmitters file's folder is looked into as well",
       .kind = Kind::string,
       .optional = true,
       .advanced = true,
       .folder_of = "TRANSMITTERS"},
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
  };
}

}  // namespace

std::vector<Parameter> transmitter_parameters(const std::string& site) {
  using Kind = ParameterKind;
  return concatenated({
      {{.name = "TRANSMITTERS",
        .label = "Transmitters",
        .help = "points of any OGR source, or a CSV file with coordinates",
        .kind = Kind::vector_point,
        .within = site,
        .crs_from = {"TRANSMITTERS_CRS"},
        .kept_as = "transmitters"}},
      {field_of_transmitters("NAME_FIELD", "Name", "names", "name, site, cell"),
       field_of_transmitters("FREQUENCY_FIELD", "Frequency", "frequencies", "frequency, freq_mhz"),
       field_of_transmitters("ANTENNA_HEIGHT_FIELD", "Antenna height", "antenna heights", "height, antenna_height"),
       field_of_transmitters("ERP_FIELD", "ERP", "ERP", "erp, eirp, power"),
       field_of_transmitters("AZIMUTH_FIELD", "Azimuth", "azimuths", "azimuth, bearing"),
       field_of_transmitters("DOWNTILT_FIELD", "Downtilt", "downtilts", "downtilt, tilt"),
       field_of_transmitters("ELECTRICAL_TILT_FIELD", "Electrical tilt", "electrical tilts", "electrical_tilt, etilt"),
       field_of_transmitters("ANTENNA_FIELD", "Antenna", "antennas", "antenna, pattern"),
       field_of_transmitters("POLARIZATION_FIELD", "Polarization", "polarizations", "polarization, pol")},
      default_transmitter_parameters(),
      default_antenna_parameters(),
      {{.name = "ANTENNA_HEIGHT_REFERENCE",
        .label = "Antenna heights count from",
        .help = "the ground, the roof below, or the sea level of the DEM",
        .kind = Kind::enumeration,
        .default_value = "ground",
        .choices = words(height_references)},
       {.name = "TRANSMITTERS_CRS",
        .label = "CRS of the transmitters",
        .help = "CRS of a CSV file, or in place of the layer's; lat/lon columns of a CSV are EPSG:4326",
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
       .help = "the field with the heights of receiver points above the ground; found by its usual names "
               "(receiver_height, height, agl, …) if not given, or else RECEIVER_HEIGHT",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "RECEIVERS",
       .content = "length"},
      {.name = "MISPLACED_RECEIVERS",
       .label = "Receivers inside buildings",
       .help =
           "what to do with receiver points inside buildings, below the ground or outside of the area, and with those "
           "without a place or over 2,000 m high: fail, or drop them with a warning, as for a drive test whose "
           "positions are inexact",
       .kind = Kind::enumeration,
       .default_value = "fail",
       .choices = words(misplaced_receivers),
       .advanced = true},
      {.name = "RECEIVERS_CRS",
       .label = "CRS of the receiver points",
       .help = "CRS of a CSV file, or in place of the layer's",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
  };
}

std::vector<Parameter> site_parameters(const std::string& site) {
  return concatenated({transmitter_parameters(site), receiver_point_parameters(site), receiver_parameters()});
}

std::vector<Transmitter> read_transmitters(Run& run, const Scene& scene) {
  run.progress().begin_stage("reading");
  const ParameterValues& values = run.values();
  TransmitterInput input;
  input.source = values.text("TRANSMITTERS");
  input.is_copy = run.is_copy(input.source);
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
  return place_transmitters(transmitters, scene, run.progress());
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
  RayLaunchingOptions receiving;
  read_link_options(values, receiving);
  warn_of_crossed_polarizations(sites.transmitters, receiving.receiver_polarization, run.progress());
  if (values.has("RECEIVERS")) {
    const ReceiverInput receivers{.source = values.text("RECEIVERS"),
                                  .crs = values.text("RECEIVERS_CRS"),
                                  .height_field = values.text("RECEIVER_HEIGHT_FIELD"),
                                  .height_m = values.number("RECEIVER_HEIGHT"),
                                  .misplaced = values.choice("MISPLACED_RECEIVERS", misplaced_receivers)};
    sites.receivers = place_receivers(read_receivers(receivers, scene.frame, run.progress()), receivers.misplaced,
                                      scene, run.progress());
    warn_of_receivers_at_transmitters(sites, run.progress());
  }
  return sites;
}

}  // namespace tesseray
