// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/base/staged_file.h"
#include "core/io/antennas/antenna_file.h"
#include "core/scene/frequency_range.h"
#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

// A gain that differs from the directivity by more than this has losses that no antenna has, or another unit.
constexpr double most_losses_db = 1.0;

void warn_of(const AntennaFile& antenna, double directivity, Progress& progress) {
  for (const Warning& assumption : antenna.assumptions) progress.warn(assumption);
  if (!antenna.gain_dbi || std::fabs(*antenna.gain_dbi - directivity) <= most_losses_db) return;
  char text[160];
  std::snprintf(text, sizeof text, "the gain of %.2f dBi is not that of the pattern, whose directivity is %.2f dBi",
                *antenna.gain_dbi, directivity);
  progress.warn({"gain_contradiction", text});
}

void add_figures(const AntennaFile& antenna, double directivity, Json& figures) {
  figures["name"] = antenna.name;
  figures["make"] = antenna.make;
  figures["format"] = to_string(antenna.format);
  figures["frequency_mhz"] = or_null(antenna.frequency_mhz);
  figures["polarization"] = antenna.polarization;
  figures["gain_dbi"] = or_null(antenna.gain_dbi);
  figures["directivity_dbi"] = directivity;
  figures["horizontal_beamwidth_deg"] = or_null(half_power_beamwidth_deg(antenna.horizontal));
  figures["vertical_beamwidth_deg"] = or_null(half_power_beamwidth_deg(antenna.vertical));
  figures["front_to_back_db"] = front_to_back_db(antenna.horizontal);
  figures["downtilt_deg"] = peak_angle_deg(antenna.vertical, -90, 90);
  figures["electrical_tilt_deg"] = antenna.electrical_tilt_deg;
  figures["horizontal_points"] = antenna.horizontal.size();
  figures["vertical_points"] = antenna.vertical.size();
  figures["assumptions"] = Json::array();
  for (const Warning& assumption : antenna.assumptions) figures["assumptions"].push_back(assumption.message);
}

// All of the file but its name.
std::unique_ptr<StagedFile> staged_msi(const AntennaFile& antenna, const FileTarget& target) {
  const std::string text = to_msi(antenna);
  auto staged = std::make_unique<StagedFile>(target);
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  staged->write(0, bytes);
  staged->flush();
  return staged;
}

Outcome import_antenna(Run& run) {
  const ParameterValues& values = run.values();
  run.progress().begin_stage("reading");
  AntennaFile antenna = read_antenna_file(values.text("ANTENNA_FILE"), values.optional_number("FREQUENCY"));
  if (values.flag("NORMALISE")) antenna = normalised(std::move(antenna));
  const double directivity = directivity_dbi(AntennaPattern{antenna.horizontal, antenna.vertical}.view());
  warn_of(antenna, directivity, run.progress());

  Outcome outcome;
  std::vector<std::string> written;
  // Whatever can go wrong with it does before the pattern is written: both are, or none.
  std::unique_ptr<StagedFile> msi;
  if (const auto file = run.destinations().file("MSI")) msi = staged_msi(antenna, run.target(*file));
  if (const auto destination = run.destinations().layer("PATTERN")) {
    const LocalFrame no_place;
    ResultWriter writer(no_place, run.settings().overwrite);
    writer.add_antenna_pattern(*destination, antenna);
    written.emplace_back("PATTERN");
    if (msi) msi->require_untaken();
    outcome.result_hash = writer.commit(run.record(no_place, {}), run.progress());
  }
  if (msi) {
    msi->publish();
    written.emplace_back("MSI");
  }
  outcome.outputs = run.destinations().spelled(written);
  add_figures(antenna, directivity, outcome.figures);
  return outcome;
}

std::vector<Parameter> antenna_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "ANTENNA_FILE",
       .label = "Antenna file",
       .help = "an antenna pattern in MSI/Planet, NSMA WG16.99.050 or ADF format",
       .kind = Kind::file},
      {.name = "FREQUENCY",
       .label = "Frequency",
       .help = "of patterns at several frequencies in a file the one nearest to this is taken; the first if not given",
       .kind = Kind::number,
       .unit = "MHz",
       .minimum = lowest_frequency_mhz,
       .maximum = highest_frequency_mhz,
       .optional = true},
      {.name = "NORMALISE",
       .label = "Normalise",
       .help = "take the strongest direction of both cuts as the maximum; the gain falls by as much",
       .kind = Kind::boolean,
       .default_value = "false",
       .advanced = true},
      {.name = "PATTERN",
       .label = "Pattern",
       .help = "both cuts as a table: angle, attenuation and gain",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "antenna_pattern",
       .geometry = "None",
       .figures_suffice = true},
      {.name = "MSI",
       .label = "MSI file",
       .help = "the antenna as an MSI file in plain form, for the antenna field of transmitters",
       .kind = Kind::file_destination,
       .optional = true,
       .extension = "msi",
       .skipped_by_default = true},
  };
}

}  // namespace

Tool importantenna() {
  return {.id = "importantenna",
          .title = "Import antenna",
          .group = "Data",
          .help =
              "Reads an antenna file as manufacturers give it, checks it, and tells its gain, beamwidths, tilt, and "
              "what had to be assumed; without an output that is all.",
          .parameters = concatenated({antenna_parameters(), {output_parameter()}}),
          .roles = {"antenna_page"},
          .run = import_antenna};
}

}  // namespace tesseray
