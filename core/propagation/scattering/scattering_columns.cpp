// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering/scattering_columns.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/physics/fresnel.h"
#include "core/propagation/rays/surface_materials.h"
#include "core/propagation/rows/for_places.h"

namespace tesseray {
namespace {

// A tile is subdivided for points nearer than this many of its sides.
constexpr double near_sides = 1.5;
constexpr std::size_t tiles_per_block = 4096;

struct RadiateToPoint {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const double* __restrict centroids, const Vec3* normals_pointer,
                                         const double* __restrict areas_m2, const std::uint32_t* __restrict table_begin,
                                         const double* __restrict tables, bool reciprocal, const Vec3* point_pointer,
                                         double* density, double* length_m, double* to_x, double* to_y, double* to_z) {
    const double* __restrict const normals = &normals_pointer->x;
    const Vec3 point = *point_pointer;
    const double flat = reciprocal ? 0.0 : 1.0;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t tile = tiles[i], at = 3 * tile;
      const RadiatedRay ray =
          radiated({point.x - centroids[at], point.y - centroids[at + 1], point.z - centroids[at + 2]},
                   {normals[at], normals[at + 1], normals[at + 2]}, areas_m2[tile], tables + table_begin[tile], flat);
      density[i] = ray.density;
      length_m[i] = ray.length_m;
      to_x[i] = ray.direction.x;
      to_y[i] = ray.direction.y;
      to_z[i] = ray.direction.z;
    }
  }
};

struct EstimateRadiated {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const RoughScatterer* scatterers, float x, float y, float z, float scale,
                                         float* __restrict estimates) {
    for_places(scatterers, nullptr, tiles, count, [=](std::size_t i, RoughPoint tile, float strength) {
      estimates[i] = estimated_radiated({tile.x, tile.y, tile.z, strength}, scale, {x, y, z});
    });
  }
};

struct MarkLit {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const RoughPoint* places, float x, float y, float z, float edge_x,
                                         float edge_y, float edge_z, float half_length,
                                         const float* __restrict next_lit, std::int32_t* __restrict lit) {
    for_places(places, nullptr, tiles, count, [=](std::size_t i, RoughPoint tile, float) {
      lit[i] = may_be_lit(tile - RoughPoint{x, y, z}, {edge_x, edge_y, edge_z}, half_length, next_lit) ? 1 : 0;
    });
  }
};

struct EstimatePastEdge {
  [[gnu::always_inline]] static void run(const std::uint32_t* __restrict tiles, std::size_t count,
                                         const RoughPoint* places, const float* gains, float x, float y, float z,
                                         const RoughEdge* edge_pointer, const float* __restrict versines,
                                         float* __restrict estimates) {
    const RoughEdge edge = *edge_pointer;
    for_places(places, gains, tiles, count, [=](std::size_t i, RoughPoint tile, float gain) {
      estimates[i] = estimated_past_edge(tile - RoughPoint{x, y, z}, gain, edge, versines);
    });
  }
};

}  // namespace

ReflectanceTables::ReflectanceTables(const Scene& scene, const Link& link) {
  values_.reserve(scene.materials.size() * length);
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const Complex permittivity = link.surface(static_cast<std::uint16_t>(m)).permittivity;
    for (std::size_t i = 0; i < length; ++i) {
      values_.push_back(
          mean_reflectance(permittivity, static_cast<double>(i) / static_cast<double>(reflectance_steps)));
    }
  }
}

double ReflectanceTables::at(std::uint16_t material, double cosine) const {
  return interpolated_reflectance(&values_[begin(material)], cosine);
}

ScatteringColumns::ScatteringColumns(const Scene& scene, const Tiling& tiling, const TargetPoints& points,
                                     const Link& link, bool ground_reflects)
    : points_(&points), tables_(scene, link) {
  const std::size_t numbers = std::size_t{points.element_count()} + points.receiver_count();
  normals_.resize(numbers);
  table_begin_.resize(numbers);
  ground_reflection_.resize(numbers);
  areas_m2_.resize(tiling.tiles.size());
  near_m_.resize(tiling.tiles.size());
  parallel_blocks(tiling.tiles.size(), tiles_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Tile& tile = tiling.tiles[t];
      const std::uint16_t material = surface_material(scene, tile);
      const Link::Surface& surface = link.surface(material);
      areas_m2_[t] = tile.area_m2() * surface.scattering_coefficient * surface.scattering_coefficient;
      near_m_[t] = near_sides * tile.side_m();
      normals_[t] = tile.normal;
      table_begin_[t] = ReflectanceTables::begin(material);
      if (ground_reflects && points.is_ground(static_cast<std::uint32_t>(t))) {
        ground_reflection_[t] = surface.specular_factor * surface.specular_factor;
      }
    }
  });
}

ScatteringColumnsView ScatteringColumns::view() const {
  return {.origin = points_->rough_origin(),
          .targets = points_->rough(),
          .near_m = near_m_.data(),
          .areas_m2 = areas_m2_.data(),
          .reflectances = tables_.values().data(),
          .reflectance_count = tables_.values().size(),
          .normals = normals_.data(),
          .table_begin = table_begin_.data(),
          .ground_reflection = ground_reflection_.data()};
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

RoughScatterer ScatteringColumns::scatterer(std::uint32_t tile, float strength) const {
  const RoughPoint at = points_->rough()[points_->reference_index(tile)];
  return {at.x, at.y, at.z, strength};
}

void ScatteringColumns::estimate(std::span<const std::uint32_t> tiles, std::span<const RoughScatterer> scatterers,
                                 Vec3 point, float scale, std::vector<float>& estimates, InstructionSet set) const {
  estimates.resize(tiles.size());
  const RoughPoint at = points_->rough_at(point);
  run_vectorized<EstimateRadiated>(set, tiles.data(), tiles.size(), scatterers.data(), at.x, at.y, at.z, scale,
                                   estimates.data());
}

void ScatteringColumns::find_lit_past_edge(std::span<const std::uint32_t> tiles, const EdgeSegment& edge,
                                           const LitCotangents& lit, std::vector<std::int32_t>& work,
                                           std::vector<std::uint32_t>& found, InstructionSet set) const {
  work.resize(tiles.size());
  const RoughPoint at = points_->rough_at(edge.midpoint);
  const RoughPoint direction = rough_point(edge.direction);
  const auto next_lit = lit.next_places();
  run_vectorized<MarkLit>(set, tiles.data(), tiles.size(), points_->rough(), at.x, at.y, at.z, direction.x, direction.y,
                          direction.z, static_cast<float>(0.5 * edge.length_m), next_lit.data(), work.data());
  // Written without a branch: which are lit cannot be foretold.
  found.resize(tiles.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    found[count] = tiles[i];
    count += static_cast<std::size_t>(work[i]);
  }
  found.resize(count);
}

void ScatteringColumns::estimate_past_edge(std::span<const std::uint32_t> tiles, std::span<const float> gains,
                                           Vec3 midpoint, const RoughEdge& edge, const BoundaryVersines& versines,
                                           std::vector<float>& estimates, InstructionSet set) const {
  estimates.resize(tiles.size());
  const RoughPoint at = points_->rough_at(midpoint);
  run_vectorized<EstimatePastEdge>(set, tiles.data(), tiles.size(), points_->rough(), gains.data(), at.x, at.y, at.z,
                                   &edge, versines.data(), estimates.data());
}

}  // namespace tesseray
