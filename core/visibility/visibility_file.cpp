// SPDX-License-Identifier: GPL-3.0-or-later
// The visibility file, as docs/formats.md describes it.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/little_endian.h"
#include "core/base/mapped_file.h"
#include "core/base/parallel.h"
#include "core/base/staged_file.h"
#include "core/visibility/row_codec.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::array<std::uint8_t, 4> magic = {'T', 'V', 'I', 'S'};
constexpr std::uint32_t format_version = 2;
constexpr std::size_t header_bytes = 72, directory_entry_bytes = 24, row_entry_bytes = 12;
constexpr std::uint32_t default_rows_per_block = 256;

struct Header {
  std::uint64_t file_bytes = 0;
  VisibilityFileInfo info;
  std::uint32_t rows_per_block = default_rows_per_block, block_count = 0;
  std::uint64_t directory_checksum = 0;

  std::uint32_t element_count() const { return info.tile_count + info.edge_count; }
  std::uint64_t blocks_begin() const { return header_bytes + std::uint64_t{block_count} * directory_entry_bytes; }
};

struct BlockEntry {
  std::uint64_t offset = 0, bytes = 0, checksum = 0;
};

std::vector<std::uint8_t> encoded(const Header& header) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append_u32(format_version, bytes);
  append_u64(header.file_bytes, bytes);
  append_u64(header.info.environment_hash, bytes);
  append_f64(header.info.options.max_distance_m, bytes);
  append_u32(header.info.tile_count, bytes);
  append_u32(header.info.edge_count, bytes);
  append_u32(header.rows_per_block, bytes);
  append_u32(header.block_count, bytes);
  append_u64(header.info.entry_count, bytes);
  append_u64(header.directory_checksum, bytes);
  append_u64(xxh64(bytes), bytes);
  return bytes;
}

std::vector<std::uint8_t> encoded(const std::vector<BlockEntry>& directory) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(directory.size() * directory_entry_bytes);
  for (const BlockEntry& block : directory) {
    append_u64(block.offset, bytes);
    append_u64(block.bytes, bytes);
    append_u64(block.checksum, bytes);
  }
  return bytes;
}

// The rows begin … end − 1: a table with length, visible tiles and place of each, then the coded rows.
std::vector<std::uint8_t> encoded_block(const Visibility& visibility, std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint8_t> table, rows;
  std::vector<std::uint32_t> row;
  const std::uint32_t table_bytes = (end - begin) * static_cast<std::uint32_t>(row_entry_bytes);
  for (std::uint32_t element = begin; element < end; ++element) {
    visibility.read_row(element, row);
    append_u32(static_cast<std::uint32_t>(row.size()), table);
    append_u32(visibility.visible_tiles(element), table);
    append_u32(table_bytes + static_cast<std::uint32_t>(rows.size()), table);
    append_row(row, rows);
  }
  table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

Error refusal(const std::filesystem::path& path, std::string code, const std::string& reason) {
  return Error(ErrorKind::invalid_input, std::move(code), "the visibility file is refused: " + reason,
               "run computevisibility for this environment again", {.file = path.string()});
}

Error damaged(const std::filesystem::path& path, const std::string& what) {
  return refusal(path, "damaged_visibility", "it is damaged (" + what + ")");
}

Error truncated(const std::filesystem::path& path, std::uint64_t expected, std::uint64_t found) {
  return refusal(path, "truncated_visibility",
                 "it ends too early (" + std::to_string(found) + " bytes of " + std::to_string(expected) + ")");
}

// Checks the header and what it says of the file's size.
Header decoded_header(Bytes file, const std::filesystem::path& path) {
  if (file.size() < magic.size() || !std::equal(magic.begin(), magic.end(), file.begin())) {
    throw refusal(path, "foreign_visibility", "it is not a visibility file");
  }
  if (file.size() < header_bytes) throw truncated(path, header_bytes, file.size());
  const std::uint8_t* at = file.data();
  if (const std::uint32_t version = load_u32(at + 4); version != format_version) {
    throw refusal(path, "unsupported_visibility_version",
                  "it has format version " + std::to_string(version) + ", and this program reads version " +
                      std::to_string(format_version));
  }
  if (load_u64(at + 64) != xxh64(file.first(64))) throw damaged(path, "header");
  Header header;
  header.file_bytes = load_u64(at + 8);
  header.info.environment_hash = load_u64(at + 16);
  header.info.options.max_distance_m = load_f64(at + 24);
  header.info.tile_count = load_u32(at + 32);
  header.info.edge_count = load_u32(at + 36);
  header.rows_per_block = load_u32(at + 40);
  header.block_count = load_u32(at + 44);
  header.info.entry_count = load_u64(at + 48);
  header.directory_checksum = load_u64(at + 56);
  if (file.size() < header.file_bytes) throw truncated(path, header.file_bytes, file.size());
  if (file.size() > header.file_bytes) throw damaged(path, "bytes after its end");
  const std::uint64_t elements = std::uint64_t{header.info.tile_count} + header.info.edge_count;
  if (header.rows_per_block == 0 || elements > 0xffffffffu || header.blocks_begin() > file.size() ||
      header.block_count != (elements + header.rows_per_block - 1) / header.rows_per_block) {
    throw damaged(path, "header");
  }
  return header;
}

class VisibilityFile final : public Visibility {
 public:
  VisibilityFile(const std::filesystem::path& path, std::uint64_t environment_hash) : path_(path), file_(path) {
    header_ = decoded_header(file_.bytes(), path);
    if (header_.info.environment_hash != environment_hash) {
      throw refusal(path, "stale_visibility", "it belongs to another environment, or to this one before a change");
    }
    read_directory();
    parallel_blocks(blocks_.size(), 1, no_progress(), [&](std::size_t block, std::size_t) { check_block(block); });
  }

  std::uint32_t tile_count() const override { return header_.info.tile_count; }
  std::uint32_t edge_count() const override { return header_.info.edge_count; }
  std::uint32_t row_length(std::uint32_t element) const override { return load_u32(entry(element)); }
  std::uint32_t visible_tiles(std::uint32_t element) const override { return load_u32(entry(element) + 4); }

  void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override {
    const std::size_t block = element / header_.rows_per_block;
    const std::uint8_t* at = entry(element);
    const std::size_t begin = load_u32(at + 8);
    const bool last = element + 1 == header_.element_count() || (element + 1) % header_.rows_per_block == 0;
    const std::size_t end = last ? blocks_[block].size() : load_u32(at + row_entry_bytes + 8);
    if (!decode_row(blocks_[block].subspan(begin, end - begin), load_u32(at), header_.element_count(), row)) {
      throw damaged(path_, "row " + std::to_string(element));
    }
  }

 private:
  const std::uint8_t* entry(std::uint32_t element) const {
    return blocks_[element / header_.rows_per_block].data() + element % header_.rows_per_block * row_entry_bytes;
  }

  std::uint32_t rows_in(std::size_t block) const {
    const std::uint64_t begin = std::uint64_t{block} * header_.rows_per_block;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(header_.rows_per_block, header_.element_count() - begin));
  }

  void read_directory() {
    const Bytes file = file_.bytes();
    const Bytes directory = file.subspan(header_bytes, header_.blocks_begin() - header_bytes);
    if (xxh64(directory) != header_.directory_checksum) throw damaged(path_, "directory");
    blocks_.reserve(header_.block_count);
    for (std::size_t block = 0; block < header_.block_count; ++block) {
      const std::uint8_t* at = directory.data() + block * directory_entry_bytes;
      const std::uint64_t offset = load_u64(at), size = load_u64(at + 8);
      if (offset > file.size() || size > file.size() - offset || size < rows_in(block) * row_entry_bytes) {
        throw damaged(path_, "directory");
      }
      blocks_.push_back(file.subspan(offset, size));
    }
  }

  void check_block(std::size_t block) const {
    const Bytes bytes = blocks_[block];
    const std::uint8_t* directory = file_.bytes().data() + header_bytes;
    if (xxh64(bytes) != load_u64(directory + block * directory_entry_bytes + 16)) {
      throw damaged(path_, "block " + std::to_string(block) + " of " + std::to_string(blocks_.size()));
    }
    // The places of the rows rise within the block, so that read_row stays inside of it.
    const std::uint32_t rows = rows_in(block);
    std::size_t end = bytes.size();
    for (std::uint32_t r = rows; r-- > 0;) {
      const std::uint8_t* at = bytes.data() + r * row_entry_bytes;
      const std::size_t begin = load_u32(at + 8);
      if (begin < rows * row_entry_bytes || begin > end || load_u32(at + 4) > load_u32(at)) {
        throw damaged(path_, "rows of block " + std::to_string(block));
      }
      end = begin;
    }
  }

  std::filesystem::path path_;
  MappedFile file_;
  Header header_;
  std::vector<Bytes> blocks_;
};

}  // namespace

void write_visibility(const Visibility& visibility, const VisibilityOptions& options, std::uint64_t environment_hash,
                      const std::filesystem::path& path, Progress& progress) {
  progress.begin_stage("visibility file");
  const std::uint32_t elements = visibility.element_count();
  Header header;
  header.info = {environment_hash, options, visibility.tile_count(), visibility.edge_count(), 0};
  for (std::uint32_t element = 0; element < elements; ++element) {
    header.info.entry_count += visibility.row_length(element);
  }
  header.block_count = (elements + header.rows_per_block - 1) / header.rows_per_block;

  StagedFile file(path);
  std::vector<BlockEntry> directory(header.block_count);
  std::uint64_t offset = header.blocks_begin();
  for (std::uint32_t block = 0; block < header.block_count; ++block) {
    progress.throw_if_cancelled();
    const std::uint32_t begin = block * header.rows_per_block;
    const std::vector<std::uint8_t> bytes =
        encoded_block(visibility, begin, std::min(elements, begin + header.rows_per_block));
    file.write(offset, bytes);
    directory[block] = {offset, bytes.size(), xxh64(bytes)};
    offset += bytes.size();
    progress.advance(static_cast<double>(block + 1) / header.block_count);
  }
  const std::vector<std::uint8_t> directory_bytes = encoded(directory);
  header.file_bytes = offset;
  header.directory_checksum = xxh64(directory_bytes);
  file.write(0, encoded(header));
  file.write(header_bytes, directory_bytes);
  progress.throw_if_cancelled();
  file.flush();
  file.publish();
}

std::unique_ptr<Visibility> open_visibility(const std::filesystem::path& path, std::uint64_t environment_hash) {
  return std::make_unique<VisibilityFile>(path, environment_hash);
}

VisibilityFileInfo read_visibility_info(const std::filesystem::path& path) {
  const MappedFile file(path);
  return decoded_header(file.bytes(), path).info;
}

}  // namespace tesseray
