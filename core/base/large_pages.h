// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays on large pages of memory, where the system has them: for what is read or written here and there all over, so
// that the processor does not look up a page for each place.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <vector>

namespace tesseray {

template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    constexpr std::size_t line = 64, page = std::size_t{2} << 20;
    if (count > (static_cast<std::size_t>(-1) - page) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T), unit = bytes < page ? line : page;
    void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    // Only a wish: without large pages all works as it does with them.
    if (unit == page) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }
};

// Begins at a line of the cache.
template <class T>
using LargePageVector = std::vector<T, LargePageAllocator<T>>;

// One large page, or a few, for many small arrays that are used together. What they give back is lent again only after
// the end of all.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  ~ScratchMemory() {
    resource_.release();
    allocator_.deallocate(page_, bytes);
  }
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  std::pmr::memory_resource* resource() { return &resource_; }

 private:
  static constexpr std::size_t bytes = std::size_t{2} << 20;
  LargePageAllocator<std::byte> allocator_;
  std::byte* page_ = allocator_.allocate(bytes);
  std::pmr::monotonic_buffer_resource resource_{page_, bytes};
};

}  // namespace tesseray
