// SPDX-License-Identifier: GPL-3.0-or-later
// Steps d to i of paper 000, III.E: reflection and diffraction of tubes, element by element.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "core/base/hash.h"
#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "core/propagation/absorbing_faces.h"
#include "core/propagation/edge_image.h"
#include "core/propagation/edge_incidence.h"
#include "core/propagation/launch.h"

namespace tesseray {
namespace {

// A batch of elements may bring about this many children, by estimate, before they are bounced in turn: the memory
// that one level takes. The same for any number of threads.
constexpr std::size_t batch_children = std::size_t{1} << 20;
constexpr std::size_t elements_per_task = 16;
// A diffracted tube lights one in so many members of its row, or fewer.
constexpr std::size_t lit_of_row = 8;
// Sources nearer than this to a tile's plane graze it, as an edge does its own faces, and are not reflected.
constexpr double least_height_m = 1e-3;

// Of the time of the tubes of one level and all that come of them, what they take themselves, for the progress (means
// of docs/benchmarks/propagation.md).
double own_share_of(int level, const RayLaunchingOptions& options, const Pruning& pruning) {
  if (level + 1 >= options.max_bounces) return 1;
  if (level > 2) return 0.97;  // few rays may go on
  const auto l = static_cast<std::size_t>(level);
  if (options.max_diffractions > 1) {
    const bool few_go_on = pruning.roulette >= pruning_for(many_in_sight).roulette;
    return few_go_on ? std::array{0.12, 0.52, 0.96}[l] : std::array{0.06, 0.34, 0.96}[l];
  }
  if (options.max_bounces == 2) return 0.56;
  return options.max_bounces == 3 ? std::array{0.35, 0.56, 1.0}[l] : std::array{0.3, 0.45, 0.66}[l];
}

// The part of the work, about, that is done before each of the groups, and after the last: a row is laid out once, and
// tubes are tested against its members, of which those diffracted hit many.
std::vector<double> work_before(std::span<const TubeGroup> groups, const TargetPoints& points,
                                const Visibility& visibility) {
  constexpr double laying_out = 8, reflecting = 0.8, diffracting = 5.5;  // a member of the row, ns
  std::vector<double> work{0};
  for (const TubeGroup& group : groups) {
    const double per_tube = points.is_edge(group.element) ? diffracting : reflecting;
    const auto members = static_cast<double>(visibility.row_length(group.element) + 1);
    work.push_back(work.back() + members * (laying_out + per_tube * static_cast<double>(group.tubes.size())));
  }
  const double all = work.back();
  for (double& part : work) part /= all;
  return work;
}

// An edge segment that the last source sees under more than this angle has its incident field evaluated at each Keller
// point, rad.
constexpr double wide_segment = 0.1;

// True when the field of a tube at an edge segment must be known point by point, which is possible before the first
// diffraction: straight from the antenna, where it costs least, and from images that are near. Elsewhere the field of
// the midpoint, turned, serves.
bool differs_along(const Tube& tube, double edge_length_m) {
  if (tube.diffractions > 0) return false;
  return tube.reflections == 0 || edge_length_m > wide_segment * tube.length_m;
}

// L for a wave with two radii of curvature at the edge (docs/physics.md §5.2, the general form).
double general_distance_parameter_m(double rho_e, double radius_1, double radius_2, double s, double sin_beta) {
  return s * (rho_e + s) * radius_1 * radius_2 * sin_beta * sin_beta / (rho_e * (radius_1 + s) * (radius_2 + s));
}

}  // namespace

void DiffusePower::add(double ray_power, double departure_gain, double ray_length_m) {
  power += ray_power;
  basic += ray_power / std::max(departure_gain, 1e-6);
  length += ray_power * ray_length_m;
  squared_length += ray_power * ray_length_m * ray_length_m;
  first_length_m = rays == 0 ? ray_length_m : std::min(first_length_m, ray_length_m);
  ++rays;
}

void Launch::bounce(TubeParts tubes, int level, Progress& progress) {
  if (tubes.size() == 0) return;
  const TubeGroups groups(std::move(tubes), pruning_.tubes);
  const std::span<const TubeGroup> list = groups.list();
  for (const TubeGroup& group : list) {
    for (const Tube* tube : group.tubes) {
      const int scatterings = tube->chain.is_scattered() ? 1 : 0;
      ++tubes_by_interactions_[static_cast<std::size_t>(tube->interactions() + scatterings)];
    }
  }
  const double own_share = own_share_of(level, environment_.options, pruning_);
  const auto done_when = [&](double own, double by_children) {
    return own_share * own + (1 - own_share) * by_children;
  };
  const std::vector<double> work = work_before(list, environment_.points, environment_.visibility);
  double passed_on = 0;  // the part of the work of which the children have been bounced
  TubeParts children;
  for (std::size_t first = 0; first < list.size();) {
    progress.throw_if_cancelled();
    const std::size_t last = end_of_batch(list, first);
    const std::size_t tasks = (last - first + elements_per_task - 1) / elements_per_task;
    PartOfStage own(progress, done_when(work[first], passed_on), done_when(work[last], passed_on));
    std::atomic<double> done{0};
    std::vector<std::vector<Tube>> produced(tasks);
    tbb::parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
      progress.throw_if_cancelled();
      ThreadState& state = states_.local();
      const std::size_t begin = first + task * elements_per_task, end = std::min(last, begin + elements_per_task);
      for (std::size_t g = begin; g < end; ++g) {
        if (environment_.points.is_tile(list[g].element)) {
          bounce_tile(list[g], state, produced[task]);
        } else {
          bounce_edge(list[g], state, produced[task]);
        }
      }
      const double more = (work[end] - work[begin]) / (work[last] - work[first]);
      own.advance(done.fetch_add(more) + more);
    });
    for (std::vector<Tube>& part : produced) children.add(std::move(part));
    if (children.size() >= batch_children) {
      PartOfStage of_children(progress, done_when(work[last], passed_on), done_when(work[last], work[last]));
      bounce(std::exchange(children, {}), level + 1, of_children);
      passed_on = work[last];
    }
    first = last;
  }
  PartOfStage of_children(progress, done_when(1, passed_on), 1);
  bounce(std::move(children), level + 1, of_children);
}

std::size_t Launch::end_of_batch(std::span<const TubeGroup> groups, std::size_t first) const {
  std::size_t last = first;
  for (std::size_t estimate = 0; last < groups.size() && estimate < batch_children; ++last) {
    const TubeGroup& group = groups[last];
    const std::size_t per_tube =
        environment_.points.is_edge(group.element) ? environment_.visibility.row_length(group.element) / lit_of_row : 2;
    estimate += group.tubes.size() * per_tube;
  }
  return last;
}

void Launch::read_row(std::uint32_t element, LaunchPhase phase, ThreadState& state) const {
  environment_.visibility.read_row(element, state.row);
  count_row(phase, state);
}

void Launch::read_useful_row(std::uint32_t element, int interactions, bool edges, ThreadState& state) const {
  if (environment_.points.tiles_are_targets()) {
    if (edges) {
      read_row(element, LaunchPhase::bounces, state);
    } else {
      read_tiles_of_row(element, LaunchPhase::bounces, state);
    }
    return;
  }
  const int left = environment_.options.max_bounces - interactions;
  const auto next_to_receivers = environment_.reach.next_to_receivers(element);
  if (left <= 0) {
    state.row.clear();
  } else if (left == 1 && next_to_receivers) {
    state.row.assign(next_to_receivers->begin(), next_to_receivers->end());
  } else {
    read_row(element, LaunchPhase::bounces, state);
    std::erase_if(state.row, [&](std::uint32_t member) { return !is_in_reach(member, interactions); });
  }
}

bool Launch::may_do_anything(std::uint32_t element, int reflections, int diffractions) const {
  if (!is_in_reach(element, reflections + diffractions)) return false;
  if (environment_.points.is_edge(element)) return limits_.may_diffract(reflections, diffractions);
  return limits_.may_reflect(reflections, diffractions) || limits_.may_scatter(reflections, diffractions);
}

bool Launch::may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
  if (!chain.is_scattered()) return may_do_anything(element, reflections, diffractions);
  const int had = reflections + diffractions;
  if (had != 1) return had == 0;
  return environment_.points.is_edge(element) == goes_on_at_edge(chain.after, chain.last()) &&
         is_in_reach(element, environment_.options.max_bounces - 1);
}

void Launch::go_on(const Outgoing& outgoing, std::uint32_t element, std::vector<Tube>& children) const {
  if (!may_go_on(outgoing.chain, element, outgoing.reflections, outgoing.diffractions)) return;
  const Leg leg = leg_to(outgoing.source, environment_.points.reference(element));
  double path_gain = link_.unit_gain() * squared_norm(outgoing.strength) * leg.amplitude * leg.amplitude *
                     (outgoing.attenuation * outgoing.attenuation);
  if (path_gain < link_.least_gain()) return;
  double attenuation = outgoing.attenuation;
  if (!roulette_gain_.empty()) {
    const auto certain = static_cast<double>(roulette_gain_[element]);
    if (path_gain < certain) {
      const double probability = path_gain / certain;
      if (hashed_fraction(outgoing.chain.seed_to(element)) >= probability) return;
      attenuation /= std::sqrt(probability);
      path_gain = certain;
    }
  }

  Tube& child = children.emplace_back();
  child.source = outgoing.source;
  child.strength = transported(outgoing.strength, leg.direction);
  child.direction = leg.direction;
  child.path_gain = path_gain;
  child.length_m = leg.length_m;
  child.attenuation = attenuation;
  child.departure_gain = static_cast<float>(outgoing.departure_gain);
  child.element = element;
  child.reflections = static_cast<std::uint8_t>(outgoing.reflections);
  child.diffractions = static_cast<std::uint8_t>(outgoing.diffractions);
  child.chain = outgoing.chain;
  if (environment_.points.is_edge(element)) {
    const EdgeSegment& edge = environment_.tiling.edges[element - environment_.points.tile_count()];
    const WaveAtEdge wave = wave_at_edge(outgoing.source, leg, edge.midpoint, edge.direction);
    child.source = wave.source;
    child.strength = wave.strength_factor * child.strength;
    child.radius_1_m = wave.radius_1_m;
    child.radius_2_m = wave.radius_2_m;
  }
}

void Launch::collect_diffuse(const Tube& tube, std::uint32_t tile_number) {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const double power = diffuse_incidence(tube, tile);
  if (!(power > 0)) return;
  const double gain = static_cast<double>(tube.departure_gain);
  unsigned may_follow = 0;
  for (std::size_t kind = 0; kind < (tube.chain.over_rooftops ? 1 : diffuse_.kinds()); ++kind) {
    const auto after = static_cast<AfterScattering>(kind);
    if (!limits_.may_scatter(after, tube.reflections, tube.diffractions)) continue;
    may_follow |= 1u << kind;
    diffuse_.at(tile_number, after).add(power, gain, tube.length_m);
    if (environment_.options.scattering_lobe_exponent > 0) add_directive_lobe(tube, tile_number, after, power);
    collect_departures(tube, tile_number, power, after);
  }
  if (scattered_rays_.wanted()) {
    scattered_rays_.add(tile_number, {power, tube.length_m, tube.chain, static_cast<std::uint8_t>(may_follow)});
  }
}

namespace {

// The fewest interactions that any of some tubes has had.
int least_interactions(std::span<const Tube* const> tubes) {
  int least = most_bounces;
  for (const Tube* tube : tubes) least = std::min(least, tube->interactions());
  return least;
}

}  // namespace

Launch::Onward Launch::onward_of(const TubeGroup& arrived) const {
  const int reflected = environment_.points.is_tile(arrived.element) ? 1 : 0;
  Onward onward;
  for (const Tube* const tube : arrived.tubes) {
    if (tube->chain.is_scattered()) {
      const bool goes_on = tube->interactions() == 0;
      return {goes_on, goes_on};
    }
    const int reflections = tube->reflections + reflected, diffractions = tube->diffractions + 1 - reflected;
    onward.at_edges |= limits_.may_diffract(reflections, diffractions);
    onward.at_tiles |= limits_.may_reflect(reflections, diffractions) || limits_.may_scatter(reflections, diffractions);
  }
  return onward;
}

std::span<const std::uint32_t> Launch::read_row_for(const TubeGroup& arrived, Onward onward, ThreadState& state) const {
  if (arrived.tubes.front()->chain.is_scattered()) return read_row_of_scattered(arrived, state);
  read_useful_row(arrived.element, least_interactions(arrived.tubes) + 1, onward.at_edges, state);
  return environment_.receiver_rows.seen_from(arrived.element);
}

void Launch::bounce_tile(const TubeGroup& arrived, ThreadState& state, std::vector<Tube>& children) {
  const std::uint32_t tile_number = arrived.element;
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const TileFrame frame(tile);
  bool laid_out = false;
  for (const Tube* const tube_pointer : arrived.tubes) {
    const Tube& tube = *tube_pointer;
    if (!tube.chain.is_scattered()) {
      if (limits_.may_scatter(tube.reflections, tube.diffractions)) collect_diffuse(tube, tile_number);
      if (!limits_.may_reflect(tube.reflections, tube.diffractions)) continue;
    }
    IntervalBounds bounds;
    if (tube.source.is_edge()) {
      const LitPart part = lit_part(tube.source, tile);
      if (part.empty()) continue;
      const Vec3 one_end = frame.coordinates(tube.source.edge_midpoint + part.low * tube.source.edge_direction);
      const Vec3 other_end = frame.coordinates(tube.source.edge_midpoint + part.high * tube.source.edge_direction);
      if (std::max(one_end.z, other_end.z) < least_height_m) continue;
      bounds = tile_bounds(one_end, other_end);
    } else {
      const Vec3 source = frame.coordinates(tube.source.point);
      if (source.z < least_height_m) continue;
      bounds = tile_bounds(source);
    }
    if (!laid_out) {
      const Onward onward = onward_of(arrived);
      const std::span<const std::uint32_t> receivers = read_row_for(arrived, onward, state);
      lay_out_tile_row(environment_.points, frame, tile_number, state.row, receivers, onward.any(), state.layout,
                       state.intervals);
      laid_out = true;
    }
    state.hits.clear();
    find_hits(state.intervals, bounds, state.search, state.hits);
    count_hits(phase_of(tube), state);
    const VirtualSource image = mirrored(tube.source, tile.centroid, tile.normal);
    if (image.is_edge()) {
      const EdgeImage edge(image, frame);
      std::erase_if(state.hits, [&](std::uint32_t hit) {
        return !edge.reaches(reflection_target(state.intervals.target[hit]), least_height_m);
      });
    }
    for (const std::uint32_t hit : state.hits) {
      reflect(tube, tile, image, hit, state, children);
    }
  }
}

ComplexVec3 Launch::specularly_reflected(const ComplexVec3& incident, Vec3 incidence, const Tile& tile) const {
  const Link::Surface& surface = this->surface(tile);
  return surface.specular_factor * reflected_field(incident, incidence, tile.normal, surface.permittivity);
}

ComplexVec3 Launch::reflected(const InteractionChain& chain, const ComplexVec3& incident, Vec3 incidence,
                              const Tile& tile) const {
  return chain.is_scattered() ? reflected_diffuse(incident, incidence, tile)
                              : specularly_reflected(incident, incidence, tile);
}

Link::Departure Launch::reflected_along(const InteractionChain& chain, Vec3 direction) const {
  const std::vector<Tile>& tiles = environment_.tiling.tiles;
  const std::size_t first = chain.is_scattered() ? 1 : 0;
  Vec3 k = direction;
  for (std::size_t i = chain.length; i-- > first;) k = mirrored(k, tiles[chain.elements[i]].normal);
  Link::Departure departure = chain.is_scattered() ? scattered_departure(chain, k) : link_.depart(k);
  for (std::size_t i = first; i < chain.length; ++i) {
    const Tile& tile = tiles[chain.elements[i]];
    departure.field = reflected(chain, departure.field, k, tile);
    k = mirrored(k, tile.normal);
  }
  return departure;
}

Vec3 Launch::reflection_target(std::uint32_t target) const {
  const std::uint32_t number = target & RowTarget::number_mask;
  return (target & RowTarget::arrives) != 0 ? environment_.points.arrival(number)
                                            : environment_.points.reference(number);
}

void Launch::reflect(const Tube& tube, const Tile& tile, const VirtualSource& image, std::uint32_t hit,
                     ThreadState& state, std::vector<Tube>& children) {
  const std::uint32_t target = state.intervals.target[hit];
  const std::uint32_t number = target & RowTarget::number_mask;
  const bool over_rooftops = tube.chain.over_rooftops;
  const Leg leg = leg_to(image, reflection_target(target));
  const double vegetation = tube.attenuation * vegetation_between(tube.element, number);
  InteractionChain chain = tube.chain;
  chain.push(tube.element);
  const bool arrives = (target & RowTarget::arrives) != 0 && chain.may_arrive();
  const bool goes_on = (target & RowTarget::goes_on) != 0 && !over_rooftops;
  Link::Departure departure{{}, static_cast<double>(tube.departure_gain)};
  if (tube.diffractions == 0) {
    // Free of the rounding to centroids: the planes and the last direction say all of the ray.
    departure = reflected_along(chain, leg.direction);
  } else {
    const Vec3 incidence = mirrored(leg.direction, tile.normal);
    departure.field = reflected(chain, transported(tube.strength, incidence), incidence, tile);
  }
  if (arrives) {
    const Mechanism mechanism = over_rooftops           ? Mechanism::over_rooftop
                                : tube.diffractions > 0 ? Mechanism::diffraction
                                                        : Mechanism::reflection;
    const bool ground_reflection = tube.interactions() == 0 && tile.kind == SurfaceKind::ground;
    arrive({image, departure.field, mechanism, departure.relative_gain, chain, ground_reflection,
            VegetationAtTarget{vegetation, vegetation}},
           number, state);
  }
  if (goes_on) {
    go_on({image, departure.field, departure.relative_gain, chain, tube.reflections + 1, tube.diffractions, vegetation},
          number, children);
  }
}

Wedge Launch::wedge_of(const EdgeSegment& edge) const {
  return {edge.direction,
          edge.tangent_0,
          edge.normal_0,
          edge.wedge_angle,
          link_.surface(surface_material_0(environment_.scene, edge)).permittivity,
          link_.surface(surface_material_n(environment_.scene, edge)).permittivity};
}

void Launch::bounce_edge(const TubeGroup& arrived, ThreadState& state, std::vector<Tube>& children) {
  const std::uint32_t edge_element = arrived.element;
  const std::uint32_t edge_number = edge_element - environment_.points.tile_count();
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const EdgeRun& run = environment_.edge_runs[edge_number];
  const Wedge wedge = wedge_of(edge);
  const std::span<const std::uint32_t> receivers = read_row_for(arrived, onward_of(arrived), state);
  lay_out_edge_row(environment_.tiling, environment_.points, edge_number, state.row, receivers, state.layout,
                   state.intervals);
  for (const Tube* const tube_pointer : arrived.tubes) {
    const Tube& tube = *tube_pointer;
    const Vec3 to_source = tube.source.point - edge.midpoint;
    const bool from_edge = tube.chain.length > 0 && environment_.points.is_edge(tube.chain.last());
    const Wedge lit = from_edge ? absorbing_along(wedge, edge, to_source) : wedge;
    const EdgeIncidence incidence(lit, edge, tube.source.point);
    if (!incidence.in_air()) continue;
    state.hits.clear();
    find_hits(state.intervals, edge_bounds(edge, tube.source.point), state.search, state.hits);
    count_hits(phase_of(tube), state);
    VirtualSource source = tube.source;
    source.edge_midpoint = run.midpoint;
    source.edge_direction = edge.direction;
    source.edge_half_length_m = run.half_length_m;
    InteractionChain chain = tube.chain;
    chain.push(tube.element);
    for (const std::uint32_t hit : state.hits) {
      const std::uint32_t target = state.intervals.target[hit];
      const std::uint32_t number = target & RowTarget::number_mask;
      const bool arrives = (target & RowTarget::arrives) != 0 && chain.may_arrive();
      if (!arrives && !may_go_on(chain, number, tube.reflections, tube.diffractions + 1)) continue;
      const Vec3 point = environment_.points.arrival(number);
      const Vec3 way = point - edge.midpoint;
      if (environment_.points.is_edge(number) && runs_along_a_face(way, edge)) {
        const EdgeIncidence along(absorbing_along(lit, edge, way), edge, tube.source.point);
        diffract(tube, source, along, chain, hit, state, children);
      } else {
        diffract(tube, source, incidence, chain, hit, state, children);
      }
    }
  }
}

void Launch::diffract(const Tube& tube, const VirtualSource& source, const EdgeIncidence& incidence,
                      const InteractionChain& chain, std::uint32_t hit, ThreadState& state,
                      std::vector<Tube>& children) {
  const std::uint32_t target = state.intervals.target[hit];
  const std::uint32_t number = target & RowTarget::number_mask;
  const Leg leg = leg_to(source, environment_.points.arrival(number));
  if (!(leg.rho_m > 0)) return;
  const bool arrives = (target & RowTarget::arrives) != 0 && chain.may_arrive() &&
                       !is_over_rooftops(chain, leg.from, number, lit_as_target);
  const bool goes_on = (target & RowTarget::goes_on) != 0 && !is_over_rooftops(chain, leg.from, number, lit_as_element);
  if (!arrives && !goes_on) return;
  double stands_for = 1;
  if (!is_drawn(tube, incidence, leg, chain, number, stands_for)) return;
  const Vec3 k_i = (1.0 / leg.rho_m) * (leg.from - tube.source.point);
  const double sin_beta = incidence.sin_beta(leg.rho_m);
  const double distance_m =
      tube.radius_1_m == tube.radius_2_m
          ? distance_parameter_m(leg.rho_m, leg.distance_m, sin_beta)
          : general_distance_parameter_m(leg.rho_m, tube.radius_1_m, tube.radius_2_m, leg.distance_m, sin_beta);
  const Link::Departure incident =
      differs_along(tube, environment_.tiling.edges[tube.element - environment_.points.tile_count()].length_m)
          ? reflected_along(tube.chain, k_i)
          : Link::Departure{transported(tube.strength, k_i), static_cast<double>(tube.departure_gain)};
  const ComplexVec3 diffracted = diffracted_field(incidence.at(sin_beta), incident.field, k_i, leg.direction,
                                                  {distance_m, distance_m, distance_m}, link_.wave_number());
  if (!(squared_norm(diffracted) > 0)) return;
  const double vegetation = std::sqrt(stands_for) * tube.attenuation * vegetation_between(tube.element, number);
  if (arrives) {
    arrive({source, diffracted, Mechanism::diffraction, incident.relative_gain, chain, false,
            VegetationAtTarget{vegetation, vegetation}},
           number, state);
  }
  if (goes_on) {
    go_on({source, diffracted, incident.relative_gain, chain, tube.reflections, tube.diffractions + 1, vegetation},
          number, children);
  }
}

}  // namespace tesseray
