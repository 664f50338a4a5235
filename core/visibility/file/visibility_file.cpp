// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/file/visibility_file.h"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <string>

#include "core/base/checksum.h"
#include "core/base/little_endian.h"
#include "core/base/parallel.h"
#include "core/base/staged_file.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {

namespace {

// So many blocks are in memory at a time while a file is written or checked: some tens of megabytes.
constexpr std::uint32_t blocks_at_a_time = 64;

}  // namespace

VisibilityFile::VisibilityFile(const std::filesystem::path& path, const Tiling& tiling, std::uint64_t environment_hash,
                               Check check)
    : path_(path), file_(path), header_(decoded_header(file_.bytes(), path)) {
  if (header_.info.environment_hash != environment_hash) {
    throw visibility_refusal(path, "stale_visibility",
                             "it belongs to another environment, or to this one before a change");
  }
  if (tile_count() != tiling.tiles.size() || edge_count() != tiling.edges.size()) {
    throw visibility_refusal(path, "stale_visibility",
                             "it is of " + std::to_string(tile_count()) + " tiles and " + std::to_string(edge_count()) +
                                 " edges, and the environment is cut into " + std::to_string(tiling.tiles.size()) +
                                 " and " + std::to_string(tiling.edges.size()) + " now");
  }
  read_directory();
  if (check == Check::at_once) {
    check_blocks();
    return;
  }
  is_checked_ = std::make_unique<std::atomic<bool>[]>(blocks_.size());
}

std::uint32_t VisibilityFile::row_length(std::uint32_t element) const { return load_u32(entry(element)); }

std::uint32_t VisibilityFile::visible_tiles(std::uint32_t element) const { return load_u32(entry(element) + 4); }

CodedRow VisibilityFile::coded_row(std::uint32_t element) const {
  const std::size_t block = element / header_.rows_per_block;
  check_unless_checked(block);
  const std::uint8_t* at = entry(element);
  const std::size_t begin = load_u32(at + 8);
  const bool last = element + 1 == header_.element_count() || (element + 1) % header_.rows_per_block == 0;
  const std::size_t end = last ? blocks_[block].size() : load_u32(at + row_entry_bytes + 8);
  return {load_u32(at), load_u32(at + 4), blocks_[block].subspan(begin, end - begin)};
}

void VisibilityFile::read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const {
  const CodedRow coded = coded_row(element);
  if (!decode_row(coded.bytes, coded.length, header_.element_count(), row)) throw damaged_row(element);
}

void VisibilityFile::read_tiles_of_row(std::uint32_t element, std::vector<std::uint32_t>& row) const {
  const CodedRow coded = coded_row(element);
  if (!decode_row_begin(coded.bytes, coded.length, header_.element_count(), coded.visible_tiles, row)) {
    throw damaged_row(element);
  }
}

Error VisibilityFile::damaged_row(std::uint32_t element) const {
  return damaged_visibility(path_, "row " + std::to_string(element));
}

void VisibilityFile::forget_rows(std::uint32_t begin, std::uint32_t end) const {
  if (begin >= end) return;
  const std::span<const std::uint8_t> first = blocks_[begin / header_.rows_per_block];
  const std::span<const std::uint8_t> last = blocks_[(end - 1) / header_.rows_per_block];
  const std::uint8_t* const last_byte = last.data() + last.size();
  if (first.data() < last_byte) file_.forget({first.data(), last_byte});
}

const std::uint8_t* VisibilityFile::entry(std::uint32_t element) const {
  return blocks_[element / header_.rows_per_block].data() + element % header_.rows_per_block * row_entry_bytes;
}

std::uint32_t VisibilityFile::rows_in(std::size_t block) const {
  const std::uint64_t begin = std::uint64_t{block} * header_.rows_per_block;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(header_.rows_per_block, header_.element_count() - begin));
}

void VisibilityFile::read_directory() {
  const std::span<const std::uint8_t> file = file_.bytes();
  const std::span<const std::uint8_t> directory =
      file.subspan(visibility_header_bytes, header_.blocks_begin() - visibility_header_bytes);
  if (xxh64(directory) != header_.directory_checksum) throw damaged_visibility(path_, "directory");
  blocks_.reserve(header_.block_count);
  for (std::size_t block = 0; block < header_.block_count; ++block) {
    const std::uint8_t* at = directory.data() + block * directory_entry_bytes;
    const std::uint64_t offset = load_u64(at), size = load_u64(at + 8);
    if (offset > file.size() || size > file.size() - offset || size < rows_in(block) * row_entry_bytes) {
      throw damaged_visibility(path_, "directory");
    }
    blocks_.push_back(file.subspan(offset, size));
  }
}

void VisibilityFile::check_blocks() const {
  parallel_blocks(blocks_.size(), blocks_at_a_time, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) check_block(block);
    forget_rows(
        static_cast<std::uint32_t>(begin * header_.rows_per_block),
        static_cast<std::uint32_t>(std::min<std::uint64_t>(header_.element_count(), end * header_.rows_per_block)));
  });
}

// Two threads that come at once check it twice.
void VisibilityFile::check_unless_checked(std::size_t block) const {
  if (is_checked_ == nullptr || is_checked_[block].load(std::memory_order_relaxed)) return;
  check_block(block);
  is_checked_[block].store(true, std::memory_order_relaxed);
}

void VisibilityFile::check_block(std::size_t block) const {
  const std::span<const std::uint8_t> bytes = blocks_[block];
  const std::uint8_t* directory = file_.bytes().data() + visibility_header_bytes;
  if (xxh64(bytes) != load_u64(directory + block * directory_entry_bytes + 16)) {
    throw damaged_visibility(path_, "block " + std::to_string(block) + " of " + std::to_string(blocks_.size()));
  }
  // The places of the rows rise within the block, so that coded_row stays inside of it.
  const std::uint32_t rows = rows_in(block);
  std::size_t end = bytes.size();
  for (std::uint32_t r = rows; r-- > 0;) {
    const std::uint8_t* at = bytes.data() + r * row_entry_bytes;
    const std::size_t begin = load_u32(at + 8);
    if (begin < rows * row_entry_bytes || begin > end || load_u32(at + 4) > load_u32(at)) {
      throw damaged_visibility(path_, "rows of block " + std::to_string(block));
    }
    end = begin;
  }
}

void write_row_blocks(const VisibilityFileInfo& info, const FileTarget& target, Progress& progress,
                      const FillBlock& fill, std::uint64_t likely_bytes) {
  VisibilityHeader header;
  header.info = info;
  header.info.entry_count = 0;
  const std::uint32_t elements = header.element_count();
  header.block_count =
      static_cast<std::uint32_t>((std::uint64_t{elements} + header.rows_per_block - 1) / header.rows_per_block);

  StagedFile file(target);
  if (likely_bytes > 0) file.reserve(likely_bytes);
  std::vector<BlockEntry> directory(header.block_count);
  std::uint64_t offset = header.blocks_begin();
  struct Filled {
    std::uint32_t block = 0;
    std::vector<std::uint8_t> bytes;
    std::uint64_t entries = 0;
  };
  std::uint32_t next = 0;
  const auto next_block = [&](tbb::flow_control& control) {
    if (next == header.block_count) control.stop();
    return next++;
  };
  const auto filled = [&](std::uint32_t block) {
    progress.throw_if_cancelled();
    const std::uint32_t begin_row = block * header.rows_per_block;
    const std::uint32_t end_row = std::min(elements - begin_row, header.rows_per_block) + begin_row;
    RowBlock rows(end_row - begin_row);
    fill(begin_row, end_row, rows);
    Filled result = {block, rows.take_bytes(), rows.entries()};
    directory[block].checksum = xxh64(result.bytes);
    return result;
  };
  const auto write = [&](const Filled& block) {
    file.write(offset, block.bytes);
    directory[block.block].offset = offset;
    directory[block.block].bytes = block.bytes.size();
    offset += block.bytes.size();
    header.info.entry_count += block.entries;
    progress.advance(static_cast<double>(block.block + 1) / header.block_count);
  };
  // A file takes one writer at a time: while one thread is it, the others fill blocks.
  using tbb::filter_mode;
  tbb::parallel_pipeline(blocks_at_a_time,
                         tbb::make_filter<void, std::uint32_t>(filter_mode::serial_in_order, next_block) &
                             tbb::make_filter<std::uint32_t, Filled>(filter_mode::parallel, filled) &
                             tbb::make_filter<Filled, void>(filter_mode::serial_in_order, write));
  const std::vector<std::uint8_t> directory_bytes = encoded(directory);
  header.file_bytes = offset;
  header.directory_checksum = xxh64(directory_bytes);
  file.write(0, encoded(header));
  file.write(visibility_header_bytes, directory_bytes);
  progress.throw_if_cancelled();
  file.flush();
  file.publish();
}

void write_visibility(const Visibility& visibility, const VisibilityOptions& options, std::uint64_t environment_hash,
                      const FileTarget& target, Progress& progress) {
  progress.begin_stage("visibility file");
  write_row_blocks({environment_hash, options, visibility.tile_count(), visibility.edge_count(), 0}, target, progress,
                   [&](std::uint32_t begin, std::uint32_t end, RowBlock& block) {
                     std::vector<std::uint32_t> row;
                     for (std::uint32_t element = begin; element < end; ++element) {
                       visibility.read_row(element, row);
                       block.add_row(row, visibility.visible_tiles(element));
                     }
                   });
}

std::unique_ptr<Visibility> open_visibility(const std::filesystem::path& path, const Tiling& tiling,
                                            std::uint64_t environment_hash) {
  return std::make_unique<VisibilityFile>(path, tiling, environment_hash);
}

VisibilityFileInfo read_visibility_info(const std::filesystem::path& path) {
  const MappedFile file(path);
  return decoded_header(file.bytes(), path).info;
}

}  // namespace tesseray
