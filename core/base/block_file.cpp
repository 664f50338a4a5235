// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "core/base/checksum.h"
#include "core/base/little_endian.h"
#include "core/base/staged_file.h"

namespace tesseray {

namespace {

constexpr std::size_t magic_bytes = 4, checksum_bytes = 8, block_head_bytes = 32;

std::vector<std::uint8_t> with_checksum(std::vector<std::uint8_t> bytes) {
  append_u64(xxh64(bytes), bytes);
  return bytes;
}

std::vector<std::uint8_t> encoded_head(std::uint32_t first, std::uint32_t end, std::span<const std::uint8_t> behind) {
  std::vector<std::uint8_t> bytes;
  append_u64(behind.size(), bytes);
  append_u32(first, bytes);
  append_u32(end, bytes);
  append_u64(xxh64(behind), bytes);
  return with_checksum(std::move(bytes));
}

}  // namespace

std::filesystem::path work_file_beside(const std::filesystem::path& target) {
  std::filesystem::path path = target;
  return path += ".work";
}

void BlockFile::Descriptor::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

BlockFile::BlockFile(const std::filesystem::path& path, const std::vector<std::uint8_t>& head, const Error& busy)
    : path_(path), head_(with_checksum(head)), busy_(busy) {
  open_for_us();
  end_ = head_.size();
}

BlockFile::~BlockFile() {
  if (disk_.valid()) disk_.wait();
  if (is_known_ && blocks_.empty()) remove();
}

void BlockFile::open_for_us() {
  // The run that had it before may have finished and removed it, or set it aside, between opening and locking.
  do {
    descriptor_.reset(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (descriptor_.number() < 0) {
      throw Error(ErrorKind::invalid_input, "cannot_write",
                  "cannot make the work file (" + std::generic_category().message(errno) + ")",
                  "check that the folder exists and may be written, or name another one", {.file = path_.string()});
    }
    is_locked_ = lock();
  } while (is_no_longer_at_path());
}

bool BlockFile::lock() const {
  while (flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) throw Error(busy_);
    if (errno != EINTR) return false;
  }
  return true;
}

bool BlockFile::is_no_longer_at_path() const {
  struct stat ours {};
  struct stat at_path {};
  if (fstat(descriptor_.number(), &ours) != 0) return false;
  if (stat(path_.c_str(), &at_path) != 0) return errno == ENOENT;
  return ours.st_dev != at_path.st_dev || ours.st_ino != at_path.st_ino;
}

BlockFile::Head BlockFile::found() const {
  std::vector<std::uint8_t> head(head_.size());
  if (!read_bytes(0, {head.data(), 1})) return Head::none;
  const std::size_t before_checksum = head.size() - checksum_bytes;
  const bool is_whole = read_bytes(0, head) && std::equal(head.begin(), head.begin() + magic_bytes, head_.begin()) &&
                        load_u64(head.data() + before_checksum) == xxh64({head.data(), before_checksum});
  if (!is_whole) return Head::foreign;
  return head == head_ ? Head::ours : Head::another;
}

void BlockFile::begin_anew() {
  is_known_ = true;
  blocks_.clear();
  end_ = 0;
  cut_behind_last_block();
  write_bytes(0, head_);
  end_ = head_.size();
}

void BlockFile::set_aside() {
  std::filesystem::path aside = path_;
  aside += ".unused";
  std::error_code failed;
  std::filesystem::rename(path_, aside, failed);
  if (failed) {
    throw Error(ErrorKind::invalid_input, "cannot_write", "cannot set the unusable work file aside", "remove it",
                {.file = path_.string()});
  }
  open_for_us();
  begin_anew();
}

bool BlockFile::find_blocks(const std::function<bool(const Block&, std::span<const std::uint8_t>)>& accept,
                            Progress& progress) {
  bool is_damaged = false;
  Block block;
  std::vector<std::uint8_t> bytes;
  while (find_block(block, bytes, is_damaged)) {
    progress.throw_if_cancelled();
    is_damaged = !accept(block, bytes);
    if (is_damaged) break;
    blocks_.push_back(block);
    end_ = block.begin + block.bytes;
  }
  is_known_ = true;
  cut_behind_last_block();
  return !is_damaged;
}

bool BlockFile::find_block(Block& block, std::vector<std::uint8_t>& bytes, bool& is_damaged) const {
  std::array<std::uint8_t, block_head_bytes> head{};
  // A run that was killed while it wrote a block left no head, or one of zeros.
  if (!read_bytes(end_, head) || std::all_of(head.begin(), head.end(), [](std::uint8_t byte) { return byte == 0; })) {
    return false;
  }
  block = {load_u32(head.data() + 8), load_u32(head.data() + 12), end_ + block_head_bytes, load_u64(head.data())};
  is_damaged = true;
  constexpr std::size_t before_checksum = block_head_bytes - checksum_bytes;
  if (load_u64(head.data() + before_checksum) != xxh64({head.data(), before_checksum})) return false;
  struct stat status {};
  fstat(descriptor_.number(), &status);
  if (block.bytes > static_cast<std::uint64_t>(status.st_size) - block.begin) return false;
  bytes.resize(block.bytes);
  if (!read_bytes(block.begin, bytes) || xxh64(bytes) != load_u64(head.data() + 16)) return false;
  is_damaged = false;
  return true;
}

void BlockFile::cut_behind_last_block() const {
  // What is behind may be torn or damaged; where cutting fails it is overwritten, or found to be so again.
  if (ftruncate(descriptor_.number(), static_cast<off_t>(end_)) != 0) return;
}

void BlockFile::append(std::uint32_t first, std::uint32_t end, std::span<const std::uint8_t> bytes) {
  wait_for_disk();
  const Block block{first, end, end_ + block_head_bytes, bytes.size()};
  try {
    write_bytes(block.begin, bytes);
    // The head last: before it is there, the block is not.
    write_bytes(end_, encoded_head(first, end, bytes));
  } catch (const Error&) {
    cut_behind_last_block();
    throw;
  }
  disk_ = std::async(std::launch::async, [this] { return fdatasync(descriptor_.number()) == 0 ? 0 : errno; });
  blocks_.push_back(block);
  end_ = block.begin + block.bytes;
}

void BlockFile::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  if (read_bytes(offset, bytes)) return;
  throw Error(ErrorKind::invalid_input, "cannot_read_file", "the work file was changed while in use",
              "run again: what is whole of it is used", {.file = path_.string()});
}

void BlockFile::remove() {
  std::error_code ignored;
  if (!is_removed_) std::filesystem::remove(path_, ignored);
  is_removed_ = true;
}

bool BlockFile::read_bytes(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void BlockFile::write_bytes(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_cannot_write(errno);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void BlockFile::wait_for_disk() {
  if (!disk_.valid()) return;
  // Other errors say that a place cannot be waited for, not that anything was lost.
  if (const int error = disk_.get(); is_out_of_space(error) || error == EIO) throw_cannot_write(error);
}

void BlockFile::throw_cannot_write(int error) const {
  if (is_out_of_space(error)) throw_disk_full(path_, path_);
  throw Error(ErrorKind::invalid_input, "cannot_write",
              "cannot write the work file (" + std::generic_category().message(error) + ")",
              "check the disk, or write to another one", {.file = path_.string()});
}

}  // namespace tesseray
