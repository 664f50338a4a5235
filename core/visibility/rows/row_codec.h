// SPDX-License-Identifier: GPL-3.0-or-later
// Ascending numbers as bytes, by runs of consecutive ones: neighbours see much the same, so that rows are made of runs.
//
// A row is the number of its runs, then 16 bits per run (the gap before it in the upper 12, its length less one in the
// lower 4, low byte first), then what did not fit: for each run in order whose gap is 4095 or more, the rest of the
// gap, and whose length less one is 15 or more, the rest of that. The gap of the first run counts from 0; those of the
// others from the end of the run before and one more, since runs do not touch. The number of runs and the rests are
// varints: seven bits a byte, the lowest first, the high bit set on all but the last byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/little_endian.h"

namespace tesseray {

inline constexpr int run_length_bits = 4;
inline constexpr std::uint32_t longest_run = (1u << run_length_bits) - 1,
                               widest_gap = (1u << (16 - run_length_bits)) - 1;

inline void append_varint(std::uint32_t value, std::vector<std::uint8_t>& bytes) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

// REQUIRES: bytes made by append_varint.
inline std::uint32_t read_varint(const std::uint8_t*& at) {
  std::uint32_t value = 0, byte = 0;
  int shift = 0;
  do {
    byte = *at++;
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte >= 0x80);
  return value;
}

// The same for bytes that nobody vouches for: false when they end before the number, or when it is too large.
inline bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    if (at == end) return false;
    const std::uint8_t byte = *at++;
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Codes a row run by run.
class RowCoder {
 public:
  // Runs come in ascending order, and none touches the next. REQUIRES: numbers below 2³² − 1.
  void add_run(std::uint32_t first, std::uint32_t count) {
    const std::uint32_t gap = first - next_, more = count - 1;
    if (tokens_.size() < 2 * (std::size_t{runs_} + 1)) tokens_.resize(4 * (std::size_t{runs_} + 1));
    store_little_endian(
        static_cast<std::uint16_t>(std::min(gap, widest_gap) << run_length_bits | std::min(more, longest_run)),
        tokens_.data() + 2 * std::size_t{runs_++});
    if (gap >= widest_gap) append_varint(gap - widest_gap, rests_);
    if (more >= longest_run) append_varint(more - longest_run, rests_);
    next_ = first + count + 1;
  }
  // Appends the row, and begins the next.
  void append_to(std::vector<std::uint8_t>& bytes);

 private:
  std::uint32_t next_ = 0, runs_ = 0;
  std::vector<std::uint8_t> tokens_, rests_;
};

// REQUIRES: strictly ascending numbers below 2³² − 1.
void append_row(std::span<const std::uint32_t> row, std::vector<std::uint8_t>& bytes);

// The same behind how many numbers there are and, unless there are none, the size of the row in bytes, both varints.
void append_counted_row(std::span<const std::uint32_t> row, std::vector<std::uint8_t>& bytes);

// The numbers from `first` on, so many of them.
struct RowRun {
  std::uint32_t first = 0, count = 0;
  // The least number that the next run may begin with: one is left out between them.
  std::uint32_t end() const { return first + count + 1; }
};

// The run of the token at `bytes` that begins at `least` or later; what does not fit the token is read at `rest`, which
// goes on.
inline RowRun read_run(const std::uint8_t* bytes, std::uint32_t least, const std::uint8_t*& rest) {
  const std::uint32_t token = load_little_endian<std::uint16_t>(bytes);
  std::uint32_t gap = token >> run_length_bits, more = token & longest_run;
  if (gap == widest_gap) gap += read_varint(rest);
  if (more == longest_run) more += read_varint(rest);
  return {least + gap, more + 1};
}

// Calls visit(first, count) for the runs at `bytes` until one begins at `end_number` or later; returns the end of what
// was read, which is the row's where none does. REQUIRES: bytes made by append_row (files are checked as they are
// read).
template <class Visit>
const std::uint8_t* for_each_run_until(const std::uint8_t* bytes, std::uint32_t end_number, const Visit& visit) {
  const std::uint32_t runs = read_varint(bytes);
  const std::uint8_t* rest = bytes + 2 * std::size_t{runs};
  std::uint32_t next = 0;
  for (const std::uint8_t* end = rest; bytes != end; bytes += 2) {
    const RowRun run = read_run(bytes, next, rest);
    if (run.first >= end_number) break;
    visit(run.first, run.count);
    next = run.end();
  }
  return rest;
}

// The same for all runs.
template <class Visit>
const std::uint8_t* for_each_run(const std::uint8_t* bytes, const Visit& visit) {
  return for_each_run_until(bytes, ~std::uint32_t{0}, visit);
}

// Reads a row in parts, each run once but for those that reach from one part into the next. REQUIRES: bytes made by
// append_row, which stay.
class RowCursor {
 public:
  explicit RowCursor(const std::uint8_t* row) {
    left_ = read_varint(row);
    token_ = row;
    rest_ = row + 2 * std::size_t{left_};
    read();
  }

  // Calls visit(first, count) for the runs that begin before `end_number` and have not ended before that of the last
  // call. REQUIRES: it does not fall.
  template <class Visit>
  void visit_until(std::uint32_t end_number, const Visit& visit) {
    while (run_.first < end_number) {
      visit(run_.first, run_.count);
      if (run_.first + run_.count > end_number) return;
      read();
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void read() {
    if (left_ == 0) {
      run_ = {none, 0};
      return;
    }
    run_ = read_run(token_, next_, rest_);
    next_ = run_.end();
    token_ += 2;
    --left_;
  }

  const std::uint8_t *token_ = nullptr, *rest_ = nullptr;
  std::uint32_t left_ = 0;  // runs behind this
  RowRun run_;
  std::uint32_t next_ = 0;
};

// Replaces `row` by the `length` numbers that make up all of `bytes`, which nobody vouches for; false when they are not
// a row of so many numbers below `limit`.
bool decode_row(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                std::vector<std::uint32_t>& row);
// Replaces `row` by what append_counted_row made at `at`, and goes on behind it; false when that is no such row before
// `end`, or has numbers from `limit` on.
bool read_counted_row(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t limit,
                      std::vector<std::uint32_t>& row);
// As decode_row, for the first `wanted` of them alone; what comes behind is not looked at.
bool decode_row_begin(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                      std::uint32_t wanted, std::vector<std::uint32_t>& row);

}  // namespace tesseray
