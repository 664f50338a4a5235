// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of the emulated GPU, and the host's that it copies to and from on its own.
#include "tests/support/emulated_gpu/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

namespace emulated_gpu {

namespace {

using Address = std::uintptr_t;

// Enough for a slot of each kind of work, and for several of most.
constexpr std::size_t all_bytes = std::size_t{1} << 30;
// What arrays are aligned to at least.
constexpr std::size_t alignment = 16;
constexpr int garbage = 0xd5;
// Of large arrays, small tests use the beginning, and the rest takes time to fill.
constexpr std::size_t most_garbage = std::size_t{1} << 20;

struct Allocation {
  std::size_t bytes = 0;
  void* mapped = nullptr;
  std::size_t mapped_bytes = 0;
};

class Memory {
 public:
  void add(Address begin, const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    allocations_[begin] = allocation;
    used_ += allocation.mapped_bytes;
  }
  Allocation remove(Address begin) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(begin);
    if (found == allocations_.end()) fail("memory is given back that was not taken");
    const Allocation allocation = found->second;
    allocations_.erase(found);
    used_ -= allocation.mapped_bytes;
    return allocation;
  }
  // Whether one of them holds so many bytes from `begin` on.
  bool holds(Address begin, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    auto after = allocations_.upper_bound(begin);
    if (after == allocations_.begin()) return false;
    --after;
    return begin + bytes <= after->first + after->second.bytes;
  }
  std::size_t used() const {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  std::size_t arrays() const {
    const std::lock_guard lock(mutex_);
    return allocations_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<Address, Allocation> allocations_;
  std::size_t used_ = 0;
};

Memory& device_memory() {
  static Memory memory;
  return memory;
}
Memory& pinned_memory() {
  static Memory memory;
  return memory;
}

std::size_t most_pinned_arrays() {
  static const char* const number = std::getenv("TESSERAY_EMULATED_GPU_PINS");
  return number != nullptr ? static_cast<std::size_t>(std::atoi(number)) : std::numeric_limits<std::size_t>::max();
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

Address address_of(const void* place) { return reinterpret_cast<Address>(place); }

// Pages for so many bytes, which end where a page begins that nobody may touch; null when there are none.
void* take_pages(std::size_t bytes, Memory& memory) {
  const std::size_t page = page_bytes();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const std::size_t pages = (rounded + page - 1) / page * page;
  void* const mapped = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  std::byte* const first = static_cast<std::byte*>(mapped);
  mprotect(first + pages, page, PROT_NONE);
  std::byte* const begin = first + (pages - rounded);
  std::memset(begin, garbage, std::min(rounded, most_garbage));
  memory.add(address_of(begin), {bytes, mapped, pages + page});
  return begin;
}

void give_pages_back(void* place, Memory& memory) {
  if (place == nullptr) return;
  const Allocation allocation = memory.remove(address_of(place));
  munmap(allocation.mapped, allocation.mapped_bytes);
}

bool is_mapped(Address address) {
  unsigned char is_resident = 0;
  return mincore(reinterpret_cast<void*>(address / page_bytes() * page_bytes()), 1, &is_resident) == 0;
}

}  // namespace

void fail(const char* what) {
  std::fprintf(stderr, "emulated GPU: %s\n", what);
  std::abort();
}

void expect_no_host_address(const void* begin, std::size_t bytes) {
  // Where programs, heaps and stacks lie; numbers below are counts, sums and small floats.
  constexpr Address least = Address{1} << 40, most = Address{1} << 47;
  const auto* const place = static_cast<const std::byte*>(begin);
  const std::size_t skipped = (sizeof(Address) - address_of(begin) % sizeof(Address)) % sizeof(Address);
  for (std::size_t k = skipped; k + sizeof(Address) <= bytes; k += sizeof(Address)) {
    Address word = 0;
    std::memcpy(&word, place + k, sizeof word);
    if (word < least || word >= most || device_memory().holds(word, 0)) continue;
    if (is_mapped(word)) fail("a kernel gets an address of the host's memory");
  }
}

bool is_on_device(const void* begin, std::size_t bytes) { return device_memory().holds(address_of(begin), bytes); }
bool is_pinned(const void* begin, std::size_t bytes) { return pinned_memory().holds(address_of(begin), bytes); }

}  // namespace emulated_gpu

using namespace emulated_gpu;

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *all = all_bytes;
  *free = all_bytes - std::min(all_bytes, device_memory().used());
  return cudaSuccess;
}

cudaError_t allocate_on_device(void** place, std::size_t bytes) {
  if (const cudaError_t status = status_of_context(); status != cudaSuccess) return status;
  std::size_t free = 0, all = 0;
  cudaMemGetInfo(&free, &all);
  *place = bytes <= free ? take_pages(bytes, device_memory()) : nullptr;
  return *place != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_pinned(void** place, std::size_t bytes) {
  if (const cudaError_t status = status_of_context(); status != cudaSuccess) return status;
  *place = pinned_memory().arrays() < most_pinned_arrays() ? take_pages(bytes, pinned_memory()) : nullptr;
  return *place != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void* place) {
  give_pages_back(place, device_memory());
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* place) {
  give_pages_back(place, pinned_memory());
  return cudaSuccess;
}
