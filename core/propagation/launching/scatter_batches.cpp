// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by batches of rows, for what takes many at once: the same rays as scattered_power.cpp's, row by row.
#include "core/base/parallel.h"
#include "core/propagation/launching/scattered_power.h"

namespace tesseray {

std::vector<std::uint32_t> ScatteredPower::row_batches(std::uint32_t first, std::uint32_t end) const {
  const RowLimits most = environment_.row_scatterer->limits();
  std::vector<std::uint32_t> begins;
  RowLimits left;
  for (std::uint32_t element = first; element < end; ++element) {
    const std::size_t members =
        environment_.visibility.visible_tiles(element) + environment_.sight_over_ground.seen_from(element).size();
    if (left.rows == 0 || left.members < members) {
      begins.push_back(element);
      left = most;
    }
    --left.rows;
    left.members -= members;
  }
  begins.push_back(end);
  return begins;
}

template <class ToReceivers>
void ScatteredPower::work_in_batches(LaunchPhase phase, std::uint32_t first, std::uint32_t end, RowWork work,
                                     const ToReceivers& to_receivers, Progress& progress) {
  const std::vector<std::uint32_t> begins = row_batches(first, end);
  parallel_blocks(begins.size() - 1, 1, progress, [&](std::size_t b, std::size_t) {
    BatchState& state = batch_states_.local();
    state.rows.clear();
    for (std::uint32_t element = begins[b]; element < begins[b + 1]; ++element) {
      // Receivers, of which there are few and of which more is asked, stay with the CPU.
      if (!environment_.receiver_rows.seen_from(element).empty()) to_receivers(element);
      state.read_tiles_of_row(environment_.visibility, element, phase);
      state.rows.add(element, state.row, environment_.sight_over_ground.seen_from(element));
    }
    const PairCounts pairs = (*scatterer_.*work)(state.rows);
    state.cost[phase].tests += pairs.looked_at;
    state.cost[phase].contributions += pairs.joined;
  });
  ThreadArrivals& state = arrivals_.of_thread();
  const std::size_t tiles = environment_.points.target_tile_count();
  scatterer_->add_to(std::span<ArrivalSums>(state.sums).first(tiles), state.scattered_sums);
}

void ScatteredPower::scatter_last_in_batches(Progress& progress) {
  // Receivers are asked for by rows of their own (scatter_last).
  work_in_batches(
      LaunchPhase::scattering, 0, environment_.points.target_tile_count(), &LaunchScatterer::gather,
      [](std::uint32_t) {}, progress);
}

void ScatteredPower::reflect_in_batches(Progress& progress) {
  work_in_batches(
      LaunchPhase::then_reflection, 0, environment_.points.tile_count(), &LaunchScatterer::reflect,
      [this](std::uint32_t tile) { reflect_diffuse(tile, FollowedTo::receivers, states_.local()); }, progress);
}

void ScatteredPower::diffract_in_batches(Progress& progress) {
  const TargetPoints& points = environment_.points;
  work_in_batches(
      LaunchPhase::then_diffraction, points.tile_count(), points.element_count(), &LaunchScatterer::diffract,
      [&](std::uint32_t element) {
        diffract_diffuse(element - points.tile_count(), FollowedTo::receivers, states_.local());
      },
      progress);
}

}  // namespace tesseray
