// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/launch_comparison.h"

#include <cmath>

#include "core/base/units.h"
#include "tests/support/environment.h"

namespace tesseray {
namespace {

bool is_same(const ArrivalSums& a, const ArrivalSums& b) {
  return a.gain == b.gain && a.coherent_gain == b.coherent_gain && a.coherent_re == b.coherent_re &&
         a.coherent_im == b.coherent_im && a.interference == b.interference && a.basic_gain == b.basic_gain && a.excess == b.excess &&
         a.squared_excess == b.squared_excess && a.cos_azimuth == b.cos_azimuth && a.sin_azimuth == b.sin_azimuth &&
         a.strongest_gain == b.strongest_gain && a.strongest_azimuth == b.strongest_azimuth &&
         a.strongest_mechanism == b.strongest_mechanism && a.first_excess_m == b.first_excess_m && a.rays == b.rays;
}

}  // namespace

Transmitter transmitter_at(Vec3 position) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.erp_dbm = 40;
  return transmitter;
}

bool is_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  return a.tubes == b.tubes && std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(), b.tiles.end(),
                                          [](const ArrivalSums& x, const ArrivalSums& y) { return is_same(x, y); });
}

Agreement agreement_of(const RayLaunchingResult& expected, const RayLaunchingResult& found) {
  Agreement agreement;
  for (std::size_t t = 0; t < expected.tiles.size(); ++t) {
    const double a = testing::total_gain(found.tiles[t]), b = testing::total_gain(expected.tiles[t]);
    if ((a > 0) != (b > 0)) ++agreement.differing;
    if (!(a > 0 && b > 0)) continue;
    ++agreement.reached;
    agreement.most_db = std::max(agreement.most_db, std::fabs(decibels(a / b)));
  }
  return agreement;
}

}  // namespace tesseray
