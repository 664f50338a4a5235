// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse scattering by the Effective Roughness model, summed in power (docs/physics.md §7).
//
// What all tubes bring to a tile is one number per tile, so that scattering as the last interaction is a product of
// the (sparse) visibility relation with a vector: each target gathers from the row of the tiles that it sees. One
// further reflection or diffraction is searched for like a tube's, with the scattering tile as a point source.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/scattering.h"
#include "core/propagation/launch.h"
#include "core/propagation/scattering_lobes.h"

namespace tesseray {

namespace {

constexpr std::size_t reflectance_steps = 1024;
// A tile is subdivided for points nearer than this many of its sides (physics.md §7), into at most so many parts each
// way.
constexpr double near_sides = 1.5;
constexpr int most_parts = 8;
constexpr std::size_t rows_per_block = 32;

int parts_for(const Tile& tile, double distance_m) {
  const double near_m = near_sides * tile.side_m();
  if (distance_m >= near_m) return 1;
  return std::clamp(static_cast<int>(std::ceil(near_m / std::max(distance_m, 1e-3))), 2, most_parts);
}

// The mean of value(point) over the centres of parts × parts equal pieces of a tile.
template <class Value>
double mean_over_parts(const Tile& tile, int parts, const Value& value) {
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      const double u = (2.0 * i + 1.0) / parts - 1.0, v = (2.0 * j + 1.0) / parts - 1.0;
      sum += value(tile.centroid + u * tile.half_u + v * tile.half_v);
    }
  }
  return sum / (parts * parts);
}

std::vector<double> tabulate_reflectance(Complex permittivity) {
  std::vector<double> table(reflectance_steps + 2);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = mean_reflectance(permittivity, static_cast<double>(i) / reflectance_steps);
  }
  return table;
}

}  // namespace

void Launch::keep_scattered_way(std::uint32_t number, std::uint32_t tile, std::uint32_t by, double gain_factor,
                                double length_m, ThreadState& state) const {
  if (!scattered_rays_.wanted() || !environment_.points.is_receiver(number)) return;
  scattered_rays_.add({number - environment_.points.element_count(), tile, by, gain_factor, length_m},
                      state.scattered_ways);
}

void Launch::prepare_diffuse() {
  if (environment_.options.max_scatterings == 0) return;
  diffuse_.resize(environment_.points.tile_count());
  if (environment_.options.wideband) diffuse_departures_.resize(diffuse_.size() * after_scattering_kinds);
  if (const int exponent = environment_.options.scattering_lobe_exponent; exponent > 0) {
    directive_lobes_.resize(diffuse_.size() * after_scattering_kinds * lobe_coefficients(exponent));
  }
  for (std::size_t m = 0; m < environment_.scene.materials.size(); ++m) {
    reflectance_tables_.push_back(tabulate_reflectance(link_.surface(static_cast<std::uint16_t>(m)).permittivity));
  }
}

double Launch::reflectance(const Tile& tile, double cosine) const {
  const double place = std::clamp(cosine, 0.0, 1.0) * reflectance_steps;
  const auto i = static_cast<std::size_t>(place);
  const std::vector<double>& table = reflectance_tables_[surface_material(environment_.scene, tile)];
  return table[i] + (place - static_cast<double>(i)) * (table[i + 1] - table[i]);
}

double Launch::diffuse_incidence(const Tube& tube, const Tile& tile) const {
  const double cosine = -dot(tube.direction, tile.normal);
  if (!(cosine > 0)) return 0;
  double power = tube.path_gain / link_.unit_gain() * cosine;
  if (!tube.source.is_edge()) {
    const double distance = norm(tile.centroid - tube.source.point);
    if (const int parts = parts_for(tile, distance); parts > 1) {
      const double mean = mean_over_parts(tile, parts, [&](Vec3 point) {
        const Vec3 way = point - tube.source.point;
        const double squared = squared_norm(way);
        return std::max(0.0, -dot(way, tile.normal)) / (squared * std::sqrt(squared));
      });
      power = squared_norm(tube.strength) * mean * (tube.attenuation * tube.attenuation);
    }
  }
  switch (environment_.options.scattering_model) {
    case ScatteringModel::incident:
      return power;
    case ScatteringModel::reflected:
      return power * reflectance(tile, cosine);
    case ScatteringModel::reciprocal:
      return power * std::sqrt(reflectance(tile, cosine));
  }
  return power;
}

std::size_t Launch::first_lobe_coefficient(std::uint32_t tile, AfterScattering after) const {
  return (std::size_t{tile} * after_scattering_kinds + static_cast<std::size_t>(after)) *
         lobe_coefficients(environment_.options.scattering_lobe_exponent);
}

void Launch::add_directive_lobe(const Tube& tube, std::uint32_t tile_number, AfterScattering after, double power) {
  const int exponent = environment_.options.scattering_lobe_exponent;
  const Vec3 normal = environment_.tiling.tiles[tile_number].normal;
  const double all_around = directive_lobe_integral(exponent, -dot(tube.direction, normal));
  const std::span lobes(&directive_lobes_[first_lobe_coefficient(tile_number, after)], lobe_coefficients(exponent));
  add_lobe(exponent, power / all_around, mirrored(tube.direction, normal), lobes);
}

double Launch::mean_directive_lobe(std::uint32_t tile, Vec3 direction, AfterScattering after) const {
  const int exponent = environment_.options.scattering_lobe_exponent;
  const std::span lobes(&directive_lobes_[first_lobe_coefficient(tile, after)], lobe_coefficients(exponent));
  return lobes_along(exponent, lobes, direction) / diffuse_[tile][after].power;
}

double Launch::diffuse_intensity(std::uint32_t tile_number, Vec3 direction, AfterScattering after) const {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const double cosine = dot(direction, tile.normal);
  if (!(cosine > 0)) return 0;
  const double lobe =
      directive_lobes_.empty() ? lambertian_lobe(cosine) : mean_directive_lobe(tile_number, direction, after);
  const double s = surface(tile).scattering_coefficient;
  const double scattered = tile.area_m2() * s * s * lobe;
  if (environment_.options.scattering_model != ScatteringModel::reciprocal) return scattered;
  return scattered * std::sqrt(reflectance(tile, cosine));
}

double Launch::diffuse_density(std::uint32_t tile_number, Vec3 point) const {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const auto from = [&](Vec3 origin) {
    const Vec3 way = point - origin;
    const double distance = norm(way);
    return diffuse_intensity(tile_number, (1.0 / distance) * way, AfterScattering::nothing) / (distance * distance);
  };
  const int parts = parts_for(tile, norm(point - tile.centroid));
  return parts == 1 ? from(tile.centroid) : mean_over_parts(tile, parts, from);
}

double Launch::ground_factor(std::uint32_t number, Vec3 direction) const {
  if (!environment_.points.is_tile(number)) return 1;
  const Tile& tile = environment_.tiling.tiles[number];
  const double cosine = -dot(direction, tile.normal);
  if (tile.kind != SurfaceKind::ground || cosine <= 0) return 1;
  const double specular = surface(tile).specular_factor;
  return 1.0 + specular * specular * reflectance(tile, cosine);
}

Launch::DiffuseTarget Launch::diffuse_target(std::uint32_t number, Vec3 direction, double vegetation) const {
  const double ground = ground_factor(number, direction);
  const double share = link_.unit_gain() * link_.received_fraction() * ground * (vegetation * vegetation);
  return {look_azimuth(direction), share * link_.receive_gain(direction), share, straight_distance(number),
          ground > 1 ? 2u : 1u};
}

void Launch::DiffuseBeam::add(const DiffusePower& source, double density, double more_m) {
  const double ray_power = density * source.power;
  power += ray_power;
  basic += density * source.basic;
  excess += density * (source.length + more_m * source.power);
  squared_excess += density * (source.squared_length + more_m * (2.0 * source.length + more_m * source.power));
  first_excess_m = std::min(first_excess_m, source.first_length_m + more_m);
  strongest = std::max(strongest, ray_power);
  rays += source.rays;
}

void Launch::add_beam(const DiffuseBeam& beam, const DiffuseTarget& target, DiffuseSum& sum) {
  const double gain = target.gain_factor * beam.power, strongest = target.gain_factor * beam.strongest;
  sum.gain += gain;
  sum.basic_gain += target.basic_factor * beam.basic;
  sum.excess_m += target.gain_factor * beam.excess;
  sum.squared_excess_m2 += target.gain_factor * beam.squared_excess;
  sum.cos_azimuth += gain * target.look.x;
  sum.sin_azimuth += gain * target.look.y;
  sum.first_excess_m = std::min(sum.first_excess_m, beam.first_excess_m);
  sum.rays += beam.rays * target.rays_per_ray;
  if (strongest > sum.strongest_gain) {
    sum.strongest_gain = strongest;
    sum.strongest_cos = target.look.x;
    sum.strongest_sin = target.look.y;
  }
}

void Launch::add_diffuse(const DiffusePower& source, double density, double length_m, const DiffuseTarget& target,
                         DiffuseSum& sum) {
  DiffuseBeam ray;
  ray.add(source, density, length_m - target.straight_distance_m);
  add_beam(ray, target, sum);
}

void Launch::scatter_last(Progress& progress) {
  const TargetPoints& points = environment_.points;
  const auto gather = [&](std::uint32_t number, std::span<const std::uint32_t> row, ThreadState& state) {
    const Vec3 target = points.arrival(number);
    DiffuseSum sum;
    for (std::size_t place = 0; place < row.size(); ++place) {
      const std::uint32_t member = row[place];
      if (!points.is_tile(member)) break;  // tiles come first in a row
      const DiffusePower& source = diffuse_[member][AfterScattering::nothing];
      if (!(source.power > 0)) continue;
      const double density = diffuse_density(member, target);
      if (!(density > 0)) continue;
      const Vec3 origin = environment_.tiling.tiles[member].centroid;
      const Vec3 way = target - origin;
      const double length = norm(way);
      const double vegetation =
          points.is_tile(number) ? vegetation_in_row(number, place, member) : vegetation_.amplitude(origin, target);
      const Vec3 direction = (1.0 / length) * way;
      const DiffuseTarget at_target = diffuse_target(number, direction, vegetation);
      add_diffuse(source, density, length, at_target, sum);
      add_wideband(member, AfterScattering::nothing, density, length, at_target, number, direction, state);
      keep_scattered_way(number, member, no_index, density * at_target.gain_factor, length, state);
    }
    state.sums[sum_index(number)].add(sum);
  };
  parallel_blocks(points.target_tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
      read_row(tile, state);
      gather(tile, state.row, state);
    }
  });
  parallel_blocks(points.receiver_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto r = static_cast<std::uint32_t>(begin); r < end; ++r) {
      const std::uint32_t number = points.element_count() + r;
      gather(number, environment_.receiver_rows.row(r), state);
    }
  });
}

double Launch::worth(AfterScattering after, std::uint32_t element, std::size_t place, std::uint32_t tile) const {
  const DiffusePower& source = diffuse_[tile][after];
  if (!(source.power > 0)) return 0;
  const Vec3 way = environment_.points.reference(element) - environment_.tiling.tiles[tile].centroid;
  const double squared = squared_norm(way);
  const double density = diffuse_intensity(tile, (1.0 / std::sqrt(squared)) * way, after) / squared;
  const double gain = link_.unit_gain() * source.power * density;
  if (!(gain >= link_.least_gain())) return 0;
  const double vegetation = vegetation_in_row(element, place, tile);
  const double left = vegetation * vegetation;
  return gain * left >= link_.least_gain() ? left : 0.0;
}

void Launch::scatter_then_reflect(Progress& progress) {
  parallel_blocks(environment_.points.tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) reflect_diffuse(tile, state);
  });
}

void Launch::reflect_diffuse(std::uint32_t mirror, ThreadState& state) {
  if (!can_arrive_from(mirror)) return;
  const TargetPoints& points = environment_.points;
  const Tile& tile = environment_.tiling.tiles[mirror];
  const TileFrame frame(tile);
  const double specular = surface(tile).specular_factor * surface(tile).specular_factor;
  read_row(mirror, state);
  bool laid_out = false;
  for (std::size_t place = 0; place < state.row.size(); ++place) {
    const std::uint32_t member = state.row[place];
    if (!points.is_tile(member)) break;
    const DiffusePower& source = diffuse_[member][AfterScattering::reflection];
    const double to_mirror = worth(AfterScattering::reflection, mirror, place, member);
    if (!(to_mirror > 0)) continue;
    const Vec3 origin = environment_.tiling.tiles[member].centroid;
    const Vec3 coordinates = frame.coordinates(origin);
    if (!(coordinates.z > 0)) continue;
    if (!laid_out) {
      lay_out_tile_row(environment_.tiling, points, frame, mirror, diffuse_targets_of_row(state),
                       environment_.receiver_rows.seen_from(mirror), state.intervals);
      state.diffuse_sums.assign(state.intervals.size(), {});
      begin_vegetation(mirror, state);
      laid_out = true;
    }
    state.hits.clear();
    find_hits(state.intervals, tile_bounds(coordinates), state.mask, state.hits);
    const Vec3 image = mirrored(origin, tile.centroid, tile.normal);
    for (const std::uint32_t hit : state.hits) {
      const std::uint32_t target = state.intervals.target[hit];
      if ((target & RowTarget::arrives) == 0) continue;
      const std::uint32_t number = target & RowTarget::number_mask;
      const Vec3 way = points.arrival(number) - image;
      const double length = norm(way);
      const Vec3 direction = (1.0 / length) * way;
      const double density = to_mirror * specular * reflectance(tile, dot(direction, tile.normal)) *
                             diffuse_intensity(member, mirrored(direction, tile.normal), AfterScattering::reflection) /
                             (length * length);
      if (!(density > 0)) continue;
      const DiffuseTarget at_target = diffuse_target(number, direction, vegetation_to_member(mirror, hit, state));
      add_diffuse(source, density, length, at_target, state.diffuse_sums[hit]);
      add_wideband(member, AfterScattering::reflection, density, length, at_target, number, direction, state);
      keep_scattered_way(number, member, mirror, density * at_target.gain_factor, length, state);
    }
  }
  if (laid_out) add_diffuse_sums(state);
}

void Launch::scatter_then_diffract(Progress& progress) {
  parallel_blocks(environment_.points.edge_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) diffract_diffuse(e, state);
  });
}

DiffuseEdgeSource Launch::diffuse_edge_source(const Wedge& wedge, const EdgeSegment& edge,
                                              std::uint32_t tile_number) const {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const Vec3 direction = normalized(edge.midpoint - tile.centroid);
  const double cosine = dot(direction, tile.normal);
  const double per_cosine =
      cosine > 0 ? diffuse_intensity(tile_number, direction, AfterScattering::diffraction) / cosine : 0.0;
  return {wedge,
          edge,
          tile,
          per_cosine,
          link_.copolar_polarization(direction),
          environment_.options.cross_polarization,
          link_.wave_number()};
}

void Launch::lay_out_diffuse_edge_row(std::uint32_t edge_number, const Wedge& wedge, ThreadState& state) const {
  const TargetPoints& points = environment_.points;
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const std::uint32_t element = points.tile_count() + edge_number;
  lay_out_edge_row(environment_.tiling, points, edge_number, diffuse_targets_of_row(state),
                   environment_.receiver_rows.seen_from(element), state.intervals);
  begin_vegetation(element, state);
  state.diffuse_beams.assign(state.intervals.size(), {});
  if (!diffuse_departures_.empty()) state.beam_departures.assign(state.intervals.size(), {});
  state.observers.begin(wedge, edge);
  for (const std::uint32_t target : state.intervals.target) {
    state.observers.add(points.arrival(target & RowTarget::number_mask));
  }
}

Launch::DiffuseTarget Launch::diffracted_target(const EdgeSegment& edge, std::uint32_t element, std::uint32_t place,
                                                ThreadState& state) const {
  const std::uint32_t number = state.intervals.target[place] & RowTarget::number_mask;
  return diffuse_target(number, normalized(environment_.points.arrival(number) - edge.midpoint),
                        vegetation_to_member(element, place, state));
}

void Launch::diffract_diffuse(std::uint32_t edge_number, ThreadState& state) {
  const TargetPoints& points = environment_.points;
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const std::uint32_t element = points.tile_count() + edge_number;
  if (!can_arrive_from(element)) return;
  const Wedge wedge = wedge_of(edge);
  read_row(element, state);
  // Only arrivals matter: tiles and receivers.
  std::erase_if(state.row, [&](std::uint32_t member) { return points.is_edge(member); });
  bool laid_out = false;
  for (std::size_t place = 0; place < state.row.size(); ++place) {
    const std::uint32_t member = state.row[place];
    const DiffusePower& source = diffuse_[member][AfterScattering::diffraction];
    const double to_edge = worth(AfterScattering::diffraction, element, place, member);
    if (!(to_edge > 0)) continue;
    const DiffuseEdgeSource at_edge = diffuse_edge_source(wedge, edge, member);
    if (!at_edge.in_air) continue;
    if (!laid_out) {
      lay_out_diffuse_edge_row(edge_number, wedge, state);
      laid_out = true;
    }
    state.hits.clear();
    find_hits(state.intervals, edge_bounds(edge, environment_.tiling.tiles[member].centroid), state.mask, state.hits);
    diffract_diffuse_power(at_edge, state.observers, state.hits, state.diffracted);
    for (std::size_t i = 0; i < state.hits.size(); ++i) {
      const std::uint32_t hit = state.hits[i];
      const double density = to_edge * static_cast<double>(state.diffracted.density[i]);
      if (!(density > 0)) continue;
      const double straight_m = straight_distance(state.intervals.target[hit] & RowTarget::number_mask);
      state.diffuse_beams[hit].add(source, density, static_cast<double>(state.diffracted.length_m[i]) - straight_m);
    }
    if (!diffuse_departures_.empty()) keep_diffracted_departures(member, to_edge, state);
    if (scattered_rays_.wanted()) keep_diffracted_ways(member, edge, element, to_edge, state);
  }
  if (laid_out) add_diffracted_beams(edge, element, state);
}

void Launch::keep_diffracted_ways(std::uint32_t tile, const EdgeSegment& edge, std::uint32_t element, double to_edge,
                                  ThreadState& state) const {
  for (std::size_t i = 0; i < state.hits.size(); ++i) {
    const double density = to_edge * static_cast<double>(state.diffracted.density[i]);
    if (!(density > 0)) continue;
    const std::uint32_t hit = state.hits[i];
    keep_scattered_way(state.intervals.target[hit] & RowTarget::number_mask, tile, element,
                       density * diffracted_target(edge, element, hit, state).gain_factor,
                       static_cast<double>(state.diffracted.length_m[i]), state);
  }
}

void Launch::add_diffuse_sums(ThreadState& state) {
  for (std::size_t i = 0; i < state.diffuse_sums.size(); ++i) {
    if (state.diffuse_sums[i].rays == 0) continue;
    state.sums[sum_index(state.intervals.target[i] & RowTarget::number_mask)].add(state.diffuse_sums[i]);
  }
}

void Launch::add_diffracted_beams(const EdgeSegment& edge, std::uint32_t element, ThreadState& state) {
  for (std::uint32_t place = 0; place < state.diffuse_beams.size(); ++place) {
    if (state.diffuse_beams[place].rays == 0) continue;
    const std::uint32_t number = state.intervals.target[place] & RowTarget::number_mask;
    const DiffuseTarget at_target = diffracted_target(edge, element, place, state);
    DiffuseSum sum;
    add_beam(state.diffuse_beams[place], at_target, sum);
    state.sums[sum_index(number)].add(sum);
    add_wideband(edge, place, at_target, number, state);
  }
}

}  // namespace tesseray
