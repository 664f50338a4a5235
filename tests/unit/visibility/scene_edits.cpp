// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene_edits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray::test {

namespace {

using testing::Random;

bool inside(const Rings& rings, Vec2 p) {
  bool is_inside = false;
  for (const Ring& ring : rings) {
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const Vec2 a = ring[k], b = ring[(k + 1) % ring.size()];
      if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) is_inside = !is_inside;
    }
  }
  return is_inside;
}

Vec2 between(const Ring& box, double u, double v) { return box[0] + u * (box[1] - box[0]) + v * (box[3] - box[0]); }

// Whether a box of four corners is clear of a part: by points, a metre or so apart, in it and a little beyond it.
bool is_clear(const Ring& box, const Prism& prism) {
  constexpr int steps = 12;
  for (int i = -1; i <= steps + 1; ++i) {
    for (int j = -1; j <= steps + 1; ++j) {
      if (inside(prism.rings, between(box, double{1} * i / steps, double{1} * j / steps))) return false;
    }
  }
  const Rings rings = {box};
  for (const Ring& ring : prism.rings) {
    if (std::any_of(ring.begin(), ring.end(), [&](Vec2 p) { return inside(rings, p); })) return false;
  }
  return true;
}

double lowest_ground(const Terrain& terrain, const Ring& ring) {
  double lowest = terrain.height_at(ring[0]);
  for (const Vec2 p : ring) lowest = std::min(lowest, terrain.height_at(p));
  const Rectangle box = grown(bounds(ring), std::max(terrain.step_x, terrain.step_y));
  for (std::uint32_t j = 0; j < terrain.rows; ++j) {
    for (std::uint32_t i = 0; i < terrain.columns; ++i) {
      if (box.contains(terrain.south_west + Vec2{i * terrain.step_x, j * terrain.step_y})) {
        lowest = std::min(lowest, static_cast<double>(terrain.node(i, j)));
      }
    }
  }
  return lowest;
}

// As building number `id`, in its place among the others.
void insert(Scene& scene, Ring ring, double height_m, std::int64_t id) {
  Prism prism;
  prism.building_id = prism.source_feature = id;
  for (const Prism& other : scene.prisms) prism.part += other.building_id == id ? 1 : 0;
  prism.bottom_z = lowest_ground(scene.terrain, ring);
  prism.top_z = snapped(scene.terrain.height_at(ring[0]) + height_m);
  prism.rings = {std::move(ring)};
  const auto place =
      std::upper_bound(scene.prisms.begin(), scene.prisms.end(), prism, [](const Prism& a, const Prism& b) {
        return std::pair(a.building_id, a.part) < std::pair(b.building_id, b.part);
      });
  scene.prisms.insert(place, std::move(prism));
}

std::int64_t free_number(const Scene& scene, Random& random) {
  // Some before all others, some after, so that numbers shift or do not.
  return random.below(2) == 0 || scene.prisms.empty() ? 0 : scene.prisms.back().building_id + 1;
}

std::int64_t any_building(const Scene& scene, Random& random) {
  return scene.prisms[random.below(static_cast<std::uint32_t>(scene.prisms.size()))].building_id;
}

void remove_building(Scene& scene, std::int64_t id) {
  std::erase_if(scene.prisms, [id](const Prism& prism) { return prism.building_id == id; });
}

// Raises (or lowers) the highest part of a building, so that nothing stands in what it takes.
void change_height(Scene& scene, std::int64_t id, double by_m) {
  Prism* highest = nullptr;
  for (Prism& prism : scene.prisms) {
    if (prism.building_id == id && (highest == nullptr || prism.top_z > highest->top_z)) highest = &prism;
  }
  highest->top_z = std::max(snapped(highest->top_z + by_m), highest->bottom_z + 2);
}

void move_building(Scene& scene, std::int64_t id, Vec2 by) {
  for (Prism& prism : scene.prisms) {
    if (prism.building_id != id) continue;
    for (Ring& ring : prism.rings) {
      for (Vec2& p : ring) p = p + by;
    }
  }
}

// A lean-to along a whole side of a part on the ground.
bool add_neighbour(Scene& scene, Random& random) {
  for (int tries = 0; tries < 50; ++tries) {
    const Prism& prism = scene.prisms[random.below(static_cast<std::uint32_t>(scene.prisms.size()))];
    if (!prism.on_ground) continue;
    const Ring& ring = prism.rings[random.below(static_cast<std::uint32_t>(prism.rings.size()))];
    const std::uint32_t k = random.below(static_cast<std::uint32_t>(ring.size()));
    const Vec2 p = ring[k], q = ring[(k + 1) % ring.size()], along = q - p;
    const double length = norm(along), depth = random.uniform(3, 6);
    if (length < 4) continue;
    const Vec2 outwards = (depth / length) * Vec2{along.y, -along.x};
    const auto snap = [](Vec2 v) { return Vec2{snapped(v.x), snapped(v.y)}; };
    const Ring box = {q, p, snap(p + outwards), snap(q + outwards)};
    const Ring outer = {q + 0.3 * outwards, p + 0.3 * outwards, p + 1.2 * outwards, q + 1.2 * outwards};
    if (!std::all_of(scene.prisms.begin(), scene.prisms.end(),
                     [&](const Prism& other) { return is_clear(outer, other); })) {
      continue;
    }
    insert(scene, box, random.uniform(4, 25), free_number(scene, random));
    return true;
  }
  return false;
}

// A slab in the air over the middle of the scene, above everything there.
void add_slab(Scene& scene, Random& random) {
  Prism slab;
  slab.building_id = slab.source_feature = scene.prisms.back().building_id + 1;
  const Vec2 p = {snapped(random.uniform(-20, 20)), snapped(random.uniform(-20, 20))};
  slab.rings = {{p, p + Vec2{11, 1}, p + Vec2{10, 8}, p + Vec2{0, 7}}};
  double highest = scene.terrain.height_at(p);
  for (const Prism& prism : scene.prisms) highest = std::max(highest, prism.top_z);
  slab.bottom_z = snapped(highest + 1);
  slab.top_z = slab.bottom_z + 2;
  slab.on_ground = false;
  scene.prisms.push_back(slab);
}

}  // namespace

bool add_box(Scene& scene, const Rectangle& within, double side_m, double height_m, Random& random) {
  for (int tries = 0; tries < 200; ++tries) {
    const Vec2 p = {random.uniform(within.min.x, within.max.x), random.uniform(within.min.y, within.max.y)};
    const double angle = random.uniform(0, 2 * pi);
    const Vec2 u = {std::cos(angle), std::sin(angle)}, v = {-u.y, u.x};
    Ring ring = {p, p + side_m * u, p + side_m * u + 0.8 * side_m * v, p + 0.8 * side_m * v};
    for (Vec2& corner : ring) corner = {snapped(corner.x), snapped(corner.y)};
    if (!std::all_of(scene.prisms.begin(), scene.prisms.end(),
                     [&](const Prism& other) { return is_clear(ring, other); })) {
      continue;
    }
    insert(scene, std::move(ring), height_m, free_number(scene, random));
    return true;
  }
  return false;
}

std::vector<SceneEdit> random_edits(const Scene& scene, std::uint64_t seed) {
  Random random(seed);
  std::vector<SceneEdit> edits;
  const auto add = [&](const std::string& name, const auto& change) {
    SceneEdit edit = {name, scene};
    if (change(edit.scene)) edits.push_back(std::move(edit));
  };
  const auto sure = [&](const std::string& name, const auto& change) {
    add(name, [&](Scene& edited) {
      change(edited);
      return true;
    });
  };
  const Rectangle extent = scene.extent;
  const Rectangle border = {{extent.max.x - 15, extent.min.y}, extent.max};
  sure("nothing", [](Scene&) {});
  add("added", [&](Scene& edited) { return add_box(edited, extent, 7, random.uniform(5, 40), random); });
  add("added, low", [&](Scene& edited) { return add_box(edited, extent, 5, 2, random); });
  add("added at the border", [&](Scene& edited) { return add_box(edited, border, 8, 15, random); });
  add("added beside another", [&](Scene& edited) { return add_neighbour(edited, random); });
  sure("added in the air", [&](Scene& edited) { add_slab(edited, random); });
  sure("removed", [&](Scene& edited) { remove_building(edited, any_building(edited, random)); });
  sure("raised", [&](Scene& edited) { change_height(edited, any_building(edited, random), random.uniform(1, 30)); });
  sure("lowered", [&](Scene& edited) { change_height(edited, any_building(edited, random), -random.uniform(1, 9)); });
  sure("moved a little", [&](Scene& edited) { move_building(edited, any_building(edited, random), {0.25, -0.125}); });
  sure("one part removed", [&](Scene& edited) {
    edited.prisms.erase(edited.prisms.begin() + random.below(static_cast<std::uint32_t>(edited.prisms.size())));
  });
  sure("several", [&](Scene& edited) {
    remove_building(edited, any_building(edited, random));
    change_height(edited, any_building(edited, random), random.uniform(5, 20));
    change_height(edited, any_building(edited, random), -random.uniform(1, 5));
    add_box(edited, extent, 6, 12, random);
    move_building(edited, any_building(edited, random), {-0.5, 0.25});
  });
  return edits;
}

}  // namespace tesseray::test
