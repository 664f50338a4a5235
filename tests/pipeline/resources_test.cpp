// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/resources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/size_text.h"

namespace tesseray {
namespace {

TEST(Resources, SizesReadWell) {
  EXPECT_EQ(size_text(512), "0.5 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(3ull << 30), "3.0 GiB");
}

TEST(Resources, SystemSaysHowMuchThereIs) {
  EXPECT_GT(available_memory_bytes(), 1u << 20);
  EXPECT_LT(available_memory_bytes(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_GT(peak_memory_bytes(), 1u << 20);
}

TEST(Resources, ControlGroupsLeaveTheLeastOfTheirLimits) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("tesseray-groups-" + std::to_string(getpid()));
  const auto write = [](const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  const auto left = [&] { return memory_left_in_groups(folder / "cgroup", folder / "groups"); };
  EXPECT_EQ(left(), std::numeric_limits<std::uint64_t>::max());
  write(folder / "cgroup", "1:name=systemd:/elsewhere\n0::/user/work\n");
  const fs::path group = folder / "groups/user/work";
  write(group / "memory.max", "max\n");
  write(group / "memory.current", "800\n");
  EXPECT_EQ(left(), std::numeric_limits<std::uint64_t>::max());
  write(group / "memory.max", "1000\n");
  EXPECT_EQ(left(), 200u);
  // A file that was written lies in memory and can be dropped from it.
  write(group / "memory.stat", "anon 100\ninactive_file 700\nactive_file 1\n");
  EXPECT_EQ(left(), 900u);
  write(folder / "groups/user/memory.max", "2000\n");
  write(folder / "groups/user/memory.current", "1500\n");
  EXPECT_EQ(left(), 500u);
  write(folder / "groups/memory.max", "300\n");
  write(folder / "groups/memory.current", "400\n");
  EXPECT_EQ(left(), 0u);
  fs::remove_all(folder);
}

TEST(Resources, BudgetRefusesWithFigures) {
  const MemoryBudget budget{.bytes = 1ull << 40};
  EXPECT_NO_THROW(budget.require(1 << 20, "a test"));
  try {
    budget.require(1ull << 41, "the visibility of 7 tiles");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_NE(error.message().find("2.0 TiB of memory are needed for the visibility of 7 tiles"), std::string::npos);
    EXPECT_NE(error.message().find("--memory 1.0 TiB"), std::string::npos);
  }
  EXPECT_THROW(MemoryBudget{}.require(std::numeric_limits<std::uint64_t>::max() / 2, "a test"), Error);
}

TEST(Resources, DiskRefusesWithFigures) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "x.gpkg";
  EXPECT_NO_THROW(require_disk_space(file, 1));
  EXPECT_THROW(require_disk_space(file, std::numeric_limits<std::uint64_t>::max()), Error);
  try {
    require_disk_space(file, std::numeric_limits<std::uint64_t>::max(), {.what = "a test", .hint = "write less"});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_TRUE(is_want_of_room(error));
    EXPECT_NE(error.message().find(": a test needs about "), std::string::npos);
    EXPECT_EQ(error.hint(), "write less");
  }
}

}  // namespace
}  // namespace tesseray
