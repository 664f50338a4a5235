// SPDX-License-Identifier: GPL-3.0-or-later
// What the emulated GPU does in order, once it is waited for.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/support/emulated_gpu/device_memory.h"

namespace emulated_gpu {

class Stream {
 public:
  void append(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  // One thread at a time, as long as it takes.
  void run() {
    const std::lock_guard lock(mutex_);
    for (const std::function<void()>& work : work_) work();
    work_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> work_;
};

namespace {

Stream& default_stream() {
  static Stream stream;
  return stream;
}

Stream& of(Stream* stream) { return stream != nullptr ? *stream : default_stream(); }

void copy_to_device(void* to, const void* from, std::size_t bytes, Stream& stream) {
  if (!is_on_device(to, bytes)) fail("a copy to the GPU ends elsewhere");
  if (is_pinned(from, bytes)) {
    stream.append([=] { std::memcpy(to, from, bytes); });
    return;
  }
  // What the GPU cannot read on its own is taken at once, and gets there later.
  const auto* const begin = static_cast<const std::byte*>(from);
  stream.append([to, taken = std::vector<std::byte>(begin, begin + bytes)] {
    if (!taken.empty()) std::memcpy(to, taken.data(), taken.size());
  });
}

void copy_from_device(void* to, const void* from, std::size_t bytes, Stream& stream) {
  if (!is_on_device(from, bytes)) fail("a copy from the GPU begins elsewhere");
  stream.append([=] { std::memcpy(to, from, bytes); });
  if (!is_pinned(to, bytes)) stream.run();
}

}  // namespace

cudaError_t status_of_kernels() {
  static const char* const number = std::getenv("TESSERAY_EMULATED_GPU_IS");
  return number != nullptr ? static_cast<cudaError_t>(std::atoi(number)) : cudaSuccess;
}

cudaError_t status_of_context() {
  const cudaError_t status = status_of_kernels();
  return status == cudaErrorDevicesUnavailable ? status : cudaSuccess;
}

void append(Stream* stream, std::function<void()> work) { of(stream).append(std::move(work)); }

}  // namespace emulated_gpu

using namespace emulated_gpu;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (const cudaError_t status = status_of_context(); status != cudaSuccess) return status;
  *stream = new Stream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  of(stream).run();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (kind == cudaMemcpyHostToDevice) {
    copy_to_device(to, from, bytes, of(stream));
  } else {
    copy_from_device(to, from, bytes, of(stream));
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  if (kind == cudaMemcpyDeviceToHost) default_stream().run();
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (!is_on_device(to, bytes)) fail("memory is set that is not the GPU's");
  of(stream).append([=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::size_t free = 0;
  *properties = {.name = "emulated GPU", .totalGlobalMem = 0, .major = 9, .minor = 0};
  return cudaMemGetInfo(&free, &properties->totalGlobalMem);
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    case cudaErrorUnsupportedPtxVersion:
      return "the provided PTX was compiled with an unsupported toolchain.";
    default:
      return "invalid";
  }
}
