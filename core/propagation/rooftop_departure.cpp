// SPDX-License-Identifier: GPL-3.0-or-later
// What departs for the roofs: straight, and by way of the ground before them. To what is in sight rays that the ground
// reflects go by its tiles (bounce.cpp), but where roofs stand in their way.
#include <algorithm>
#include <cmath>

#include "core/physics/fresnel.h"
#include "core/propagation/launch.h"
#include "core/propagation/local_mean.h"
#include "core/propagation/rooftop_line.h"

namespace tesseray {
namespace {

// Of the amplitude: 0.1 dB at most.
constexpr double negligible = 0.01;

// A field's parts across the vertical plane of a path and in it, which turn from leg to leg.
struct PlaneParts {
  Complex across, upright;
};

Vec3 across_of(Vec3 direction) { return normalized(cross(direction, Vec3{0, 0, 1})); }

PlaneParts parts_of(const ComplexVec3& field, Vec3 direction) {
  const Vec3 across = across_of(direction);
  return {dot(field, across), dot(field, cross(across, direction))};
}

ComplexVec3 field_of(const PlaneParts& parts, Vec3 direction) {
  const Vec3 across = across_of(direction);
  return parts.across * across + parts.upright * cross(across, direction);
}

// Two amplitudes as one of the power that they have together.
Complex together(Complex a, Complex b, double coherence) {
  const Complex sum = a + coherence * b;
  const double size = norm(sum);
  if (!(size > 0)) return {};
  const double power = squared_norm(a) + squared_norm(b) + interference(a, b, coherence);
  return (std::sqrt(std::max(power, 0.0)) / size) * sum;
}

}  // namespace

Launch::GroundWay Launch::way_from_image(const PlaneImage& image, Vec3 to) const {
  const Vec3 way = to - image.point;
  const double below_m = 0.5 * norm(transmitter_.position - image.point);
  GroundWay by_ground;
  by_ground.place = image.point + (below_m / dot(way, image.normal)) * way;
  by_ground.arrival = normalized(way);
  by_ground.departure = mirrored(by_ground.arrival, image.normal);
  by_ground.normal = image.normal;
  by_ground.longer_m = norm(way) - norm(to - transmitter_.position);
  return by_ground;
}

ComplexVec3 Launch::with_ground_way(const Link::Departure& straight, Vec3 direction, const GroundWay& way) const {
  const Link::Departure down = link_.depart(way.departure);
  const Link::Surface& ground = link_.surface(environment_.scene.default_materials.ground);
  const ComplexVec3 reflected =
      ground.specular_factor * reflected_field(down.field, way.departure, way.normal, ground.permittivity);
  double in_step = view_.summation == Summation::coherent ? 1 : 0;
  if (view_.summation == Summation::local_mean) in_step = coherence(direction, way.departure, link_.wave_number());
  const Complex factor = exp_j(-link_.wave_number() * way.longer_m) * way.factor;
  const PlaneParts there = parts_of(straight.field, direction), by_ground = parts_of(reflected, way.arrival);
  return field_of({together(there.across, factor * by_ground.across, in_step),
                   together(there.upright, factor * by_ground.upright, in_step)},
                  direction);
}

double Launch::vegetation_by_ground(const GroundWay& way, Vec3 to) const {
  const Vec3 antenna = transmitter_.position;
  return vegetation_.amplitude(antenna, way.place) * vegetation_.amplitude(way.place, to) /
         vegetation_.amplitude(antenna, to);
}

ComplexVec3 Launch::field_towards_roofs(const Link::Departure& straight, Vec3 target, const RooftopPath& path,
                                        ThreadState& state) const {
  if (!path.by_ground || !(norm(path.by_ground->ratio) > negligible)) return straight.field;
  const Vec3 antenna = transmitter_.position, edge = path.edges.front();
  GroundWay way = way_from_image(path.by_ground->image, edge);
  // Roofs stand on an earth that bends away.
  const RooftopLine line(antenna, target, 0);
  const auto unbent = [&](Vec3 point) { return point - Vec3{0, 0, line.bulge_at(norm(point.xy() - antenna.xy()))}; };
  const OverRooftopPaths& roofs = environment_.over_rooftops;
  if (!roofs.is_clear_of_roofs(antenna, unbent(way.place), state.rooftop_work) ||
      !roofs.is_clear_of_roofs(unbent(way.place), unbent(edge), state.rooftop_work)) {
    return straight.field;
  }
  way.factor =
      (vegetation_by_ground(way, edge) * path.length_m / (path.length_m + way.longer_m)) * path.by_ground->ratio;
  return with_ground_way(straight, path.departure, way);
}

ComplexVec3 Launch::field_into_sight(const StraightWay& straight_way, const Link::Departure& straight,
                                     std::uint32_t number, Vec3 point, LeftByRoofs left, ThreadState& state) const {
  const RooftopRays rays = rooftop_rays();
  const Vec3 antenna = transmitter_.position, to_point = point - antenna;
  const double distance = norm(to_point.xy());
  if (!roofs_count_in_sight(straight_way) || environment_.points.is_edge(number) || !rays.is_over_ground ||
      distance < rooftop_detail::least_horizontal_distance_m) {
    return straight.field;
  }
  const OverRooftopPaths& roofs = environment_.over_rooftops;
  const RooftopLine line(antenna, point, 0);
  const GroundBeforeEdge ground = ground_before(roofs.view().terrain, line, {distance, point.z});
  if (!ground.reflects) return straight.field;
  const PlaneImage image = image_in(ground, antenna, line.direction);
  if (roofs.is_clear_of_roofs(image.point, point, state.rooftop_work)) return straight.field;
  RooftopRays from_image = rays;
  from_image.from = image.point;
  RooftopTarget target = rooftop_target(number);
  target.point = point;
  const OverRooftopPaths::LeftByRoofs left_of_image = roofs.left_in_sight(from_image, target, state.rooftop_work);
  if (!(norm(left_of_image.factor) > negligible * left.amplitude)) return straight.field;
  GroundWay way = way_from_image(image, left_of_image.first_edge);
  const double length = norm(to_point);
  way.longer_m = norm(point - image.point) - length;
  way.factor = (vegetation_by_ground(way, point) * length / (length + way.longer_m) / left.amplitude) *
               (exp_j(link_.wave_number() * left.offset_m) * left_of_image.factor);
  return with_ground_way(straight, (1 / length) * to_point, way);
}

}  // namespace tesseray
