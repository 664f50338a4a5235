// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/file/visibility_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/little_endian.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {

namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'V', 'I', 'S'};
constexpr std::uint32_t format_version = 2;

Error truncated(const std::filesystem::path& path, std::uint64_t expected, std::uint64_t found) {
  return visibility_refusal(
      path, "truncated_visibility",
      "it ends too early (" + std::to_string(found) + " bytes of " + std::to_string(expected) + ")");
}

}  // namespace

std::vector<std::uint8_t> encoded(const VisibilityHeader& header) {
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

VisibilityHeader decoded_header(std::span<const std::uint8_t> file, const std::filesystem::path& path) {
  if (file.size() < magic.size() || !std::equal(magic.begin(), magic.end(), file.begin())) {
    throw Error(ErrorKind::invalid_input, foreign_visibility, "this is not a visibility file",
                "name the one that computevisibility wrote for this environment", {.file = path.string()});
  }
  if (file.size() < visibility_header_bytes) throw truncated(path, visibility_header_bytes, file.size());
  const std::uint8_t* at = file.data();
  if (const std::uint32_t version = load_u32(at + 4); version != format_version) {
    throw visibility_refusal(path, "unsupported_visibility_version",
                             "it has format version " + std::to_string(version) + ", and this program reads version " +
                                 std::to_string(format_version));
  }
  if (load_u64(at + 64) != xxh64(file.first(64))) throw damaged_visibility(path, "header");
  VisibilityHeader header;
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
  if (file.size() > header.file_bytes) throw damaged_visibility(path, "bytes after its end");
  const std::uint64_t elements = std::uint64_t{header.info.tile_count} + header.info.edge_count;
  if (header.rows_per_block == 0 || elements > 0xffffffffu || header.blocks_begin() > file.size() ||
      header.block_count != (elements + header.rows_per_block - 1) / header.rows_per_block) {
    throw damaged_visibility(path, "header");
  }
  return header;
}

Error visibility_refusal(const std::filesystem::path& path, std::string code, const std::string& reason) {
  return Error(ErrorKind::invalid_input, std::move(code), "the visibility file is refused: " + reason,
               "run computevisibility anew for this environment, with --overwrite in place of this file",
               {.file = path.string()});
}

Error damaged_visibility(const std::filesystem::path& path, const std::string& what) {
  return visibility_refusal(path, "damaged_visibility", "it is damaged (" + what + ")");
}

void RowBlock::add_row(std::span<const std::uint32_t> row, std::uint32_t visible_tiles) {
  append_row(row, bytes_);
  end_row(static_cast<std::uint32_t>(row.size()), visible_tiles);
}

void RowBlock::add_row(RowMaker& row, std::uint32_t tile_count) {
  const RowCounts counts = row.append_to(bytes_, tile_count);
  end_row(counts.length, counts.visible_tiles);
}

void RowBlock::end_row(std::uint32_t length, std::uint32_t visible_tiles) {
  std::uint8_t* const entry = bytes_.data() + row_++ * row_entry_bytes;
  store_u32(length, entry);
  store_u32(visible_tiles, entry + 4);
  store_u32(static_cast<std::uint32_t>(row_begin_), entry + 8);
  row_begin_ = bytes_.size();
  entries_ += length;
}

}  // namespace tesseray
