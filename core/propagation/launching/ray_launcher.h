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
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/launch_cost.h"
#include "core/propagation/rays/pruning.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/propagation/rays/wideband.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"
#include "core/visibility/file/kept_beside.h"
#include "core/visibility/visibility.h"

namespace tesseray {

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
  // Per receiver, with rays_per_receiver > 0: the path gain of all rays that are not diffusely scattered. Without the
  // receiver's gain, as sums are and rays are not.
  std::vector<GainByMechanism> ray_gains;
  std::vector<RaysWithoutPower> rays_without_power;  // the same of those of which nothing is left
  std::vector<LeftInSight> left_in_sight;            // per receiver
  std::uint64_t tubes = 0;                           // launched in all, for the log
  std::vector<std::uint64_t> tubes_by_interactions;  // the same by how many interactions they had had
  LaunchCost cost;
  Pruning pruning;               // what was used
  double sampled_over_done = 0;  // of the bounces, foretold by a sample of them over what was done; 0: none was taken
};

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

// What does parts of a launcher's work in place of the CPU; the CPU does those that have none.
struct LaunchMakers {
  MakeRooftopSearch rooftop_search;  // for OverRooftop::screens
  MakeTubeBouncer tube_bouncer;      // where bounces_by_batches()
  MakeRowScatterer row_scatterer;    // where scatters_by_batches()
};

// How much a launcher's constructor does of what it and prepare() do together, 0 … 1, about: receivers look around, and
// so do places over all ground tiles unless what they see is kept `beside`.
double share_of_receivers(const Tiling& tiling, std::size_t receivers, const RayLaunchingOptions& options,
                          const std::optional<KeptBeside>& beside);

// One per environment and set of receivers, for any number of transmitters. Keeps references to all but the
// receivers, which must outlive it. launch() is thread-safe and deterministic for any number of threads.
class RayLauncher {
 public:
  // `progress`: of what the receivers see. Throws Error(invalid_input) for more than most_bounces, Error(cancelled) on
  // cancel.
  RayLauncher(const Scene& scene, const Tiling& tiling, const Occlusion& occlusion, const Visibility& visibility,
              std::vector<Receiver> receivers, const RayLaunchingOptions& options, LaunchMakers makers = {},
              Progress& progress = no_progress());
  ~RayLauncher();
  RayLauncher(RayLauncher&&) noexcept;

  // Makes what all launches share, on all threads; otherwise the first launch does, and others wait for it meanwhile:
  // what receivers over ground tiles see, and lengths in vegetation. Both are taken from the files `beside` the
  // visibility's where they are there, and kept there where they were not; that they cannot be is a warning.
  void prepare(Progress& progress, const std::optional<KeptBeside>& beside = std::nullopt) const;
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
  // About what the tubes under way may take of each launch at most: many launches need far less.
  std::uint64_t bytes_of_tubes() const;
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
