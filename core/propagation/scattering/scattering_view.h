// SPDX-License-Identifier: GPL-3.0-or-later
// What scattered power needs to know of a launch, where it lies: on the host or on the device. And what one ray of it
// is, for either.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/host_device.h"
#include "core/physics/scattering.h"
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/pruning.h"
#include "core/propagation/scattering/edge_observer.h"
#include "core/propagation/scattering/scattering_columns_view.h"
#include "core/propagation/scattering/scattering_lobes.h"
#include "core/propagation/scattering/tile_parts.h"
#include "core/propagation/tubes/launch_view.h"
#include "core/propagation/tubes/tube.h"

namespace tesseray {

// What all rays bring to a tile that may scatter it: powers as |field|², on the unit of Tube::strength.
struct DiffusePower {
  double power = 0;           // Σ |E|² cosθ_i · (the model's reflectance at incidence)
  double basic = 0;           // the same over the departure gain
  double length = 0;          // Σ power · length
  double squared_length = 0;  // Σ power · length²
  double first_length_m = 0;  // the least length; valid when rays > 0
  std::uint32_t rays = 0;
  float from_near_antenna = 0;  // |E|² at 1 m of what comes straight from an antenna near the tile, without pattern

  void add(double ray_power, double departure_gain, double length_m);
  // So many times what others bring.
  void add(double times, const DiffusePower& others);
  // Some of the rays again.
  void take_out(const DiffusePower& some);
};

// A tile whose scattered power reaches an element.
struct ScatteringSource {
  std::uint32_t tile = 0;
  double weight = 0;      // its power at the element
  double share = 1;       // what vegetation leaves of that power
  double stands_for = 1;  // so many tiles like it, where they are drawn by chance
};

// Of one transmitter. Owns nothing.
struct ScatteringView {
  LaunchView launch;
  ScatteringColumnsView columns;
  ScatteringModel model = ScatteringModel::reciprocal;
  double cross_polarization = 0;  // the part of the scattered power in the other polarisation
  double received_fraction = 0;   // the part of it that the receiver's polarisation takes
  Pruning pruning;
  std::size_t kinds = 0;                       // how many of AfterScattering there are
  const DiffusePower* powers = nullptr;        // of the tiles, by place()
  const RoughScatterer* scatterers = nullptr;  // by AfterScattering, then by tile
  int lobe_exponent = 0;                       // of directive lobes
  const double* directive_lobes = nullptr;     // scattering_lobes.h, by place(); nullptr with Lambert's lobe
  const float* known_gains = nullptr;          // at tiles so far; nullptr: no scattered ray is drawn by chance

  TESSERAY_HD std::size_t place(std::uint32_t tile, AfterScattering after) const {
    return static_cast<std::size_t>(after) * launch.environment.points.tile_count + tile;
  }
  TESSERAY_HD const DiffusePower& power(std::uint32_t tile, AfterScattering after) const {
    return powers[place(tile, after)];
  }
  TESSERAY_HD const RoughScatterer* scatterers_of(AfterScattering after) const {
    return scatterers + static_cast<std::size_t>(after) * launch.environment.points.tile_count;
  }
  // Of a tile's material.
  TESSERAY_HD double reflectance(std::uint32_t tile, double cosine) const {
    return interpolated_reflectance(columns.reflectances + columns.table_begin[tile], cosine);
  }
};

// The model's part of what comes in at a tile under an angle.
TESSERAY_HD inline double reflectance_at_incidence(const ScatteringView& scattering, std::uint32_t tile,
                                                   double cosine) {
  switch (scattering.model) {
    case ScatteringModel::incident:
      break;
    case ScatteringModel::reflected:
      return scattering.reflectance(tile, cosine);
    case ScatteringModel::reciprocal:
      return std::sqrt(scattering.reflectance(tile, cosine));
  }
  return 1;
}

// The part of a tile's diffuse power that goes into `direction` per squared metre at 1 m: dS S² p(θ_s) · reflectance, p
// being the mean lobe of the rays that may do so.
TESSERAY_HD inline double diffuse_intensity(const ScatteringView& scattering, std::uint32_t tile, Vec3 direction,
                                            AfterScattering after) {
  const double cosine = dot(direction, scattering.launch.environment.tiles[tile].normal);
  if (!(cosine > 0)) return 0;
  double lobe = 0;
  if (scattering.directive_lobes == nullptr) {
    lobe = lambertian_lobe(cosine);
  } else {
    const int exponent = scattering.lobe_exponent;
    const std::size_t coefficients = lobe_coefficients(exponent);
    const double* const lobes = scattering.directive_lobes + scattering.place(tile, after) * coefficients;
    lobe = lobes_along(exponent, {lobes, coefficients}, direction) / scattering.power(tile, after).power;
  }
  const double scattered = scattering.columns.areas_m2[tile] * lobe;
  if (scattering.model != ScatteringModel::reciprocal) return scattered;
  return scattered * std::sqrt(scattering.reflectance(tile, cosine));
}

namespace diffuse_density_detail {

// With the mean lobe of what the tile takes in, all over it.
TESSERAY_HD inline double by_mean_of_all(const ScatteringView& scattering, std::uint32_t tile_number, Vec3 point) {
  const Tile& tile = scattering.launch.environment.tiles[tile_number];
  const double near_m = scattering.columns.near_m[tile_number];
  if (scattering.directive_lobes != nullptr) {
    return mean_spread_to(point, tile, near_m, [&](Vec3 direction) {
      return diffuse_intensity(scattering, tile_number, direction, AfterScattering::nothing);
    });
  }
  const auto from = [&](Vec3 origin) {
    const Vec3 way = point - origin;
    const double distance = norm(way);
    return diffuse_intensity(scattering, tile_number, (1.0 / distance) * way, AfterScattering::nothing) /
           (distance * distance);
  };
  return mean_seen_from(point, tile, near_m, from);
}

}  // namespace diffuse_density_detail

// A tile near the antenna, and what comes straight from there: per unit of the power that the antenna sends where it
// sends most, at 1 m.
class TileBeforeAntenna {
 public:
  TESSERAY_HD TileBeforeAntenna(const ScatteringView& scattering, std::uint32_t tile)
      : scattering_(scattering),
        number_(tile),
        tile_(scattering.launch.environment.tiles[tile]),
        antenna_(scattering.launch.antenna) {}

  // What it takes in, in the mean: each part of the tile has its own angle, as to a receiver, and its own gain.
  TESSERAY_HD double mean_taken_in() const {
    const double near_m =
        std::fmax(scattering_.columns.near_m[number_], pattern_near_m(scattering_.launch.link, tile_));
    return tesseray::mean_taken_in(antenna_, tile_, near_m, [&](Vec3 way) { return sent_and_taken_along(way); });
  }
  // What all of it brings to a point near the tile, too, each piece of what it takes in itself, with a receiving
  // antenna's gain_along(direction).
  template <class Gain>
  TESSERAY_HD double brought_to(Vec3 point, const Gain& gain_along) const {
    constexpr int parts = 8;
    const auto is_next_to = [&](Vec3 middle, int of_side) {
      return is_next_to_piece(antenna_, tile_, middle, of_side) || is_next_to_piece(point, tile_, middle, of_side);
    };
    return mean_over_pieces(tile_, parts, is_next_to, [&](Vec3 middle, int of_side) {
      const Vec3 in = middle - antenna_, out = point - middle;
      if (!(dot(in, tile_.normal) < 0 && dot(out, tile_.normal) > 0)) return 0.0;
      return sent_and_taken_along(in) * mean_solid_angle(antenna_, tile_, middle, of_side) *
             scattered_along(normalized(in), out, middle, of_side) * gain_along(normalized(out));
    });
  }

 private:
  TESSERAY_HD double sent_and_taken_along(Vec3 way) const {
    const double cosine = std::fmax(0.0, -dot(way, tile_.normal) / norm(way));
    return scattering_.launch.link.transmit_gain(normalized(way)) *
           reflectance_at_incidence(scattering_, number_, cosine);
  }
  // Of what comes in along `incidence` at a piece, the part that it sends along a way to a point.
  TESSERAY_HD double scattered_along(Vec3 incidence, Vec3 way, Vec3 middle, int parts) const {
    const Vec3 direction = normalized(way);
    double scattered = scattering_.columns.areas_m2[number_];
    if (scattering_.model == ScatteringModel::reciprocal) {
      scattered *= std::sqrt(scattering_.reflectance(number_, dot(direction, tile_.normal)));
    }
    if (scattering_.directive_lobes == nullptr) {
      return scattered * mean_solid_angle(middle + way, tile_, middle, parts) / pi;
    }
    const double lobe = directive_lobe(scattering_.lobe_exponent, -dot(incidence, tile_.normal),
                                       dot(direction, mirrored(incidence, tile_.normal)));
    return scattered * lobe * mean_inverse_square(radius_of_piece(tile_, parts), way, dot(way, tile_.normal));
  }

  const ScatteringView& scattering_;
  std::uint32_t number_;
  const Tile& tile_;
  Vec3 antenna_;
};

// What a tile sends to a point, |field|² per unit of the power that it takes in.
struct DiffuseDensity {
  double of_all = 0;
  // Where antenna and point are both near the tile: of what comes straight from there, and of the rest.
  bool is_near_antenna = false;
  double of_antenna = 0, of_others = 0;
};

// diffuse_intensity() over the squared distance to `point`, with the tile subdivided when the point is near; of what is
// scattered last. Where the antenna is near, too, the parts of the tile that it lights are not those from which most of
// that goes to the point: the mean of both is not their means' product.
TESSERAY_HD inline DiffuseDensity diffuse_density(const ScatteringView& scattering, std::uint32_t tile, Vec3 point) {
  DiffuseDensity density;
  density.of_all = density.of_others = diffuse_density_detail::by_mean_of_all(scattering, tile, point);
  const DiffusePower& power = scattering.power(tile, AfterScattering::nothing);
  const auto sent = static_cast<double>(power.from_near_antenna);
  if (!(sent > 0)) return density;
  const TileBeforeAntenna before_antenna(scattering, tile);
  const double taken_in = before_antenna.mean_taken_in();
  density.is_near_antenna = true;
  density.of_antenna = before_antenna.brought_to(point, [](Vec3) { return 1.0; }) / taken_in;
  const double share = std::fmin(sent * taken_in / power.power, 1.0);
  density.of_all = share * density.of_antenna + (1 - share) * density.of_others;
  return density;
}

// The mean gain of the receiving pattern for what a tile near a point sends there: in the direction of the tile's
// middle the pattern may have its null.
TESSERAY_HD inline double near_receive_gain(const ScatteringView& scattering, std::uint32_t tile_number, Vec3 point) {
  const Tile& tile = scattering.launch.environment.tiles[tile_number];
  constexpr int parts = 8;
  const LinkView& link = scattering.launch.link;
  if (scattering.power(tile_number, AfterScattering::nothing).from_near_antenna > 0) {
    const TileBeforeAntenna before_antenna(scattering, tile_number);
    const double brought = before_antenna.brought_to(point, [](Vec3) { return 1.0; });
    const auto gain = [&](Vec3 direction) { return link.receive_gain(direction); };
    if (brought > 0) return before_antenna.brought_to(point, gain) / brought;
  }
  const auto mean = [&](const auto& gain_along) {
    return mean_over_parts(tile, parts, [&](Vec3 origin) {
      const Vec3 way = point - origin;
      const double distance = norm(way);
      const Vec3 direction = (1.0 / distance) * way;
      return gain_along(direction) * diffuse_intensity(scattering, tile_number, direction, AfterScattering::nothing) /
             (distance * distance);
    });
  };
  const double sent = mean([](Vec3) { return 1.0; });
  return sent > 0 ? mean([&](Vec3 direction) { return link.receive_gain(direction); }) / sent
                  : link.receive_gain(normalized(point - tile.centroid));
}

// What all of a tile sends to a point over what its middle alone would, by its intensity along the way there, where
// other surfaces lie between: 1 but near the tile, where the middle alone would send more power than there is. `way`:
// from the tile to the point, or to its image.
TESSERAY_HD inline double nearness(const ScatteringView& scattering, std::uint32_t tile_number, Vec3 way) {
  const double near_m = scattering.columns.near_m[tile_number], squared = squared_norm(way);
  if (squared >= near_m * near_m) return 1;
  const Tile& tile = scattering.launch.environment.tiles[tile_number];
  const Vec3 point = tile.centroid + way;
  if (scattering.directive_lobes != nullptr) {
    return squared * mean_spread_to(point, tile, near_m, [](Vec3) { return 1.0; });
  }
  const double across = dot(way, tile.normal);
  if (!(across > 0)) return 1;
  return mean_solid_angle(point, tile) * squared * std::sqrt(squared) / across;
}

// The same for the way to an edge.
TESSERAY_HD inline double nearness_before_edge(const ScatteringView& scattering, std::uint32_t tile_number, Vec3 way) {
  const Tile& tile = scattering.launch.environment.tiles[tile_number];
  const double of_lambert = nearness_of_edge(way, tile, scattering.columns.near_m[tile_number]);
  // Of 1/r alone, nearly.
  return scattering.directive_lobes != nullptr ? std::sqrt(of_lambert) : of_lambert;
}

// Scattering tiles are left out whose strength times this over the squared distance is below 1, so that at most
// `asked` arrives of each.
TESSERAY_HD inline float strength_scale(double asked) {
  return asked > 0 ? static_cast<float>(1 / asked) : std::numeric_limits<float>::max();
}
// What is asked for at an element from which the power goes on. Directive lobes have no bound of their own.
TESSERAY_HD inline double asked_at_elements(const ScatteringView& scattering) {
  return scattering.directive_lobes == nullptr ? scattering.launch.link.least_gain : 0.0;
}

// Of rays that end at a target after their scattering, those are drawn by chance that bring less; 0: none.
TESSERAY_HD inline double asked_at_target(const ScatteringView& scattering, std::uint32_t number) {
  if (scattering.known_gains == nullptr || !scattering.launch.environment.points.is_tile(number)) return 0;
  // Where nothing has arrived yet: so little that pruning.of_all_scattered decides.
  const double least_gain = 1e-6 * scattering.launch.link.least_gain;
  const auto known_gain = static_cast<double>(scattering.known_gains[number]);
  return scattering.pruning.scattered * (known_gain > least_gain ? known_gain : least_gain);
}

// About how many scattering tiles stand for all whose power goes on at an element; 0: all themselves.
TESSERAY_HD inline std::size_t sources_for_all(const Pruning& pruning, AfterScattering after, bool at_tile) {
  // What goes on twice is a small part of the power, for which fewer stand well enough.
  const bool goes_on_twice = after > AfterScattering::diffraction;
  const std::size_t of_edge = goes_on_twice ? (pruning.scattering_sources + 3) / 4 : pruning.scattering_sources;
  return of_edge * (at_tile ? 2 : 1);
}

// What some scattering tiles bring to an edge segment, all of them together. REQUIRES: one of them, at least.
TESSERAY_HD inline ScatteredAtEdge scattered_at_edge(const TargetPointsView& points, Vec3 midpoint,
                                                     std::span<const ScatteringSource> sources) {
  ScatteredAtEdge at_edge;
  for (const ScatteringSource& source : sources) {
    const double gain = source.weight * source.share * source.stands_for;
    at_edge.gain += gain;
    at_edge.distance_m += gain * norm(points.reference(source.tile) - midpoint);
  }
  at_edge.distance_m /= at_edge.gain;
  return at_edge;
}

// A scattering tile among those that light an edge segment.
TESSERAY_HD inline SourceAboutEdge source_about_edge(const TargetPointsView& points, const EdgeSegment& edge,
                                                     const ScatteringSource& source) {
  const Vec3 point = points.reference(source.tile);
  const PlaceAboutEdge place = place_about(edge, point.x, point.y, point.z);
  return {static_cast<float>(place.cosine), static_cast<float>(place.sine),
          static_cast<float>(source.weight * source.share * source.stands_for)};
}

TESSERAY_HD inline DiffuseEdgeSource diffuse_edge_source(const ScatteringView& scattering, const Wedge& wedge,
                                                         const EdgeSegment& edge, std::uint32_t tile_number) {
  const Tile& tile = scattering.launch.environment.tiles[tile_number];
  const Vec3 direction = normalized(edge.midpoint - tile.centroid);
  const double cosine = dot(direction, tile.normal);
  const double intensity =
      cosine > 0 ? diffuse_intensity(scattering, tile_number, direction, AfterScattering::diffraction) : 0.0;
  const bool is_directive = scattering.directive_lobes != nullptr;
  const double near = nearness_before_edge(scattering, tile_number, edge.midpoint - tile.centroid);
  DiffuseEdgeSource source{wedge,
                           edge,
                           tile,
                           near * (cosine > 0 && !is_directive ? intensity / cosine : intensity),
                           scattering.launch.link.copolar_polarization(direction),
                           scattering.cross_polarization,
                           scattering.launch.link.wave_number};
  // Such a lobe does not vanish along the tile: it is taken as the same all along the edge.
  if (is_directive) source.send_alike(norm(edge.midpoint - tile.centroid));
  return source;
}

// What `from` sends to an edge of its power there.
TESSERAY_HD inline DiffuseEdgePower edge_power(const DiffusePower& power, const ScatteringSource& from) {
  const double share = from.share * from.stands_for;
  return {static_cast<float>(share * power.power),     static_cast<float>(share * power.basic),
          static_cast<float>(share * power.length),    static_cast<float>(share * power.squared_length),
          static_cast<float>(power.first_length_m),    power.rays,
          static_cast<float>(from.share * power.power)};
}

// How diffuse rays along one direction come in at a target.
struct DiffuseTarget {
  Vec2 look;                // cosine and sine of the azimuth
  double gain_factor = 0;   // path gain over |field|², with receiver and ground reflection
  double basic_factor = 0;  // the same for an isotropic receiver
  double straight_distance_m = 0;
  std::uint32_t rays_per_ray = 1;  // 2 with the ground-reflected companion
  double stands_for = 1;           // so many rays like those that come, where they are drawn by chance
};

// `vegetation`: factor of the amplitude on the last leg.
TESSERAY_HD inline DiffuseTarget diffuse_target(const ScatteringView& scattering, std::uint32_t number, Vec3 direction,
                                                double vegetation) {
  const LinkView& link = scattering.launch.link;
  const double ground = ground_factor(scattering.columns, number, direction, 1);
  const double share = link.unit_gain * scattering.received_fraction * ground * (vegetation * vegetation);
  return {look_azimuth(direction), share * link.receive_gain(direction), share,
          scattering.launch.straight_distances[number], ground > 1 ? 2u : 1u};
}

// At receivers, where ground reflections are rays of their own within the limits: what the ground tile below one
// reflects of a ray that comes along `direction`, over its power; 0 elsewhere. In the local mean alone, as of rays that
// are not scattered: the other sums are of the very rays within the limits.
TESSERAY_HD inline double reflected_below(const ScatteringView& scattering, std::uint32_t number, Vec3 direction) {
  const EnvironmentView& environment = scattering.launch.environment;
  if (!environment.points.is_receiver(number) || scattering.launch.summation != Summation::local_mean) return 0;
  const std::uint32_t ground = environment.ground_below(number);
  return ground == no_index ? 0 : ground_factor(scattering.columns, ground, direction, 1) - 1;
}

// The same for what comes from a tile last, `length_m` away: of one that is near, what all of it brings by the
// receiving pattern.
TESSERAY_HD inline DiffuseTarget diffuse_target_of_tile(const ScatteringView& scattering, std::uint32_t number,
                                                        std::uint32_t tile, Vec3 direction, double length_m,
                                                        double vegetation) {
  DiffuseTarget target = diffuse_target(scattering, number, direction, vegetation);
  if (scattering.launch.link.receive_pattern == PatternKind::isotropic) return target;
  if (length_m >= scattering.columns.near_m[tile]) return target;
  const Vec3 point = scattering.launch.environment.points.arrival(number);
  target.gain_factor = target.basic_factor * near_receive_gain(scattering, tile, point);
  return target;
}

// One ray: `density` is |field|² at the target per unit of source power, `length_m` from the scattering tile to it.
TESSERAY_HD inline void add_diffuse(const DiffusePower& source, double density, double length_m,
                                    const DiffuseTarget& target, DiffuseSum& sum) {
  const double more_m = length_m - target.straight_distance_m, all = target.stands_for * density;
  const double own_gain = target.gain_factor * (density * source.power), gain = target.stands_for * own_gain;
  const double first_m = source.first_length_m + more_m;
  if (!(gain > 0)) return;
  sum.gain += gain;
  sum.basic_gain += target.basic_factor * (all * source.basic);
  sum.excess_m += target.gain_factor * all * (source.length + more_m * source.power);
  sum.squared_excess_m2 +=
      target.gain_factor * all * (source.squared_length + more_m * (2.0 * source.length + more_m * source.power));
  sum.cos_azimuth += gain * target.look.x;
  sum.sin_azimuth += gain * target.look.y;
  sum.first_excess_m = first_m < sum.first_excess_m ? first_m : sum.first_excess_m;
  sum.rays += source.rays * target.rays_per_ray;
  if (own_gain > sum.strongest_gain) {
    sum.strongest_gain = own_gain;
    sum.strongest_cos = target.look.x;
    sum.strongest_sin = target.look.y;
  }
}

// What of a `share` of power a tile mirrors along `direction`.
TESSERAY_HD inline double mirrored_share(const ScatteringView& scattering, double share, std::uint32_t mirror,
                                         Vec3 direction) {
  const Tile& tile = scattering.launch.environment.tiles[mirror];
  const double specular_factor = scattering.launch.surface(tile).specular_factor;
  const double specular = specular_factor * specular_factor;
  return share * specular * scattering.reflectance(mirror, dot(direction, tile.normal));
}

// |field|² per unit of a scattering tile's power at the end of a way of `length_m` that a tile mirrors, which it leaves
// along `direction`. `share`: what is left of the power at the mirror.
TESSERAY_HD inline double mirrored_density(const ScatteringView& scattering, std::uint32_t source, double share,
                                           std::uint32_t mirror, Vec3 direction, double length_m) {
  const Vec3 leaving = mirrored(direction, scattering.launch.environment.tiles[mirror].normal);
  return mirrored_share(scattering, share, mirror, direction) *
         diffuse_intensity(scattering, source, leaving, AfterScattering::reflection) *
         nearness(scattering, source, length_m * leaving) / (length_m * length_m);
}

// The last legs of what an edge segment sends to a point.
struct DiffractedWays {
  Vec3 across;     // unit vector from the edge's line to the point
  Vec3 sum;        // by power, of a length of 1 in the plan each
  Vec3 strongest;  // of the strongest ray, m

  TESSERAY_HD DiffractedWays(const EdgeSegment& edge, Vec3 point, const DiffuseEdgeSum& beam) {
    const Vec3 from_midpoint = point - edge.midpoint;
    across = normalized(from_midpoint - dot(from_midpoint, edge.direction) * edge.direction);
    sum = static_cast<double>(beam.along) * edge.direction + static_cast<double>(beam.across) * across;
    strongest = from_midpoint - static_cast<double>(beam.strongest_z) * edge.direction;
  }
};

// Rays from an edge segment along a direction, or about it. What the ground reflects is taken at the direction from the
// segment's midpoint, which does not depend on what lights it: a tile may look past the one and not past the other.
// `vegetation`: factor of the amplitude on the last leg.
TESSERAY_HD inline DiffuseTarget diffracted_target(const ScatteringView& scattering, const EdgeSegment& edge,
                                                   std::uint32_t number, Vec3 direction, double vegetation,
                                                   float stands_for) {
  const LinkView& link = scattering.launch.link;
  const Vec3 from_midpoint = scattering.launch.environment.points.arrival(number) - edge.midpoint;
  const double ground = ground_factor(scattering.columns, number, from_midpoint, norm(from_midpoint));
  const double share = link.unit_gain * scattering.received_fraction * ground * (vegetation * vegetation);
  return {look_azimuth(direction),
          share * link.receive_gain(direction),
          share,
          scattering.launch.straight_distances[number],
          ground > 1 ? 2u : 1u,
          static_cast<double>(stands_for)};
}

// What arrives at a target by way of an edge segment.
TESSERAY_HD inline DiffuseSum sum_of(const DiffuseEdgeSum& beam, const DiffractedWays& ways,
                                     const DiffuseTarget& target) {
  const Vec2 strongest_look = look_azimuth(normalized(ways.strongest));
  DiffuseSum sum;
  const double gain_factor = target.stands_for * target.gain_factor;
  sum.gain = gain_factor * static_cast<double>(beam.power);
  sum.basic_gain = target.stands_for * target.basic_factor * static_cast<double>(beam.basic);
  sum.excess_m = gain_factor * static_cast<double>(beam.excess);
  sum.squared_excess_m2 = gain_factor * static_cast<double>(beam.squared_excess);
  sum.cos_azimuth = -gain_factor * ways.sum.y;
  sum.sin_azimuth = -gain_factor * ways.sum.x;
  sum.first_excess_m = static_cast<double>(beam.first_excess_m);
  sum.strongest_gain = target.gain_factor * static_cast<double>(beam.strongest);
  sum.strongest_cos = strongest_look.x;
  sum.strongest_sin = strongest_look.y;
  sum.rays = beam.rays * target.rays_per_ray;
  return sum;
}

}  // namespace tesseray
