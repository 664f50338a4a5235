// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of a block, each with a stack of its own, one after the other up to each barrier of the block or a warp.
#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <random>
#include <vector>

namespace emulated_gpu {

namespace {

using boost::context::fiber;

// What threads in lockstep tell each other: by turns, since one may be at its next number before others have read this.
using Numbers = std::array<std::uint64_t, warpSize>;
struct Warp {
  Numbers numbers[2] = {};
  unsigned threads = 0, waiting = 0;
};

enum class WaitsFor { nothing, warp, block };

struct Thread {
  unsigned index = 0;
  Warp* warp = nullptr;
  WaitsFor waits_for = WaitsFor::nothing;
  unsigned exchanges = 0;
  fiber itself, block;  // which of both does not run now
};
thread_local Thread* running = nullptr;

// One block: its threads run, in an order that is turned round each time, until each of them waits for others.
class ThreadBlock {
 public:
  ThreadBlock(unsigned threads, const std::function<void()>& kernel, boost::context::pooled_fixedsize_stack& stacks,
              std::minstd_rand& order)
      : warps_((threads + warpSize - 1) / warpSize), all_(threads) {
    for (unsigned t = 0; t < threads; ++t) {
      Thread& thread = all_[t];
      thread.index = t;
      thread.warp = &warps_[t / warpSize];
      ++thread.warp->threads;
      thread.itself = fiber(std::allocator_arg, stacks, [&](fiber&& block) {
        thread.block = std::move(block);
        kernel();
        return std::move(thread.block);
      });
      left_.push_back(&thread);
    }
    std::shuffle(left_.begin(), left_.end(), order);
  }

  void run() {
    while (!left_.empty()) {
      std::reverse(left_.begin(), left_.end());
      const std::vector<Thread*> ready = take_ready();
      if (ready.empty()) fail("some threads of a block wait where others never come");
      for (Thread* thread : ready) {
        running = thread;
        threadIdx.x = thread->index;
        thread->itself = std::move(thread->itself).resume();
      }
      std::erase_if(left_, [](const Thread* thread) { return !thread->itself; });
    }
  }

 private:
  // Those for whom all have come.
  std::vector<Thread*> take_ready() {
    for (Warp& warp : warps_) warp.waiting = 0;
    std::size_t waiting = 0;
    for (const Thread* thread : left_) {
      if (thread->waits_for == WaitsFor::warp) ++thread->warp->waiting;
      if (thread->waits_for == WaitsFor::block) ++waiting;
    }
    std::vector<Thread*> ready;
    for (Thread* thread : left_) {
      const bool is_ready = thread->waits_for == WaitsFor::nothing ||
                            (thread->waits_for == WaitsFor::warp && thread->warp->waiting == thread->warp->threads) ||
                            (thread->waits_for == WaitsFor::block && waiting == all_.size());
      if (is_ready) ready.push_back(thread);
    }
    for (Thread* thread : ready) thread->waits_for = WaitsFor::nothing;
    return ready;
  }

  std::vector<Warp> warps_;
  std::vector<Thread> all_;
  std::vector<Thread*> left_;
};

void wait_for(WaitsFor whom) {
  running->waits_for = whom;
  running->block = std::move(running->block).resume();
}

}  // namespace

void wait_for_block() { wait_for(WaitsFor::block); }

std::array<std::uint64_t, warpSize> exchange_in_warp(std::uint64_t number) {
  const Numbers& numbers = running->warp->numbers[running->exchanges % 2];
  running->warp->numbers[running->exchanges++ % 2][running->index % warpSize] = number;
  wait_for(WaitsFor::warp);
  return numbers;
}

void run_blocks(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  constexpr std::size_t stack_bytes = 256 * 1024;
  boost::context::pooled_fixedsize_stack stacks(stack_bytes, threads);
  std::minstd_rand order(blocks);
  // Blocks come in any order on a GPU.
  std::vector<unsigned> numbers(blocks);
  for (unsigned b = 0; b < blocks; ++b) numbers[b] = b;
  std::shuffle(numbers.begin(), numbers.end(), order);
  blockDim.x = threads;
  for (const unsigned number : numbers) {
    blockIdx.x = number;
    ThreadBlock(threads, kernel, stacks, order).run();
  }
}

}  // namespace emulated_gpu
