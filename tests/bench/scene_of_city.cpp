// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a city as a scene file for the executable, and prints transmitters for it as CSV: spread over the city, by
// turns 6 m above a street, 3 m above a roof and 50 m above all roofs.
#include <cstdio>
#include <cstdlib>

#include "city_sites.h"
#include "core/scene/file/scene_file.h"
#include "visibility_city.h"

namespace tesseray {
namespace {

void print_transmitters(const Scene& scene, int count) {
  std::printf("name,x,y,height_m,height_reference,frequency_mhz,erp_dbm\n");
  for (const testing::CitySite& site : testing::sites_over_city(scene, count)) {
    std::printf("%s,%.3f,%.3f,%.3f,sea,850,40\n", site.name.c_str(), scene.frame.origin.x + site.position.x,
                scene.frame.origin.y + site.position.y, site.position.z);
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
