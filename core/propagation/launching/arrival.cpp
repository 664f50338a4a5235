// SPDX-License-Identifier: GPL-3.0-or-later
// One ray at one target: into the sums, and kept when single rays are wanted.
#include <cmath>

#include "core/base/hash.h"
#include "core/propagation/launching/launch_arrivals.h"

namespace tesseray {

void LaunchArrivals::add_arrival(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number,
                                 ThreadArrivals& state) {
  // One that is followed once more has arrived.
  if (state.endings != nullptr || !comes_with_another(ending, ray, number)) {
    add_arrived(ending, ray, number, state);
  } else if (ray.arrival.stands_for == 1) {
    // Of those drawn by chance, which are weak, none could stand for the others: which of them are there differs.
    state.by_ground.push_back(as_ray_by_ground(ending, number));
  }
}

void LaunchArrivals::add_arrived(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number,
                                 ThreadArrivals& state) {
  const Arrival& arrival = ray.arrival;
  state.sums[setting_.sum_index(number)].add(arrival);
  add_wideband(ending, ray, number, state);
  if (!environment_.points.is_receiver(number)) return;
  const bool is_recorded = environment_.options.rays_per_receiver > 0;
  const std::uint32_t receiver = number - environment_.points.element_count();
  if (arrival.path_gain > 0) {
    const bool is_pairable = view_.summation == Summation::local_mean;
    if (!is_recorded && !is_pairable) return;
    const Complex phased = exp_j(-link_.wave_number() * ray.length_m) * ray.received;
    if (is_pairable) state.pairable.push_back(as_pairable(ending, ray, phased, receiver));
    if (is_recorded) {
      state.recorded.push_back({receiver, arrival.path_gain,
                                setting_.straight_distance(number) + arrival.excess_length_m, arrival.stands_for,
                                std::atan2(phased.im, phased.re), ending.chain, RecordedRay::nowhere,
                                ray.is_companion ? ending.ground_normal : Vec3{}});
    }
  } else if (is_recorded) {
    count_without_power(ending, ray, state.without_power[receiver]);
  }
  // Of all rays: the one that is followed may be another's companion.
  if (state.endings == nullptr) return;
  const Vec3* const place = ending.ground_place;
  state.endings->push_back({ending.source, ending.strength, ending.departure_gain, ending.attenuation,
                            ending.ground_normal, place ? std::optional(*place) : std::nullopt, ray});
}

void LaunchArrivals::count_without_power(const RayEnding& ending, const ArrivedRay& ray,
                                         RaysWithoutPower& counts) const {
  const bool by_pattern = !(ending.departure_gain > 0 && link_.receive_gain(ray.arrival.travel_direction) > 0);
  ++(by_pattern ? counts.by_pattern : counts.by_polarization);
}

std::uint64_t LaunchArrivals::way_of(const InteractionChain& chain) const {
  const TargetPoints& points = environment_.points;
  StableHash way;
  // Over the roofs or just above them: the ray and its reflection may lie on both sides of a shadow's boundary.
  way.add(chain.through_building);
  LastPart part;
  for (std::size_t i = chain.length; i-- > 0;) {
    const std::uint32_t element = chain.elements[i];
    const bool is_tile = points.is_tile(element);
    if (is_tile && points.is_ground(element) && part.has_ground(environment_.tiling.tiles[element].normal)) continue;
    // Reflected on the ground or not, a ray meets the same wall at different tiles, and at different parts of a house
    // that stand on each other.
    const std::uint32_t prism =
        is_tile ? environment_.tiling.tiles[element].prism : environment_.view.edge(element).prism;
    way.add(is_tile);
    way.add(prism == no_index ? prism : environment_.stacks[prism]);
    if (is_tile) continue;
    // A house's roof edge and its corner are two ways.
    const Vec3 direction = environment_.view.edge(element).direction;
    way.add(stands_on({0, 0, 1}, direction));
    part.pass_edge(direction);
  }
  return way.value();
}

PairableRay LaunchArrivals::as_pairable(const RayEnding& ending, const ArrivedRay& arrived, Complex phased,
                                        std::uint32_t receiver) const {
  const InteractionChain& chain = ending.chain;
  const TargetPoints& points = environment_.points;
  const std::uint32_t ground = view_.environment.receiver_grounds[receiver];
  const bool from_ground = last_ground(view_.environment, chain) != no_index;
  const bool is_straight = from_ground ? chain.length == 1 : chain.length == 0 && !chain.over_rooftops;
  const double stands_for = arrived.arrival.stands_for;
  BroughtByCompanion below;
  if (!from_ground) below = brought_by_reflection_below(ending, arrived, receiver);
  return {.receiver = receiver,
          .from_ground = from_ground,
          .straight = is_straight,
          .over_rooftops = chain.over_rooftops,
          .way = way_of(chain),
          .from = leg_to(ending.source, points.arrival(points.element_count() + receiver)).from.xy(),
          .amplitude = phased,
          .stands_for = stands_for,
          .direction = arrived.phase_direction,
          .normal = ground == no_index ? Vec3{0, 0, 1} : environment_.tiling.tiles[ground].normal,
          .along_ground = ending.along_ground,
          .with_ground_below = stands_for * below.power,
          .in_step = arrived.in_step,
          .reflection = below.power != 0 ? below.reflection : arrived.reflection};
}

void LaunchArrivals::pair_rays(std::span<ArrivalSums> receivers) {
  std::vector<PairableRays> parts;
  for (ThreadArrivals& state : threads_) parts.push_back(std::move(state.pairable));
  add_ground_pairs(parts, link_.wave_number(), receivers);
}

void LaunchArrivals::arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& state) {
  const auto add = [&](const ArrivedRay& ray) { add_arrival(ending, ray, number, state); };
  if (!environment_.points.is_receiver(number)) {
    tesseray::arrive(view_, ending, number, add);
    return;
  }
  // The longest rays bring their companions along.
  const std::uint32_t ground = setting_.receiver_ground(number);
  const bool has_companion = ground != no_index && lacks_ground_reflection(view_, ending.chain);
  tesseray::arrive(view_, has_companion ? with_vegetation_by(ground, ending, number) : ending, number, add);
  const bool is_reflected = is_reflected_around(ending, number)
                                ? is_free_by_ground_around(ending, number)
                                : arrives_along_ground(ending, number) || is_reflected_without_tile(ending, number);
  if (is_reflected) arrive_by_ground(ending, number, state);
}

}  // namespace tesseray
