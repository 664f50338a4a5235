// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/command_line/cancellation.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <stop_token>

#include "core/base/error.h"

namespace tesseray {
namespace {

// A signal handler has nothing else to write to.
std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int /*signal*/) { cancelled.store(true, std::memory_order_relaxed); }

void watch(const std::stop_token& stop) {
  constexpr int patience_ms = 100;  // how soon a finished run may end
  while (!stop.stop_requested()) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, patience_ms) <= 0) continue;
    std::array<char, 4096> ignored{};
    const ssize_t bytes = read(STDIN_FILENO, ignored.data(), ignored.size());
    if (bytes > 0 || (bytes < 0 && (errno == EINTR || errno == EAGAIN))) continue;
    request_cancel();
    return;
  }
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

void request_cancel() { cancelled.store(true, std::memory_order_relaxed); }
bool cancel_requested() { return cancelled.load(std::memory_order_relaxed); }

std::string read_line_from_standard_input() {
  std::string line;
  std::array<char, 1> byte{};
  while (true) {
    const ssize_t bytes = read(STDIN_FILENO, byte.data(), 1);
    if (cancel_requested()) throw Error(ErrorKind::cancelled, "cancelled", "cancelled before the run began");
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0 || byte[0] == '\n') return line;
    line += byte[0];
  }
}

StandardInputWatch::StandardInputWatch() : thread_([](const std::stop_token& stop) { watch(stop); }) {}

}  // namespace tesseray
