// SPDX-License-Identifier: GPL-3.0-or-later
// The windows of the horizon against the least of the bins that each covers.
#include "core/visibility/search/horizon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory_resource>
#include <random>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/visibility/search/sight_kernels.h"

namespace tesseray::test {
namespace {

float least_of(const Horizon& horizon, int first, int count) {
  float least = infinity_f;
  for (int k = 0; k < count; ++k) least = std::min(least, horizon.windows()[(first + k) % Horizon::bins]);
  return least;
}

// Those of levels that were asked for are right, the others may only be too low.
void expect_windows(const Horizon& horizon, int levels_asked_for) {
  for (int level = 1; level < HorizonWindows::levels; ++level) {
    const float* windows = horizon.windows() + level * HorizonWindows::stride;
    for (int bin = 0; bin < HorizonWindows::stride; ++bin) {
      const float least = least_of(horizon, bin, 1 << level);
      if (level < levels_asked_for) {
        ASSERT_EQ(windows[bin], least) << "level " << level << ", bin " << bin;
      } else {
        ASSERT_LE(windows[bin], least) << "level " << level << ", bin " << bin;
      }
    }
  }
}

// Half of them about where the bins begin and end.
WallSide random_wall(std::mt19937& random) {
  std::uniform_real_distribution<double> azimuth(0, 2 * pi), distance(20, 400), along(-30, 30);
  const double angle = random() % 2 == 0 ? azimuth(random) : -pi / 4 + 0.05 * azimuth(random), away = distance(random);
  WallSide wall;
  wall.p = {away * std::cos(angle), away * std::sin(angle)};
  wall.q = wall.p + Vec2{along(random), along(random)};
  return wall;
}

TEST(Horizon, WindowsAreTheLeastOfTheirBins) {
  std::mt19937 random(3);
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) break;
    Horizon horizon(sight_kernels(set), std::pmr::get_default_resource());
    for (const float floor : {0.0F, -infinity_f}) {
      horizon.reset(floor);
      expect_windows(horizon, HorizonWindows::levels);
      for (int step = 0; step < 200; ++step) {
        for (std::uint32_t walls = random() % 4; walls > 0; --walls) {
          horizon.raise_by_wall({0, 0, 2}, random_wall(random), 3 + random() % 60);
        }
        const int count = 1 + static_cast<int>(random() % 200);
        horizon.settle(count);
        const int level =
            window_level_of_count[static_cast<std::size_t>(std::min(count, 2 * HorizonWindows::widest - 1))];
        ASSERT_NO_FATAL_FAILURE(expect_windows(horizon, level + 1));
      }
      horizon.close_outside({1.3, 1.9});
      horizon.settle(2 * HorizonWindows::widest);
      expect_windows(horizon, HorizonWindows::levels);
      EXPECT_LT(least_of(horizon, static_cast<int>(1.5 * Horizon::bins / 8), 10), 1e6F);
      EXPECT_GT(least_of(horizon, 3 * Horizon::bins / 8, Horizon::bins / 2), 1e6F);
    }
  }
}

}  // namespace
}  // namespace tesseray::test
