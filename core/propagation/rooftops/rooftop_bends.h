// SPDX-License-Identifier: GPL-3.0-or-later
// Over what a ray over the roofs bends, and what is left of it there, for host and device (over_rooftop.h says how).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/knife_edge.h"
#include "core/physics/screen_choice.h"
#include "core/physics/screen_factors.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/ground_before_edge.h"
#include "core/propagation/rooftops/past_own_roof.h"
#include "core/propagation/rooftops/roof_edge.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"

namespace tesseray {

// What all rays over the roofs of one transmitter have in common.
struct RooftopRays {
  Vec3 from;
  double wavelength_m = 0;
  std::span<const Complex> permittivities;  // relative, by material of the scene
  std::uint32_t roof = no_roof;             // that the transmitter stands over, by its number
  bool may_reflect = false;                 // on the ground before the first edge
  double horizontal_share = 0.5;            // of the polarisation, where the ground between crests reflects
};

// Where one of them goes.
struct RooftopTarget {
  Vec3 point;
  // Of a tile, which nothing reaches from behind, or of the ground tile that the target stands over; no normal where
  // that makes no difference.
  Vec3 centroid = {}, normal = {};
  bool is_over_ground = false;   // the target, of that tile
  std::uint32_t roof = no_roof;  // that a receiver stands over, by its number
};

struct RooftopBends {
  enum class Outcome : std::uint32_t {
    found,
    none,     // no edge stands in the way, the points stand nearly above each other, or the ray is of no use
    no_room,  // the profile was too long for the memory
  };
  Outcome outcome = Outcome::none;
  std::uint32_t count = 0;
  Vec2 edges[most_screens] = {};  // x: distance over the ground plan from the transmitter on, y: height; m
  // In the ground plan, from where the plane meets the first of them to its Keller point: x onwards, y to the left; m.
  Vec2 to_first_keller_point;
  // Field at the end over the one in free space at the straight distance, with phase against the straight line:
  // across the vertical plane (horizontal polarisation) and in it (vertical).
  Complex horizontal, vertical;
  // Before the first edge, and what comes from the transmitter's image there over what comes from itself, each with its
  // phase from that edge on. None where the edge is that of the roof below the transmitter.
  GroundBeforeEdge ground;
  Complex transmitter_image_ratio;
  // With a target over the ground behind such crests that the wave runs along the ground between: what comes to its
  // image over what comes to itself, each with its phase up to the last edge.
  bool runs_along_ground = false;
  Complex target_image_ratio;
};

namespace rooftop_detail {

inline constexpr double least_horizontal_distance_m = 1.0;
// No edge farther below the straight line has ν above the least one, wherever it stands.
TESSERAY_HD inline double margin_m(double distance_m, double wavelength_m,
                                   double least_nu = negligible_fresnel_parameter) {
  return -least_nu * std::sqrt(wavelength_m * distance_m / 8.0);
}
// Whether a ray that comes over this edge (x along the ground plan, y up) certainly arrives from behind the tile. What
// stands over the ground is reached all the same.
TESSERAY_HD inline bool arrives_behind(const RooftopRays& rays, const RooftopTarget& target, Vec2 edge) {
  // Far more than rounding and less than in_front_m, by which whoever launches the ray decides.
  const double certainly_m = target.is_over_ground ? -in_ground_plane_m : 0.5e-6;
  const Vec2 way = target.point.xy() - rays.from.xy(), at = rays.from.xy() + (edge.x / norm(way)) * way;
  const bool has_back = target.normal.x != 0 || target.normal.y != 0 || target.normal.z != 0;
  return has_back && dot(Vec3{at.x, at.y, edge.y} - target.centroid, target.normal) < certainly_m;
}

// The points of a path, each with its number in the profile's row.
struct ChosenPath {
  static constexpr std::uint32_t not_in_row = 0;  // as the antenna is, which is no edge
  std::uint32_t count = 0;
  Vec2 points[most_screens + 2] = {};
  std::uint32_t in_row[most_screens + 2] = {};
  bool is_crest[most_screens + 2] = {};

  TESSERAY_HD void push(Vec2 point, std::uint32_t number, bool crest) {
    points[count] = point;
    in_row[count] = number;
    is_crest[count++] = crest;
  }
  TESSERAY_HD void erase(std::uint32_t place) {
    --count;
    for (std::uint32_t p = place; p < count; ++p) {
      points[p] = points[p + 1];
      in_row[p] = in_row[p + 1];
      is_crest[p] = is_crest[p + 1];
    }
  }
  TESSERAY_HD std::span<const Vec2> span() const { return {points, count}; }
};

struct LeastCrest {
  std::uint32_t place = 0;  // 0: there is none
  double nu = 0;
};

// The crest that stands out least between its neighbours, by its ν, if by less than `below_nu`.
TESSERAY_HD inline LeastCrest least_crest(double wavelength_m, const ChosenPath& path, double below_nu,
                                          bool between_crests) {
  LeastCrest least{0, below_nu};
  for (std::uint32_t p = 1; p + 1 < path.count; ++p) {
    if (!path.is_crest[p] || (between_crests && !(path.is_crest[p - 1] && path.is_crest[p + 1]))) continue;
    const double nu = physics_detail::fresnel_parameter_of(path.points, p, p - 1, p + 1, wavelength_m);
    if (nu < least.nu) least = {p, nu};
  }
  return least;
}

// Of crests that hardly stand out between others, the ground from those on to the next ones says enough: down to this ν
// the one that stands out least is left out.
TESSERAY_HD inline void thin_out_crests(double wavelength_m, ChosenPath& path) {
  constexpr double least_nu = 0.1;
  for (;;) {
    const LeastCrest least = least_crest(wavelength_m, path, least_nu, true);
    if (least.place == 0) return;
    path.erase(least.place);
  }
}

// Of ground far below the others: the chain of integrals keeps its digits.
TESSERAY_HD inline void leave_out_deep_crests(double wavelength_m, ChosenPath& path) {
  double exponent = cancelling_exponent(path.span(), wavelength_m);
  while (exponent > most_cancelling_exponent) {
    const LeastCrest deepest = least_crest(wavelength_m, path, 0, false);
    if (deepest.place == 0) return;
    path.erase(deepest.place);
    exponent -= 0.5 * pi * deepest.nu * deepest.nu;
  }
}

template <class Row>
TESSERAY_HD inline ChosenPath chosen_path(const RooftopSceneView& scene, const RooftopLine& line, const Row& row,
                                          const ScreenChoice& choice) {
  ChosenPath chosen;
  for (std::uint32_t c = 0; c < choice.count; ++c) {
    const Vec2 point = row[choice.indices[c]];
    const bool is_edge = c > 0 && c + 1 < choice.count;
    chosen.push(point, is_edge ? choice.indices[c] : ChosenPath::not_in_row,
                is_edge && is_crest(scene.terrain, line, point));
  }
  return chosen;
}

// Between an end of a path and the crest next to it, from the point `from` on: those that stand out.
TESSERAY_HD inline RoundGround thinned_round_ground(const TerrainView& terrain, const RooftopLine& line,
                                                    const ChosenPath& path, std::uint32_t from, double wavelength_m) {
  RoundGround round = round_ground(terrain, line, path.points[from], path.points[from + 1], from > 0, wavelength_m);
  ChosenPath leg;
  leg.push(path.points[from], ChosenPath::not_in_row, path.is_crest[from]);
  for (std::uint32_t v = 0; v < round.count; ++v) leg.push(round.vertices[v], ChosenPath::not_in_row, true);
  leg.push(path.points[from + 1], ChosenPath::not_in_row, path.is_crest[from + 1]);
  thin_out_crests(wavelength_m, leg);
  round.count = leg.count - 2;
  for (std::uint32_t v = 0; v < round.count; ++v) round.vertices[v] = leg.points[v + 1];
  return round;
}

// Fills a path, with the vertices of round ground between the ends and crests next to them, as many as there is room
// for. REQUIRES: it is empty. The caller's own, since nvcc 13.0 lays another array over one that is returned.
template <class Row>
TESSERAY_HD inline void add_with_round_ground(const RooftopSceneView& scene, const RooftopLine& line, const Row& row,
                                              const ScreenChoice& choice, double wavelength_m, ChosenPath& path) {
  ChosenPath chosen = chosen_path(scene, line, row, choice);
  thin_out_crests(wavelength_m, chosen);
  const std::uint32_t last = chosen.count - 1;
  RoundGround before, behind;
  if (chosen.is_crest[1]) before = thinned_round_ground(scene.terrain, line, chosen, 0, wavelength_m);
  if (chosen.is_crest[last - 1]) behind = thinned_round_ground(scene.terrain, line, chosen, last - 1, wavelength_m);
  // The same from either end: of each as many, those next to the crests.
  const std::uint32_t room = (most_screens + 2 - chosen.count) / 2;
  const std::uint32_t left_out = before.count > room ? before.count - room : 0;
  const std::uint32_t kept = behind.count > room ? room : behind.count;
  for (std::uint32_t p = 0; p <= last; ++p) {
    if (p == 1) {
      for (std::uint32_t v = left_out; v < before.count; ++v) {
        path.push(before.vertices[v], ChosenPath::not_in_row, true);
      }
    }
    if (p == last) {
      for (std::uint32_t v = 0; v < kept; ++v) path.push(behind.vertices[v], ChosenPath::not_in_row, true);
    }
    path.push(chosen.points[p], chosen.in_row[p], chosen.is_crest[p]);
  }
  thin_out_crests(wavelength_m, path);
  leave_out_deep_crests(wavelength_m, path);
}

TESSERAY_HD inline void add_grounds_between(const RooftopSceneView& scene, const RooftopRays& rays,
                                            const RooftopLine& line, const ChosenPath& path, ProfileGrounds& grounds) {
  for (std::uint32_t p = 2; p + 1 < path.count; ++p) {
    if (!path.is_crest[p - 1] || !path.is_crest[p]) continue;
    const GroundUnderLink ground =
        ground_between(scene.terrain, line, path.points[p - 1], path.points[p],
                       rays.permittivities[scene.ground_material], rays.horizontal_share, rays.wavelength_m);
    if (squared_norm(ground.reflection) > 0) grounds.set_behind(p - 1, ground);
  }
}

// How far (m) below the target its image is seen from the last edge. REQUIRES: the target stands over the ground.
TESSERAY_HD inline double target_image_below(const RooftopLine& line, Vec2 edge, const RooftopTarget& target,
                                             Vec3 normal) {
  const Vec3 image = mirrored(target.point, target.centroid, normal);
  const double below_m = target.point.z - line.height_at_end(edge, image);
  return below_m > 0 ? below_m : 0;
}

// The ground between an end of a path and the edge next to it.
struct GroundAtEnd {
  bool is_straight = false;
  // How far below the end its image is seen from that edge, where this is known; less than 0 where it is not.
  double image_below_m = -1;
};
struct GroundAtEnds {
  GroundAtEnd before, behind;
};

// Whether a point of the profile's row, by its number, is the edge of the roof that an end stands over: the first thing
// in its way.
template <class Row>
TESSERAY_HD inline bool starts_over_roof(const RooftopRays& rays, const Row& row, std::uint32_t number) {
  return number == 1 && is_same_roof(row.edge(number).roof, rays.roof);
}
template <class Row>
TESSERAY_HD inline bool ends_over_roof(const RooftopTarget& target, const Row& row, std::uint32_t number) {
  return number + 2 == row.size() && is_same_roof(row.edge(number).roof, target.roof);
}

// Over the path, as over absorbing screens: all of the bends but what roof edges take beyond screens.
template <class Row, class Screens>
TESSERAY_HD inline void pass_screens(const RooftopSceneView& scene, const RooftopRays& rays,
                                     const RooftopTarget& target, const RooftopLine& line, const Row& row,
                                     const ChosenPath& path, const GroundAtEnds& ends, const Screens& screens,
                                     RooftopBends& bends) {
  const Vec2* const points = path.points;
  bends.outcome = RooftopBends::Outcome::found;
  bends.count = path.count - 2;
  bends.to_first_keller_point = {};
  bends.ground = {};
  if (rays.may_reflect && !starts_over_roof(rays, row, path.in_row[1])) {
    bends.ground = ends.before.is_straight ? ground_up_to(scene.terrain, line, points[1])
                                           : ground_before(scene.terrain, line, points[1]);
  }
  ProfileGrounds grounds;
  add_grounds_between(scene, rays, line, path, grounds);
  bends.runs_along_ground = grounds.any_between && target.is_over_ground;
  if (bends.ground.reflects) grounds.transmitter_image_below_m = bends.ground.image_below(points[0], points[1]);
  if (bends.runs_along_ground) {
    const Vec2 last = points[bends.count];
    const Vec3 normal =
        ground_normal_behind(scene.terrain, line, last, ends.behind.is_straight, target.centroid, target.normal);
    grounds.target_image_below_m = target_image_below(line, last, target, normal);
  }
  if (ends.before.image_below_m >= 0) grounds.transmitter_image_below_m = ends.before.image_below_m;
  if (ends.behind.image_below_m >= 0) grounds.target_image_below_m = ends.behind.image_below_m;
  const ScreenFactors factors = screens(path.span(), grounds);
  bends.horizontal = bends.vertical = factors.factor;
  bends.transmitter_image_ratio = factors.transmitter_image_ratio;
  bends.target_image_ratio = factors.target_image_ratio;
  for (std::uint32_t i = 0; i < bends.count; ++i) bends.edges[i] = points[i + 1];
}

TESSERAY_HD inline double sine_of(const ProfileEdge& edge) {
  return edge.sine() < least_sine ? least_sine : edge.sine();
}

TESSERAY_HD inline EdgeFaces faces_of(const RooftopSceneView& scene, const RooftopRays& rays, const ProfileEdge& edge) {
  const Complex wall = rays.permittivities[edge.material];
  return {edge.roof == no_roof ? wall : rays.permittivities[scene.roof_material], wall};
}

// Bend::lit_share of the path's point `place`. `rear`: the roof lies before it.
template <class Row>
TESSERAY_HD inline double lit_share_of(const Row& row, const ChosenPath& path, std::uint32_t place, bool rear,
                                       double wavelength_m) {
  const std::uint32_t edge = path.in_row[place], other = rear ? edge - 1 : edge + 1;
  if (other == 0 || other + 1 == row.size()) return 1;
  if (!is_same_roof(row.edge(edge).roof, row.edge(other).roof)) return 1;
  const std::uint32_t neighbour = rear ? place - 1 : place + 1;
  if (path.in_row[neighbour] == other) return 0;
  const Vec2 from = path.points[neighbour];
  const Vec2 way[] = {rear ? from : row[edge], row[other], rear ? row[edge] : from};
  return share_between(-physics_detail::fresnel_parameter_of(way, 1, 0, 2, wavelength_m), -negligible_fresnel_parameter,
                       -lit_nu);
}

// What roof edges take beyond screens.
template <class Row>
TESSERAY_HD inline void pass_roof_edges(const RooftopSceneView& scene, const RooftopRays& rays,
                                        const RooftopTarget& target, const Row& row, const ChosenPath& path,
                                        RooftopBends& bends) {
  const Vec2* const points = path.points;
  for (std::uint32_t i = 1; i <= bends.count; ++i) {
    const std::uint32_t in_row = path.in_row[i];
    if (in_row == ChosenPath::not_in_row) continue;
    const ProfileEdge edge = row.edge(in_row);
    Bend bend{.before = points[i - 1],
              .edge = points[i],
              .after = points[i + 1],
              .sine = sine_of(edge),
              .is_crest = path.is_crest[i]};
    const bool rear = bend.is_rear();
    bend.is_over_own_roof = rear ? starts_over_roof(rays, row, in_row) : ends_over_roof(target, row, in_row);
    if (!bend.is_crest) bend.lit_share = lit_share_of(row, path, i, rear, rays.wavelength_m);
    if (i == 1) {
      bends.to_first_keller_point =
          bend.keller_shift() * Vec2{bend.cosine(), edge.sine_steps < 0 ? -bend.sine : bend.sine};
    }
    const PolarizationFactors factors = edge_over_screen(bend, faces_of(scene, rays, edge), rays.wavelength_m);
    bends.horizontal = factors.horizontal * bends.horizontal;
    bends.vertical = factors.vertical * bends.vertical;
  }
}

// What leaves the roof of one end above its edge. `bend`: from that end on; `next`: behind the edge in the profile.
TESSERAY_HD inline void leave_own_roof(const RooftopSceneView& scene, const RooftopRays& rays, const Bend& bend,
                                       const ProfileEdge& edge, Vec2 next, std::uint32_t roof_of_next, bool is_in_path,
                                       RooftopBends& bends) {
  if (!(bend.angle() < 0)) return;
  // Behind a yard the roof goes on, to an edge that comes nearer to the line.
  const Vec2 way[] = {bend.before, bend.edge, next, bend.after};
  if (is_same_roof(edge.roof, roof_of_next) &&
      (next.x >= bend.after.x || physics_detail::fresnel_parameter_of(way, 2, 0, 3, rays.wavelength_m) >
                                     physics_detail::fresnel_parameter_of(way, 1, 0, 3, rays.wavelength_m))) {
    return;
  }
  const double nu = -fresnel_parameter_of_detour(detour_m(bend), rays.wavelength_m), part = part_in_sight(nu);
  if (!(part > 0)) return;
  const Complex all{1, 0};
  const auto counted = [&](Complex factor) { return all + part * (factor - all); };
  const Complex screen = is_in_path ? all : counted(knife_edge_factor(nu));
  const PolarizationFields past = past_own_roof(bend, faces_of(scene, rays, edge), rays.wavelength_m);
  bends.horizontal = norm(screen * counted(past.horizontal)) * bends.horizontal;
  bends.vertical = norm(screen * counted(past.vertical)) * bends.vertical;
}

template <class Row>
TESSERAY_HD inline void leave_own_roofs(const RooftopSceneView& scene, const RooftopRays& rays,
                                        const RooftopTarget& target, const RooftopLine& line, const Row& row,
                                        const ChosenPath& path, RooftopBends& bends) {
  const std::uint32_t first = 1, last = row.size() - 2, end = path.count - 1;
  if (starts_over_roof(rays, row, first)) {
    const ProfileEdge edge = row.edge(first);
    const bool is_in_path = path.in_row[1] == first;
    const Bend bend{
        .before = path.points[0], .edge = row[first], .after = path.points[is_in_path ? 2 : 1], .sine = sine_of(edge)};
    leave_own_roof(scene, rays, bend, edge, row[first + 1], row.edge(first + 1).roof, is_in_path, bends);
  }
  if (ends_over_roof(target, row, last)) {
    const auto turned = [&](Vec2 point) { return Vec2{line.length_m - point.x, point.y}; };
    const ProfileEdge edge = row.edge(last);
    const bool is_in_path = path.in_row[end - 1] == last;
    const Bend bend{.before = turned(path.points[end]),
                    .edge = turned(row[last]),
                    .after = turned(path.points[is_in_path ? end - 2 : end - 1]),
                    .sine = sine_of(edge)};
    leave_own_roof(scene, rays, bend, edge, turned(row[last - 1]), row.edge(last - 1).roof, is_in_path, bends);
  }
}

// Over the path with all that roofs take.
template <class Row, class Screens>
TESSERAY_HD inline void pass_roofs(const RooftopSceneView& scene, const RooftopRays& rays, const RooftopTarget& target,
                                   const RooftopLine& line, const Row& row, const ChosenPath& path,
                                   const GroundAtEnds& ends, const Screens& screens, RooftopBends& bends) {
  pass_screens(scene, rays, target, line, row, path, ends, screens, bends);
  pass_roof_edges(scene, rays, target, row, path, bends);
  leave_own_roofs(scene, rays, target, line, row, path, bends);
}

}  // namespace rooftop_detail

// The bends of one ray. `row` (a ProfileRow) is memory to work in: it holds the whole profile afterwards.
// screens(path, grounds) gives the ScreenFactors of absorbing screens at the points of the path between its ends.
// Crossings: see side_crossings.h.
template <class Crossings = SideCrossingsInTurn, class Row, class Screens>
TESSERAY_HD inline void find_rooftop_bends(const RooftopSceneView& scene, const RooftopRays& rays,
                                           const RooftopTarget& target, Row& row, const Screens& screens,
                                           RooftopBends& bends) {
  using rooftop_detail::ChosenPath;
  bends.outcome = RooftopBends::Outcome::none;
  bends.count = 0;
  const double distance = norm(target.point.xy() - rays.from.xy());
  if (distance < rooftop_detail::least_horizontal_distance_m) return;
  const RooftopLine line(rays.from, target.point, rooftop_detail::margin_m(distance, rays.wavelength_m));
  if (!RooftopProfileTrace<Row, Crossings>(scene, line, row).run()) {
    bends.outcome = RooftopBends::Outcome::no_room;
    return;
  }
  const ScreenChoice choice = choose_screens(row, rays.wavelength_m);
  if (choice.count < 3) return;
  ChosenPath path;
  rooftop_detail::add_with_round_ground(scene, line, row, choice, rays.wavelength_m, path);
  const Vec2* const points = path.points;
  if (!target.is_over_ground && rooftop_detail::arrives_behind(rays, target, points[path.count - 2])) return;

  rooftop_detail::pass_roofs(scene, rays, target, line, row, path, {}, screens, bends);
}

}  // namespace tesseray
