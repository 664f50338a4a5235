// SPDX-License-Identifier: GPL-3.0-or-later
#include "visibility_city.h"

#include <filesystem>
#include <stdexcept>

#include "core/base/progress.h"
#include "tests/support/synthetic_city.h"
#ifdef TESSERAY_BENCH_READS_FILES
#include "core/io/results/environment_file.h"
#endif

namespace tesseray::testing {

VisibilityCity city_by_name(const std::string& name) {
  const std::string prefix = "synthetic:";
  if (name.starts_with(prefix)) {
    std::size_t end = 0;
    const std::string numbers = name.substr(prefix.size());
    SyntheticCityOptions options = large_city();
    options.width_m = options.depth_m = std::stod(numbers, &end);
    if (end < numbers.size()) options.seed = std::stoull(numbers.substr(end + 1));
    VisibilityCity city{name, synthetic_city(options), {}};
    city.tiling = tile_scene(city.scene, {}, no_progress());
    return city;
  }
#ifdef TESSERAY_BENCH_READS_FILES
  Environment environment = read_environment(name, no_progress());
  VisibilityCity city{std::filesystem::path(name).stem().string(), std::move(environment.scene), {}};
  city.tiling = tile_scene(city.scene, environment.tiling_options, no_progress());
  return city;
#else
  throw std::runtime_error(name + ": this build reads no files; give synthetic:SIDE");
#endif
}

}  // namespace tesseray::testing
