// SPDX-License-Identifier: GPL-3.0-or-later
// A town far from a low antenna, where rays and their reflections on the ground all but cancel, so that whatever is
// missing of one of them shows: places as tiles and as receivers, and level ground beside a terrain model's noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double antenna_m = 10, height_m = 1.5, far_m = 1500;

// Heights of the ground are off by up to `noise_m` every 10 m.
Scene far_town(double noise_m) {
  const Scene town = testing::synthetic_city(testing::small_city());
  testing::Random random(5);
  Scene scene = testing::terrain_of(far_m + 270, 270, 10, [&](Vec2) { return noise_m * random.uniform(-1, 1); });
  scene.prisms = town.prisms;
  for (Prism& prism : scene.prisms) {
    for (Ring& ring : prism.rings) {
      for (Vec2& corner : ring) corner.x += far_m;
    }
    // Into the ground, wherever that is.
    if (prism.on_ground) prism.bottom_z = -1;
  }
  return testing::with_material(std::move(scene), 5, 0.005);
}

class Town {
 public:
  explicit Town(double noise_m) : town_(far_town(noise_m), 10) {}

  const std::vector<Tile>& tiles() const { return town_.tiling.tiles; }
  // The numbers of the ground tiles between the houses.
  std::vector<std::size_t> ground() const {
    std::vector<std::size_t> numbers;
    for (std::size_t t = 0; t < tiles().size(); ++t) {
      if (tiles()[t].kind == SurfaceKind::ground && tiles()[t].centroid.x > far_m) numbers.push_back(t);
    }
    return numbers;
  }
  static Transmitter antenna(double frequency_hz) {
    Transmitter transmitter = testing::test_transmitter({5, 130, antenna_m});
    transmitter.frequency_hz = frequency_hz;
    return transmitter;
  }
  // To receivers over the middles of the tiles of a town, for antennas of any frequency.
  RayLauncher launcher(int bounces, const Town& at) const {
    std::vector<Vec3> places;
    for (const std::size_t t : at.ground()) {
      const Vec2 middle = at.tiles()[t].centroid.xy();
      places.push_back({middle.x, middle.y, town_.scene.terrain.height_at(middle) + height_m});
    }
    RayLaunchingOptions options = testing::without_scattering(bounces, 1, bounces);
    options.over_rooftop = OverRooftop::screens;
    options.receiver_height_m = height_m;
    return town_.launcher(testing::receivers_at(places), options);
  }

 private:
  testing::Environment town_;
};

const Town& level_town() {
  static const Town made(0);
  return made;
}

// Differences by whether the antenna is in sight.
struct Differences {
  std::vector<double> in_sight_db, hidden_db;

  void add(const ArrivalSums& a, const ArrivalSums& b) {
    if (a.direct != b.direct || !(testing::total_gain(a) > 0) || !(testing::total_gain(b) > 0)) return;
    (a.direct ? in_sight_db : hidden_db).push_back(decibels(testing::total_gain(b) / testing::total_gain(a)));
  }
};

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// What nine of ten are below.
double ninth_decile(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 9 / 10);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// Single tiles get what the middle of a wall or an edge sends, where a house hides the place that sends to theirs.
TEST(FarTown, TilesHaveWhatReceiversInTheirPlacesHave) {
  const Town& level = level_town();
  const std::vector<std::size_t> ground = level.ground();
  const RayLauncher launcher = level.launcher(1, level);
  for (const double frequency_hz : {160e6, 900e6, 2.6e9}) {
    const RayLaunchingResult launched = launcher.launch(Town::antenna(frequency_hz), no_progress());
    Differences differences;
    for (std::size_t r = 0; r < ground.size(); ++r) differences.add(launched.receivers[r], launched.tiles[ground[r]]);
    ASSERT_GT(differences.in_sight_db.size(), 150u);
    ASSERT_GT(differences.hidden_db.size(), 300u);
    EXPECT_LT(rms(differences.in_sight_db), 0.2) << frequency_hz;
    EXPECT_LT(ninth_decile(differences.hidden_db), 0.05) << frequency_hz;
    EXPECT_LT(rms(differences.hidden_db), 2) << frequency_hz;
  }
}

TEST(FarTown, NoiseOfTheTerrainIsNotHeard) {
  const Town& level = level_town();
  const Town noisy(0.05);
  std::map<std::int64_t, std::size_t> tile_of;
  for (std::size_t t = 0; t < noisy.tiles().size(); ++t) tile_of[noisy.tiles()[t].id] = t;
  const RayLauncher over_level = level.launcher(2, level), over_noise = noisy.launcher(2, level);
  for (const double frequency_hz : {160e6, 900e6}) {
    const RayLaunchingResult expected = over_level.launch(Town::antenna(frequency_hz), no_progress());
    const RayLaunchingResult found = over_noise.launch(Town::antenna(frequency_hz), no_progress());
    Differences of_ground, of_receivers;
    for (std::size_t t = 0; t < level.tiles().size(); ++t) {
      const Tile& tile = level.tiles()[t];
      const auto same = tile_of.find(tile.id);
      if (same == tile_of.end() || tile.centroid.x < far_m || tile.kind != SurfaceKind::ground) continue;
      of_ground.add(expected.tiles[t], found.tiles[same->second]);
    }
    for (std::size_t r = 0; r < expected.receivers.size(); ++r) {
      of_receivers.add(expected.receivers[r], found.receivers[r]);
    }
    EXPECT_LT(rms(of_ground.in_sight_db), 0.85) << frequency_hz;
    EXPECT_LT(rms(of_ground.hidden_db), 1) << frequency_hz;
    EXPECT_LT(rms(of_receivers.in_sight_db), 0.85) << frequency_hz;
    EXPECT_LT(rms(of_receivers.hidden_db), 1) << frequency_hz;
  }
}

}  // namespace
}  // namespace tesseray
