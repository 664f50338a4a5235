// SPDX-License-Identifier: GPL-3.0-or-later
// Finished pieces of a long computation, in a file that they are appended to: what was computed outlives cancelling,
// killing and a full disk.
//
// The file begins with a head that says which work it is of. Blocks follow without gaps, each with the bytes of some
// consecutive pieces, and a checksum; a block that is not whole is as if it were not there. docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace tesseray {

// NAME.work for the file NAME that the work will make.
std::filesystem::path work_file_beside(const std::filesystem::path& target);

class BlockFile {
 public:
  // The pieces first … end − 1, and where their bytes lie in the file.
  struct Block {
    std::uint32_t first = 0, end = 0;
    std::uint64_t begin = 0, bytes = 0;
  };
  enum class Head {
    none,     // the file is empty
    ours,     // it is of this work
    another,  // it is whole, of other work of the same kind
    foreign,  // damaged, or not of this kind
  };

  // Opens the file, or makes it, and locks it; throws `busy` when another run has it. The first four bytes of `head`
  // say the kind of work.
  BlockFile(const std::filesystem::path& path, const std::vector<std::uint8_t>& head, const Error& busy);
  // Blocks stay; a file that is known to have none is removed.
  ~BlockFile();
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // False on a file system that has no locks: nothing keeps another run from the same file.
  bool is_locked() const { return is_locked_; }
  Head found() const;
  // Empties the file but for our head.
  void begin_anew();
  // Renames it to NAME.work.unused, and begins anew.
  void set_aside();
  // Calls accept(block, its bytes) for each whole block, until it returns false. What follows the last accepted block
  // is cut off; returns false when that was damaged, not only the end of a run that was killed. REQUIRES: Head::ours.
  bool find_blocks(const std::function<bool(const Block&, std::span<const std::uint8_t>)>& accept, Progress& progress);

  const std::vector<Block>& blocks() const { return blocks_; }
  // Throws Error(resources) on a full disk; what was there stays.
  void append(std::uint32_t first, std::uint32_t end, std::span<const std::uint8_t> bytes);
  // Fills `bytes` with those of the file from `offset` on. Thread-safe.
  void read(std::uint64_t offset, std::span<std::uint8_t> bytes) const;
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

  void open_for_us();
  bool lock() const;
  bool is_no_longer_at_path() const;
  // The block that begins at end_ and its bytes; false when there is none. Sets `is_damaged` when it is not whole but
  // for the end of the file.
  bool find_block(Block& block, std::vector<std::uint8_t>& bytes, bool& is_damaged) const;
  bool read_bytes(std::uint64_t offset, std::span<std::uint8_t> bytes) const;
  void write_bytes(std::uint64_t offset, std::span<const std::uint8_t> bytes) const;
  void wait_for_disk();
  [[noreturn]] void throw_cannot_write(int error) const;
  void cut_behind_last_block() const;

  std::filesystem::path path_;
  std::vector<std::uint8_t> head_;  // with its checksum
  Error busy_;
  Descriptor descriptor_;
  std::vector<Block> blocks_;
  std::uint64_t end_ = 0;  // of the last whole block
  bool is_known_ = false;  // blocks_ are all that it has: until then it may be another run's work
  bool is_removed_ = false, is_locked_ = false;
  std::future<int> disk_;  // brings the last block to the disk
};

}  // namespace tesseray
