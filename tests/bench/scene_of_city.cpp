// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a city as a scene file for the executable, and prints transmitters for it as CSV: spread over the city, by
// turns 6 m above a street, 3 m above a roof and 50 m above all roofs.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

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
  CLI::App app("A city as a scene file; prints transmitters all over it as a table.");
  std::string name, file;
  int transmitters = 3;
  app.add_option("city", name, "synthetic:SIDE[:SEED] or an environment file")->required();
  app.add_option("scene", file, "the .tscene file to write")->required();
  app.add_option("transmitters", transmitters, "how many");
  CLI11_PARSE(app, argc, argv);
  const tesseray::testing::VisibilityCity city = tesseray::testing::city_by_name(name);
  tesseray::write_scene_file({city.scene, city.tiling.options, {}}, {file});
  tesseray::print_transmitters(city.scene, transmitters);
  return 0;
}
