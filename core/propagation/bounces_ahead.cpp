// SPDX-License-Identifier: GPL-3.0-or-later
// How long bounces take, foretold by some of the tubes, which are followed ahead from level to level: nothing of them
// arrives. Of each kind of element about as many are followed at each level, chosen by their strength and by the length
// of the row that they are tested against, and each counts as many times as it was unlikely to be chosen.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/propagation/bounces.h"
#include "core/propagation/weighted_sample.h"

namespace tesseray {
namespace {

// Seconds of two cores, by regression over all batches of launches over 1 and 5 km²: a tube that is sorted, beside
// one that is made (level_work.h), one that a tile takes in, and a member of a row that is laid out. The test of a tube
// against a member, and a hit, which takes the longer the more interactions there were.
constexpr double of_tube = 0.12e-6, of_taking_in = 0.012e-6, of_member = 3.2e-9;
struct OfPair {
  double test, hit;
};
constexpr OfPair at_tile{0.14e-9, 49e-9}, at_edge{0.27e-9, 37e-9};

// Of each kind of element one tube in so many is followed, and at least and at most as many.
constexpr std::size_t tubes_for_each = 128, least_followed = 8, most_followed = 256;
// So many times as many elements as tubes that are followed have theirs looked at: not all, for that takes long.
constexpr double elements_for_each = 4;
// A tube brings the more, the stronger it is over the weakest that go on there: by the root, up to so much.
constexpr double most_over_least = 1e4;

// Of what follows where weak tubes are drawn by chance: what arrives before it makes more of it weak.
constexpr double left_of_following = 0.7;

// Tiles and edge segments.
constexpr std::size_t kinds = 2;
using ByKind = std::array<double, kinds>;

double sum(const ByKind& of) { return of[0] + of[1]; }

}  // namespace

class Bounces::LookAhead {
 public:
  LookAhead(const Bounces& bounces, std::span<const TubeGroup> groups);

  void follow(std::span<const TubeGroup> groups, bool further);
  WorkAhead work(std::span<const TubeGroup> groups) const;

 private:
  struct Followed {
    Tube tube;
    double stands_for;
    std::size_t from;  // the kind of element that it comes from at first
  };
  struct Brought {
    std::vector<Tube> tubes;
    double seconds = 0;
  };

  std::size_t kind_of(std::uint32_t element) const { return bounces_.environment_.points.is_edge(element) ? 1 : 0; }
  double members_of(std::uint32_t element) const {
    return static_cast<double>(bounces_.environment_.visibility.row_length(element) + 1);
  }
  double pairs_of(const TubeGroup& group) const {
    return members_of(group.element) * static_cast<double>(group.tubes.size());
  }
  // False for those that are only scattered.
  bool goes_on(const Tube& tube) const {
    return kind_of(tube.element) == 1 || tube.chain.is_scattered() ||
           bounces_.limits_.may_reflect(tube.reflections, tube.diffractions);
  }
  // Of these some are chosen.
  struct Candidate {
    const Tube* tube;
    double stands_for;
    std::size_t from;
  };
  double weight_of(const Candidate& candidate) const;
  std::vector<Candidate> candidates_of(std::span<const TubeGroup> groups);
  std::vector<Candidate> candidates_of(const std::vector<Followed>& parents, const std::vector<Brought>& brought) const;
  std::vector<Followed> chosen(const std::vector<Candidate>& candidates);
  std::vector<Brought> bounced(const std::vector<Followed>& followed) const;
  Brought bounced(const Tube& tube) const;
  double seconds_of_rows(double tubes, double members) const;

  const Bounces& bounces_;
  double tubes_ = 0, groups_ = 0, most_ = 0;
  ByKind pairs_{}, own_{}, following_{}, going_on_{};
  std::array<EvenDraw, kinds> draws_{EvenDraw(0), EvenDraw(1)};
};

Bounces::LookAhead::LookAhead(const Bounces& bounces, std::span<const TubeGroup> groups)
    : bounces_(bounces), groups_(static_cast<double>(groups.size())) {
  std::size_t tubes = 0;
  for (const TubeGroup& group : groups) {
    tubes += group.tubes.size();
    pairs_[kind_of(group.element)] += pairs_of(group);
  }
  tubes_ = static_cast<double>(tubes);
  most_ = static_cast<double>(std::clamp(tubes / tubes_for_each, least_followed, most_followed));
}

void Bounces::LookAhead::follow(std::span<const TubeGroup> groups, bool further) {
  std::vector<Followed> followed = chosen(candidates_of(groups));
  for (bool first = true; !followed.empty(); first = false) {
    const std::vector<Brought> brought = bounced(followed);
    ByKind tubes{}, members{};
    for (std::size_t i = 0; i < followed.size(); ++i) {
      const Followed& parent = followed[i];
      const double seconds = parent.stands_for * brought[i].seconds;
      (first ? own_ : following_)[parent.from] += seconds;
      for (const Tube& tube : brought[i].tubes) {
        following_[parent.from] += of_tube * parent.stands_for;
        if (!goes_on(tube)) continue;
        tubes[parent.from] += parent.stands_for;
        members[parent.from] += parent.stands_for * members_of(tube.element);
      }
    }
    const double all = sum(tubes);
    for (std::size_t kind = 0; kind < kinds && all > 0; ++kind)
      following_[kind] += tubes[kind] / all * seconds_of_rows(all, sum(members) / all);
    if (!further) return;
    followed = chosen(candidates_of(followed, brought));
  }
}

// Of a later level: tubes come to the more elements, the more there are, as these have.
double Bounces::LookAhead::seconds_of_rows(double tubes, double members) const {
  const double elements = bounces_.environment_.points.element_count();
  const double batches = std::max(1.0, tubes / static_cast<double>(batch_children));
  const double met = 1 - std::pow(1 - std::min(groups_ / elements, 0.999), tubes / batches / tubes_);
  return of_member * members * elements * met * batches;
}

double Bounces::LookAhead::weight_of(const Candidate& candidate) const {
  const Tube& tube = *candidate.tube;
  const LaunchView& view = bounces_.view_;
  double least = view.link.least_gain;
  if (view.roulette_gain != nullptr) least = std::max(least, static_cast<double>(view.roulette_gain[tube.element]));
  const double times_least = std::clamp(tube.path_gain / least, 1.0, most_over_least);
  return candidate.stands_for * members_of(tube.element) * std::sqrt(times_least);
}

std::vector<Bounces::LookAhead::Candidate> Bounces::LookAhead::candidates_of(std::span<const TubeGroup> groups) {
  std::vector<Candidate> candidates;
  for (const TubeGroup& group : groups) {
    const std::size_t kind = kind_of(group.element);
    const double probability = std::min(1.0, elements_for_each * most_ * pairs_of(group) / pairs_[kind]);
    if (!draws_[kind].takes(probability)) continue;
    for (const Tube* const tube : group.tubes) {
      if (!goes_on(*tube)) continue;
      candidates.push_back({tube, 1 / probability, kind});
      going_on_[kind] += members_of(group.element) / probability;
    }
  }
  return candidates;
}

std::vector<Bounces::LookAhead::Candidate> Bounces::LookAhead::candidates_of(
    const std::vector<Followed>& parents, const std::vector<Brought>& brought) const {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const Tube& tube : brought[i].tubes)
      if (goes_on(tube)) candidates.push_back({&tube, parents[i].stands_for, parents[i].from});
  }
  return candidates;
}

std::vector<Bounces::LookAhead::Followed> Bounces::LookAhead::chosen(const std::vector<Candidate>& candidates) {
  ByKind weights{};
  for (const Candidate& candidate : candidates) weights[kind_of(candidate.tube->element)] += weight_of(candidate);
  std::vector<Followed> tubes;
  for (const Candidate& candidate : candidates) {
    const std::size_t kind = kind_of(candidate.tube->element);
    const double probability = std::min(1.0, most_ * weight_of(candidate) / weights[kind]);
    if (draws_[kind].takes(probability))
      tubes.push_back({*candidate.tube, candidate.stands_for / probability, candidate.from});
  }
  return tubes;
}

std::vector<Bounces::LookAhead::Brought> Bounces::LookAhead::bounced(const std::vector<Followed>& followed) const {
  std::vector<Brought> brought(followed.size());
  tbb::parallel_for(std::size_t{0}, followed.size(), [&](std::size_t i) { brought[i] = bounced(followed[i].tube); });
  return brought;
}

Bounces::LookAhead::Brought Bounces::LookAhead::bounced(const Tube& tube) const {
  const Tube* const alone = &tube;
  const TubeGroup group{tube.element, {&alone, 1}};
  const bool is_edge = kind_of(tube.element) == 1;
  ThreadState state(nullptr);
  Brought brought;
  if (is_edge) {
    bounces_.bounce_edge(group, FollowedTo::all, state, brought.tubes);
  } else {
    bounces_.bounce_tile(group, FollowedTo::all, state, brought.tubes);
  }
  const OfPair& of_pair = is_edge ? at_edge : at_tile;
  const PhaseCost& cost = state.cost[phase_of(tube)];
  brought.seconds = of_pair.test * static_cast<double>(cost.tests) +
                    of_pair.hit * static_cast<double>(cost.contributions) * tube.interactions() +
                    seconds_of_child * static_cast<double>(brought.tubes.size());
  return brought;
}

WorkAhead Bounces::LookAhead::work(std::span<const TubeGroup> groups) const {
  const double of_following = bounces_.pruning_.roulette > 0 ? left_of_following : 1;
  WorkAhead ahead{{0}, {0}};
  for (const TubeGroup& group : groups) {
    const std::size_t kind = kind_of(group.element);
    const double part = pairs_of(group) / pairs_[kind], rows = of_member * members_of(group.element);
    const double taken_in = of_taking_in * static_cast<double>(group.tubes.size());
    ahead.own.push_back(ahead.own.back() + taken_in + rows * going_on_[kind] / pairs_[kind] + own_[kind] * part);
    ahead.following.push_back(ahead.following.back() + of_following * following_[kind] * part);
  }
  return ahead;
}

WorkAhead Bounces::look_ahead(std::span<const TubeGroup> groups, const BouncePace& pace) const {
  // What weak tubes are drawn by is there only when the first level has bounced: before, too many seem to go on.
  const bool knows_weak = pruning_.roulette <= 0 || pace.foretold <= 0;
  LookAhead look(*this, groups);
  look.follow(groups, knows_weak);
  WorkAhead ahead = look.work(groups);
  if (!knows_weak) {
    const double own = ahead.own.back(), following = std::max(0.0, pace.foretold - own);
    for (std::size_t g = 0; g < ahead.own.size(); ++g) ahead.following[g] = following * ahead.own[g] / own;
  }
  return ahead;
}

double Bounces::usual_seconds(int interactions) const {
  const LaunchCost all = cost();
  PhaseCost counted = all[LaunchPhase::bounces];
  counted.merge(all[LaunchPhase::then_two]);
  return of_member * static_cast<double>(counted.row_entries) + at_edge.test * static_cast<double>(counted.tests) +
         at_edge.hit * interactions * static_cast<double>(counted.contributions);
}

}  // namespace tesseray
