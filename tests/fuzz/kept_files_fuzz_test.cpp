// SPDX-License-Identifier: GPL-3.0-or-later
// What earlier runs kept beside the visibility: lengths in vegetation, and what is seen from over the ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "core/propagation/rows/sight_over_ground_file.h"
#include "core/propagation/vegetation/vegetation_file.h"
#include "core/propagation/vegetation/vegetation_pairs.h"
#include "tests/fuzz/mutations.h"
#include "tests/support/spoilt_file.h"

namespace tesseray {
namespace {

constexpr std::uint32_t elements = 300, ground_tiles = 100;

class KeptFilesFuzz : public testing::SpoiltFile {
 protected:
  KeptFilesFuzz() : SpoiltFile("city.tvis"), beside_{.visibility_file = path_, .elements = elements} {}

  // Of each element about ten others, those of higher numbers alone where that is asked for.
  std::vector<std::vector<std::uint32_t>> rows(std::uint32_t count, bool higher) {
    std::vector<std::vector<std::uint32_t>> all(count);
    for (std::uint32_t element = 0; element < count; ++element) {
      for (std::uint32_t other = higher ? element + 1 : 0; other < elements; ++other) {
        if (random_.below(elements / 10) == 0) all[element].push_back(other);
      }
    }
    return all;
  }
  // Contents behind a header whose checksum is right: all else a header refuses by itself.
  template <class Read>
  int read_of(const KeptKind& kind, const Read& read) {
    const std::optional<std::vector<std::uint8_t>> valid = read_kept(kind, beside_);
    EXPECT_TRUE(valid.has_value());
    int count = 0;
    testing::Mutations mutations(5);
    for (int round = 0; valid && round < testing::fuzz_rounds(300); ++round) {
      write_kept(kind, beside_, mutations.of_bytes(*valid));
      count += read() ? 1 : 0;
    }
    return count;
  }

  testing::Random random_{6};
  KeptBeside beside_;
};

TEST_F(KeptFilesFuzz, LengthsInVegetationAreReadOrMadeAnew) {
  std::vector<std::vector<VegetationPairs::Member>> higher;
  for (const std::vector<std::uint32_t>& row : rows(elements, true)) {
    higher.emplace_back();
    for (const std::uint32_t number : row) higher.back().push_back({number, 10.0f});
  }
  write_vegetation_pairs(VegetationPairs(higher), beside_);
  EXPECT_GT(read_of(vegetation_lengths,
                    [&] {
                      const std::optional<VegetationPairs> pairs = read_vegetation_pairs(beside_);
                      for (std::uint32_t element = 0; pairs && element < elements; ++element) {
                        for (const VegetationPairs::Member& member : pairs->row(element)) {
                          EXPECT_LT(member.number, elements);
                        }
                      }
                      return pairs.has_value();
                    }),
            0);
}

TEST_F(KeptFilesFuzz, SightOverGroundIsReadOrMadeAnew) {
  write_sight_over_ground(SightOverGround(rows(ground_tiles, false), elements), beside_);
  EXPECT_GT(read_of(sight_over_ground,
                    [&] {
                      const std::optional<SightOverGround> sight = read_sight_over_ground(beside_);
                      for (std::uint32_t tile = 0; sight && tile < sight->ground_tiles(); ++tile) {
                        for (const std::uint32_t element : sight->beside_row(tile)) EXPECT_LT(element, elements);
                      }
                      return sight.has_value();
                    }),
            0);
}

}  // namespace
}  // namespace tesseray
