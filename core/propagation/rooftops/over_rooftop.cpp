// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/over_rooftop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/propagation/rooftops/roof_sides.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {

OverRooftopPaths::OverRooftopPaths(const Scene& scene)
    : OverRooftopPaths(scene, std::make_shared<const PrismIndex>(scene), BelowParts::air) {}

OverRooftopPaths::OverRooftopPaths(const Scene& scene, std::shared_ptr<const PrismIndex> index, BelowParts below)
    : index_(std::move(index)), profiles_(scene, *index_, below), parts_in_air_(scene, profiles_.parts_in_air()) {
  const auto [lowest, highest] = std::minmax_element(scene.terrain.height_m.begin(), scene.terrain.height_m.end());
  is_ground_level_ = lowest == highest || *lowest == *highest;
  if (profiles_.parts_in_air().empty()) return;
  over_all_parts_.reset(new OverRooftopPaths(scene, index_, BelowParts::solid));
}

bool OverRooftopPaths::meets_part_in_air(Vec3 from, const RooftopPath& path, Vec3 to) const {
  // A ray that grazes a roof's own edge is not in it.
  constexpr Vec3 above{0, 0, 0.01};
  Vec3 before = from;
  for (const Vec3 edge : path.edges) {
    if (parts_in_air_.stand_between(before, edge + above)) return true;
    before = edge + above;
  }
  return parts_in_air_.stand_between(before, to);
}

bool OverRooftopPaths::find_over_parts_in_air(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method,
                                              Workspace& work, RooftopPath& path) const {
  if (over_all_parts_ == nullptr || parts_in_air_.are_above(rays.from) || parts_in_air_.are_above(target.point)) {
    return false;
  }
  // Where such parts are roofs, roofs have other numbers.
  RooftopRays over = rays;
  RooftopTarget there = target;
  over.roof = over_all_parts_->roof_at(rays.from);
  if (target.roof != no_roof) there.roof = over_all_parts_->roof_at(target.point);
  return over_all_parts_->find(over, there, method, work, path);
}

PlaneImage image_in(const GroundBeforeEdge& ground, Vec3 antenna, Vec2 direction) {
  const Vec2 image = ground.image_of({0, antenna.z}), slope = ground.slope * direction;
  return {{antenna.x + direction.x * image.x, antenna.y + direction.y * image.x, image.y},
          normalized(Vec3{-slope.x, -slope.y, 1})};
}

void follow_bends(Vec3 from, Vec3 to, const RooftopBends& bends, RooftopPath& path) {
  const Vec2 way = to.xy() - from.xy();
  const double distance = norm(way);
  const Vec2 direction = (1.0 / distance) * way;
  path.edges.clear();
  path.length_m = 0;
  Vec2 before{0, from.z};
  for (std::uint32_t i = 0; i < bends.count; ++i) {
    const Vec2 edge = bends.edges[i];
    path.edges.push_back({from.x + direction.x * edge.x, from.y + direction.y * edge.x, edge.y});
    path.length_m += norm(edge - before);
    before = edge;
  }
  path.length_m += norm(Vec2{distance, to.z} - before);
  const Vec3 to_first = path.edges.front() - from;
  const Vec2 beside =
      bends.to_first_keller_point.x * direction + bends.to_first_keller_point.y * Vec2{-direction.y, direction.x};
  path.departure = normalized(to_first);
  path.departure_to_keller_point = normalized(to_first + at_height(beside, 0));
  path.arrival = normalized(to - path.edges.back());
  path.horizontal = bends.horizontal;
  path.vertical = bends.vertical;
  path.by_ground.reset();
  if (bends.ground.reflects) path.by_ground = {image_in(bends.ground, from, direction), bends.transmitter_image_ratio};
  path.target_image_ratio.reset();
  path.is_in_sight = path.is_straight_behind = false;
  path.passes_roofs = true;
  if (bends.runs_along_ground) path.target_image_ratio = bends.target_image_ratio;
}

OverRooftopPaths::RoofBelow OverRooftopPaths::find_roof_below(Vec3 point) const {
  constexpr double below_m = 1e-3;
  const double surface_z = index_->surface_height(point.xy());
  const std::int64_t prism = index_->prism_at({point.x, point.y, surface_z - below_m});
  if (prism < 0 || point.z < surface_z) return {};
  return {surface_z, profiles_.roof_of(static_cast<std::size_t>(prism))};
}

double OverRooftopPaths::roof_below(Vec3 point) const { return find_roof_below(point).z; }

std::uint32_t OverRooftopPaths::roof_at(Vec3 end) const {
  RoofBelow highest = find_roof_below(end);
  if (highest.number != no_roof) return highest.number;
  constexpr int directions = 8;
  for (int d = 0; d < directions; ++d) {
    const double azimuth = 2 * pi * d / directions;
    const Vec2 beside = end_clearance_m * Vec2{std::cos(azimuth), std::sin(azimuth)};
    const RoofBelow roof = find_roof_below(end + at_height(beside, 0));
    if (roof.z > highest.z) highest = roof;
  }
  return highest.number;
}

bool OverRooftopPaths::is_beyond_horizon(Vec3 from, Vec3 to, Workspace& work) const {
  // The earth's bulge is 0.4 m there.
  constexpr double nearest_m = 5000;
  if (norm(to.xy() - from.xy()) < nearest_m) return false;
  const RooftopLine line(from, to, 0);
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    if (RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors>(profiles_.view(), line, row).run()) {
      return row.size() > 2;
    }
  }
}

bool OverRooftopPaths::find(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
                            RooftopPath& path) const {
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    const auto screens = [&](std::span<const Vec2> points, const ProfileGrounds& grounds) {
      if (method != OverRooftop::deygout) return multiple_screen_factors(points, rays.wavelength_m, grounds);
      const double loss_db = deygout_loss_db(work.memory.first_points(row.size()), rays.wavelength_m);
      ScreenFactors factors{.factor = {std::pow(10.0, -loss_db / 20.0), 0}};
      const std::size_t last = points.size() - 1;
      const auto ratios_over = [&](std::size_t edge) {
        return multiple_screen_factors(points.subspan(edge - 1, 3), rays.wavelength_m,
                                       {.transmitter_image_below_m = grounds.transmitter_image_below_m,
                                        .target_image_below_m = grounds.target_image_below_m});
      };
      if (grounds.transmitter_image_below_m > 0)
        factors.transmitter_image_ratio = ratios_over(1).transmitter_image_ratio;
      if (grounds.target_image_below_m > 0) factors.target_image_ratio = ratios_over(last - 1).target_image_ratio;
      return factors;
    };
    find_rooftop_bends<SideCrossingsInVectors>(profiles_.view(), rays, target, row, screens, work.bends);
    if (work.bends.outcome != RooftopBends::Outcome::no_room) break;
  }
  if (work.bends.outcome != RooftopBends::Outcome::found) return false;
  follow_bends(rays.from, target.point, work.bends, path);
  return true;
}

}  // namespace tesseray
