// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles that scatter: what they take in of the tubes that come to them, and how each sends it on (docs/physics.md §7).
// Internal to core/propagation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/scattered_rays.h"
#include "core/propagation/rays/wideband.h"
#include "core/propagation/scattering/scattering_columns.h"
#include "core/propagation/scattering/scattering_view.h"
#include "core/propagation/tubes/tube.h"
#include "core/propagation/tubes/tube_groups.h"

namespace tesseray {

// What the tiles may scatter, by what follows the scattering.
class TileDiffusePowers {
 public:
  void resize(std::size_t tiles, std::size_t kinds) {
    tiles_ = tiles;
    kinds_ = kinds;
    powers_.resize(tiles * kinds);
  }
  bool empty() const { return powers_.empty(); }
  std::size_t size() const { return tiles_; }
  std::size_t kinds() const { return kinds_; }
  // The place of a tile's power of one kind among all; other columns of the kind are laid out alike.
  std::size_t place(std::uint32_t tile, AfterScattering after) const {
    return static_cast<std::size_t>(after) * tiles_ + tile;
  }
  DiffusePower& at(std::uint32_t tile, AfterScattering after) { return powers_[place(tile, after)]; }
  const DiffusePower& at(std::uint32_t tile, AfterScattering after) const { return powers_[place(tile, after)]; }
  const DiffusePower* data() const { return powers_.data(); }
  // That part of a power of one kind which the limits do not allow one more reflection.
  DiffusePower beyond_limits(std::uint32_t tile, AfterScattering after) const {
    DiffusePower rest = at(tile, after);
    const std::optional<AfterScattering> reflected = with_reflection(after);
    if (reflected && static_cast<std::size_t>(*reflected) < kinds_) rest.take_out(at(tile, *reflected));
    return rest;
  }
  // What comes to a target of a power of one kind, where the ground reflects `by_ground` times of that part, too.
  DiffusePower with_ground(std::uint32_t tile, AfterScattering after, double by_ground) const {
    DiffusePower all = at(tile, after);
    if (by_ground > 0) all.add(by_ground, beyond_limits(tile, after));
    return all;
  }

 private:
  std::size_t tiles_ = 0, kinds_ = 0;
  std::vector<DiffusePower> powers_;
};

// Diffuse rays that come in along one direction.
struct DiffuseBeam {
  double power = 0;      // Σ |field|² at the target
  double excess = 0;     // Σ |field|² · excess length
  double strongest = 0;  // |field|²
  // Of travel: the mean of unit vectors by |field|², and the strongest's.
  Vec3 direction, strongest_direction;
  double with_ground = 1;  // at receivers: all over what the ground below has not reflected beyond the limits
};

// What a tube brings to a tile that scatters it, as a single ray, |E|² cosθ_i · reflectance in the mean over the tile,
// and the pattern's gain in that mean.
struct DiffuseIncidence {
  double power = 0, gain = 1;
  float from_near_antenna = 0;  // as of DiffusePower
};

class ScatteringTiles {
 public:
  // What it takes at each tile; and at each tile, edge and receiver besides.
  static std::uint64_t bytes_per_tile(const RayLaunchingOptions& options);
  static std::uint64_t bytes_per_number(const RayLaunchingOptions& options);

  // Keeps references to both.
  ScatteringTiles(const LaunchSetting& setting, const LaunchArrivals& arrivals);
  ScatteringTiles(const ScatteringTiles&) = delete;
  ScatteringTiles& operator=(const ScatteringTiles&) = delete;

  // True when nothing scatters.
  bool empty() const { return diffuse_.empty(); }
  const TileDiffusePowers& powers() const { return diffuse_; }
  const ScatteringColumns& columns() const { return columns_; }
  // Valid as long as the tiles. No draws by chance are in it.
  const ScatteringView& view() const { return scattering_view_; }
  bool have_directive_lobes() const { return !directive_lobes_.empty(); }
  bool know_departures() const { return !diffuse_departures_.empty(); }
  const ScatteredRays& rays() const { return scattered_rays_; }

  // Of all tubes of a tile that may scatter. Not thread-safe for one tile.
  void take_in(const TubeGroup& arrived);
  // All tubes have come.
  void sort_tubes() { scattered_rays_.sort_tubes(); }

  DiffuseIncidence incidence(const Tube& tube, const Tile& tile) const;
  // The kinds of AfterScattering that the limits allow a tube, as bits.
  unsigned may_follow(const Tube& tube) const;
  // See scattering_view.h.
  double intensity(std::uint32_t tile, Vec3 direction, AfterScattering after) const {
    return diffuse_intensity(scattering_view_, tile, direction, after);
  }
  // What they send to a point, per unit of their power, from their centroids.
  void radiate(AfterScattering after, std::span<const std::uint32_t> tiles, Vec3 point, RadiatedRays& rays) const;

  // scattered_tubes.cpp: what a scattering tile sends along `direction`, by the chain's kind and polarisation.
  Link::Departure departure(const InteractionChain& chain, Vec3 direction) const;
  // The field that a tile mirrors of scattered power: both polarisations alike.
  ComplexVec3 reflected(const ComplexVec3& incident, Vec3 incidence, const Tile& tile) const;
  // A scattered ray at one target.
  void arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& state) const;

  // Of what a tile sends to a point straight, the density of what the limits allow no reflection, over that of all.
  double beyond_limits_of_all(std::uint32_t tile, const DiffuseDensity& density) const {
    if (!density.is_near_antenna) return 1;
    const bool may_antenna = diffuse_.beyond_limits(tile, AfterScattering::nothing).from_near_antenna == 0;
    return may_antenna ? density.of_others / density.of_all : 1;
  }

  // Keeps the way for single rays when they are wanted and `number` is a receiver. `by_ground`: see reflected_below().
  void keep_way(std::uint32_t number, std::uint32_t tile, ElementsAfterScattering by, double gain_factor,
                double by_ground, double length_m, ThreadArrivals& state, bool cross_polarized = false) const;
  // The same where nothing follows the scattering.
  void keep_straight_way(std::uint32_t number, std::uint32_t tile, const DiffuseDensity& density, double gain_factor,
                         double by_ground, double length_m, ThreadArrivals& state) const;

  // wideband_rays.cpp: Σ power of the tubes that come to a tile, by where they depart.
  const DirectionMoments& departures_of(std::uint32_t tile, AfterScattering after) const;
  // The same of TileDiffusePowers::with_ground().
  DirectionMoments departures_with_ground(std::uint32_t tile, AfterScattering after, double by_ground) const;
  // Adds a beam of diffuse rays, of which `at_target` is known along `direction`; `departures` with its powers.
  void add_wideband(const DiffuseBeam& beam, const DirectionMoments& departures, const DiffuseTarget& at_target,
                    std::uint32_t number, Vec3 direction, ThreadArrivals& state) const;
  // Adds one ray of what a tile scatters: `density` and `length_m` as in add_diffuse, `by_ground` as of with_ground().
  void add_wideband(std::uint32_t tile, AfterScattering after, double density, double by_ground, double length_m,
                    const DiffuseTarget& at_target, std::uint32_t number, Vec3 direction, ThreadArrivals& state) const;

 private:
  void take_in(const Tube& tube, std::uint32_t tile);
  // Of what comes straight from an antenna that is near, itself or by its pattern.
  DiffuseIncidence incidence_from_antenna(const Tube& tube, const Tile& tile, bool is_near) const;
  double reflectance(const Tile& tile, double cosine) const;
  // One directive lobe more of what the tile scatters (scattering_lobes.h).
  void add_directive_lobe(const Tube& tube, std::uint32_t tile, AfterScattering after, double power);
  // wideband_rays.cpp: Σ power of a tube that comes to the tile.
  void collect_departures(const Tube& tube, std::uint32_t tile, double power, AfterScattering after);

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Link& link_;
  const LaunchArrivals& arrivals_;
  ScatteringColumns columns_;
  TileDiffusePowers diffuse_;
  std::vector<double> directive_lobes_;               // per tile and AfterScattering; empty with Lambert's lobe
  std::vector<DirectionMoments> diffuse_departures_;  // per tile and AfterScattering, where angles are wanted
  ScatteredRays scattered_rays_;
  ScatteringView scattering_view_;
};

}  // namespace tesseray
