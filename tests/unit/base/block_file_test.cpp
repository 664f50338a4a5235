// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "temporary_folder.h"

namespace {

// What comes before the next lock, and how it then fails: 0 does not.
std::function<int()> before_lock;

}  // namespace

// In place of the C library's for the whole program.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (const std::function<int()> happening = std::exchange(before_lock, nullptr)) {
    errno = happening();
    if (errno != 0) return -1;
  }
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

namespace tesseray {
namespace {

namespace fs = std::filesystem;

class BlockFileLock : public ::testing::Test {
 protected:
  ~BlockFileLock() override { before_lock = nullptr; }

  std::unique_ptr<BlockFile> open() const { return std::make_unique<BlockFile>(path_, head_, busy_); }
  void expect_busy() const {
    try {
      open();
      ADD_FAILURE() << "two have the same file";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "busy");
    }
  }

  testing::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "city.tvis.work", unused_ = folder_.path() / "city.tvis.work.unused";
  std::vector<std::uint8_t> head_{'T', 'E', 'S', 'T'};
  Error busy_{ErrorKind::invalid_input, "busy", "another run has it"};
};

TEST_F(BlockFileLock, KeepsOthersOut) {
  const std::unique_ptr<BlockFile> file = open();
  EXPECT_TRUE(file->is_locked());
  expect_busy();
}

TEST_F(BlockFileLock, IsTakenAfterASignal) {
  before_lock = [] { return EINTR; };
  const std::unique_ptr<BlockFile> file = open();
  EXPECT_TRUE(file->is_locked());
  expect_busy();
}

TEST_F(BlockFileLock, IsToldToBeMissingWhereThereIsNone) {
  before_lock = [] { return ENOLCK; };
  const std::unique_ptr<BlockFile> file = open();
  EXPECT_FALSE(file->is_locked());
}

TEST_F(BlockFileLock, IsOfTheFileThatIsAtThePathByThen) {
  for (const bool is_set_aside : {false, true}) {
    open();
    before_lock = [&] {
      is_set_aside ? fs::rename(path_, unused_) : (void)fs::remove(path_);
      return 0;
    };
    const std::unique_ptr<BlockFile> file = open();
    file->begin_anew();
    EXPECT_TRUE(fs::exists(path_));
    expect_busy();
    EXPECT_EQ(fs::exists(unused_) ? fs::file_size(unused_) : 0, 0u);
  }
}

}  // namespace
}  // namespace tesseray
