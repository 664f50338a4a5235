// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility computed straight into its file: the bytes of the way in memory, however often it is broken off.
#include "core/visibility/file/work_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"

namespace tesseray::test {
namespace {

constexpr std::uint64_t environment = 5;
constexpr std::uint64_t little_memory = 1, much_memory = std::uint64_t{1} << 30;

// Remembers what it is told, and cancels at the n-th question.
class Watcher final : public Progress {
 public:
  explicit Watcher(int questions = -1) : questions_left_(questions) {}
  void warn(const Warning& warning) override {
    codes.insert(warning.code);
    std::sscanf(warning.message.c_str(), "an earlier run has computed %d of", &finished_before);
  }
  bool is_cancelled() const override { return questions_left_ >= 0 && questions_left_.fetch_sub(1) <= 0; }

  std::set<std::string> codes;
  int finished_before = 0;  // elements

 private:
  mutable std::atomic<int> questions_left_;
};

class VisibilityInBlocks : public ::testing::Test {
 protected:
  VisibilityInBlocks()
      : folder_(std::filesystem::temp_directory_path() / ("tesseray-blocks-" + std::to_string(getpid()))),
        path_(folder_ / "city.tvis"),
        work_(work_file_beside(path_)),
        scene_(make_city(hard_cities().back())),
        occlusion_(scene_),
        tiling_(tile_scene(scene_, {}, no_progress())) {
    std::filesystem::create_directories(folder_);
    const std::filesystem::path plain = folder_ / "plain.tvis";
    write_visibility(*compute_visibility(occlusion_, tiling_, {}, no_progress()), {}, environment, plain,
                     no_progress());
    expected_ = bytes(plain);
    std::filesystem::remove(plain);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(const std::filesystem::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  void compute(Progress& progress, std::uint64_t memory_bytes = little_memory, std::uint64_t hash = environment) {
    compute_visibility_file(occlusion_, tiling_, {}, hash, path_, memory_bytes, progress);
  }
  // Leaves the work of a run that was broken off: most of it.
  void break_off() {
    for (int questions = 5;; questions += 5) {
      Watcher watcher(questions);
      EXPECT_THROW(compute(watcher), Error);
      if (std::filesystem::exists(work_) && std::filesystem::file_size(work_) > 2 * expected_.size() / 3) return;
    }
  }
  void expect_done(const Watcher& watcher, const std::set<std::string>& codes) {
    EXPECT_TRUE(bytes(path_) == expected_);
    EXPECT_FALSE(std::filesystem::exists(work_));
    EXPECT_EQ(watcher.codes, codes);
  }

  std::filesystem::path folder_, path_, work_;
  Scene scene_;
  Occlusion occlusion_;
  Tiling tiling_;
  std::string expected_;
};

TEST_F(VisibilityInBlocks, HasTheBytesOfTheWayInMemory) {
  for (const std::uint64_t memory_bytes : {little_memory, much_memory}) {
    Watcher watcher;
    compute(watcher, memory_bytes);
    expect_done(watcher, {});
  }
  const Scene empty;
  compute_visibility_file(Occlusion(empty), Tiling{}, {}, environment, path_, much_memory, no_progress());
  EXPECT_EQ(open_visibility(path_, Tiling{}, environment)->element_count(), 0u);
}

TEST_F(VisibilityInBlocks, GoesOnAfterBeingCancelledAtAnyTime) {
  std::mt19937 random(2);
  for (int round = 0; round < 6; ++round) {
    std::set<std::string> codes;
    int finished = 0;
    for (int times = 0;; ++times) {
      // Each time a little later, so that the last gets through.
      Watcher watcher(static_cast<int>(std::uniform_int_distribution<int>(1, 40)(random)) + 3 * times);
      bool is_done = true;
      try {
        compute(watcher);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
        EXPECT_FALSE(std::filesystem::exists(path_));
        is_done = false;
      }
      codes.merge(watcher.codes);
      if (watcher.finished_before > 0) {
        EXPECT_GE(watcher.finished_before, finished) << "nothing that was finished is computed again";
        finished = watcher.finished_before;
      }
      if (is_done) break;
    }
    EXPECT_TRUE(bytes(path_) == expected_);
    EXPECT_FALSE(std::filesystem::exists(work_));
    EXPECT_EQ(codes, std::set<std::string>{"visibility_resumed"});
    std::filesystem::remove(path_);
  }
}

TEST_F(VisibilityInBlocks, KeepsWorkThatItCouldNotLookInto) {
  break_off();
  const std::string work = bytes(work_);
  Watcher cancelled_at_once(0);
  EXPECT_THROW(compute(cancelled_at_once), Error);
  EXPECT_TRUE(bytes(work_) == work);
  // Cannot be set aside.
  std::filesystem::create_directories(work_.string() + ".unused");
  EXPECT_THROW(compute(no_progress(), little_memory, environment + 1), Error);
  EXPECT_TRUE(bytes(work_) == work);
}

TEST_F(VisibilityInBlocks, GoesOnFromWorkThatEndsAnywhere) {
  break_off();
  const std::string work = bytes(work_);
  std::mt19937 random(4);
  for (int round = 0; round < 12; ++round) {
    put(work_, work.substr(0, std::uniform_int_distribution<std::size_t>(41, work.size())(random)));
    Watcher watcher;
    compute(watcher);
    EXPECT_TRUE(bytes(path_) == expected_);
    // What is torn may be a head of zeros, or one of a block whose bytes are missing.
    watcher.codes.erase("visibility_resumed");
    watcher.codes.erase("work_file_damaged");
    expect_done(watcher, {});
  }
}

TEST_F(VisibilityInBlocks, DoesNotUseDamagedBlocks) {
  break_off();
  const std::string work = bytes(work_);
  std::mt19937 random(5);
  for (int round = 0; round < 25; ++round) {
    std::string damaged = work;
    char& byte = damaged[std::uniform_int_distribution<std::size_t>(40, work.size() - 1)(random)];
    byte = static_cast<char>(byte ^ (1 << round % 8));
    put(work_, damaged);
    Watcher watcher;
    compute(watcher);
    watcher.codes.erase("visibility_resumed");  // unless the first is damaged
    expect_done(watcher, {"work_file_damaged"});
  }
}

TEST_F(VisibilityInBlocks, SetsAsideWorkOnSomethingElse) {
  const std::filesystem::path aside = work_.string() + ".unused";
  break_off();
  const std::string work = bytes(work_);
  for (const std::string& content : {std::string("precious"), "X" + work.substr(1), std::string(500, '\0')}) {
    put(work_, content);
    Watcher watcher;
    compute(watcher);
    expect_done(watcher, {"work_file_set_aside"});
    EXPECT_TRUE(bytes(aside) == content);
  }
  put(work_, work);
  Watcher watcher;
  compute(watcher, little_memory, environment + 1);
  EXPECT_EQ(watcher.codes, std::set<std::string>{"work_file_set_aside"});
  EXPECT_TRUE(bytes(aside) == work);
}

TEST_F(VisibilityInBlocks, OnAFullDiskKeepsWhatIsFinished) {
  // A limit on the size of files stands for the full disk; the signal that tells of it is not for us.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight = {expected_.size() / 2, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  Watcher full;
  std::string code;
  try {
    compute(full);
  } catch (const Error& error) {
    code = error.code();
    EXPECT_EQ(error.kind(), ErrorKind::resources);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, "disk_full");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_GT(std::filesystem::file_size(work_), expected_.size() / 4);
  Watcher watcher;
  compute(watcher);
  expect_done(watcher, {"visibility_resumed"});
}

TEST_F(VisibilityInBlocks, IsComputedByOneRunAtATime) {
  break_off();
  {
    Watcher watcher;
    const WorkFile other(path_, visibility_to_compute(tiling_, {}, environment), watcher);
    try {
      compute(watcher);
      FAIL() << "two runs at once";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "being_computed");
      EXPECT_NE(error.hint().find("VISIBILITY"), std::string::npos) << error.hint();
    }
  }
  Watcher watcher;
  compute(watcher);
  expect_done(watcher, {"visibility_resumed"});
}

}  // namespace
}  // namespace tesseray::test
