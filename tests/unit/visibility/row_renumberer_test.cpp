// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of old numbers as rows of new ones, changed by an edit: as by decoding, looking up and coding each number.
#include "core/visibility/updates/row_renumberer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/visibility/rows/row_codec.h"

namespace tesseray::test {
namespace {

int between(std::mt19937& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

// Some stretches of numbers that stay, some that are gone, some that are new between them.
Renumbering random_renumbering(std::mt19937& random, std::uint32_t old_count) {
  Renumbering numbers;
  numbers.old_tiles = old_count / 3;
  const int longest = 1 << between(random, 0, 15);
  std::uint32_t next_new = 0;
  while (numbers.new_of_old.size() < old_count) {
    const bool is_gone = between(random, 0, 3) == 0;
    if (between(random, 0, 2) == 0) next_new += static_cast<std::uint32_t>(between(random, 0, 3 * longest));
    const int count = is_gone ? between(random, 1, 1 + longest / 8) : between(random, 1, longest);
    for (int k = 0; k < count && numbers.new_of_old.size() < old_count; ++k) {
      numbers.new_of_old.push_back(is_gone ? no_index : next_new++);
    }
  }
  numbers.new_tiles = next_new / 3;
  return numbers;
}

// Whether the row sees each of some numbers, many or few, now other than before.
std::vector<SightChange> random_changes(std::mt19937& random, const std::set<std::uint32_t>& row) {
  const std::uint32_t limit = row.empty() ? 100 : *row.rbegin() + 100;
  std::set<std::uint32_t> numbers;
  const int count = between(random, 0, 1 << between(random, 0, 8));
  for (int k = 0; k < count; ++k) {
    auto number = static_cast<std::uint32_t>(between(random, 0, static_cast<int>(limit)));
    // Half of them at or beside what the row sees, where runs grow together, end or begin.
    const auto at = row.lower_bound(number);
    if (between(random, 0, 1) == 0 && at != row.end()) number = *at + static_cast<std::uint32_t>(between(random, 0, 1));
    numbers.insert(number);
  }
  std::vector<SightChange> changes;
  for (const std::uint32_t number : numbers) changes.push_back({7, number, !row.contains(number)});
  return changes;
}

std::vector<std::uint32_t> random_row(std::mt19937& random, std::uint32_t old_count) {
  std::vector<std::uint32_t> row;
  const int widest = 1 << between(random, 0, 14), longest = 1 << between(random, 0, 7);
  std::uint32_t next = static_cast<std::uint32_t>(between(random, 0, widest));
  while (next < old_count) {
    const int count = between(random, 1, longest);
    for (int k = 0; k < count && next < old_count; ++k) row.push_back(next++);
    next += static_cast<std::uint32_t>(between(random, 1, widest));
  }
  return row;
}

TEST(RowRenumberer, GivesWhatLookingUpEachNumberGives) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const auto old_count = static_cast<std::uint32_t>(between(random, 1, 70'000));
    const Renumbering numbers = random_renumbering(random, old_count);
    RowRenumberer renumberer(numbers);
    for (int k = 0; k < 4; ++k) {
      const std::vector<std::uint32_t> row = random_row(random, old_count);
      std::set<std::uint32_t> seen;
      std::int64_t more_tiles = 0, more_edges = 0;
      for (const std::uint32_t old : row) {
        if (numbers.new_of_old[old] != no_index) {
          seen.insert(numbers.new_of_old[old]);
        } else {
          --(old < numbers.old_tiles ? more_tiles : more_edges);
        }
      }
      const std::vector<SightChange> changes = k == 0 ? std::vector<SightChange>() : random_changes(random, seen);
      for (const SightChange& change : changes) {
        if (change.is_seen) seen.insert(change.other);
        if (!change.is_seen) seen.erase(change.other);
        (change.other < numbers.new_tiles ? more_tiles : more_edges) += change.is_seen ? 1 : -1;
      }
      std::vector<std::uint8_t> coded, expected = {1, 2, 3}, out = expected;
      append_row(row, coded);
      append_row(std::vector<std::uint32_t>(seen.begin(), seen.end()), expected);
      ASSERT_TRUE(renumberer.append(coded, changes, out)) << round;
      ASSERT_EQ(out, expected) << round;
      ASSERT_EQ(renumberer.more_tiles(), more_tiles) << round;
      ASSERT_EQ(renumberer.more_edges(), more_edges) << round;
    }
  }
}

TEST(RowRenumberer, TellsWhatIsNoRow) {
  std::mt19937 random(2);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto old_count = static_cast<std::uint32_t>(between(random, 2, 20'000));
    Renumbering numbers = random_renumbering(random, old_count);
    numbers.new_of_old.back() = no_index;  // so that something changes
    RowRenumberer renumberer(numbers);
    std::vector<std::uint8_t> coded, out;
    append_row(random_row(random, old_count), coded);
    if (round % 3 == 0) coded.resize(static_cast<std::size_t>(between(random, 0, static_cast<int>(coded.size()) - 1)));
    for (int k = 0; k < 3 && !coded.empty(); ++k) {
      coded[static_cast<std::size_t>(between(random, 0, static_cast<int>(coded.size()) - 1))] =
          static_cast<std::uint8_t>(between(random, 0, 255));
    }
    // Bytes that happen to be a row of numbers within the limit are one.
    std::vector<std::uint32_t> numbers_of_row;
    bool is_row = false;
    if (renumberer.append(coded, {}, out)) {
      std::uint32_t length = 0;
      for_each_run(coded.data(), [&](std::uint32_t, std::uint32_t count) { length += count; });
      is_row = decode_row(coded, length, old_count, numbers_of_row);
      EXPECT_TRUE(is_row) << round;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tesseray::test
