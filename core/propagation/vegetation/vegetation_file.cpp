// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation/vegetation_file.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/little_endian.h"
#include "core/propagation/vegetation/vegetation_pairs.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {
namespace {

constexpr std::uint32_t magic = 0x47455654;  // "TVEG", read as a little-endian number
constexpr std::uint32_t version = 3;

using Member = VegetationPairs::Member;

std::vector<std::uint8_t> encoded_rows(const VegetationPairs& pairs, std::uint32_t elements) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t element = 0; element < elements; ++element) {
    const std::span<const Member> row = pairs.row(element);
    const auto higher =
        std::partition_point(row.begin(), row.end(), [&](const Member& m) { return m.number < element; });
    const std::span<const Member> members(higher, row.end());
    numbers.clear();
    for (const Member& member : members) numbers.push_back(member.number);
    append_counted_row(numbers, bytes);
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
    if (!read_counted_row(at, end, elements, numbers)) return false;
    if (numbers.empty()) continue;
    if (4 * numbers.size() > static_cast<std::size_t>(end - at) || numbers.front() <= element) return false;
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

const KeptKind vegetation_lengths{magic, version, ".tveg", "the lengths in vegetation"};

std::optional<VegetationPairs> read_vegetation_pairs(const KeptBeside& beside) {
  const std::optional<std::vector<std::uint8_t>> content = read_kept(vegetation_lengths, beside);
  std::vector<std::vector<Member>> higher(beside.elements);
  if (!content || !decode_rows(*content, beside.elements, higher)) return std::nullopt;
  return VegetationPairs(higher);
}

void write_vegetation_pairs(const VegetationPairs& pairs, const KeptBeside& beside) {
  write_kept(vegetation_lengths, beside, encoded_rows(pairs, beside.elements));
}

}  // namespace tesseray
