// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/file/work_file.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"
#include "core/base/little_endian.h"

namespace tesseray {

namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'V', 'W', 'K'};
constexpr std::uint32_t work_version = 1;

std::vector<std::uint8_t> encoded_head(const VisibilityFileInfo& key) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append_u32(work_version, bytes);
  append_u64(key.environment_hash, bytes);
  append_f64(key.options.max_distance_m, bytes);
  append_u32(key.tile_count, bytes);
  append_u32(key.edge_count, bytes);
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

VisibilityFileInfo visibility_to_compute(const Tiling& tiling, const VisibilityOptions& options,
                                         std::uint64_t environment_hash) {
  return {environment_hash, options, static_cast<std::uint32_t>(tiling.tiles.size()),
          static_cast<std::uint32_t>(tiling.edges.size()), 0};
}

WorkFile::WorkFile(const FileTarget& target, const VisibilityFileInfo& key, Progress& progress)
    : target_(target),
      key_(key),
      file_(work_file_beside(target.file), encoded_head(key),
            Error(ErrorKind::invalid_input, "being_computed", "another run is computing this visibility",
                  "wait for it or cancel it; or let computevisibility write another file, and give that as VISIBILITY",
                  {.file = target.file.string()})) {
  if (!file_.is_locked()) {
    progress.warn({"work_file_not_locked", file_.path().string() +
                                               ": the file system has no locks; let no other run make the same file at "
                                               "the same time"});
  }
  const BlockFile::Head found = file_.found();
  if (found == BlockFile::Head::none) {
    file_.begin_anew();
  } else if (found == BlockFile::Head::ours) {
    find_blocks(progress);
  } else {
    set_aside(found == BlockFile::Head::foreign, progress);
  }
}

void WorkFile::set_aside(bool is_damaged, Progress& progress) {
  progress.warn({"work_file_set_aside",
                 file_.path().string() + ": the work of an earlier run is not used, since it " +
                     (is_damaged ? "is damaged" : "belongs to another environment, MAX_DISTANCE or version") +
                     "; it is kept with .unused after its name"});
  file_.set_aside();
}

void WorkFile::find_blocks(Progress& progress) {
  const bool is_whole = file_.find_blocks(
      [this](const BlockFile::Block& block, std::span<const std::uint8_t> bytes) { return take_block(block, bytes); },
      progress);
  if (!is_whole) {
    progress.warn({"work_file_damaged", file_.path().string() + ": the work of an earlier run is damaged after " +
                                            std::to_string(blocks_.size()) +
                                            (blocks_.size() == 1 ? " block" : " blocks") +
                                            "; what follows is computed again"});
  }
}

bool WorkFile::take_block(const BlockFile::Block& block, std::span<const std::uint8_t> bytes) {
  if (block.first != finished_elements() || block.end <= block.first || block.end > element_count()) return false;
  const std::size_t of_index = index_bytes(block.end - block.first, element_count());
  if (bytes.size() < of_index) return false;
  WorkBlockIndex index = {block.first, block.end, {}, {}};
  const std::uint8_t* at = bytes.data();
  const auto take = [&at](std::size_t count, std::vector<std::uint64_t>& places) {
    for (; places.size() < count; at += sizeof(std::uint64_t)) places.push_back(load_u64(at));
  };
  take(stretches_in(index.end - index.first) + 1, index.forward);
  take(stretches_in(element_count()) + 1, index.backward);
  if (!is_right(index, bytes.size() - of_index)) return false;
  payload_begins_.push_back(block.begin + of_index);
  blocks_.push_back(std::move(index));
  return true;
}

void WorkFile::append(const WorkBlock& block) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(index_bytes(block.index.end - block.index.first, element_count()) + block.bytes.size());
  for (const std::uint64_t place : block.index.forward) append_u64(place, bytes);
  for (const std::uint64_t place : block.index.backward) append_u64(place, bytes);
  const std::size_t of_index = bytes.size();
  bytes.insert(bytes.end(), block.bytes.begin(), block.bytes.end());
  file_.append(block.index.first, block.index.end, bytes);
  payload_begins_.push_back(file_.blocks().back().begin + of_index);
  blocks_.push_back(block.index);
}

void WorkFile::read(std::size_t block, std::uint64_t begin, std::uint64_t end, std::vector<std::uint8_t>& bytes) const {
  bytes.resize(end - begin);
  file_.read(payload_begins_[block] + begin, bytes);
}

}  // namespace tesseray
