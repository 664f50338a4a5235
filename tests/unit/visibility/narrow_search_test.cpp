// SPDX-License-Identifier: GPL-3.0-or-later
// The search within some azimuths finds there what the whole search finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/tiling/tiling.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/search/sight_search.h"
#include "small_cities.h"

namespace tesseray::test {
namespace {

bool lies_within(AzimuthInterval azimuths, Vec2 direction) {
  const double azimuth = square_azimuth(direction);
  return (azimuth >= azimuths.low && azimuth <= azimuths.high) ||
         (azimuth + 8 >= azimuths.low && azimuth + 8 <= azimuths.high);
}

TEST(NarrowSearch, FindsWithinItsAzimuthsWhatTheWholeSearchFinds) {
  std::mt19937 random(3);
  for (const CityOptions& options : hard_cities()) {
    const Scene scene = make_city(options);
    const Occlusion occlusion(scene);
    const Tiling tiling = tile_scene(scene, {}, no_progress());
    const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
    const SightGrid grid(occlusion.view(), elements);
    SightSearch search({occlusion.view(), elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid},
                       std::numeric_limits<double>::infinity());
    std::size_t within = 0, others = 0;
    for (std::uint32_t number = 0; number < elements.size(); number += 2) {
      const Element& source = elements[number];
      const double low = std::uniform_real_distribution<double>(0, 8)(random);
      const double width = std::uniform_real_distribution<double>(0.001, number % 4 == 0 ? 0.05 : 3)(random);
      const AzimuthInterval azimuths = {low, low + width};
      std::vector<std::uint32_t> whole, narrow;
      search.find_above(source, whole);
      search.find_above_within(source, azimuths, narrow);
      const auto is_elsewhere = [&](std::uint32_t other) {
        const Vec2 direction = elements[other].point.xy() - source.point.xy();
        return direction == Vec2{} || !lies_within(azimuths, direction);
      };
      others += narrow.size();
      std::erase_if(whole, is_elsewhere);
      std::erase_if(narrow, is_elsewhere);
      others -= narrow.size();
      within += narrow.size();
      std::sort(whole.begin(), whole.end());
      std::sort(narrow.begin(), narrow.end());
      ASSERT_EQ(narrow, whole) << options.name << " " << number;
    }
    EXPECT_GT(within, 1000u) << options.name;
    EXPECT_LT(others, within) << options.name << ": the search is not narrow";
  }
}

}  // namespace
}  // namespace tesseray::test
