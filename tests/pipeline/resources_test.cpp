// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/resources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "core/base/error.h"

namespace tesseray {
namespace {

TEST(Resources, SizesReadWell) {
  EXPECT_EQ(as_size(512), "0.5 KiB");
  EXPECT_EQ(as_size(1536), "1.5 KiB");
  EXPECT_EQ(as_size(3ull << 30), "3.0 GiB");
}

TEST(Resources, SystemSaysHowMuchThereIs) {
  EXPECT_GT(available_memory_bytes(), 1u << 20);
  EXPECT_LT(available_memory_bytes(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_GT(peak_memory_bytes(), 1u << 20);
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
