// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/rooftop_waves.h"

#include <cmath>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/launching/ray_path.h"
#include "core/propagation/rooftops/rooftop_line.h"

namespace tesseray {
namespace {

// Farther aside the roof is another one.
constexpr double edge_half_length_m = 30;

// The field that arrives, from the one that departs: its level part and the one upright to that, turned from leg to
// leg.
ComplexVec3 carried_over(const ComplexVec3& field, const RooftopPath& path) {
  const auto level = [](Vec3 direction) { return normalized(cross(direction, Vec3{0, 0, 1})); };
  const Vec3 before = level(path.departure_to_keller_point), after = level(path.arrival);
  const Complex upright = dot(field, cross(before, path.departure_to_keller_point));
  return (path.horizontal * dot(field, before)) * after + (path.vertical * upright) * cross(after, path.arrival);
}

// What comes over one edge to a point behind it, over a wave that spreads from the edge as the incident one would: the
// screen's factor with its phase on the way over the edge.
Complex behind_edge(Vec3 before, Vec3 edge, Vec3 point, double wave_number) {
  const double to_edge = norm(edge.xy() - before.xy()), from_edge = norm(point.xy() - edge.xy());
  const double clearance = edge.z - (before.z + (point.z - before.z) * to_edge / (to_edge + from_edge));
  const double nu = fresnel_parameter(clearance, to_edge, from_edge, 2 * pi / wave_number);
  return knife_edge_factor(nu) * exp_j(0.5 * pi * nu * nu);
}

// The image of a point in a plane of the ground, carried along the line from the antenna to it until it is below the
// point: what a slope mirrors lies aside, uphill in the next house maybe, and nothing behind the point is in the way.
Vec3 image_below(Vec3 antenna, Vec3 point, Vec3 on_ground, Vec3 normal) {
  const Vec3 image = mirrored(point, on_ground, normal);
  const RooftopLine line(antenna, point, 0);
  // Nearly below each other there is no line to carry it along.
  constexpr double least_part = 0.5;
  if (!(line.distance_of(image) > least_part * line.length_m)) return image;
  return {point.x, point.y, line.height_at_end({0, antenna.z}, image)};
}

// How much longer the way over some edges is than the straight one to the paraxial wave, by which the screens' factor
// has its phase: by the squares of the heights (docs/physics.md §6).
double paraxial_detour_m(Vec3 from, const std::vector<Vec3>& edges, Vec3 to) {
  const auto by_height_m = [](Vec3 a, Vec3 b) { return 0.5 * (b.z - a.z) * (b.z - a.z) / norm(b.xy() - a.xy()); };
  double detour_m = -by_height_m(from, to);
  Vec3 before = from;
  for (const Vec3 edge : edges) {
    detour_m += by_height_m(before, edge);
    before = edge;
  }
  return detour_m + by_height_m(before, to);
}

// Of what has come `before_m` to the level edge at a place, across which it goes on along `direction`.
VirtualSource source_at_edge(Vec3 place, Vec3 direction, double before_m) {
  VirtualSource source;
  source.point = place - before_m * direction;
  source.edge_midpoint = place;
  source.edge_direction = normalized(cross(direction, Vec3{0, 0, 1}));
  source.edge_half_length_m = edge_half_length_m;
  return source;
}

}  // namespace

RooftopWaves::RooftopWaves(const LaunchSetting& setting)
    : setting_(setting),
      environment_(setting.environment),
      transmitter_(setting.transmitter),
      link_(setting.link),
      limits_(setting.limits),
      vegetation_(setting.vegetation),
      view_(setting.view),
      permittivities_(setting.link.permittivities()),
      roof_(environment_.over_rooftops.roof_at(transmitter_.position)) {}

RooftopRays RooftopWaves::search_rays() const {
  const Polarization polarization = transmitter_.polarization;
  const double horizontal_share = polarization == Polarization::vertical     ? 0
                                  : polarization == Polarization::horizontal ? 1
                                                                             : 0.5;
  return {transmitter_.position,     link_.wavelength_m(), permittivities_, roof_,
          limits_.may_reflect(0, 0), horizontal_share};
}

RooftopTarget RooftopWaves::target_at(std::uint32_t number, Vec3 point) const {
  RooftopTarget target{point};
  if (environment_.points.is_edge(number)) {
    // Its own roof is none before it.
    if (environment_.view.edge(number).kind == EdgeKind::roof) target.normal = {0, 0, 1};
    return target;
  }
  const bool is_tile = environment_.points.is_tile(number);
  if (!is_tile) target.roof = environment_.over_rooftops.roof_at(target.point);
  const std::uint32_t below = is_tile ? number : setting_.receiver_ground(number);
  if (below == no_index) return target;
  const Tile& tile = environment_.tiling.tiles[below];
  target.centroid = tile.centroid;
  target.normal = tile.normal;
  target.is_over_ground = tile.kind == SurfaceKind::ground;
  return target;
}

RooftopTarget RooftopWaves::target_in_sight(std::uint32_t number) const {
  RooftopTarget target = target_at(number, environment_.points.arrival(number));
  const std::uint32_t ground = setting_.ground_before(number);
  if (target.is_over_ground || ground == no_index) return target;
  const Tile& tile = environment_.tiling.tiles[ground];
  target.centroid = tile.centroid;
  target.normal = tile.normal;
  target.is_over_ground = true;
  return target;
}

bool RooftopWaves::find(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const {
  if (!environment_.over_rooftops.find(search_rays(), target, environment_.options.over_rooftop, work, wave.path)) {
    return find_over_parts_in_air(target, work, wave);
  }
  return complete(target, work, wave);
}

bool RooftopWaves::find_over_parts_in_air(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const {
  return environment_.over_rooftops.find_over_parts_in_air(search_rays(), target, environment_.options.over_rooftop,
                                                           work, wave.path) &&
         complete_over(target, work, wave);
}

bool RooftopWaves::complete(const RooftopTarget& target, Workspace& work, RooftopWave& wave) const {
  const bool is_in_the_way = !wave.path.is_in_sight && environment_.over_rooftops.meets_part_in_air(
                                                           transmitter_.position, wave.path, target.point);
  return is_in_the_way ? find_over_parts_in_air(target, work, wave) : complete_over(target, work, wave);
}

bool RooftopWaves::complete_over(const RooftopTarget& to, Workspace& work, RooftopWave& wave) const {
  const Vec3 target = to.point;
  wave.end = target;
  RooftopPath& path = wave.path;
  const std::optional<GroundWay> by_ground = way_before_roofs(target, path, work);
  const Link::Departure departure =
      departure_towards_roofs(link_.depart(path.departure_to_keller_point), path, by_ground);
  const double length_m = path.is_in_sight ? norm(target - transmitter_.position) : path.length_m;
  const Vec3 last = path.edges.back();
  wave.source = source_at_edge(last, path.arrival, path.length_m - norm(target - last));
  wave.source.offset_m = length_m - path.length_m;
  follow_ground(to, by_ground, work, wave);
  ComplexVec3 field = field_over(path, departure.field, target, length_m);
  follow_ground_beside_roofs(to, work, wave, field);
  wave.strength = (1.0 / leg_to(wave.source, target).amplitude) * field;
  wave.departure_gain = departure.relative_gain;
  wave.vegetation = path.is_in_sight ? 1 : vegetation_over(path);
  return squared_norm(field) * (wave.vegetation * wave.vegetation) > 0;
}

ComplexVec3 RooftopWaves::field_over(const RooftopPath& path, const ComplexVec3& departing, Vec3 target,
                                     double length_m) const {
  // The factors have in their phase how much longer the way is than the straight line; rays have it in their length.
  const double turn_m =
      path.is_in_sight ? 0 : paraxial_detour_m(transmitter_.position, path.edges, target) - path.length_m + length_m;
  return (1.0 / norm(target - transmitter_.position)) *
         (exp_j(link_.wave_number() * turn_m) * carried_over(departing, path));
}

FresnelCoefficients RooftopWaves::reflected_by_ground(Vec3 direction, Vec3 normal, Complex factor) const {
  const Link::Surface& ground = link_.surface(environment_.scene.default_materials.ground);
  const FresnelCoefficients gamma = fresnel(ground.permittivity, std::fabs(dot(direction, normal)));
  const Complex reflected = specular_factor_of_grazed_ground(ground, direction, normal) * factor;
  return {reflected * gamma.te, reflected * gamma.tm};
}

RooftopWaves::ReflectionBehind RooftopWaves::reflection_behind(const RooftopTarget& target,
                                                               const RooftopWave& wave) const {
  const RooftopPath& path = wave.path;
  const Vec3 normal = ground_normal_behind(path, target.point, target.centroid, target.normal);
  const Vec3 image = mirrored(target.point, target.centroid, normal);
  const Leg leg = leg_to(wave.source, target.point), to_image = leg_to(wave.source, image);
  const double phase = link_.wave_number() * (to_image.length_m - leg.length_m);
  const Complex ratio = path.target_image_ratio ? *path.target_image_ratio
                                                : behind_last_edge(path, image) / behind_last_edge(path, target.point);
  const Complex by_way = (to_image.amplitude / leg.amplitude) * exp_j(-phase);
  return {.at_ratio_one = reflected_by_ground(to_image.direction, normal, by_way),
          .ratio = ratio,
          .phase = phase,
          .direction = leg.direction,
          .arrival = mirrored(to_image.direction, normal),
          .normal = normal,
          .reflects = dot(to_image.direction, normal) < 0 &&
                      dot(wave.source.edge_midpoint - target.centroid, normal) >= -in_ground_plane_m};
}

void RooftopWaves::follow_ground(const RooftopTarget& target, const std::optional<GroundWay>& by_ground,
                                 Workspace& work, RooftopWave& wave) const {
  RooftopPath& path = wave.path;
  // Its phases are those of ways that add up in amplitude.
  if (path.is_in_sight || !target.is_over_ground || !uneven_ground_counts_in_sight()) return;
  // On the ground itself, at the middle of a tile that reflects, both cancel: what is left is rounding.
  if (dot(target.point - target.centroid, target.normal) <= in_ground_plane_m) return;
  const Vec3 antenna = transmitter_.position;
  std::vector<Vec2> over{{0, antenna.z}};
  for (const Vec3 edge : path.edges) over.push_back({norm(edge.xy() - antenna.xy()), edge.z});
  over.push_back({norm(target.point.xy() - antenna.xy()), target.point.z});
  const ReflectionBehind behind = reflection_behind(target, wave);
  // Where it is that much later, it is a way of its own.
  const double in_step = std::clamp(2 - behind.phase / (0.5 * pi), 0.0, 1.0);
  const RooftopRays rays = search_rays();
  const WaveOverGround along = whole_wave_over_ground(rays, target, over, in_step, work);
  if (!(along.share > 0)) return;
  FresnelCoefficients before;
  if (by_ground) {
    before = reflected_by_ground(by_ground->departure, by_ground->normal,
                                 exp_j(-link_.wave_number() * by_ground->longer_m) * by_ground->factor);
  }
  const Complex one{1, 0};
  const auto follow = [&](Complex& factor, Complex whole, Complex by_ground_before, Complex by_ground_behind) {
    const Complex ways = (one + by_ground_before) * (one + by_ground_behind);
    if (squared_norm(ways) > 0) factor = factor + along.share * (whole / ways - factor);
  };
  if (rays.horizontal_share > 0)
    follow(path.horizontal, along.horizontal, before.te, behind.ratio * behind.at_ratio_one.te);
  if (rays.horizontal_share < 1)
    follow(path.vertical, along.vertical, before.tm, behind.ratio * behind.at_ratio_one.tm);
}

WaveOverGround RooftopWaves::whole_wave_over_ground(const RooftopRays& rays, const RooftopTarget& target,
                                                    std::span<const Vec2> over, double in_step, Workspace& work) const {
  const OverRooftopPaths& rooftops = environment_.over_rooftops;
  WaveOverGround earth, crests;
  if (RooftopLine::is_curved(over.back().x)) earth = rooftops.wave_over_earth(rays, target, over, work);
  if (earth.share < 1 && in_step > 0) crests = rooftops.wave_behind_crests(rays, target, over, work);
  const double by_crests = (1 - earth.share) * in_step * crests.share, share = earth.share + by_crests;
  if (!(share > 0)) return {};
  const auto mixed = [&](Complex over_earth, Complex behind_crests) {
    return (1 / share) * (earth.share * over_earth + by_crests * behind_crests);
  };
  return {share, mixed(earth.horizontal, crests.horizontal), mixed(earth.vertical, crests.vertical)};
}

double RooftopWaves::vegetation_over(const RooftopPath& path) const {
  double amplitude = 1;
  Vec3 from = transmitter_.position;
  for (const Vec3 edge : path.edges) {
    amplitude *= vegetation_.amplitude(from, edge);
    from = edge;
  }
  return amplitude;
}

Vec3 RooftopWaves::ground_normal_behind(const RooftopWave& wave, std::uint32_t number) const {
  const std::uint32_t ground = setting_.ground_before(number);
  if (ground == no_index) return {};
  const Tile& tile = environment_.tiling.tiles[ground];
  return ground_normal_behind(wave.path, environment_.points.arrival(number), tile.centroid, tile.normal);
}

Vec3 RooftopWaves::ground_normal_behind(const RooftopPath& path, Vec3 target, Vec3 centroid, Vec3 normal) const {
  const Vec3 antenna = transmitter_.position, last = path.edges.back();
  const RooftopLine line(antenna, target, 0);
  const Vec2 edge{norm(last.xy() - antenna.xy()), last.z};
  return tesseray::ground_normal_behind(environment_.over_rooftops.view().terrain, line, edge, path.is_straight_behind,
                                        centroid, normal);
}

Complex RooftopWaves::behind_last_edge(const RooftopPath& path, Vec3 point) const {
  const std::vector<Vec3>& edges = path.edges;
  const Vec3 before = edges.size() > 1 ? edges[edges.size() - 2] : transmitter_.position;
  return behind_edge(before, edges.back(), point, link_.wave_number());
}

LeftOfRay RooftopWaves::left_by_way_of_ground(const RooftopWave& wave, std::uint32_t number, Vec3 normal) const {
  const std::uint32_t ground = setting_.ground_below(number);
  if (ground == no_index) return {};
  const auto left = [&](Complex ratio) { return LeftOfRay{norm(ratio), link_.seeming_length_m(ratio)}; };
  if (wave.path.target_image_ratio) return left(*wave.path.target_image_ratio);
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 target = environment_.points.arrival(number);
  return left(behind_last_edge(wave.path, mirrored(target, tile.centroid, normal)) /
              behind_last_edge(wave.path, target));
}

RooftopWaves::WayByGroundBelow RooftopWaves::way_by_ground_below(const RooftopWave& wave, std::uint32_t number) const {
  const Vec3 normal = ground_normal_behind(wave, number),
             foot = environment_.tiling.tiles[setting_.ground_before(number)].centroid;
  const Vec3 image = mirrored(wave.end, foot, normal), edge = leg_to(wave.source, image).from;
  // The edge may lie in that plane.
  const double above_m = dot(edge - foot, normal), below_m = dot(wave.end - foot, normal);
  const double part = above_m > 0 && below_m > 0 ? above_m / (above_m + below_m) : 0.0;
  return {edge, edge + part * (image - edge)};
}

LeftOfRay RooftopWaves::left_of_way(OverRooftopPaths::WayInSight way, const RooftopTarget& target,
                                    Workspace& work) const {
  const OverRooftopPaths::FieldPastRoofs left =
      environment_.over_rooftops.left_in_sight(search_rays(), target, way, work);
  return {norm(left.factor), link_.seeming_length_m(left.factor), left.first_edge.has_value(), left.is_one_edge};
}

LeftOfRay RooftopWaves::left_by_roofs(const StraightWay& way, std::uint32_t number, Vec3 point, Workspace& work) const {
  if (!roofs_count_in_sight(way)) return {};
  return left_of_way(OverRooftopPaths::WayInSight::straight, target_at(number, point), work);
}

LeftOfRay RooftopWaves::left_of_companion(const StraightWay& way, std::uint32_t number, Workspace& work) const {
  const std::uint32_t ground = setting_.ground_before(number);
  if (!roofs_count_in_sight(way) || ground == no_index) return {};
  const Tile& tile = environment_.tiling.tiles[ground];
  RooftopTarget image = target_in_sight(number);
  image.point = image_below(transmitter_.position, image.point, tile.centroid, tile.normal);
  return left_of_way(OverRooftopPaths::WayInSight::by_ground, image, work);
}

Vec3 departure_over_rooftops(const Tiling& tiling, Vec3 antenna, const FirstLevelRecord::FirstEdge& first,
                             const InteractionChain& chain, Vec3 target) {
  const Vec3 way = first.place - antenna, direction = normalized(way);
  if (!first.is_only) return direction;
  const VirtualSource source = source_at_edge(first.place, direction, norm(way));
  return normalized(trace_chain(tiling, chain, source, target).front() - antenna);
}

}  // namespace tesseray
