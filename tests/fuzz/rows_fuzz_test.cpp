// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of visibility: what is decoded is a row, whatever the bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/visibility/rows/row_codec.h"
#include "tests/fuzz/mutations.h"

namespace tesseray {
namespace {

constexpr std::uint32_t limit = 500'000;

// Runs, long ones, and gaps of all widths.
std::vector<std::uint32_t> row_of_runs(testing::Random& random) {
  std::vector<std::uint32_t> row;
  std::uint32_t number = random.below(10'000);
  while (number < limit && row.size() < 400) {
    for (std::uint32_t length = 1 + random.below(40); length > 0 && number < limit; --length) row.push_back(number++);
    number += 1 + random.below(random.below(3) == 0 ? 20'000 : 30);
  }
  return row;
}

void expect_row(const std::vector<std::uint32_t>& row) {
  EXPECT_TRUE(std::is_sorted(row.begin(), row.end(), std::less_equal<>()));  // each number once
  EXPECT_TRUE(row.empty() || row.back() < limit);
}

TEST(RowsFuzz, AreReadOrRefused) {
  testing::Random random(3);
  testing::Mutations mutations(4);
  int read = 0;
  std::vector<std::uint32_t> decoded;
  for (int round = 0; round < testing::fuzz_rounds(50'000); ++round) {
    const std::vector<std::uint32_t> row = row_of_runs(random);
    std::vector<std::uint8_t> counted;
    append_counted_row(row, counted);
    const std::vector<std::uint8_t> bytes = mutations.of_bytes(counted);
    const std::uint8_t* at = bytes.data();
    if (read_counted_row(at, bytes.data() + bytes.size(), limit, decoded)) {
      ++read;
      expect_row(decoded);
      EXPECT_LE(at, bytes.data() + bytes.size());
    }
    // Behind its length, which the file keeps elsewhere.
    const std::uint8_t* begin = counted.data();
    std::uint64_t length = 0;
    ASSERT_TRUE(read_varint(begin, counted.data() + counted.size(), length));
    const std::vector<std::uint8_t> coded = mutations.of_bytes({begin, counted.data() + counted.size()});
    if (decode_row(coded, static_cast<std::uint32_t>(length), limit, decoded)) {
      ++read;
      expect_row(decoded);
      EXPECT_EQ(decoded.size(), length);
    }
    const std::uint32_t wanted = random.below(static_cast<std::uint32_t>(length) + 1);
    if (decode_row_begin(coded, static_cast<std::uint32_t>(length), limit, wanted, decoded)) {
      expect_row(decoded);
      EXPECT_EQ(decoded.size(), wanted);
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace tesseray
