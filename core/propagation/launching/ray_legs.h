// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a ray to a target can go as it is drawn. Rows say which elements see each other by their middles; the ray,
// which meets tiles and edges elsewhere, may pass through a wall or into a slope, or be reflected beyond the end of a
// wall. That is asked where is_followed(). Internal to core/propagation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/propagation/launching/launch_environment.h"
#include "core/propagation/launching/ray_path.h"
#include "core/propagation/launching/rays_in_any_order.h"
#include "core/propagation/launching/roofs_before_walls.h"
#include "core/propagation/tubes/left_of_ray.h"
#include "core/propagation/tubes/ray_ending.h"

namespace tesseray {

class RayLegs {
 public:
  // Keeps references to all. Without `roofs` a wall sends nothing from where roofs hide it.
  RayLegs(const LaunchEnvironment& environment, const Transmitter& transmitter, const LaunchView& view,
          const RoofsBeforeWalls* roofs = nullptr)
      : environment_(environment), transmitter_(transmitter), view_(view), roofs_(roofs) {}

  // A ray that meets surfaces and edges where they are, and nothing between them.
  struct FreeRay {
    bool comes_as_drawn = true;  // in the order of its chain; else in another one, which its chain stands for
    // Where chains of several orders may stand for it.
    std::optional<RayInAnyOrder> in_any_order;
    // By roofs before a wall that reflects it first, over what they leave at the middle of the wall's tile.
    LeftOfRay left_at_wall;
  };
  // Nothing where something is in the way, or a surface is not there. Direct rays, waves over the roofs up to their
  // last edge, rays through a building up to their first element, and what roofs or the ground hide on the way to a
  // first edge, are known by other means.
  std::optional<FreeRay> follow(const RayEnding& ending, std::uint32_t number) const;
  // Whether such a ray goes to the target without the last reflection on a tile of its chain.
  bool is_free_without(std::uint32_t tile, const RayEnding& ending, std::uint32_t number) const;
  // Whether no building stands between a place on an element, or in the air (no_index), and one on the ground.
  bool is_free_of_buildings(Vec3 place, std::uint32_t element, Vec3 on_ground) const;
  // Whether such a ray would come to another place on the last element of its chain: in front of each tile before that.
  bool comes_to_last(const RayEnding& ending, Vec3 place) const;
  // What follow() says of it, of a ray that it lets arrive.
  LeftOfRay left_at_wall(const RayEnding& ending, std::uint32_t number) const;
  // Where such a ray meets a tile of its chain, in the tile's plane.
  std::optional<Vec3> place_on(std::uint32_t tile, const RayEnding& ending, std::uint32_t number) const;
  // What a ray seems to come from before its first interaction: the antenna, or the last edge of a wave over the roofs.
  VirtualSource first_source(const RayEnding& ending) const;

 private:
  // The elements that the ray meets where its power has not been summed before, where it comes from to them, and the
  // places where it meets them, from there to the target.
  struct Way {
    InteractionChain chain;
    VirtualSource source;
    bool begins_at_tile = false;
    bool begins_as_drawn = false;  // at the element to which the ray was launched first
    RayPlaces places;
  };
  // In the order in which the ray meets them; nothing where it comes to a tile from behind in any.
  std::optional<Way> way_of(const RayEnding& ending, std::uint32_t number) const;
  // Whether it meets its buildings, and nothing between them.
  bool is_free(const Way& way) const;
  bool may_have_any_order(const Way& way) const;
  bool meets_its_buildings(const Way& way) const;
  // From the way's place number `leg` to the next one.
  bool is_free(const Way& way, std::size_t leg) const;
  // Whether nothing hides the way's first place from the last edge of a wave over the roofs.
  bool comes_down(const Way& way) const;
  // Whether in the plan a point is over the roof of an edge.
  bool is_over_roof_of(Vec3 edge, Vec3 point) const;
  // Whether what hides the way's first place, on an edge, is known by what it leaves there of the ray.
  bool is_weakened_at_edge(const Way& way) const;
  // Whether it comes straight from the antenna to a wall first, and roofs are asked what they leave there, or hide.
  bool asks_roofs_before_wall(const Way& way) const;
  // Nothing where it does not come to that wall; all of a way of which they are not asked.
  std::optional<LeftOfRay> left_at_wall(const Way& way) const;

  Vec3 into_the_air(std::uint32_t element) const;
  Vec3 lifted(Vec3 place, std::uint32_t element) const { return place + lift_m * into_the_air(element); }
  bool is_of_terrain(std::uint32_t element) const;
  bool is_on_its_building(Vec3 place, std::uint32_t element) const;
  // Whether it lies on a tile of the same wall, or on the same edge: as far as these go in the tiling.
  bool is_on_its_outline(Vec3 place, std::uint32_t element) const;

  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  const LaunchView& view_;
  const RoofsBeforeWalls* roofs_;
};

}  // namespace tesseray
