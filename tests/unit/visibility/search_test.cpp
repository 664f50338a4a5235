// SPDX-License-Identifier: GPL-3.0-or-later
// The search on each instruction set that this machine has, against every pair by the exact test.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/tiling/tiling.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::test {
namespace {

std::vector<InstructionSet> sets_of_this_machine() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
  if (best_instruction_set() >= InstructionSet::avx2) sets.push_back(InstructionSet::avx2);
  if (best_instruction_set() >= InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

bool is_above(const Element& target, const Element& source) {
  return target.point.z > source.point.z || (target.point.z == source.point.z && target.number > source.number);
}

struct City {
  explicit City(const Scene& scene)
      : occlusion(scene),
        tiling(tile_scene(scene, {}, no_progress())),
        elements(make_elements(occlusion.view(), tiling)),
        grid(occlusion.view(), elements) {}

  std::vector<std::uint32_t> above(const Element& source, InstructionSet set, double max_distance_m) const {
    SightSearch search({occlusion.view(), elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid},
                       max_distance_m, set);
    std::vector<std::uint32_t> seen;
    search.find_above(source, seen);
    std::sort(seen.begin(), seen.end());
    return seen;
  }
  std::vector<std::uint32_t> all(const Element& source, InstructionSet set) const {
    SightSearch search({occlusion.view(), elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid},
                       std::numeric_limits<double>::infinity(), set);
    std::vector<std::uint32_t> seen;
    search.find_all(source, seen);
    std::sort(seen.begin(), seen.end());
    return seen;
  }
  std::vector<std::uint32_t> plainly(const Element& source, bool above_only, double max_distance_m) const {
    std::vector<std::uint32_t> seen;
    for (const Element& target : elements) {
      if (above_only && !is_above(target, source)) continue;
      if (face_each_other(source, target) && within(max_distance_m, source.point, target.point) &&
          occlusion.is_free(source.point, target.point)) {
        seen.push_back(target.number);
      }
    }
    return seen;
  }

  Occlusion occlusion;
  Tiling tiling;
  std::vector<Element> elements;
  SightGrid grid;
};

TEST(Search, FindsWhatThePlainWayFindsOnEveryInstructionSet) {
  for (CityOptions options : hard_cities()) {
    options.seed = 21;
    const City city(make_city(options));
    std::size_t seen = 0;
    for (std::uint32_t number = 0; number < city.elements.size(); number += 3) {
      const Element& source = city.elements[number];
      const double max_distance_m = number % 2 == 0 ? std::numeric_limits<double>::infinity() : 70;
      const std::vector<std::uint32_t> above = city.plainly(source, true, max_distance_m);
      const std::vector<std::uint32_t> all = city.plainly(source, false, std::numeric_limits<double>::infinity());
      for (const InstructionSet set : sets_of_this_machine()) {
        ASSERT_EQ(city.above(source, set, max_distance_m), above) << options.name << " " << number;
        ASSERT_EQ(city.all(source, set), all) << options.name << " " << number;
      }
      seen += all.size();
    }
    EXPECT_GT(seen, 1000u) << options.name;
  }
}

// Farther than the blocks that are searched cell by cell.
TEST(Search, FindsWhatThePlainWayFindsAcrossALongCity) {
  testing::SyntheticCityOptions options;
  options.width_m = 2400;
  options.depth_m = 220;
  options.open_lot_share = 0.4;
  options.seed = 5;
  const City city(testing::synthetic_city(options));
  for (std::uint32_t number = 0; number < city.elements.size(); number += 61) {
    const Element& source = city.elements[number];
    const std::vector<std::uint32_t> above = city.plainly(source, true, std::numeric_limits<double>::infinity());
    for (const InstructionSet set : sets_of_this_machine()) {
      ASSERT_EQ(city.above(source, set, std::numeric_limits<double>::infinity()), above) << number;
    }
  }
}

}  // namespace
}  // namespace tesseray::test
