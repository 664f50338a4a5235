// SPDX-License-Identifier: GPL-3.0-or-later
// The visibility file: what is written is read, and whatever is not whole or not ours is refused with a reason.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <tbb/global_control.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/tiling/tiling.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"
#include "tests/support/spoilt_file.h"

namespace tesseray::test {
namespace {

constexpr std::uint64_t environment = 0x0123456789abcdefu;

class VisibilityFile : public testing::SpoiltFile {
 protected:
  VisibilityFile() : SpoiltFile("city.tvis") {
    CityOptions options = hard_cities()[2];
    options.blocks = 3;
    const Scene scene = make_city(options);
    tiling_ = tile_scene(scene, {}, no_progress());
    visibility_ = compute_visibility(Occlusion(scene), tiling_, {}, no_progress());
    write_visibility(*visibility_, {}, environment, path_, no_progress());
  }
  std::string refusal(std::uint64_t hash = environment) const {
    return refusal_by([&] { open_visibility(path_, tiling_, hash); });
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  Tiling tiling_;
  std::unique_ptr<Visibility> visibility_;
};

void expect_same_rows(const Visibility& a, const Visibility& b) {
  ASSERT_EQ(a.tile_count(), b.tile_count());
  ASSERT_EQ(a.edge_count(), b.edge_count());
  std::vector<std::uint32_t> row_a, row_b;
  for (std::uint32_t element = 0; element < a.element_count(); ++element) {
    a.read_row(element, row_a);
    b.read_row(element, row_b);
    ASSERT_EQ(row_a, row_b);
    ASSERT_EQ(a.row_length(element), b.row_length(element));
    ASSERT_EQ(a.visible_tiles(element), b.visible_tiles(element));
    a.read_tiles_of_row(element, row_a);
    b.read_tiles_of_row(element, row_b);
    ASSERT_EQ(row_a, row_b);
  }
}

TEST_F(VisibilityFile, GivesBackWhatWasWritten) {
  expect_same_rows(*open_visibility(path_, tiling_, environment), *visibility_);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(VisibilityFile, SaysWhatItIs) {
  VisibilityOptions options;
  options.max_distance_m = 750;
  write_visibility(*visibility_, options, 7, path_, no_progress());
  const VisibilityFileInfo info = read_visibility_info(path_);
  std::uint64_t entries = 0;
  for (std::uint32_t element = 0; element < visibility_->element_count(); ++element) {
    entries += visibility_->row_length(element);
  }
  EXPECT_EQ(info.environment_hash, 7u);
  EXPECT_EQ(info.options.max_distance_m, 750);
  EXPECT_EQ(info.tile_count, visibility_->tile_count());
  EXPECT_EQ(info.edge_count, visibility_->edge_count());
  EXPECT_EQ(info.entry_count, entries);
}

TEST_F(VisibilityFile, TakesLessThanAByteAnEntry) {
  const VisibilityFileInfo info = read_visibility_info(path_);
  const double tables = 72.0 + visibility_->element_count() * 12.2;
  EXPECT_LT((static_cast<double>(bytes().size()) - tables) / static_cast<double>(info.entry_count), 0.8);
}

TEST_F(VisibilityFile, HasTheSameBytesForAnyNumberOfThreads) {
  const Scene scene = make_city(hard_cities().back());
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const Occlusion occlusion(scene);
  std::string first;
  for (const std::size_t threads : {1, 2, 7}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    write_visibility(*compute_visibility(occlusion, tiling, {}, no_progress()), {}, environment, path_, no_progress());
    if (first.empty()) first = bytes();
    EXPECT_EQ(bytes(), first) << threads;
  }
  EXPECT_GT(first.size(), 100'000u);
}

TEST_F(VisibilityFile, OfNothingIsRead) {
  const Scene empty;
  const auto nothing = compute_visibility(Occlusion(empty), Tiling{}, {}, no_progress());
  write_visibility(*nothing, {}, environment, path_, no_progress());
  EXPECT_EQ(open_visibility(path_, Tiling{}, environment)->element_count(), 0u);
}

TEST_F(VisibilityFile, OfAnotherEnvironmentIsRefused) { EXPECT_EQ(refusal(environment + 1), "stale_visibility"); }

// Its rows would tell of others than they name.
TEST_F(VisibilityFile, OfOtherTilesOrEdgesIsRefused) {
  EXPECT_EQ(refusal(), "");
  tiling_.tiles.pop_back();
  EXPECT_EQ(refusal(), "stale_visibility");
  tiling_.tiles.push_back({});
  tiling_.edges.push_back({});
  EXPECT_EQ(refusal(), "stale_visibility");
}

TEST_F(VisibilityFile, ThatIsAnotherFormatIsRefused) {
  for (const char* content :
       {"", "T", "TVI", "SQLite format 3", "%PDF-1.7 and much more text that is not ours at all"}) {
    put(content);
    EXPECT_EQ(refusal(), "foreign_visibility") << content;
  }
}

TEST_F(VisibilityFile, OfAnotherVersionIsRefused) {
  std::string content = bytes();
  content[4] = 1;  // the one before
  put(content);
  EXPECT_EQ(refusal(), "unsupported_visibility_version");
}

TEST_F(VisibilityFile, ThatEndsTooEarlyIsRefused) {
  const std::string content = bytes();
  for (const std::size_t length :
       {std::size_t{4}, std::size_t{71}, std::size_t{72}, std::size_t{90}, content.size() / 2, content.size() - 1}) {
    put(content.substr(0, length));
    EXPECT_EQ(refusal(), "truncated_visibility") << length;
  }
  put(content + "x");
  EXPECT_EQ(refusal(), "damaged_visibility");
}

TEST_F(VisibilityFile, WithAnyByteChangedIsRefused) {
  const std::string content = bytes();
  std::mt19937 random(3);
  std::vector<std::size_t> places;
  for (std::size_t place = 4; place < 200; ++place) places.push_back(place);
  for (int k = 0; k < 200; ++k) places.push_back(random() % content.size());
  places.push_back(content.size() - 1);
  for (const std::size_t place : places) {
    if (place < 4) continue;
    std::string changed = content;
    changed[place] = static_cast<char>(changed[place] ^ (1 << random() % 8));
    put(changed);
    EXPECT_NE(refusal(), "") << place;
  }
}

// Checksums that are right over content that is not: what a hostile or faulty writer makes.
TEST_F(VisibilityFile, WithWrongContentUnderRightChecksumsIsRefusedOrNeverReadBeyond) {
  const std::string content = bytes();
  const auto put_u64 = [](std::string& text, std::size_t at, std::uint64_t value) {
    for (int k = 0; k < 8; ++k) text[at + static_cast<std::size_t>(k)] = static_cast<char>(value >> (8 * k));
  };
  const auto get_u64 = [](const std::string& text, std::size_t at) {
    std::uint64_t value = 0;
    for (int k = 0; k < 8; ++k)
      value |= std::uint64_t{static_cast<unsigned char>(text[at + static_cast<std::size_t>(k)])} << (8 * k);
    return value;
  };
  const auto checksum = [](const std::string& text, std::size_t at, std::size_t size) {
    return xxh64({reinterpret_cast<const std::uint8_t*>(text.data()) + at, size});
  };
  std::uint32_t blocks = 0;
  std::memcpy(&blocks, content.data() + 44, 4);
  const std::size_t block_begin = get_u64(content, 72), block_size = get_u64(content, 80);
  std::mt19937 random(9);
  int refused_later = 0;
  for (int k = 0; k < 300; ++k) {
    std::string changed = content;
    const std::size_t at = block_begin + random() % (k % 2 ? block_size : 256 * 12);
    changed[at] = static_cast<char>(random());
    put_u64(changed, 88, checksum(changed, block_begin, block_size));
    put_u64(changed, 56, checksum(changed, 72, std::size_t{blocks} * 24));
    put_u64(changed, 64, checksum(changed, 0, 64));
    put(changed);
    try {
      const auto visibility = open_visibility(path_, tiling_, environment);
      std::vector<std::uint32_t> row;
      for (std::uint32_t element = 0; element < visibility->element_count(); ++element) {
        visibility->read_row(element, row);
        for (const std::uint32_t other : row) ASSERT_LT(other, visibility->element_count());
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "damaged_visibility");
      ++refused_later;
    }
  }
  EXPECT_GT(refused_later, 100);
}

TEST_F(VisibilityFile, ThatIsNotThereIsRefused) {
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "cannot_read_file");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(refusal(), "cannot_read_file");
}

// What write_visibility throws; the kind that is no error stands for success.
std::optional<ErrorKind> failure_of(const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST_F(VisibilityFile, OnAFullDiskLeavesTheOldOneAndNothingElse) {
  const std::string before = bytes();
  rlimit old_limit = {};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const std::size_t limit : {std::size_t{0}, std::size_t{50}, std::size_t{4000}, before.size() - 1}) {
    const rlimit small = {limit, old_limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto failure = failure_of([&] { write_visibility(*visibility_, {}, 1, path_, no_progress()); });
    setrlimit(RLIMIT_FSIZE, &old_limit);
    EXPECT_EQ(failure, ErrorKind::resources) << limit;
    EXPECT_EQ(files_in_folder(), 1u);
    EXPECT_EQ(bytes(), before);
  }
  std::signal(SIGXFSZ, old_handler);
}

class CancelledProgress final : public Progress {
 public:
  bool is_cancelled() const override { return true; }
};

TEST_F(VisibilityFile, WhenCancelledLeavesTheOldOneAndNothingElse) {
  const std::string before = bytes();
  CancelledProgress progress;
  EXPECT_EQ(failure_of([&] { write_visibility(*visibility_, {}, 1, path_, progress); }), ErrorKind::cancelled);
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_EQ(bytes(), before);
}

TEST_F(VisibilityFile, IntoAFolderThatIsNotThereIsRefused) {
  EXPECT_EQ(failure_of([&] { write_visibility(*visibility_, {}, 1, folder_ / "none" / "x.tvis", no_progress()); }),
            ErrorKind::invalid_input);
}

TEST(Checksum, IsXxh64) {
  const auto of = [](const std::string& text) {
    return xxh64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  // From the specification's reference implementation.
  EXPECT_EQ(of(""), 0xef46db3751d8e999u);
  EXPECT_EQ(of("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(of("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

TEST(RowCodec, StoresTheRowOfTheFormatsPage) {
  std::vector<std::uint8_t> bytes;
  append_row(std::vector<std::uint32_t>{3, 4, 9}, bytes);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{2, 0x31, 0x00, 0x30, 0x00}));
}

TEST(RowCodec, GivesBackRunsAndGapsOfAnyLength) {
  for (const std::uint32_t gap : {1u, 2u, 4094u, 4095u, 4096u, 5000u, 4095u + 128u, 3'000'000u}) {
    for (const std::uint32_t run : {1u, 7u, 8u, 9u, 15u, 16u, 17u, 143u, 144u, 20'000u}) {
      std::vector<std::uint32_t> row;
      for (std::uint32_t k = 0; k < run; ++k) row.push_back(gap + k);
      for (std::uint32_t k = 0; k < run; ++k) row.push_back(row[run - 1] + gap + 1 + k);
      row.push_back(row.back() + 2);
      std::vector<std::uint8_t> bytes;
      append_row(row, bytes);
      std::vector<std::uint32_t> read;
      ASSERT_TRUE(decode_row(bytes, static_cast<std::uint32_t>(row.size()), row.back() + 1, read));
      EXPECT_EQ(read, row) << gap << " " << run;
    }
  }
}

TEST(RowCodec, GivesBackAnyAscendingRow) {
  std::mt19937 random(2);
  for (int k = 0; k < 300; ++k) {
    const std::uint32_t limit = k % 3 == 0 ? 0xffffffffu : 1u << (1 + k % 24);
    std::vector<std::uint32_t> row;
    for (std::uint32_t n = random() % 200; n > 0; --n) row.push_back(random() % limit);
    if (k % 3 == 0) row.push_back(limit - 1);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    std::vector<std::uint8_t> bytes;
    append_row(row, bytes);
    std::vector<std::uint32_t> fast, checked;
    const std::uint32_t length = static_cast<std::uint32_t>(row.size());
    const auto append_run = [&fast](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t n = first; n < first + count; ++n) fast.push_back(n);
    };
    EXPECT_EQ(for_each_run(bytes.data(), append_run), bytes.data() + bytes.size());
    EXPECT_EQ(fast, row);
    EXPECT_TRUE(decode_row(bytes, length, limit, checked));
    EXPECT_EQ(checked, row);
    const std::uint32_t wanted = random() % (length + 1);
    EXPECT_TRUE(decode_row_begin(bytes, length, limit, wanted, checked));
    EXPECT_EQ(checked, std::vector<std::uint32_t>(row.begin(), row.begin() + wanted));
    if (row.empty()) continue;
    EXPECT_FALSE(decode_row_begin(bytes, length, limit, length + 1, checked));
    EXPECT_FALSE(decode_row(bytes, length, row.back(), checked));
    EXPECT_FALSE(decode_row(bytes, length + 1, limit, checked));
    EXPECT_FALSE(decode_row(bytes, length - 1, limit, checked));
  }
}

// Run by run, as the formats page says; nothing when the bytes are no row of so many numbers below the limit.
std::optional<std::vector<std::uint32_t>> plainly_decoded(std::span<const std::uint8_t> bytes, std::uint32_t length,
                                                          std::uint32_t limit) {
  const std::uint8_t *at = bytes.data(), *const end = at + bytes.size();
  std::uint64_t runs = 0, next = 0;
  if (!read_varint(at, end, runs) || 2 * runs > static_cast<std::uint64_t>(end - at)) return {};
  const std::uint8_t* rest = at + 2 * runs;
  std::vector<std::uint32_t> row;
  for (; runs > 0; --runs, at += 2) {
    std::uint64_t gap = (at[0] + 256u * at[1]) >> 4, more = at[0] & 15u, extra = 0;
    if (gap == 4095 && !read_varint(rest, end, extra)) return {};
    gap += std::exchange(extra, 0);
    if (more == 15 && !read_varint(rest, end, extra)) return {};
    more += extra;
    if (row.size() + more >= length || next + gap + more >= limit) return {};
    for (std::uint64_t k = 0; k <= more; ++k) row.push_back(static_cast<std::uint32_t>(next + gap + k));
    next += gap + more + 2;
  }
  if (row.size() != length || rest != end) return {};
  return row;
}

TEST(RowCodec, TellsWhatIsNoRow) {
  std::mt19937 random(4);
  const auto below = [&](std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t widest = 1u << below(15), longest = 1u << below(7);
    std::vector<std::uint32_t> row;
    for (std::uint32_t runs = below(60), next = 0; runs > 0; --runs) {
      next += 1 + below(widest);
      for (std::uint32_t count = 1 + below(longest); count > 0; --count) row.push_back(next++);
    }
    std::vector<std::uint8_t> bytes;
    append_row(row, bytes);
    if (round % 4 == 0) bytes.resize(below(bytes.size() + 1));
    if (round % 4 == 1) bytes.insert(bytes.end(), 1 + below(9), static_cast<std::uint8_t>(below(256)));
    for (std::uint32_t k = below(3); k > 0 && !bytes.empty(); --k) {
      bytes[below(bytes.size())] = static_cast<std::uint8_t>(below(256));
    }
    const auto length = static_cast<std::uint32_t>(row.size());
    const std::uint32_t limit = round % 2 == 0 || row.empty() ? 0xffff'ffff : row.back() + 1;
    const auto expected = plainly_decoded(bytes, length, limit);
    std::vector<std::uint32_t> read;
    ASSERT_EQ(decode_row(bytes, length, limit, read), expected.has_value()) << round;
    ASSERT_EQ(read, expected.value_or(std::vector<std::uint32_t>())) << round;
    if (!expected) ++refused;
  }
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace tesseray::test
