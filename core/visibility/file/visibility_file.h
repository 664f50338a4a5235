// SPDX-License-Identifier: GPL-3.0-or-later
// The visibility file, read in place and written block by block.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/mapped_file.h"
#include "core/visibility/file/visibility_format.h"

namespace tesseray {

// A row as it stands in the file.
struct CodedRow {
  std::uint32_t length = 0, visible_tiles = 0;
  std::span<const std::uint8_t> bytes;
};

class VisibilityFile final : public Visibility {
 public:
  // When the checksums of blocks, and the places of rows in them, are checked.
  enum class Check { at_once, as_rows_are_read };

  // Checks everything but the coded numbers, which are checked as rows are read. Throws as open_visibility does; for
  // whoever reads all rows once, coded_row does so about the block that a row is in.
  VisibilityFile(const std::filesystem::path& path, const Tiling& tiling, std::uint64_t environment_hash,
                 Check check = Check::at_once);

  const std::filesystem::path& path() const { return path_; }
  const VisibilityFileInfo& info() const { return header_.info; }
  std::uint64_t bytes() const { return header_.file_bytes; }
  const VisibilityFile* file() const override { return this; }
  std::uint32_t tile_count() const override { return header_.info.tile_count; }
  std::uint32_t edge_count() const override { return header_.info.edge_count; }
  std::uint32_t row_length(std::uint32_t element) const override;
  std::uint32_t visible_tiles(std::uint32_t element) const override;
  void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override;
  void read_tiles_of_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override;
  CodedRow coded_row(std::uint32_t element) const;
  Error damaged_row(std::uint32_t element) const;
  // Gives back the memory that the rows begin … end − 1 were read into; they are read again when asked for.
  void forget_rows(std::uint32_t begin, std::uint32_t end) const;

 private:
  const std::uint8_t* entry(std::uint32_t element) const;
  std::uint32_t rows_in(std::size_t block) const;
  void read_directory();
  void check_blocks() const;
  void check_block(std::size_t block) const;
  void check_unless_checked(std::size_t block) const;

  std::filesystem::path path_;
  MappedFile file_;
  VisibilityHeader header_;
  std::vector<std::span<const std::uint8_t>> blocks_;
  std::unique_ptr<std::atomic<bool>[]> is_checked_;  // by block; null when all are
};

// Adds the rows begin … end − 1 to a block. Called by many threads at once.
using FillBlock = std::function<void(std::uint32_t begin, std::uint32_t end, RowBlock& block)>;

// Writes a file of what `info` says (its entries are counted here), some blocks at a time, beside `target`, and renames
// it when complete. Goes faster where `likely_bytes` tell how large it will be, about.
void write_row_blocks(const VisibilityFileInfo& info, const FileTarget& target, Progress& progress,
                      const FillBlock& fill, std::uint64_t likely_bytes = 0);

}  // namespace tesseray
