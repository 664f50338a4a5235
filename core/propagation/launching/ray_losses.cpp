// SPDX-License-Identifier: GPL-3.0-or-later
// A ray is followed once more at the end, alone and by the functions that followed it among all others: so its steps
// are those of its power, and no other ray carries them along.
#include "core/propagation/launching/ray_losses.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/rays/building_transmission.h"
#include "core/propagation/tubes/bounced_rays.h"

namespace tesseray {
namespace {

double squared(double x) { return x * x; }

}  // namespace

// One ray's account: the parts of its power that its steps leave. Whose rays bounced_rays.h follows, too.
class RayLosses::Account {
 public:
  // `points`: the ray's, from the transmitter on.
  Account(const RayLosses& of, const RecordedRay& ray, std::span<const Vec3> points)
      : setting_(of.setting_),
        environment_(of.setting_.environment),
        record_(of.record_),
        waves_(of.waves_),
        first_level_(of.first_level_),
        arrivals_(of.arrivals_),
        scattering_(of.scattering_),
        ray_legs_(of.ray_legs_),
        points_(environment_.points),
        ray_(ray),
        corners_(points),
        number_(points_.element_count() + ray.receiver),
        state_(first_level_.of_thread()),
        steps_(ray.chain.length, 1.0) {
    state_.arrivals.endings = &endings_;
  }
  ~Account() { state_.arrivals.endings = nullptr; }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // False where a threshold lets the ray go which another way of counting, a GPU's, has just kept.
  bool follow() { return ray_.scattered_at == RecordedRay::nowhere ? follow_to_receiver() : follow_scattered(); }
  // `ray`: the same one, with its interactions. REQUIRES: follow() was true.
  std::vector<RayLoss> losses(const Ray& ray) const;

  const LaunchView& view() const { return record_.view; }
  Link::Departure departure(const InteractionChain& chain, Vec3 direction) const {
    reflected_.clear();
    const Link::Departure sent =
        chain.is_scattered() ? scattering_.departure(chain, direction) : setting_.link.depart(direction);
    sent_ = squared_norm(sent.field);
    return sent;
  }
  ComplexVec3 reflected(const InteractionChain& chain, const ComplexVec3& incident, Vec3 incidence,
                        const Tile& tile) const {
    const ComplexVec3 field = chain.is_scattered() ? scattering_.reflected(incident, incidence, tile)
                                                   : specularly_reflected(record_.view, incident, incidence, tile);
    reflected_.push_back(squared_norm(field) / squared_norm(incident));
    return field;
  }
  double vegetation_between(std::uint32_t element, std::uint32_t number) const {
    return setting_.vegetation_between(element, number);
  }
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
    return setting_.may_go_on(chain, element, reflections, diffractions);
  }
  void arrive(const RayEnding& ending, std::uint32_t number) {
    if (ending.chain.is_scattered()) {
      endings_.push_back({ending.source, ending.strength, ending.departure_gain, ending.attenuation, {}, {}, {}});
    } else {
      // The ground mirrors another part of it than of what goes on from there.
      if (ending.coherent_ground_reflection) reflected_.back() = squared_norm(ending.strength) / sent_;
      const LeftOfRay left = ray_legs_.left_at_wall(ending, number);
      near_roofs_ *= squared(left.amplitude);
      phase_m_ += left.offset_m;
      HeldRay ray(ending, number);
      ray.keep(left);
      arrivals_.arrive(ray.ending(), number, state_.arrivals);
    }
  }
  Tube& new_child() { return children_.emplace_back(); }

 private:
  bool follow_to_receiver();
  bool follow_scattered();
  // The way to the receiver, or from there to the target's image in the ground below.
  bool arrive_first();
  void end_at_receiver(const KeptEnding& ending);
  void end_by_ground_below(const KeptEnding& ending, const InteractionChain& chain);
  // The tube that comes to the chain's first element.
  bool launch_first(Tube& tube);
  // A tube that has come to the chain's element `first` goes on to the next ones, and from the one before `end` to a
  // target. False where it does not get there; `tube` is the last one.
  bool walk(Tube& tube, std::size_t first, std::size_t end, std::uint32_t target);
  void bounce(const Tube& tube, std::uint32_t target);
  bool take_child(Tube& tube);
  // Of what comes to an edge and goes on to a target.
  LeftAtKellerPoint left_at_keller_point(const Tube& tube, std::uint32_t target) const;
  // From the tile that scatters the ray to the receiver, by way of so many elements. `incident`: what the tile takes in
  // (DiffusePower::power), which its rays bring `length_m` along.
  void scatter_straight(std::uint32_t tile);
  void scatter_by_tile(std::uint32_t tile, std::uint32_t mirror);
  bool scatter_by_edge(std::uint32_t tile, std::uint32_t edge, double incident, double length_m);
  bool scatter_twice(std::uint32_t tile);
  // What the ground below the receiver reflects of it beyond the limits comes with it, along `direction`.
  void reflect_below(AfterScattering after, Vec3 direction);

  // Of a source's field: over that of free space at the same length, and over what was sent.
  double level(const ComplexVec3& strength, const Leg& leg, double departure_gain) const {
    const double sent = is_after_scattering_ ? sent_ : departure_gain;
    return sent > 0 ? squared_norm(strength) * squared(leg.amplitude * geometric_m(leg)) / sent : 1.0;
  }
  // Without what is phase alone.
  double geometric_m(const Leg& leg) const { return leg.length_m - phase_m_; }
  double level(const Tube& tube) const {
    return level(tube.strength, leg_to(tube.source, points_.reference(tube.element)),
                 static_cast<double>(tube.departure_gain));
  }
  // What has come to a place, of which the reflections up to `end` have left theirs and what is open the rest.
  void settle(double level, std::size_t end);
  void set_vegetation(double amplitude) { vegetation_ = squared(amplitude) / (near_roofs_ * near_ground_ * building_); }
  void receive(const ComplexVec3& field, Vec3 direction);
  // Of what the account has so far, over the EIRP.
  double left() const;

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const FirstLevelRecord& record_;
  const RooftopWaves& waves_;
  FirstLevel& first_level_;
  LaunchArrivals& arrivals_;
  const ScatteringTiles& scattering_;
  const RayLegs& ray_legs_;
  const TargetPoints& points_;
  const RecordedRay& ray_;
  std::span<const Vec3> corners_;
  std::uint32_t number_;
  FirstLevel::ThreadState& state_;
  std::vector<Tube> children_;
  std::vector<KeptEnding> endings_;
  RooftopWave wave_;  // of a ray over the roofs

  double length_m_ = 0, phase_m_ = 0;
  double antenna_ = 1, receiver_ = 1, polarization_ = 1, vegetation_ = 1, building_ = 1;
  double near_roofs_ = 1, near_ground_ = 1;
  double near_roofs_at_edge_ = 1;  // of the most that they leave along it
  double with_ground_ = 1;         // what comes with the ray by way of the ground before roofs, or below the receiver
  unsigned may_follow_ = 0;        // see ScatteringTiles; after the scattering
  double over_rooftops_ = 1;
  std::vector<double> steps_;  // by place in the chain

  double* open_ = nullptr;      // the step that leaves what comes to the next place
  double settled_ = 1;          // what had come to the last
  std::size_t first_open_ = 0;  // the first step after it
  bool is_after_scattering_ = false;
  // Since the antenna, the scattering tile or the last edge.
  mutable std::vector<double> reflected_;
  mutable double sent_ = 1;
};

void RayLosses::Account::settle(double level, std::size_t end) {
  double reflections = 1;
  for (std::size_t i = first_open_; i < end; ++i) {
    steps_[i] = reflected_[i - first_open_];
    reflections *= steps_[i];
  }
  if (open_ != nullptr) *open_ = level / (settled_ * reflections);
  settled_ = level;
  reflected_.clear();
  first_open_ = end;
  open_ = nullptr;
}

void RayLosses::Account::receive(const ComplexVec3& field, Vec3 direction) {
  const LinkView& link = view().link;
  receiver_ = link.receive_gain(direction);
  polarization_ = squared_norm(link.receive(field, direction)) / (link.unit_gain * receiver_ * squared_norm(field));
}

double RayLosses::Account::left() const {
  double all = view().link.unit_gain / squared(length_m_);
  for (const double part : {antenna_, receiver_, polarization_, vegetation_, building_, near_roofs_,
                            near_roofs_at_edge_, near_ground_, with_ground_, over_rooftops_}) {
    all *= part;
  }
  for (const double step : steps_) all *= step;
  return all;
}

bool RayLosses::Account::take_child(Tube& tube) {
  if (children_.size() != 1) return false;
  tube = children_.front();
  children_.clear();
  return true;
}

bool RayLosses::Account::launch_first(Tube& tube) {
  const std::uint32_t first = ray_.chain.elements[0];
  if (ray_.chain.over_rooftops) {
    open_ = &over_rooftops_;
    const FirstLevel::RooftopUse use{.goes_on = true};
    if (!first_level_.find_rooftop_wave(first, use, state_, wave_)) return false;
    first_level_.launch_rooftop_wave(wave_, first, use, state_, children_);
    return take_child(tube);
  }
  const StraightWay way = first_level_.way_of(ray_.chain);
  open_ = &with_ground_;
  if (points_.is_edge(first)) {
    LeftOfRay left;
    if (view().left_along_edges != nullptr) {
      left.amplitude = left_along_edge(view(), first, ray_.chain.through_building).amplitude;
    }
    const FirstLevel::FirstLeg leg = first_level_.first_leg(way, first, false, left, state_);
    near_roofs_ = squared(left.amplitude);
    building_ = squared(leg.building);
    first_level_.go_on_from_antenna(leg, way, first, children_);
    return take_child(tube);
  }
  const std::optional<LeftOfRay> along_ground = waves_.left_near_ground(way, first, state_.rooftop_work, wave_);
  const LeftOfRay left =
      along_ground ? *along_ground : waves_.left_by_roofs(way, first, points_.reference(first), state_.rooftop_work);
  const FirstLevel::FirstLeg leg = first_level_.first_leg(way, first, along_ground.has_value(), left, state_);
  (along_ground ? near_ground_ : near_roofs_) = squared(left.amplitude);
  building_ = squared(leg.building);
  phase_m_ = left.offset_m;
  first_level_.go_on_from_antenna(leg, way, first, children_);
  return take_child(tube);
}

void RayLosses::Account::bounce(const Tube& tube, std::uint32_t target) {
  if (points_.is_tile(tube.element)) {
    const Tile& tile = environment_.tiling.tiles[tube.element];
    reflect(tube, tile, mirrored(tube.source, tile.centroid, tile.normal), target, *this);
  } else {
    const Wedge wedge = view().wedge_of(view().environment.edge(tube.element));
    const TubeAtEdge at_edge(tube, wedge, view());
    if (at_edge.incidence.in_air()) diffract(at_edge, target, *this);
  }
}

LeftAtKellerPoint RayLosses::Account::left_at_keller_point(const Tube& tube, std::uint32_t target) const {
  const Wedge wedge = view().wedge_of(view().environment.edge(tube.element));
  const TubeAtEdge at_edge(tube, wedge, view());
  const std::uint32_t number = target & RowTarget::number_mask;
  const Vec3 point = target_past_edge(points_.view(), target);
  return left_near_edge(view(), tube.chain, tube.element, at_edge.source, point, number);
}

bool RayLosses::Account::walk(Tube& tube, std::size_t first, std::size_t end, std::uint32_t target) {
  for (std::size_t i = first; i < end; ++i) {
    const bool is_last = i + 1 == end, at_edge = points_.is_edge(tube.element);
    // Before the first edge the wave is one from a point, whose field is known along the ray itself.
    const bool comes_from_edge = tube.diffractions > 0;
    const double come = at_edge && comes_from_edge ? level(tube) : 1;
    const std::uint32_t next = is_last ? target : ray_.chain.elements[i + 1];
    const LeftAtKellerPoint left = at_edge && !comes_from_edge ? left_at_keller_point(tube, next) : LeftAtKellerPoint{};
    const double near_edge = squared_norm(left.factor);
    bounce(tube, is_last ? target : ray_.chain.elements[i + 1] | RowTarget::goes_on);
    // What comes to the edge before has been worked out once more, with the reflections on the way there.
    const bool is_behind_edge = !at_edge && i > first && points_.is_edge(ray_.chain.elements[i - 1]);
    if (is_behind_edge && reflected_.size() > 1) reflected_.erase(reflected_.begin(), reflected_.end() - 1);
    if (at_edge) {
      double reflections = 1;
      for (const double part : reflected_) reflections *= part;
      settle(comes_from_edge ? come : near_edge * reflections, i);
      if (i == 0 && !comes_from_edge) {
        if (left.along_ground < 0.5) {
          near_roofs_at_edge_ = std::exchange(with_ground_, 1.0);
        } else {
          std::swap(near_roofs_, near_ground_);
        }
      }
      open_ = &steps_[i];
      first_open_ = i + 1;
    }
    const bool ends_there = is_last && (target & RowTarget::arrives) != 0;
    if (ends_there ? endings_.empty() : !take_child(tube)) return false;
  }
  return true;
}

bool RayLosses::Account::arrive_first() {
  if (ray_.chain.over_rooftops) {
    open_ = &over_rooftops_;
    const FirstLevel::RooftopUse use{.arrives = true};
    if (!first_level_.find_rooftop_wave(number_, use, state_, wave_)) return false;
    first_level_.launch_rooftop_wave(wave_, number_, use, state_, children_);
    return !endings_.empty();
  }
  const StraightWay way = first_level_.way_of(ray_.chain);
  first_level_.arrive_in_sight(way, number_, state_);
  if (endings_.empty()) return false;
  open_ = ray_.is_by_ground_below() ? nullptr : &with_ground_;
  building_ = squared(first_level_.attenuation_of_building(way, points_.arrival(number_)));
  const VirtualSource& source = endings_.front().source;
  if (!ray_.is_by_ground_below()) {
    const LeftInSight& left = record_.left_in_sight[ray_.receiver];
    near_roofs_ = squared(left.by_roofs);
    // Of a wave from a vertex of the ground it is in the field.
    if (left.ground == LeftInSight::Ground::along && !source.is_edge()) near_ground_ = squared(left.with_ground);
  }
  if (!source.is_edge()) phase_m_ = source.offset_m;
  return true;
}

bool RayLosses::Account::follow_to_receiver() {
  InteractionChain chain = ray_.chain;
  if (ray_.is_by_ground_below()) chain.pop();
  Tube tube;
  if (chain.length == 0) {
    if (!arrive_first()) return false;
  } else if (!launch_first(tube) || !walk(tube, 0, chain.length, number_ | RowTarget::arrives)) {
    return false;
  }
  if (!ray_.is_by_ground_below()) {
    end_at_receiver(endings_.front());
    return true;
  }
  if (endings_.size() < 2) return false;
  end_by_ground_below(endings_.back(), chain);
  return true;
}

void RayLosses::Account::end_at_receiver(const KeptEnding& ending) {
  const Leg leg = leg_to(ending.source, points_.arrival(number_));
  length_m_ = geometric_m(leg);
  antenna_ = ending.departure_gain;
  settle(level(ending.strength, leg, ending.departure_gain), steps_.size());
  set_vegetation(ending.attenuation.ray);
  receive(transported(ending.strength, leg.direction), leg.direction);
}

void RayLosses::Account::end_by_ground_below(const KeptEnding& ending, const InteractionChain& chain) {
  const Vec3 target = points_.arrival(number_);
  const std::uint32_t ground = setting_.receiver_ground(number_);
  const Tile& tile = environment_.tiling.tiles[ground];
  const RayEnding as_it_arrived{ending.source,
                                ending.strength,
                                Mechanism::none,
                                ending.departure_gain,
                                chain,
                                false,
                                ending.attenuation,
                                0,
                                ending.ground_normal,
                                ending.ground_place ? &*ending.ground_place : nullptr};
  const Vec3 normal = reflecting_plane(view().environment, as_it_arrived, ground, target).normal;
  const Leg leg = leg_to(ending.source, mirrored(target, tile.centroid, normal));
  length_m_ = geometric_m(leg);
  const LinkView::Departure sent = sent_to_ground(as_it_arrived, leg, *this);
  settle(level(sent.field, leg, sent.relative_gain), chain.length);
  antenna_ = sent.relative_gain;
  if (chain.length > 0) {
    set_vegetation(ending.attenuation.companion);
  } else if (chain.over_rooftops) {
    const Vec3 last = wave_.path.edges.back();
    vegetation_ =
        squared(wave_.vegetation * setting_.vegetation_to_target(last, number_, ending.ground_normal).companion);
  } else {
    const Vec3 antenna = setting_.transmitter.position;
    vegetation_ = squared(setting_.vegetation_to_target(antenna, number_, ending.ground_normal).companion);
  }
  const Complex permittivity = view().surface(tile).permittivity;
  receive(reflected_field(sent.field, leg.direction, normal, permittivity), mirrored(leg.direction, normal));
  // With what scattering, roofs and uneven ground leave of it.
  steps_.back() *= ending.ray.arrival.path_gain / left();
}

bool RayLosses::Account::follow_scattered() {
  const std::size_t scattered_at = ray_.scattered_at;
  const std::uint32_t tile_number = ray_.chain.elements[scattered_at];
  Tube tube;
  if (!launch_first(tube) || !walk(tube, 0, scattered_at, tile_number | RowTarget::goes_on)) return false;
  const DiffuseIncidence incidence = scattering_.incidence(tube, environment_.tiling.tiles[tile_number]);
  antenna_ = incidence.gain;
  length_m_ = ray_.length_m - phase_m_;
  settle(level(tube), scattered_at);
  set_vegetation(tube.attenuation);
  first_open_ = scattered_at + 1;
  may_follow_ = scattering_.may_follow(tube);
  const double incident_length_m = tube.length_m;
  is_after_scattering_ = true;
  settled_ = 1;
  const InteractionChain& chain = ray_.chain;
  if (chain.length == first_open_) {
    scatter_straight(tile_number);
  } else if (chain.length > first_open_ + 1) {
    if (!scatter_twice(tile_number)) return false;
  } else if (points_.is_edge(chain.last())) {
    return scatter_by_edge(tile_number, chain.last(), incidence.power, incident_length_m);
  } else {
    scatter_by_tile(tile_number, chain.last());
  }
  polarization_ = setting_.link.received_fraction();
  steps_[scattered_at] = ray_.path_gain / left();
  return true;
}

void RayLosses::Account::scatter_straight(std::uint32_t tile) {
  const Vec3 way = points_.arrival(number_) - points_.reference(tile);
  const double length_m = norm(way), vegetation = setting_.vegetation_between(tile, number_);
  const DiffuseTarget at_target =
      diffuse_target_of_tile(scattering_.view(), number_, tile, (1 / length_m) * way, length_m, vegetation);
  receiver_ = at_target.gain_factor / at_target.basic_factor;
  vegetation_ *= squared(vegetation);
  reflect_below(AfterScattering::nothing, (1 / length_m) * way);
}

void RayLosses::Account::scatter_by_tile(std::uint32_t tile_number, std::uint32_t mirror) {
  const Tile& tile = environment_.tiling.tiles[mirror];
  const Vec3 image = mirrored(points_.reference(tile_number), tile.centroid, tile.normal);
  const Vec3 direction = normalized(points_.arrival(number_) - image);
  steps_.back() = mirrored_share(scattering_.view(), 1, mirror, direction);
  receiver_ = view().link.receive_gain(direction);
  vegetation_ *= squared(vegetation_between(mirror, tile_number) * vegetation_between(mirror, number_));
  if (!points_.is_ground(mirror)) reflect_below(AfterScattering::reflection, direction);
}

bool RayLosses::Account::scatter_by_edge(std::uint32_t tile_number, std::uint32_t edge, double incident,
                                         double length_m) {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const Vec3 midpoint = points_.reference(edge);
  const double before = left(), rest_m = ray_.length_m - length_m;
  const bool is_directive = scattering_.have_directive_lobes();
  // As the edge has it (edge_observer.h): Lambert's law goes by its very point, other lobes by its middle.
  const Vec3 way = (is_directive ? midpoint : corners_[corners_.size() - 2]) - tile.centroid;
  const double near = nearness_before_edge(scattering_.view(), tile_number, midpoint - tile.centroid);
  const double sent =
      near * incident * scattering_.intensity(tile_number, normalized(way), AfterScattering::diffraction);
  if (!(sent > 0)) return false;
  steps_[ray_.scattered_at] = view().link.unit_gain * sent / squared(rest_m) / before;
  const Vec3 direction = normalized(points_.arrival(number_) - midpoint);
  receiver_ = view().link.receive_gain(direction);
  vegetation_ *= squared(vegetation_between(edge, tile_number) * vegetation_between(edge, number_));
  reflect_below(AfterScattering::diffraction, direction);
  polarization_ = setting_.link.received_fraction();
  steps_.back() *= ray_.path_gain / left();
  return true;
}

bool RayLosses::Account::scatter_twice(std::uint32_t tile) {
  const std::size_t first = first_open_;
  const std::uint32_t one = ray_.chain.elements[first], other = ray_.chain.elements[first + 1];
  InteractionChain chain;
  chain.after = kind_of({one, other}, points_.tile_count());
  chain.cross_polarized = ray_.chain.cross_polarized;
  chain.push(tile);
  const VirtualSource source{points_.reference(tile)};
  const Link::Departure sent = departure(chain, normalized(points_.reference(one) - source.point));
  const Outgoing outgoing{source, sent.field, sent.relative_gain, chain, 0, 0, vegetation_between(one, tile)};
  tesseray::go_on(outgoing, one, *this);
  Tube tube;
  if (!take_child(tube) || !walk(tube, first, ray_.chain.length, number_ | RowTarget::arrives)) return false;
  const KeptEnding& ending = endings_.front();
  const Leg leg = leg_to(ending.source, points_.arrival(number_));
  settle(level(ending.strength, leg, 1), ray_.chain.length);
  vegetation_ *= squared(ending.attenuation.ray);
  receiver_ = view().link.receive_gain(leg.direction);
  chain.push(one);
  chain.push(other);
  if (last_ground(view().environment, chain) == no_index) reflect_below(chain.after, leg.direction);
  return true;
}

void RayLosses::Account::reflect_below(AfterScattering after, Vec3 direction) {
  if (may_reflect_as_well(may_follow_, after)) return;
  with_ground_ *= 1 + reflected_below(scattering_.view(), number_, direction);
}

std::vector<RayLoss> RayLosses::Account::losses(const Ray& ray) const {
  std::vector<RayLoss> list;
  const auto add = [&](std::string step, double left) { list.push_back({std::move(step), 0.0 - decibels(left)}); };
  const auto add_other = [&](const char* step, double left) {
    constexpr double of_rounding_db = 1e-6;
    if (std::fabs(decibels(left)) >= of_rounding_db) add(step, left);
  };
  add("free space", view().link.unit_gain / squared(length_m_));
  list.push_back({"ERP", -half_wave_dipole_gain_dbi});
  add_other("antenna", antenna_);
  add_other("roofs", near_roofs_ * near_roofs_at_edge_);
  add_other("ground", near_ground_ * with_ground_);
  if (ray.goes_over_rooftops()) add("O", over_rooftops_);
  if (ray.goes_through_building()) add("B", building_);
  // The ray's elements are in the order in which it meets them, the steps in that in which it was followed.
  InteractionChain followed = ray_.chain;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto begin = followed.elements.begin();
    const auto step = std::find(begin, begin + followed.length, ray.elements[i]) - begin;
    followed.elements[static_cast<std::size_t>(step)] = no_index;
    add(std::string(1, ray.letter_of(i)), steps_[static_cast<std::size_t>(step)]);
  }
  add_other("vegetation", vegetation_);
  add_other("receiver", receiver_ * setting_.link.receiver_gain());
  add_other("polarisation", polarization_);
  return list;
}

void RayLosses::add_to(Ray& ray, const RecordedRay& recorded) const {
  Account account(*this, recorded, ray.points);
  if (account.follow()) ray.losses = account.losses(ray);
}

}  // namespace tesseray
