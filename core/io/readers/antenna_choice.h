// SPDX-License-Identifier: GPL-3.0-or-later
// The antenna that a word or a file name in a transmitters table means.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/progress.h"
#include "core/io/antennas/antenna_file.h"
#include "core/io/readers/readers.h"

namespace tesseray {

struct AntennaWish {
  std::string name;           // "sector_3gpp", "beam_80", "panel.msi"
  bool is_parameter = false;  // given for all transmitters: a file name may then also count from the current folder
  double frequency_mhz = 0;
  std::optional<double> electrical_tilt_deg = std::nullopt;  // empty: as the file has it
  bool polarization_is_given = false;                        // so that the file's does not matter
};

struct ChosenAntenna {
  AntennaKind kind = AntennaKind::isotropic;
  AntennaDetails details;
  std::optional<Polarization> polarization = std::nullopt;  // of a pattern file that names one
};

// Reads each pattern file once and warns once of what its patterns leave open.
class AntennaChoice {
 public:
  // `progress` takes the warnings; it must outlive this.
  AntennaChoice(const TransmitterInput& input, Progress& progress);

  // Empty when the name is neither a built-in antenna nor a file that is there. Throws Error for a file that cannot be
  // used.
  std::optional<ChosenAntenna> find(const AntennaWish& wish);
  // The folders that files are looked for in, in words.
  std::string places(bool is_parameter) const;

 private:
  std::optional<std::filesystem::path> find_file(const AntennaWish& wish) const;
  std::vector<std::filesystem::path> folders(bool is_parameter) const;
  const AntennaFile& read(const std::filesystem::path& file, double frequency_mhz);
  ChosenAntenna from_file(const std::filesystem::path& file, const AntennaWish& wish);
  void warn_once(const std::string& code, const std::string& message);

  std::vector<std::filesystem::path> folders_;
  CutSynthesis synthesis_;
  Progress& progress_;
  std::map<std::pair<std::string, double>, AntennaFile> files_;  // by file and wanted frequency
  std::map<std::tuple<std::string, double, double>, std::shared_ptr<const AntennaPattern>> patterns_;
  std::set<std::string> warned_;
};

}  // namespace tesseray
