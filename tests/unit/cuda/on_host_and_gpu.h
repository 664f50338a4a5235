// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that run kernels' bodies on the host, and the kernels on the GPU where there is one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cuda/backend.h"

namespace tesseray::test {

// What runs them: "host" or "cuda", and how far from the CPU's it may be.
template <class Make>
struct Runs {
  const char* name;
  Make make;
  double tolerance = 0;  // relatively; 0: the same bits
};

template <class Make>
class OnHostAndGpu : public ::testing::TestWithParam<Runs<Make>> {
 protected:
  void SetUp() override {
    if (std::string(this->GetParam().name) != "cuda") return;
    if (const CudaDevice gpu = find_cuda_device(); !gpu.is_there) GTEST_SKIP() << gpu.missing;
  }
};

// For INSTANTIATE_TEST_SUITE_P.
inline constexpr auto named_by_device = [](const auto& tested) { return std::string(tested.param.name); };

}  // namespace tesseray::test
