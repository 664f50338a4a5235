// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <gtest/gtest.h>

#include "core/scene/scene.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

// Reference values: draft-eastlake-fnv, 64-bit FNV-1a of "", "a" and "foobar".
TEST(StableHash, IsFnv1a) {
  const auto hash_of = [](std::string_view text) {
    StableHash hash;
    for (const char c : text) hash.add_byte(static_cast<std::uint8_t>(c));
    return hash.value();
  };
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8ull);
}

TEST(StableHash, ZerosAreEqual) {
  StableHash plus, minus;
  plus.add(0.0);
  minus.add(-0.0);
  EXPECT_EQ(plus.value(), minus.value());
}

TEST(SceneHash, SeesEveryGeometricChangeAndNoName) {
  const Scene scene = [] {
    Scene s = testing::flat_ground(100, 100);
    s.prisms = {testing::box_prism(1, {10, 10}, {20, 20}, 0, 9)};
    s.vegetation = {VegetationArea{1, {{{50, 50}, {60, 50}, {60, 60}}}, 0, 8}};
    return s;
  }();
  const std::uint64_t hash = scene_hash(scene);
  const auto changed = [&](const auto& change) {
    Scene copy = scene;
    change(copy);
    return scene_hash(copy) != hash;
  };
  EXPECT_FALSE(changed([](Scene&) {}));
  EXPECT_TRUE(changed([](Scene& s) { s.prisms[0].top_z += coordinate_step_m; }));
  EXPECT_TRUE(changed([](Scene& s) { s.prisms[0].rings[0][2].x += coordinate_step_m; }));
  EXPECT_TRUE(changed([](Scene& s) { s.prisms[0].on_ground = false; }));
  EXPECT_TRUE(changed([](Scene& s) { s.terrain.height_m[3] += 0.5F; }));
  EXPECT_TRUE(changed([](Scene& s) { s.frame.origin.x += 1024; }));
  EXPECT_TRUE(changed([](Scene& s) { s.extent.max.y += 1; }));
  EXPECT_TRUE(changed([](Scene& s) { s.vegetation[0].top_z += 1; }));
  EXPECT_TRUE(changed([](Scene& s) { s.materials[0].c = 0.02; }));
  EXPECT_FALSE(changed([](Scene& s) { s.materials[0].name = "concrete"; }));
  EXPECT_FALSE(changed([](Scene& s) { s.frame.crs_name = "EPSG:3946"; }));
}

}  // namespace
}  // namespace tesseray
