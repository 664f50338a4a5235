// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/antenna_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/folder_entries.h"
#include "core/base/listed.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/source_name.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

// Added to names without one of their own.
constexpr std::array<std::string_view, 10> extensions = {"",     ".msi", ".MSI",  ".pln",  ".PLN",
                                                         ".adf", ".ADF", ".nsma", ".NSMA", ".txt"};

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

// The file beside which `wanted` would be, whose name is the same but for the case of its letters and an extension; of
// several the first in the alphabet. Tables that were made on Windows need not know the case.
std::optional<fs::path> in_any_case(const fs::path& wanted) {
  const std::string name = in_small_letters(wanted.filename().string());
  std::optional<fs::path> first;
  for (const fs::path& path : entries_of(wanted.parent_path())) {
    const std::string found = in_small_letters(path.filename().string());
    const bool is_meant = std::any_of(extensions.begin(), extensions.end(), [&](std::string_view extension) {
      return found == name + std::string(extension);
    });
    if (is_meant && is_file(path) && (!first || path < *first)) first = path;
  }
  return first;
}

std::string in_words(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

// "panels;omni" are two folders, unless one is called so.
std::vector<fs::path> folders_in(const std::string& text) {
  std::error_code failed;
  if (fs::is_directory(text, failed)) return {text};
  std::vector<fs::path> folders;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view folder = trimmed(std::string_view(text).substr(begin, end - begin));
    if (!folder.empty()) folders.emplace_back(folder);
    begin = end + 1;
  }
  return folders;
}

// What matters only to who looks at the file, not to a prediction.
bool concerns_gain(const std::string& code) { return code == "no_gain" || code == "gain_unit" || code == "gain"; }

// "H", "+45", or "V/V", as NSMA has what is sent and what it was measured with. Empty where it is no single one: "X",
// "±45", "V/H".
std::optional<Polarization> single_polarization(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::optional<Polarization> sent = single_polarization(text.substr(0, slash));
    return sent == single_polarization(text.substr(slash + 1)) ? sent : std::nullopt;
  }
  const std::optional<Polarization> named = parse_polarization(text);
  if (named == Polarization::vertical || named == Polarization::horizontal) return named;
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  return has("45") && !has("±") && !has("+-") ? named : std::nullopt;
}

}  // namespace

AntennaChoice::AntennaChoice(const TransmitterInput& input, Progress& progress)
    : folders_(folders_in(input.antenna_folder)), synthesis_(input.synthesis), progress_(progress) {
  const std::string dataset = parse_source_name(input.source).dataset;
  if (!input.is_copy && is_local_path(dataset)) {
    const fs::path folder = fs::path(dataset).parent_path();
    folders_.push_back(folder.empty() ? fs::path(".") : folder);
  }
}

std::vector<fs::path> AntennaChoice::folders(bool is_parameter) const {
  std::vector<fs::path> all = folders_;
  if (is_parameter) all.insert(all.begin(), fs::path("."));
  return all;
}

std::string AntennaChoice::places(bool is_parameter) const {
  std::vector<std::string> names;
  for (const fs::path& folder : folders(is_parameter)) {
    const std::string name = folder == "." ? "the current folder" : folder.string();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "any folder (ANTENNA_FOLDER is not given)" : listed(names);
}

std::optional<fs::path> AntennaChoice::find_file(const AntennaWish& wish) const {
  std::string spelled(trimmed(wish.name));
  std::replace(spelled.begin(), spelled.end(), '\\', '/');
  const fs::path name(spelled);
  const std::vector<fs::path> all = name.is_absolute() ? std::vector<fs::path>{fs::path()} : folders(wish.is_parameter);
  for (const fs::path& folder : all) {
    for (const std::string_view extension : extensions) {
      const fs::path file = (folder / name).concat(extension);
      if (is_file(file)) return file.lexically_normal();
    }
  }
  for (const fs::path& folder : all) {
    if (const std::optional<fs::path> file = in_any_case(folder / name)) return file->lexically_normal();
  }
  return std::nullopt;
}

void AntennaChoice::warn_once(const std::string& code, const std::string& message) {
  if (warned_.insert(message).second) progress_.warn({code, message});
}

const AntennaFile& AntennaChoice::read(const fs::path& file, double frequency_mhz) {
  const auto [found, is_new] = files_.try_emplace({file.string(), frequency_mhz});
  if (!is_new) return found->second;
  AntennaFile& antenna = found->second = read_antenna_file(file, frequency_mhz);
  if (antenna.gain_dbi) {
    warn_once("antenna_gain_not_used",
              "the gains in antenna files are not used: ERP counts from the antenna's maximum, its gain included");
  }
  const std::string name = file.filename().string();
  for (const Warning& assumption : antenna.assumptions) {
    if (!concerns_gain(assumption.code)) warn_once("antenna_" + assumption.code, name + ": " + assumption.message);
  }
  constexpr double far_off = 0.15;
  if (antenna.frequency_mhz && std::fabs(frequency_mhz / *antenna.frequency_mhz - 1.0) > far_off) {
    warn_once("antenna_frequency", name + ": the pattern is for " + in_words(*antenna.frequency_mhz) +
                                       " MHz and is used at " + in_words(frequency_mhz) + " MHz");
  }
  return antenna;
}

ChosenAntenna AntennaChoice::from_file(const fs::path& file, const AntennaWish& wish) {
  const AntennaFile& antenna = read(file, wish.frequency_mhz);
  const std::optional<Polarization> polarization = single_polarization(antenna.polarization);
  if (!polarization && !is_blank(antenna.polarization) && !wish.polarization_is_given) {
    warn_once("antenna_polarization",
              file.filename().string() + ": the polarisation \"" + antenna.polarization +
                  "\" is no single one that is known: vertical is taken, unless POLARIZATION_FIELD says another");
  }
  const double shift = wish.electrical_tilt_deg ? *wish.electrical_tilt_deg - antenna.electrical_tilt_deg : 0.0;
  std::shared_ptr<const AntennaPattern>& pattern = patterns_[{file.string(), wish.frequency_mhz, shift}];
  if (!pattern) {
    pattern =
        std::make_shared<const AntennaPattern>(AntennaPattern{antenna.horizontal, antenna.vertical, synthesis_, shift});
  }
  return {AntennaKind::pattern_file,
          {.pattern = pattern,
           .name = wish.name,
           .file = file.string(),
           .electrical_tilt_deg = wish.electrical_tilt_deg.value_or(antenna.electrical_tilt_deg)},
          polarization};
}

std::optional<ChosenAntenna> AntennaChoice::find(const AntennaWish& wish) {
  const std::optional<AntennaKind> built_in = parse_antenna(wish.name);
  const std::optional<double> beamwidth_deg = parse_beamwidth_deg(wish.name);
  if (!built_in && !beamwidth_deg) {
    const std::optional<fs::path> file = find_file(wish);
    return file ? std::optional(from_file(*file, wish)) : std::nullopt;
  }
  if (wish.electrical_tilt_deg.value_or(0.0) != 0.0) {
    warn_once("antenna_electrical_tilt",
              "electrical tilts are left out for built-in antennas, which have none; give them as downtilt");
  }
  if (built_in) return ChosenAntenna{*built_in, {}};
  return ChosenAntenna{AntennaKind::beam, {.beamwidth_deg = *beamwidth_deg, .name = wish.name}};
}

}  // namespace tesseray
