// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs to many targets at once: one thread works out one ray, by the CPU's own functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/host_device.h"
#include "core/physics/screen_contours.h"
#include "core/propagation/rooftops/rooftop_bends.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_search.h"

namespace tesseray {

// The rows of so many threads lie side by side: those of a warp read neighbouring memory.
inline constexpr std::uint32_t rows_side_by_side = 32;

// How many targets are worked out at once, and how many points their profiles may have. A ray over a whole city meets
// some hundreds; those with more are left to the CPU.
struct RooftopCapacity {
  std::uint32_t targets = 4096;  // a multiple of rows_side_by_side; each batch is one thread's of the CPU
  std::uint32_t points = 1024;

  std::size_t all_points() const { return std::size_t{targets} * points; }
};

// Owns nothing. `points` and `edges` are working memory: RooftopCapacity::all_points() each.
struct RooftopBatch {
  RooftopSceneView scene;
  RooftopRays rays;
  const RooftopTarget* targets = nullptr;
  RooftopBends* found = nullptr;
  std::uint32_t count = 0, points_per_row = 0;
  Vec2* points = nullptr;
  ProfileEdge* edges = nullptr;
};

// The body of the kernel. REQUIRES: k < batch.count.
TESSERAY_HD inline void find_bends(const RooftopBatch& batch, std::uint32_t k) {
  const std::size_t first = std::size_t{k / rows_side_by_side} * rows_side_by_side * batch.points_per_row;
  const std::size_t begin = first + k % rows_side_by_side;
  ProfileRow<rows_side_by_side> row(batch.points + begin, batch.edges + begin, batch.points_per_row);
  const double wavelength_m = batch.rays.wavelength_m;
  const auto screens = [&](std::span<const Vec2> path, const ProfileGrounds& grounds) {
    return multiple_screen_factors(LoopsInTurn(), path, wavelength_m, grounds);
  };
  find_rooftop_bends(batch.scene, batch.rays, batch.targets[k], row, screens, batch.found[k]);
}

// Runs the kernel's body on the host: what tests hold against the CPU's own way. Keeps the view.
using RooftopBody = void (*)(const RooftopBatch& batch, std::uint32_t k);
std::unique_ptr<RooftopSearch> make_host_rooftop_search(const RooftopSceneView& scene, const RooftopCapacity& capacity,
                                                        RooftopBody body = find_bends);

}  // namespace tesseray
