// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of a block, each with a stack of its own, one after the other up to each barrier.
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <random>
#include <vector>

namespace emulated_gpu {

namespace {

using boost::context::fiber;

struct Thread {
  unsigned index = 0;
  fiber itself, block;  // which of both does not run now
};
thread_local Thread* running = nullptr;

void run_block(unsigned threads, const std::function<void()>& kernel, boost::context::pooled_fixedsize_stack& stacks,
               std::minstd_rand& order) {
  std::vector<Thread> all(threads);
  std::vector<Thread*> left;
  for (unsigned t = 0; t < threads; ++t) {
    Thread& thread = all[t];
    thread.index = t;
    thread.itself = fiber(std::allocator_arg, stacks, [&](fiber&& block) {
      thread.block = std::move(block);
      kernel();
      return std::move(thread.block);
    });
    left.push_back(&thread);
  }
  std::shuffle(left.begin(), left.end(), order);
  while (!left.empty()) {
    std::reverse(left.begin(), left.end());
    for (Thread* thread : left) {
      running = thread;
      threadIdx.x = thread->index;
      thread->itself = std::move(thread->itself).resume();
    }
    const std::size_t before = left.size();
    std::erase_if(left, [](const Thread* thread) { return !thread->itself; });
    if (!left.empty() && left.size() < before) fail("some threads of a block wait where others never come");
  }
}

}  // namespace

void wait_for_block() { running->block = std::move(running->block).resume(); }

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
    run_block(threads, kernel, stacks, order);
  }
}

}  // namespace emulated_gpu
