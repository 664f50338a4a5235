// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/stacks.h"

#include "core/base/joined_numbers.h"

namespace tesseray {
namespace {

constexpr double inside_m = 0.05;

// A place within a ring's solid, right behind the middle of a side. The solid is on the left of all rings.
Vec2 behind_middle(Vec2 begin, Vec2 end) {
  const Vec2 side = end - begin;
  return begin + 0.5 * side + inside_m / norm(side) * Vec2{-side.y, side.x};
}

}  // namespace

std::vector<std::uint32_t> stacks_of(const Scene& scene, const PrismIndex& index) {
  JoinedNumbers stacks(scene.prisms.size());
  for (std::uint32_t p = 0; p < scene.prisms.size(); ++p) {
    for (const Ring& ring : scene.prisms[p].rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const Vec2 place = behind_middle(ring[i], ring[(i + 1) % ring.size()]);
        for (const std::uint32_t other : index.candidates(place)) {
          const bool may_be_above = other != p && index.bounds(other).contains(place);
          if (may_be_above && contains(scene.prisms[other].rings, place)) stacks.join(p, other);
        }
      }
    }
  }
  std::vector<std::uint32_t> numbers(scene.prisms.size());
  for (std::uint32_t p = 0; p < numbers.size(); ++p) numbers[p] = stacks.least(p);
  return numbers;
}

}  // namespace tesseray
