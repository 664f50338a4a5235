// SPDX-License-Identifier: GPL-3.0-or-later
// A loop that other threads help with between pieces of their own work. oneTBB's would wait until they have none: a
// thread's loop gets no workers while all of them are in the loop of another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace tesseray {

class SharedLoop {
 public:
  using Body = std::function<void(std::size_t)>;

  // Calls body(0) … body(count − 1), each once, in this thread, in workers that have nothing else to do, and in those
  // that help. All is done when it returns; what a body throws is thrown, the first of several. One loop at a time.
  void run(std::size_t count, const Body& body);
  // Takes part in the loop that runs, if one does, until it has nothing left to begin. For any thread.
  void help();

 private:
  class Work;

  std::mutex mutex_;
  std::shared_ptr<Work> work_;  // none: no loop runs
};

}  // namespace tesseray
