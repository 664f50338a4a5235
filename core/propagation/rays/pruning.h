// SPDX-License-Identifier: GPL-3.0-or-later
// Which weak rays of a launch are drawn by chance (docs/propagation-cost.md).
#pragma once

#include <cstddef>

#include "core/base/host_device.h"

namespace tesseray {

// Reproducible: what is drawn depends on the elements alone.
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

// The same ray or target with so many like it, of which it was drawn.
template <class Drawn>
TESSERAY_HD Drawn standing_for(double stands_for, Drawn drawn) {
  drawn.stands_for = stands_for;
  return drawn;
}

// By the share of the tiles in line of sight: where many are, weak rays matter little; at the bottom of a street the
// weak rays are what reaches the next one. Measured in docs/propagation-cost.md.
inline constexpr double many_in_sight = 0.15;  // of the tiles, from which on more is drawn
Pruning pruning_for(double share_in_sight);

}  // namespace tesseray
