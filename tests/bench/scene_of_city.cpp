// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a city as a scene file for the executable, and prints transmitters for it as CSV: spread over the city, by
// turns 6 m above a street, 3 m above a roof and 50 m above all roofs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/scene/prism_index.h"
#include "core/scene/scene_file.h"
#include "tests/support/synthetic_city.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

enum class SiteKind { street, rooftop, macro };
constexpr const char* site_names[] = {"street", "rooftop", "macro"};

class SitePlaces {
 public:
  explicit SitePlaces(const Scene& scene) : scene_(scene), index_(scene) {
    for (const Prism& prism : scene.prisms) highest_ = std::max(highest_, prism.top_z);
  }

  // As near to `wanted` as the search goes.
  Vec3 place(SiteKind kind, Vec2 wanted) const {
    if (kind == SiteKind::macro) return {wanted.x, wanted.y, highest_ + 50};
    testing::Random offsets(1);
    for (double reach = 1; reach < 200; reach += 1) {
      const Vec2 p = wanted + Vec2{offsets.uniform(-reach, reach), offsets.uniform(-reach, reach)};
      if (!scene_.extent.contains(p)) continue;
      const double top = index_.surface_height(p);
      const bool on_roof = top > scene_.terrain.height_at(p) + 1;
      if (on_roof == (kind == SiteKind::rooftop)) return {p.x, p.y, top + (on_roof ? 3 : 6)};
    }
    throw std::runtime_error("no such place in this part of the city");
  }

 private:
  const Scene& scene_;
  PrismIndex index_;
  double highest_ = 0;
};

void print_transmitters(const Scene& scene, int count) {
  const SitePlaces places(scene);
  const Vec2 size = scene.extent.max - scene.extent.min;
  std::printf("name,x,y,height_m,height_reference,frequency_mhz,erp_dbm\n");
  for (int s = 0; s < count; ++s) {
    // An additive sequence with the plastic number; its first place is the middle.
    const double across = 0.5 + 0.7548776662466927 * s, up = 0.5 + 0.5698402909980532 * s;
    const Vec2 part{across - std::floor(across), up - std::floor(up)};
    const auto kind = static_cast<SiteKind>(s % 3);
    const Vec3 p =
        places.place(kind, scene.extent.min + Vec2{(0.1 + 0.8 * part.x) * size.x, (0.1 + 0.8 * part.y) * size.y});
    std::printf("%s-%d,%.3f,%.3f,%.3f,sea,850,40\n", site_names[s % 3], s + 1, scene.frame.origin.x + p.x,
                scene.frame.origin.y + p.y, p.z);
  }
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: scene_of_city synthetic:SIDE[:SEED]|ENVIRONMENT SCENE.tscene [TRANSMITTERS]\n");
    return 2;
  }
  const tesseray::testing::VisibilityCity city = tesseray::testing::city_by_name(argv[1]);
  tesseray::write_scene_file({city.scene, city.tiling.options, {}}, argv[2]);
  tesseray::print_transmitters(city.scene, argc > 3 ? std::atoi(argv[3]) : 3);
  return 0;
}
