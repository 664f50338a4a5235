// SPDX-License-Identifier: GPL-3.0-or-later
// Rows from what the searches of a batch found, those that had no room searched again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/visibility/rows/half_rows.h"
#include "cuda/shared_loop.h"
#include "cuda/sight_runner.h"

namespace tesseray {

// As many sources make a half, on the CPU and here.
inline constexpr std::size_t rows_per_half = HalfRowFinder::elements_per_task;

// The sorted rows of all sources of a batch.
std::vector<std::vector<std::uint32_t>> rows_of_batch(SightRunner& runner, std::uint32_t slot,
                                                      std::span<const Element> sources,
                                                      const SightSearchLimits& limits);

// Waits for the batch that was started last in the slot, with these sources, and codes its rows, so many to a half, by
// the loop.
void finish_halves(SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                   const SightSearchLimits& limits, std::span<HalfRows> halves, SharedLoop& loop);

}  // namespace tesseray
