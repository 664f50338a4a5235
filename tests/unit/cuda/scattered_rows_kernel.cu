// SPDX-License-Identifier: GPL-3.0-or-later
// The part of scattered power that must have the CPU's bits, as a kernel of its own: kernel_arithmetic_test.py looks at
// its instructions. Which tiles and targets are drawn by chance depends on it alone; vegetation comes in between.
#include "cuda/scatter_by_edges.h"
#include "cuda/scatter_last.h"
#include "cuda/thread_block.h"

namespace tesseray {

__global__ void weigh_and_find(const __grid_constant__ ScatterBatch batch, std::uint32_t* counts) {
  __shared__ RowMemory memory;
  const RowBatch::Row row = batch.rows[blockIdx.x];
  const std::uint32_t sources = weigh_sources(DeviceBlock(), memory, batch, row, AfterScattering::diffraction);
  counts[blockIdx.x] = find_targets_past_edge(DeviceBlock(), memory, batch, row, sources);
}

__global__ void draw_last(const __grid_constant__ ScatterBatch batch, std::uint32_t* counts) {
  __shared__ RowMemory memory;
  counts[blockIdx.x] = draw_scattering(DeviceBlock(), memory, batch, batch.rows[blockIdx.x]);
}

}  // namespace tesseray
