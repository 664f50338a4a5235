// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for CUDA's own header where no GPU is: compiled by the host's compiler with this one before all others, the
// .cu files of cuda/ run as they are. It has what they use and no more, and is stricter than a GPU:
//
// - A stream does nothing before it is waited for, nor does the default stream, so that what is read too early is not
//   there yet.
// - Memory of the device begins with garbage and ends at a page that nobody may touch.
// - No argument of a kernel may be, or hold, an address of the host's memory.
// - A vote of a warp waits for all of its threads, none of which may have ended.
// - Between two barriers the threads of a block come one after the other, in an order of chance that is turned round at
//   each barrier: without one that is needed some find what others have not written yet. All must come to each barrier.
// - Shared memory holds what the block before left there.
//
// Each of these ends the program with a line that says what was wrong (fail).
//
// With one of cudaError_t's numbers in the environment variable TESSERAY_EMULATED_GPU_IS it stands for a GPU that is
// there and of no use: 46 lets no process in, 209 and 222 know no code of this build.
// TESSERAY_EMULATED_GPU_PINS says how many arrays of the host it may copy to and from on its own; else there is no
// limit.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#define __CUDACC__
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
// A block stays on one thread of the host, and the next one there comes after it.
#define __shared__ static thread_local

#define CUDART_VERSION 13000

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned warpSize = 32;

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int major, minor;
};

struct dim3 {
  dim3(unsigned count = 1) : x(count) {}
  unsigned x, y = 1, z = 1;
};

namespace emulated_gpu {

class Stream;

// Ends the program: `what` was done wrong.
[[noreturn]] void fail(const char* what);

// Fails when eight of those bytes are an address of the host's memory.
void expect_no_host_address(const void* begin, std::size_t bytes);

// The same of an argument, but for what lies between its members, which nobody has written.
template <class Item>
void expect_no_host_address_in(const Item& item) {
  Item copy = item;
  __builtin_clear_padding(&copy);
  expect_no_host_address(&copy, sizeof copy);
}

// What calls say that make a context where there is none, and those that start a kernel.
cudaError_t status_of_context();
cudaError_t status_of_kernels();

// Appends work to a stream; null: the default one.
void append(Stream* stream, std::function<void()> work);

// Runs a kernel's blocks of threads one after the other.
void run_blocks(unsigned blocks, unsigned threads, const std::function<void()>& kernel);

// What a running thread of a kernel is told.
struct Index {
  unsigned x = 0;
};
void wait_for_block();
// What all threads of a warp give, by their places in it; waits until they have.
std::array<std::uint64_t, warpSize> exchange_in_warp(std::uint64_t number);
inline void expect_whole_warp(unsigned threads) {
  if (threads != 0xffffffff) fail("a warp is asked in part, which is not emulated");
}

}  // namespace emulated_gpu

using cudaStream_t = emulated_gpu::Stream*;

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t status);

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all);
cudaError_t allocate_on_device(void** place, std::size_t bytes);
cudaError_t allocate_pinned(void** place, std::size_t bytes);
template <class Item>
cudaError_t cudaMalloc(Item** place, std::size_t bytes) {
  return allocate_on_device(reinterpret_cast<void**>(place), bytes);
}
template <class Item>
cudaError_t cudaMallocHost(Item** place, std::size_t bytes) {
  return allocate_pinned(reinterpret_cast<void**>(place), bytes);
}
cudaError_t cudaFree(void* place);
cudaError_t cudaFreeHost(void* place);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemset(void* to, int value, std::size_t bytes);

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  constexpr unsigned most_blocks = 0x7fffffff, most_threads = 1024;
  // Of all GPUs since Volta, with a runtime of version 12.1 or later.
  constexpr std::size_t most_bytes = 32764;
  static_assert((sizeof(Parameters) + ... + 0) <= most_bytes);
  if (const cudaError_t status = emulated_gpu::status_of_kernels(); status != cudaSuccess) return status;
  const unsigned blocks = config->gridDim.x, threads = config->blockDim.x;
  if (blocks == 0 || blocks > most_blocks || threads == 0 || threads > most_threads) {
    return cudaErrorInvalidConfiguration;
  }
  const auto values = std::make_shared<std::tuple<Parameters...>>(std::forward<Arguments>(arguments)...);
  std::apply([](const auto&... value) { (emulated_gpu::expect_no_host_address_in(value), ...); }, *values);
  emulated_gpu::append(config->stream, [blocks, threads, kernel, values] {
    emulated_gpu::run_blocks(blocks, threads, [&] { std::apply(kernel, *values); });
  });
  return cudaSuccess;
}

// What kernels call.
inline thread_local emulated_gpu::Index threadIdx, blockIdx, blockDim;
inline unsigned __ballot_sync(unsigned threads, bool is_so) {
  emulated_gpu::expect_whole_warp(threads);
  const auto votes = emulated_gpu::exchange_in_warp(is_so ? 1 : 0);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) bits |= static_cast<unsigned>(votes[lane]) << lane;
  return bits;
}
inline std::uint64_t __shfl_sync(unsigned threads, std::uint64_t number, unsigned lane) {
  emulated_gpu::expect_whole_warp(threads);
  return emulated_gpu::exchange_in_warp(number)[lane];
}
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline void __syncthreads() { emulated_gpu::wait_for_block(); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline int __float_as_int(float number) { return std::bit_cast<int>(number); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
template <class Number>
Number atomicAdd(Number* place, Number more) {
  return std::atomic_ref(*place).fetch_add(more, std::memory_order_relaxed);
}
template <class Number>
Number atomicExch(Number* place, Number value) {
  return std::atomic_ref(*place).exchange(value, std::memory_order_relaxed);
}
template <class Number>
Number atomicCAS(Number* place, Number expected, Number value) {
  std::atomic_ref(*place).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
}
template <class Number>
Number atomicMax(Number* place, Number value) {
  Number before = std::atomic_ref(*place).load(std::memory_order_relaxed);
  while (before < value && !std::atomic_ref(*place).compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
  return before;
}
