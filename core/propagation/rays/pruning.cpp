// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/pruning.h"

namespace tesseray {

Pruning pruning_for(double share_in_sight) {
  Pruning pruning{.scattering_sources = 40,
                  .tubes = 32,
                  .roulette = 5e-4,
                  .scattered = 0.05,
                  .then_diffracted = 2e-3,
                  .of_all_scattered = 5e-3};
  if (share_in_sight >= many_in_sight) {
    pruning.scattering_sources = pruning.tubes = 16;
    pruning.roulette = 3e-3;
  }
  return pruning;
}

}  // namespace tesseray
