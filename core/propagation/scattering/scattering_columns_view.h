// SPDX-License-Identifier: GPL-3.0-or-later
// What scattering asks of tiles, where it lies: on the host or on the device. And what it asks of one of them: a turn
// of a loop in vectors on the CPU, a thread on a GPU.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/propagation/rows/rough_point.h"
#include "core/propagation/scattering/boundary_versines.h"
#include "core/propagation/scattering/lit_cotangents.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Where a tile scatters, and how much at most, as the gain at 1 m.
struct alignas(16) RoughScatterer {
  float x = 0, y = 0, z = 0, strength = 0;

  [[gnu::always_inline]] TESSERAY_HD RoughPoint point() const { return {x, y, z}; }
};

// Owns nothing.
struct ScatteringColumnsView {
  Vec3 origin;                           // of rough points
  const RoughPoint* targets = nullptr;   // where rays arrive at tiles
  const double* near_m = nullptr;        // a tile is subdivided for points nearer than this, by tile
  const double* areas_m2 = nullptr;      // dS S², by tile
  const double* reflectances = nullptr;  // tables of the materials, see interpolated_reflectance()
  std::size_t reflectance_count = 0;     // of all tables
  // By number: tiles, edge segments and receivers, of which the latter two reflect nothing.
  const Vec3* normals = nullptr;
  const std::uint32_t* table_begin = nullptr;  // in `reflectances`
  const double* ground_reflection = nullptr;   // the specular part of the power; 0 but for ground tiles

  TESSERAY_HD RoughPoint rough(Vec3 point) const { return rough_point(point - origin); }
};

// What scattered rays bring to an edge segment, all of them together.
struct ScatteredAtEdge {
  double gain = 0;        // at its midpoint, of an isotropic receiver
  double distance_m = 0;  // from the scattering tiles, in the mean
};

// An edge that diffracts them, for estimates of what it sends on.
struct RoughEdge {
  RoughPoint tangent, normal;  // of the 0-face
  float gain = 0;              // of ScatteredAtEdge, times a scale
  float source_m = 0;          // of ScatteredAtEdge
  float wave_number = 0;

  TESSERAY_HD RoughEdge(const EdgeSegment& edge, const ScatteredAtEdge& at_edge, double scale, double wave_number_)
      : tangent(rough_point(edge.tangent_0)),
        normal(rough_point(edge.normal_0)),
        gain(static_cast<float>(at_edge.gain * scale)),
        source_m(static_cast<float>(at_edge.distance_m)),
        wave_number(static_cast<float>(wave_number_)) {}
};

// The mean reflectance of a material is kept against the cosine of incidence, in equal steps of the cosine.
inline constexpr std::size_t reflectance_steps = 1024;

// 0 for a cosine that is none, as of a target in an edge's middle. REQUIRES: a table of reflectance_steps + 2 numbers.
[[gnu::always_inline]] TESSERAY_HD inline double interpolated_reflectance(const double* table, double cosine) {
  const double unit = cosine > 0 ? (cosine > 1 ? 1 : cosine) : 0;
  const double place = unit * static_cast<double>(reflectance_steps);
  const auto step = static_cast<std::int32_t>(place);
  const double low = table[step], high = table[step + 1];
  return low + (place - static_cast<double>(step)) * (high - low);
}

struct RadiatedRay {
  double density = 0, length_m = 0;
  Vec3 direction;  // unit, of travel
};

// What the Lambert's lobe of a tile sends along `way` to a point: dS S²/π · cosθ_s · √reflectance(θ_s) over the squared
// distance, without the root where `flat` is 1 and with it where it is 0. 0 behind the tile.
[[gnu::always_inline]] TESSERAY_HD inline RadiatedRay radiated(Vec3 way, Vec3 normal, double area_m2,
                                                               const double* table, double flat) {
  const double squared = way.x * way.x + way.y * way.y + way.z * way.z, length = std::sqrt(squared),
               inverse = 1.0 / length;
  const double cosine = (way.x * normal.x + way.y * normal.y + way.z * normal.z) * inverse;
  const double lit = cosine > 0 ? cosine : 0.0;
  const double reflectance = interpolated_reflectance(table, lit), sloped = 1.0 - flat;
  const double density = area_m2 * lit * std::sqrt(flat + sloped * reflectance) / (pi * squared);
  return {density, length, {way.x * inverse, way.y * inverse, way.z * inverse}};
}

// 1 + the power of the ground-reflected companion of a ray that comes along `way`, `length` long, at ground tiles; 1
// elsewhere, and where nothing may be reflected.
TESSERAY_HD inline double ground_factor(const ScatteringColumnsView& columns, std::uint32_t number, Vec3 way,
                                        double length) {
  const double ground_reflection = columns.ground_reflection[number];
  if (!(ground_reflection > 0)) return 1;
  const double cosine = -dot(way, columns.normals[number]) / length;
  if (!(cosine > 0)) return 1;
  return 1 + ground_reflection * interpolated_reflectance(columns.reflectances + columns.table_begin[number], cosine);
}

// `scale` times what a tile sends to a point at most: its strength over the squared distance.
[[gnu::always_inline]] TESSERAY_HD inline float estimated_radiated(const RoughScatterer& tile, float scale,
                                                                   RoughPoint point) {
  const RoughPoint way = tile.point() - point;
  return tile.strength * scale / (way.x * way.x + way.y * way.y + way.z * way.z);
}

// Whether some source may light the way past an edge. `next_lit`: see LitCotangents::next_places().
[[gnu::always_inline]] TESSERAY_HD inline bool may_be_lit(RoughPoint way, RoughPoint edge, float half_length,
                                                          const float* next_lit) {
  const float along = way.x * edge.x + way.y * edge.y + way.z * edge.z;
  const float squared = way.x * way.x + way.y * way.y + way.z * way.z - along * along;
  const float rho = std::sqrt(squared > 0 ? squared : 0.0f);
  return LitCotangents::is_marked_between(along - half_length, along + half_length, rho, next_lit);
}

// About what an edge sends along `way`, over `known_gain` and times the edge's scale. `versines`: of what lights it,
// see BoundaryVersines.
[[gnu::always_inline]] TESSERAY_HD inline float estimated_past_edge(RoughPoint way, float known_gain,
                                                                    const RoughEdge& edge, const float* versines) {
  const float distance = std::sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
  const float spread = edge.source_m / (edge.source_m + distance);
  const float tangent = way.x * edge.tangent.x + way.y * edge.tangent.y + way.z * edge.tangent.z;
  const float normal = way.x * edge.normal.x + way.y * edge.normal.y + way.z * edge.normal.z;
  constexpr auto sixteen_pi = static_cast<float>(16 * pi);
  const float versine = versines[BoundaryVersines::bucket(tangent, normal)];
  const float share = 1.0f / (4.0f + sixteen_pi * (edge.wave_number * spread * distance) * versine);
  return edge.gain * spread * spread * share / known_gain;
}

}  // namespace tesseray
