// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/folder_entries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "core/base/staged_file.h"
#include "temporary_folder.h"

namespace {

// Reading a folder fails after so many entries, as on a broken disk or a server that has gone.
int readable_entries = -1;

}  // namespace

// In place of the C library's for the whole program.
extern "C" dirent* readdir(DIR* folder) {
  if (readable_entries == 0) {
    errno = EIO;
    return nullptr;
  }
  if (readable_entries > 0) --readable_entries;
  using Function = dirent* (*)(DIR*);
  static const auto of_the_library = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "readdir"));
  return of_the_library(folder);
}

namespace tesseray {
namespace {

namespace fs = std::filesystem;

class FolderEntries : public ::testing::Test {
 protected:
  FolderEntries() {
    for (const char* name : {"a", "b", "c"}) std::ofstream(folder_.path() / name) << name;
  }
  ~FolderEntries() override { readable_entries = -1; }

  testing::TemporaryFolder folder_;
};

TEST_F(FolderEntries, AreThePathsOfWhatIsThere) {
  std::vector<fs::path> entries = entries_of(folder_.path());
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ(entries, (std::vector<fs::path>{folder_.path() / "a", folder_.path() / "b", folder_.path() / "c"}));
}

TEST_F(FolderEntries, AreNoneWithoutAFolder) {
  EXPECT_TRUE(entries_of(folder_.path() / "none").empty());
  EXPECT_TRUE(entries_of(folder_.path() / "a").empty());
}

TEST_F(FolderEntries, EndWhereReadingFails) {
  readable_entries = 3;  // "." and ".." are among them
  EXPECT_LE(entries_of(folder_.path()).size(), 3u);
  EXPECT_EQ(readable_entries, 0);
}

TEST_F(FolderEntries, ThatCannotAllBeReadKeepNobodyFromWriting) {
  readable_entries = 3;
  EXPECT_NO_THROW(remove_leftovers(folder_.path()));
}

}  // namespace
}  // namespace tesseray
