// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/scattered_rays.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

// Lists may grow to this many times the wanted number before the weak ones are sorted out.
constexpr std::size_t slack = 4;
constexpr std::size_t least_list = 1024;

bool is_stronger(const ScatteredTube& a, const ScatteredTube& b) {
  const auto order = [](const ScatteredTube& tube) {
    return std::tuple(-tube.power, tube.chain.length, tube.chain.elements);
  };
  return order(a) < order(b);
}

}  // namespace

ScatteredRays::ScatteredRays(std::size_t rays, std::uint32_t tile_count)
    : rays_(rays), tile_count_(tile_count), tubes_(rays > 0 ? tile_count : 0) {}

AfterScattering kind_of(const ElementsAfterScattering& by, std::uint32_t tile_count) {
  int reflections = 0, diffractions = 0;
  for (const std::uint32_t element : by) {
    if (element != no_index) ++(element < tile_count ? reflections : diffractions);
  }
  if (reflections == 2) return AfterScattering::two_reflections;
  if (diffractions == 2) return AfterScattering::two_diffractions;
  if (reflections + diffractions == 2) return AfterScattering::reflection_and_diffraction;
  if (reflections == 1) return AfterScattering::reflection;
  return diffractions == 1 ? AfterScattering::diffraction : AfterScattering::nothing;
}

void ScatteredRays::keep_strongest(std::vector<ScatteredTube>& tubes) const {
  std::sort(tubes.begin(), tubes.end(), is_stronger);
  // A ray that is among the strongest takes one of the strongest tubes that may go its way, and no other ones.
  std::array<std::size_t, 64> kept_for{};  // by the kinds of what may follow
  std::erase_if(tubes, [&](const ScatteredTube& tube) {
    // The antenna's own, of which there is one, may go another way than the others.
    if (tube.is_from_near_antenna) return false;
    return kept_for[tube.may_follow]++ >= rays_;
  });
}

void ScatteredRays::add(std::uint32_t tile, const ScatteredTube& tube) {
  std::vector<ScatteredTube>& tubes = tubes_[tile];
  tubes.push_back(tube);
  if (tubes.size() >= slack * (rays_ + least_list)) keep_strongest(tubes);
}

void ScatteredRays::sort_tubes() {
  parallel_blocks(tubes_.size(), 256, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) keep_strongest(tubes_[tile]);
  });
}

double ScatteredRays::strongest_gain(const ScatteredWay& way) const {
  double strongest = 0;
  for (const ScatteredTube& tube : tubes_[way.tile]) {
    if (way.gain_factor * tube.power * (1 + way.by_ground) <= strongest) break;
    if (may_take(tube, way)) strongest = std::max(strongest, path_gain(tube, way));
  }
  return strongest;
}

void ScatteredRays::add(const ScatteredWay& way, ScatteredWays& ways) const {
  ways.list.push_back(way);
  if (ways.list.size() < std::max(ways.full_at, least_list)) return;
  keep_strongest(ways.list);
  ways.full_at = slack * ways.list.size();
}

void ScatteredRays::keep_strongest(std::vector<ScatteredWay>& ways) const {
  struct Rank {
    double gain;
    std::uint32_t place;
  };
  std::vector<Rank> ranks;
  ranks.reserve(ways.size());
  for (std::uint32_t w = 0; w < ways.size(); ++w) ranks.push_back({strongest_gain(ways[w]), w});
  const auto order = [&](const Rank& rank) {
    const ScatteredWay& way = ways[rank.place];
    return std::tuple(way.receiver, -rank.gain, way.tile, way.by, way.cross_polarized, way.takes);
  };
  std::sort(ranks.begin(), ranks.end(), [&](const Rank& a, const Rank& b) { return order(a) < order(b); });
  std::vector<ScatteredWay> kept;
  std::size_t of_receiver = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const ScatteredWay& way = ways[ranks[i].place];
    of_receiver = !kept.empty() && kept.back().receiver == way.receiver ? of_receiver + 1 : 0;
    if (ranks[i].gain > 0 && of_receiver < rays_) kept.push_back(way);
  }
  ways = std::move(kept);
}

std::vector<RecordedRay> ScatteredRays::strongest(std::vector<ScatteredWay> ways) const {
  std::vector<RecordedRay> rays;
  if (ways.empty()) return rays;
  keep_strongest(ways);
  for (std::size_t first = 0; first < ways.size();) {
    std::size_t last = first;
    while (last < ways.size() && ways[last].receiver == ways[first].receiver) ++last;
    put_together(ways.data() + first, ways.data() + last, rays);
    first = last;
  }
  return rays;
}

void ScatteredRays::put_together(const ScatteredWay* first, const ScatteredWay* last,
                                 std::vector<RecordedRay>& rays) const {
  // The next tube of each way, of those within and beyond the limits, the one that makes the strongest ray on top.
  // Equal ones in the order of the ways.
  struct Candidate {
    double gain;
    const ScatteredWay* way;
    std::size_t tube;
    bool is_beyond_limits;
    bool operator<(const Candidate& other) const {
      return std::tuple(gain, other.way, other.tube) < std::tuple(other.gain, way, tube);
    }
  };
  std::priority_queue<Candidate> candidates;
  const auto consider = [&](const ScatteredWay* way, std::size_t tube, bool beyond_limits) {
    const std::vector<ScatteredTube>& tubes = tubes_[way->tile];
    const auto goes = [&](const ScatteredTube& candidate) {
      return may_take(candidate, *way) && is_beyond_limits(candidate, *way) == beyond_limits;
    };
    while (tube < tubes.size() && !goes(tubes[tube])) ++tube;
    if (tube == tubes.size()) return;
    const double gain = path_gain(tubes[tube], *way);
    if (gain > 0) candidates.push({gain, way, tube, beyond_limits});
  };
  for (const ScatteredWay* way = first; way != last; ++way) {
    consider(way, 0, false);
    consider(way, 0, true);
  }
  for (std::size_t found = 0; found < rays_ && !candidates.empty(); ++found) {
    const Candidate best = candidates.top();
    candidates.pop();
    const ScatteredTube& tube = tubes_[best.way->tile][best.tube];
    RecordedRay ray;
    ray.receiver = best.way->receiver;
    ray.path_gain = best.gain;
    ray.length_m = tube.length_m + best.way->length_m;
    ray.phase = std::numeric_limits<double>::quiet_NaN();
    ray.chain = tube.chain;
    ray.chain.cross_polarized = best.way->cross_polarized;
    ray.scattered_at = tube.chain.length;
    ray.chain.push(best.way->tile);
    for (const std::uint32_t element : best.way->by) {
      if (element != no_index) ray.chain.push(element);
    }
    rays.push_back(ray);
    consider(best.way, best.tube + 1, best.is_beyond_limits);
  }
}

}  // namespace tesseray
