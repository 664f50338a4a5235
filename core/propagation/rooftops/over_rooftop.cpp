// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/over_rooftop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/physics/smooth_earth.h"
#include "core/propagation/rooftops/edges_in_sight.h"
#include "core/propagation/rooftops/past_own_roof.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {
namespace {

// The roof in which a tile lies has the tile on its face, not behind its edge. No number for other targets.
double own_roof_z(const RooftopTarget& target) {
  return target.normal.z == 1 && !target.is_over_ground ? target.point.z : std::numeric_limits<double>::quiet_NaN();
}
bool is_own_roof(const RooftopTarget& target, double edge_z) {
  return std::fabs(edge_z - own_roof_z(target)) < EdgesNearestToLine::same_height_m;
}

// A roof and its image in the ground, which together hide a strip of the plane, by the Fresnel parameters of its ends
// above and below the way.
struct Strip {
  double above = 0, below = 0;

  // What goes past both ends.
  Complex left() const { return knife_edge_factor(above) + knife_edge_factor(below); }
  // No more than the magnitude of that. Past an end that leaves the way free goes all but the shadow of the other side.
  double least_left() const {
    if (!(above < 0 || below < 0)) return 0;
    return 1 - shadow_bound(std::fabs(above)) - shadow_bound(std::fabs(below));
  }
};

// The first `count` points of a profile in the frame of the straight line: x along it, y across, strictly increasing
// in x. The paraxial wave knows no other slope; on steep ones heights are not what it clears.
void turn_along(ProfileRow<1>& row, std::uint32_t count, double from_z, Vec2 line) {
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Vec2 point = row[k] - Vec2{0, from_z};
    const Vec2 turned{dot(point, line), cross(line, point)};
    if (kept == 0 || turned.x > row[kept - 1].x) {
      row.set(kept++, turned, row.edge(k));
    } else if (kept > 1 && turned.y > row[kept - 1].y) {
      row.set(kept - 1, {row[kept - 1].x, turned.y}, row.edge(k));
    }
  }
  row.shorten(kept);
}

// How far below the line, over how far beside it, an edge may be met by the vertical plane. Those that run along the
// line at less than this sine hardly come as near as that within their length.
double upright_margin(Vec2 along) {
  constexpr double least_sine = 0.1;
  return norm(Vec2{along.y, least_sine * along.x}) / (least_sine * along.x);
}

// The points of a profile before its end, without the edge of the roof in which a tile lies.
std::uint32_t without_own_roof(const RooftopTarget& target, ProfileRow<1>& row) {
  const std::uint32_t end = row.size() - 1;
  for (std::uint32_t k = end; k-- > 1;) {
    if (!is_own_roof(target, row[k].y)) continue;
    for (std::uint32_t after = k + 1; after < end; ++after) row.set(after - 1, row[after], row.edge(after));
    return end - 1;
  }
  return end;
}

// What the ground makes of a way in sight past roofs, at one of them.
struct GroundAtRoof {
  Complex past_top{1, 0};  // what is bent there, over what goes by
  Complex past_image;      // what comes past its image in the ground
};

// Of the roof at `edge`, whose strip counts most. What is bent at it is reflected on the ground at another angle than
// what goes by. Past the other end of the strip a straight way is reflected twice, before the roof and behind it, and
// one by the ground there where its line does not cross it. `above_line_m`: upright. `end`: of the line, in its frame
// (LineOverGround::place_of).
GroundAtRoof ground_at_roof(const RooftopRays& rays, Complex permittivity, OverRooftopPaths::WayInSight way,
                            const LineOverGround& line, Vec2 edge, double above_line_m, Vec2 end) {
  const double at = line.place_of(edge), rest = line.place_of(end) - at, over_ground_m = line.height_at(at);
  const double from_m = std::fabs(line.height_at(0)), to_m = std::fabs(line.height_at(at + rest));
  const double roof_m = std::max(0.0, std::fabs(over_ground_m) + above_line_m);
  const auto reflection = [&](double rise, double run) {
    return ground_reflection(permittivity, rise / norm(Vec2{rise, run}), rays.horizontal_share);
  };
  const Complex before = reflection(from_m + roof_m, at), behind = reflection(roof_m + to_m, rest);
  if (way == OverRooftopPaths::WayInSight::straight) return {{1, 0}, before * behind};
  const Complex of_line = reflection(from_m + to_m, at + rest);
  // Nothing goes by that the ground does not reflect.
  if (!(squared_norm(of_line) > 0)) return {};
  return over_ground_m > 0 ? GroundAtRoof{behind / of_line, before / of_line}
                           : GroundAtRoof{before / of_line, behind / of_line};
}

// Those points of a path in the frame of a line that come near it or each other, and its ends.
class ScreensInSight {
 public:
  template <class Path>
  ScreensInSight(const Path& path, double wavelength_m) {
    ScreenChoice choice = choose_screens(path, wavelength_m, least_nu_in_sight);
    drop_cancelling(path, wavelength_m, choice);
    count_ = choice.count;
    for (std::uint32_t c = 0; c < count_; ++c) {
      points_[c] = path[choice.indices[c]];
      in_path_[c] = choice.indices[c];
    }
  }
  std::span<const Vec2> span() const { return std::span(points_).first(count_); }
  std::uint32_t in_path(std::size_t number) const { return in_path_[number]; }

 private:
  std::array<Vec2, most_screens + 2> points_;
  std::array<std::uint32_t, most_screens + 2> in_path_;
  std::uint32_t count_;
};

// The factor of the screens chosen of a profile in the frame of a line (EdgesNearestToLine), with what comes past their
// images in the ground. `highest`: of them.
Complex left_past_strips(const RooftopRays& rays, Complex permittivity, OverRooftopPaths::WayInSight way,
                         const LineOverGround& line, const ProfileRow<1>& row, const ScreensInSight& chosen,
                         std::uint32_t highest_of_all) {
  const std::span<const Vec2> screens = chosen.span();
  const auto share_of = [&](std::size_t number) { return row.edge(chosen.in_path(number)).sine(); };
  std::array<Vec2, most_screens + 2> points;
  const std::span<Vec2> images = std::span(points).first(screens.size());
  std::copy(screens.begin(), screens.end(), images.begin());
  for (std::size_t i = 1; i + 1 < images.size(); ++i) {
    images[i].y += 2 * share_of(i) * line.across(std::fabs(line.height_at(line.place_of(images[i]))));
  }
  const Vec2 highest = screens[highest_of_all];
  const double above_m = line.upright(highest.y) / share_of(highest_of_all);
  const GroundAtRoof ground = ground_at_roof(rays, permittivity, way, line, highest, above_m, screens.back());
  const Complex all{1, 0}, past_tops = multiple_screen_factor(screens, rays.wavelength_m);
  // Which roofs stand out is another matter among their images: those of low roofs are the deepest.
  return (highest.y < 0 ? all + ground.past_top * (past_tops - all) : ground.past_top * past_tops) +
         ground.past_image *
             multiple_screen_factor(ScreensInSight(std::span<const Vec2>(images), rays.wavelength_m).span(),
                                    rays.wavelength_m);
}

// The roofs of a profile as strips about a straight way over plane ground: each roof and its image in that.
class StripsAboutWay {
 public:
  // `ground_z`: where the way begins; `distance`: its length in the plan.
  StripsAboutWay(const ProfileRow<1>& row, const RooftopLine& line, double ground_z, double slope, double distance,
                 double wavelength_m)
      : row_(row), line_(line), ground_z_(ground_z), slope_(slope), distance_(distance), wavelength_m_(wavelength_m) {}

  // What the one leaves that takes most, alone.
  Complex least_left() const {
    Complex least{1, 0};
    double least_amplitude = 1;
    const auto consider = [&](const Strip& strip) {
      const Complex left = strip.left();
      if (!(squared_norm(left) < squared_norm(least))) return;
      least = left;
      least_amplitude = norm(left);
    };
    // Most strips lie far beside the way. Once the one is known that is most in it, a bound tells that they leave more.
    if (const std::uint32_t likely = most_in_way(); likely < end()) consider(strip_at(likely));
    for (std::uint32_t k = 1; k < end(); ++k) {
      if (const Strip strip = strip_at(k); strip.least_left() <= least_amplitude) consider(strip);
    }
    return least;
  }

 private:
  std::uint32_t end() const { return row_.size() - 1; }
  // Of a roof, and of the way there, over the ground.
  std::pair<double, double> heights_at(std::uint32_t k) const {
    const double ground = ground_z_ + slope_ * row_[k].x;
    return {row_[k].y - ground, line_.height_at(row_[k].x) - ground};
  }
  Strip strip_at(std::uint32_t k) const {
    const auto [top, way] = heights_at(k);
    const double before = row_[k].x, after = distance_ - before;
    return {fresnel_parameter(top - way, before, after, wavelength_m_),
            fresnel_parameter(top + way, before, after, wavelength_m_)};
  }
  std::uint32_t most_in_way() const {
    std::uint32_t most = 1;
    double deepest_m = -infinity;
    for (std::uint32_t k = 1; k < end(); ++k) {
      const auto [top, way] = heights_at(k);
      if (const double depth_m = top - std::fabs(way); depth_m > deepest_m) {
        deepest_m = depth_m;
        most = k;
      }
    }
    return most;
  }

  const ProfileRow<1>& row_;
  const RooftopLine& line_;
  double ground_z_, slope_, distance_, wavelength_m_;
};

std::unique_ptr<const Scene> with_all_on_ground(const Scene& scene, std::span<const std::uint32_t> parts_in_air) {
  auto standing = std::make_unique<Scene>(scene);
  for (const std::uint32_t part : parts_in_air) standing->prisms[part].on_ground = true;
  return standing;
}

}  // namespace

OverRooftopPaths::OverRooftopPaths(const Scene& scene)
    : index_(scene), profiles_(scene, index_), parts_in_air_(scene, profiles_.parts_in_air()) {
  const auto [lowest, highest] = std::minmax_element(scene.terrain.height_m.begin(), scene.terrain.height_m.end());
  is_ground_level_ = lowest == highest || *lowest == *highest;
  if (profiles_.parts_in_air().empty()) return;
  scene_of_screens_ = with_all_on_ground(scene, profiles_.parts_in_air());
  over_all_parts_ = std::make_unique<const OverRooftopPaths>(*scene_of_screens_);
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
  const double surface_z = index_.surface_height(point.xy());
  const std::int64_t prism = index_.prism_at({point.x, point.y, surface_z - below_m});
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

Complex OverRooftopPaths::left_beside_strips(const PlaneImage& image, Vec3 antenna, Vec3 to, double wavelength_m,
                                             Workspace& work) const {
  const Vec3 on_ground = 0.5 * (image.point + antenna);
  const double distance = norm(to.xy() - image.point.xy());
  const RooftopLine line(image.point, to, rooftop_detail::margin_m(distance, wavelength_m));
  const double slope = -dot(line.direction, image.normal.xy()) / image.normal.z;
  const double ground_z = on_ground.z + slope * dot(line.direction, image.point.xy() - on_ground.xy());  // at the image
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    if (!RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors>(profiles_.view(), line, row).run_over_roofs()) {
      continue;
    }
    return StripsAboutWay(row, line, ground_z, slope, distance, wavelength_m).least_left();
  }
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

namespace {

// Of the string over screens that are given as places along a line and heights over it.
double detour_over(std::span<const Vec2> screens) {
  UpperHull string;
  find_upper_hull(screens, string);
  double length_m = 0;
  for (std::uint32_t h = 1; h < string.size; ++h) {
    length_m += norm(screens[string.points[h]] - screens[string.points[h - 1]]);
  }
  return std::max(length_m - screens.back().x, 0.0);
}

}  // namespace

OverRooftopPaths::FieldPastRoofs OverRooftopPaths::left_in_sight(const RooftopRays& rays, const RooftopTarget& target,
                                                                 WayInSight way, Workspace& work) const {
  const double distance = norm(target.point.xy() - rays.from.xy());
  if (distance < rooftop_detail::least_horizontal_distance_m) return {};
  const Vec2 to_target{distance, target.point.z - rays.from.z};
  const double length = norm(to_target);
  const Vec2 along = (1.0 / length) * to_target;
  const double margin_m = rooftop_detail::margin_m(length, rays.wavelength_m, least_nu_in_sight);
  const RooftopLine line(rays.from, target.point, upright_margin(along) * margin_m);
  const LineOverGround over_ground(profiles_.view().terrain, line, along);
  EdgesNearestToLine::OwnRoofs own_roofs{{.roof = rays.roof}, {.roof = target.roof}};
  const EdgesNearestToLine places(profiles_.view().sides, over_ground, length, margin_m, way == WayInSight::by_ground,
                                  own_roof_z(target), own_roofs);
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors, EdgesNearestToLine> trace(profiles_.view(), line, row,
                                                                                         places);
    if (!trace.run_over_roofs()) continue;
    const std::uint32_t edges = without_own_roof(target, row);
    turn_along(row, edges, rays.from.z, along);
    row.push({length, 0}, {});
    const ScreensInSight chosen(row, rays.wavelength_m);
    const std::span<const Vec2> screens = chosen.span();
    if (screens.size() < 3) return {};
    const auto last = static_cast<std::uint32_t>(screens.size()) - 1;
    const auto [highest, nu] = physics_detail::highest_between(screens, 0, last, rays.wavelength_m);
    const std::uint16_t ground = profiles_.view().ground_material;
    const Complex left =
        rays.may_reflect ? left_past_strips(rays, rays.permittivities[ground], way, over_ground, row, chosen, highest)
                         : multiple_screen_factor(screens, rays.wavelength_m);
    const Complex all{1, 0};
    const auto past_own = [&](const OwnRoofEdge& own, double end_z, double other_z) {
      return past_own_roof(own, end_z, {distance, other_z}, rooftop_detail::faces_of(profiles_.view(), rays, own.edge),
                           rays.horizontal_share, rays.wavelength_m);
    };
    const Complex own = past_own(own_roofs.of_begin, rays.from.z, target.point.z) *
                        past_own(own_roofs.of_end, target.point.z, rays.from.z);
    const Vec3 straight = (1.0 / length) * (target.point - rays.from);
    const Vec3 across_line = cross(normalized(cross(straight, Vec3{0, 0, 1})), straight);
    const auto near_edge = [&](Vec2 screen) { return rays.from + screen.x * straight + screen.y * across_line; };
    return {own * (all + part_in_sight(nu) * (left - all)), near_edge(screens[1]), near_edge(screens[last - 1]),
            screens.size() == 3, nu > 0 ? detour_over(screens) : 0};
  }
}

bool OverRooftopPaths::find_along_ground(const RooftopRays& rays, const RooftopTarget& target, bool with_roofs,
                                         Workspace& work, RooftopPath& path) const {
  const RooftopSceneView& scene = profiles_.view();
  const Vec3 way = target.point - rays.from;
  const double distance = norm(way.xy());
  GroundNearSight& ground = work.ground;
  ground.clear();
  if (distance < rooftop_detail::least_horizontal_distance_m) return false;
  const RooftopLine line(rays.from, target.point,
                         rooftop_detail::margin_m(distance, rays.wavelength_m, GroundNearSight::least_nu));
  if (is_ground_level_ && line.curvature == 0) return false;
  // To what stands over the ground it reflects from farther below, too.
  if (!target.is_over_ground && !GroundNearSight::may_come_near(scene, line, rays.wavelength_m)) return false;
  ground.find(scene.terrain, line, rays.wavelength_m);
  if (ground.vertices.empty()) return false;
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(scene, line, row);
    if (!(with_roofs ? trace.run_over_roofs(ground.vertices) : trace.run_over_ground(ground.vertices))) continue;
    const ScreenChoice choice = choose_screens(row, rays.wavelength_m, GroundNearSight::least_nu);
    rooftop_detail::ChosenPath chosen = rooftop_detail::chosen_path(scene, line, row, choice);
    rooftop_detail::thin_out_crests(rays.wavelength_m, chosen);
    rooftop_detail::leave_out_deep_crests(rays.wavelength_m, chosen);
    const std::uint32_t last = chosen.count - 2;
    if (last > 0 && !chosen.is_crest[last] && is_own_roof(target, chosen.points[last].y)) chosen.erase(last);
    if (std::find(chosen.is_crest, chosen.is_crest + chosen.count, true) == chosen.is_crest + chosen.count) {
      return false;
    }
    const auto screens = [&](std::span<const Vec2> points, const ProfileGrounds& grounds) {
      return multiple_screen_factors(points, rays.wavelength_m, grounds);
    };
    const bool is_straight_before = ground.is_straight_before && chosen.points[1].x == ground.vertices.front().x,
               is_straight_behind =
                   ground.is_straight_behind && chosen.points[chosen.count - 2].x == ground.vertices.back().x;
    rooftop_detail::pass_screens(scene, rays, target, line, row, chosen, {{is_straight_before}, {is_straight_behind}},
                                 screens, work.bends);
    follow_bends(rays.from, target.point, work.bends, path);
    path.departure = path.departure_to_keller_point = normalized(way);
    path.is_in_sight = true;
    path.passes_roofs = with_roofs;
    path.is_straight_behind = is_straight_behind;
    path.meets_roofs = !std::all_of(chosen.is_crest + 1, chosen.is_crest + chosen.count - 1, std::identity());
    return true;
  }
}

double OverRooftopPaths::share_without_roofs(const RooftopRays& rays, const RooftopTarget& target,
                                             std::span<const Vec2> over, Workspace& work) const {
  const double distance = norm(target.point.xy() - rays.from.xy());
  const RooftopLine line(rays.from, target.point,
                         rooftop_detail::margin_m(distance, rays.wavelength_m, least_nu_of_roofs_near_way));
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(profiles_.view(), line, row);
    if (trace.run_over_roofs()) return share_over_roofs(row, over, rays.wavelength_m);
  }
}

WaveOverGround OverRooftopPaths::wave_over_earth(const RooftopRays& rays, const RooftopTarget& target,
                                                 std::span<const Vec2> over, Workspace& work) const {
  const RooftopSceneView& scene = profiles_.view();
  const double distance = norm(target.point.xy() - rays.from.xy());
  const RooftopLine line(rays.from, target.point, 0);
  WaveOverGround wave;
  wave.share = share_of_smooth_ground(scene.terrain, line, over);
  if (!(wave.share > 0)) return {};
  wave.share *= share_without_roofs(rays, target, over, work);
  if (!(wave.share > 0)) return {};
  const BoundaryImpedances of = boundary_impedances(rays.permittivities[scene.ground_material], 0);
  const double radius_m = 0.5 / line.curvature;
  const SmoothEarth across(radius_m, rays.wavelength_m, of.te), upright(radius_m, rays.wavelength_m, of.tm);
  const bool is_across = rays.horizontal_share > 0, is_upright = rays.horizontal_share < 1;
  if (is_across) wave.share = std::min(wave.share, across.share_at(distance));
  if (is_upright) wave.share = std::min(wave.share, upright.share_at(distance));
  if (!(wave.share > 0)) return {};
  const double from_m = rays.from.z - scene.terrain.height_at(line.at(0)),
               to_m = target.point.z - scene.terrain.height_at(line.at(distance));
  if (is_across) wave.horizontal = across.factor(distance, from_m, to_m);
  if (is_upright) wave.vertical = upright.factor(distance, from_m, to_m);
  return wave;
}

WaveOverGround OverRooftopPaths::wave_behind_crests(const RooftopRays& rays, const RooftopTarget& target,
                                                    std::span<const Vec2> over, Workspace& work) const {
  // Deeper in the shadow the reflection all but cancels the straight wave, of which there is nothing then, and has
  // errors of its own size.
  constexpr double all_nu = 0.4, none_nu = 0.6;
  const auto is_deeper = [&](Vec2 point) {
    return fresnel_parameter_between(over.front(), point, over.back(), rays.wavelength_m) >= none_nu;
  };
  if (std::any_of(over.begin() + 1, over.end() - 1, is_deeper)) return {};
  WaveOverGround wave;
  wave.share = share_without_roofs(rays, target, over, work);
  if (!(wave.share > 0)) return {};
  GroundNearSight& ground = work.ground;
  ground.find(profiles_.view().terrain, RooftopLine(rays.from, target.point, infinity), rays.wavelength_m);
  wave.share *= std::clamp((none_nu - ground.nearest_nu) / (none_nu - all_nu), 0.0, 1.0);
  const Vec2 from{0, rays.from.z}, to{ground.ground.back().x, target.point.z};
  const bool are_above = from.y > ground.ground.front().y && to.y > ground.ground.back().y;
  if (!(wave.share > 0) || ground.is_straight || !are_above) return {};
  const auto along = [&](bool is_horizontal) {
    const ReflectingGround as{rays.permittivities[profiles_.view().ground_material], is_horizontal};
    return Complex{1, 0} + work.grazed_ground.reflected(ground.ground, {}, from, to, rays.wavelength_m, as);
  };
  if (rays.horizontal_share > 0) wave.horizontal = along(true);
  if (rays.horizontal_share < 1) wave.vertical = along(false);
  return wave;
}

bool OverRooftopPaths::find_reflection(const RooftopRays& rays, const RooftopTarget& target, bool roofs_hide,
                                       Workspace& work) const {
  // Physical optics of ground far below the line of sight, where the integral equation would cost more; between some of
  // both. What comes over its crests and is reflected before the target is in the integral equation alone.
  constexpr double far_below_nu = -3, near_nu = -2, all_nu = -1.5;
  const GroundNearSight& ground = work.ground;
  if (ground.is_straight) return false;
  const RooftopLine line(rays.from, target.point, infinity);
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(profiles_.view(), line, row);
    if (!trace.run_over_roofs()) continue;
    const std::span<const Vec2> points = work.memory.first_points(row.size());
    const std::span<const Vec2> screens = points.subspan(1, roofs_hide ? points.size() - 2 : 0);
    const Vec2 from = points.front(), to = points.back();
    const double grazed = std::clamp((ground.nearest_nu - far_below_nu) / (near_nu - far_below_nu), 0.0, 1.0);
    const bool is_plane = ground.ground.size() == 2;
    const bool are_above = from.y > ground.ground.front().y && to.y > ground.ground.back().y;
    work.has_all_of_ground = !is_plane && ground.nearest_nu > all_nu && are_above;
    const auto reflected = [&](bool is_horizontal) {
      const ReflectingGround as{rays.permittivities[profiles_.view().ground_material], is_horizontal};
      work.reflection.find(ground.ground, screens, from, to, rays.wavelength_m, as);
      if (is_plane || grazed == 0 || !are_above) return work.reflection.factor;
      return (1 - grazed) * work.reflection.factor +
             grazed * work.grazed_ground.reflected(ground.ground, screens, from, to, rays.wavelength_m, as);
    };
    if (rays.horizontal_share > 0) work.reflected_horizontal = reflected(true);
    if (rays.horizontal_share < 1) work.reflected_vertical = reflected(false);
    break;
  }
  const double near_horizon = share_near_horizon(ground.nearest_nu);
  if (!(near_horizon > 0)) return true;
  const Vec2 ends[] = {{0, rays.from.z}, {line.length_m, target.point.z}};
  const WaveOverGround wave = wave_over_earth(rays, target, ends, work);
  const double share = near_horizon * wave.share;
  // With the straight wave it is the whole one.
  const auto as_along_earth = [&](Complex reflected, Complex whole) {
    return reflected + share * (whole - Complex{1, 0} - reflected);
  };
  work.reflected_horizontal = as_along_earth(work.reflected_horizontal, wave.horizontal);
  work.reflected_vertical = as_along_earth(work.reflected_vertical, wave.vertical);
  return true;
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
