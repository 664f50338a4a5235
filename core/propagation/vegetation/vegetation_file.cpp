// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation/vegetation_file.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/is_there.h"
#include "core/base/little_endian.h"
#include "core/base/mapped_file.h"
#include "core/base/staged_file.h"
#include "core/propagation/vegetation/vegetation_pairs.h"
#include "core/visibility/file/visibility_file.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {
namespace {

constexpr std::uint32_t magic = 0x47455654;  // "TVEG", read as a little-endian number
constexpr std::uint32_t version = 1;
constexpr std::size_t head_bytes = 48, head_checksum_at = 40;

using Member = VegetationPairs::Member;

std::vector<std::uint8_t> encoded_head(const VegetationFile& file, std::uint32_t elements,
                                       std::span<const std::uint8_t> content) {
  std::vector<std::uint8_t> head;
  append_u32(magic, head);
  append_u32(version, head);
  append_u64(file.environment_hash, head);
  append_f64(file.options.max_distance_m, head);
  append_u32(elements, head);
  append_u32(0, head);
  append_u64(xxh64(content), head);
  append_u64(xxh64(head), head);
  return head;
}

// True for a whole file that was made for what is asked for.
bool is_as_asked_for(std::span<const std::uint8_t> bytes, const VegetationFile& file, std::uint32_t elements) {
  if (bytes.size() < head_bytes) return false;
  const std::uint8_t* const head = bytes.data();
  return xxh64(bytes.first(head_checksum_at)) == load_u64(head + head_checksum_at) && load_u32(head + 4) == version &&
         load_u64(head + 8) == file.environment_hash && load_f64(head + 16) == file.options.max_distance_m &&
         load_u32(head + 24) == elements && xxh64(bytes.subspan(head_bytes)) == load_u64(head + 32);
}

std::vector<std::uint8_t> encoded_rows(const VegetationPairs& pairs, std::uint32_t elements) {
  std::vector<std::uint8_t> bytes, row_bytes;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t element = 0; element < elements; ++element) {
    const std::span<const Member> row = pairs.row(element);
    const auto higher =
        std::partition_point(row.begin(), row.end(), [&](const Member& m) { return m.number < element; });
    const std::span<const Member> members(higher, row.end());
    append_varint(static_cast<std::uint32_t>(members.size()), bytes);
    if (members.empty()) continue;
    numbers.clear();
    for (const Member& member : members) numbers.push_back(member.number);
    row_bytes.clear();
    append_row(numbers, row_bytes);
    append_varint(static_cast<std::uint32_t>(row_bytes.size()), bytes);
    bytes.insert(bytes.end(), row_bytes.begin(), row_bytes.end());
    for (const Member& member : members) append_u32(std::bit_cast<std::uint32_t>(member.length_m), bytes);
  }
  return bytes;
}

// False when the bytes, whose checksum is right, are none of ours all the same.
bool decode_rows(std::span<const std::uint8_t> bytes, std::uint32_t elements, std::vector<std::vector<Member>>& rows) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t element = 0; element < elements; ++element) {
    std::uint64_t count = 0, row_bytes = 0;
    if (!read_varint(at, end, count)) return false;
    if (count == 0) continue;
    if (!read_varint(at, end, row_bytes)) return false;
    const auto left = static_cast<std::uint64_t>(end - at);
    if (count > elements || row_bytes > left || 4 * count > left - row_bytes ||
        !decode_row({at, row_bytes}, static_cast<std::uint32_t>(count), elements, numbers) ||
        numbers.front() <= element) {
      return false;
    }
    at += row_bytes;
    std::vector<Member>& row = rows[element];
    row.reserve(numbers.size());
    for (const std::uint32_t number : numbers) {
      row.push_back({number, std::bit_cast<float>(load_u32(at))});
      at += 4;
    }
  }
  return at == end;
}

}  // namespace

std::optional<VegetationFile> vegetation_file_beside(const Visibility& visibility) {
  const VisibilityFile* const file = visibility.file();
  if (!file || !is_there(file->path())) return std::nullopt;
  std::filesystem::path beside = file->path();
  return VegetationFile{beside.replace_extension(".tveg"), file->info().environment_hash, file->info().options};
}

std::optional<VegetationPairs> read_vegetation_pairs(const VegetationFile& file, std::uint32_t elements) {
  if (!is_there(file.path)) return std::nullopt;
  const MappedFile mapped(file.path);
  const std::span<const std::uint8_t> bytes = mapped.bytes();
  if (bytes.size() < 4 || load_u32(bytes.data()) != magic) {
    throw Error(ErrorKind::invalid_input, "not_vegetation_lengths", "the file is not one of lengths in vegetation",
                "rename it, so that they can be kept beside the visibility", {.file = file.path.string()});
  }
  std::vector<std::vector<Member>> higher(elements);
  if (!is_as_asked_for(bytes, file, elements) || !decode_rows(bytes.subspan(head_bytes), elements, higher)) {
    return std::nullopt;
  }
  return VegetationPairs(higher);
}

void write_vegetation_pairs(const VegetationPairs& pairs, const VegetationFile& file, std::uint32_t elements) {
  const std::vector<std::uint8_t> content = encoded_rows(pairs, elements);
  StagedFile staged(file.path);
  staged.write(0, encoded_head(file, elements, content));
  staged.write(head_bytes, content);
  staged.flush();
  staged.publish();
}

}  // namespace tesseray
