// SPDX-License-Identifier: GPL-3.0-or-later
// Rows put together from marks, and halves turned into whole rows, against plain sets of numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/visibility/rows/packed_rows.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/rows/row_maker.h"
#include "core/visibility/rows/turned_halves.h"

namespace tesseray::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::uint32_t below(std::uint32_t limit, std::mt19937& random) { return static_cast<std::uint32_t>(random() % limit); }

std::vector<std::uint8_t> coded(const Numbers& row) {
  std::vector<std::uint8_t> bytes;
  append_row(row, bytes);
  return bytes;
}

TEST(RowMaker, PutsNumbersRunsAndWordsTogether) {
  std::mt19937 random(4);
  constexpr std::uint32_t limit = 20'000, tiles = 12'345;
  RowMaker maker(limit);
  for (int k = 0; k < 400; ++k) {
    std::set<std::uint32_t> expected;
    for (std::uint32_t n = below(40, random); n > 0; --n) {
      const std::uint32_t number = below(limit, random);
      expected.insert(number);
      maker.add(number);
    }
    for (std::uint32_t n = below(6, random); n > 0; --n) {
      // Runs within a word, over its border, of whole words, and of many.
      const std::uint32_t begin = n % 2 == 0 ? below(limit, random) : 64 * below(limit / 64, random);
      const std::uint32_t count = std::min(limit - begin, n % 3 == 0 ? 64u : 1 + below(300, random));
      for (std::uint32_t number = begin; number < begin + count; ++number) expected.insert(number);
      maker.add_run(begin, count);
    }
    for (std::uint32_t n = below(6, random); n > 0; --n) {
      const std::uint32_t word = below(limit / 64, random);
      const std::uint64_t marks = n == 1 ? ~std::uint64_t{0} : std::uint64_t{random()} << 32 | random() | 1;
      for (std::uint32_t bit = 0; bit < 64; ++bit) {
        if ((marks >> bit & 1) != 0) expected.insert(64 * word + bit);
      }
      maker.add_word(word, marks);
    }
    std::vector<std::uint8_t> bytes = {7};
    const RowCounts counts = maker.append_to(bytes, tiles);
    std::vector<std::uint8_t> expected_bytes = coded({expected.begin(), expected.end()});
    expected_bytes.insert(expected_bytes.begin(), 7);
    ASSERT_EQ(bytes, expected_bytes) << k;
    EXPECT_EQ(counts.length, expected.size());
    EXPECT_EQ(counts.visible_tiles, std::distance(expected.begin(), expected.lower_bound(tiles)));
  }
}

TEST(RowCodec, StopsAtTheFirstRunFromANumberOn) {
  const std::vector<std::uint8_t> bytes = coded({3, 4, 9, 5000, 5001, 5002, 20'000});
  const auto runs_until = [&bytes](std::uint32_t end) {
    Numbers runs;
    for_each_run_until(bytes.data(), end, [&](std::uint32_t first, std::uint32_t count) {
      runs.push_back(first);
      runs.push_back(count);
    });
    return runs;
  };
  EXPECT_EQ(runs_until(3), Numbers());
  EXPECT_EQ(runs_until(4), (Numbers{3, 2}));
  EXPECT_EQ(runs_until(5001), (Numbers{3, 2, 9, 1, 5000, 3}));
  EXPECT_EQ(runs_until(20'001), (Numbers{3, 2, 9, 1, 5000, 3, 20'000, 1}));
}

// Parts that begin and end in gaps, in runs, and beside them; a gap and a run too long for a token; nothing at all.
TEST(RowCursor, ReadsARowInPartsOnce) {
  Numbers long_run(40);
  std::iota(long_run.begin(), long_run.end(), 9000);
  Numbers row = {3, 4, 9, 5000, 5001, 5002};
  row.insert(row.end(), long_run.begin(), long_run.end());
  for (const Numbers& numbers : {row, Numbers()}) {
    const std::vector<std::uint8_t> bytes = coded(numbers);
    for (const std::uint32_t part : {1u, 2u, 7u, 20u, 5001u, 20'000u}) {
      RowCursor cursor(bytes.data());
      for (std::uint32_t begin = 0; begin < 10'000; begin += part) {
        Numbers of_part;
        cursor.visit_until(begin + part, [&](std::uint32_t first, std::uint32_t count) {
          for (std::uint32_t n = first; n < first + count; ++n) {
            if (n >= begin && n < begin + part) of_part.push_back(n);
          }
        });
        ASSERT_EQ(of_part, Numbers(std::lower_bound(numbers.begin(), numbers.end(), begin),
                                   std::lower_bound(numbers.begin(), numbers.end(), begin + part)))
            << begin << " of " << part;
      }
    }
  }
}

// Who sees whom, and who of both found it.
struct Relation {
  explicit Relation(std::uint32_t elements) : sees(elements, std::vector<bool>(elements)), found(elements) {}

  void add(std::uint32_t a, std::uint32_t b, bool is_of_second) {
    sees[a][b] = sees[b][a] = true;
    found[is_of_second ? b : a].push_back(is_of_second ? a : b);
  }
  // In lots of different sizes.
  std::vector<HalfRows> halves(std::mt19937& random) {
    std::vector<HalfRows> all;
    std::uint32_t left = 0;
    for (Numbers& row : found) {
      if (left == 0) {
        all.emplace_back();
        left = 1 + below(100, random);
      }
      std::sort(row.begin(), row.end());
      all.back().add(row);
      --left;
    }
    return all;
  }

  std::vector<std::vector<bool>> sees;
  std::vector<Numbers> found;
};

// Neighbours see much the same, with gaps.
Relation random_relation(std::uint32_t elements, std::mt19937& random) {
  Relation relation(elements);
  std::uint32_t first = 0, end = 0;
  for (std::uint32_t a = 0; a < elements; ++a) {
    if (a % 50 == 0) {
      first = below(elements, random);
      end = std::min(elements, first + below(elements / 2, random));
    }
    for (std::uint32_t b = std::max(first, a + 1); b < end; ++b) {
      if (random() % 5 != 0) relation.add(a, b, random() % 3 == 0);
    }
  }
  return relation;
}

Numbers sources_of(const TurnedPart& part, std::uint32_t element) {
  Numbers sources;
  for (const SourceWord& words : part.sources_of(element)) {
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
      if ((words.marks >> bit & 1) != 0) sources.push_back(64 * words.word + bit);
    }
  }
  return sources;
}

TEST(TurnedHalves, NameTheSourcesThatFoundAnElement) {
  std::mt19937 random(6);
  constexpr std::uint32_t elements = 3000;
  Relation relation = random_relation(elements, random);
  const std::vector<HalfRows> all = relation.halves(random);
  struct Range {
    std::size_t first_half, end_half;
    std::uint32_t begin, end, part_elements;
  };
  for (const Range& range : {Range{0, all.size(), 0, elements, elements}, Range{0, all.size(), 1000, 2001, 256},
                             Range{3, 40, 0, elements, 77}, Range{5, 6, 17, 18, 4}}) {
    const std::vector<HalfRows> halves(all.begin() + static_cast<std::ptrdiff_t>(range.first_half),
                                       all.begin() + static_cast<std::ptrdiff_t>(range.end_half));
    std::uint32_t first_source = 0, sources = 0;
    for (std::size_t h = 0; h < range.first_half; ++h) first_source += all[h].rows();
    for (const HalfRows& half : halves) sources += half.rows();
    std::vector<Numbers> expected(elements);
    for (std::uint32_t source = first_source; source < first_source + sources; ++source) {
      for (const std::uint32_t other : relation.found[source]) expected[other].push_back(source);
    }
    const TurnedHalves turned(halves, first_source, range.begin, range.end, range.part_elements, no_progress());
    TurnedPart part;
    std::uint32_t next = range.begin;
    for (std::uint32_t k = 0; k < turned.parts(); ++k) {
      turned.read_part(k, part);
      EXPECT_EQ(part.begin(), next);
      for (; next < part.end(); ++next) ASSERT_EQ(sources_of(part, next), expected[next]) << next;
    }
    EXPECT_EQ(next, range.end);
  }
}

void expect_whole(const Visibility& visibility, const Relation& relation, std::uint32_t tiles) {
  const auto elements = static_cast<std::uint32_t>(relation.sees.size());
  ASSERT_EQ(visibility.element_count(), elements);
  ASSERT_EQ(visibility.tile_count(), tiles);
  Numbers row;
  for (std::uint32_t a = 0; a < elements; ++a) {
    Numbers expected;
    for (std::uint32_t b = 0; b < elements; ++b) {
      if (relation.sees[a][b]) expected.push_back(b);
    }
    visibility.read_row(a, row);
    ASSERT_EQ(row, expected) << a;
    ASSERT_EQ(visibility.row_length(a), expected.size());
    ASSERT_EQ(visibility.visible_tiles(a),
              std::lower_bound(expected.begin(), expected.end(), tiles) - expected.begin());
  }
}

TEST(WholeRows, NameEachPairAtBothEnds) {
  std::mt19937 random(8);
  for (const std::uint32_t elements : {1u, 63u, 64u, 512u, 513u, 2048u, 2049u, 4500u}) {
    Relation relation = elements < 10 ? Relation(elements) : random_relation(elements, random);
    const std::vector<HalfRows> halves = relation.halves(random);
    expect_whole(*whole_rows(elements / 3, elements - elements / 3, halves, no_progress()), relation, elements / 3);
  }
  EXPECT_EQ(whole_rows(0, 0, {}, no_progress())->element_count(), 0u);
}

// More than is turned at once: all but a few see each other.
TEST(WholeRows, AreTheSameWhenTurnedInManyPasses) {
  std::mt19937 random(9);
  constexpr std::uint32_t elements = 9000;
  Relation relation(elements);
  for (std::uint32_t a = 0; a < elements; ++a) {
    for (std::uint32_t b = a + 1; b < elements; ++b) {
      if ((a * 7919u + b) % 97 != 0) relation.add(a, b, false);
    }
  }
  const std::vector<HalfRows> halves = relation.halves(random);
  expect_whole(*whole_rows(elements, 0, halves, no_progress()), relation, elements);
}

}  // namespace
}  // namespace tesseray::test
