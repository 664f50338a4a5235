// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility from searches by blocks of threads: the same rows as the CPU's, through the same halves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/visibility/visibility.h"
#include "cuda/sight_runner.h"

namespace tesseray {

// Makes a runner for a scene whose view outlives it.
using MakeSightRunner = std::function<std::unique_ptr<SightRunner>(const SightSceneView&, const BatchCapacity&)>;

// Who finds: blocks of threads alone, or with the CPU's own search beside them.
enum class Searchers { blocks, blocks_and_cpu };

// compute_visibility, with searches that a runner runs, in a thread of their own where the CPU searches beside them.
std::unique_ptr<Visibility> compute_visibility_by_blocks(const MakeSightRunner& make_runner, const Occlusion& occlusion,
                                                         const Tiling& tiling, const VisibilityOptions& options,
                                                         Progress& progress, Searchers searchers);

// First-level visibility from points, as PointVisibility, many at a time.
class PointVisibilityByBlocks {
 public:
  PointVisibilityByBlocks(const MakeSightRunner& make_runner, const Occlusion& occlusion, const Tiling& tiling);
  // The elements that each of the points sees. Not thread-safe.
  std::vector<std::vector<std::uint32_t>> visible_from(std::span<const Vec3> points,
                                                       const VisibilityOptions& options = {});

 private:
  const OcclusionView& occlusion_;
  SightSceneArrays scene_;
  SightSceneView view_;
  std::unique_ptr<SightRunner> runner_;
};

}  // namespace tesseray
