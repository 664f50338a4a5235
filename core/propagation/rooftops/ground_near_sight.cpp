// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/ground_near_sight.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rooftops/terrain_bends.h"
#include "core/propagation/rooftops/terrain_reflection.h"

namespace tesseray {
namespace {

// Of a point over the straight line between two others.
double above_m(Vec2 begin, Vec2 point, Vec2 end) {
  const Vec2 way = end - begin;
  return point.y - begin.y - way.y * (point.x - begin.x) / way.x;
}

}  // namespace

GroundNearSight::Stretch GroundNearSight::stretch_between(std::size_t begin, std::size_t end,
                                                          double wavelength_m) const {
  Stretch stretch{begin, end, begin, 0};
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (std::fabs(above_m(ground[begin], ground[i], ground[end])) <= in_ground_plane_m) continue;
    const double nu = std::fabs(fresnel_parameter_between(ground[begin], ground[i], ground[end], wavelength_m));
    if (nu <= stretch.nu) continue;
    stretch.nu = nu;
    stretch.farthest = i;
  }
  return stretch;
}

void GroundNearSight::cut(double wavelength_m) {
  // Low antennas notice a rise that a Fresnel zone hardly does, such as the earth's: some cuts are made in any case,
  // but where rounding alone would make them.
  constexpr std::size_t least_stretches = 4, most_stretches = 48;
  constexpr double negligible_nu = 0.1;
  stretches_.assign(1, stretch_between(0, ground.size() - 1, wavelength_m));
  while (stretches_.size() < most_stretches) {
    const auto worst = std::max_element(stretches_.begin(), stretches_.end(),
                                        [](const Stretch& a, const Stretch& b) { return a.nu < b.nu; });
    if (!(worst->nu > (stretches_.size() < least_stretches ? 0 : negligible_nu))) break;
    const Stretch whole = *worst;
    *worst = stretch_between(whole.begin, whole.farthest, wavelength_m);
    stretches_.insert(worst + 1, stretch_between(whole.farthest, whole.end, wavelength_m));
  }
}

void GroundNearSight::clear() {
  ground.clear();
  vertices.clear();
  is_straight = true;
  nearest_nu = -infinity;
  is_straight_before = is_straight_behind = false;
}

double GroundNearSight::share_of_one_wave() const {
  constexpr double apart_nu = -2;
  const bool is_plane = ground.size() == 2;
  return is_plane ? 0 : std::clamp((nearest_nu - apart_nu) / (least_nu - apart_nu), 0.0, 1.0);
}

bool GroundNearSight::may_come_near(const RooftopSceneView& scene, const RooftopLine& line, double wavelength_m) {
  // A place counts to the next block by rounding.
  constexpr double beside_m = 0.01;
  const double middle = 0.5 * line.length_m;
  // Of the line between two distances, over the ground of a flat earth.
  const auto least_clearance_m = [&](double from, double to) {
    const double widest = std::clamp(middle, from, to);
    return beside_m + line.bulge_at(widest) -
           least_nu * std::sqrt(0.5 * wavelength_m * widest * (line.length_m - widest) / line.length_m);
  };
  const double highest_m = scene.highest_ground_m + least_clearance_m(0, line.length_m);
  const double end = std::min(line.length_m, line.end_below(highest_m));
  double at = std::max(0.0, line.begin_below(highest_m));
  TerrainBlocksOnLine blocks(scene.terrain_blocks, scene.terrain, line, at);
  for (; at < end; blocks.go_on()) {
    const double block_end = std::min(end, std::max(at, blocks.end()));
    const double lowest_m = std::min(line.height_at(at), line.height_at(block_end));
    if (blocks.highest_m() + least_clearance_m(at, block_end) > lowest_m) return true;
    at = block_end;
  }
  return false;
}

bool GroundNearSight::Traced::is_below(const TerrainView& other_terrain, const RooftopLine& line) const {
  return terrain == other_terrain.height_m && from == line.from.xy() && direction == line.direction &&
         length_m == line.length_m;
}

void GroundNearSight::Traced::trace(const TerrainView& of_terrain, const RooftopLine& line) {
  constexpr double most_steps = 512, sides_per_cell = 3, least_step_m = 0.01;
  terrain = of_terrain.height_m;
  from = line.from.xy();
  direction = line.direction;
  length_m = line.length_m;
  ground.clear();
  const auto add = [&](double at) { ground.push_back({at, of_terrain.height_at(line.at(at)) + line.bulge_at(at)}); };
  add(0);
  if (sides_per_cell * length_m / std::min(of_terrain.step_x, of_terrain.step_y) < most_steps) {
    const double end = length_m - least_step_m;
    TerrainBends bends(of_terrain, line, least_step_m);
    for (double at = bends.distance(); at < end; at = bends.distance()) {
      bends.pass(at);
      if (at - ground.back().x >= least_step_m) add(at);
    }
  } else {
    for (double i = 1; i < most_steps; ++i) add(length_m * i / most_steps);
  }
  add(length_m);
}

void GroundNearSight::find(const TerrainView& terrain, const RooftopLine& line, double wavelength_m) {
  const auto nu_of = [&](Vec2 point) {
    return fresnel_parameter_between({0, line.from.z}, point, {line.length_m, line.end_z}, wavelength_m);
  };
  clear();
  if (!traced_.is_below(terrain, line)) traced_.trace(terrain, line);
  ground = traced_.ground;
  for (std::size_t i = 1; i + 1 < ground.size(); ++i) {
    const Vec2 point = ground[i];
    is_straight = is_straight && std::fabs(above_m(ground.front(), point, ground.back())) <= in_ground_plane_m;
    nearest_nu = std::max(nearest_nu, nu_of(point));
  }
  if (is_straight) return;
  // The earth's curve is no noise.
  const bool is_plane =
      line.curvature == 0 && reflects_as_plane(ground, {0, line.from.z}, {line.length_m, line.end_z}, wavelength_m);
  if (is_plane) ground = {ground.front(), ground.back()};
  if (is_plane || !(nearest_nu > least_nu)) return;
  cut(wavelength_m);
  for (std::size_t s = 1; s < stretches_.size(); ++s) {
    const Vec2 vertex = ground[stretches_[s].begin];
    const bool counts = nu_of(vertex) > least_nu;
    if (counts) vertices.push_back(vertex);
    if (s == 1) is_straight_before = counts;
    is_straight_behind = counts;
  }
}

}  // namespace tesseray
