// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftop_profiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/propagation/surface_materials.h"

namespace tesseray {
namespace {

constexpr double cell_m = 32.0;
constexpr std::int64_t most_cells = std::int64_t{1} << 22;
// Nearer to its ends than this the plane crosses what the ends stand on.
constexpr double end_clearance_m = 0.3;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Of the earth under a standard atmosphere (ITU-R P.526): 4/3 of its own. Nearer than this it counts as flat.
constexpr double earth_radius_m = 8.5e6, flat_within_m = 5000.0;
// The earth's bulge is sampled as densely as this, and crests that stand out by less are left out again.
constexpr double bulge_step_m = 500.0, least_crest_m = 0.1;

// Keeps the ends and, between them, the points that stand out by more than least_crest_m. `hull` is convex upwards.
void append_crests(const std::vector<Vec2>& hull, std::size_t first, std::size_t last, std::vector<Vec2>& crests) {
  const Vec2 way = hull[last] - hull[first];
  std::size_t highest = first;
  double height_m = least_crest_m;
  for (std::size_t h = first + 1; h < last; ++h) {
    const Vec2 here = hull[h] - hull[first];
    const double above_m = here.y - way.y * here.x / way.x;
    if (above_m <= height_m) continue;
    height_m = above_m;
    highest = h;
  }
  if (highest == first) return;
  append_crests(hull, first, highest, crests);
  crests.push_back(hull[highest]);
  append_crests(hull, highest, last, crests);
}

}  // namespace

// The straight line between the ends, over the ground plan.
struct RooftopProfiles::Line {
  Vec3 from;
  Vec2 direction;  // unit
  double length_m = 0, slope = 0, margin_m = 0;

  Line(Vec3 begin, Vec3 end, double margin) : from(begin), margin_m(margin) {
    const Vec2 way = end.xy() - begin.xy();
    length_m = norm(way);
    direction = (1.0 / length_m) * way;
    slope = (end.z - begin.z) / length_m;
  }
  // By how much the ground at a distance rises over the straight line in a plane in which the earth is flat.
  double bulge_at(double distance) const {
    return length_m > flat_within_m ? distance * (length_m - distance) / (2.0 * earth_radius_m) : 0.0;
  }
  Vec2 at(double distance) const { return from.xy() + distance * direction; }
  // Below this nothing counts.
  double floor_at(double distance) const { return from.z + slope * distance - margin_m; }
};

RooftopProfiles::RooftopProfiles(const Scene& scene) : scene_(&scene) {
  Rectangle box;
  std::vector<Side> sides;
  for (const Prism& prism : scene.prisms) {
    for (const Ring& ring : prism.rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const Vec2 begin = ring[i];
        sides.push_back({begin, ring[(i + 1) % ring.size()] - begin, prism.top_z,
                         surface_material(scene.default_materials, SurfaceKind::wall, prism.material)});
        box.extend(begin);
      }
    }
  }
  const std::vector<float>& ground = scene.terrain.height_m;
  highest_ground_m_ = ground.empty() ? -infinity : static_cast<double>(*std::max_element(ground.begin(), ground.end()));
  if (sides.empty()) return;
  grid_ = make_cell_grid(box, cell_m, most_cells);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cell_and_side;
  top_of_cell_.assign(grid_.size(), -infinity);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Side& side = sides[s];
    for_cells_near(grid_, side.begin, side.begin + side.along, [&](std::int32_t i, std::int32_t j) {
      const std::size_t cell = grid_.index(i, j);
      cell_and_side.emplace_back(static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(s));
      top_of_cell_[cell] = std::max(top_of_cell_[cell], side.top_z);
    });
  }
  const CellLists lists = make_cell_lists(grid_.size(), cell_and_side);
  first_of_cell_ = lists.offsets;
  for (const std::uint32_t side : lists.items) sides_.push_back(sides[side]);
}

void RooftopProfiles::add_sides(const Line& line, RooftopProfile& profile) const {
  if (sides_.empty()) return;
  const double most_bulge_m = line.bulge_at(0.5 * line.length_m);
  const auto add_cell = [&](std::size_t cell, double begin, double end) {
    const double lowest_m = std::min(line.floor_at(begin), line.floor_at(end));
    if (top_of_cell_[cell] + most_bulge_m < lowest_m) return;
    for (std::uint32_t k = first_of_cell_[cell]; k < first_of_cell_[cell + 1]; ++k) {
      const Side& side = sides_[k];
      if (side.top_z + most_bulge_m < lowest_m) continue;
      const double across = cross(line.direction, side.along);
      const Vec2 way = side.begin - line.from.xy();
      // The line crosses at this part of `across` along the side: most sides are passed by.
      const double place = cross(way, line.direction);
      if (across == 0 || (across > 0 ? place < 0 || place > across : place > 0 || place < across)) continue;
      const double distance = cross(way, side.along) / across;
      // A crossing belongs to one cell alone, by its distance.
      if (distance < begin || distance >= end) continue;
      if (distance < end_clearance_m || distance > line.length_m - end_clearance_m) continue;
      const double top_z = side.top_z + line.bulge_at(distance);
      if (top_z < line.floor_at(distance)) continue;
      profile.found.push_back({{distance, top_z}, side.material});
    }
  };
  // From border to border of the cells, in the order of their distances.
  const auto next_border = [](double place, double direction, double origin, double step, std::int32_t cell) {
    if (direction == 0) return infinity;
    const double border = origin + step * (direction > 0 ? cell + 1 : cell);
    return (border - place) / direction;
  };
  const Vec2 start = line.from.xy();
  std::int32_t i = grid_.column(start.x), j = grid_.row(start.y);
  const std::int32_t step_i = line.direction.x > 0 ? 1 : -1, step_j = line.direction.y > 0 ? 1 : -1;
  double begin = 0;
  while (begin < line.length_m) {
    const double to_x = next_border(start.x, line.direction.x, grid_.origin.x, grid_.step_m, i);
    const double to_y = next_border(start.y, line.direction.y, grid_.origin.y, grid_.step_m, j);
    const double end = std::min(line.length_m, std::max(begin, std::min(to_x, to_y)));
    add_cell(grid_.index(i, j), begin, end);
    (to_x < to_y ? i : j) += to_x < to_y ? step_i : step_j;
    if (i < 0 || j < 0 || i >= grid_.columns || j >= grid_.rows) break;
    begin = end;
  }
}

void RooftopProfiles::add_terrain(const Line& line, RooftopProfile& profile) const {
  const Terrain& terrain = scene_->terrain;
  // Where the line is above all ground there is no crest.
  const bool is_curved = line.length_m > flat_within_m;
  const double step = std::min(0.5 * std::min(terrain.step_x, terrain.step_y), is_curved ? bulge_step_m : infinity);
  const auto steps = static_cast<std::int64_t>(std::floor(line.length_m / step));
  std::vector<Vec2>& hull = profile.hull;
  hull.assign(1, {0, line.from.z});
  const auto add = [&](Vec2 point) {
    while (hull.size() > 1 && cross(hull.back() - hull[hull.size() - 2], point - hull.back()) >= 0) hull.pop_back();
    hull.push_back(point);
  };
  for (std::int64_t s = 1; s < steps; ++s) {
    const double distance = static_cast<double>(s) * step;
    const double bulge_m = line.bulge_at(distance);
    if (line.floor_at(distance) > highest_ground_m_ + bulge_m || line.length_m - distance < end_clearance_m) continue;
    const double height = terrain.height_at(line.at(distance)) + bulge_m;
    if (height >= line.floor_at(distance)) add({distance, height});
  }
  add({line.length_m, line.from.z + line.slope * line.length_m});
  std::vector<Vec2>& crests = profile.crests;
  crests.clear();
  if (is_curved) {
    append_crests(hull, 0, hull.size() - 1, crests);
  } else {
    crests.assign(hull.begin() + 1, hull.end() - 1);
  }
  for (const Vec2 crest : crests) profile.found.push_back({crest, scene_->default_materials.ground});
}

void RooftopProfiles::trace(Vec3 from, Vec3 to, double margin_m, RooftopProfile& profile) const {
  const Line line(from, to, margin_m);
  profile.found.clear();
  add_sides(line, profile);
  add_terrain(line, profile);
  std::sort(profile.found.begin(), profile.found.end(),
            [](const RooftopProfile::Found& a, const RooftopProfile::Found& b) {
              return std::tuple(a.point.x, a.point.y, a.material) < std::tuple(b.point.x, b.point.y, b.material);
            });
  profile.points.assign(1, {0, from.z});
  profile.materials.assign(1, 0);
  double group_begin = 0;
  for (const auto& [point, material] : profile.found) {
    const bool near = profile.points.size() > 1 && point.x - profile.points.back().x < least_gap_m;
    if (near && point.y < profile.points.back().y) continue;
    if (near && point.y == profile.points.back().y) {
      // The same from either end.
      profile.points.back().x = 0.5 * (group_begin + point.x);
      continue;
    }
    if (near) {
      profile.points.pop_back();
      profile.materials.pop_back();
    }
    group_begin = point.x;
    profile.points.push_back(point);
    profile.materials.push_back(material);
  }
  profile.points.push_back({line.length_m, to.z});
  profile.materials.push_back(0);
}

}  // namespace tesseray
