// SPDX-License-Identifier: GPL-3.0-or-later
// Head, directory and blocks of the visibility file, as docs/formats.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/visibility/rows/row_maker.h"
#include "core/visibility/visibility.h"

namespace tesseray {

inline constexpr std::size_t visibility_header_bytes = 72, directory_entry_bytes = 24, row_entry_bytes = 12;

struct VisibilityHeader {
  std::uint64_t file_bytes = 0;
  VisibilityFileInfo info;
  std::uint32_t rows_per_block = 256, block_count = 0;
  std::uint64_t directory_checksum = 0;

  std::uint32_t element_count() const { return info.tile_count + info.edge_count; }
  std::uint64_t blocks_begin() const {
    return visibility_header_bytes + std::uint64_t{block_count} * directory_entry_bytes;
  }
};

// Where a block is, and the checksum of its bytes.
struct BlockEntry {
  std::uint64_t offset = 0, bytes = 0, checksum = 0;
};

std::vector<std::uint8_t> encoded(const VisibilityHeader& header);
std::vector<std::uint8_t> encoded(const std::vector<BlockEntry>& directory);

// The head of a file's bytes. Throws Error(invalid_input) when it, or the size that it tells, is not as it should be.
VisibilityHeader decoded_header(std::span<const std::uint8_t> file, const std::filesystem::path& path);

// The code of the error about a file that is something else.
inline constexpr const char* foreign_visibility = "foreign_visibility";
// Errors about a file that is not to be used; `code` as in docs/formats.md.
Error visibility_refusal(const std::filesystem::path& path, std::string code, const std::string& reason);
Error damaged_visibility(const std::filesystem::path& path, const std::string& what);

// A block as it is put together: a table with length, visible tiles and place of each row, then the coded rows.
class RowBlock {
 public:
  explicit RowBlock(std::uint32_t rows) : bytes_(rows * row_entry_bytes), row_begin_(bytes_.size()) {}

  // Room for rows of so many bytes.
  void reserve(std::size_t row_bytes) { bytes_.reserve(bytes_.size() + row_bytes); }
  void add_row(std::span<const std::uint32_t> row, std::uint32_t visible_tiles);
  void add_row(RowMaker& row, std::uint32_t tile_count);
  // Or in two steps: what is appended here is the next row, coded, and ends by end_row.
  std::vector<std::uint8_t>& coded() { return bytes_; }
  void end_row(std::uint32_t length, std::uint32_t visible_tiles);

  std::uint64_t entries() const { return entries_; }
  // The whole block. REQUIRES: all rows were added.
  std::vector<std::uint8_t> take_bytes() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t row_ = 0, row_begin_;
  std::uint64_t entries_ = 0;
};

}  // namespace tesseray
