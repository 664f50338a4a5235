// SPDX-License-Identifier: GPL-3.0-or-later
// Writes predictions over a city with all effects as bytes, from a street and from above the roofs, for
// scripts/test-on-aarch64, which asks for the same ones from another processor.
#include <cstdio>
#include <fstream>

#include "core/prediction/prediction.h"
#include "core/prediction/prediction_codec.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_city_prediction FILE\n");
    return 2;
  }
  using namespace tesseray;
  testing::SyntheticCityOptions city;
  city.width_m = 420;
  city.depth_m = 300;
  const Scene scene = testing::synthetic_city(city);
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const Occlusion occlusion(scene);
  const auto visibility = compute_visibility(occlusion, tiling, {}, no_progress());
  const RayLauncher launcher(scene, tiling, occlusion, *visibility, {}, testing::all_effects(3));
  launcher.prepare(no_progress());

  const Vec2 middle = 0.5 * (scene.extent.min + scene.extent.max);
  const double surface = PrismIndex(scene).surface_height(middle);
  std::ofstream file(argv[1], std::ios::binary);
  for (const double height_m : {6.0, 60.0}) {
    const Transmitter transmitter = testing::test_transmitter(at_height(middle, surface + height_m));
    const std::vector<std::uint8_t> bytes = encoded_prediction(
        predict_path_loss(launcher.launch(transmitter, no_progress()), transmitter, tiling, {}, launcher.options()));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return file.good() ? 0 : 1;
}
