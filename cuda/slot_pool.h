// SPDX-License-Identifier: GPL-3.0-or-later
// What batches of work need on a GPU, taken once and lent to threads in turn.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "cuda/device_memory.h"

namespace tesseray {

// Calls add() so many times, or fewer where there is no memory for more; for one there must be.
template <class Add>
void add_as_memory_allows(std::size_t most, const Add& add) {
  for (std::size_t added = 0; added < most; ++added) {
    try {
      add();
    } catch (const Error& error) {
      if (added == 0 || error.kind() != ErrorKind::resources) throw;
      return;
    }
  }
}

// Slot: made of a Capacity; has a CudaStream `stream`, static std::size_t device_bytes(const Capacity&), and
// std::size_t host_bytes() const.
template <class Slot>
class SlotPool {
 public:
  // As many slots as half of the GPU's free memory takes, and as there is memory for, on the host as well: at least one
  // and at most `most`; `doing` as for check_cuda().
  template <class Capacity>
  SlotPool(const Capacity& capacity, std::size_t most, const std::string& doing) {
    std::size_t free_bytes = 0, all_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), doing);
    const std::size_t fitting = free_bytes / 2 / Slot::device_bytes(capacity);
    const std::size_t count = std::clamp<std::size_t>(fitting, 1, most);
    add_as_memory_allows(count, [&] {
      free_.push_back(std::make_unique<Slot>(capacity));
      host_bytes_ += free_.back()->host_bytes();
    });
  }

  // Of all slots.
  std::size_t host_bytes() const { return host_bytes_; }

  // A slot, for as long as this lives. Waits until there is one.
  class Lease {
   public:
    explicit Lease(SlotPool& pool) : pool_(pool) {
      std::unique_lock lock(pool_.mutex_);
      pool_.has_slot_.wait(lock, [&] { return !pool_.free_.empty(); });
      slot_ = std::move(pool_.free_.back());
      pool_.free_.pop_back();
    }
    ~Lease() {
      // Nothing may be in flight to what the next one fills, when a batch failed.
      cudaStreamSynchronize(slot_->stream.get());
      {
        const std::lock_guard lock(pool_.mutex_);
        pool_.free_.push_back(std::move(slot_));
      }
      pool_.has_slot_.notify_one();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Slot& slot() const { return *slot_; }

   private:
    SlotPool& pool_;
    std::unique_ptr<Slot> slot_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable has_slot_;
  std::vector<std::unique_ptr<Slot>> free_;
  std::size_t host_bytes_ = 0;
};

}  // namespace tesseray
