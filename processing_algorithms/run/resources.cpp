// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/resources.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>

#include "core/base/size_text.h"

namespace tesseray {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// The number in a file that holds nothing else; none for "max" or no file.
std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// The number behind a name in a file of such lines; 0 where it is not there.
std::uint64_t number_of(const std::string& name, const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string found;
  for (std::uint64_t number = 0; file >> found >> number;) {
    if (found == name) return number;
  }
  return 0;
}

// What one group may still take. Files that were read or written and are not in use are given back for what is needed.
std::uint64_t left_in_group(const std::filesystem::path& group) {
  const std::optional<std::uint64_t> limit = number_in(group / "memory.max");
  if (!limit) return unlimited;
  const std::uint64_t held = number_in(group / "memory.current").value_or(0);
  const std::uint64_t used = held - std::min(held, number_of("inactive_file", group / "memory.stat"));
  return *limit - std::min(used, *limit);
}

std::uint64_t system_available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu", &kibibytes) == 1) return kibibytes * 1024;
  }
  return unlimited;
}

std::uint64_t current_memory_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "VmRSS: %llu", &kibibytes) == 1) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::uint64_t memory_left_in_groups(const std::filesystem::path& of_process, const std::filesystem::path& groups) {
  std::ifstream file(of_process);
  std::string line, path;
  while (std::getline(file, line)) {
    if (line.starts_with("0::/")) path = line.substr(4);
  }
  std::uint64_t left = left_in_group(groups);
  std::filesystem::path group = groups;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    left = std::min(left, left_in_group(group /= part));
  }
  return left;
}

std::uint64_t available_memory_bytes() {
  return std::min(system_available_bytes(), memory_left_in_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t MemoryBudget::left_bytes() const {
  return bytes == 0 ? available_memory_bytes() : bytes - std::min(bytes, current_memory_bytes());
}

void MemoryBudget::require(std::uint64_t needed_bytes, const std::string& what_for, const std::string& hint) const {
  const std::uint64_t left = left_bytes();
  if (needed_bytes <= left) return;
  throw Error(ErrorKind::resources, "memory_budget",
              size_text(needed_bytes) + " of memory are needed for " + what_for + ", and " + size_text(left) +
                  (bytes == 0 ? " are free" : " are left of --memory " + size_text(bytes)),
              hint);
}

void require_disk_space(const std::filesystem::path& file, std::uint64_t needed_bytes, const Writing& writing) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, problem);
  if (problem || needed_bytes <= space.available) return;
  throw Error(ErrorKind::resources, "disk_space",
              writing.what + " needs about " + size_text(needed_bytes) + ", and " + size_text(space.available) +
                  " are free in " + folder.string(),
              writing.hint, {.file = file.string()});
}

bool is_want_of_room(const Error& failure) { return failure.code() == "disk_space" || failure.code() == "disk_full"; }

}  // namespace tesseray
