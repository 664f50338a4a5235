// SPDX-License-Identifier: GPL-3.0-or-later
// Which material a surface is of: the same properties give the same bits, by whichever way they come to a surface.
#include <gtest/gtest.h>

#include <vector>

#include "core/physics/material.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

const Material light{"light", 2.5, 0, 0.001, 0};
const Material heavy{"heavy", 9, 0, 0.3, 0};

Scene houses(std::vector<Material> materials) {
  Scene scene = testing::flat_ground(300, 300);
  scene.prisms = {testing::box_prism(1, {100, 100}, {130, 140}, 0, 14),
                  testing::box_prism(2, {150, 110}, {190, 130}, 0, 9),
                  testing::box_prism(3, {110, 170}, {170, 190}, 0, 22)};
  scene.materials = std::move(materials);
  return scene;
}

Scene with_walls_of(Scene scene, std::uint16_t material) {
  for (Prism& prism : scene.prisms) prism.material = material;
  return scene;
}

RayLaunchingOptions everything() {
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  return options;
}

RayLaunchingResult launched(const Scene& scene, double frequency_hz = 850e6,
                            const RayLaunchingOptions& options = everything()) {
  const Environment environment(scene, 10);
  Transmitter transmitter = testing::test_transmitter({80, 150, 12});
  transmitter.frequency_hz = frequency_hz;
  transmitter.erp_dbm = 43;
  return environment.launch(transmitter, {}, options);
}

void expect_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  ASSERT_EQ(a.tiles.size(), b.tiles.size());
  ASSERT_GT(a.tiles.size(), 100u);
  for (std::size_t t = 0; t < a.tiles.size(); ++t) testing::expect_same(a.tiles[t], b.tiles[t]);
}

double sum_of_gains(const RayLaunchingResult& result) {
  double sum = 0;
  for (const ArrivalSums& tile : result.tiles) sum += tile.gain.value();
  return sum;
}

TEST(SurfaceMaterials, DefaultsStandForMaterialZero) {
  Scene scene = houses({heavy, light});
  scene.default_materials = {.ground = 1, .wall = 1, .roof = 1};
  expect_same(launched(scene), launched(houses({light})));
}

TEST(SurfaceMaterials, DefaultOfWallsIsAsIfEachNamedIt) {
  Scene scene = houses({heavy, light});
  scene.default_materials.wall = 1;
  expect_same(launched(scene), launched(with_walls_of(houses({heavy, light}), 1)));
}

TEST(SurfaceMaterials, GroundAndRoofsHaveTheirOwn) {
  Scene scene = houses({light, heavy});
  scene.default_materials = {.ground = 1, .roof = 1};
  const RayLaunchingResult both = launched(scene);
  expect_same(both, launched(with_walls_of(houses({heavy, light}), 1)));
  // Each of the two alone is neither both nor none.
  const double none = sum_of_gains(launched(houses({light})));
  scene.default_materials = {.ground = 1};
  const double ground = sum_of_gains(launched(scene));
  scene.default_materials = {.roof = 1};
  const double roof = sum_of_gains(launched(scene));
  for (const double one : {ground, roof}) {
    EXPECT_NE(one, none);
    EXPECT_NE(one, sum_of_gains(both));
  }
  EXPECT_NE(ground, roof);
}

TEST(SurfaceMaterials, WallsWithAMaterialKeepIt) {
  Scene scene = with_walls_of(houses({light, heavy}), 1);
  scene.default_materials.wall = 0;
  const RayLaunchingResult kept = launched(scene);
  scene.materials.push_back({"other", 4, 0, 0.1, 0});
  scene.default_materials.wall = 2;
  expect_same(kept, launched(scene));
}

TEST(SurfaceMaterials, OutsideItsRangeALawIsTakenAtTheRangesEnd) {
  const ItuMaterial& concrete = *find_itu_material("concrete");
  const MaterialPowerLaw& law = concrete.law;
  ASSERT_EQ(law.minimum_ghz, 1);
  const Material by_law{"concrete", law.a, law.b, law.c, law.d, law.minimum_ghz, law.maximum_ghz};
  const Material at_1_ghz{"concrete", law.a, 0, law.c, 0};
  expect_same(launched(houses({by_law}), 450e6), launched(houses({at_1_ghz}), 450e6));
  EXPECT_NE(sum_of_gains(launched(houses({by_law}), 2e9)), sum_of_gains(launched(houses({at_1_ghz}), 2e9)));
}

TEST(SurfaceMaterials, ScatteringCoefficientOfAMaterialComesBeforeTheRuns) {
  RayLaunchingOptions options = everything();
  options.scattering_coefficient = 0.2;
  const RayLaunchingResult by_run = launched(houses({light}), 850e6, options);
  Material rough = light;
  rough.scattering_coefficient = 0.2;
  options.scattering_coefficient = 0.4;
  expect_same(by_run, launched(houses({rough}), 850e6, options));
  EXPECT_NE(sum_of_gains(by_run), sum_of_gains(launched(houses({light}), 850e6, options)));
}

}  // namespace
}  // namespace tesseray
