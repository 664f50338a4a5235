// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/shared_loop.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <utility>

#include "core/base/parallel.h"

namespace tesseray {

class SharedLoop::Work {
 public:
  Work(std::size_t count, const Body& body) : count_(count), body_(body) {}

  // Does the next one; false when all have been begun.
  bool do_next() {
    const std::size_t k = next_.fetch_add(1);
    if (k >= count_) return false;
    std::exception_ptr failure;
    try {
      body_(k);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    if (++done_ == count_) has_ended_.notify_all();
    return true;
  }

  // Waits for those that others have begun.
  void finish() {
    std::unique_lock lock(mutex_);
    has_ended_.wait(lock, [&] { return done_ == count_; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t count_;
  const Body& body_;  // outlives the last call of it
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

void SharedLoop::run(std::size_t count, const Body& body) {
  const auto work = std::make_shared<Work>(count, body);
  {
    const std::lock_guard lock(mutex_);
    work_ = work;
  }
  parallel_blocks(count, 1, no_progress(), [&](std::size_t, std::size_t) { work->do_next(); });
  {
    const std::lock_guard lock(mutex_);
    work_ = nullptr;
  }
  work->finish();
}

void SharedLoop::help() {
  std::shared_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work = work_;
  }
  while (work && work->do_next()) {
  }
}

}  // namespace tesseray
