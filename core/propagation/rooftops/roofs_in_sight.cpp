// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs near a way in sight leave of it (docs/physics.md §6).
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/infinity.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/propagation/rooftops/edges_in_sight.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/past_own_roof.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {
namespace {

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

}  // namespace tesseray
