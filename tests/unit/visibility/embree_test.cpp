// SPDX-License-Identifier: GPL-3.0-or-later
// The relation against robust Embree over the scene's triangles, all pairs of random rows, in both directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/tiling/tiling.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"
#include "triangle_oracle.h"

namespace tesseray::test {
namespace {

struct Agreement {
  int rows = 0;
  std::uint64_t visible = 0, pairs = 0, ties = 0, faults = 0;
};

void compare_row(const std::vector<Element>& elements, const TriangleOracle& oracle, std::uint32_t a,
                 const std::vector<std::uint32_t>& row, Agreement& agreement) {
  ++agreement.rows;
  agreement.visible += row.size();
  for (std::uint32_t b = 0; b < elements.size(); ++b) {
    const bool sees = std::binary_search(row.begin(), row.end(), b);
    if (!face_each_other(elements[a], elements[b])) {
      if (sees) ++agreement.faults;
      continue;
    }
    ++agreement.pairs;
    const Vec3 p = elements[a].point, q = elements[b].point;
    if (oracle.is_free(p, q) == sees && oracle.is_free(q, p) == sees) continue;
    if (oracle.is_tie(p, q)) {
      ++agreement.ties;
      continue;
    }
    ++agreement.faults;
    ADD_FAILURE() << a << " and " << b << (sees ? " see" : " do not see") << " each other: (" << p.x << ", " << p.y
                  << ", " << p.z << ") – (" << q.x << ", " << q.y << ", " << q.z << ")";
    if (agreement.faults > 5) return;
  }
}

TEST(Visibility, AgreesWithEmbreeOnRandomRowsOfHardCities) {
  constexpr int rows_per_city = 150;
  Agreement total;
  for (CityOptions options : hard_cities()) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      options.seed = seed;
      SCOPED_TRACE(options.name + ", seed " + std::to_string(seed));
      const Scene scene = make_city(options);
      const Tiling tiling = tile_scene(scene, {}, no_progress());
      const Occlusion occlusion(scene);
      const auto visibility = compute_visibility(occlusion, tiling, {}, no_progress());
      const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
      const TriangleOracle oracle(scene);
      std::mt19937 random(seed);
      std::vector<std::uint32_t> row;
      Agreement agreement;
      for (int k = 0; k < rows_per_city && agreement.faults <= 5; ++k) {
        const std::uint32_t a =
            std::uniform_int_distribution<std::uint32_t>(0, visibility->element_count() - 1)(random);
        visibility->read_row(a, row);
        compare_row(elements, oracle, a, row, agreement);
      }
      EXPECT_EQ(agreement.faults, 0u);
      total.rows += agreement.rows;
      total.visible += agreement.visible;
      total.pairs += agreement.pairs;
      total.ties += agreement.ties;
    }
  }
  RecordProperty("rows", total.rows);
  RecordProperty("pairs", std::to_string(total.pairs));
  RecordProperty("visible", std::to_string(total.visible));
  RecordProperty("ties", std::to_string(total.ties));
  EXPECT_GE(total.rows, 3000);
  // A tie is a segment that passes something by less than a millimetre: there are few.
  EXPECT_LT(total.ties, total.visible / 1000);
}

}  // namespace
}  // namespace tesseray::test
