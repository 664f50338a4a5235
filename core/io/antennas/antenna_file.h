// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna pattern files as they come from manufacturers: MSI/Planet, and NSMA WG16.99.050, also known as ADF.
// docs/inputs.md says what is understood and what is assumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/physics/antenna_pattern.h"

namespace tesseray {

enum class AntennaFileFormat { msi, nsma };
std::string to_string(AntennaFileFormat format);  // "MSI", "NSMA"

struct AntennaFile {
  AntennaFileFormat format = AntennaFileFormat::msi;
  std::string name, make, polarization, comment;  // UTF-8; empty: not given
  std::optional<double> frequency_mhz;            // of the pattern
  std::optional<double> gain_dbi;
  double electrical_tilt_deg = 0;  // as the file says, else where the vertical cut has its maximum
  std::vector<CutPoint> horizontal, vertical;
  std::vector<Warning> assumptions;  // what the file left open or got wrong, and what was made of it
};

// Reads and checks. Of several frequencies in a file the one nearest to `frequency_mhz` is taken (the first without
// it), of several polarisations a co-polar one. Throws Error(invalid_input) with file and line.
AntennaFile read_antenna_file(const std::filesystem::path& file, std::optional<double> frequency_mhz = std::nullopt);

// With the strongest direction of both cuts at 0 dB, the gain by as much less.
AntennaFile normalised(AntennaFile antenna);

// As an MSI file that any reader understands: points as they are, gain in dBd, angles ascending from 0.
std::string to_msi(const AntennaFile& antenna);
// Whether a file holds what to_msi made. Throws Error(invalid_input) for what is no antenna file.
bool is_from_to_msi(const std::filesystem::path& file);

}  // namespace tesseray
