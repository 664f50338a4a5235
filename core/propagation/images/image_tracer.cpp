// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/image_tracer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/images/between_edges.h"
#include "core/propagation/images/exact_field.h"
#include "core/propagation/images/exact_path.h"
#include "core/propagation/images/image_tree.h"
#include "core/propagation/images/real_edges.h"
#include "core/propagation/images/reflectors.h"
#include "core/propagation/rays/ground_pairs.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rays/in_step_past_edge.h"
#include "core/propagation/rays/local_mean.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/ground_plan/stacks.h"

namespace tesseray {
namespace {

constexpr int most_reflections_with_two = 1;
// Receivers nearer than this to the antenna are taken as being in it.
constexpr double least_distance_m = 0.01;

void check(const char* parameter, int value, int greatest) {
  if (value >= 0 && value <= greatest) return;
  throw Error(ErrorKind::invalid_input, "bad_limit", std::string(parameter) + " is " + std::to_string(value),
              "give a number from 0 to " + std::to_string(greatest));
}

struct FoundRay {
  ExactPath path;
  ReceivedPath received;
};

// What a receiver gets.
struct Arrived {
  ArrivalSums sums;
  std::vector<FoundRay> rays;
  PairableRays pairable;
  std::uint64_t images = 0, candidates = 0, found = 0;
};

// The sequences that light each edge from the transmitter.
class ChainsByEdge {
 public:
  ChainsByEdge(std::vector<LitItem> lit, std::size_t edges) : lit_(std::move(lit)), offsets_(edges + 1, 0) {
    std::stable_sort(lit_.begin(), lit_.end(), [](const LitItem& a, const LitItem& b) { return a.number < b.number; });
    for (const LitItem& item : lit_) ++offsets_[item.number + 1];
    for (std::size_t e = 1; e < offsets_.size(); ++e) offsets_[e] += offsets_[e - 1];
  }
  std::span<const LitItem> of(std::uint32_t edge) const {
    return std::span(lit_).subspan(offsets_[edge], offsets_[edge + 1] - offsets_[edge]);
  }
  const std::vector<LitItem>& all() const { return lit_; }

 private:
  std::vector<LitItem> lit_;
  std::vector<std::size_t> offsets_;
};

// The edges that an end lights, by the number of reflections before: as first or last ones of two.
using EdgesByReflections = std::array<std::vector<LitItem>, most_reflections_with_two + 1>;

EdgesByReflections by_reflections(const std::vector<LitItem>& lit) {
  EdgesByReflections edges;
  for (const LitItem& item : lit) {
    if (item.chain.length < edges.size()) edges[item.chain.length].push_back(item);
  }
  return edges;
}

// Where rays over two edges begin.
struct FirstEdges {
  EdgesByReflections lit;
  std::optional<BetweenEdges> between;  // none where such rays have no reflections
};

Mechanism mechanism_of(const ExactPath& path) {
  if (path.length == 0) return Mechanism::direct;
  const auto sequence = path.sequence();
  const bool diffracted = std::any_of(sequence.begin(), sequence.end(), [](const auto& each) { return each.is_edge; });
  return diffracted ? Mechanism::diffraction : Mechanism::reflection;
}

// What is the same for all transmitters.
struct TracingEnvironment {
  const Scene& scene;
  const Reflectors& reflectors;
  const RealEdges& edges;
  const ImageTree& tree;
  const ExactPaths& paths;
  const VegetationPrisms& vegetation;
  const std::vector<Receiver>& receivers;
  const ImageTracingOptions& options;
  const std::vector<std::uint32_t>& stacks;  // by prism (stacks_of)

  // Reflections of a ray with one diffraction; negative without diffractions.
  int reflections_with_edge() const {
    if (options.max_diffractions == 0) return -1;
    return std::max(0, std::min(options.max_reflections, options.max_reflections_with_diffractions - 1));
  }
  // Reflections of a ray with two; negative without such rays.
  int reflections_with_two_edges() const {
    if (options.max_diffractions < 2) return -1;
    const int together = std::min(options.max_reflections, options.max_reflections_with_diffractions - 2);
    return std::clamp(together, 0, most_reflections_with_two);
  }
};

// What the work on one receiver asks: whether it is cancelled. How far the trace is, the receivers that are done tell.
class OfOneReceiver final : public Progress {
 public:
  explicit OfOneReceiver(const Progress& trace) : trace_(trace) {}

  bool is_cancelled() const override { return trace_.is_cancelled(); }

 private:
  const Progress& trace_;
};

// One transmitter's trace.
class Trace {
 public:
  Trace(const TracingEnvironment& environment, const Transmitter& transmitter)
      : environment_(environment),
        options_(environment.options),
        reflections_with_edge_(environment.reflections_with_edge()),
        reflections_with_two_edges_(environment.reflections_with_two_edges()),
        transmitter_(transmitter),
        link_(environment.scene, transmitter, without_scattering(options_.link)),
        vegetation_(environment.vegetation, options_.link.vegetation, options_.link.vegetation_db_per_m,
                    transmitter.frequency_hz),
        field_(environment.scene, environment.reflectors, environment.edges, link_, vegetation_) {}

  ImageTracingResult run(Progress& progress) const;

 private:
  void collect(std::vector<Arrived> arrived, ImageTracingResult& result) const;
  // Reflections keep all of their power.
  static RayLaunchingOptions without_scattering(RayLaunchingOptions link) {
    link.max_scatterings = 0;
    return link;
  }
  void try_reflected(const ReflectionChain& chain, Vec3 target, Arrived& arrived) const;
  FirstEdges first_edges(const ChainsByEdge& chains) const;
  // Throw Error(cancelled) from edge to edge: one target may take many seconds.
  void try_diffracted(const ChainsByEdge& chains, const FirstEdges& first, Vec3 target, const Progress& progress,
                      Arrived& arrived) const;
  void try_diffracted_twice(const FirstEdges& first, const EdgesByReflections& last, Vec3 target,
                            const Progress& progress, Arrived& arrived) const;
  void try_two_edges(const TwoEdgeSequence& sequence, Vec3 target, Arrived& arrived) const;
  void add(const ExactPath& path, Arrived& arrived) const;
  void set_in_step(const ExactPath& path, PairableRay& ray) const;
  PairableRay as_pairable(const ExactPath& path, const Arrival& arrival) const;
  // What a ray that meets another part of the same stack has in common: of the ground, its own number.
  std::uint32_t stack_of(const ExactPath::Interaction& place) const {
    const std::uint32_t prism =
        place.is_edge ? environment_.edges[place.number].prism : environment_.reflectors[place.number].prism;
    return prism == no_index ? place.number : environment_.stacks[prism];
  }
  Ray as_ray(const FoundRay& found, const Receiver& receiver) const;

  const TracingEnvironment& environment_;
  const ImageTracingOptions& options_;
  const int reflections_with_edge_, reflections_with_two_edges_;
  const Transmitter& transmitter_;
  Link link_;
  VegetationLoss vegetation_;
  ExactField field_;
};

void Trace::add(const ExactPath& path, Arrived& arrived) const {
  if (path.length_m() > options_.max_length_m) return;
  const Vec3 target = path.corners().back();
  FoundRay found{path, field_.receive(path)};
  const ReceivedPath& received = found.received;
  Arrival arrival;
  arrival.path_gain = squared_norm(received.amplitude);
  // Along a face of an edge the diffracted field may be zero, and what is left of one of another polarisation: no ray.
  arrived.sums.direct = arrived.sums.direct || path.length == 0;
  if (!(arrival.path_gain > 0)) return;
  arrival.basic_gain = basic_gain(arrival.path_gain, received.departure_gain, received.receive_gain);
  arrival.excess_length_m = received.length_m - norm(target - transmitter_.position);
  arrival.travel_direction = normalized(target - path.corners()[path.length]);
  arrival.mechanism = mechanism_of(path);
  const Summation summation = options_.link.summation;
  arrival.coherent = summation == Summation::coherent;
  arrival.amplitude = exp_j(-link_.wave_number() * received.length_m) * received.amplitude;
  arrived.sums.add(arrival);
  ++arrived.found;
  if (summation == Summation::local_mean) arrived.pairable.push_back(as_pairable(path, arrival));
  found.received.amplitude = arrival.amplitude;
  arrived.rays.push_back(found);
}

// Of the direct ray, of what an upright edge diffracts and a wall reflects of it, and of the direct ray's reflections
// on the ground, of which there may be several.
void Trace::set_in_step(const ExactPath& path, PairableRay& ray) const {
  if (path.length == 0) ray.in_step = 1;
  if (path.length != 1) return;
  const auto [is_edge, number] = path.interactions[0];
  const Vec3 from = transmitter_.position, at = path.corners()[1], to = path.corners()[2];
  if (is_edge) {
    ray.in_step = in_step_past_edge(environment_.edges[number], from, at, to, link_.wave_number());
    return;
  }
  const Reflector& reflector = environment_.reflectors[number];
  if (reflector.kind == SurfaceKind::wall) {
    const double before_wall_m = std::fabs(dot(from - at, reflector.normal));
    const double longer_m = norm(at - from) + norm(to - at) - norm(to - from);
    ray.in_step = in_step_before_wall(before_wall_m, longer_m, link_.wave_number());
  }
  if (reflector.kind != SurfaceKind::ground) return;
  ray.in_step = coherence(normalized(to - from), normalized(to - at), reflector.normal, link_.wave_number());
  ray.in_step_reflected = out_of_step(ray.in_step);
}

PairableRay Trace::as_pairable(const ExactPath& path, const Arrival& arrival) const {
  PairableRay ray{.amplitude = arrival.amplitude, .direction = arrival.travel_direction};
  set_in_step(path, ray);
  StableHash way;
  LastPart part;
  const auto sequence = path.sequence();
  for (auto each = sequence.rbegin(); each != sequence.rend(); ++each) {
    if (!each->is_edge) {
      const Reflector& reflector = environment_.reflectors[each->number];
      // Those of the direct ray are each for itself.
      if (reflector.kind == SurfaceKind::ground && path.length > 1 && part.has_ground(reflector.normal)) {
        ray.from_ground = true;
        ray.normal = reflector.normal;
        continue;
      }
    }
    way.add(each->is_edge);
    way.add(stack_of(*each));
    if (!each->is_edge) continue;
    const Vec3 direction = environment_.edges[each->number].direction;
    way.add(stands_on({0, 0, 1}, direction));
    part.pass_edge(direction);
  }
  ray.way = way.value();
  return ray;
}

void Trace::try_reflected(const ReflectionChain& chain, Vec3 target, Arrived& arrived) const {
  ++arrived.candidates;
  ExactPath path;
  if (environment_.paths.reflected(chain, transmitter_.position, target, path)) add(path, arrived);
}

FirstEdges Trace::first_edges(const ChainsByEdge& chains) const {
  FirstEdges first;
  if (reflections_with_two_edges_ < 0) return first;
  first.lit = by_reflections(chains.all());
  if (reflections_with_two_edges_ == 0) return first;
  std::vector<std::uint32_t> directly;
  for (const LitItem& item : first.lit[0]) directly.push_back(item.number);
  first.between.emplace(environment_.reflectors, environment_.edges, std::move(directly), transmitter_.position,
                        options_.max_length_m);
  return first;
}

void Trace::try_diffracted(const ChainsByEdge& chains, const FirstEdges& first, Vec3 target, const Progress& progress,
                           Arrived& arrived) const {
  const Vec2 goal = transmitter_.position.xy();
  const ImageLimits limits{reflections_with_edge_, reflections_with_edge_, options_.max_length_m, {goal, goal}};
  OfOneReceiver silent(progress);
  const LitItems lit = environment_.tree.light(target, {}, limits, silent);
  arrived.images += lit.images;
  ExactPath path;
  for (const LitItem& after : lit.edges) {
    progress.throw_if_cancelled();
    for (const LitItem& before : chains.of(after.number)) {
      if (before.chain.length + after.chain.length > reflections_with_edge_) continue;
      ++arrived.candidates;
      if (environment_.paths.diffracted(before.chain, after.number, after.chain, transmitter_.position, target, path)) {
        add(path, arrived);
      }
    }
  }
  if (reflections_with_two_edges_ < 0) return;
  try_diffracted_twice(first, by_reflections(lit.edges), target, progress, arrived);
}

void Trace::try_diffracted_twice(const FirstEdges& first, const EdgesByReflections& last, Vec3 target,
                                 const Progress& progress, Arrived& arrived) const {
  for (int reflections = 0; reflections <= reflections_with_two_edges_; ++reflections) {
    for (int before = 0; before <= reflections; ++before) {
      for (const LitItem& a : first.lit[before]) {
        progress.throw_if_cancelled();
        for (const LitItem& b : last[reflections - before]) {
          if (a.number != b.number) try_two_edges({a.chain, a.number, {}, b.number, b.chain}, target, arrived);
        }
      }
    }
  }
  if (!first.between) return;
  for (const LitItem& b : last[0]) {
    progress.throw_if_cancelled();
    for (const auto& [number, reflector] : first.between->ways(b.number, target)) {
      TwoEdgeSequence sequence{.first = number, .second = b.number};
      sequence.between.push(reflector);
      try_two_edges(sequence, target, arrived);
    }
  }
}

void Trace::try_two_edges(const TwoEdgeSequence& sequence, Vec3 target, Arrived& arrived) const {
  ++arrived.candidates;
  ExactPath path;
  if (environment_.paths.diffracted_twice(sequence, transmitter_.position, target, path)) add(path, arrived);
}

Ray Trace::as_ray(const FoundRay& found, const Receiver& receiver) const {
  const std::span<const Vec3> points = found.path.corners();
  Ray ray;
  ray.target_id = receiver.receiver_id;
  ray.interactions = "T";
  for (const auto& [is_edge, number] : found.path.sequence()) {
    const bool is_ground = !is_edge && environment_.reflectors[number].kind == SurfaceKind::ground;
    ray.interactions += is_edge ? "-D" : is_ground ? "-G" : "-R";
    ray.elements.push_back(number + (is_edge ? static_cast<std::uint32_t>(environment_.reflectors.all().size()) : 0));
  }
  ray.points.assign(points.begin(), points.end());
  ray.mechanism = mechanism_of(found.path);
  ray.path_gain = link_.receiver_gain() * squared_norm(found.received.amplitude);
  ray.delay_ns = found.received.length_m / speed_of_light * 1e9;
  ray.phase_deg = degrees(std::atan2(found.received.amplitude.im, found.received.amplitude.re));
  ray.complete_for(transmitter_);
  return ray;
}

ImageTracingResult Trace::run(Progress& progress) const {
  const std::vector<Receiver>& receivers = environment_.receivers;
  ImageTracingResult result;
  std::vector<Vec3> targets;
  Rectangle goal;
  for (const Receiver& receiver : receivers) {
    targets.push_back(receiver.position);
    goal.extend(receiver.position.xy());
  }
  if (targets.empty()) return result;
  const ImageLimits limits{options_.max_reflections, reflections_with_edge_, options_.max_length_m, goal};
  LitItems lit = environment_.tree.light(transmitter_.position, targets, limits, progress);
  result.images = lit.images;
  const ChainsByEdge chains(std::move(lit.edges), environment_.edges.all().size());
  const FirstEdges first_of_two = first_edges(chains);
  std::stable_sort(lit.targets.begin(), lit.targets.end(),
                   [](const LitItem& a, const LitItem& b) { return a.number < b.number; });

  std::vector<Arrived> arrived(receivers.size());
  parallel_blocks(receivers.size(), 1, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      if (norm(targets[r] - transmitter_.position) < least_distance_m) continue;
      const auto [first, last] =
          std::equal_range(lit.targets.begin(), lit.targets.end(), LitItem{static_cast<std::uint32_t>(r), {}},
                           [](const LitItem& a, const LitItem& b) { return a.number < b.number; });
      for (auto item = first; item != last; ++item) try_reflected(item->chain, targets[r], arrived[r]);
      if (reflections_with_edge_ >= 0) try_diffracted(chains, first_of_two, targets[r], progress, arrived[r]);
    }
  });

  collect(std::move(arrived), result);
  return result;
}

void Trace::collect(std::vector<Arrived> arrived, ImageTracingResult& result) const {
  for (std::size_t r = 0; r < arrived.size(); ++r) {
    Arrived& here = arrived[r];
    // Equal powers stay in the order in which the sequences were tried, which is always the same.
    std::stable_sort(here.rays.begin(), here.rays.end(), [](const FoundRay& a, const FoundRay& b) {
      return squared_norm(a.received.amplitude) > squared_norm(b.received.amplitude);
    });
    if (here.rays.size() > options_.rays_per_receiver) here.rays.resize(options_.rays_per_receiver);
    for (const FoundRay& found : here.rays) result.rays.push_back(as_ray(found, environment_.receivers[r]));
    ArrivalSums sums;
    sums.merge(here.sums);
    add_ground_pairs({&here.pairable, 1}, link_.wave_number(), {&sums, 1});
    result.receivers.push_back(sums);
    result.images += here.images;
    result.candidates += here.candidates;
    result.found += here.found;
  }
}

}  // namespace

struct ImageTracer::Impl {
  const Scene& scene;
  std::vector<Receiver> receivers;
  ImageTracingOptions options;
  PrismIndex index;
  Reflectors reflectors;
  RealEdges edges;
  ImageTree tree;
  ExactPaths paths;
  VegetationPrisms vegetation;
  std::vector<std::uint32_t> stacks;

  Impl(const Scene& the_scene, const Occlusion& occlusion, std::vector<Receiver> the_receivers,
       const ImageTracingOptions& the_options)
      : scene(the_scene),
        receivers(std::move(the_receivers)),
        options(the_options),
        index(scene),
        reflectors(scene),
        edges(scene, index, options.ridge_angle_deg),
        tree(reflectors, edges),
        paths(reflectors, edges, occlusion),
        vegetation(scene.vegetation),
        stacks(stacks_of(scene, index)) {}
};

ImageTracer::ImageTracer(const Scene& scene, const Occlusion& occlusion, std::vector<Receiver> receivers,
                         const ImageTracingOptions& options) {
  check("MAX_REFLECTIONS", options.max_reflections, most_image_reflections);
  check("MAX_DIFFRACTIONS", options.max_diffractions, most_image_diffractions);
  impl_ = std::make_unique<Impl>(scene, occlusion, std::move(receivers), options);
}
ImageTracer::~ImageTracer() = default;
ImageTracer::ImageTracer(ImageTracer&&) noexcept = default;

ImageTracingResult ImageTracer::trace(const Transmitter& transmitter, Progress& progress) const {
  const TracingEnvironment environment{impl_->scene,      impl_->reflectors, impl_->edges,   impl_->tree,  impl_->paths,
                                       impl_->vegetation, impl_->receivers,  impl_->options, impl_->stacks};
  return Trace(environment, transmitter).run(progress);
}

const std::vector<Receiver>& ImageTracer::receivers() const { return impl_->receivers; }
const ImageTracingOptions& ImageTracer::options() const { return impl_->options; }

}  // namespace tesseray
