// SPDX-License-Identifier: GPL-3.0-or-later
// Memory and disk: what there is, and a refusal with figures before a run that would not fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace tesseray {

// What the system could give now without swapping, within the limits of our control groups.
std::uint64_t available_memory_bytes();
// What the control groups (version 2) leave of which a file as /proc/self/cgroup names the innermost: the least of that
// one's and those around it, which lie in the folder `groups`.
std::uint64_t memory_left_in_groups(const std::filesystem::path& of_process, const std::filesystem::path& groups);
// The most that this process ever held.
std::uint64_t peak_memory_bytes();

struct MemoryBudget {
  std::uint64_t bytes = 0;  // 0: what is available

  // What more may be held.
  std::uint64_t left_bytes() const;
  // Throws Error(resources) when `needed_bytes` more do not fit. `what_for` completes "… for the visibility of …";
  // `hint` says what to do then.
  void require(std::uint64_t needed_bytes, const std::string& what_for,
               const std::string& hint =
                   "make the EXTENT smaller, the TILE_AREA larger, give a MAX_DISTANCE, or allow "
                   "more memory") const;
};

// What is to be written, and what to do where there is no room for it.
struct Writing {
  std::string what = "the result";
  std::string hint = "write to another disk, or leave out layers or KINDS";
};
// Throws Error(resources) when the file system of `file` has less than `needed_bytes` free.
void require_disk_space(const std::filesystem::path& file, std::uint64_t needed_bytes, const Writing& writing = {});
// Whether that, or a disk that was full while something was written, is what a run failed for.
bool is_want_of_room(const Error& failure);

}  // namespace tesseray
