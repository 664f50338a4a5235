// SPDX-License-Identifier: GPL-3.0-or-later
// What scattering asks of tiles, in columns by their numbers, for loops in vectors over the members of a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/vector_dispatch.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rows/row_targets.h"
#include "core/propagation/scattering/lit_cotangents.h"
#include "core/propagation/scattering/scattering_columns_view.h"
#include "core/scene/scene.h"

namespace tesseray {

// The mean reflectance of the materials against the cosine of incidence, in equal steps of the cosine.
class ReflectanceTables {
 public:
  ReflectanceTables() = default;
  // Of all materials of a scene.
  explicit ReflectanceTables(const Scene& scene, const Link& link);

  static constexpr std::size_t length = reflectance_steps + 2;
  // Where the table of a material begins in values().
  static std::uint32_t begin(std::uint16_t material) { return static_cast<std::uint32_t>(material * length); }
  const std::vector<double>& values() const { return values_; }
  double at(std::uint16_t material, double cosine) const;

 private:
  std::vector<double> values_;
};

// Working space and results of radiate(), one place per member.
struct RadiatedRays {
  std::vector<double> density, length_m, x, y, z;  // (x, y, z): unit, of travel
};

class ScatteringColumns {
 public:
  static constexpr std::size_t bytes_per_tile = 2 * sizeof(double);
  static constexpr std::size_t bytes_per_number = sizeof(Vec3) + sizeof(std::uint32_t) + sizeof(double);

  ScatteringColumns() = default;
  // `ground_reflects`: whether ground tiles have the reflection of what comes to them.
  ScatteringColumns(const Scene& scene, const Tiling& tiling, const TargetPoints& points, const Link& link,
                    bool ground_reflects);

  // Valid as long as the columns.
  ScatteringColumnsView view() const;
  // dS S² of a tile.
  double scattering_area_m2(std::uint32_t tile) const { return areas_m2_[tile]; }
  const ReflectanceTables& reflectances() const { return tables_; }
  // A tile is subdivided for points nearer than this (physics.md §7).
  double near_m(std::uint32_t tile) const { return near_m_[tile]; }

  // What Lambert's lobes of tiles send to a point: dS S²/π · cosθ_s · √reflectance(θ_s) over the squared distance, the
  // root being there when `reciprocal`. 0 behind the tile.
  void radiate(std::span<const std::uint32_t> tiles, bool reciprocal, Vec3 point, RadiatedRays& rays,
               InstructionSet set = best_instruction_set()) const;

  // A tile with its strength, for the next function.
  RoughScatterer scatterer(std::uint32_t tile, float strength) const;
  // `scale` times what the tiles send to a point at most: estimated_radiated() of scatterers[tile].
  void estimate(std::span<const std::uint32_t> tiles, std::span<const RoughScatterer> scatterers, Vec3 point,
                float scale, std::vector<float>& estimates, InstructionSet set = best_instruction_set()) const;

  // Those of the tiles to which, as targets, something may come by way of an edge from sources that light `lit`: all
  // that do get something, and some more. Into `found`, in their order; `work` is working space.
  void find_lit_past_edge(std::span<const std::uint32_t> tiles, const EdgeSegment& edge, const LitCotangents& lit,
                          std::vector<std::int32_t>& work, std::vector<std::uint32_t>& found,
                          InstructionSet set = best_instruction_set()) const;

  // About what they bring to tiles as targets by way of an edge at `midpoint`, over gains[tile] and times the edge's
  // scale: estimated_diffraction_share() of all of them together.
  void estimate_past_edge(std::span<const std::uint32_t> tiles, std::span<const float> gains, Vec3 midpoint,
                          const RoughEdge& edge, const BoundaryVersines& versines, std::vector<float>& estimates,
                          InstructionSet set = best_instruction_set()) const;

 private:
  const TargetPoints* points_ = nullptr;
  ReflectanceTables tables_;
  std::vector<double> areas_m2_, near_m_;
  // By number: tiles, edge segments and receivers, of which the latter two reflect nothing.
  std::vector<Vec3> normals_;
  std::vector<std::uint32_t> table_begin_;
  std::vector<double> ground_reflection_;  // the specular part of the power; 0 but for ground tiles
};

}  // namespace tesseray
