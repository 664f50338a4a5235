// SPDX-License-Identifier: GPL-3.0-or-later
// A wave over the roofs that has run along uneven ground before the first of them, or does so behind the last one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/reflecting_ground.h"
#include "core/propagation/rooftops/rooftop_line.h"

namespace tesseray {
namespace {

using GroundUpToRoof = OverRooftopPaths::GroundUpToRoof;

}  // namespace

RooftopWaves::GroundWay RooftopWaves::way_up_to_roof(const GroundUpToRoof& ground, Vec3 edge, Complex ratio) const {
  const Vec3 antenna = transmitter_.position;
  GroundWay way;
  way.place = ground.place;
  way.departure = normalized(ground.place - antenna);
  way.arrival = normalized(edge - ground.place);
  // Over a crest the wave bends downwards; it grazes the ground there.
  const Vec3 across = normalized(cross(way.arrival, Vec3{0, 0, 1}));
  const Vec3 bend = way.arrival - way.departure;
  way.normal = bend.z > 0 ? normalized(bend) : cross(across, way.arrival);
  way.longer_m = ground.longer_m;
  const Link::Surface& surface = link_.surface(environment_.scene.default_materials.ground);
  const FresnelCoefficients gamma = fresnel(surface.permittivity, std::fabs(dot(way.departure, way.normal)));
  const double specular = specular_factor_of_grazed_ground(surface, way.departure, way.normal);
  if (!(specular > 0)) return way;
  const Complex as_plane = nearest_factor({ground.horizontal, ground.vertical}, gamma, search_rays().horizontal_share);
  way.factor = (1 / specular) * (exp_j(link_.wave_number() * way.longer_m) * as_plane * ratio);
  return way;
}

RooftopWaves::AsByPlane RooftopWaves::as_by_plane(const ReflectionBehind& by_plane, const GroundUpToRoof& ground,
                                                  Complex ratio, Vec3 target, Vec3 normal) const {
  const bool is_local_mean = view_.summation == Summation::local_mean;
  const auto in_step = [&](Vec3 arrival, Vec3 of_ground) {
    return is_local_mean ? coherence(by_plane.direction, arrival, of_ground, link_.wave_number()) : 1;
  };
  const double of_plane = in_step(by_plane.arrival, by_plane.normal),
               of_ground = in_step(normalized(target - ground.place), normal);
  const auto power_with = [](Complex reflected, double coherence) {
    return 1 + squared_norm(reflected) + interference({1, 0}, reflected, coherence);
  };
  // In step as the plane's reflection is.
  const auto for_plane = [&](Complex reflected) {
    if (!is_local_mean) return reflected;
    const double more = power_with(reflected, of_ground) - 1;
    return Complex{std::sqrt(std::max(of_plane * of_plane + more, 0.0)) - of_plane, 0};
  };
  const double horizontal = by_plane.horizontal_share, vertical = 1 - horizontal;
  const FresnelCoefficients unit = by_plane.reflects ? by_plane.at_ratio_one : FresnelCoefficients{};
  const FresnelCoefficients wished{ratio * ground.horizontal, ratio * ground.vertical};
  AsByPlane as{by_plane.ratio};
  if (by_plane.reflects) as.ratio = nearest_factor({for_plane(wished.te), for_plane(wished.tm)}, unit, horizontal);
  const auto power = [&](Complex te, Complex tm, double coherence) {
    return horizontal * power_with(te, coherence) + vertical * power_with(tm, coherence);
  };
  const double brought = power(as.ratio * unit.te, as.ratio * unit.tm, of_plane);
  if (brought > 0) as.amplitude = std::sqrt(power(wished.te, wished.tm, of_ground) / brought);
  return as;
}

// In step, so that the fields do not cancel between.
RooftopWaves::BesideGround RooftopWaves::between(const BesideGround& first, const BesideGround& second, double share) {
  const ComplexVec3 &a = first.field, &b = second.field;
  const Complex turned = b.x * conj(a.x) + b.y * conj(a.y) + b.z * conj(a.z);
  const double phase = std::atan2(turned.im, turned.re);
  return {(1 - share) * (exp_j(share * phase) * a) + share * (exp_j((share - 1) * phase) * b),
          (1 - share) * first.target_image_ratio + share * second.target_image_ratio};
}

std::optional<RooftopWaves::BesideGround> RooftopWaves::beside_ground(const RooftopTarget& target,
                                                                      const RooftopWave& wave,
                                                                      const GroundBesideRoofs& ground,
                                                                      Workspace& work) const {
  const std::vector<Vec3>& edges = wave.path.edges;
  std::vector<Vec2> crests;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!ground.is_crest[i]) continue;
    if (ground.before && i < ground.first_roof) continue;
    if (ground.behind && i > ground.last_roof) continue;
    crests.push_back({norm(edges[i].xy() - transmitter_.position.xy()), edges[i].z});
  }
  rooftop_detail::GroundAtEnds ends;
  if (ground.before) ends.before.image_below_m = ground.before->image_below_m;
  if (ground.behind) ends.behind.image_below_m = ground.behind->image_below_m;
  RooftopPath path;
  if (!environment_.over_rooftops.find_over_roofs(search_rays(), target, crests, ends, work, path)) return std::nullopt;
  // Without the crests another roof may be the one next to an end.
  const auto is_at = [](Vec3 edge, Vec3 roof) { return norm(edge.xy() - roof.xy()) < in_front_m; };
  if ((ground.before && !is_at(path.edges.front(), edges[ground.first_roof])) ||
      (ground.behind && !is_at(path.edges.back(), edges[ground.last_roof]))) {
    return std::nullopt;
  }
  const Complex transmitter_ratio = work.bends.transmitter_image_ratio, target_ratio = work.bends.target_image_ratio;
  const std::optional<GroundWay> by_ground = ground.before
                                                 ? way_up_to_roof(*ground.before, path.edges.front(), transmitter_ratio)
                                                 : way_before_roofs(target.point, path, work);
  const Link::Departure departure =
      departure_towards_roofs(link_.depart(path.departure_to_keller_point), path, by_ground);
  BesideGround beside{field_over(path, departure.field, target.point, wave.path.length_m), ground.by_plane.ratio};
  if (ground.behind) {
    const AsByPlane as = as_by_plane(ground.by_plane, *ground.behind, target_ratio, target.point, target.normal);
    beside = {as.amplitude * beside.field, as.ratio};
  }
  return beside;
}

void RooftopWaves::follow_ground_beside_roofs(const RooftopTarget& target, Workspace& work, RooftopWave& wave,
                                              ComplexVec3& field) const {
  const OverRooftopPaths& rooftops = environment_.over_rooftops;
  const std::vector<Vec3>& edges = wave.path.edges;
  if (wave.path.is_in_sight || !uneven_ground_counts_in_sight() || rooftops.is_ground_level()) return;
  const Vec3 antenna = transmitter_.position;
  const RooftopLine line(antenna, target.point, 0);
  const auto is_crest_at = [&](Vec3 edge) {
    return is_crest(rooftops.view().terrain, line, {norm(edge.xy() - antenna.xy()), edge.z});
  };
  const auto first = std::find_if_not(edges.begin(), edges.end(), is_crest_at);
  if (first == edges.end()) return;
  const auto last = std::find_if_not(edges.rbegin(), edges.rend(), is_crest_at);
  GroundUpToRoof before, behind;
  RooftopRays rays = search_rays();
  if (view_.is_antenna_over_ground) before = rooftops.ground_up_to_roof(rays, antenna, *first, work);
  if (target.is_over_ground) behind = rooftops.ground_up_to_roof(rays, target.point, *last, work);
  if (!(before.share > 0) && !(behind.share > 0)) return;
  GroundBesideRoofs ground;
  for (const Vec3 edge : edges) ground.is_crest.push_back(is_crest_at(edge));
  ground.first_roof = static_cast<std::size_t>(first - edges.begin());
  ground.last_roof = edges.size() - 1 - static_cast<std::size_t>(last - edges.rbegin());
  if (behind.share > 0) {
    ReflectionBehind& by_plane = ground.by_plane;
    by_plane = reflection_behind(target, wave);
    const Vec3 direction = mirrored(by_plane.arrival, by_plane.normal);
    by_plane.horizontal_share = horizontal_share_at_plane(
        by_plane.normal, by_plane.at_ratio_one, transported(field, direction), direction, rays.horizontal_share);
    if (by_plane.horizontal_share != rays.horizontal_share) {
      rays.horizontal_share = by_plane.horizontal_share;
      behind = rooftops.ground_up_to_roof(rays, target.point, *last, work);
    }
  }
  const BesideGround as_found{field, ground.by_plane.ratio};
  const auto with = [&](const GroundUpToRoof* of_antenna, const GroundUpToRoof* of_target) {
    if (of_antenna == nullptr && of_target == nullptr) return as_found;
    ground.before = of_antenna;
    ground.behind = of_target;
    return beside_ground(target, wave, ground, work).value_or(as_found);
  };
  const auto mixed = [](double share, const auto& without_ground, const auto& with_ground) {
    if (!(share > 0)) return without_ground();
    if (!(share < 1)) return with_ground();
    return between(without_ground(), with_ground(), share);
  };
  const auto with_behind = [&](const GroundUpToRoof* of_target) {
    return mixed(
        before.share, [&] { return with(nullptr, of_target); }, [&] { return with(&before, of_target); });
  };
  const BesideGround found = mixed(
      behind.share, [&] { return with_behind(nullptr); }, [&] { return with_behind(&behind); });
  field = found.field;
  if (behind.share > 0) wave.path.target_image_ratio = found.target_image_ratio;
}

}  // namespace tesseray
