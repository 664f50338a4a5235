// SPDX-License-Identifier: GPL-3.0-or-later
// With too little memory on the GPU the CPU takes over; nothing else is passed over.
#include "processing_algorithms/run/if_it_fits.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/kept_warnings.h"

namespace tesseray::test {
namespace {

std::unique_ptr<int> fail(const char* code) {
  throw Error(ErrorKind::resources, code, "the GPU's memory is not enough while taking memory (out of memory)");
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
  const std::unique_ptr<int> made = if_it_fits(
      "visibility", [] { return fail("gpu_memory"); }, [] { return std::make_unique<int>(8); }, warnings);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, 8);
  ASSERT_EQ(warnings.all.size(), 1u);
  EXPECT_EQ(warnings.all[0].code, "gpu_too_small");
  EXPECT_EQ(warnings.all[0].message,
            "the GPU's memory is not enough while taking memory (out of memory); the CPU computes visibility");
}

TEST(IfItFits, LetsOtherErrorsPass) {
  tesseray::testing::KeptWarnings warnings;
  EXPECT_THROW(if_it_fits(
                   "visibility", [] { return fail("gpu_failed"); }, [] { return std::make_unique<int>(8); }, warnings),
               Error);
  EXPECT_TRUE(warnings.all.empty());
}

}  // namespace
}  // namespace tesseray::test
