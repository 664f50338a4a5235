// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"
#include "core/scene/scene.h"

namespace tesseray {
namespace {

void add(StableHash& hash, Vec2 p) {
  hash.add(p.x);
  hash.add(p.y);
}

void add(StableHash& hash, const Rings& rings) {
  hash.add(static_cast<std::uint64_t>(rings.size()));
  for (const Ring& ring : rings) {
    hash.add(static_cast<std::uint64_t>(ring.size()));
    for (const Vec2 p : ring) add(hash, p);
  }
}

void add(StableHash& hash, const Terrain& terrain) {
  add(hash, terrain.south_west);
  hash.add(terrain.step_x);
  hash.add(terrain.step_y);
  hash.add(terrain.columns);
  hash.add(terrain.rows);
  for (const float height : terrain.height_m) hash.add(static_cast<double>(height));
}

void add(StableHash& hash, const Prism& prism) {
  hash.add(prism.building_id);
  hash.add(prism.source_feature);
  hash.add(prism.part);
  add(hash, prism.rings);
  hash.add(prism.bottom_z);
  hash.add(prism.top_z);
  hash.add(prism.on_ground);
  hash.add(static_cast<std::uint32_t>(prism.material));
}

void add(StableHash& hash, const VegetationArea& vegetation) {
  hash.add(vegetation.source_feature);
  add(hash, vegetation.rings);
  hash.add(vegetation.bottom_z);
  hash.add(vegetation.top_z);
}

}  // namespace

// The CRS's text stays out: PROJ versions spell the same CRS differently, and nothing computed here depends on it.
std::uint64_t scene_hash(const Scene& scene) {
  StableHash hash;
  hash.add(std::string_view("tesseray scene 1"));
  add(hash, scene.frame.origin);
  add(hash, scene.extent.min);
  add(hash, scene.extent.max);
  add(hash, scene.terrain);
  hash.add(static_cast<std::uint64_t>(scene.prisms.size()));
  for (const Prism& prism : scene.prisms) add(hash, prism);
  hash.add(static_cast<std::uint64_t>(scene.vegetation.size()));
  for (const VegetationArea& vegetation : scene.vegetation) add(hash, vegetation);
  hash.add(static_cast<std::uint64_t>(scene.materials.size()));
  for (const Material& material : scene.materials) {
    for (const double parameter : {material.a, material.b, material.c, material.d}) hash.add(parameter);
  }
  return hash.value();
}

}  // namespace tesseray
