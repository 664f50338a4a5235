// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/roof_sides.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/joined_numbers.h"
#include "core/propagation/rays/surface_materials.h"

namespace tesseray {
namespace {

constexpr double beside_m = 0.05;

// Gaps below a part that are no higher are closed: they come of roundings, and nothing passes them.
constexpr double closed_gap_m = 0.5;

// The part right below a place at a height, but for a closed gap; nullptr where there is none.
const Prism* part_below(const Scene& scene, const PrismIndex& index, Vec3 place) {
  for (const double below_m : {beside_m, closed_gap_m}) {
    const std::int64_t part = index.prism_at({place.x, place.y, place.z - below_m});
    if (part >= 0) return &scene.prisms[static_cast<std::size_t>(part)];
  }
  return nullptr;
}

// Whether there is something solid below this place in a part all the way to the ground.
bool stands_on_ground(const Scene& scene, const PrismIndex& index, const Prism* part, Vec2 place) {
  while (part != nullptr && !part->on_ground) {
    if (part->bottom_z - closed_gap_m <= scene.terrain.height_at(place)) return true;
    part = part_below(scene, index, {place.x, place.y, part->bottom_z});
  }
  return part != nullptr;
}

// Off a side, at `along_m` from its beginning: towards its solid, or away from it.
Vec2 beside(const RoofSide& side, double along_m, double inwards_m) {
  const Vec2 along = (1 / norm(side.along)) * side.along;
  return side.begin + along_m * along + inwards_m * Vec2{-along.y, along.x};
}

class SideFinder {
 public:
  SideFinder(const Scene& scene, const PrismIndex& index, BelowParts below)
      : scene_(scene), index_(index), below_(below), roofs_(scene.prisms.size()) {}

  RoofSides run() {
    for (std::uint32_t p = 0; p < scene_.prisms.size(); ++p) take_prism(p);
    for (RoofSide& side : found_.sides) side.roof = roofs_.least(side.roof);
    found_.roof_of_prism.resize(scene_.prisms.size());
    for (std::uint32_t p = 0; p < scene_.prisms.size(); ++p) found_.roof_of_prism[p] = roofs_.least(p);
    return std::move(found_);
  }

 private:
  bool is_solid_below(const Prism& part, Vec2 place) const {
    return below_ == BelowParts::solid || stands_on_ground(scene_, index_, &part, place);
  }

  // The part that holds up a roof no lower than a side's, but for even_roof_m, beyond a place of it.
  std::optional<std::uint32_t> part_beyond(const RoofSide& side, double along_m) const {
    const Vec2 outside = beside(side, along_m, -beside_m);
    const double surface_z = std::min(index_.surface_height(outside), side.top_z);
    if (surface_z < side.top_z - even_roof_m) return std::nullopt;
    const std::int64_t part = index_.prism_at({outside.x, outside.y, surface_z - beside_m});
    if (part < 0 || !is_solid_below(scene_.prisms[static_cast<std::size_t>(part)], outside)) return std::nullopt;
    return static_cast<std::uint32_t>(part);
  }

  void take_prism(std::uint32_t number) {
    const Prism& prism = scene_.prisms[number];
    const std::uint16_t material = surface_material(scene_.default_materials, SurfaceKind::wall, prism.material);
    bool is_in_air = false;
    for (const Ring& ring : prism.rings) {
      const std::size_t count = ring.size();
      const auto side_from = [&](std::size_t corner) { return ring[(corner + 1) % count] - ring[corner % count]; };
      for (std::size_t i = 0; i < count; ++i) {
        const RoofSide side = {.begin = ring[i],
                               .along = side_from(i),
                               .before = side_from(i + count - 1),
                               .after = side_from(i + 1),
                               .top_z = prism.top_z,
                               .material = material,
                               .roof = number};
        const Vec2 inside = beside(side, 0.5 * norm(side.along), beside_m);
        if (is_solid_below(prism, inside)) {
          take_side(number, side);
        } else {
          is_in_air = true;
        }
      }
    }
    if (is_in_air) found_.parts_in_air.push_back(number);
  }

  // Its stretches past which there is no roof as high.
  void take_side(std::uint32_t number, const RoofSide& side) {
    if (!stands_beside_another(number, side)) {
      found_.sides.push_back(side);
      return;
    }
    constexpr double at_most_apart_m = 1;
    const double length_m = norm(side.along);
    const auto places = static_cast<int>(std::ceil(length_m / at_most_apart_m));
    double begin_m = 0, last_m = 0;
    bool is_free = false;
    for (int place = 0; place < places; ++place) {
      const double at_m = (place + 0.5) / places * length_m;
      const std::optional<std::uint32_t> part = part_beyond(side, at_m);
      if (part && std::fabs(scene_.prisms[*part].top_z - side.top_z) <= even_roof_m) roofs_.join(number, *part);
      if (place == 0) {
        is_free = !part;
      } else if (is_free == part.has_value()) {
        const double border_m = border_between(side, last_m, at_m, is_free);
        if (is_free) push_stretch(side, begin_m, border_m);
        begin_m = border_m;
        is_free = !is_free;
      }
      last_m = at_m;
    }
    if (is_free) push_stretch(side, begin_m, length_m);
  }

  bool stands_beside_another(std::uint32_t number, const RoofSide& side) const {
    Rectangle box;
    box.extend(side.begin);
    box.extend(side.begin + side.along);
    const Vec2 margin{2 * beside_m, 2 * beside_m};
    const std::vector<std::uint32_t> near = index_.candidates(Rectangle{box.min - margin, box.max + margin});
    return near.size() > 1 || (near.size() == 1 && near.front() != number);
  }

  // Where a side becomes free beyond, or ceases to be, between two places along it. `is_free`: at the first.
  double border_between(const RoofSide& side, double first_m, double second_m, bool is_free) const {
    constexpr double exact_to_m = 0.005;
    while (second_m - first_m > exact_to_m) {
      const double middle_m = 0.5 * (first_m + second_m);
      (part_beyond(side, middle_m).has_value() != is_free ? first_m : second_m) = middle_m;
    }
    return 0.5 * (first_m + second_m);
  }

  void push_stretch(const RoofSide& side, double begin_m, double end_m) {
    const double length_m = norm(side.along);
    const Vec2 along = (1 / length_m) * side.along;
    RoofSide stretch = side;
    if (begin_m > 0) {
      stretch.begin = side.begin + begin_m * along;
      stretch.before = side.along;
    }
    if (end_m < length_m) stretch.after = side.along;
    stretch.along = side.begin + end_m * along - stretch.begin;
    found_.sides.push_back(stretch);
  }

  const Scene& scene_;
  const PrismIndex& index_;
  const BelowParts below_;
  JoinedNumbers roofs_;
  RoofSides found_;
};

}  // namespace

RoofSides find_roof_sides(const Scene& scene, const PrismIndex& index, BelowParts below) {
  return SideFinder(scene, index, below).run();
}

}  // namespace tesseray
