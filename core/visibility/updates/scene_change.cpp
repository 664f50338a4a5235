// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/updates/scene_change.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {

namespace {

// Boxes reach so far beyond what they hold, and what is nearer than this makes one place.
constexpr double box_margin_m = 1e-3, apart_m = 4.0;

double bottom_of(const Prism& prism) { return prism.on_ground ? -infinity : prism.bottom_z; }

// As in Occlusion.
std::vector<WallSide> outline_of(const Prism& prism) {
  std::vector<WallSide> outline;
  for (const Ring& ring : prism.rings) {
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const Vec2 p = ring[k], q = ring[(k + 1) % ring.size()];
      if (!(p == q)) outline.push_back({p, q, bottom_of(prism), prism.top_z});
    }
  }
  return outline;
}

bool is_same_solid(const Prism& a, const Prism& b) {
  return a.on_ground == b.on_ground && a.top_z == b.top_z && (a.on_ground || a.bottom_z == b.bottom_z) &&
         a.rings == b.rings;
}

// Calls only_before(prism) and only_after(prism) for those that the other scene has not by the same number.
template <class OnlyBefore, class OnlyAfter>
void for_each_difference(const std::vector<Prism>& before, const std::vector<Prism>& after,
                         const OnlyBefore& only_before, const OnlyAfter& only_after) {
  const auto key = [](const Prism& prism) { return std::pair(prism.building_id, prism.part); };
  std::size_t a = 0, b = 0;
  while (a < before.size() || b < after.size()) {
    const bool take_a = b == after.size() || (a < before.size() && key(before[a]) <= key(after[b]));
    const bool take_b = a == before.size() || (b < after.size() && key(after[b]) <= key(before[a]));
    if (!(take_a && take_b && is_same_solid(before[a], after[b]))) {
      if (take_a) only_before(before[a]);
      if (take_b) only_after(after[b]);
    }
    a += take_a ? 1 : 0;
    b += take_b ? 1 : 0;
  }
}

auto place_of(const WallSide& wall) { return std::tuple(wall.p.x, wall.p.y, wall.q.x, wall.q.y); }
auto key_of(const WallSide& wall) { return std::tuple_cat(place_of(wall), std::tuple(wall.bottom_z, wall.top_z)); }
bool is_before(const WallSide& a, const WallSide& b) { return key_of(a) < key_of(b); }

void take_out_common(std::vector<WallSide>& a, std::vector<WallSide>& b) {
  std::sort(a.begin(), a.end(), is_before);
  std::sort(b.begin(), b.end(), is_before);
  std::vector<WallSide> only_a, only_b;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a), is_before);
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b), is_before);
  a = std::move(only_a);
  b = std::move(only_b);
}

// Appends the heights of `wall` that `other` in the same place has not.
void append_rest(const WallSide& wall, const WallSide& other, std::vector<WallSide>& rest) {
  if (other.top_z < wall.bottom_z || other.bottom_z > wall.top_z) return rest.push_back(wall);
  if (wall.bottom_z < other.bottom_z) rest.push_back({wall.p, wall.q, wall.bottom_z, other.bottom_z});
  if (wall.top_z > other.top_z) rest.push_back({wall.p, wall.q, other.top_z, wall.top_z});
}

// Of two walls in one place only the heights remain that one of them alone has: a sight that meets one and not the
// other passes there.
void take_out_common_heights(std::vector<WallSide>& a, std::vector<WallSide>& b) {
  std::vector<WallSide> rest_a, rest_b;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (place_of(a[i]) < place_of(b[j])) {
      rest_a.push_back(a[i++]);
    } else if (place_of(b[j]) < place_of(a[i])) {
      rest_b.push_back(b[j++]);
    } else {
      append_rest(a[i], b[j], rest_a);
      append_rest(b[j++], a[i++], rest_b);
    }
  }
  rest_a.insert(rest_a.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
  rest_b.insert(rest_b.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
  a = std::move(rest_a);
  b = std::move(rest_b);
}

void add_all(ChangedSolids& to, ChangedSolids& from) {
  to.walls.insert(to.walls.end(), from.walls.begin(), from.walls.end());
  to.raised.insert(to.raised.end(), std::move_iterator(from.raised.begin()), std::move_iterator(from.raised.end()));
}

// Adds a place, and joins it with those that are near.
void add_place(std::vector<ChangedPlace>& places, ChangedPlace place) {
  for (std::size_t k = 0; k < places.size();) {
    if (!touch(grown(places[k].box, apart_m), place.box)) {
      ++k;
      continue;
    }
    place.box.extend(places[k].box.min);
    place.box.extend(places[k].box.max);
    place.top_z = std::max(place.top_z, places[k].top_z);
    add_all(place.added, places[k].added);
    add_all(place.removed, places[k].removed);
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(k));
    k = 0;
  }
  places.push_back(std::move(place));
}

bool is_flat(const Terrain& terrain) {
  const std::vector<float>& heights = terrain.height_m;
  return !heights.empty() && std::adjacent_find(heights.begin(), heights.end(), std::not_equal_to<>()) == heights.end();
}

ChangedPlace place_around(const std::vector<WallSide>& walls) {
  ChangedPlace place;
  for (const WallSide& wall : walls) {
    place.box.extend(wall.p);
    place.box.extend(wall.q);
    place.top_z = std::max(place.top_z, wall.top_z);
  }
  place.box = grown(place.box, box_margin_m);
  return place;
}

bool any_contains(const std::vector<ChangedPart>& parts, Vec3 p) {
  return std::any_of(parts.begin(), parts.end(), [p](const ChangedPart& part) { return part.contains(p); });
}

}  // namespace

bool ChangedSolids::meet(Vec3 a, Vec3 b) const {
  // As path_is_free does, so that the bits are the same.
  const auto [first, second] = ordered_ends(a, b);
  for (const WallSide& wall : walls) {
    if (meets_wall(first, second, wall)) return true;
  }
  for (const RaisedPart& part : raised) {
    OcclusionView view;
    view.outlines = part.outline.data();
    const FlatPart flat = {part.bottom_z, part.top_z, 0, 0, static_cast<std::uint32_t>(part.outline.size())};
    if (meets_flats(view, first, second, flat)) return true;
  }
  return false;
}

bool ChangedPart::contains(Vec3 p) const {
  return p.z < top_z && p.z > bottom_z && outline_contains(outline.data(), outline.data() + outline.size(), p.xy());
}

bool SceneChange::may_move_into_or_out_of_parts(Vec3 p) const {
  return any_contains(added, p) != any_contains(removed, p);
}

SceneChange find_scene_change(const Scene& before, const Scene& after) {
  SceneChange change;
  std::vector<WallSide> removed, added;
  const auto take = [&](const Prism& prism, std::vector<ChangedPart>& parts, std::vector<WallSide>& walls,
                        ChangedSolids ChangedPlace::*solids) {
    std::vector<WallSide> outline = outline_of(prism);
    if (outline.empty()) return;
    walls.insert(walls.end(), outline.begin(), outline.end());
    if (!prism.on_ground) {
      ChangedPlace place = place_around(outline);
      (place.*solids).raised.push_back({outline, prism.bottom_z, prism.top_z});
      add_place(change.places, std::move(place));
    }
    parts.push_back({std::move(outline), bottom_of(prism), prism.top_z});
  };
  for_each_difference(
      before.prisms, after.prisms,
      [&](const Prism& prism) { take(prism, change.removed, removed, &ChangedPlace::removed); },
      [&](const Prism& prism) { take(prism, change.added, added, &ChangedPlace::added); });

  take_out_common(removed, added);
  take_out_common_heights(removed, added);
  for (const WallSide& wall : removed) {
    ChangedPlace place = place_around({wall});
    place.removed.walls = {wall};
    add_place(change.places, std::move(place));
  }
  for (const WallSide& wall : added) {
    ChangedPlace place = place_around({wall});
    place.added.walls = {wall};
    add_place(change.places, std::move(place));
  }
  return change;
}

bool is_same_terrain(const Terrain& a, const Terrain& b) {
  const bool is_same_grid = a.south_west == b.south_west && a.step_x == b.step_x && a.step_y == b.step_y &&
                            a.columns == b.columns && a.rows == b.rows;
  if (is_same_grid && a.height_m == b.height_m) return true;
  return is_flat(a) && is_flat(b) && a.height_m.front() == b.height_m.front();
}

}  // namespace tesseray
