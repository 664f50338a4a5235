// SPDX-License-Identifier: GPL-3.0-or-later
// The part of bounces that must have the CPU's bits, as kernels of their own: kernel_arithmetic_test.py looks at their
// instructions. Which tube hits what depends on it alone, and where the tubes that go on come from.
#include "cuda/bounce_batch.h"
#include "cuda/thread_block.h"

namespace tesseray {

__global__ void prepare_and_find(const __grid_constant__ BounceBatch batch) {
  for (std::uint32_t k = threadIdx.x; k < batch.tube_count; k += blockDim.x) prepare_tube(batch, k);
  __syncthreads();
  find_hits(DeviceBlock(), batch, 0);
}

// What reflections and diffractions make of a source, on the way to an edge segment.
__global__ void place_sources(const __grid_constant__ BounceBatch batch, const Tile* mirrors, VirtualSource* sources) {
  const EnvironmentView& environment = batch.launch.environment;
  const Tube& tube = batch.tubes[threadIdx.x];
  const EdgeSegment& edge = environment.edge(batch.hits[threadIdx.x].target);
  const Tile& mirror = mirrors[threadIdx.x];
  const VirtualSource image = mirrored(tube.source, mirror.centroid, mirror.normal);
  sources[threadIdx.x] = wave_at_edge(image, leg_to(image, edge.midpoint), edge.midpoint, edge.direction).source;
}

}  // namespace tesseray
