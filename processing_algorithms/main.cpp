// SPDX-License-Identifier: GPL-3.0-or-later
// The executable. Every error ends here and becomes a message and an exit status.
#include <fcntl.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/sources/passwords.h"
#include "processing_algorithms/command_line/cancellation.h"
#include "processing_algorithms/command_line/command_line.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/run/run_progress.h"

namespace tesseray {
namespace {

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return 2;
    case ErrorKind::resources:
      return 3;
    case ErrorKind::partial:
      return 4;
    case ErrorKind::cancelled:
      return 130;
    case ErrorKind::internal:
      break;
  }
  return 1;
}

// Throws Error when it goes to a full disk. Who has closed it wants no output.
void write_to_standard_output(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  const int cause = errno;
  if (is_written || cause == EBADF || cause == EPIPE) return;
  throw Error(ErrorKind::resources, "output_not_written",
              "standard output cannot be written (" + std::generic_category().message(cause) + ")",
              "make room where it goes to; files and layers of a run are complete");
}

Error without_passwords(const Error& error, const KnownPasswords& passwords) {
  ErrorPlace place = error.place();
  for (std::string* part : {&place.file, &place.layer, &place.field}) *part = passwords.hidden_in(*part);
  // The message begins with the place.
  const std::string where = describe(error.place());
  const std::string message = where.empty() ? error.message() : error.message().substr(where.size() + 2);
  return {error.kind(), error.code(), passwords.hidden_in(message), passwords.hidden_in(error.hint()), place};
}

// Those of sources on the command line, also of one that stands where none belongs: "--environment=PG:…".
KnownPasswords passwords_in(const std::vector<std::string>& arguments) {
  KnownPasswords passwords;
  for (const std::string& argument : arguments) {
    const std::size_t value = argument.starts_with("--") ? argument.find('=') + 1 : 0;
    passwords.add_those_of(argument.substr(value));
  }
  return passwords;
}

// Returns the exit status. `passwords` gets those of the parameters that come by standard input.
int run_tool(const Command& command, ProgressDisplay& display, KnownPasswords& passwords) {
  GivenParameters given = command.given;
  RunSettings settings = command.settings;
  if (command.parameters_from_stdin) {
    Request request = request_from_json(read_line_from_standard_input(), command.tool->parameters);
    settings.copies = std::move(request.copies);
    for (auto& [name, text] : request.parameters) {
      passwords.add_those_of(text);
      if (given.emplace(name, text).second) continue;
      throw Error(ErrorKind::invalid_input, "given_twice", name + " is given on the command line and in the JSON",
                  "give it once");
    }
  }
  std::optional<StandardInputWatch> watch;
  if (command.cancel_on_eof) watch.emplace();
  // The limit alone would not let more threads run than the machine has cores; the arena does.
  std::optional<tbb::global_control> thread_limit;
  tbb::task_arena arena;
  if (settings.threads > 0) {
    thread_limit.emplace(tbb::global_control::max_allowed_parallelism, settings.threads);
    arena.initialize(static_cast<int>(settings.threads));
  }
  RunProgress progress(display, cancel_requested, passwords);
  Run run(*command.tool, given, settings, progress);
  const Outcome outcome = arena.execute([&] { return command.tool->run(run); });
  progress.finish();
  write_to_standard_output(command.json_result ? outcome_as_json(run, outcome, progress)
                                               : outcome_as_text(outcome, progress));
  return outcome.failed_transmitters.empty() ? 0 : exit_status(ErrorKind::partial);
}

// oneTBB has no type of its own for threads that it does not get.
bool is_want_of_threads(const std::exception& failure) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&failure);
  return (of_system && of_system->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(failure.what()).starts_with("pthread_create has failed");
}

bool is_want_of_memory(const std::exception& failure) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&failure);
  return (of_system && of_system->code() == std::errc::not_enough_memory) ||
         dynamic_cast<const std::bad_alloc*>(&failure);
}

// What libraries throw.
Error as_error(const std::exception& failure) {
  if (is_want_of_threads(failure)) {
    return {ErrorKind::resources, "no_threads", "the system gives this run no more threads",
            "give fewer with --threads, or raise the limits of processes and memory (ulimit -u, ulimit -v)"};
  }
  if (is_want_of_memory(failure)) {
    return {ErrorKind::resources, "out_of_memory", "the memory is not enough",
            "make the EXTENT smaller or the TILE_AREA larger"};
  }
  return {ErrorKind::internal, "internal_fault", std::string("a fault of Tesseray: ") + failure.what(),
          "please report it, with the command line"};
}

int run_command_line(const std::vector<std::string>& arguments) {
  std::unique_ptr<ProgressDisplay> display = make_progress_display(progress_style_of(arguments));
  KnownPasswords passwords = passwords_in(arguments);
  try {
    const Command command = parse_command_line(arguments);
    if (command.action == Command::Action::print) {
      write_to_standard_output(command.text);
      return 0;
    }
    display = make_progress_display(command.progress);
    catch_signals();
    return run_tool(command, *display, passwords);
  } catch (const Error& error) {
    display->error(without_passwords(error, passwords));
    return exit_status(error.kind());
  } catch (const std::exception& failure) {
    const Error error = as_error(failure);
    display->error(without_passwords(error, passwords));
    return exit_status(error.kind());
  }
}

// A file gets the least number that is free: that of a standard stream which the caller has closed, so that what is
// told there would be written into the file.
void open_closed_standard_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor >= 0) close(descriptor);
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  tesseray::open_closed_standard_streams();
  return tesseray::run_command_line({argv + 1, argv + argc});
}
