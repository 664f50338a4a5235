// SPDX-License-Identifier: GPL-3.0-or-later
// What departs for the roofs: straight, and by way of the ground before them. To what is in sight rays that the ground
// reflects go by its tiles (bounce.cpp), but where roofs come near.
#include <algorithm>
#include <optional>

#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/rays/local_mean.h"
#include "core/propagation/rooftops/rooftop_line.h"

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

}  // namespace

RooftopWaves::GroundWay RooftopWaves::way_from_image(const PlaneImage& image, Vec3 to) const {
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

Link::Departure RooftopWaves::with_ground_way(const Link::Departure& straight, Vec3 direction, const GroundWay& way,
                                              double in_step) const {
  const Complex factor = exp_j(-link_.wave_number() * way.longer_m) * way.factor;
  const auto both = [&](const ComplexVec3& ahead, const ComplexVec3& down) {
    const Link::Surface& ground = link_.surface(environment_.scene.default_materials.ground);
    const ComplexVec3 reflected = reflected_by_grazed_ground(ground, down, way.departure, way.normal);
    const PlaneParts there = parts_of(ahead, direction), by_ground = parts_of(reflected, way.arrival);
    return field_of({together(there.across, factor * by_ground.across, in_step),
                     together(there.upright, factor * by_ground.upright, in_step)},
                    direction);
  };
  Link::Departure departure{both(straight.field, link_.depart(way.departure).field), straight.relative_gain};
  const double isotropic =
      squared_norm(both(link_.depart_without_pattern(direction), link_.depart_without_pattern(way.departure)));
  if (isotropic > 0) departure.relative_gain = squared_norm(departure.field) / isotropic;
  return departure;
}

double RooftopWaves::vegetation_by_ground(const GroundWay& way, Vec3 to) const {
  const Vec3 antenna = transmitter_.position;
  return vegetation_.amplitude(antenna, way.place) * vegetation_.amplitude(way.place, to) /
         vegetation_.amplitude(antenna, to);
}

std::optional<RooftopWaves::GroundWay> RooftopWaves::way_before_roofs(Vec3 target, const RooftopPath& path,
                                                                      Workspace& work) const {
  if (!path.by_ground || !(norm(path.by_ground->ratio) > negligible)) return std::nullopt;
  const Vec3 antenna = transmitter_.position, edge = path.edges.front();
  const PlaneImage& image = path.by_ground->image;
  GroundWay way = way_from_image(image, edge);
  way.factor =
      (vegetation_by_ground(way, edge) * path.length_m / (path.length_m + way.longer_m)) * path.by_ground->ratio;
  // Roofs next to the edge act as one with it. They stand on an earth that bends away.
  const double distance = norm(edge.xy() - image.point.xy()), left_m = distance - beside_roof_edge_m;
  if (path.passes_roofs && left_m > beside_roof_edge_m) {
    const double bulge_m = RooftopLine(antenna, target, 0).bulge_at(norm(edge.xy() - antenna.xy()));
    const Vec3 before_edge = image.point + (left_m / distance) * (edge - Vec3{0, 0, bulge_m} - image.point);
    way.factor =
        environment_.over_rooftops.left_beside_strips(image, antenna, before_edge, link_.wavelength_m(), work) *
        way.factor;
  }
  return way;
}

Link::Departure RooftopWaves::departure_towards_roofs(const Link::Departure& straight, const RooftopPath& path,
                                                      const std::optional<GroundWay>& by_ground) const {
  if (!by_ground) return straight;
  double in_step = view_.summation == Summation::coherent ? 1 : 0;
  if (view_.summation == Summation::local_mean) {
    // In sight the wave along the ground is one field, of which this is a part (sight_along_ground.cpp).
    in_step =
        path.is_in_sight ? 1 : coherence(path.departure, by_ground->departure, by_ground->normal, link_.wave_number());
  }
  return with_ground_way(straight, path.departure_to_keller_point, *by_ground, in_step);
}

bool RooftopWaves::sees_ground_behind(const StraightWay& straight_way, Vec3 edge, const PlaneImage& image,
                                      Vec3 point) const {
  const Vec3 on_ground = 0.5 * (image.point + transmitter_.position);
  const Vec3 edge_image = mirrored(edge, on_ground, image.normal), way = point - edge_image;
  const Vec3 place = edge_image + (dot(on_ground - edge_image, image.normal) / dot(way, image.normal)) * way;
  const double ground_z = environment_.over_rooftops.view().terrain.height_at(place.xy());
  return straight_way.occlusion.is_free(transmitter_.position,
                                        {place.x, place.y, std::max(place.z, ground_z) + in_front_m});
}

bool RooftopWaves::sees_reflection_on_tile(const StraightWay& way, std::uint32_t ground, Vec3 target) const {
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 antenna = transmitter_.position, to_image = mirrored(target, tile.centroid, tile.normal) - antenna;
  const double above_m = dot(antenna - tile.centroid, tile.normal);
  if (!(above_m > 0)) return false;
  const Vec3 place = antenna - above_m / dot(to_image, tile.normal) * to_image + in_front_m * tile.normal;
  return way.occlusion.is_free(antenna, place) && way.occlusion.is_free(place, target);
}

std::optional<Link::Departure> RooftopWaves::departure_with_ground(const StraightWay& straight_way,
                                                                   const Link::Departure& straight,
                                                                   std::uint32_t number, Vec3 point, LeftOfRay left,
                                                                   Workspace& work) const {
  const TargetPoints& points = environment_.points;
  const Vec3 antenna = transmitter_.position, to_point = point - antenna;
  const double distance = norm(to_point.xy()), length = norm(to_point);
  // What is reflected at a ground tile itself has not met the ground before; to the target over it the reflection is
  // the companion.
  if (!roofs_count_in_sight(straight_way) || !view_.is_antenna_over_ground ||
      setting_.ground_below(number) != no_index || points.is_edge(number) ||
      distance < rooftop_detail::least_horizontal_distance_m) {
    return std::nullopt;
  }
  const RooftopLine line(antenna, point, 0);
  const GroundBeforeEdge ground = ground_before(environment_.over_rooftops.view().terrain, line, {distance, point.z});
  if (!ground.reflects) return std::nullopt;
  const PlaneImage image = image_in(ground, antenna, line.direction);
  const auto left_from_image = [&](bool past_both_ends) {
    RooftopRays rays = search_rays();
    rays.from = image.point;
    rays.may_reflect = past_both_ends;
    return environment_.over_rooftops.left_in_sight(rays, target_at(number, point),
                                                    OverRooftopPaths::WayInSight::by_ground, work);
  };
  OverRooftopPaths::FieldPastRoofs left_of_way = left_from_image(true);
  if (!left_of_way.first_edge) return std::nullopt;
  // Behind the roofs the reflection is that of the tile there, of the antenna's ray or, where the roofs hide it, of one
  // over them.
  const Vec3 place = way_from_image(image, point).place;
  const bool is_before_roofs = norm(place.xy() - antenna.xy()) < norm(left_of_way.first_edge->xy() - antenna.xy());
  if (!is_before_roofs) return std::nullopt;
  if (!sees_ground_behind(straight_way, *left_of_way.first_edge, image, point)) left_of_way = left_from_image(false);
  GroundWay way = way_from_image(image, *left_of_way.first_edge);
  way.longer_m = norm(point - image.point) - length;
  way.factor = (vegetation_by_ground(way, point) * length / (length + way.longer_m) / left.amplitude) *
               (exp_j(link_.wave_number() * left.offset_m) * left_of_way.factor);
  const Vec3 direction = (1 / length) * to_point;
  double in_step = view_.summation == Summation::coherent ? 1 : 0;
  if (view_.summation == Summation::local_mean) {
    in_step = coherence(direction, normalized(point - image.point), image.normal, link_.wave_number());
  }
  return with_ground_way(straight, direction, way, in_step);
}

}  // namespace tesseray
