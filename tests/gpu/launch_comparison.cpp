// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/launch_comparison.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "tests/support/environment.h"

namespace tesseray {

Transmitter transmitter_at(Vec3 position) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.erp_dbm = 40;
  return transmitter;
}

bool is_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  return a.tubes == b.tubes && a.tiles == b.tiles;
}

bool Agreement::is_good_with_draws() const {
  constexpr double most_mean_db = 0.02, most_rms_db = 0.2;
  const std::size_t few = reached / 1000;
  return reached > 0 && differing <= few && beyond <= few && std::fabs(mean_db) <= most_mean_db &&
         rms_db <= most_rms_db;
}

Agreement agreement_of(const RayLaunchingResult& expected, const RayLaunchingResult& found) {
  Agreement agreement;
  for (std::size_t t = 0; t < expected.tiles.size(); ++t) {
    const double a = testing::total_gain(found.tiles[t]), b = testing::total_gain(expected.tiles[t]);
    if ((a > 0) != (b > 0)) ++agreement.differing;
    if (!(a > 0 && b > 0)) continue;
    ++agreement.reached;
    const double difference_db = decibels(a / b);
    if (!(std::fabs(difference_db) <= Agreement::tolerance_db)) ++agreement.beyond;
    agreement.most_db = std::max(agreement.most_db, std::fabs(difference_db));
    agreement.mean_db += difference_db;
    agreement.rms_db += difference_db * difference_db;
  }
  const auto reached = static_cast<double>(std::max<std::size_t>(agreement.reached, 1));
  agreement.mean_db /= reached;
  agreement.rms_db = std::sqrt(agreement.rms_db / reached);
  return agreement;
}

LaunchCity::LaunchCity(const std::string& city)
    : content_(city_of(city)),
      tiling_(tile_scene(content_.scene, content_.tiling_options, no_progress())),
      occlusion_(content_.scene) {
  std::printf("%zu parts, %zu areas of vegetation, %zu tiles, %zu edge segments\n", content_.scene.prisms.size(),
              content_.scene.vegetation.size(), tiling_.tiles.size(), tiling_.edges.size());
  const auto compute = find_cuda_device().is_there ? compute_visibility_with_cuda : compute_visibility;
  visibility_s_ = seconds_of([&] { visibility_ = compute(occlusion_, tiling_, {}, no_progress()); });
}

RayLauncher LaunchCity::launcher(const RayLaunchingOptions& options, LaunchMakers makers) const {
  return {content_.scene, tiling_, occlusion_, *visibility_, {}, options, std::move(makers)};
}

}  // namespace tesseray
