// SPDX-License-Identifier: GPL-3.0-or-later
// Transmitters and receivers, as read and as placed in the scene.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace tesseray {

struct AntennaPattern;  // core/physics/antenna_pattern.h: the scene only hands it on

enum class HeightReference { ground, roof, sea };
enum class Polarization { vertical, horizontal, slant_plus_45, slant_minus_45 };
// beam: cosine-power, by its half-power width; pattern_file: two cuts from a file.
enum class AntennaKind { isotropic, half_wave_dipole, sector_3gpp, short_dipole, beam, pattern_file };

std::string to_string(Polarization polarization);  // "vertical", "horizontal", "slant+45", "slant-45"
// "isotropic", "half_wave_dipole", "sector_3gpp", "short_dipole"; beams and files have names of their own
// (AntennaDetails::name) and give "".
std::string to_string(AntennaKind antenna);
std::optional<Polarization> parse_polarization(std::string_view text);  // also v, h, x, +45, …; any case
std::optional<AntennaKind> parse_antenna(std::string_view text);        // also "omni", "dipole", "3gpp", …

// The half-power width of "beam_80" (also "beam 80", "Beam80"), degrees; empty for anything else. Widths are from
// least_beamwidth_deg to greatest_beamwidth_deg.
std::optional<double> parse_beamwidth_deg(std::string_view text);
inline constexpr double least_beamwidth_deg = 1.0, greatest_beamwidth_deg = 179.0;

// What beams and pattern files need besides their kind.
struct AntennaDetails {
  double beamwidth_deg = 0;                            // of a beam
  std::shared_ptr<const AntennaPattern> pattern = {};  // of a pattern file
  std::string name = {}, file = {};                    // as given, and the file that was found
  std::optional<double> electrical_tilt_deg = {};      // of a pattern file, as it is used
};

// A transmitter in absolute CRS coordinates, before its height is resolved.
struct RawTransmitter {
  std::int64_t feature_id = 0;
  std::string name;  // unique within a run; the readers make one from the feature id if there is none
  Vec2 position;
  double height_m = 0;  // above `reference`
  HeightReference reference = HeightReference::ground;
  double frequency_hz = 0;
  double erp_dbm = 0;  // relative to a half-wave dipole, in the antenna's maximum
  AntennaKind antenna = AntennaKind::isotropic;
  AntennaDetails antenna_details;
  double azimuth_deg = 0;  // from true north, clockwise
  double downtilt_deg = 0;
  Polarization polarization = Polarization::vertical;
  double meridian_convergence_deg = 0;  // true-north azimuth of grid north at the site
  double diameter_m = 0;                // antenna aperture for the far-field flag; 0: not flagged
  ErrorPlace source;                    // where it was read
};

// A transmitter in the scene frame.
struct Transmitter {
  std::int64_t transmitter_id = 0;  // 1, 2, … in input order
  std::string name;
  Vec3 position;
  double height_above_ground_m = 0;
  double frequency_hz = 0;
  double erp_dbm = 0;
  AntennaKind antenna = AntennaKind::isotropic;
  AntennaDetails antenna_details;
  double azimuth_deg = 0;       // from true north
  double grid_azimuth_deg = 0;  // from the scene's y axis, clockwise: what geometry uses
  double downtilt_deg = 0;
  Polarization polarization = Polarization::vertical;
  double diameter_m = 0;

  // From grid azimuths to those from true north, without regard to full turns.
  double convergence_deg() const { return azimuth_deg - grid_azimuth_deg; }
};

struct RawReceiver {
  std::int64_t feature_id = 0;
  Vec2 position;
  double height_m = 1.5;  // above ground
  ErrorPlace source;
  std::string problem = {};  // why it has no place or no height that could be: "there is no geometry"; empty: it has
};

struct Receiver {
  std::int64_t receiver_id = 0;  // the source feature id
  Vec3 position;
  double height_above_ground_m = 0;
};

// What becomes of receivers that cannot be where they are: those of a drive test may be in houses by its errors.
enum class MisplacedReceivers { fail, drop };

// Resolve heights and check places. Throw Error(invalid_input) naming transmitters (receivers) that are outside the
// scene's extent, inside a building or not above the ground, or have a problem; a warning names receivers that are
// dropped, of which some must be left. Those at an outer wall are moved to 1 cm in front of it, which a warning tells.
std::vector<Transmitter> place_transmitters(const std::vector<RawTransmitter>& raw, const Scene& scene,
                                            Progress& progress);
std::vector<Receiver> place_receivers(const std::vector<RawReceiver>& raw, MisplacedReceivers misplaced,
                                      const Scene& scene, Progress& progress);

// A receiver over one point of the map, in CRS coordinates. Throws Error(invalid_input) and moves it as above; its hint
// names the parameter that gives the height.
Receiver place_map_point(Vec2 position, double height_m, const std::string& height_parameter, const Scene& scene,
                         Progress& progress);

}  // namespace tesseray
