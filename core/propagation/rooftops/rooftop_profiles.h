// SPDX-License-Identifier: GPL-3.0-or-later
// What stands between two points of a vertical plane: roof edges and crests of the terrain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/scene.h"

namespace tesseray {

// What stands nearer than this to an edge over which a way bends is no matter of the ground before or behind it.
inline constexpr double beside_roof_edge_m = 2.0;

// Memory for one profile, which grows when it is too little.
class ProfileMemory {
 public:
  ProfileRow<1> row() { return {points_.data(), edges_.data(), static_cast<std::uint32_t>(points_.size())}; }
  void grow() {
    points_.resize(2 * points_.size());
    edges_.resize(points_.size());
  }
  std::span<const Vec2> first_points(std::size_t count) const { return std::span(points_).first(count); }

 private:
  std::vector<Vec2> points_ = std::vector<Vec2>(1024);
  std::vector<ProfileEdge> edges_ = std::vector<ProfileEdge>(1024);
};

struct RoofSide;
enum class BelowParts;

// Every side of a footprint that the plane crosses is an edge at its roof's height, but for parts with air below, which
// hardly hold up what passes above and below them (over_rooftop.h has ways over them), and where the roof goes on
// behind a side (roof_sides.h); edges nearer to each other than least_roof_gap_m act as the higher one. Of the terrain,
// the vertices of its upper hull between the ends count.
class RooftopProfiles {
 public:
  // Keeps a reference to the scene, none to its index.
  RooftopProfiles(const Scene& scene, const PrismIndex& index);
  RooftopProfiles(const Scene& scene, const PrismIndex& index, BelowParts below);
  RooftopProfiles(RooftopProfiles&&) noexcept = default;

  // The number that sides of its roof have (ProfileEdge::roof).
  std::uint32_t roof_of(std::size_t prism) const { return roof_of_prism_[prism]; }
  // The prisms with air below, which are no edges there.
  std::span<const std::uint32_t> parts_in_air() const { return parts_in_air_; }

  // Valid as long as this and the scene are, also after this was moved.
  const RooftopSceneView& view() const { return view_; }

 private:
  void take_terrain(const Scene& scene);
  void take_sides(const std::vector<RoofSide>& sides);

  RooftopSceneView view_;
  // Of sides, see RoofSidesView.
  std::vector<double> begin_x_, begin_y_, along_x_, along_y_, before_x_, before_y_, after_x_, after_y_, top_z_;
  std::vector<std::uint16_t> material_;
  std::vector<std::uint32_t> roof_;
  std::vector<std::uint32_t> first_of_cell_;
  std::vector<double> top_of_cell_;
  std::vector<float> highest_of_block_;
  std::vector<std::uint32_t> roof_of_prism_, parts_in_air_;
};

}  // namespace tesseray
