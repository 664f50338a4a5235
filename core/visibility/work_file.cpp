// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/work_file.h"

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
#include "core/base/error.h"
#include "core/base/little_endian.h"
#include "core/base/staged_file.h"

namespace tesseray {

namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'V', 'W', 'K'};
constexpr std::uint32_t work_version = 1;
constexpr std::size_t head_bytes = 40, block_head_bytes = 32;

std::vector<std::uint8_t> encoded_head(const VisibilityFileInfo& key) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append_u32(work_version, bytes);
  append_u64(key.environment_hash, bytes);
  append_f64(key.options.max_distance_m, bytes);
  append_u32(key.tile_count, bytes);
  append_u32(key.edge_count, bytes);
  append_u64(xxh64(bytes), bytes);
  return bytes;
}

std::vector<std::uint8_t> encoded_block_head(const WorkBlockIndex& index, std::uint64_t bytes_behind,
                                             std::uint64_t checksum) {
  std::vector<std::uint8_t> bytes;
  append_u64(bytes_behind, bytes);
  append_u32(index.first, bytes);
  append_u32(index.end, bytes);
  append_u64(checksum, bytes);
  append_u64(xxh64(bytes), bytes);
  return bytes;
}

std::size_t stretches_in(std::uint32_t rows) { return (std::size_t{rows} + rows_per_stretch - 1) / rows_per_stretch; }

// The numbers of both lists of an index, in bytes.
std::size_t index_bytes(std::uint32_t rows, std::uint32_t elements) {
  return (stretches_in(rows) + 1 + stretches_in(elements) + 1) * sizeof(std::uint64_t);
}

// Places that rise and stay within the bytes: those of forward rows first.
bool is_right(const WorkBlockIndex& index, std::uint64_t bytes) {
  return index.forward.front() == 0 && index.forward.back() == index.backward.front() &&
         index.backward.back() == bytes && std::is_sorted(index.forward.begin(), index.forward.end()) &&
         std::is_sorted(index.backward.begin(), index.backward.end());
}

}  // namespace

std::filesystem::path work_file_beside(const std::filesystem::path& target) {
  std::filesystem::path path = target;
  return path += ".work";
}

void WorkFile::Descriptor::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

WorkFile::WorkFile(const std::filesystem::path& target, const VisibilityFileInfo& key, Progress& progress)
    : target_(target), path_(work_file_beside(target)), key_(key) {
  open_for_us();
  if (!is_empty() && !has_our_head(progress)) {
    set_aside();
    open_for_us();
  }
  end_ = head_bytes;
  if (is_empty()) {
    write_bytes(0, encoded_head(key_));
  } else {
    find_blocks(progress);
    cut_behind_last_block();
  }
}

WorkFile::~WorkFile() {
  if (disk_.valid()) disk_.wait();
  if (blocks_.empty()) remove();
}

void WorkFile::open_for_us() {
  struct stat status {};
  // The run that had it before may have finished, and removed it, between opening and locking.
  do {
    descriptor_.reset(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (descriptor_.number() < 0) {
      throw Error(ErrorKind::invalid_input, "cannot_write",
                  "cannot make the work file (" + std::generic_category().message(errno) + ")",
                  "check that the folder exists and may be written, or name another one", {.file = path_.string()});
    }
    if (flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw Error(ErrorKind::invalid_input, "being_computed", "another run is computing this visibility",
                  "wait for it, cancel it, or write to another file", {.file = target_.string()});
    }
  } while (fstat(descriptor_.number(), &status) == 0 && status.st_nlink == 0);
}

bool WorkFile::is_empty() const {
  std::uint8_t byte = 0;
  return !read_bytes(0, {&byte, 1});
}

bool WorkFile::has_our_head(Progress& progress) const {
  std::array<std::uint8_t, head_bytes> head{};
  const std::vector<std::uint8_t> ours = encoded_head(key_);
  const bool is_whole = read_bytes(0, head) && std::equal(magic.begin(), magic.end(), head.begin()) &&
                        load_u64(head.data() + head_bytes - 8) == xxh64({head.data(), head_bytes - 8});
  if (is_whole && std::equal(ours.begin(), ours.end(), head.begin())) return true;
  progress.warn({"work_file_set_aside",
                 path_.string() + ": the work of an earlier run is not used, since it " +
                     (is_whole ? "belongs to another environment, MAX_DISTANCE or version" : "is damaged") +
                     "; it is kept with .unused after its name"});
  return false;
}

void WorkFile::set_aside() {
  std::filesystem::path aside = path_;
  aside += ".unused";
  std::error_code failed;
  std::filesystem::rename(path_, aside, failed);
  if (!failed) return;
  throw Error(ErrorKind::invalid_input, "cannot_write", "cannot set the unusable work file aside", "remove it",
              {.file = path_.string()});
}

void WorkFile::find_blocks(Progress& progress) {
  bool is_damaged = false;
  while (find_block(is_damaged)) progress.throw_if_cancelled();
  if (is_damaged) {
    progress.warn({"work_file_damaged", path_.string() + ": the work of an earlier run is damaged after " +
                                            std::to_string(blocks_.size()) +
                                            " blocks; what follows is computed again"});
  }
  if (blocks_.empty()) return;
  progress.warn({"visibility_resumed", "an earlier run has computed " + std::to_string(finished_elements()) + " of " +
                                           std::to_string(element_count()) +
                                           " tiles and edges; this one goes on from there"});
}

bool WorkFile::find_block(bool& is_damaged) {
  std::array<std::uint8_t, block_head_bytes> head{};
  // A run that was killed while it wrote a block left no head, or one of zeros.
  if (!read_bytes(end_, head) || std::all_of(head.begin(), head.end(), [](std::uint8_t byte) { return byte == 0; })) {
    return false;
  }
  const std::uint64_t bytes = load_u64(head.data());
  WorkBlockIndex index = {load_u32(head.data() + 8), load_u32(head.data() + 12), {}, {}};
  is_damaged = true;
  if (load_u64(head.data() + 24) != xxh64({head.data(), 24}) || index.first != finished_elements() ||
      index.end <= index.first || index.end > element_count()) {
    return false;
  }
  const std::size_t of_index = index_bytes(index.end - index.first, element_count());
  struct stat status {};
  fstat(descriptor_.number(), &status);
  const std::uint64_t left = static_cast<std::uint64_t>(status.st_size) - end_ - block_head_bytes;
  if (bytes < of_index || bytes > left) return false;
  std::vector<std::uint8_t> behind(bytes);
  if (!read_bytes(end_ + block_head_bytes, behind) || xxh64(behind) != load_u64(head.data() + 16)) return false;
  const std::uint8_t* at = behind.data();
  const auto take = [&at](std::size_t count, std::vector<std::uint64_t>& places) {
    for (; places.size() < count; at += sizeof(std::uint64_t)) places.push_back(load_u64(at));
  };
  take(stretches_in(index.end - index.first) + 1, index.forward);
  take(stretches_in(element_count()) + 1, index.backward);
  if (!is_right(index, bytes - of_index)) return false;
  is_damaged = false;
  payload_begins_.push_back(end_ + block_head_bytes + of_index);
  blocks_.push_back(std::move(index));
  end_ += block_head_bytes + bytes;
  return true;
}

void WorkFile::cut_behind_last_block() const {
  // What is behind may be torn or damaged; where cutting fails it is overwritten, or found to be so again.
  if (ftruncate(descriptor_.number(), static_cast<off_t>(end_)) != 0) return;
}

void WorkFile::append(const WorkBlock& block) {
  std::vector<std::uint8_t> behind;
  behind.reserve(index_bytes(block.index.end - block.index.first, element_count()) + block.bytes.size());
  for (const std::uint64_t place : block.index.forward) append_u64(place, behind);
  for (const std::uint64_t place : block.index.backward) append_u64(place, behind);
  const std::size_t of_index = behind.size();
  behind.insert(behind.end(), block.bytes.begin(), block.bytes.end());
  wait_for_disk();
  try {
    write_bytes(end_ + block_head_bytes, behind);
    // The head last: before it is there, the block is not.
    write_bytes(end_, encoded_block_head(block.index, behind.size(), xxh64(behind)));
  } catch (const Error&) {
    cut_behind_last_block();
    throw;
  }
  disk_ = std::async(std::launch::async, [this] { return fdatasync(descriptor_.number()) == 0 ? 0 : errno; });
  payload_begins_.push_back(end_ + block_head_bytes + of_index);
  blocks_.push_back(block.index);
  end_ += block_head_bytes + behind.size();
}

void WorkFile::read(std::size_t block, std::uint64_t begin, std::uint64_t end, std::vector<std::uint8_t>& bytes) const {
  bytes.resize(end - begin);
  if (read_bytes(payload_begins_[block] + begin, bytes)) return;
  throw Error(ErrorKind::invalid_input, "cannot_read_file", "the work file was changed while in use",
              "run again: what is whole of it is used", {.file = path_.string()});
}

void WorkFile::remove() {
  std::error_code ignored;
  if (!is_removed_) std::filesystem::remove(path_, ignored);
  is_removed_ = true;
}

bool WorkFile::read_bytes(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void WorkFile::write_bytes(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      if (is_out_of_space(error)) throw_disk_full(path_, path_);
      throw Error(ErrorKind::invalid_input, "cannot_write",
                  "cannot write the work file (" + std::generic_category().message(error) + ")",
                  "check the disk, or write to another one", {.file = path_.string()});
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void WorkFile::wait_for_disk() {
  if (!disk_.valid()) return;
  const int error = disk_.get();
  if (is_out_of_space(error)) throw_disk_full(path_, path_);
}

}  // namespace tesseray
