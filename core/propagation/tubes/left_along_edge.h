// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave of the direct wave along an edge segment, for host and
// device. It changes from one end to the other, so that a ray takes it where it is diffracted: at its Keller point.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/physics/complex.h"

namespace tesseray {

// At one place of a segment.
struct LeftAtPlace {
  float z_m = 0;                  // from the segment's midpoint on, along its direction
  float real = 1, imaginary = 0;  // of the field of free space, over LeftAlongEdge::amplitude
  float along_ground = 0;         // 1: where the wave runs along uneven ground
  // What comes there of that wave from the ground right before the edge, likewise.
  float reflected_real = 0, reflected_imaginary = 0;
  // Roofs leave this of what a plane of the ground reflects to there.
  float by_ground_real = 1, by_ground_imaginary = 0;
};

// Of one segment: LeftAtPlace first … first + count − 1, ascending; none where nothing comes near.
struct LeftAlongEdge {
  double amplitude = 1;  // the greatest along it, which the segment's tube has
  std::uint32_t first = 0, count = 0;
};

struct LeftAtKellerPoint {
  Complex factor{1, 0};
  double along_ground = 0;
  Complex reflected{0, 0}, by_ground{1, 0};
};

TESSERAY_HD inline LeftAtKellerPoint between(const LeftAtKellerPoint& a, const LeftAtKellerPoint& b,
                                             double share_of_b) {
  const double of_a = 1 - share_of_b;
  return {of_a * a.factor + share_of_b * b.factor, of_a * a.along_ground + share_of_b * b.along_ground,
          of_a * a.reflected + share_of_b * b.reflected, of_a * a.by_ground + share_of_b * b.by_ground};
}

// Linear between the places. REQUIRES: count > 0.
TESSERAY_HD inline LeftAtKellerPoint left_at(const LeftAtPlace* places, std::uint32_t count, double z_m) {
  const auto at_place = [&](std::uint32_t k) {
    const LeftAtPlace& place = places[k];
    return LeftAtKellerPoint{
        {static_cast<double>(place.real), static_cast<double>(place.imaginary)},
        static_cast<double>(place.along_ground),
        {static_cast<double>(place.reflected_real), static_cast<double>(place.reflected_imaginary)},
        {static_cast<double>(place.by_ground_real), static_cast<double>(place.by_ground_imaginary)}};
  };
  if (!(z_m > static_cast<double>(places[0].z_m))) return at_place(0);
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (static_cast<double>(places[middle].z_m) < z_m ? low : high) = middle;
  }
  if (high == count) return at_place(low);
  const double from = static_cast<double>(places[low].z_m), to = static_cast<double>(places[high].z_m);
  return between(at_place(low), at_place(high), (z_m - from) / (to - from));
}

}  // namespace tesseray
