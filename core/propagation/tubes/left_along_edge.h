// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave of the direct wave along an edge segment, for host and
// device. It changes from one end to the other, so that a ray takes it where it is diffracted: at its Keller point.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/physics/complex.h"

namespace tesseray {

// A field as a steadier one, whose phase is higher by the square of `root_of_turn`, in radians. Beyond a roof the phase
// turns many times from one end of a corner to the other, nearly with the square of how deep a place lies.
struct TurningField {
  Complex steady{1, 0};
  double root_of_turn = 0;

  TESSERAY_HD Complex field() const {
    return root_of_turn > 0 ? steady * exp_j(-(root_of_turn * root_of_turn)) : steady;
  }
};

TESSERAY_HD inline TurningField turning_field(Complex field, double root_of_turn) {
  return {root_of_turn > 0 ? field * exp_j(root_of_turn * root_of_turn) : field, root_of_turn};
}

TESSERAY_HD inline TurningField between(const TurningField& a, const TurningField& b, double share_of_b) {
  const double of_a = 1 - share_of_b;
  return {of_a * a.steady + share_of_b * b.steady, of_a * a.root_of_turn + share_of_b * b.root_of_turn};
}

// At one place of a segment.
struct LeftAtPlace {
  float z_m = 0;  // from the segment's midpoint on, along its direction
  // TurningField of the field of free space, over LeftAlongEdge::amplitude.
  float real = 1, imaginary = 0, root_of_turn = 0;
  float along_ground = 0;  // 1: where the wave runs along uneven ground
  // What comes there of that wave from the ground right before the edge, over the same.
  float reflected_real = 0, reflected_imaginary = 0;
  // Roofs leave this of what a plane of the ground reflects to there, a TurningField.
  float by_ground_real = 1, by_ground_imaginary = 0, root_of_turn_by_ground = 0;
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

// Between the places. REQUIRES: count > 0.
TESSERAY_HD inline LeftAtKellerPoint left_at(const LeftAtPlace* places, std::uint32_t count, double z_m) {
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (static_cast<double>(places[middle].z_m) < z_m ? low : high) = middle;
  }
  if (high == count) high = low;
  const LeftAtPlace &a = places[low], &b = places[high];
  const double from = static_cast<double>(a.z_m), to = static_cast<double>(b.z_m);
  const double share_of_b = z_m > from && to > from ? (z_m - from) / (to - from) : 0.0, of_a = 1 - share_of_b;
  const auto mean = [&](float at_a, float at_b) {
    return of_a * static_cast<double>(at_a) + share_of_b * static_cast<double>(at_b);
  };
  const TurningField factor{{mean(a.real, b.real), mean(a.imaginary, b.imaginary)},
                            mean(a.root_of_turn, b.root_of_turn)},
      by_ground{{mean(a.by_ground_real, b.by_ground_real), mean(a.by_ground_imaginary, b.by_ground_imaginary)},
                mean(a.root_of_turn_by_ground, b.root_of_turn_by_ground)};
  return {factor.field(),
          mean(a.along_ground, b.along_ground),
          {mean(a.reflected_real, b.reflected_real), mean(a.reflected_imaginary, b.reflected_imaginary)},
          by_ground.field()};
}

}  // namespace tesseray
