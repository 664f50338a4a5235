// SPDX-License-Identifier: GPL-3.0-or-later
// The strongest diffusely scattered rays of each receiver.
//
// Scattering is summed in power: what all tubes bring to a tile is one number, and one number is what a receiver takes
// from there. A single ray is one of those tubes and one of the ways on: its path gain is the product of both. So the
// tubes are kept by tile and the ways by receiver, no more of each than can be among the strongest, and the rays are
// put together at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/propagation/tubes/recorded_ray.h"
#include "core/propagation/tubes/tube.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// A tube at a tile that scatters it.
struct ScatteredTube {
  double power = 0;  // what it adds to DiffusePower::power, as a single ray
  double length_m = 0;
  InteractionChain chain;
  std::uint8_t may_follow = 0;        // the kinds of AfterScattering that may, as bits
  bool is_from_near_antenna = false;  // straight, of an antenna near the tile
};

// The elements at which a ray interacts after its scattering, no_index from the first that there is not.
using ElementsAfterScattering = std::array<std::uint32_t, 2>;
inline constexpr ElementsAfterScattering nothing_after{no_index, no_index};
AfterScattering kind_of(const ElementsAfterScattering& by, std::uint32_t tile_count);

// A way of scattered power from a tile to a receiver.
struct ScatteredWay {
  enum class Takes : std::uint8_t { all, from_near_antenna, others };  // which tubes go it
  std::uint32_t receiver = 0, tile = 0;
  ElementsAfterScattering by = nothing_after;
  double gain_factor = 0;        // path gain per unit of ScatteredTube::power
  double by_ground = 0;          // more of it of tubes that may not be reflected as well: by the ground at the receiver
  double length_m = 0;           // from the tile to the receiver
  bool cross_polarized = false;  // see InteractionChain
  Takes takes = Takes::all;
};

// The ways that one thread found.
struct ScatteredWays {
  std::vector<ScatteredWay> list;
  std::size_t full_at = 0;  // the length at which the weak ones are sorted out
};

class ScatteredRays {
 public:
  // `rays`: how many are wanted per receiver. With 0 nothing is kept.
  ScatteredRays(std::size_t rays, std::uint32_t tile_count);

  bool wanted() const { return rays_ > 0; }
  // Not thread-safe for one tile.
  void add(std::uint32_t tile, const ScatteredTube& tube);
  // When all tubes are there.
  void sort_tubes();
  // REQUIRES: sort_tubes() was called.
  void add(const ScatteredWay& way, ScatteredWays& ways) const;
  // By receiver, strongest first: at most as many as wanted of each.
  std::vector<RecordedRay> strongest(std::vector<ScatteredWay> ways) const;

 private:
  bool may_take(const ScatteredTube& tube, const ScatteredWay& way) const {
    if ((tube.may_follow >> static_cast<unsigned>(kind_of(way.by, tile_count_)) & 1u) == 0) return false;
    using Takes = ScatteredWay::Takes;
    return way.takes == Takes::all || tube.is_from_near_antenna == (way.takes == Takes::from_near_antenna);
  }
  // Whether the limits allow it no reflection more than the way has.
  bool is_beyond_limits(const ScatteredTube& tube, const ScatteredWay& way) const {
    return !may_reflect_as_well(tube.may_follow, kind_of(way.by, tile_count_));
  }
  // Of the ray that a tube and a way make.
  double path_gain(const ScatteredTube& tube, const ScatteredWay& way) const {
    return way.gain_factor * tube.power * (is_beyond_limits(tube, way) ? 1 + way.by_ground : 1);
  }
  // The path gain of the strongest ray along a way; 0 without one.
  double strongest_gain(const ScatteredWay& way) const;
  void keep_strongest(std::vector<ScatteredWay>& ways) const;
  void keep_strongest(std::vector<ScatteredTube>& tubes) const;
  void put_together(const ScatteredWay* first, const ScatteredWay* last, std::vector<RecordedRay>& rays) const;

  std::size_t rays_;
  std::uint32_t tile_count_;
  std::vector<std::vector<ScatteredTube>> tubes_;  // per tile
};

}  // namespace tesseray
