// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/row_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>

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

void append_counted_row(std::span<const std::uint32_t> row, std::vector<std::uint8_t>& bytes) {
  append_varint(static_cast<std::uint32_t>(row.size()), bytes);
  if (row.empty()) return;
  std::vector<std::uint8_t> coded;
  append_row(row, coded);
  append_varint(static_cast<std::uint32_t>(coded.size()), bytes);
  bytes.insert(bytes.end(), coded.begin(), coded.end());
}

namespace {

// Four tokens side by side in a 64-bit word, each in its 16 bits.
constexpr std::uint64_t every_token = 0x0001'0001'0001'0001;
struct FourTokens {
  explicit FourTokens(const std::uint8_t* bytes) {
    const std::uint64_t tokens = load_u64(bytes);
    gaps = tokens >> run_length_bits & every_token * widest_gap;
    more = tokens & every_token * longest_run;
  }
  // For each token the lowest bit when its gap has a rest, and the next when its length has: in their order.
  std::uint64_t with_rest() const {
    // One more than the greatest carries into the next bit.
    return ((gaps + every_token) >> (16 - run_length_bits) & every_token) |
           ((more + every_token) >> (run_length_bits - 1) & 2 * every_token);
  }

  std::uint64_t gaps = 0, more = 0;  // lengths less one
};

// A row in the making, of bytes that nobody vouches for. Runs are written in whole steps: what a run does not fill is
// overwritten by the next, or cut off.
struct Decoder {
  static constexpr std::uint32_t step = 16;

  const std::uint8_t* at;    // the next token
  const std::uint8_t* rest;  // what did not fit into it
  const std::uint8_t* end;
  std::uint32_t* out;
  std::uint64_t next = 0, limit;
  std::uint32_t left;

  // Four runs at once; false, and nothing done, when they are not right or have more numbers than `most`.
  // REQUIRES: four tokens.
  [[gnu::always_inline]] bool read_four(std::uint32_t most) {
    const FourTokens tokens(at);
    if (tokens.with_rest() != 0) [[unlikely]] {
      return read_four_with_rests(tokens, most);
    }
    // Multiplying adds up: each of the four has its own and those before it.
    const std::uint64_t counts = tokens.more + every_token, counts_up_to = counts * every_token;
    const std::uint64_t nexts = (tokens.gaps + counts + every_token) * every_token;
    const std::uint64_t begins = nexts - counts - every_token, places = counts_up_to - counts;
    const std::uint64_t count = counts_up_to >> 48, length = nexts >> 48;
    if (count > most || next + length > limit + 1) return false;
    for (int k = 0; k < 64; k += 16) write(next + (begins >> k & 0xffff), out + (places >> k & 0xffff));
    pass(4, count, length);
    return true;
  }

  // The next run; false when it is not right.
  bool read_one() {
    const std::uint32_t token = load_little_endian<std::uint16_t>(at);
    std::uint64_t gap = token >> run_length_bits, more = token & longest_run, extra = 0;
    if (gap == widest_gap) {
      if (!read_varint(rest, end, extra)) return false;
      gap += extra;
    }
    if (more == longest_run) {
      if (!read_varint(rest, end, extra)) return false;
      more += extra;
    }
    if (more >= left || next + gap + more >= limit) return false;
    write_run(next + gap, more + 1, out);
    pass(1, more + 1, gap + more + 2);
    return true;
  }

 private:
  [[gnu::always_inline]] bool read_four_with_rests(const FourTokens& tokens, std::uint32_t most) {
    std::uint64_t extra[8] = {};  // what did not fit of each gap (even) and length (odd)
    const std::uint8_t* behind = rest;
    for (std::uint64_t bits = tokens.with_rest(); bits != 0; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      extra[bit / 8 + bit % 8] = take_rest(behind);
    }
    std::uint64_t begins[4], counts[4], places[4];
    std::uint64_t count = 0, behind_last = next;
    for (int k = 0; k < 4; ++k) {
      begins[k] = behind_last + (tokens.gaps >> 16 * k & widest_gap) + extra[2 * k];
      counts[k] = (tokens.more >> 16 * k & longest_run) + 1 + extra[2 * k + 1];
      places[k] = count;
      count += counts[k];
      behind_last = begins[k] + counts[k] + 1;
    }
    if (behind > end || count > most || behind_last > limit + 1) return false;
    for (int k = 0; k < 4; ++k) write_run(begins[k], counts[k], out + places[k]);
    rest = behind;
    pass(4, count, behind_last - next);
    return true;
  }

  // The varint at `from`, which goes on behind it; far behind the end when it is not right. Without branches on its
  // length, since nobody can foresee them.
  [[gnu::always_inline]] std::uint64_t take_rest(const std::uint8_t*& from) const {
    // Nothing beyond the end is read: four tokens lie before it.
    const auto beyond = std::max<std::ptrdiff_t>(8 - (end - from), 0);
    const std::uint64_t bytes = load_u64(from - beyond) >> std::min<std::ptrdiff_t>(8 * beyond, 63);
    const std::uint64_t last = ~bytes & 0x80'8080'8080, used = bytes & (last ^ (last - 1));
    from += last == 0 ? end - from + 1 : (std::countr_zero(last) + 1) / 8;
    return (used & 0x7f) | (used >> 1 & 0x7f << 7) | (used >> 2 & 0x7f << 14) | (used >> 3 & 0x7f << 21) |
           (used >> 4 & std::uint64_t{0x7f} << 28);
  }

  [[gnu::always_inline]] void pass(int tokens, std::uint64_t count, std::uint64_t length) {
    at += 2 * tokens;
    out += count;
    left -= static_cast<std::uint32_t>(count);
    next += length;
  }

  [[gnu::always_inline]] static void write(std::uint64_t begin, std::uint32_t* to) {
    using Numbers [[gnu::vector_size(16)]] = std::uint32_t;
    for (std::uint32_t k = 0; k < step; k += 4) {
      const Numbers numbers = static_cast<std::uint32_t>(begin) + (Numbers{0, 1, 2, 3} + k);
      std::memcpy(to + k, &numbers, sizeof numbers);
    }
  }
  [[gnu::always_inline]] static void write_run(std::uint64_t begin, std::uint64_t count, std::uint32_t* to) {
    write(begin, to);
    for (std::uint64_t k = step; k < count; k += step) write(begin + k, to + k);
  }
};

}  // namespace

bool decode_row(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                std::vector<std::uint32_t>& row) {
  return decode_row_begin(bytes, length, limit, length, row);
}

bool decode_row_begin(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                      std::uint32_t wanted, std::vector<std::uint32_t>& row) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t runs = 0;
  // No file makes memory be taken that its own rows cannot fill.
  if (!read_varint(at, end, runs) || 2 * runs > static_cast<std::uint64_t>(end - at) || length > limit ||
      wanted > length) {
    row.clear();
    return false;
  }
  row.resize(std::size_t{length} + Decoder::step);
  const std::uint8_t* const tokens_end = at + 2 * runs;
  const std::uint32_t left_over = length - wanted;
  Decoder decoder = {.at = at, .rest = tokens_end, .end = end, .out = row.data(), .limit = limit, .left = length};
  bool is_right = true;
  while (is_right && decoder.at != tokens_end && (left_over == 0 || decoder.left > left_over)) {
    if (tokens_end - decoder.at >= 8 && decoder.read_four(decoder.left - left_over)) continue;
    is_right = decoder.read_one();
  }
  is_right = is_right && decoder.left <= left_over && (left_over > 0 || decoder.rest == end);
  row.resize(is_right ? wanted : 0);
  return is_right;
}

bool read_counted_row(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t limit,
                      std::vector<std::uint32_t>& row) {
  std::uint64_t count = 0, size = 0;
  row.clear();
  if (!read_varint(at, end, count) || count > limit) return false;
  if (count == 0) return true;
  if (!read_varint(at, end, size) || size > static_cast<std::uint64_t>(end - at)) return false;
  const std::span<const std::uint8_t> coded(at, size);
  at += size;
  return decode_row(coded, static_cast<std::uint32_t>(count), limit, row);
}

}  // namespace tesseray
