// SPDX-License-Identifier: GPL-3.0-or-later
#include "city_sites.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::testing {
namespace {

enum class SiteKind { street, rooftop, macro };
constexpr const char* site_names[] = {"street", "rooftop", "macro"};

constexpr double above_street_m = 6, above_roof_m = 3, above_all_roofs_m = 50;

class SitePlaces {
 public:
  explicit SitePlaces(const Scene& scene) : scene_(scene), index_(scene) {
    for (const Prism& prism : scene.prisms) highest_ = std::max(highest_, prism.top_z);
  }

  Vec3 above_all_roofs(Vec2 p) const { return {p.x, p.y, highest_ + above_all_roofs_m}; }

  bool is_roof(Vec2 p) const { return index_.surface_height(p) > scene_.terrain.height_at(p) + 1; }

  Vec3 above_surface(Vec2 p) const {
    return {p.x, p.y, index_.surface_height(p) + (is_roof(p) ? above_roof_m : above_street_m)};
  }

  // As near to `wanted` as the search goes.
  Vec3 place(SiteKind kind, Vec2 wanted) const {
    if (kind == SiteKind::macro) return above_all_roofs(wanted);
    Random offsets(1);
    for (double reach = 1; reach < 200; reach += 1) {
      const Vec2 p = wanted + Vec2{offsets.uniform(-reach, reach), offsets.uniform(-reach, reach)};
      if (scene_.extent.contains(p) && is_roof(p) == (kind == SiteKind::rooftop)) return above_surface(p);
    }
    throw std::runtime_error("no such place in this part of the city");
  }

  Vec3 first_on_grid(SiteKind kind, Vec2 middle) const {
    for (int row = 0; row < 50; ++row) {
      for (int column = 0; column < 50; ++column) {
        const Vec2 p = middle + Vec2{3.0 * column - 75.3, 3.0 * row - 74.7};
        if (is_roof(p) == (kind == SiteKind::rooftop)) return above_surface(p);
      }
    }
    throw std::runtime_error("no such place near the middle of the city");
  }

 private:
  const Scene& scene_;
  PrismIndex index_;
  double highest_ = 0;
};

}  // namespace

std::vector<CitySite> sites_near_middle(const Scene& scene) {
  const SitePlaces places(scene);
  const Vec2 middle = 0.5 * (scene.extent.min + scene.extent.max);
  return {{"street", places.first_on_grid(SiteKind::street, middle)},
          {"rooftop", places.first_on_grid(SiteKind::rooftop, middle)},
          {"macro", places.above_all_roofs(middle)}};
}

std::vector<CitySite> sites_over_city(const Scene& scene, int count) {
  const SitePlaces places(scene);
  const Vec2 size = scene.extent.max - scene.extent.min;
  std::vector<CitySite> sites;
  for (int s = 0; s < count; ++s) {
    // An additive sequence with the plastic number; its first place is the middle.
    const double across = 0.5 + 0.7548776662466927 * s, up = 0.5 + 0.5698402909980532 * s;
    const Vec2 part{across - std::floor(across), up - std::floor(up)};
    const Vec2 wanted = scene.extent.min + Vec2{(0.1 + 0.8 * part.x) * size.x, (0.1 + 0.8 * part.y) * size.y};
    sites.push_back({std::string(site_names[s % 3]) + "-" + std::to_string(s + 1),
                     places.place(static_cast<SiteKind>(s % 3), wanted)});
  }
  return sites;
}

}  // namespace tesseray::testing
