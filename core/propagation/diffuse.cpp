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
#include "core/propagation/edge_incidence.h"
#include "core/propagation/launch.h"

namespace tesseray {

// A diffusely scattered ray on its last leg.
struct Launch::DiffuseRay {
  const DiffusePower& source;
  double density = 0;   // |field|² at the target per unit of source power
  Vec3 direction;       // unit, of travel at the target
  double length_m = 0;  // from the scattering tile to the target
};

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

void Launch::prepare_diffuse() {
  if (environment_.options.max_scatterings == 0) return;
  diffuse_.resize(environment_.points.tile_count());
  for (std::size_t m = 0; m < environment_.scene.materials.size(); ++m) {
    reflectance_tables_.push_back(tabulate_reflectance(link_.permittivity(static_cast<std::uint16_t>(m))));
  }
}

double Launch::reflectance(std::uint16_t material, double cosine) const {
  const double place = std::clamp(cosine, 0.0, 1.0) * reflectance_steps;
  const auto i = static_cast<std::size_t>(place);
  const std::vector<double>& table = reflectance_tables_[material];
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
      power = squared_norm(tube.strength) * mean;
    }
  }
  switch (environment_.options.scattering_model) {
    case ScatteringModel::incident:
      return power;
    case ScatteringModel::reflected:
      return power * reflectance(tile.material, cosine);
    case ScatteringModel::reciprocal:
      return power * std::sqrt(reflectance(tile.material, cosine));
  }
  return power;
}

double Launch::diffuse_intensity(std::uint32_t tile_number, Vec3 direction) const {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const double cosine = dot(direction, tile.normal);
  if (!(cosine > 0)) return 0;
  const double s = environment_.options.scattering_coefficient;
  const double lambertian = tile.area_m2() * s * s * lambertian_lobe(cosine);
  if (environment_.options.scattering_model != ScatteringModel::reciprocal) return lambertian;
  return lambertian * std::sqrt(reflectance(tile.material, cosine));
}

double Launch::diffuse_density(std::uint32_t tile_number, Vec3 point) const {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const auto from = [&](Vec3 origin) {
    const Vec3 way = point - origin;
    const double distance = norm(way);
    return diffuse_intensity(tile_number, (1.0 / distance) * way) / (distance * distance);
  };
  const int parts = parts_for(tile, norm(point - tile.centroid));
  return parts == 1 ? from(tile.centroid) : mean_over_parts(tile, parts, from);
}

void Launch::arrive_diffusely(const DiffuseRay& ray, std::uint32_t number, ArrivalSums& sums) const {
  const double receive_gain = link_.receive_gain(ray.direction);
  double share = link_.unit_gain() * ray.density * link_.copolar_fraction();
  std::uint32_t rays = ray.source.rays;
  if (environment_.points.is_tile(number)) {
    const Tile& tile = environment_.tiling.tiles[number];
    const double cosine = -dot(ray.direction, tile.normal);
    if (tile.kind == SurfaceKind::ground && cosine > 0) {
      // The ground-reflected companion, in power.
      const double specular = link_.specular_factor() * link_.specular_factor();
      share *= 1.0 + specular * reflectance(tile.material, cosine);
      rays *= 2;
    }
  }
  const double mean = ray.source.length / ray.source.power;
  const double mean_square = ray.source.squared_length / ray.source.power;
  const double more = ray.length_m - straight_distance(number);
  sums.add_diffuse(share * receive_gain * ray.source.power, share * ray.source.basic, mean + more,
                   mean_square + more * (2.0 * mean + more), ray.source.first_length_m + more, ray.direction, rays);
}

void Launch::scatter_last(Progress& progress) {
  const TargetPoints& points = environment_.points;
  const auto gather = [&](std::uint32_t number, std::span<const std::uint32_t> row, ArrivalSums& sums) {
    const Vec3 target = points.arrival(number);
    for (const std::uint32_t member : row) {
      if (!points.is_tile(member)) break;  // tiles come first in a row
      const DiffusePower& source = diffuse_[member].any;
      if (!(source.power > 0)) continue;
      const double density = diffuse_density(member, target);
      if (!(density > 0)) continue;
      const Vec3 way = target - environment_.tiling.tiles[member].centroid;
      const double length = norm(way);
      arrive_diffusely({source, density, (1.0 / length) * way, length}, number, sums);
    }
  };
  parallel_blocks(points.tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
      read_row(tile, state);
      gather(tile, state.row, state.sums[sum_index(tile)]);
    }
  });
  parallel_blocks(points.receiver_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto r = static_cast<std::uint32_t>(begin); r < end; ++r) {
      const std::uint32_t number = points.element_count() + r;
      gather(number, environment_.receiver_rows.row(r), state.sums[sum_index(number)]);
    }
  });
}

void Launch::scatter_then_reflect(Progress& progress) {
  const TargetPoints& points = environment_.points;
  parallel_blocks(points.tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto mirror = static_cast<std::uint32_t>(begin); mirror < end; ++mirror) {
      const Tile& tile = environment_.tiling.tiles[mirror];
      const TileFrame frame(tile);
      read_row(mirror, state);
      bool laid_out = false;
      for (const std::uint32_t member : state.row) {
        if (!points.is_tile(member)) break;
        const DiffusePower& source = diffuse_[member].then_reflection;
        const Vec3 origin = environment_.tiling.tiles[member].centroid;
        if (!is_worth(source, member, tile.centroid)) continue;
        const Vec3 coordinates = frame.coordinates(origin);
        if (!(coordinates.z > 0)) continue;
        if (!laid_out) {
          lay_out_tile_row(environment_.tiling, points, frame, mirror, state.row,
                           environment_.receiver_rows.seen_from(mirror), state.intervals);
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
          const double specular = link_.specular_factor() * link_.specular_factor() *
                                  reflectance(tile.material, dot(direction, tile.normal));
          const double density =
              specular * diffuse_intensity(member, mirrored(direction, tile.normal)) / (length * length);
          if (density > 0)
            arrive_diffusely({source, density, direction, length}, number, state.sums[sum_index(number)]);
        }
      }
    }
  });
}

bool Launch::is_worth(const DiffusePower& source, std::uint32_t tile, Vec3 point) const {
  if (!(source.power > 0)) return false;
  const Vec3 way = point - environment_.tiling.tiles[tile].centroid;
  const double squared = squared_norm(way);
  const double density = diffuse_intensity(tile, (1.0 / std::sqrt(squared)) * way) / squared;
  return link_.unit_gain() * source.power * density >= link_.least_gain();
}

void Launch::scatter_then_diffract(Progress& progress) {
  const TargetPoints& points = environment_.points;
  parallel_blocks(points.edge_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) {
      const EdgeSegment& edge = environment_.tiling.edges[e];
      const std::uint32_t element = points.tile_count() + e;
      const Wedge wedge{edge.direction,
                        edge.tangent_0,
                        edge.normal_0,
                        edge.wedge_angle,
                        link_.permittivity(edge.material_0),
                        link_.permittivity(edge.material_n)};
      read_row(element, state);
      bool laid_out = false;
      for (const std::uint32_t member : state.row) {
        if (!points.is_tile(member)) break;
        const DiffusePower& source = diffuse_[member].then_diffraction;
        if (!is_worth(source, member, edge.midpoint)) continue;
        const VirtualSource origin{environment_.tiling.tiles[member].centroid, 0, edge.midpoint, edge.direction,
                                   0.5 * edge.length_m};
        const EdgeIncidence incidence(wedge, edge, origin.point);
        if (!incidence.in_air()) continue;
        if (!laid_out) {
          lay_out_edge_row(environment_.tiling, points, e, state.row, environment_.receiver_rows.seen_from(element),
                           state.intervals);
          laid_out = true;
        }
        state.hits.clear();
        find_hits(state.intervals, edge_bounds(edge, origin.point), state.mask, state.hits);
        for (const std::uint32_t hit : state.hits) {
          const std::uint32_t target = state.intervals.target[hit];
          if ((target & RowTarget::arrives) == 0) continue;
          const std::uint32_t number = target & RowTarget::number_mask;
          const Leg leg = leg_to(origin, points.arrival(number));
          const Vec3 k_i = (1.0 / leg.rho_m) * (leg.from - origin.point);
          const double intensity = diffuse_intensity(member, k_i);
          if (!(intensity > 0)) continue;
          const double sin_beta = incidence.sin_beta(leg.rho_m);
          const double distance_m = distance_parameter_m(leg.rho_m, leg.distance_m, sin_beta);
          const ComplexVec3 diffracted =
              diffracted_field(incidence.at(sin_beta), link_.copolar_field(k_i), k_i, leg.direction,
                               {distance_m, distance_m, distance_m}, link_.wave_number());
          const double density = intensity * squared_norm(diffracted) * leg.amplitude * leg.amplitude;
          if (density > 0) {
            arrive_diffusely({source, density, leg.direction, leg.length_m}, number, state.sums[sum_index(number)]);
          }
        }
      }
    }
  });
}

}  // namespace tesseray
