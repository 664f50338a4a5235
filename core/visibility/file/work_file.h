// SPDX-License-Identifier: GPL-3.0-or-later
// The finished blocks of a visibility under way, in a file beside the one that they will make (NAME.tvis.work).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/block_file.h"
#include "core/base/progress.h"
#include "core/visibility/file/work_block.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// What there is to compute of a tiling.
VisibilityFileInfo visibility_to_compute(const Tiling& tiling, const VisibilityOptions& options,
                                         std::uint64_t environment_hash);

class WorkFile {
 public:
  // Opens what an earlier run left for the same environment, options and elements, or begins anew; `key` says which
  // (its entries do not count). Tells of what is not used and why as warnings. Throws Error(invalid_input) when another
  // run is at work on the same file.
  WorkFile(const FileTarget& target, const VisibilityFileInfo& key, Progress& progress);

  const FileTarget& target() const { return target_; }
  const VisibilityFileInfo& key() const { return key_; }
  const std::vector<WorkBlockIndex>& blocks() const { return blocks_; }
  // The elements before this one are done.
  std::uint32_t finished_elements() const { return blocks_.empty() ? 0 : blocks_.back().end; }
  // Of the whole relation.
  std::uint32_t element_count() const { return key_.tile_count + key_.edge_count; }
  // Throws Error(resources) on a full disk; what was there stays.
  void append(const WorkBlock& block);
  // Replaces `bytes` by a part of a block. Thread-safe.
  void read(std::size_t block, std::uint64_t begin, std::uint64_t end, std::vector<std::uint8_t>& bytes) const;
  // When it is not needed any more.
  void remove() { file_.remove(); }

 private:
  void set_aside(bool is_damaged, Progress& progress);
  void find_blocks(Progress& progress);
  // False when the bytes are not those of the block that comes next.
  bool take_block(const BlockFile::Block& block, std::span<const std::uint8_t> bytes);

  FileTarget target_;
  VisibilityFileInfo key_;
  BlockFile file_;
  std::vector<WorkBlockIndex> blocks_;
  std::vector<std::uint64_t> payload_begins_;  // of blocks' rows in the file
};

// compute_visibility_file() from the work that is there on, of which it tells; removes the work file in the end.
void compute_visibility_file(const Occlusion& occlusion, const Tiling& tiling, WorkFile& work,
                             std::uint64_t memory_bytes, Progress& progress);

}  // namespace tesseray
