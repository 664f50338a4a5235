// SPDX-License-Identifier: GPL-3.0-or-later
// Memory, streams and errors of the CUDA runtime, owned and checked.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace tesseray {

// Throws what a call of the runtime says; `doing` completes "the GPU failed while …".
inline void check_cuda(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  const std::string said = cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // forgets it: whoever goes on with less is not to be told of it after the next kernel
    throw Error(ErrorKind::resources, "gpu_memory", "the GPU's memory is not enough while " + doing + " (" + said + ")",
                "use --device cpu, or make the EXTENT smaller or the TILE_AREA larger");
  }
  throw Error(ErrorKind::internal, "gpu_failed", "the GPU failed while " + doing + " (" + said + ")",
              "use --device cpu, and report it");
}

// The same of memory of the host, which the system may limit on its own.
inline void check_pinned(cudaError_t status) {
  if (status != cudaErrorMemoryAllocation) return check_cuda(status, "taking memory of the host");
  cudaGetLastError();
  throw Error(ErrorKind::resources, "gpu_host_memory",
              std::string("the host's memory is not enough for what the GPU copies to and from it (") +
                  cudaGetErrorString(status) + ")",
              "use --device cpu, or free memory of the host; a container's limit of locked memory (ulimit -l) may be "
              "what is too low");
}

// An array in a GPU's memory.
template <class Item>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0) check_cuda(cudaMalloc(&items_, size * sizeof(Item)), "taking memory");
  }
  // A copy of what the host has.
  explicit DeviceArray(std::span<const Item> items) : DeviceArray(items.size()) { copy(items); }
  ~DeviceArray() { cudaFree(items_); }
  DeviceArray(DeviceArray&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    return *this;
  }

  // The same copy again, of what may have changed since; memory is taken anew only for another number of items.
  void renew(std::span<const Item> items) {
    if (items.size() == size_) {
      copy(items);
    } else {
      *this = DeviceArray(items);
    }
  }

  Item* data() const { return items_; }
  std::size_t size() const { return size_; }

 private:
  void copy(std::span<const Item> items) {
    if (size_ == 0) return;
    check_cuda(cudaMemcpy(items_, items.data(), items.size_bytes(), cudaMemcpyHostToDevice), "taking the scene");
    // Streams of their own do not wait for the end of it.
    check_cuda(cudaStreamSynchronize(nullptr), "taking the scene");
  }

  Item* items_ = nullptr;
  std::size_t size_ = 0;
};

// An array of the host that the GPU copies to and from on its own.
template <class Item>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t size) : size_(size) {
    if (size > 0) check_pinned(cudaMallocHost(&items_, size * sizeof(Item)));
  }
  ~PinnedArray() { cudaFreeHost(items_); }
  PinnedArray(PinnedArray&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    return *this;
  }

  Item* data() const { return items_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(Item); }

 private:
  Item* items_ = nullptr;
  std::size_t size_ = 0;
};

// Work in order.
class CudaStream {
 public:
  CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "starting a stream"); }
  ~CudaStream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  CudaStream(CudaStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  CudaStream& operator=(CudaStream&&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait(const std::string& doing) const { check_cuda(cudaStreamSynchronize(stream_), doing); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace tesseray
