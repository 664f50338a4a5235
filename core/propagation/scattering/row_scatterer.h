// SPDX-License-Identifier: GPL-3.0-or-later
// The one interface between a launch and what works out scattered power by way of many elements at once, such as a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/propagation/rays/arrivals.h"
#include "core/propagation/scattering/scattered_sums.h"
#include "core/propagation/scattering/scattering_view.h"

namespace tesseray {

// The tiles of some elements' rows, and ground tiles beside them, which are targets alone.
struct RowBatch {
  struct Row {
    std::uint32_t element = 0;
    std::uint32_t first_member = 0, first_beside = 0, end_member = 0;  // into `members`
  };
  std::vector<Row> rows;
  std::vector<std::uint32_t> members;  // of each row, and beside it, ascending

  void clear() {
    rows.clear();
    members.clear();
  }
  void add(std::uint32_t element, std::span<const std::uint32_t> row, std::span<const std::uint32_t> beside) {
    const auto first = static_cast<std::uint32_t>(members.size());
    members.insert(members.end(), row.begin(), row.end());
    const auto first_beside = static_cast<std::uint32_t>(members.size());
    members.insert(members.end(), beside.begin(), beside.end());
    rows.push_back({element, first, first_beside, static_cast<std::uint32_t>(members.size())});
  }
};

// How much a batch may have.
struct RowLimits {
  std::size_t rows = 0, members = 0;
};

// What was done with a batch: pairs of a scattering tile and a target that were looked at, and those that a ray joins.
struct PairCounts {
  std::uint64_t looked_at = 0, joined = 0;
};

// Works out one launch's scattered power. What one row brings does not depend on the others. Thread-safe, and runs no
// work of the caller's threads while it waits. REQUIRES for all batches: they are within the limits.
class LaunchScatterer {
 public:
  virtual ~LaunchScatterer() = default;
  // Sums at the tiles whose rows they are what the rows' tiles scatter to them.
  virtual PairCounts gather(const RowBatch& batch) = 0;
  // Both sum at the tiles of rows what the rows' elements, tiles that mirror or edge segments, send there of the power
  // that these tiles scatter.
  virtual PairCounts reflect(const RowBatch& batch) = 0;
  virtual PairCounts diffract(const RowBatch& batch) = 0;
  // What is at tiles by now, in place of the view's known_gains. REQUIRES: as many as tiles; no batch is under way.
  virtual void know(std::span<const float> known_gains) = 0;
  // Adds all that has arrived since the last time: weak rays past edges to the scattered sums, all else to the sums.
  // REQUIRES: as many sums as tiles, and as many scattered sums at least, or none where nothing was diffracted; no
  // batch is under way.
  virtual void add_to(std::span<ArrivalSums> sums, std::span<ScatteredSums> scattered_sums) = 0;
};

// Makes them, over one environment.
class RowScatterer {
 public:
  virtual ~RowScatterer() = default;
  virtual RowLimits limits() const = 0;
  // Memory of the host that batches of all launches together take, besides what is given.
  virtual std::size_t host_bytes() const = 0;
  // Thread-safe. What the view points to must outlive the scatterer.
  virtual std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) = 0;
};

}  // namespace tesseray
