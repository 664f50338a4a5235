// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/scattering_tiles.h"

#include <algorithm>
#include <cmath>

#include "core/propagation/rays/surface_materials.h"
#include "core/propagation/scattering/scattering_lobes.h"
#include "core/propagation/scattering/tile_parts.h"
#include "core/propagation/tubes/ray_ending.h"

namespace tesseray {

void DiffusePower::add(double ray_power, double departure_gain, double ray_length_m) {
  power += ray_power;
  basic += ray_power / std::max(departure_gain, 1e-6);
  length += ray_power * ray_length_m;
  squared_length += ray_power * ray_length_m * ray_length_m;
  first_length_m = rays == 0 ? ray_length_m : std::min(first_length_m, ray_length_m);
  ++rays;
}

void DiffusePower::add(double times, const DiffusePower& others) {
  power += times * others.power;
  basic += times * others.basic;
  length += times * others.length;
  squared_length += times * others.squared_length;
  rays += others.rays;
}

void DiffusePower::take_out(const DiffusePower& some) {
  rays -= some.rays;
  if (rays == 0) {
    *this = {};
    return;
  }
  power -= some.power;
  basic -= some.basic;
  length -= some.length;
  squared_length -= some.squared_length;
  from_near_antenna -= some.from_near_antenna;
}

std::uint64_t ScatteringTiles::bytes_per_tile(const RayLaunchingOptions& options) {
  if (options.max_scatterings == 0) return 0;
  std::uint64_t per_kind = sizeof(DiffusePower);
  if (options.wideband) per_kind += sizeof(DirectionMoments);
  if (options.scattering_lobe_exponent > 0) {
    per_kind += lobe_coefficients(options.scattering_lobe_exponent) * sizeof(double);
  }
  const bool keeps_tubes = options.rays_per_receiver > 0 && options.scattered_rays;
  return after_scattering_kinds(options.max_after_scattering) * per_kind + ScatteringColumns::bytes_per_tile +
         (keeps_tubes ? sizeof(std::vector<ScatteredTube>) : 0);
}

std::uint64_t ScatteringTiles::bytes_per_number(const RayLaunchingOptions& options) {
  return options.max_scatterings > 0 ? ScatteringColumns::bytes_per_number : 0;
}

ScatteringTiles::ScatteringTiles(const LaunchSetting& setting, const LaunchArrivals& arrivals)
    : setting_(setting),
      environment_(setting.environment),
      link_(setting.link),
      arrivals_(arrivals),
      scattered_rays_(environment_.options.scattered_rays && environment_.options.max_scatterings > 0
                          ? environment_.options.rays_per_receiver
                          : 0,
                      environment_.points.tile_count()) {
  if (!setting_.limits.may_scatter(0, 0)) return;
  const std::size_t kinds = after_scattering_kinds(environment_.options.max_after_scattering);
  diffuse_.resize(environment_.points.tile_count(), kinds);
  columns_ = ScatteringColumns(environment_.scene, environment_.tiling, environment_.points, link_,
                               setting_.limits.may_reflect(0, 0));
  if (environment_.options.wideband) diffuse_departures_.resize(diffuse_.size() * kinds);
  if (const int exponent = environment_.options.scattering_lobe_exponent; exponent > 0) {
    directive_lobes_.resize(diffuse_.size() * kinds * lobe_coefficients(exponent));
  }
  scattering_view_ = {.launch = setting_.view,
                      .columns = columns_.view(),
                      .model = environment_.options.scattering_model,
                      .cross_polarization = environment_.options.cross_polarization,
                      .received_fraction = link_.received_fraction(),
                      .kinds = kinds,
                      .powers = diffuse_.data(),
                      .lobe_exponent = environment_.options.scattering_lobe_exponent,
                      .directive_lobes = directive_lobes_.empty() ? nullptr : directive_lobes_.data()};
}

void ScatteringTiles::take_in(const Tube& tube, std::uint32_t tile_number) {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const auto [own_power, gain, from_near_antenna] = incidence(tube, tile);
  if (!(own_power > 0)) return;
  const double power = static_cast<double>(tube.stands_for) * own_power;
  const unsigned kinds = may_follow(tube);
  for (std::size_t kind = 0; kind < diffuse_.kinds(); ++kind) {
    if ((kinds >> kind & 1u) == 0) continue;
    const auto after = static_cast<AfterScattering>(kind);
    DiffusePower& taken_in = diffuse_.at(tile_number, after);
    taken_in.add(power, gain, tube.length_m);
    taken_in.from_near_antenna += from_near_antenna;
    if (environment_.options.scattering_lobe_exponent > 0) add_directive_lobe(tube, tile_number, after, power);
    collect_departures(tube, tile_number, power, after);
  }
  if (scattered_rays_.wanted()) {
    scattered_rays_.add(
        tile_number, {own_power, tube.length_m, tube.chain, static_cast<std::uint8_t>(kinds), from_near_antenna > 0});
  }
}

unsigned ScatteringTiles::may_follow(const Tube& tube) const {
  unsigned kinds = 0;
  for (std::size_t kind = 0; kind < (tube.chain.over_rooftops ? 1 : diffuse_.kinds()); ++kind) {
    const auto after = static_cast<AfterScattering>(kind);
    if (setting_.limits.may_scatter(after, tube.reflections, tube.diffractions)) kinds |= 1u << kind;
  }
  return kinds;
}

void ScatteringTiles::take_in(const TubeGroup& arrived) {
  for (const Tube* const tube : arrived.tubes) {
    if (tube->chain.is_scattered() || !setting_.limits.may_scatter(tube->reflections, tube->diffractions)) continue;
    take_in(*tube, arrived.element);
  }
}

DiffuseIncidence ScatteringTiles::incidence(const Tube& tube, const Tile& tile) const {
  const double cosine = -dot(tube.direction, tile.normal);
  if (!(cosine > 0)) return {};
  const auto gain = static_cast<double>(tube.departure_gain);
  const double near_m = columns_.near_m(tube.element);
  const bool is_from_point = !tube.source.is_edge();
  const bool is_near = is_from_point && norm(tile.centroid - tube.source.point) < near_m;
  const bool is_straight = is_from_point && tube.chain.length == 0;
  if (is_straight && (is_near || setting_.is_pattern_near(tube.element))) {
    return incidence_from_antenna(tube, tile, is_near);
  }
  double power = tube.path_gain / static_cast<double>(tube.stands_for) / link_.unit_gain() * cosine;
  if (!is_from_point) {
    power *= nearness_of_edge(leg_to(tube.source, tile.centroid).from - tile.centroid, tile, near_m);
  } else if (is_near) {
    power = squared_norm(tube.strength) * (tube.attenuation * tube.attenuation) *
            mean_taken_in(tube.source.point, tile, near_m, [](Vec3) { return 1.0; });
  }
  return {power * reflectance_at_incidence(scattering_view_, tube.element, cosine), gain};
}

DiffuseIncidence ScatteringTiles::incidence_from_antenna(const Tube& tube, const Tile& tile, bool is_near) const {
  auto gain = static_cast<double>(tube.departure_gain);
  const double without_pattern = gain > 0 ? squared_norm(tube.strength) / gain : 1.0;
  if (setting_.is_pattern_near(tube.element)) {
    const double near_m = setting_.pattern_near_m(tile);
    const auto mean = [&](const auto& gain_along) {
      return mean_taken_in(tube.source.point, tile, near_m, gain_along);
    };
    const double seen = mean([](Vec3) { return 1.0; });
    if (!(seen > 0)) return {};
    gain = mean([&](Vec3 way) { return link_.transmit_gain(normalized(way)); }) / seen;
  }
  // As a float, so that diffuse_density() has the same bits of what is taken in.
  const auto sent = static_cast<float>(without_pattern * (tube.attenuation * tube.attenuation));
  const double taken_in = TileBeforeAntenna(scattering_view_, tube.element).mean_taken_in();
  return {static_cast<double>(sent) * taken_in, gain, is_near ? sent : 0.0f};
}

double ScatteringTiles::reflectance(const Tile& tile, double cosine) const {
  return columns_.reflectances().at(surface_material(environment_.scene, tile), cosine);
}

void ScatteringTiles::add_directive_lobe(const Tube& tube, std::uint32_t tile_number, AfterScattering after,
                                         double power) {
  const int exponent = environment_.options.scattering_lobe_exponent;
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const std::size_t coefficients = lobe_coefficients(exponent);
  const std::span lobes(&directive_lobes_[diffuse_.place(tile_number, after) * coefficients], coefficients);
  const auto add = [&](Vec3 direction, double part) {
    const double all_around = directive_lobe_integral(exponent, -dot(direction, tile.normal));
    add_lobe(exponent, part / all_around, mirrored(direction, tile.normal), lobes);
  };
  const Vec3 from = tube.source.point;
  // Near to where it comes from each part of the tile has its own lobe, by what it takes in.
  const Vec3 to_tile = tile.centroid - from;
  const double nearest_m =
      std::max(std::fabs(dot(to_tile, tile.normal)), norm(to_tile) - norm(tile.half_u) - norm(tile.half_v));
  // Twice as many as for powers: a lobe turns faster with the place than these.
  const double near_m = columns_.near_m(tile_number);
  const bool is_near = !tube.source.is_edge() && nearest_m < near_m;
  const int parts = is_near ? 2 * parts_for(near_m, nearest_m) : 1;
  const bool has_pattern = tube.chain.length == 0 && setting_.is_pattern_near(tile_number);
  const auto taken_in = [&](Vec3 point) {
    const Vec3 way = point - from;
    const double distance_m = norm(way), cosine = std::max(0.0, -dot(way, tile.normal) / distance_m);
    const double sent = has_pattern ? link_.transmit_gain((1.0 / distance_m) * way) : 1.0;
    return sent * reflectance_at_incidence(scattering_view_, tile_number, cosine) * cosine / (distance_m * distance_m);
  };
  const double all = parts > 1 ? parts * parts * mean_over_parts(tile, parts, taken_in) : 0.0;
  if (!(all > 0)) return add(tube.direction, power);
  for_each_part(tile.centroid, tile.half_u, tile.half_v, parts, [&](Vec3 point) {
    if (const double part = taken_in(point); part > 0) add(normalized(point - from), power * part / all);
  });
}

void ScatteringTiles::radiate(AfterScattering after, std::span<const std::uint32_t> tiles, Vec3 point,
                              RadiatedRays& rays) const {
  const bool reciprocal = environment_.options.scattering_model == ScatteringModel::reciprocal;
  columns_.radiate(tiles, reciprocal, point, rays);
  if (directive_lobes_.empty()) return;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    rays.density[i] =
        intensity(tiles[i], {rays.x[i], rays.y[i], rays.z[i]}, after) / (rays.length_m[i] * rays.length_m[i]);
  }
}

Link::Departure ScatteringTiles::departure(const InteractionChain& chain, Vec3 direction) const {
  const std::uint32_t tile = chain.elements[0];
  const double crossed = environment_.options.cross_polarization;
  const double share = chain.after == AfterScattering::two_reflections ? 1.0
                       : chain.cross_polarized                         ? crossed
                                                                       : 1 - crossed;
  const double power = share * diffuse_.at(tile, chain.after).power * intensity(tile, direction, chain.after);
  const Vec3 upright = link_.copolar_polarization(direction);
  return {Complex{std::sqrt(power), 0} * (chain.cross_polarized ? cross(direction, upright) : upright), 1.0};
}

ComplexVec3 ScatteringTiles::reflected(const ComplexVec3& incident, Vec3 incidence, const Tile& tile) const {
  const double factor =
      setting_.view.surface(tile).specular_factor * std::sqrt(reflectance(tile, -dot(incidence, tile.normal)));
  const Complex along_normal = dot(incident, tile.normal);
  return factor * (incident - (2.0 * along_normal) * tile.normal);
}

void ScatteringTiles::arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& state) const {
  const InteractionChain& chain = ending.chain;
  const std::uint32_t tile = chain.elements[0];
  const DiffusePower& source = diffuse_.at(tile, chain.after);
  const Leg leg = leg_to(ending.source, environment_.points.arrival(number));
  const double factor = leg.amplitude * ending.attenuation.ray;
  const bool over_edge = ending.source.is_edge();
  // To the first edge, or to the target's image.
  const Vec3 first_stop = over_edge ? leg.from : environment_.points.arrival(number);
  const Vec3 way = mirrored_back(setting_.view.environment, chain, 1, first_stop - ending.source.point);
  const double near = over_edge ? nearness_of_edge(way, environment_.tiling.tiles[tile], columns_.near_m(tile))
                                : nearness(scattering_view_, tile, way);
  const double density = near * squared_norm(ending.strength) * (factor * factor) / source.power;
  if (!(density > 0)) return;
  const DiffuseTarget at_target =
      standing_for(ending.stands_for, diffuse_target(scattering_view_, number, leg.direction, 1.0));
  const bool is_from_ground = last_ground(setting_.view.environment, chain) != no_index;
  const double by_ground = is_from_ground ? 0 : reflected_below(scattering_view_, number, leg.direction);
  DiffuseSum sum;
  add_diffuse(diffuse_.with_ground(tile, chain.after, by_ground), density, leg.length_m, at_target, sum);
  state.sums[setting_.sum_index(number)].add(sum);
  keep_way(number, tile, {chain.elements[1], chain.elements[2]}, density * at_target.gain_factor, by_ground,
           leg.length_m, state, chain.cross_polarized);
  add_wideband(tile, chain.after, density, by_ground, leg.length_m, at_target, number, leg.direction, state);
}

void ScatteringTiles::keep_way(std::uint32_t number, std::uint32_t tile, ElementsAfterScattering by, double gain_factor,
                               double by_ground, double length_m, ThreadArrivals& state, bool cross_polarized) const {
  if (!scattered_rays_.wanted() || !environment_.points.is_receiver(number)) return;
  scattered_rays_.add(
      {number - environment_.points.element_count(), tile, by, gain_factor, by_ground, length_m, cross_polarized},
      state.scattered_ways);
}

void ScatteringTiles::keep_straight_way(std::uint32_t number, std::uint32_t tile, const DiffuseDensity& density,
                                        double gain_factor, double by_ground, double length_m,
                                        ThreadArrivals& state) const {
  if (!scattered_rays_.wanted() || !environment_.points.is_receiver(number)) return;
  const auto keep = [&](double of_density, ScatteredWay::Takes takes) {
    scattered_rays_.add({number - environment_.points.element_count(), tile, nothing_after, of_density * gain_factor,
                         by_ground, length_m, false, takes},
                        state.scattered_ways);
  };
  if (!density.is_near_antenna) return keep(density.of_all, ScatteredWay::Takes::all);
  keep(density.of_antenna, ScatteredWay::Takes::from_near_antenna);
  keep(density.of_others, ScatteredWay::Takes::others);
}

}  // namespace tesseray
