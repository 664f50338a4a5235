// SPDX-License-Identifier: GPL-3.0-or-later
// What arrives at tiles, summed in a GPU's memory by all threads together (shared_sums.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/parallel.h"
#include "cuda/kernel_launch.h"

namespace tesseray {

template <class Sums>
__global__ void clear_all(Sums* sums, std::uint32_t count) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) sums[k] = Sums();
}

// One Sums per tile, all empty at first.
template <class Sums>
class DeviceSums {
 public:
  // `doing` as for check_cuda().
  DeviceSums(std::size_t tiles, const char* doing) : doing_(doing), sums_(tiles) { clear(); }

  Sums* data() const { return sums_.data(); }
  // Adds all that has arrived, after which they are empty. REQUIRES: no more sums than tiles; no kernel adds meanwhile.
  void move_to(std::span<Sums> sums) {
    constexpr std::size_t sums_per_block = 4096;
    // A launch takes them several times over, and its memory once.
    if (!found_) found_ = std::make_unique_for_overwrite<Sums[]>(sums_.size());
    check_cuda(cudaMemcpy(found_.get(), sums_.data(), sums.size_bytes(), cudaMemcpyDeviceToHost), doing_);
    parallel_blocks(sums.size(), sums_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) sums[t].merge(found_[t]);
    });
    clear();
  }

 private:
  void clear() const {
    const auto count = static_cast<std::uint32_t>(sums_.size());
    if (count == 0) return;
    launch_kernel(clear_all<Sums>, blocks_for(count), nullptr, doing_, sums_.data(), count);
    // Streams of their own do not wait for the end of it.
    check_cuda(cudaStreamSynchronize(nullptr), doing_);
  }

  const char* doing_;
  DeviceArray<Sums> sums_;
  std::unique_ptr<Sums[]> found_;
};

// One lock per tile, for DeviceSharing; all are open.
class TileLocks {
 public:
  TileLocks(std::size_t tiles, const char* doing) : locks_(tiles) {
    if (tiles == 0) return;
    check_cuda(cudaMemset(locks_.data(), 0, tiles * sizeof(std::uint32_t)), doing);
    check_cuda(cudaStreamSynchronize(nullptr), doing);
  }
  std::uint32_t* data() const { return locks_.data(); }

 private:
  DeviceArray<std::uint32_t> locks_;
};

}  // namespace tesseray
