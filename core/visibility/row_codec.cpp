// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/row_codec.h"

namespace tesseray {

void RowCoder::append_to(std::vector<std::uint8_t>& bytes) {
  append_varint(runs_, bytes);
  bytes.insert(bytes.end(), tokens_.begin(), tokens_.begin() + 2 * static_cast<std::ptrdiff_t>(runs_));
  bytes.insert(bytes.end(), rests_.begin(), rests_.end());
  rests_.clear();
  next_ = runs_ = 0;
}

void append_row(std::span<const std::uint32_t> row, std::vector<std::uint8_t>& bytes) {
  RowCoder coder;
  for (std::size_t k = 0; k < row.size();) {
    const std::size_t begin = k++;
    while (k < row.size() && row[k] == row[k - 1] + 1) ++k;
    coder.add_run(row[begin], static_cast<std::uint32_t>(k - begin));
  }
  coder.append_to(bytes);
}

bool decode_row(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                std::vector<std::uint32_t>& row) {
  return decode_row_begin(bytes, length, limit, length, row);
}

bool decode_row_begin(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                      std::uint32_t wanted, std::vector<std::uint32_t>& row) {
  // Runs are written in whole steps: what a run does not fill is overwritten by the next, or cut off.
  constexpr std::uint32_t step = 8;
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t runs = 0;
  // No file makes memory be taken that its own rows cannot fill.
  if (!read_varint(at, end, runs) || 2 * runs > static_cast<std::uint64_t>(end - at) || length > limit ||
      wanted > length) {
    row.clear();
    return false;
  }
  row.resize(std::size_t{length} + step);
  const std::uint8_t* rest = at + 2 * runs;
  std::uint32_t* out = row.data();
  std::uint32_t left = length;
  std::uint64_t next = 0;
  bool is_right = true;
  const std::uint32_t left_over = length - wanted;
  for (const std::uint8_t* tokens_end = rest; at != tokens_end; at += 2) {
    if (left_over > 0 && left <= left_over) break;
    const std::uint32_t token = load_little_endian<std::uint16_t>(at);
    std::uint64_t gap = token >> run_length_bits, more = token & longest_run, extra = 0;
    if (gap == widest_gap) [[unlikely]] {
      is_right = is_right && read_varint(rest, end, extra);
      gap += extra;
    }
    if (more == longest_run) [[unlikely]] {
      is_right = is_right && read_varint(rest, end, extra);
      more += extra;
    }
    const std::uint64_t first = next + gap;
    if (!is_right || more >= left || first + more >= limit) {
      is_right = false;
      break;
    }
    const auto begin = static_cast<std::uint32_t>(first), count = static_cast<std::uint32_t>(more) + 1;
    for (std::uint32_t k = 0; k < step; ++k) out[k] = begin + k;
    for (std::uint32_t k = step; k < count; ++k) out[k] = begin + k;
    out += count;
    left -= count;
    next = first + more + 2;
  }
  is_right = is_right && left <= left_over && (left_over > 0 || rest == end);
  row.resize(is_right ? wanted : 0);
  return is_right;
}

}  // namespace tesseray
