// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering_columns.h"

#include <algorithm>
#include <cmath>

#include "core/physics/fresnel.h"
#include "core/propagation/surface_materials.h"

namespace tesseray {
namespace {

// A tile is subdivided for points nearer than this many of its sides.
constexpr double near_sides = 1.5;

[[gnu::always_inline]] inline double interpolated(const double* table, double cosine) {
  const double unit = cosine < 0 ? 0 : (cosine > 1 ? 1 : cosine);
  const double place = unit * static_cast<double>(ReflectanceTables::steps);
  const auto step = static_cast<std::int32_t>(place);
  const double low = table[step], high = table[step + 1];
  return low + (place - static_cast<double>(step)) * (high - low);
}

struct RadiateToPoint {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const double* __restrict centroids, const Vec3* normals_pointer,
                                         const double* __restrict areas_m2, const std::uint32_t* __restrict table_begin,
                                         const double* __restrict tables, bool reciprocal, const Vec3* point_pointer,
                                         double* density, double* length_m, double* to_x, double* to_y, double* to_z) {
    const double* __restrict const normals = &normals_pointer->x;
    const Vec3 point = *point_pointer;
    const double flat = reciprocal ? 0.0 : 1.0, sloped = 1.0 - flat;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t tile = tiles[i], at = 3 * tile;
      const double x = point.x - centroids[at], y = point.y - centroids[at + 1], z = point.z - centroids[at + 2];
      const double squared = x * x + y * y + z * z, length = std::sqrt(squared), inverse = 1.0 / length;
      const double cosine = (x * normals[at] + y * normals[at + 1] + z * normals[at + 2]) * inverse;
      const double lit = cosine > 0 ? cosine : 0.0;
      const double reflectance = interpolated(tables + table_begin[tile], lit);
      density[i] = areas_m2[tile] * lit * std::sqrt(flat + sloped * reflectance) / (pi * squared);
      length_m[i] = length;
      to_x[i] = x * inverse;
      to_y[i] = y * inverse;
      to_z[i] = z * inverse;
    }
  }
};

struct EstimateRadiated {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const float* __restrict tile_x, const float* __restrict tile_y,
                                         const float* __restrict tile_z, const float* __restrict strengths, float x,
                                         float y, float z, float scale, float* __restrict estimates) {
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t tile = tiles[i];
      const float way_x = tile_x[tile] - x, way_y = tile_y[tile] - y, way_z = tile_z[tile] - z;
      estimates[i] = strengths[tile] * scale / (way_x * way_x + way_y * way_y + way_z * way_z);
    }
  }
};

struct CountLitBuckets {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const float* __restrict tile_x, const float* __restrict tile_y,
                                         const float* __restrict tile_z, float x, float y, float z, float edge_x,
                                         float edge_y, float edge_z, float half_length,
                                         const std::int32_t* __restrict lit_before, std::int32_t* __restrict lit) {
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t tile = tiles[i];
      const float way_x = tile_x[tile] - x, way_y = tile_y[tile] - y, way_z = tile_z[tile] - z;
      const float along = way_x * edge_x + way_y * edge_y + way_z * edge_z;
      const float squared = way_x * way_x + way_y * way_y + way_z * way_z - along * along;
      const float rho = std::sqrt(squared > 0 ? squared : 0.0f);
      const std::int32_t first = LitCotangents::bucket(along - half_length, rho);
      const std::int32_t last = LitCotangents::bucket(along + half_length, rho);
      lit[i] = lit_before[last + 1] - lit_before[first];
    }
  }
};

struct EstimatePastEdge {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const float* __restrict tile_x, const float* __restrict tile_y,
                                         const float* __restrict tile_z, const float* __restrict gains, float x,
                                         float y, float z, float scale, float source_m, float wave_number,
                                         float* __restrict estimates) {
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t tile = tiles[i];
      const float way_x = tile_x[tile] - x, way_y = tile_y[tile] - y, way_z = tile_z[tile] - z;
      const float distance = std::sqrt(way_x * way_x + way_y * way_y + way_z * way_z);
      const float spread = source_m / (source_m + distance);
      const float share = 1.0f / (4.0f + 20.0f * std::sqrt(wave_number * spread * distance));
      estimates[i] = scale * spread * spread * share / gains[tile];
    }
  }
};

struct ReceiveFromPoint {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict targets, std::size_t count,
                                         const double* __restrict points, const Vec3* normals_pointer,
                                         const double* __restrict ground_reflection,
                                         const std::uint32_t* __restrict table_begin, const double* __restrict tables,
                                         const Vec3* from_pointer, double* look_x, double* look_y, double* factor) {
    const double* __restrict const normals = &normals_pointer->x;
    const Vec3 from = *from_pointer;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = targets[i], at = 3 * number;
      const double x = points[at] - from.x, y = points[at + 1] - from.y, z = points[at + 2] - from.z;
      const double across = std::sqrt(x * x + y * y), length = std::sqrt(x * x + y * y + z * z);
      const double cosine = -(x * normals[at] + y * normals[at + 1] + z * normals[at + 2]) / length;
      const double reflectance = interpolated(tables + table_begin[number], cosine);
      const double safe = across > 0 ? across : 1.0;
      // Straight up or down counts as north.
      const double north = across > 0 ? 0.0 : 1.0;
      look_x[i] = north - y / safe;
      look_y[i] = -x / safe;
      const double reflection = ground_reflection[number];
      factor[i] = 1.0 + (cosine > 0 ? reflection : 0.0) * reflectance;
    }
  }
};

}  // namespace

ReflectanceTables::ReflectanceTables(const Scene& scene, const Link& link) {
  values_.reserve(scene.materials.size() * length);
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const Complex permittivity = link.surface(static_cast<std::uint16_t>(m)).permittivity;
    for (std::size_t i = 0; i < length; ++i) {
      values_.push_back(mean_reflectance(permittivity, static_cast<double>(i) / steps));
    }
  }
}

double ReflectanceTables::at(std::uint16_t material, double cosine) const {
  return interpolated(&values_[begin(material)], cosine);
}

void PlaceColumns::add(Vec3 point) {
  if (x.empty()) origin = point;
  x.push_back(static_cast<float>(point.x - origin.x));
  y.push_back(static_cast<float>(point.y - origin.y));
  z.push_back(static_cast<float>(point.z - origin.z));
}

ScatteringColumns::ScatteringColumns(const Scene& scene, const Tiling& tiling, const TargetPoints& points,
                                     const Link& link)
    : points_(&points), tables_(scene, link) {
  const std::size_t numbers = std::size_t{points.element_count()} + points.receiver_count();
  normals_.resize(numbers);
  table_begin_.resize(numbers);
  ground_reflection_.resize(numbers);
  areas_m2_.reserve(tiling.tiles.size());
  near_m_.reserve(tiling.tiles.size());
  for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
    const Tile& tile = tiling.tiles[t];
    const std::uint16_t material = surface_material(scene, tile);
    const Link::Surface& surface = link.surface(material);
    areas_m2_.push_back(tile.area_m2() * surface.scattering_coefficient * surface.scattering_coefficient);
    near_m_.push_back(near_sides * tile.side_m());
    sources_.add(points.reference(static_cast<std::uint32_t>(t)));
    targets_.add(points.arrival(static_cast<std::uint32_t>(t)));
    normals_[t] = tile.normal;
    table_begin_[t] = ReflectanceTables::begin(material);
    if (points.is_ground(static_cast<std::uint32_t>(t))) {
      ground_reflection_[t] = surface.specular_factor * surface.specular_factor;
    }
  }
}

void ScatteringColumns::radiate(std::span<const std::uint32_t> tiles, bool reciprocal, Vec3 point, RadiatedRays& rays,
                                InstructionSet set) const {
  for (std::vector<double>* column : {&rays.density, &rays.length_m, &rays.x, &rays.y, &rays.z}) {
    column->resize(tiles.size());
  }
  run_vectorized<RadiateToPoint>(
      set, tiles.data(), tiles.size(), points_->coordinates() + 3 * std::size_t{points_->reference_index(0)},
      normals_.data(), areas_m2_.data(), table_begin_.data(), tables_.values().data(), reciprocal, &point,
      rays.density.data(), rays.length_m.data(), rays.x.data(), rays.y.data(), rays.z.data());
}

void ScatteringColumns::estimate(std::span<const std::uint32_t> tiles, std::span<const float> strengths, Vec3 point,
                                 float scale, std::vector<float>& estimates, InstructionSet set) const {
  estimates.resize(tiles.size());
  const Vec3 at = point - sources_.origin;
  run_vectorized<EstimateRadiated>(set, tiles.data(), tiles.size(), sources_.x.data(), sources_.y.data(),
                                   sources_.z.data(), strengths.data(), static_cast<float>(at.x),
                                   static_cast<float>(at.y), static_cast<float>(at.z), scale, estimates.data());
}

void ScatteringColumns::find_lit_past_edge(std::span<const std::uint32_t> tiles, const EdgeSegment& edge,
                                           const LitCotangents& lit, std::vector<std::int32_t>& work,
                                           std::vector<std::uint32_t>& found, InstructionSet set) const {
  work.resize(tiles.size());
  const Vec3 at = edge.midpoint - targets_.origin;
  const auto lit_before = lit.marked_before();
  run_vectorized<CountLitBuckets>(set, tiles.data(), tiles.size(), targets_.x.data(), targets_.y.data(),
                                  targets_.z.data(), static_cast<float>(at.x), static_cast<float>(at.y),
                                  static_cast<float>(at.z), static_cast<float>(edge.direction.x),
                                  static_cast<float>(edge.direction.y), static_cast<float>(edge.direction.z),
                                  static_cast<float>(0.5 * edge.length_m), lit_before.data(), work.data());
  // Written without a branch: which are lit cannot be foretold.
  found.resize(tiles.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    found[count] = tiles[i];
    count += work[i] > 0 ? 1 : 0;
  }
  found.resize(count);
}

void ScatteringColumns::estimate_past_edge(std::span<const std::uint32_t> tiles, std::span<const float> gains,
                                           Vec3 midpoint, const ScatteredAtEdge& at_edge, double scale,
                                           double wave_number, std::vector<float>& estimates,
                                           InstructionSet set) const {
  estimates.resize(tiles.size());
  const Vec3 at = midpoint - targets_.origin;
  run_vectorized<EstimatePastEdge>(set, tiles.data(), tiles.size(), targets_.x.data(), targets_.y.data(),
                                   targets_.z.data(), gains.data(), static_cast<float>(at.x), static_cast<float>(at.y),
                                   static_cast<float>(at.z), static_cast<float>(at_edge.gain * scale),
                                   static_cast<float>(at_edge.distance_m), static_cast<float>(wave_number),
                                   estimates.data());
}

void ScatteringColumns::receive(std::span<const std::uint32_t> targets, Vec3 from, ReceivedRays& rays,
                                InstructionSet set) const {
  for (std::vector<double>* column : {&rays.look_x, &rays.look_y, &rays.factor}) column->resize(targets.size());
  run_vectorized<ReceiveFromPoint>(set, targets.data(), targets.size(), points_->coordinates(), normals_.data(),
                                   ground_reflection_.data(), table_begin_.data(), tables_.values().data(), &from,
                                   rays.look_x.data(), rays.look_y.data(), rays.factor.data());
}

}  // namespace tesseray
