// SPDX-License-Identifier: GPL-3.0-or-later
// The one interface between a launch and what works out rays over the roofs for many targets at once, such as a GPU.
#pragma once

#include <cstddef>
#include <span>

#include "core/propagation/rooftops/rooftop_bends.h"

namespace tesseray {

class RooftopSearch {
 public:
  virtual ~RooftopSearch() = default;
  // How many targets are best asked for at once, and how many may be.
  virtual std::size_t most_targets() const = 0;
  // Memory of the host that all searches together take, besides what is given and given back.
  virtual std::size_t host_bytes() const = 0;
  // The bends of the rays to all targets, by the exact integral over screens (OverRooftop::screens); some may have the
  // outcome `no_room`. What it says of a target does not depend on the others. Thread-safe, and runs no work of the
  // caller's threads while it waits. REQUIRES: as many places as targets, at most most_targets().
  virtual void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) = 0;
};

}  // namespace tesseray
