// SPDX-License-Identifier: GPL-3.0-or-later
// With too little memory on the GPU the CPU takes over; nothing else is passed over.
#include "processing_algorithms/run/if_it_fits.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/kept_warnings.h"

namespace tesseray::test {
namespace {

std::unique_ptr<int> fail(ErrorKind kind, const char* code) {
  throw Error(kind, code, "the GPU's memory is not enough while taking memory (out of memory)");
}

TEST(IfItFits, GivesWhatTheGpuMade) {
  tesseray::testing::KeptWarnings warnings;
  const std::unique_ptr<int> made = if_it_fits(
      "visibility", [] { return std::make_unique<int>(7); }, [] { return std::make_unique<int>(8); }, warnings);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, 7);
  EXPECT_TRUE(warnings.all.empty());
}

TEST(IfItFits, LeavesToTheCpuWhatDoesNotFit) {
  tesseray::testing::KeptWarnings warnings;
  for (const char* const code : {"gpu_memory", "gpu_host_memory", "gpu_elements"}) {
    const std::unique_ptr<int> made = if_it_fits(
        "visibility", [&] { return fail(ErrorKind::resources, code); }, [] { return std::make_unique<int>(8); },
        warnings);
    ASSERT_TRUE(made);
    EXPECT_EQ(*made, 8);
    EXPECT_EQ(warnings.all.back().code, "gpu_too_small");
    EXPECT_EQ(warnings.all.back().message,
              "the GPU's memory is not enough while taking memory (out of memory); the CPU computes visibility");
  }
  EXPECT_EQ(warnings.all.size(), 3u);
}

TEST(IfItFits, LetsOtherErrorsPass) {
  tesseray::testing::KeptWarnings warnings;
  for (const auto& [kind, code] :
       {std::pair{ErrorKind::internal, "gpu_failed"}, std::pair{ErrorKind::resources, "memory_budget"}}) {
    EXPECT_THROW(if_it_fits(
                     "visibility", [&] { return fail(kind, code); }, [] { return std::make_unique<int>(8); }, warnings),
                 Error);
  }
  EXPECT_TRUE(warnings.all.empty());
}

}  // namespace
}  // namespace tesseray::test
