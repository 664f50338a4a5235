// SPDX-License-Identifier: GPL-3.0-or-later
// How a run learns that it should stop: SIGINT, SIGTERM, or the end of standard input.
#pragma once

#include <string>
#include <thread>

namespace tesseray {

// From now on the two signals ask for cancel instead of ending the process. Neither a reader of our output that has
// gone nor a limit of file sizes ends it: the write fails, and is an error like any other.
void catch_signals();
void request_cancel();
bool cancel_requested();

// Standard input, read without a buffer of its own, so that its end can be watched afterwards. Throws Error(cancelled)
// when a signal asks for cancel before the line has come.
std::string read_line_from_standard_input();

// While one lives, the end of standard input asks for cancel.
class StandardInputWatch {
 public:
  StandardInputWatch();

 private:
  std::jthread thread_;
};

}  // namespace tesseray
