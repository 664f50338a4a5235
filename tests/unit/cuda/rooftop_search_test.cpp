// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs to many targets at once, on the host and on the GPU if there is one, against the CPU's own way.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/tiling/tiling.h"
#include "cuda/backend.h"
#include "cuda/rooftop_batch.h"
#include "cuda/scene_copy.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

// The kernel as nvcc compiles it (tests/support/kernel_on_host).
extern "C" void run_rooftop_kernel(const void* parameters, unsigned block, unsigned thread);

namespace tesseray::test {
namespace {

using Outcome = RooftopBends::Outcome;

std::unique_ptr<RooftopSearch> on_host(const RooftopSceneView& scene) {
  return make_host_rooftop_search(scene, {.targets = 256});
}

using RooftopsAtOnce = OnHostAndGpu<MakeRooftopSearch>;

// The host computes the same bits; a GPU has sines, logarithms and roots of arguments of its own.
INSTANTIATE_TEST_SUITE_P(On, RooftopsAtOnce,
                         ::testing::Values(Runs<MakeRooftopSearch>{"host", on_host, 0},
                                           Runs<MakeRooftopSearch>{"cuda", make_cuda_rooftop_search, 1e-9}),
                         named_by_device);
#ifdef TESSERAY_RUNS_COMPILED_KERNELS

std::unique_ptr<RooftopSearch> as_compiled(const RooftopSceneView& scene) {
  return make_host_rooftop_search(scene, {.targets = 256}, [](const RooftopBatch& batch, std::uint32_t k) {
    constexpr std::uint32_t threads_per_block = 128;  // as kernel_launch.h has it
    run_rooftop_kernel(&batch, k / threads_per_block, k % threads_per_block);
  });
}

INSTANTIATE_TEST_SUITE_P(AsCompiled, RooftopsAtOnce,
                         ::testing::Values(Runs<MakeRooftopSearch>{"on_host", as_compiled, 1e-9}), named_by_device);

#endif

testing::SyntheticCityOptions city_of(double width_m, double hill_m, std::uint64_t seed) {
  testing::SyntheticCityOptions options;
  options.width_m = width_m;
  options.depth_m = 400;
  options.hill_m = hill_m;
  options.seed = seed;
  return options;
}

struct Found {
  std::vector<RooftopTarget> targets;
  std::vector<RooftopBends> bends;
};

// To points in front of the city's tiles, from one antenna.
struct RaysOfCity {
  RaysOfCity(const Scene& scene, Vec3 antenna)
      : paths(scene), link(scene, testing::test_transmitter(antenna), {}), permittivities(link.permittivities()) {
    rays = {.from = antenna,
            .wavelength_m = 2.0 * pi / link.wave_number(),
            .permittivities = permittivities,
            .may_reflect = true};
  }
  Found by(RooftopSearch& search, const std::vector<Tile>& tiles, std::size_t every) const {
    Found found;
    for (std::size_t t = 0; t < tiles.size(); t += every) found.targets.push_back({target_point(tiles[t], 1.5)});
    found.bends.resize(found.targets.size());
    for (std::size_t first = 0; first < found.targets.size(); first += search.most_targets()) {
      const std::size_t count = std::min(search.most_targets(), found.targets.size() - first);
      search.find(rays, std::span(found.targets).subspan(first, count), std::span(found.bends).subspan(first, count));
    }
    return found;
  }

  OverRooftopPaths paths;
  Link link;
  std::vector<Complex> permittivities;
  RooftopRays rays;
};

bool same_bits(const RooftopBends& a, const RooftopBends& b) {
  if (a.outcome != b.outcome || a.outcome != Outcome::found) return a.outcome == b.outcome;
  return a.horizontal == b.horizontal && a.vertical == b.vertical && a.count == b.count &&
         a.transmitter_image_ratio == b.transmitter_image_ratio && a.runs_along_ground == b.runs_along_ground &&
         a.target_image_ratio == b.target_image_ratio && a.ground.height_m == b.ground.height_m &&
         a.ground.slope == b.ground.slope && std::equal(a.edges, a.edges + a.count, b.edges);
}

void expect_near(Complex a, Complex b, double tolerance) { EXPECT_LE(norm(a - b), tolerance * norm(b)); }

TEST_P(RooftopsAtOnce, BendAtTheSameEdgesWithTheSameLoss) {
  struct Case {
    double width_m, hill_m, antenna_above_m;
  };
  std::size_t many_edges = 0, wedges = 0, none = 0, by_ground = 0;
  // In the last city rays are so long that the earth is curved.
  for (const Case tested : {Case{900, 15, 6}, Case{900, 80, 25}, Case{900, 0, 60}, Case{5600, 30, 30}}) {
    const Scene scene = testing::synthetic_city(city_of(tested.width_m, tested.hill_m, 3));
    const Tiling tiling = tile_scene(scene, {}, no_progress());
    const double ground = scene.terrain.height_at({20, 200});
    const RaysOfCity city(scene, {20, 200, ground + tested.antenna_above_m});
    const std::unique_ptr<RooftopSearch> search = GetParam().make(city.paths.view());
    const Found found = city.by(*search, tiling.tiles, 7);
    OverRooftopPaths::Workspace work;
    RooftopPath path, same_path;
    for (std::size_t k = 0; k < found.targets.size(); ++k) {
      const RooftopBends& bends = found.bends[k];
      const bool is_found = city.paths.find(city.rays, found.targets[k], OverRooftop::screens, work, path);
      ASSERT_EQ(bends.outcome, is_found ? Outcome::found : Outcome::none) << k;
      if (!is_found) {
        ++none;
        continue;
      }
      follow_bends(city.rays.from, found.targets[k].point, bends, same_path);
      EXPECT_EQ(same_path.edges, path.edges);
      EXPECT_EQ(same_path.length_m, path.length_m);
      expect_near(bends.horizontal, path.horizontal, GetParam().tolerance);
      expect_near(bends.vertical, path.vertical, GetParam().tolerance);
      ASSERT_EQ(same_path.by_ground.has_value(), path.by_ground.has_value());
      if (path.by_ground) {
        EXPECT_EQ(same_path.by_ground->image.point, path.by_ground->image.point);
        EXPECT_LE(norm(same_path.by_ground->ratio - path.by_ground->ratio), GetParam().tolerance);
        ++by_ground;
      }
      many_edges += path.edges.size() > 4;
      wedges += !(path.horizontal == path.vertical);
      ASSERT_FALSE(HasFailure()) << "target " << k << " of width " << tested.width_m;
    }
  }
  EXPECT_GT(many_edges, 1000u);
  EXPECT_GT(wedges, 1000u);
  EXPECT_GT(none, 100u);
  EXPECT_GT(by_ground, 1000u);
}

// Each target's answer is its own: whatever is asked for beside it, and however often.
TEST_P(RooftopsAtOnce, GiveTheSameBitsInAnyCompany) {
  const Scene scene = testing::synthetic_city(city_of(700, 15, 5));
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const RaysOfCity city(scene, {20, 200, 40});
  const std::unique_ptr<RooftopSearch> search = GetParam().make(city.paths.view());
  const Found all = city.by(*search, tiling.tiles, 1), again = city.by(*search, tiling.tiles, 1);
  const Found some = city.by(*search, tiling.tiles, 3);
  for (std::size_t k = 0; k < all.bends.size(); ++k) ASSERT_TRUE(same_bits(all.bends[k], again.bends[k])) << k;
  for (std::size_t k = 0; k < some.bends.size(); ++k) ASSERT_TRUE(same_bits(some.bends[k], all.bends[3 * k])) << k;
}

// Several transmitters at once share one search.
TEST_P(RooftopsAtOnce, GiveTheSameBitsFromManyThreads) {
  const Scene scene = testing::synthetic_city(city_of(700, 15, 5));
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  constexpr std::size_t antennas = 6;
  std::vector<std::unique_ptr<RaysOfCity>> cities;
  for (std::size_t a = 0; a < antennas; ++a) {
    cities.push_back(std::make_unique<RaysOfCity>(scene, Vec3{20 + 90.0 * static_cast<double>(a), 200, 40}));
  }
  const std::unique_ptr<RooftopSearch> search = GetParam().make(cities[0]->paths.view());
  std::vector<Found> alone(antennas), together(antennas);
  for (std::size_t a = 0; a < antennas; ++a) alone[a] = cities[a]->by(*search, tiling.tiles, 3);
  parallel_blocks(antennas, 1, no_progress(),
                  [&](std::size_t a, std::size_t) { together[a] = cities[a]->by(*search, tiling.tiles, 3); });
  for (std::size_t a = 0; a < antennas; ++a) {
    for (std::size_t k = 0; k < alone[a].bends.size(); ++k) {
      ASSERT_TRUE(same_bits(alone[a].bends[k], together[a].bends[k])) << a << " " << k;
    }
  }
  EXPECT_FALSE(same_bits(alone[0].bends[50], alone[1].bends[50])) << "these are not different antennas";
}

// Counts what a search says.
class CountedSearch final : public RooftopSearch {
 public:
  struct Counts {
    std::atomic<std::size_t> found = 0, no_room = 0;
  };
  CountedSearch(std::unique_ptr<RooftopSearch> search, Counts& counts) : search_(std::move(search)), counts_(counts) {}
  std::size_t most_targets() const override { return search_->most_targets(); }
  std::size_t host_bytes() const override { return search_->host_bytes(); }
  void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) override {
    search_->find(rays, targets, found);
    for (const RooftopBends& bends : found) {
      counts_.found += bends.outcome == Outcome::found;
      counts_.no_room += bends.outcome == Outcome::no_room;
    }
  }

 private:
  std::unique_ptr<RooftopSearch> search_;
  Counts& counts_;
};

struct Launched {
  RayLaunchingResult result;
  std::size_t found = 0, no_room = 0;
};

Launched launched_with(const testing::Environment& city, const MakeRooftopSearch& make, OverRooftop method) {
  RayLaunchingOptions options;
  options.over_rooftop = method;
  options.max_bounces = options.max_reflections = 2;
  options.wideband = true;
  CountedSearch::Counts counts;
  const MakeRooftopSearch make_counted = [&](const RooftopSceneView& scene) {
    return std::make_unique<CountedSearch>(make(scene), counts);
  };
  Transmitter transmitter = testing::test_transmitter({150.7, 148.3, 25});
  transmitter.erp_dbm = 40;
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 2}, {280, 30, 3}});
  const RayLauncher launcher(city.scene, city.tiling, city.occlusion, *city.visibility, receivers, options,
                             {.rooftop_search = make ? make_counted : MakeRooftopSearch()});
  Launched launched = {launcher.launch(transmitter, no_progress())};
  launched.found = counts.found;
  launched.no_room = counts.no_room;
  return launched;
}

testing::SyntheticCityOptions launch_city() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 300;
  options.seed = 9;
  return options;
}

TEST_P(RooftopsAtOnce, LaunchTheSameRays) {
  const testing::Environment city(testing::synthetic_city(launch_city()), 10);
  const Launched expected = launched_with(city, {}, OverRooftop::screens);
  const Launched launched = launched_with(city, GetParam().make, OverRooftop::screens);
  EXPECT_GT(launched.found, 300u);
  EXPECT_EQ(launched.result.tubes, expected.result.tubes);
  ASSERT_EQ(launched.result.tiles.size(), expected.result.tiles.size());
  for (std::size_t t = 0; t < expected.result.tiles.size() && !HasFailure(); ++t) {
    if (GetParam().tolerance == 0) testing::expect_same(launched.result.tiles[t], expected.result.tiles[t]);
    const double here = testing::total_gain(launched.result.tiles[t]);
    const double there = testing::total_gain(expected.result.tiles[t]);
    EXPECT_LE(std::fabs(here - there), 1e-6 * there) << t;
  }
  for (std::size_t r = 0; r < 2; ++r) {
    const double there = testing::total_gain(expected.result.receivers[r]);
    EXPECT_GT(there, 0);
    EXPECT_NEAR(testing::total_gain(launched.result.receivers[r]), there, 1e-6 * there);
  }
}

// Profiles that are too long for the memory go the CPU's way, with the same rays.
TEST(RooftopsOnHost, LaunchTheSameRaysInTooLittleMemory) {
  const testing::Environment city(testing::synthetic_city(launch_city()), 10);
  const Launched expected = launched_with(city, {}, OverRooftop::screens);
  const auto small = [](const RooftopSceneView& scene) {
    return make_host_rooftop_search(scene, {.targets = 64, .points = 8});
  };
  const Launched launched = launched_with(city, small, OverRooftop::screens);
  EXPECT_GT(launched.found, 50u);
  EXPECT_GT(launched.no_room, 50u);
  EXPECT_EQ(launched.result.tubes, expected.result.tubes);
  for (std::size_t t = 0; t < expected.result.tiles.size() && !HasFailure(); ++t) {
    testing::expect_same(launched.result.tiles[t], expected.result.tiles[t]);
  }
}

// The quick mode is the CPU's: its rays are not the exact ones.
TEST(RooftopsOnHost, AreNotAskedForWhatTheyDoNotCompute) {
  const testing::Environment city(testing::synthetic_city(launch_city()), 10);
  const Launched expected = launched_with(city, {}, OverRooftop::deygout);
  const Launched launched = launched_with(city, on_host, OverRooftop::deygout);
  EXPECT_EQ(launched.found, 0u);
  for (std::size_t t = 0; t < expected.result.tiles.size() && !HasFailure(); ++t) {
    testing::expect_same(launched.result.tiles[t], expected.result.tiles[t]);
  }
}

// What a GPU gets: nothing but the copies, with garbage behind each.
TEST(RooftopsOnHost, ReadNothingButTheCopies) {
  const Scene scene = testing::synthetic_city(city_of(700, 15, 5));
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const RaysOfCity city(scene, {20, 200, 40});
  RooftopSceneView copy = city.paths.view();
  std::vector<std::vector<std::byte>> copies;
  for_each_array(copy, [&]<class Item>(const Item*& items, std::size_t count) {
    constexpr std::size_t garbage_items = 64;
    std::vector<std::byte>& bytes = copies.emplace_back((count + garbage_items) * sizeof(Item), std::byte{0xd5});
    std::copy_n(reinterpret_cast<const std::byte*>(items), count * sizeof(Item), bytes.data());
    items = reinterpret_cast<const Item*>(bytes.data());
  });
  const std::unique_ptr<RooftopSearch> of_copy = on_host(copy), of_scene = on_host(city.paths.view());
  const Found found = city.by(*of_copy, tiling.tiles, 5), expected = city.by(*of_scene, tiling.tiles, 5);
  std::size_t rays = 0;
  for (std::size_t k = 0; k < found.bends.size(); ++k) {
    ASSERT_EQ(found.bends[k].outcome, expected.bends[k].outcome);
    if (expected.bends[k].outcome != Outcome::found) continue;
    ++rays;
    ASSERT_EQ(found.bends[k].vertical, expected.bends[k].vertical);
  }
  EXPECT_GT(rays, 300u);
}

// A scene without buildings has no grid; its hills are still crests.
TEST(RooftopsOnHost, KnowScenesWithoutBuildings) {
  Scene scene = testing::synthetic_city(city_of(900, 80, 3));
  scene.prisms.clear();
  const RaysOfCity city(scene, {20, 200, scene.terrain.height_at({20, 200}) + 6});
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const std::unique_ptr<RooftopSearch> search = on_host(city.paths.view());
  std::size_t rays = 0;
  for (const RooftopBends& bends : city.by(*search, tiling.tiles, 5).bends) rays += bends.outcome == Outcome::found;
  EXPECT_GT(rays, 50u);
}

}  // namespace
}  // namespace tesseray::test
