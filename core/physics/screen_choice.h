// SPDX-License-Identifier: GPL-3.0-or-later
// Which edges of a profile obstruct, for host and device (docs/physics.md §6). Profiles are rows of points in a
// vertical plane (x: distance, y: height; m).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/knife_edge.h"
#include "core/physics/screen_factors.h"

namespace tesseray {

// Points of a profile by their numbers, ascending; its ends are the first and the last.
struct ScreenChoice {
  std::uint32_t count = 0;
  std::uint32_t indices[most_screens + 2] = {};

  TESSERAY_HD void insert(std::uint32_t place, std::uint32_t index) {
    for (std::uint32_t p = count++; p > place; --p) indices[p] = indices[p - 1];
    indices[place] = index;
  }
  TESSERAY_HD void erase(std::uint32_t place) {
    --count;
    for (std::uint32_t p = place; p < count; ++p) indices[p] = indices[p + 1];
  }
};

namespace physics_detail {

// ν, of the edge i of a profile between the points j and m.
template <class Profile>
TESSERAY_HD inline double fresnel_parameter_of(const Profile& profile, std::uint32_t i, std::uint32_t j,
                                               std::uint32_t m, double wavelength_m) {
  return fresnel_parameter_between(profile[j], profile[i], profile[m], wavelength_m);
}

struct ScreenCandidate {
  std::uint32_t index;
  double nu;  // −∞: there is none
};

// The edge between two points that stands highest above their line; none: ν is −∞.
template <class Profile>
TESSERAY_HD inline ScreenCandidate highest_between(const Profile& profile, std::uint32_t j, std::uint32_t m,
                                                   double wavelength_m) {
  const Vec2 from = profile[j], to = profile[m];
  const double slope = (to.y - from.y) / (to.x - from.x);
  std::uint32_t highest = j;
  // ν |ν| but for what is the same for all.
  double most = -infinity;
  for (std::uint32_t i = j + 1; i < m; ++i) {
    const Vec2 edge = profile[i];
    const double before = edge.x - from.x, after = to.x - edge.x;
    const double clearance = edge.y - (from.y + slope * before);
    const double squared = clearance * std::fabs(clearance) / (before * after);
    if (squared <= most) continue;
    most = squared;
    highest = i;
  }
  if (highest == j) return {0, -infinity};
  return {highest, fresnel_parameter_of(profile, highest, j, m, wavelength_m)};
}

// The place of the edge with the least ν between its chosen neighbours, if that is below `below_nu`; 0 for none.
template <class Profile>
TESSERAY_HD inline std::uint32_t lowest_between_neighbours(const Profile& profile, double wavelength_m, double below_nu,
                                                           const ScreenChoice& choice) {
  std::uint32_t lowest = 0;
  double least_nu = below_nu;
  for (std::uint32_t p = 1; p + 1 < choice.count; ++p) {
    const double nu =
        fresnel_parameter_of(profile, choice.indices[p], choice.indices[p - 1], choice.indices[p + 1], wavelength_m);
    if (!(nu < least_nu)) continue;
    lowest = p;
    least_nu = nu;
  }
  return lowest;
}

// Edges that their later chosen neighbours left far below their line.
template <class Profile>
TESSERAY_HD inline void drop_overtaken(const Profile& profile, double wavelength_m, double least,
                                       ScreenChoice& choice) {
  while (choice.count > 2) {
    const std::uint32_t lowest = lowest_between_neighbours(profile, wavelength_m, least, choice);
    if (lowest == 0) return;
    choice.erase(lowest);
  }
}

}  // namespace physics_detail

// Of a path of ascending x: the numbers of the points of its upper hull, both ends among them.
struct UpperHull {
  std::uint8_t points[most_screens + 2];
  std::uint32_t size = 0;
};

// REQUIRES: at most most_screens + 2 points.
TESSERAY_HD inline void find_upper_hull(std::span<const Vec2> path, UpperHull& hull) {
  hull.size = 0;
  for (std::size_t p = 0; p < path.size(); ++p) {
    const auto at = [&](std::uint32_t from_end) { return path[hull.points[hull.size - from_end]]; };
    while (hull.size > 1 && cross(at(1) - at(2), path[p] - at(1)) >= 0) --hull.size;
    hull.points[hull.size++] = static_cast<std::uint8_t>(p);
  }
}

// The power of e by which terms of the chain of integrals over screens (screen_contours.h) are greater than their sum,
// in which they cancel by their phases: along the contours, the phase by which the path over all points is longer than
// their upper hull. REQUIRES: at most most_screens + 2 points.
TESSERAY_HD inline double cancelling_exponent(std::span<const Vec2> path, double wavelength_m) {
  UpperHull hull;
  find_upper_hull(path, hull);
  const auto longer_m = [&](std::size_t from, std::size_t to) {
    const Vec2 way = path[to] - path[from];
    return 0.5 * way.y * way.y / way.x;
  };
  double longer = 0;
  for (std::size_t p = 1; p < path.size(); ++p) longer += longer_m(p - 1, p);
  for (std::uint32_t h = 1; h < hull.size; ++h) longer -= longer_m(hull.points[h - 1], hull.points[h]);
  return 2.0 * pi / wavelength_m * longer;
}

// The chain keeps its digits up to this.
inline constexpr double most_cancelling_exponent = 6;

// The points of a profile (x: distance, strictly increasing, y: height; m; the transmitter, edges, the receiver) that
// obstruct: again and again the edge that stands highest, by its ν, above the straight line between its neighbours
// chosen so far, down to a least ν: −0.78, where an edge alone costs nothing. Edges near the string between others
// stay, which an upper hull would lose. The ends are always among them. `profile` has size() and gives points by
// [number]. REQUIRES: at least two points.
template <class Profile>
TESSERAY_HD inline ScreenChoice choose_screens(const Profile& profile, double wavelength_m,
                                               double least_nu = negligible_fresnel_parameter) {
  using physics_detail::ScreenCandidate;
  ScreenChoice choice;
  const auto last = static_cast<std::uint32_t>(profile.size()) - 1;
  choice.insert(0, 0);
  choice.insert(1, last);
  ScreenCandidate between[most_screens + 1];  // by gap of `choice`
  between[0] = physics_detail::highest_between(profile, 0, last, wavelength_m);
  while (choice.count < most_screens + 2) {
    const std::uint32_t gaps = choice.count - 1;
    std::uint32_t best = 0;
    for (std::uint32_t g = 1; g < gaps; ++g) {
      if (between[best].nu < between[g].nu) best = g;
    }
    if (!(between[best].nu > least_nu)) break;
    const std::uint32_t index = between[best].index;
    for (std::uint32_t g = gaps; g > best + 1; --g) between[g] = between[g - 1];
    between[best + 1] = physics_detail::highest_between(profile, index, choice.indices[best + 1], wavelength_m);
    between[best] = physics_detail::highest_between(profile, choice.indices[best], index, wavelength_m);
    choice.insert(best + 1, index);
  }
  physics_detail::drop_overtaken(profile, wavelength_m, least_nu, choice);
  return choice;
}

// Without those farthest below the line between their neighbours, until the chain keeps its digits.
template <class Profile>
TESSERAY_HD inline void drop_cancelling(const Profile& profile, double wavelength_m, ScreenChoice& choice) {
  for (;;) {
    Vec2 path[most_screens + 2];
    for (std::uint32_t p = 0; p < choice.count; ++p) path[p] = profile[choice.indices[p]];
    if (!(cancelling_exponent({path, choice.count}, wavelength_m) > most_cancelling_exponent)) return;
    const std::uint32_t lowest = physics_detail::lowest_between_neighbours(profile, wavelength_m, 0, choice);
    if (lowest == 0) return;
    choice.erase(lowest);
  }
}

}  // namespace tesseray
