// SPDX-License-Identifier: GPL-3.0-or-later
// Discrete environment-driven ray launching (paper 000): ray tubes from tile to tile along visibility rows.
//
// How it works. The transmitter lights the tiles and edge segments that it sees; each becomes a tube: a virtual source
// (an image point, or a diffracting edge) with the field strength it has towards that element. Tubes are sorted by
// element, and for each element the visibility row is read once and laid out as intervals: a tube reflected at a tile
// hits those row members whose back-projection falls inside the tile, four comparisons each; a tube diffracted at an
// edge segment hits those between its two Keller cones, two comparisons. Hits add to the target's sums and become the
// next level's tubes while limits and MIN_POWER allow. Diffuse scattering is summed in power: what all tubes bring to
// a tile is one number, and one pass over the rows spreads it; further passes reflect or diffract it once more.
//
// What it costs. Tests: rows × tubes at their element, in vectors; then one Fresnel or UTD evaluation per hit, which
// dominates. A reflection has 1–2 hits, a diffraction as many as lie between its cones.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/physics/scattering.h"
#include "core/physics/vegetation.h"
#include "core/propagation/arrivals.h"
#include "core/propagation/launch_cost.h"
#include "core/propagation/vegetation_file.h"
#include "core/propagation/wideband.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"

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

// Which weak rays are drawn by chance. Reproducible: what is drawn depends on the elements alone.
struct Pruning {
  // Of the tiles whose scattered power an edge segment diffracts, about so many stand for all that light it, and of
  // those whose power a tile reflects twice as many (weighted_sample.h); a quarter of either where two interactions
  // follow the scattering; 0: all.
  std::size_t scattering_sources = 0;
  // Of the tubes at an edge segment or tile that have bounced before, about so many stand for all; 0: all.
  std::size_t tubes = 0;
  // Tubes with less than this part of the power that is at their element when their level is bounced; 0: none.
  double roulette = 0;
  // Rays whose last interaction is their scattering, and those that an edge diffracts after it, with less than this
  // part of the power that is at their target when their turn comes; 0: none.
  double scattered = 0, then_diffracted = 0;
  // The former also with less than this part of what all of them bring, at most; 0: none. So hundreds of tiles are
  // drawn from, too, where nothing has arrived before.
  double of_all_scattered = 0;
};

// By the share of the tiles in line of sight: where many are, weak rays matter little; at the bottom of a street the
// weak rays are what reaches the next one. Measured in docs/propagation-cost.md.
inline constexpr double many_in_sight = 0.15;  // of the tiles, from which on more is drawn
Pruning pruning_for(double share_in_sight);

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

// Path gains of rays, summed in power by their mechanism.
struct GainByMechanism {
  double direct = 0, reflection = 0, diffraction = 0, over_rooftop = 0, through_building = 0;
  double sum() const { return direct + reflection + diffraction + over_rooftop + through_building; }
};

// Rays that come to a receiver, which are none there: by what nothing is left of their power.
struct RaysWithoutPower {
  std::uint32_t by_polarization = 0, by_pattern = 0;  // of the receiver; of either end
};

// Of the direct ray's amplitude, where roofs come near to it.
struct LeftInSight {
  double by_roofs = 1;
  double with_ground = 1;  // over that, where the ray has with it what the ground before the roofs reflects
  enum class Ground {
    tiles,   // reflect it, where it meets them
    along,   // near uneven ground, which leaves with_ground, roofs there included
    uneven,  // farther below, which reflects it as a whole
    below,   // the plane below the receiver reflects it
  };
  Ground ground = Ground::tiles;
};

struct RayLaunchingResult {
  std::vector<ArrivalSums> tiles;      // one per tile, or none
  std::vector<ArrivalSums> receivers;  // one per receiver
  WidebandTable wideband;              // of the tiles, then the receivers, when asked for
  std::vector<Ray> rays;               // by receiver, strongest first
  // Per receiver, with rays_per_receiver > 0: the path gain of all rays that are not diffusely scattered.
  std::vector<GainByMechanism> ray_gains;
  std::vector<RaysWithoutPower> rays_without_power;  // the same of those of which nothing is left
  std::vector<LeftInSight> left_in_sight;            // per receiver
  std::uint64_t tubes = 0;                           // launched in all, for the log
  std::vector<std::uint64_t> tubes_by_interactions;  // the same by how many interactions they had had
  LaunchCost cost;
  Pruning pruning;  // what was used
};

// The gain of the receiving antenna in its maximum.
double maximum_receiver_gain_dbi(const RayLaunchingOptions& options);
// Tubes with less path gain go no further. In steps of 20 dB, down from what min_power_dbm says: transmitters that
// differ by a few decibels in power alone launch the same rays then, so that one prediction serves for both.
double least_path_gain_db(const Transmitter& transmitter, const RayLaunchingOptions& options);

// The point of a tile at which it is a target: its centroid, for ground tiles `receiver_height_m` above it.
Vec3 target_point(const Tile& tile, double receiver_height_m);

class RooftopSearch;
struct RooftopSceneView;
// Makes what works out rays over the roofs for many targets at once, such as a GPU (rooftop_search.h), over a scene
// whose view outlives it.
using MakeRooftopSearch = std::function<std::unique_ptr<RooftopSearch>(const RooftopSceneView&)>;

class TubeBouncer;
struct EnvironmentView;
// The same for bounces (tube_bouncer.h), over an environment whose view outlives it.
using MakeTubeBouncer = std::function<std::unique_ptr<TubeBouncer>(const EnvironmentView&)>;

class RowScatterer;
// The same for scattered power (row_scatterer.h).
using MakeRowScatterer = std::function<std::unique_ptr<RowScatterer>(const EnvironmentView&)>;

// One per environment and set of receivers, for any number of transmitters. Keeps references to all but the
// receivers, which must outlive it. launch() is thread-safe and deterministic for any number of threads.
class RayLauncher {
 public:
  // In place of the CPU, make_rooftop_search: for OverRooftop::screens; make_tube_bouncer: where bounces_by_batches();
  // make_row_scatterer: where scatters_by_batches().
  RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion, const Visibility& visibility,
              std::vector<Receiver> receivers, const RayLaunchingOptions& options,
              const MakeRooftopSearch& make_rooftop_search = {}, MakeTubeBouncer make_tube_bouncer = {},
              MakeRowScatterer make_row_scatterer = {});
  ~RayLauncher();
  RayLauncher(RayLauncher&&) noexcept;

  // Makes what all launches share, on all threads; otherwise the first launch does, and others wait for it meanwhile.
  // Lengths in vegetation are taken from `kept` (vegetation_file.h) where they are there, and kept there where they
  // were not; that they cannot be is a warning.
  void prepare(Progress& progress, const std::optional<VegetationFile>& kept = std::nullopt) const;
  // Throws Error(invalid_input) for a frequency that is not positive, Error(cancelled) on cancel, and what works in
  // place of the CPU throws.
  RayLaunchingResult launch(const Transmitter& transmitter, Progress& progress) const;
  // The same by the CPU alone.
  RayLaunchingResult launch_by_cpu(const Transmitter& transmitter, Progress& progress) const;

  // Whether launches hand their bounces to tiles on. The CPU does all where rays arrive at receivers alone or are
  // summed with their angles or delays, and where lengths in vegetation are not kept. REQUIRES: prepare() has returned.
  bool bounces_by_batches() const;
  // The same for scattered power with one interaction after the scattering or none.
  bool scatters_by_batches() const;

  // How much longer or shorter than other transmitters' a launch takes, about, told from what the transmitter sees.
  double expected_work(const Transmitter& transmitter) const;

  // The memory that each launch takes on so many threads: sums and what tiles scatter, without the tubes under way.
  std::uint64_t bytes_of_launch(std::size_t threads) const;
  // What all launches together take besides: batches, and what it takes to see from many antennas. REQUIRES: prepare()
  // has returned.
  std::uint64_t bytes_besides_launches() const;

  const RayLaunchingOptions& options() const;
  const std::vector<Receiver>& receivers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesseray
