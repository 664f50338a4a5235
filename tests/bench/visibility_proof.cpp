// SPDX-License-Identifier: GPL-3.0-or-later
// The relation against robust Embree on random source tiles of whole cities: every tile that faces the source, in both
// directions. A pair that differs and changes its answer when the segment moves by a millimetre is a tie and listed;
// any other is a fault. Then, each instruction set that this machine has must find the same rows.
// Exit status 1 when there is a fault. Prints a row of a Markdown table per city, and each pair that differs.
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/visibility/occlusion/elements.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/visibility.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/visibility/triangle_oracle.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

struct Tally {
  std::uint64_t rows = 0, pairs = 0, visible = 0, ties = 0, faults = 0;
};

// What is above a source and seen from it, as a search by one instruction set finds it.
std::vector<std::uint32_t> sorted_above(SightSearch& search, const Element& source) {
  std::vector<std::uint32_t> row;
  search.find_above(source, row);
  std::sort(row.begin(), row.end());
  return row;
}

class Proof {
 public:
  explicit Proof(const testing::VisibilityCity& city) : occlusion_(city.scene), oracle_(city.scene) {
    Tiling tiles;
    tiles.tiles = city.tiling.tiles;
    visibility_ = compute_visibility(occlusion_, tiles, {}, no_progress());
    elements_ = make_elements(occlusion_.view(), tiles);
  }

  // How many tiles see something else by one instruction set than by the best.
  std::uint64_t rows_that_differ(InstructionSet set) const {
    const SightGrid grid(occlusion_.view(), elements_);
    const SightScene scene = {occlusion_.view(), elements_, visibility_->tile_count(), grid};
    tbb::enumerable_thread_specific<SightSearch> searches(
        [&] { return SightSearch(scene, std::numeric_limits<double>::infinity(), set); });
    std::atomic<std::uint64_t> differing{0};
    tbb::parallel_for(std::size_t{0}, elements_.size(), [&](std::size_t k) {
      const Element& source = elements_[k];
      std::vector<std::uint32_t> row;
      visibility_->read_row(static_cast<std::uint32_t>(k), row);
      std::erase_if(row, [&](std::uint32_t other) {
        const double z = elements_[other].point.z;
        return z < source.point.z || (z == source.point.z && other < source.number);
      });
      if (row != sorted_above(searches.local(), source)) ++differing;
    });
    return differing;
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
  CLI::App app("Rows of visibility against Embree, in both directions.");
  std::vector<std::string> cities;
  int rows = 3000;
  app.add_option("cities", cities, "synthetic:SIDE[:SEED] or environment files")->required();
  app.add_option("--rows", rows, "random source tiles of each");
  CLI11_PARSE(app, argc, argv);
  std::uint64_t faults = 0;
  for (const std::string& name_of_city : cities) {
    const tesseray::testing::VisibilityCity city = tesseray::testing::city_by_name(name_of_city);
    tesseray::Proof proof(city);
    const tesseray::Tally tally = proof.check(rows);
    std::printf("| %s | %zu | %llu | %llu | %llu | %llu | %llu |\n", city.name.c_str(), city.tiling.tiles.size(),
                static_cast<unsigned long long>(tally.rows), static_cast<unsigned long long>(tally.pairs),
                static_cast<unsigned long long>(tally.visible), static_cast<unsigned long long>(tally.ties),
                static_cast<unsigned long long>(tally.faults));
    faults += tally.faults;
    for (const auto& [name, set] :
         {std::pair{"baseline", tesseray::InstructionSet::baseline}, std::pair{"AVX2", tesseray::InstructionSet::avx2},
          std::pair{"AVX-512", tesseray::InstructionSet::avx512}}) {
      if (set > tesseray::best_instruction_set()) continue;
      const std::uint64_t differing = proof.rows_that_differ(set);
      std::printf("%s: rows of %s that differ: %llu\n", city.name.c_str(), name,
                  static_cast<unsigned long long>(differing));
      faults += differing;
    }
    std::fflush(stdout);
  }
  return faults == 0 ? 0 : 1;
}
