// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <map>
#include <string>

#include "core/base/blank_text.h"
#include "core/base/listed.h"
#include "core/io/readers/antenna_choice.h"
#include "core/io/readers/readers.h"
#include "core/io/readers/transmitter_reader.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/point_source.h"
#include "core/scene/frequency_range.h"

namespace tesseray {
namespace {

void require_unique_names(const std::vector<RawTransmitter>& transmitters) {
  std::map<std::string, const RawTransmitter*> first;
  for (const RawTransmitter& transmitter : transmitters) {
    const auto [found, is_new] = first.emplace(transmitter.name, &transmitter);
    if (is_new) continue;
    const ErrorPlace& other = found->second->source;
    throw Error(ErrorKind::invalid_input, "duplicate_name",
                "two transmitters are called \"" + transmitter.name + "\", this one and that of " +
                    (other.line ? "line " + std::to_string(*other.line)
                                : "feature " + std::to_string(found->second->feature_id)),
                "give each a name of its own, or choose another NAME_FIELD", transmitter.source);
  }
}

// Those without a name are called by their features' numbers. A word for nothing is a name where one alone has it.
void give_names(std::vector<RawTransmitter>& transmitters, const ErrorPlace& place, Progress& progress) {
  std::map<std::string, std::size_t> blanks;
  for (const RawTransmitter& transmitter : transmitters) {
    if (is_blank(transmitter.name)) ++blanks[transmitter.name];
  }
  for (RawTransmitter& transmitter : transmitters) {
    const auto blank = blanks.find(transmitter.name);
    if (blank == blanks.end() || (!blank->first.empty() && blank->second == 1)) continue;
    transmitter.name = "transmitter " + std::to_string(transmitter.feature_id);
  }
  for (const auto& [word, count] : blanks) {
    if (word.empty() || count == 1) continue;
    progress.warn({"no_names", "of " + place.file + " " + std::to_string(count) + " transmitters are named \"" + word +
                                   "\", which is taken for no name: they are called by the numbers of their features"});
  }
}

void warn_of_overlooked(const TransmitterReader& reader, const ErrorPlace& place, Progress& progress) {
  const std::vector<std::string> fields = reader.overlooked_fields();
  if (fields.empty()) return;
  progress.warn({"fields_not_read",
                 "of " + place.file + " nothing is read from " + listed(fields) +
                     ", which may tell of azimuths, tilts, antennas, polarisations, heights and what they count from, "
                     "frequencies or powers: name fields with AZIMUTH_FIELD, DOWNTILT_FIELD, ELECTRICAL_TILT_FIELD, "
                     "ANTENNA_FIELD, POLARIZATION_FIELD, ANTENNA_HEIGHT_FIELD, FREQUENCY_FIELD or ERP_FIELD"});
}

std::string in_words(HeightReference reference) {
  switch (reference) {
    case HeightReference::ground:
      return "ground";
    case HeightReference::roof:
      return "roof";
    case HeightReference::sea:
      break;
  }
  return "sea";
}

void warn_of_reference(const TransmitterReader& reader, const TransmitterInput& input, const ErrorPlace& place,
                       Progress& progress) {
  const std::optional<HeightReference> said = reader.overlooked_reference();
  if (!said) return;
  progress.warn({"other_height_reference", "of " + place.file + " the heights in " + reader.height()->name() +
                                               " are taken as above the " + in_words(input.height_reference) +
                                               "; if they are above the " + in_words(*said) +
                                               ", as its name says, give ANTENNA_HEIGHT_REFERENCE " + in_words(*said)});
}

void warn_of_gains(const TransmitterReader& reader, const ErrorPlace& place, Progress& progress) {
  const std::vector<std::string> fields = reader.overlooked_gains();
  if (fields.empty()) return;
  const std::string& power = reader.erp()->name();
  progress.warn(
      {"gains_not_read", "of " + place.file + " nothing is read from " + listed(fields) + ", and " + power +
                             " is taken as the ERP, gain and losses included. If it is the power of the "
                             "transmitter itself, make a field erp of it: power − losses + gain in dBi − 2.15 "
                             "dB; if it is the ERP, name it with ERP_FIELD"});
}

// Some sectors look up a hill; where most do, the table counts elevations.
void warn_of_tilts_upwards(const std::vector<RawTransmitter>& transmitters, const ErrorPlace& place,
                           Progress& progress) {
  std::size_t up = 0, down = 0;
  for (const RawTransmitter& transmitter : transmitters) {
    const double tilt_deg = transmitter.downtilt_deg + transmitter.antenna_details.electrical_tilt_deg.value_or(0);
    up += tilt_deg < 0 ? 1 : 0;
    down += tilt_deg > 0 ? 1 : 0;
  }
  if (up <= down) return;
  progress.warn({"tilts_upwards", "of " + place.file + " " + std::to_string(up) + " of " + std::to_string(up + down) +
                                      " antennas with a tilt " + (up == 1 ? "looks" : "look") +
                                      " up: downtilts are positive below the horizon. If the "
                                      "table counts them as negative there, change their signs"});
}

// Whether the transmitter is turned, and sends no other power anywhere for that.
bool is_turned_in_vain(const RawTransmitter& transmitter) {
  const bool is_tilted = transmitter.downtilt_deg != 0, is_turned = std::fmod(transmitter.azimuth_deg, 360.0) != 0;
  switch (transmitter.antenna) {
    case AntennaKind::isotropic:
      return is_tilted || is_turned;
    case AntennaKind::half_wave_dipole:
    case AntennaKind::short_dipole:
      return is_turned && !is_tilted;  // round only as long as they stand upright
    case AntennaKind::sector_3gpp:
    case AntennaKind::beam:
    case AntennaKind::pattern_file:
      break;
  }
  return false;
}

// Of those whose antenna is ANTENNA, which is round unless it is given: three sectors of a mast would be one cell.
void warn_of_directions_without_effect(std::size_t in_vain, std::size_t count, const TransmitterInput& input,
                                       const ErrorPlace& place, Progress& progress) {
  if (in_vain == 0) return;
  const std::string antenna = input.antenna_name.empty() ? to_string(input.antenna) : input.antenna_name;
  progress.warn({"directions_without_effect",
                 "of " + place.file + " " + std::to_string(in_vain) + " of " + std::to_string(count) +
                     (count == 1 ? " transmitter" : " transmitters") + (in_vain == 1 ? " has" : " have") +
                     " an azimuth or a downtilt and no antenna of its own: ANTENNA " + antenna +
                     " is taken, which sends the same all around, so that sectors of one mast are alike. Give ANTENNA "
                     "sector_3gpp, beam_80 or a pattern file, or a field antenna"});
}

void find_convergences(std::vector<RawTransmitter>& transmitters, const Crs& environment) {
  if (environment.empty()) return;
  const GridGeometry grid(environment);
  for (RawTransmitter& transmitter : transmitters) {
    const std::optional<GridDistortion> distortion = grid.at(transmitter.position);
    if (distortion) transmitter.meridian_convergence_deg = distortion->convergence_deg;
  }
}

void check_defaults(const TransmitterInput& input) {
  const auto refuse = [](const char* parameter, const char* range) {
    return Error(ErrorKind::invalid_input, "bad_parameter", std::string(parameter) + " is not " + range,
                 "correct the parameter");
  };
  const auto mhz = input.frequency_mhz, height = input.antenna_height_m, erp = input.erp_dbm;
  if (mhz && !(*mhz >= lowest_frequency_mhz && *mhz <= highest_frequency_mhz)) {
    throw refuse("FREQUENCY", "a frequency from 10 to 300,000 MHz");
  }
  if (height && !(*height >= lowest_antenna_height_m && *height <= highest_antenna_height_m)) {
    throw refuse("ANTENNA_HEIGHT", "a height from −500 to 10,000 m");
  }
  if (erp && !(*erp >= lowest_power_dbm && *erp <= highest_power_dbm))
    throw refuse("ERP", "a power from −100 to 120 dBm");
}

}  // namespace

std::vector<RawTransmitter> read_transmitters(const TransmitterInput& input, const LocalFrame& frame,
                                              Progress& progress) {
  check_defaults(input);
  PointSource points(input.source, input.crs, frame, "TRANSMITTERS");
  AntennaChoice antennas(input, progress);
  const TransmitterReader reader(points, input, antennas);
  warn_of_overlooked(reader, points.place(), progress);
  warn_of_reference(reader, input, points.place(), progress);
  warn_of_gains(reader, points.place(), progress);
  std::vector<RawTransmitter> transmitters;
  std::vector<Vec2> positions;
  std::size_t turned_in_vain = 0;
  points.for_each(progress, [&](const PointRow& row) {
    transmitters.push_back(reader.read(row));
    turned_in_vain += !reader.names_antenna(row.feature) && is_turned_in_vain(transmitters.back()) ? 1 : 0;
    positions.push_back(row.position);
  });
  give_names(transmitters, points.place(), progress);
  require_unique_names(transmitters);
  warn_of_tilts_upwards(transmitters, points.place(), progress);
  warn_of_directions_without_effect(turned_in_vain, transmitters.size(), input, points.place(), progress);
  points.to_environment(positions, progress);
  for (std::size_t i = 0; i < transmitters.size(); ++i) {
    if (!std::isfinite(positions[i].x)) {
      throw Error(
          ErrorKind::invalid_input, "no_transformation",
          "the place of \"" + transmitters[i].name + "\" cannot be transformed to " + points.environment().name(),
          "check the coordinates and their CRS", transmitters[i].source);
    }
    transmitters[i].position = positions[i];
  }
  find_convergences(transmitters, points.environment());
  return transmitters;
}

}  // namespace tesseray
