// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where kernels are started.
#pragma once

#include "cuda/device_memory.h"

namespace tesseray {

// Of kernels that do not say otherwise: a multiple of a warp, and few enough that several blocks share a
// multiprocessor.
inline constexpr unsigned threads_per_block = 128;

// Blocks that have a thread for each of so many things.
inline unsigned blocks_for(std::uint64_t things) {
  return static_cast<unsigned>((things + threads_per_block - 1) / threads_per_block);
}

struct KernelBlocks {
  // REQUIRES: count > 0.
  KernelBlocks(unsigned blocks, unsigned threads_of_each = threads_per_block)
      : count(blocks), threads(threads_of_each) {}
  unsigned count, threads;
};

// Starts a kernel when the stream has done what it has to do before; `doing` as for check_cuda().
template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), KernelBlocks blocks, cudaStream_t stream, const std::string& doing,
                   const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks.count);
  config.blockDim = dim3(blocks.threads);
  config.stream = stream;
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), doing);
}

}  // namespace tesseray
