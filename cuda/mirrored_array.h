// SPDX-License-Identifier: GPL-3.0-or-later
// An array of both memories, the GPU's and the host's.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/device_memory.h"

namespace tesseray {

template <class Item>
struct MirroredArray {
  explicit MirroredArray(std::size_t size) : device(size), host(size) {}
  // Copies the first `count` items; `doing` as for check_cuda().
  void send(std::size_t count, const CudaStream& stream, const std::string& doing) const {
    check_cuda(cudaMemcpyAsync(device.data(), host.data(), count * sizeof(Item), cudaMemcpyHostToDevice, stream.get()),
               doing);
  }
  void fetch(std::size_t count, const CudaStream& stream, const std::string& doing) const {
    check_cuda(cudaMemcpyAsync(host.data(), device.data(), count * sizeof(Item), cudaMemcpyDeviceToHost, stream.get()),
               doing);
  }
  DeviceArray<Item> device;
  PinnedArray<Item> host;
};

}  // namespace tesseray
