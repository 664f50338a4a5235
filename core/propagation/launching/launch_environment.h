// SPDX-License-Identifier: GPL-3.0-or-later
// What stays the same for all transmitters. Internal to core/propagation.
#pragma once

#include <vector>

#include "core/propagation/launching/ground_tiles.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/launching/receiver_reach.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/rooftop_search.h"
#include "core/propagation/rows/edge_runs.h"
#include "core/propagation/rows/row_targets.h"
#include "core/propagation/rows/sight_over_ground.h"
#include "core/propagation/scattering/row_scatterer.h"
#include "core/propagation/tubes/launch_view.h"
#include "core/propagation/tubes/tube_bouncer.h"
#include "core/propagation/vegetation/vegetation_loss.h"
#include "core/propagation/vegetation/vegetation_pairs.h"

namespace tesseray {

struct LaunchEnvironment {
  const Scene& scene;
  const Tiling& tiling;       // even ground in one plane (rays/even_tiles.h)
  const Tiling& seen_tiling;  // as visibility has it
  const Occlusion& occlusion;
  const SightFromPoints& sight;
  const Visibility& visibility;
  const std::vector<Receiver>& receivers;
  const RayLaunchingOptions& options;
  const TargetPoints& points;
  const ReceiverRows& receiver_rows;
  const ReceiverReach& reach;
  const std::vector<EdgeRun>& edge_runs;
  const std::vector<std::uint32_t>& stacks;  // by prism (stacks_of)
  const OverRooftopPaths& over_rooftops;
  const GroundTiles& ground_tiles;           // asked where there are receivers
  const SightOverGround& sight_over_ground;  // none where nobody asks
  RooftopSearch* rooftop_search;             // nullptr: the CPU's own
  TubeBouncer* tube_bouncer;                 // nullptr: the CPU alone
  RowScatterer* row_scatterer;               // the same
  const VegetationPrisms& vegetation;
  const VegetationPairs& vegetation_pairs;
  EnvironmentView view;

  TargetsBesideRow targets_beside_row(std::uint32_t element) const {
    return {receiver_rows.seen_from(element), sight_over_ground.seen_from(element)};
  }
};

}  // namespace tesseray
