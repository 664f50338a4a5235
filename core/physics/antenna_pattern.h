// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna patterns from two measured cuts, and the cosine-power beam (docs/physics.md §9).
//
// A horizontal cut counts its angles clockwise from the boresight, seen from above. A vertical cut counts from the
// antenna's horizon at boresight downwards: 90° is below, 180° behind, 270° above. Attenuations are in dB below the
// strongest direction, positive.
//
// Example:
//   const AntennaPattern pattern{horizontal, vertical};
//   const double relative = relative_pattern(pattern.view(), antenna_frame(orientation), direction);
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/antenna.h"

namespace tesseray {

struct CutPoint {
  double angle_deg = 0;       // 0 ≤ angle < 360
  double attenuation_db = 0;  // below the strongest direction of the antenna
  friend bool operator==(const CutPoint&, const CutPoint&) = default;
};

// How the two cuts become an attenuation in any direction; A_H and A_V are the cuts.
enum class CutSynthesis {
  hpi,             // horizontal projection interpolation: both cuts are met where they meet each other (CutJoint)
  sum,             // A_H + A_V
  normalised_sum,  // A_H + A_V − A_V(0): meets the horizontal cut on the antenna's horizon
  cross_weighted,  // each cut weighs by how much the other one attenuates
};

// Where the two cuts meet, for hpi: to the right of the boresight the front of the vertical cut, and what counts as
// what both have there and opposite to it. NaN: not known.
struct CutJoint {
  double azimuth_deg = 0;
  double front_db = std::numeric_limits<double>::quiet_NaN(), back_db = std::numeric_limits<double>::quiet_NaN();
};

// Two cuts where they lie: on the host or on the device. AntennaPattern::view() knows the joint.
struct PatternView {
  std::span<const CutPoint> horizontal, vertical;
  CutSynthesis synthesis = CutSynthesis::hpi;
  double tilt_shift_deg = 0;  // electrical tilt beyond what the vertical cut has: its lobes go down all around
  CutJoint joint = {};
};

// The angle in [0, 360).
TESSERAY_HD inline double in_turn(double angle_deg) {
  const double rest = std::fmod(angle_deg, 360.0);
  if (rest >= 0) return rest;
  return rest + 360.0 < 360.0 ? rest + 360.0 : 0.0;
}

// The cut at any angle: linear in dB between its points, around the circle.
// REQUIRES: at least one point; angles in [0, 360), ascending.
TESSERAY_HD inline double attenuation_db(std::span<const CutPoint> cut, double angle_deg) {
  const double angle = in_turn(angle_deg);
  const std::size_t count = cut.size();
  // Points are mostly at equal steps: the first guess is then at most a step away.
  std::size_t next = static_cast<std::size_t>(angle / 360.0 * static_cast<double>(count));
  if (next > count) next = count;
  while (next > 0 && cut[next - 1].angle_deg > angle) --next;
  while (next < count && cut[next].angle_deg <= angle) ++next;
  const CutPoint& before = cut[next == 0 ? count - 1 : next - 1];
  const CutPoint& after = cut[next == count ? 0 : next];
  const double from = next == 0 ? before.angle_deg - 360.0 : before.angle_deg;
  const double to = next == count ? after.angle_deg + 360.0 : after.angle_deg;
  const double part = (angle - from) / (to - from);
  return before.attenuation_db + part * (after.attenuation_db - before.attenuation_db);
}

// A direction as the cuts count it: to the right of the boresight, −180 … 180, and below the antenna's horizon,
// −90 … 90.
struct PatternAngles {
  double azimuth_deg = 0, depression_deg = 0;
};

TESSERAY_HD inline PatternAngles pattern_angles(const AntennaFrame& frame, Vec3 direction) {
  const double up = std::fmin(std::fmax(dot(direction, frame.up), -1.0), 1.0);
  return {degrees(std::atan2(dot(direction, frame.right), dot(direction, frame.boresight))), degrees(-std::asin(up))};
}

// Attenuation in a direction, dB. It can be negative where the cuts contradict each other.
TESSERAY_HD inline double attenuation_db(const PatternView& pattern, PatternAngles angles) {
  const double depression = angles.depression_deg - pattern.tilt_shift_deg;
  const double horizontal = attenuation_db(pattern.horizontal, angles.azimuth_deg);
  const double vertical = attenuation_db(pattern.vertical, depression);
  switch (pattern.synthesis) {
    case CutSynthesis::sum:
      break;
    case CutSynthesis::normalised_sum:
      return horizontal + vertical - attenuation_db(pattern.vertical, 0.0);
    case CutSynthesis::cross_weighted: {
      // Vasiliadis et al. with k = 2 and weights of amplitude.
      const double h = std::pow(10.0, -horizontal / 20.0), v = std::pow(10.0, -vertical / 20.0);
      const double larger = std::fmax(h, v);  // where both cuts are deep their weights are small
      const double of_horizontal = v / larger * (1.0 - h), of_vertical = h / larger * (1.0 - v);
      const double both = of_horizontal * of_horizontal + of_vertical * of_vertical;
      if (both < 1e-15) return 0.0;
      return (horizontal * of_horizontal + vertical * of_vertical) / std::sqrt(both);
    }
    case CutSynthesis::hpi: {
      // Gil et al. (2001): the vertical cut's front half fades into its back half with the azimuth.
      const CutJoint& joint = pattern.joint;
      const double aside =
          joint.azimuth_deg == 0 ? angles.azimuth_deg : in_turn(angles.azimuth_deg - joint.azimuth_deg + 180.0) - 180.0;
      const double back = std::fabs(aside) / 180.0;
      const double in_front = vertical - joint.front_db;
      const double behind = attenuation_db(pattern.vertical, 180.0 - depression) - joint.back_db;
      return horizontal + (1.0 - back) * in_front + back * behind;
    }
  }
  return horizontal + vertical;
}

// Power relative to the strongest direction, at most 1: what is radiated counts from the maximum.
TESSERAY_HD inline double relative_pattern(const PatternView& pattern, const AntennaFrame& frame, Vec3 direction) {
  return std::fmin(power_ratio(-attenuation_db(pattern, pattern_angles(frame, direction))), 1.0);
}

// The exponent n of a beam cosⁿ that is half as strong at half of `width_deg` from its axis. REQUIRES: 0 < width < 180.
TESSERAY_HD inline double beam_exponent(double width_deg) {
  return std::log(0.5) / std::log(std::cos(radians(0.5 * width_deg)));
}

// Power of that beam relative to its axis, the boresight; nothing goes backwards.
TESSERAY_HD inline double relative_beam(double exponent, const AntennaFrame& frame, Vec3 direction) {
  const double cosine = std::fmin(dot(direction, frame.boresight), 1.0);
  return cosine > 0 ? std::pow(cosine, exponent) : 0.0;
}

// Two cuts on the host.
struct AntennaPattern {
  std::vector<CutPoint> horizontal, vertical;
  CutSynthesis synthesis = CutSynthesis::hpi;
  double tilt_shift_deg = 0;

  PatternView view() const;
};

// Where cuts meet: at 0° and 180° of the horizontal one, in the beam or on the horizon past a tilted beam. Cuts that
// say otherwise there than each other are of antennas that look aside, whose vertical cut is that through the
// horizontal one's maximum, or one is made up; what they still contradict each other in, the horizontal one decides.
CutJoint joint_of(std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical);

// By how much cuts contradict each other where they meet at 0° and 180°, as powers over the maximum: the greater one.
double contradiction_of(std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical);
// From so much on they do.
inline constexpr double least_contradiction = 0.2;

// The angle of a cut's maximum within [from, to] degrees (which may be negative), in the middle of a flat one.
double peak_angle_deg(std::span<const CutPoint> cut, double from_deg, double to_deg);

// The width of a cut between its half-power angles around the maximum, degrees; NaN when it never falls so far.
double half_power_beamwidth_deg(std::span<const CutPoint> cut);

// The cut's maximum over what it has opposite to it, dB.
double front_to_back_db(std::span<const CutPoint> cut);

// 4π over the integral of the relative pattern over the sphere: what the gain of a lossless antenna would be, dBi.
double directivity_dbi(const PatternView& pattern);

}  // namespace tesseray
