// SPDX-License-Identifier: GPL-3.0-or-later
// The finished blocks of a computation under way, in a file beside the one that they will make (NAME.tvis.work): what
// was computed outlives cancelling, killing and a full disk. docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/visibility.h"
#include "core/visibility/work_block.h"

namespace tesseray {

class WorkFile {
 public:
  // Opens what an earlier run left for the same environment, options and elements, or begins anew; `key` says which
  // (its entries do not count). Tells of what is found, and of what is not used and why, as warnings. Throws
  // Error(invalid_input) when another run is at work on the same file.
  WorkFile(const std::filesystem::path& target, const VisibilityFileInfo& key, Progress& progress);
  // Blocks stay; a file without any is removed.
  ~WorkFile();
  WorkFile(const WorkFile&) = delete;
  WorkFile& operator=(const WorkFile&) = delete;

  const std::vector<WorkBlockIndex>& blocks() const { return blocks_; }
  // The elements before this one are done.
  std::uint32_t finished_elements() const { return blocks_.empty() ? 0 : blocks_.back().end; }
  // Throws Error(resources) on a full disk; what was there stays.
  void append(const WorkBlock& block);
  // Replaces `bytes` by a part of a block. Thread-safe.
  void read(std::size_t block, std::uint64_t begin, std::uint64_t end, std::vector<std::uint8_t>& bytes) const;
  // When it is not needed any more.
  void remove();

 private:
  class Descriptor {
   public:
    Descriptor() = default;
    ~Descriptor() { reset(-1); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void reset(int number);
    int number() const { return number_; }

   private:
    int number_ = -1;
  };

  // Opens the file and locks it.
  void open_for_us();
  bool is_empty() const;
  bool has_our_head(Progress& progress) const;
  void set_aside();
  void find_blocks(Progress& progress);
  // Appends the block that begins at end_; false when there is none. Sets `is_damaged` when it is not whole but for the
  // end of the file.
  bool find_block(bool& is_damaged);
  bool read_bytes(std::uint64_t offset, std::span<std::uint8_t> bytes) const;
  void write_bytes(std::uint64_t offset, std::span<const std::uint8_t> bytes) const;
  void wait_for_disk();
  void cut_behind_last_block() const;
  std::uint32_t element_count() const { return key_.tile_count + key_.edge_count; }

  std::filesystem::path target_, path_;
  VisibilityFileInfo key_;
  Descriptor descriptor_;
  std::vector<WorkBlockIndex> blocks_;
  std::vector<std::uint64_t> payload_begins_;  // of blocks' bytes in the file
  std::uint64_t end_ = 0;                      // of the last whole block
  bool is_removed_ = false;
  std::future<int> disk_;  // brings the last block to the disk
};

// NAME.tvis.work for NAME.tvis.
std::filesystem::path work_file_beside(const std::filesystem::path& target);

}  // namespace tesseray
