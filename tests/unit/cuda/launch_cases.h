// SPDX-License-Identifier: GPL-3.0-or-later
// Small launches that the tests of batches have in common: what they launch, and what must be the same.
#pragma once

#include <cstddef>
#include <vector>

#include "core/propagation/launching/ray_launcher.h"
#include "core/scene/scene.h"
#include "cuda/scene_copy.h"

namespace tesseray::test {

// 260 m by 260 m.
Scene city(double hill_m = 15);
// Trees across the streets.
Scene city_with_trees();
// Of the tiles of these: few enough that whole launches take a tenth of a second, many enough for many batches.
inline constexpr double tile_side_m = 14;

// Reflections and diffractions in any order, all effects.
RayLaunchingOptions all_effects();
Transmitter antenna_at(Vec3 position);

struct Case {
  const char* name;
  RayLaunchingOptions options;
  Transmitter transmitter;
  bool has_trees = false;
};

std::vector<Case> cases();

// The same sums; with a tolerance, the same path gains to so much of themselves. A quarter of the targets must be
// reached.
void expect_same_targets(const std::vector<ArrivalSums>& found, const std::vector<ArrivalSums>& expected,
                         double tolerance);
void expect_same_launch(const RayLaunchingResult& found, const RayLaunchingResult& expected, double tolerance);
// Several antennas launched at once bring what each brings alone, bit for bit.
void expect_same_at_once(const RayLauncher& launcher);

// What a GPU gets: nothing but the copies, with garbage behind each.
template <class View>
class GarbageAround {
 public:
  explicit GarbageAround(const View& host) : view_(host) {
    for_each_array(view_, [&]<class Item>(const Item*& items, std::size_t count) {
      constexpr std::size_t garbage_items = 64;
      std::vector<std::byte>& bytes = copies_.emplace_back((count + garbage_items) * sizeof(Item), std::byte{0xd5});
      std::copy_n(reinterpret_cast<const std::byte*>(items), count * sizeof(Item), bytes.data());
      items = reinterpret_cast<const Item*>(bytes.data());
    });
  }
  const View& view() const { return view_; }

 private:
  View view_;
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace tesseray::test
