// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch of rays follows, how far, and how it adds up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/physics/antenna.h"
#include "core/physics/scattering.h"
#include "core/physics/vegetation.h"
#include "core/scene/transmitter.h"

namespace tesseray {

enum class Summation {
  local_mean,  // power sum, with each ray and its ground reflection in step (local_mean.h)
  coherent,    // all but diffuse rays in amplitude (as the papers)
  power,       // power sum
};

// How rays over the roofs lose power (over_rooftop.h).
enum class OverRooftop {
  none,
  screens,  // the exact integral over the edges that obstruct
  deygout,  // Deygout with P.526's spacing correction: the quick mode, without phase
};

// How vegetation attenuates rays (vegetation_loss.h).
enum class VegetationModel {
  none,
  per_metre,  // dB per metre, the same at all frequencies
  p833,       // ITU-R P.833 by frequency, saturating on each straight leg
};

// Rays through the building nearest to the transmitter, or the one that it stands on (building_transmission.h).
struct TransmissionOptions {
  bool nearest_building = false;                      // none otherwise
  std::optional<double> wall_loss_db = std::nullopt;  // of each outer wall; by its material and the frequency otherwise
  double indoor_db_per_m = 0.5;                       // 3GPP TR 38.901, §7.4.3
};

// Limits as in Table 1 of paper 002.
struct RayLaunchingOptions {
  int max_bounces = 3;
  int max_reflections = 3;
  int max_diffractions = 1;
  int max_scatterings = 1;                    // 0 or 1
  int max_reflections_with_diffractions = 3;  // R + D of a ray that has both
  int max_diffractions_with_scatterings = 3;  // D + S of a ray that has both
  int max_after_scattering = 1;               // 0, 1 or 2 interactions after the scattering
  ScatteringModel scattering_model = ScatteringModel::reciprocal;
  double scattering_coefficient = 0.4;  // S, an amplitude ratio; of materials without one of their own
  // 0: Lambert's lobe. Otherwise α_R of the directive lobe about the specular direction, at most 8.
  int scattering_lobe_exponent = 0;
  double cross_polarization = 0;  // the part of the scattered power in the other polarisation, 0 … 1
  double min_power_dbm = -130;    // tubes below this at their element go no further: least_path_gain_db()
  // Weak rays are drawn by chance and then count as many times more, as pruning_for() says: sums keep their
  // expectation, and a whole city takes a fraction of the time. Where tiles are targets, that is, not for single
  // receivers alone.
  bool pruning = false;
  // Where there are fewer tiles, all rays cost little.
  std::uint32_t pruning_from_tiles = 20'000;
  // So many tubes, about, may come of a level of bounces before they bounce in turn: what a launch takes in memory.
  // With more of them tubes at one element come together more often, which saves time; and what is there when weak rays
  // are drawn differs.
  std::size_t tubes_of_level = std::size_t{1} << 22;
  Summation summation = Summation::local_mean;
  double receiver_height_m = 1.5;  // of ground targets above their tile
  Polarization receiver_polarization = Polarization::vertical;
  AntennaKind receiver_antenna = AntennaKind::isotropic;
  std::optional<double> receiver_gain_dbi = std::nullopt;  // in the antenna's maximum; its pattern's own otherwise
  VegetationModel vegetation = VegetationModel::per_metre;
  double vegetation_db_per_m = default_vegetation_db_per_m;  // of per_metre
  TransmissionOptions transmission;
  // Rays over the roofs to what the transmitter does not see, then reflected or scattered once. They stand for the
  // diffractions at roof edges near their vertical plane, which are left out where they arrive.
  OverRooftop over_rooftop = OverRooftop::none;
  std::size_t rays_per_receiver = 0;   // > 0: the strongest rays of each receiver are kept …
  bool scattered_rays = false;         // … with the diffusely scattered ones among them
  bool ray_losses = false;             // … and what each of their steps took. REQUIRES: tiles are no targets
  bool wideband = false;               // angles at both ends are summed for every target
  std::size_t delay_profile_rays = 0;  // > 0: power and delay of so many of the strongest rays of every target
  // False: rays arrive at receivers alone, and those that can reach none any more are not launched. What arrives at
  // receivers stays the same.
  bool tiles_are_targets = true;
};

}  // namespace tesseray
