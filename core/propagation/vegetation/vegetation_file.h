// SPDX-License-Identifier: GPL-3.0-or-later
// Metres inside vegetation between all elements that see each other, in a file beside the visibility's (NAME.tveg,
// docs/formats.md): so that they too are worked out once per city, not in each run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/visibility/visibility.h"

namespace tesseray {

class VegetationPairs;  // vegetation_pairs.h

// A file of lengths, and what it must have been made for: the relation that the visibility file has.
struct VegetationFile {
  std::filesystem::path path;
  std::uint64_t environment_hash = 0;
  VisibilityOptions options;
};

// The one beside the file of a relation; nothing for a relation in memory, or in a file that has no name any more.
std::optional<VegetationFile> vegetation_file_beside(const Visibility& visibility);

// What the file holds; nothing when there is none, or when it was made for something else or is damaged, and so may be
// replaced. Throws Error(invalid_input) when it is not a file of lengths at all.
std::optional<VegetationPairs> read_vegetation_pairs(const VegetationFile& file, std::uint32_t elements);

// Writes beside the file and renames when complete. Throws Error(invalid_input) when the folder cannot be written,
// Error(resources) when the disk is full. REQUIRES: pairs.known().
void write_vegetation_pairs(const VegetationPairs& pairs, const VegetationFile& file, std::uint32_t elements);

}  // namespace tesseray
