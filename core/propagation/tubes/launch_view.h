// SPDX-License-Identifier: GPL-3.0-or-later
// What bounces need to know of a launch, where it lies: on the host or on the device.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/physics/diffraction.h"
#include "core/physics/scattering.h"
#include "core/propagation/rays/link_view.h"
#include "core/propagation/rays/surface_materials.h"
#include "core/propagation/rows/edge_runs.h"
#include "core/propagation/rows/target_points_view.h"
#include "core/propagation/tubes/absorbing_faces.h"
#include "core/propagation/tubes/left_along_edge.h"
#include "core/propagation/tubes/tube.h"
#include "core/propagation/vegetation/vegetation_loss.h"
#include "core/propagation/vegetation/vegetation_pairs.h"

namespace tesseray {

// How the transmitter's rays reach a number: in sight, or over the roofs; those to which the ground reflects the direct
// ray with that ray alone, not by its tiles (FirstLevel::departure_into_sight,
// RooftopWaves::ground_reflects_as_a_whole); receivers to which the ground below reflects what comes straight over
// roofs or crests, along it, or through a building (LaunchArrivals::arrive_by_ground); those to which a ray over the
// roofs comes by way of the ground before them, too; and those to which it comes over one edge alone, others being near
// and below its way over that, or that one edge alone comes near.
inline constexpr std::uint8_t lit_as_target = 1, lit_as_element = 2;
inline constexpr std::uint8_t with_ground_as_target = 4, with_ground_as_element = 8;
inline constexpr std::uint8_t with_ground_below = 16, with_ground_through_building = 32;
inline constexpr std::uint8_t by_ground_as_target = 64, by_ground_as_element = 128;
inline constexpr std::uint16_t over_one_edge_as_target = 256, over_one_edge_as_element = 2048;
inline constexpr std::uint16_t past_one_edge_as_target = 512, past_one_edge_as_element = 1024;

// Nearer than this an antenna's pattern is that of each part of a tile; 0 where it has none.
TESSERAY_HD inline double pattern_near_m(const LinkView& link, const Tile& tile) {
  constexpr double sides = 40;  // it is seen under 1.4° from there
  return link.has_pattern() ? sides * tile.side_m() : 0.0;
}

// The same for all transmitters. Owns nothing.
struct EnvironmentView {
  TargetPointsView points;
  const Tile* tiles = nullptr;
  const Vec3* normals_around = nullptr;    // by tile: of the ground there (rays/ground_around_tiles.h)
  const double* ground_heights = nullptr;  // by element: of the terrain below its middle, m
  const EdgeSegment* edges = nullptr;      // by number of the segment
  const EdgeRun* edge_runs = nullptr;
  const std::uint32_t* receiver_grounds = nullptr;  // by receiver: the ground tile that it stands over, or no_index
  DefaultMaterials default_materials;
  VegetationPairsView vegetation_pairs;

  // REQUIRES: points.is_edge(element).
  TESSERAY_HD const EdgeSegment& edge(std::uint32_t element) const { return edges[element - points.tile_count]; }
  // The ground tile that a number stands over, or is; no_index where there is none.
  TESSERAY_HD std::uint32_t ground_below(std::uint32_t number) const {
    if (points.is_receiver(number)) return receiver_grounds[number - points.element_count()];
    return points.is_tile(number) && points.is_ground(number) ? number : no_index;
  }
};

// Of a number in sight past corners of several houses: what they leave of the direct ray's amplitude, and how much of
// the power that those beside it, as the ray sees them, diffract is in that, 0 … 1 (tubes/past_corners.h).
struct PastCorners {
  float re = 1, im = 0;
  float taken_left = 0, taken_right = 0;

  TESSERAY_HD bool any() const { return taken_left > 0 || taken_right > 0; }
  TESSERAY_HD Complex factor() const { return {static_cast<double>(re), static_cast<double>(im)}; }
};

// Of one transmitter. Owns nothing.
struct LaunchView {
  EnvironmentView environment;
  LinkView link;
  InteractionLimits limits;
  Vec3 antenna;
  Summation summation = Summation::local_mean;
  VegetationRate vegetation;
  const double* straight_distances = nullptr;  // from the antenna, by number, m
  // What is at elements by now, times Pruning::roulette, by element; nullptr: no tube is drawn by chance.
  const float* roulette_gain = nullptr;
  const std::uint16_t* reached_over_rooftops = nullptr;  // by number, lit_as_…; nullptr without such rays
  const PastCorners* past_corners = nullptr;             // by number; nullptr: none count
  // By number of the segment: of what comes in the air, then, where there is any, of what comes through a building;
  // nullptr: nothing comes near any.
  const LeftAlongEdge* left_along_edges = nullptr;
  const LeftAtPlace* left_at_places = nullptr;
  std::uint32_t left_along_edge_count = 0, left_at_place_count = 0;
  bool is_antenna_over_ground = false;  // and rays over the roofs come by way of it, too

  TESSERAY_HD const LinkView::Surface& surface(const Tile& tile) const {
    return link.surfaces[surface_material(environment.default_materials, tile)];
  }
  // The factor of the amplitude between an element and another that it sees.
  TESSERAY_HD double vegetation_between(std::uint32_t element, std::uint32_t other) const {
    const VegetationPairsView& pairs = environment.vegetation_pairs;
    return pairs.offsets == nullptr ? 1.0 : vegetation.amplitude_after(pairs.length_m(element, other));
  }
  TESSERAY_HD Wedge wedge_of(const EdgeSegment& edge) const {
    return wedge_of_faces(edge, link.surfaces[surface_material_0(environment.default_materials, edge)].permittivity,
                          link.surfaces[surface_material_n(environment.default_materials, edge)].permittivity);
  }
};

// The field that a surface mirrors, of one that comes in along `incidence`.
TESSERAY_HD inline ComplexVec3 specularly_reflected(const LinkView::Surface& surface, const ComplexVec3& incident,
                                                    Vec3 incidence, Vec3 normal) {
  return surface.specular_factor * reflected_field(incident, incidence, normal, surface.permittivity);
}
TESSERAY_HD inline ComplexVec3 specularly_reflected(const LaunchView& launch, const ComplexVec3& incident,
                                                    Vec3 incidence, const Tile& tile) {
  return specularly_reflected(launch.surface(tile), incident, incidence, tile.normal);
}
// The same of ground and a wave that meets nothing else (docs/physics.md §7): beside the wave that goes straight.
TESSERAY_HD inline double specular_factor_of_grazed_ground(const LinkView::Surface& surface, Vec3 incidence,
                                                           Vec3 normal) {
  return specular_reduction_of_grazed_ground(surface.scattering_coefficient, dot(incidence, normal));
}
TESSERAY_HD inline ComplexVec3 reflected_by_grazed_ground(const LinkView::Surface& surface, const ComplexVec3& incident,
                                                          Vec3 incidence, Vec3 normal) {
  return specular_factor_of_grazed_ground(surface, incidence, normal) *
         reflected_field(incident, incidence, normal, surface.permittivity);
}

}  // namespace tesseray
