// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels' bodies on threads of the host, which share sums and lists as those of a GPU do (shared_sums.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tesseray {

struct HostSharing {
  struct Adder {
    std::uint32_t* lock;

    void add(std::int64_t& sum, std::int64_t x) const { std::atomic_ref(sum).fetch_add(x, std::memory_order_relaxed); }
    void count(std::uint32_t& number, std::uint32_t more) const {
      std::atomic_ref(number).fetch_add(more, std::memory_order_relaxed);
    }
    void lower(float& least, float x) const {
      const std::atomic_ref<float> place(least);
      float seen = place.load(std::memory_order_relaxed);
      while (x < seen && !place.compare_exchange_weak(seen, x, std::memory_order_relaxed)) {
      }
    }
    // Lower than any, so that all is decided under the lock.
    template <class Real>
    Real now(const Real&) const {
      return -std::numeric_limits<Real>::infinity();
    }
    template <class Work>
    void exclusively(const Work& work) const {
      const std::atomic_ref<std::uint32_t> gate(*lock);
      while (gate.exchange(1, std::memory_order_acquire) != 0) {
      }
      work();
      gate.store(0, std::memory_order_release);
    }
  };
  static std::uint64_t claim(std::uint64_t& counter) {
    return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
  }
};

// Adds the sums by tile that threads have shared to those of a launch, which may want none of them or have others
// behind them, and empties them.
template <class Sums>
void hand_over_sums(std::span<Sums> shared, std::span<Sums> sums) {
  const std::size_t count = std::min(shared.size(), sums.size());
  for (std::size_t t = 0; t < count; ++t) sums[t].merge(std::exchange(shared[t], {}));
}

// Calls body(first) … body(end − 1), by several threads of its own, so that none waits for others that wait for it.
// Fewer than `worth_threads` are not worth them.
template <class Body>
void for_all_on_host(std::uint64_t first, std::uint64_t end, std::uint64_t worth_threads, const Body& body) {
  constexpr std::uint64_t most_threads = 3;
  const auto run = [&body](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) body(k);
  };
  const std::uint64_t count = end - first;
  if (count < worth_threads) {
    run(first, end);
    return;
  }
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < most_threads; ++t) {
    threads.emplace_back(run, first + count * t / most_threads, first + count * (t + 1) / most_threads);
  }
}

}  // namespace tesseray
