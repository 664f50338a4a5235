// SPDX-License-Identifier: GPL-3.0-or-later
// What is worked out once for a relation, kept in a file beside the visibility's, so that later runs take it from there
// (docs/formats.md). Nothing is lost where such a file is not there, belongs to something else or is damaged: it is
// made anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// What it must have been made for: a relation in a file, and points so high over its ground.
struct KeptBeside {
  std::filesystem::path visibility_file;
  std::uint64_t environment_hash = 0;
  VisibilityOptions options;
  std::uint32_t elements = 0;
  double receiver_height_m = 0;
};

// Nothing for a relation in memory, or in a file that has no name any more.
std::optional<KeptBeside> kept_beside(const Visibility& visibility, double receiver_height_m);

// A kind of such files. All begin with the same header.
struct KeptKind {
  std::uint32_t letters, format_version;  // that they begin with
  std::string extension;
  std::string what;  // they hold
};

std::filesystem::path kept_file(const KeptKind& kind, const KeptBeside& beside);

// What is behind the header; nothing when there is no file, or when it was made for something else or is damaged, and
// so may be replaced. Throws Error(invalid_input) when it is not a file of this kind at all.
std::optional<std::vector<std::uint8_t>> read_kept(const KeptKind& kind, const KeptBeside& beside);

// Writes beside the file and renames when complete. Throws Error(invalid_input) when the folder cannot be written,
// Error(resources) when the disk is full.
void write_kept(const KeptKind& kind, const KeptBeside& beside, std::span<const std::uint8_t> content);

// Does what needs the file; false, with a warning, when that cannot be done.
template <class Work>
bool is_kept_file_usable(const KeptKind& kind, Progress& progress, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::invalid_input && refused.kind() != ErrorKind::resources) throw;
    progress.warn({"not_kept", kind.what + " is not kept for other runs: " + refused.message()});
    return false;
  }
}

}  // namespace tesseray
