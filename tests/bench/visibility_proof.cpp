// SPDX-License-Identifier: GPL-3.0-or-later
// The relation against robust Embree on random source tiles of whole cities: every tile that faces the source, in both
// directions. A pair that differs and changes its answer when the segment moves by a millimetre is a tie and listed;
// any other is a fault. Usage:
//   visibility_proof [--rows N] CITY...             (N: source tiles per city, 3000 if not given; see
//   visibility_city.h)
// Exit status 1 when there is a fault. Prints a row of a Markdown table per city, and each pair that differs.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>

#include "core/visibility/elements.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/visibility/triangle_oracle.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

struct Tally {
  std::uint64_t rows = 0, pairs = 0, visible = 0, ties = 0, faults = 0;
};

class Proof {
 public:
  explicit Proof(const testing::VisibilityCity& city) : occlusion_(city.scene), oracle_(city.scene) {
    Tiling tiles;
    tiles.tiles = city.tiling.tiles;
    visibility_ = compute_visibility(occlusion_, tiles, {}, no_progress());
    elements_ = make_elements(occlusion_.view(), tiles);
  }

  Tally check(int rows) {
    testing::Random random(2026);
    std::vector<std::uint32_t> sources;
    for (int k = 0; k < rows; ++k) sources.push_back(random.below(visibility_->tile_count()));
    tbb::parallel_for(std::size_t{0}, sources.size(), [&](std::size_t k) { check_row(sources[k]); });
    return tally_;
  }

 private:
  void check_row(std::uint32_t source) {
    std::vector<std::uint32_t> row;
    visibility_->read_row(source, row);
    Tally tally{1, 0, row.size(), 0, 0};
    for (std::uint32_t target = 0; target < elements_.size(); ++target) {
      const Element &a = elements_[source], &b = elements_[target];
      const bool sees = std::binary_search(row.begin(), row.end(), target);
      if (!face_each_other(a, b)) {
        if (sees) ++tally.faults;
        continue;
      }
      ++tally.pairs;
      if (oracle_.is_free(a.point, b.point) == sees && oracle_.is_free(b.point, a.point) == sees) continue;
      const bool is_tie = oracle_.is_tie(a.point, b.point);
      ++(is_tie ? tally.ties : tally.faults);
      std::printf("%s: tiles %u and %u %s each other: (%.4f, %.4f, %.4f) – (%.4f, %.4f, %.4f)\n",
                  is_tie ? "tie" : "FAULT", source, target, sees ? "see" : "do not see", a.point.x, a.point.y,
                  a.point.z, b.point.x, b.point.y, b.point.z);
    }
    const std::lock_guard lock(mutex_);
    tally_.rows += tally.rows;
    tally_.pairs += tally.pairs;
    tally_.visible += tally.visible;
    tally_.ties += tally.ties;
    tally_.faults += tally.faults;
  }

  Occlusion occlusion_;
  test::TriangleOracle oracle_;
  std::unique_ptr<Visibility> visibility_;
  std::vector<Element> elements_;
  std::mutex mutex_;
  Tally tally_;
};

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  int first = 1, rows = 3000;
  if (argc > 2 && std::string(argv[1]) == "--rows") {
    rows = std::stoi(argv[2]);
    first = 3;
  }
  std::uint64_t faults = 0;
  for (int k = first; k < argc; ++k) {
    const tesseray::testing::VisibilityCity city = tesseray::testing::city_by_name(argv[k]);
    const tesseray::Tally tally = tesseray::Proof(city).check(rows);
    std::printf("| %s | %zu | %llu | %llu | %llu | %llu | %llu |\n", city.name.c_str(), city.tiling.tiles.size(),
                static_cast<unsigned long long>(tally.rows), static_cast<unsigned long long>(tally.pairs),
                static_cast<unsigned long long>(tally.visible), static_cast<unsigned long long>(tally.ties),
                static_cast<unsigned long long>(tally.faults));
    std::fflush(stdout);
    faults += tally.faults;
  }
  return faults == 0 ? 0 : 1;
}
