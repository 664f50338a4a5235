// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs to what the transmitter does not see (paper 002, §2.6), and the tubes that they become there.
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/parallel.h"
#include "core/physics/screen_choice.h"
#include "core/propagation/launching/first_level.h"

namespace tesseray {
namespace {

constexpr std::size_t numbers_per_block = 256, found_per_block = 64;

// Whether the tile stands upright and looks away: all roofs between lie behind it.
bool turns_away(const Tile& tile, Vec3 transmitter) {
  return tile.normal.z == 0 && dot(transmitter.xy() - tile.centroid.xy(), tile.normal.xy()) <= 0;
}

// Whether all edges of a path but one lie below the way over that.
bool rises_over_one_edge(Vec3 transmitter, const RooftopWave& wave) {
  std::array<Vec2, most_screens + 2> points;
  std::size_t count = 0;
  const auto push = [&](Vec3 point) { points[count++] = {norm(point.xy() - transmitter.xy()), point.z}; };
  push(transmitter);
  for (const Vec3 edge : wave.path.edges) push(edge);
  push(wave.end);
  UpperHull hull;
  find_upper_hull(std::span(points).first(count), hull);
  return hull.size == 3;
}

}  // namespace

bool FirstLevel::find_rooftop_wave_below(std::uint32_t number, RooftopUse use, ThreadState& state,
                                         RooftopWave& wave) const {
  const TargetPoints& points = environment_.points;
  return use.goes_on && points.is_ground(number) &&
         environment_.occlusion.is_free(transmitter_.position, rooftop_point(number, use)) &&
         waves_.find(waves_.target_at(number, points.reference(number)), state.rooftop_work, wave);
}

bool FirstLevel::find_rooftop_wave(std::uint32_t number, RooftopUse use, ThreadState& state, RooftopWave& wave) const {
  const RooftopTarget target = waves_.target_at(number, rooftop_point(number, use));
  return waves_.find(target, state.rooftop_work, wave) || find_rooftop_wave_below(number, use, state, wave);
}

void FirstLevel::launch_over_rooftops(const std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress) {
  if (!setting_.goes_over_rooftops()) return;
  const OverRooftop method = environment_.options.over_rooftop;
  RooftopSearch* const search = method == OverRooftop::screens ? environment_.rooftop_search : nullptr;
  const TargetPoints& points = environment_.points;
  const std::uint32_t numbers = points.element_count() + points.receiver_count();
  const std::size_t uses_of_number = points.view().ways_on_apart ? 2 : 1;
  const std::size_t per_block = search != nullptr ? search->most_targets() / uses_of_number : numbers_per_block;
  const auto launch_to = [&](std::uint32_t range_first, std::uint32_t range_end, Progress& part) {
    const std::uint32_t count = range_end - range_first;
    std::vector<std::vector<Tube>> produced((count + per_block - 1) / per_block);
    parallel_blocks(count, per_block, part, [&](std::size_t begin, std::size_t end) {
      const std::uint32_t first = range_first + static_cast<std::uint32_t>(begin);
      const std::uint32_t last = range_first + static_cast<std::uint32_t>(end);
      std::vector<Tube>& of_block = produced[begin / per_block];
      if (search != nullptr) {
        launch_over_rooftops_by(*search, first, last, lit, of_block);
      } else {
        launch_over_rooftops_to(first, last, lit, of_block);
      }
    });
    for (std::vector<Tube>& of_block : produced) tubes.add(std::move(of_block));
  };
  // No ray over the roofs goes to an edge (rooftop_use).
  const double tiles = points.tile_count(), share = tiles / std::max(1.0, tiles + points.receiver_count());
  PartOfStage to_tiles(progress, 0, share), to_receivers(progress, share, 1);
  launch_to(0, points.tile_count(), to_tiles);
  launch_to(points.element_count(), numbers, to_receivers);
}

FirstLevel::RooftopUse FirstLevel::rooftop_use(std::uint32_t number, std::uint8_t lit) const {
  const TargetPoints& points = environment_.points;
  if (points.is_edge(number)) return {};
  const bool is_tile = points.is_tile(number);
  if (is_tile && turns_away(environment_.tiling.tiles[number], transmitter_.position)) return {};
  return {(lit & lit_as_target) == 0 && (!is_tile || points.tiles_are_targets()),
          is_tile && (lit & lit_as_element) == 0 && setting_.may_do_anything(number, 0, 1)};
}

template <class Visit>
void FirstLevel::for_rooftop_uses(std::uint32_t number, std::uint8_t lit, const Visit& visit) const {
  const RooftopUse use = rooftop_use(number, lit);
  const TargetPoints& points = environment_.points;
  if (use.arrives && use.goes_on && !(points.arrival(number) == points.onward(number))) {
    visit(RooftopUse{.arrives = true});
    visit(RooftopUse{.goes_on = true});
  } else if (use.any()) {
    visit(use);
  }
}

Vec3 FirstLevel::rooftop_point(std::uint32_t number, RooftopUse use) const {
  return use.arrives ? environment_.points.arrival(number) : environment_.points.onward(number);
}

void FirstLevel::launch_over_rooftops_to(std::uint32_t first, std::uint32_t end, const std::vector<std::uint8_t>& lit,
                                         std::vector<Tube>& tubes) {
  ThreadState& state = of_thread();
  RooftopWave wave;
  for (std::uint32_t number = first; number < end; ++number) {
    for_rooftop_uses(number, lit[number], [&](RooftopUse use) {
      if (find_rooftop_wave(number, use, state, wave)) launch_rooftop_wave(wave, number, use, state, tubes);
    });
  }
}

void FirstLevel::launch_over_rooftops_by(RooftopSearch& search, std::uint32_t first, std::uint32_t end,
                                         const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes) {
  std::vector<std::uint32_t> numbers;
  std::vector<RooftopUse> uses;
  std::vector<RooftopTarget> targets;
  for (std::uint32_t number = first; number < end; ++number) {
    for_rooftop_uses(number, lit[number], [&](RooftopUse use) {
      numbers.push_back(number);
      uses.push_back(use);
      targets.push_back(waves_.target_at(number, rooftop_point(number, use)));
    });
  }
  std::vector<RooftopBends> found(targets.size());
  search.find(waves_.search_rays(), targets, found);
  const auto finish = [&](std::size_t k, ThreadState& state, RooftopWave& wave) {
    switch (found[k].outcome) {
      case RooftopBends::Outcome::none:
        return waves_.find_over_parts_in_air(targets[k], state.rooftop_work, wave);
      case RooftopBends::Outcome::no_room:
        return waves_.find(targets[k], state.rooftop_work, wave);
      case RooftopBends::Outcome::found:
        follow_bends(transmitter_.position, targets[k].point, found[k], wave.path);
        return waves_.complete(targets[k], state.rooftop_work, wave);
    }
    return false;
  };
  // Both uses of a number are of one thread: they mark the same.
  const auto first_of_number = [&](std::size_t k) {
    return k > 0 && k < numbers.size() && numbers[k] == numbers[k - 1] ? k + 1 : k;
  };
  // A search takes many targets, so that some threads have more of them to finish than others. None of those that wait
  // here begins another search.
  std::vector<std::vector<Tube>> produced((targets.size() + found_per_block - 1) / found_per_block);
  tbb::this_task_arena::isolate([&] {
    parallel_blocks(targets.size(), found_per_block, no_progress(), [&](std::size_t begin, std::size_t end_of_block) {
      ThreadState& state = of_thread();
      RooftopWave wave;
      for (std::size_t k = first_of_number(begin); k < first_of_number(end_of_block); ++k) {
        if (!finish(k, state, wave) && !find_rooftop_wave_below(numbers[k], uses[k], state, wave)) continue;
        launch_rooftop_wave(wave, numbers[k], uses[k], state, produced[begin / found_per_block]);
      }
    });
  });
  for (const std::vector<Tube>& of_block : produced) tubes.insert(tubes.end(), of_block.begin(), of_block.end());
}

void FirstLevel::launch_rooftop_wave(const RooftopWave& wave, std::uint32_t number, RooftopUse use, ThreadState& state,
                                     std::vector<Tube>& tubes) {
  const TargetPoints& points = environment_.points;
  bool comes_from_behind = false;
  if (points.is_tile(number)) {
    const Tile& tile = environment_.tiling.tiles[number];
    comes_from_behind = dot(wave.path.edges.back() - tile.centroid, tile.normal) <= in_front_m;
    if (comes_from_behind && !points.is_ground(number)) return;
  }
  InteractionChain chain;
  chain.over_rooftops = true;
  if (!record_.first_edges.empty())
    record_.first_edges[number] = {wave.path.edges.front(), wave.path.edges.size() == 1};
  const bool is_over_one_edge = rises_over_one_edge(transmitter_.position, wave);
  if (use.arrives && wave.end == points.arrival(number)) {
    const Vec3 ground_normal = waves_.ground_normal_behind(wave, number);
    VegetationAtTarget attenuation =
        wave.vegetation * setting_.vegetation_to_target(wave.path.edges.back(), number, ground_normal);
    const LeftOfRay by_ground = waves_.left_by_way_of_ground(wave, number, ground_normal);
    attenuation.companion *= by_ground.amplitude;
    arrivals_.arrive({wave.source, wave.strength, Mechanism::over_rooftop, wave.departure_gain, chain, false,
                      attenuation, by_ground.offset_m, ground_normal},
                     number, state.arrivals);
    record_.reached_over_rooftops[number] |= lit_as_target | (is_over_one_edge ? over_one_edge_as_target : 0) |
                                             (wave.path.by_ground ? by_ground_as_target : 0);
  }
  if (use.goes_on && !comes_from_behind) {
    const double vegetation =
        wave.vegetation * setting_.vegetation.amplitude(wave.path.edges.back(), points.reference(number));
    // The tile itself lies below the target over it.
    const Vec3 place = points.reference(number);
    const Complex at_tile = waves_.behind_last_edge(wave.path, place) / waves_.behind_last_edge(wave.path, wave.end);
    go_on({wave.source, at_tile * wave.strength, wave.departure_gain, chain, 0, 1, vegetation}, number, tubes);
    record_.reached_over_rooftops[number] |= lit_as_element | (is_over_one_edge ? over_one_edge_as_element : 0) |
                                             (wave.path.by_ground ? by_ground_as_element : 0);
  }
}

}  // namespace tesseray
