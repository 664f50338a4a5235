// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering written out plainly, tile by tile: what the launcher's sums are held against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/physics/material.h"
#include "tests/support/environment.h"

namespace tesseray::testing {

inline constexpr double frequency_hz = 850e6, coefficient = 0.4;
// The specular part of what walls reflect, in power: 1 − S².
inline constexpr double specular = 1 - coefficient * coefficient;

inline double unit_gain() {
  const double lambda = wavelength_m(frequency_hz);
  return (lambda / (4 * pi)) * (lambda / (4 * pi));
}

inline Complex permittivity() { return relative_permittivity({5, 0.01}, frequency_hz); }

// Up to `bounces` interactions, one of them a scattering by the incident model; at most so many after it.
inline RayLaunchingOptions one_scattering(int reflections, int diffractions, int bounces, int after) {
  RayLaunchingOptions options = without_scattering(reflections, diffractions, bounces);
  options.max_scatterings = 1;
  options.scattering_coefficient = coefficient;
  options.scattering_model = ScatteringModel::incident;
  options.max_after_scattering = after;
  return options;
}

// What a tile takes from the antenna, and sends along a direction per steradian.
inline double taken(const Tile& tile, Vec3 from) {
  const Vec3 way = from - tile.centroid;
  return std::fmax(dot(normalized(way), tile.normal), 0.0) / squared_norm(way);
}
inline double sent(const Tile& tile, Vec3 direction) {
  return coefficient * coefficient * tile.area_m2() * std::fmax(dot(direction, tile.normal), 0.0) / pi;
}

inline bool is_in(const std::vector<std::uint32_t>& row, std::uint32_t element) {
  return std::binary_search(row.begin(), row.end(), element);
}

// True when the straight line from one side of a tile's plane to the other goes through the tile.
inline bool passes(const Tile& tile, Vec3 from, Vec3 to) {
  const double before = dot(from - tile.centroid, tile.normal), after = dot(to - tile.centroid, tile.normal);
  if (!(before * after < 0)) return false;
  const Vec3 hit = from + (before / (before - after)) * (to - from) - tile.centroid;
  return std::fabs(dot(hit, tile.half_u)) <= squared_norm(tile.half_u) &&
         std::fabs(dot(hit, tile.half_v)) <= squared_norm(tile.half_v);
}

}  // namespace tesseray::testing
