// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/antenna_pattern.h"

#include <algorithm>
#include <limits>

namespace tesseray {
namespace {

double least_attenuation_db(std::span<const CutPoint> cut) {
  const auto least = std::min_element(
      cut.begin(), cut.end(), [](const CutPoint& a, const CutPoint& b) { return a.attenuation_db < b.attenuation_db; });
  return least->attenuation_db;
}

// How far from `peak_deg`, going up (+1) or down (−1), the cut first falls to `level_db`; NaN if nowhere.
double reach_deg(std::span<const CutPoint> cut, double peak_deg, double level_db, int direction) {
  std::vector<double> ways;
  ways.reserve(cut.size() + 1);
  for (const CutPoint& point : cut) ways.push_back(in_turn(direction * (point.angle_deg - peak_deg)));
  ways.push_back(360.0);
  std::sort(ways.begin(), ways.end());
  double way = 0, level = attenuation_db(cut, peak_deg);
  for (const double next : ways) {
    const double next_level = attenuation_db(cut, peak_deg + direction * next);
    if (next_level >= level_db)
      return next == way ? way : way + (level_db - level) / (next_level - level) * (next - way);
    way = next;
    level = next_level;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// What a cut has in front and behind.
struct Ends {
  double front_db, back_db;
};

Ends ends_on_horizon(std::span<const CutPoint> vertical) {
  return {attenuation_db(vertical, 0), attenuation_db(vertical, 180)};
}

// Of each half of the vertical cut, at its strongest: tilts have that beside the horizon.
Ends strongest_ends(std::span<const CutPoint> vertical) {
  const auto strongest_db = [&](double from_deg, double to_deg) {
    return attenuation_db(vertical, peak_angle_deg(vertical, from_deg, to_deg));
  };
  return {strongest_db(-90, 90), strongest_db(90, 270)};
}

double distance_in_power(double one_db, double other_db) {
  return std::fabs(power_ratio(-one_db) - power_ratio(-other_db));
}

// Whether a horizontal cut may be one on the horizon, past a tilted beam: its strongest direction is then nearer to
// what the vertical cut has there than to the strongest of that, which it is measured through, or brought to,
// otherwise.
bool may_be_on_horizon(std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical) {
  const double strongest_db = least_attenuation_db(horizontal);
  const Ends on_horizon = ends_on_horizon(vertical);
  return distance_in_power(strongest_db, std::min(on_horizon.front_db, on_horizon.back_db)) <
         distance_in_power(strongest_db, least_attenuation_db(vertical));
}

// What the cuts have where they meet.
struct Meeting {
  double azimuth_deg;
  Ends horizontal, vertical;

  double contradiction_in_front() const { return distance_in_power(horizontal.front_db, vertical.front_db); }
  double contradiction_behind() const { return distance_in_power(horizontal.back_db, vertical.back_db); }
  double contradiction() const { return std::max(contradiction_in_front(), contradiction_behind()); }
};

Meeting meeting_at(double azimuth_deg, std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical) {
  const Ends ends{attenuation_db(horizontal, azimuth_deg), attenuation_db(horizontal, azimuth_deg + 180.0)};
  const Meeting in_beam{azimuth_deg, ends, strongest_ends(vertical)};
  const Meeting on_horizon{azimuth_deg, ends, ends_on_horizon(vertical)};
  const bool is_on_horizon =
      may_be_on_horizon(horizontal, vertical) && on_horizon.contradiction() < in_beam.contradiction();
  return is_on_horizon ? on_horizon : in_beam;
}

}  // namespace

double peak_angle_deg(std::span<const CutPoint> cut, double from_deg, double to_deg) {
  struct Place {
    double angle, attenuation;
  };
  std::vector<Place> places = {{from_deg, attenuation_db(cut, from_deg)}, {to_deg, attenuation_db(cut, to_deg)}};
  for (const CutPoint& point : cut) {
    const double angle = from_deg + in_turn(point.angle_deg - from_deg);
    if (angle <= to_deg) places.push_back({angle, point.attenuation_db});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.angle < b.angle; });
  const auto first = std::min_element(places.begin(), places.end(),
                                      [](const Place& a, const Place& b) { return a.attenuation < b.attenuation; });
  auto last = first;
  while (last + 1 != places.end() && (last + 1)->attenuation == first->attenuation) ++last;
  return 0.5 * (first->angle + last->angle);
}

double half_power_beamwidth_deg(std::span<const CutPoint> cut) {
  const double peak = peak_angle_deg(cut, -180.0, 180.0);
  const double half_power = least_attenuation_db(cut) + decibels(2.0);
  return reach_deg(cut, peak, half_power, 1) + reach_deg(cut, peak, half_power, -1);
}

double front_to_back_db(std::span<const CutPoint> cut) {
  const double peak = peak_angle_deg(cut, -180.0, 180.0);
  return attenuation_db(cut, peak + 180.0) - attenuation_db(cut, peak);
}

PatternView AntennaPattern::view() const {
  return {horizontal, vertical, synthesis, tilt_shift_deg, joint_of(horizontal, vertical)};
}

CutJoint joint_of(std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical) {
  Meeting meeting = meeting_at(0, horizontal, vertical);
  if (meeting.contradiction() > least_contradiction) {
    const Meeting at_peak = meeting_at(peak_angle_deg(horizontal, -180, 180), horizontal, vertical);
    if (meeting.contradiction() - at_peak.contradiction() > least_contradiction) meeting = at_peak;
  }
  CutJoint joint{meeting.azimuth_deg, meeting.horizontal.front_db, meeting.horizontal.back_db};
  const Ends strongest = strongest_ends(vertical);
  if (meeting.contradiction_in_front() > least_contradiction) joint.front_db = strongest.front_db;
  if (meeting.contradiction_behind() > least_contradiction) joint.back_db = strongest.back_db;
  return joint;
}

double contradiction_of(std::span<const CutPoint> horizontal, std::span<const CutPoint> vertical) {
  return meeting_at(0, horizontal, vertical).contradiction();
}

double directivity_dbi(const PatternView& pattern) {
  // Midpoint rule, equal areas in the sine of the elevation.
  constexpr int rows = 720, columns = 720;
  double sum = 0;
  for (int i = 0; i < rows; ++i) {
    const double depression = degrees(std::asin(-1.0 + (2.0 * i + 1.0) / rows));
    for (int j = 0; j < columns; ++j) {
      const double azimuth = -180.0 + 360.0 * (j + 0.5) / columns;
      sum += std::fmin(power_ratio(-attenuation_db(pattern, PatternAngles{azimuth, depression})), 1.0);
    }
  }
  return -decibels(sum / (static_cast<double>(rows) * columns));
}

}  // namespace tesseray
