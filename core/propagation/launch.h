// SPDX-License-Identifier: GPL-3.0-or-later
// One transmitter's launch: what its steps share. Internal to core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/propagation/arrivals.h"
#include "core/propagation/bounced_rays.h"
#include "core/propagation/diffuse_diffraction.h"
#include "core/propagation/edge_runs.h"
#include "core/propagation/ground_pairs.h"
#include "core/propagation/launch_cost.h"
#include "core/propagation/launch_forecast.h"
#include "core/propagation/link.h"
#include "core/propagation/member_sums.h"
#include "core/propagation/over_rooftop.h"
#include "core/propagation/ray_launcher.h"
#include "core/propagation/receiver_reach.h"
#include "core/propagation/recorded_ray.h"
#include "core/propagation/rooftop_search.h"
#include "core/propagation/row_scatterer.h"
#include "core/propagation/row_targets.h"
#include "core/propagation/scattered_rays.h"
#include "core/propagation/scattered_sums.h"
#include "core/propagation/scattering_columns.h"
#include "core/propagation/scattering_view.h"
#include "core/propagation/surface_materials.h"
#include "core/propagation/tube.h"
#include "core/propagation/tube_bouncer.h"
#include "core/propagation/tube_groups.h"
#include "core/propagation/vegetation_loss.h"
#include "core/propagation/vegetation_pairs.h"
#include "core/propagation/weighted_sample.h"
#include "core/propagation/wideband.h"

namespace tesseray {

// What stays the same for all transmitters.
struct LaunchEnvironment {
  const Scene& scene;
  const Tiling& tiling;
  const Occlusion& occlusion;
  const SightFromPoints& sight;
  const Visibility& visibility;
  const std::vector<Receiver>& receivers;
  const RayLaunchingOptions& options;
  const TargetPoints& points;
  const ReceiverRows& receiver_rows;
  const ReceiverReach& reach;
  const std::vector<EdgeRun>& edge_runs;
  const OverRooftopPaths& over_rooftops;
  RooftopSearch* rooftop_search;  // nullptr: the CPU's own
  TubeBouncer* tube_bouncer;      // nullptr: the CPU alone
  RowScatterer* row_scatterer;    // the same
  const VegetationPrisms& vegetation;
  const VegetationPairs& vegetation_pairs;
  EnvironmentView view;
};

// What the tiles may scatter, by what follows the scattering.
class TileDiffusePowers {
 public:
  void resize(std::size_t tiles, std::size_t kinds) {
    kinds_ = kinds;
    powers_.resize(tiles * kinds);
  }
  bool empty() const { return powers_.empty(); }
  std::size_t size() const { return empty() ? 0 : powers_.size() / kinds_; }
  std::size_t kinds() const { return kinds_; }
  // The place of a tile's power of one kind among all; other columns of the kind are laid out alike.
  std::size_t place(std::uint32_t tile, AfterScattering after) const {
    return tile * kinds_ + static_cast<std::size_t>(after);
  }
  DiffusePower& at(std::uint32_t tile, AfterScattering after) { return powers_[place(tile, after)]; }
  const DiffusePower& at(std::uint32_t tile, AfterScattering after) const { return powers_[place(tile, after)]; }
  const DiffusePower* data() const { return powers_.data(); }

 private:
  std::size_t kinds_ = 0;
  std::vector<DiffusePower> powers_;
};

// Whether weak rays are drawn by chance at all.
bool draws_by_chance(const RayLaunchingOptions& options, const TargetPoints& points);

class BuildingTransmission;

class Launch {
 public:
  Launch(const LaunchEnvironment& environment, const Transmitter& transmitter);

  RayLaunchingResult run(LaunchForecast& forecast, Progress& progress);

 private:
  // The parts of the whole progress that the phases take.
  struct PhaseParts {
    LaunchForecast::Ends ends;
    Progress& progress;
    PartOfStage of(LaunchPhase phase) const;
  };
  // All that the tiles scatter.
  void scatter(const PhaseParts& parts);

  // Diffuse rays that come in along one direction.
  struct DiffuseBeam {
    double power = 0;      // Σ |field|² at the target
    double excess = 0;     // Σ |field|² · excess length
    double strongest = 0;  // |field|²
  };
  // A ray's end at a receiver, kept to tell what its steps took.
  struct KeptEnding {
    VirtualSource source;
    ComplexVec3 strength;
    double departure_gain;
    VegetationAtTarget attenuation;
    Vec3 ground_normal;
    std::optional<Vec3> ground_place;
    ArrivedRay ray;
  };
  // What a thread reads rows with.
  struct RowReader {
    std::vector<std::uint32_t> row;
    LaunchCost cost;
  };
  // With what it fills batches for those that take many at once.
  struct BatchState : RowReader {
    TubeBatch tubes;
    RowBatch rows;
  };
  // With what it works out rays itself, and sums them.
  struct ThreadState : RowReader {
    std::vector<ArrivalSums> sums;  // tiles, then receivers
    WidebandTable wideband;         // of the same targets, where it is wanted
    std::vector<RecordedRay> recorded;
    std::vector<RaysWithoutPower> without_power;  // per receiver, where rays are recorded
    std::vector<PairableRay> pairable;            // at receivers, where the mean is summed
    std::vector<KeptEnding>* endings = nullptr;   // where they are asked for
    ScatteredWays scattered_ways;
    RowIntervals intervals;
    BlockSearch search;
    std::vector<std::uint32_t> hits, numbers, layout, lit;
    std::vector<std::int32_t> lit_marks;
    MemberSums diffuse_sums;
    std::vector<DirectionMoments> beam_departures;  // per observer, of `diffracted`, where angles are wanted
    EdgeObservers observers;
    OverRooftopPaths::Workspace rooftop_work;
    EdgeBeams diffracted, diffracted_once;
    std::vector<ScatteringSource> sources;
    std::vector<SourceAboutEdge> sources_about_edge;
    std::vector<float> estimates, observers_stand_for;
    DrawnNumbers drawn;
    RadiatedRays radiated;
    ReceivedRays received;
    std::vector<ScatteredSums> scattered_sums;  // tiles, then receivers; what edges diffract
  };
  // first_level.cpp: the transmitter's rays before any interaction, and its first tubes.
  // How the antenna's rays go straight: by what solid scene, and through which building, if any.
  struct StraightWay {
    const Occlusion& occlusion;
    Mechanism mechanism;  // of what arrives
    InteractionChain chain;
    const BuildingTransmission* building;  // passed by walls and metres; nullptr: in the air
  };
  struct RooftopWave;
  // What roofs or the ground near a straight line leave of a ray: of its amplitude, and of its phase as a length that
  // it seems to go more (VirtualSource::offset_m).
  struct LeftOfRay {
    double amplitude = 1, offset_m = 0;
    bool comes_near = false;  // any of them
  };
  StraightWay way_in_air() const { return {environment_.occlusion, Mechanism::direct, {}, nullptr}; }
  // REQUIRES: building_ is there.
  StraightWay way_through_building() const;
  // What leaves the antenna straight to an element, and what is left of its amplitude there.
  struct FirstLeg {
    Link::Departure departure;
    LeftOfRay left;
    double building = 1, vegetation = 1;
  };
  // `lit`: which of all numbers are, as marked below. To what is in sight, in a moment; then to all that is hidden.
  void launch_into_sight(std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes, Progress& progress);
  void launch_to_hidden(const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes, Progress& progress);
  // To all numbers that are not lit yet, which it marks; through a building to tiles and receivers alone.
  void launch_straight(const StraightWay& way, std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes,
                       Progress& progress);
  std::vector<std::uint32_t> elements_in_sight(const StraightWay& way, const std::vector<std::uint8_t>& lit) const;
  void launch_to_element(const StraightWay& way, std::uint32_t element, std::vector<std::uint8_t>& lit,
                         ThreadState& state, std::vector<Tube>& tubes);
  FirstLeg first_leg(const StraightWay& way, std::uint32_t element, bool runs_along_ground, LeftOfRay left,
                     ThreadState& state);
  void go_on_from_antenna(const FirstLeg& leg, const StraightWay& way, std::uint32_t element, ThreadState& state,
                          std::vector<Tube>& tubes);
  // To what the building nearest to the transmitter alone hides.
  void launch_through_building(std::vector<std::uint8_t> lit, std::vector<Tube>& tubes, Progress& progress);
  // `along_ground`: the wave along uneven ground of which `left` is the straight ray's; nullptr: there is none.
  void arrive_straight(const StraightWay& way, std::uint32_t number, LeftOfRay left, const RooftopWave* along_ground,
                       ThreadState& state);
  double attenuation_of_building(const StraightWay& way, Vec3 to) const;
  // Of a way in sight to a point, a number's or its image.
  LeftOfRay left_of_way(OverRooftopPaths::WayInSight way, std::uint32_t number, Vec3 point, ThreadState& state) const;
  // To a point of a number in sight; of the companion there, of a ground tile or of a receiver over one, which ends at
  // the target's image.
  LeftOfRay left_by_roofs(const StraightWay& way, std::uint32_t number, Vec3 point, ThreadState& state) const;
  LeftOfRay left_of_companion(const StraightWay& way, std::uint32_t number, ThreadState& state) const;
  // To the target of a number, near uneven ground or not.
  void arrive_in_sight(const StraightWay& way, std::uint32_t number, ThreadState& state);
  // Of a number in sight. Roofs near the line stand for the diffractions at their edges there, as those in its way do
  // elsewhere.
  void mark_lit(const StraightWay& way, std::uint32_t number, std::uint8_t as, std::vector<std::uint8_t>& lit);

  // over_rooftop_rays.cpp: rays over the roofs to all numbers that are not lit (lit_as_…), and the tubes that they
  // become at tiles.
  struct RooftopWave {
    RooftopPath path;
    Vec3 end;
    VirtualSource source;  // the last edge
    ComplexVec3 strength;
    double departure_gain = 1;
    double vegetation = 1;  // factor of the amplitude on all legs up to the last edge; not in `strength`
  };
  // Where a ray over the roofs first comes down, and whether it is the only such place.
  struct FirstEdge {
    Vec3 place;
    bool is_only = false;
  };
  // What a ray over the roofs may do at a number.
  struct RooftopUse {
    bool arrives = false, goes_on = false;
    bool any() const { return arrives || goes_on; }
  };
  // Whether there are such rays at all.
  bool goes_over_rooftops() const {
    return environment_.options.over_rooftop != OverRooftop::none && limits_.may_diffract(0, 0);
  }
  // Deygout's method takes too much from many roofs at grazing to be asked in sight.
  bool screens_count_in_sight() const {
    return goes_over_rooftops() && environment_.options.over_rooftop == OverRooftop::screens;
  }
  bool roofs_count_in_sight(const StraightWay& way) const {
    return way.building == nullptr && screens_count_in_sight();
  }
  RooftopUse rooftop_use(std::uint32_t number, std::uint8_t lit) const;
  RooftopRays rooftop_rays() const {
    const Polarization polarization = transmitter_.polarization;
    const double horizontal_share = polarization == Polarization::vertical     ? 0
                                    : polarization == Polarization::horizontal ? 1
                                                                               : 0.5;
    return {transmitter_.position,     link_.wavelength_m(), permittivities_, roof_z_,
            limits_.may_reflect(0, 0), horizontal_share};
  }
  RooftopTarget rooftop_target(Vec3 point) const;
  RooftopTarget rooftop_target(std::uint32_t number, Vec3 point) const;
  // False when there is none, or only one below the threshold.
  bool find_rooftop_wave(const RooftopTarget& target, ThreadState& state, RooftopWave& wave) const;
  // To a tile that goes on with it, where the target over it is in sight.
  bool find_rooftop_wave_below(std::uint32_t number, RooftopUse use, ThreadState& state, RooftopWave& wave) const;
  // The wave along wave.path; false when it is below the threshold. Vegetation on the way to a point in sight is not
  // in it.
  bool complete_rooftop_wave(Vec3 target, ThreadState& state, RooftopWave& wave) const;
  // Of the amplitude, up to the last edge.
  double vegetation_over(const RooftopPath& path) const;
  void launch_over_rooftops(const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes, Progress& progress);
  // To the numbers first … end − 1, one by one or by a search that takes many at once.
  void launch_over_rooftops_to(std::uint32_t first, std::uint32_t end, const std::vector<std::uint8_t>& lit,
                               std::vector<Tube>& tubes);
  void launch_over_rooftops_by(RooftopSearch& search, std::uint32_t first, std::uint32_t end,
                               const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes);
  // The ground tile below a target; no_index where it does not stand over the ground.
  std::uint32_t ground_below(std::uint32_t number) const;
  // Of the plane that reflects what comes from the last edge to a target over the ground: that of the tile below, or,
  // where it bends away from a crest, the one along which the wave runs from there. None over no ground.
  Vec3 ground_normal_behind(const RooftopWave& wave, std::uint32_t number) const;
  // Over the last edge of a path, as of a screen alone.
  Complex behind_last_edge(const RooftopPath& path, Vec3 point) const;
  // What the wave that goes by way of the ground below a target has of the one that comes straight from the last edge:
  // it bends farther down there. `normal`: of the ground.
  LeftOfRay left_by_way_of_ground(const RooftopWave& wave, std::uint32_t number, Vec3 normal) const;
  void launch_rooftop_wave(const RooftopWave& wave, std::uint32_t number, RooftopUse use, ThreadState& state,
                           std::vector<Tube>& tubes);
  // The wave that a recorded ray over the roofs was.
  void find_recorded_wave(const RecordedRay& ray, Vec3 target, ThreadState& state, RooftopWave& wave) const;
  bool is_reflected_by_ground_below(const RecordedRay& ray) const;
  // Of what comes from the last edge to a target by way of the ground below: where it leaves the edge, and is reflected
  // in the plane from there to the foot. REQUIRES: the number stands over the ground.
  struct WayByGroundBelow {
    Vec3 edge, place;
  };
  WayByGroundBelow way_by_ground_below(const RooftopWave& wave, std::uint32_t number) const;
  // Where a ray over the roofs whose last leg ends at a target leaves the antenna, as it is drawn: the place on one
  // edge lies towards where it goes next, those on several are the path's.
  Vec3 departure_over_rooftops(const InteractionChain& chain, std::uint32_t number, Vec3 target) const;
  // The corner points of a ray whose chain goes over the roofs.
  std::vector<Vec3> trace_over_rooftops(const RecordedRay& ray, Vec3 target) const;

  // sight_along_ground.cpp: whether uneven ground is asked at all, and what comes to a point of a number in sight near
  // it; false elsewhere.
  bool uneven_ground_counts_in_sight() const;
  // Whether the ground reflects to every receiver over it as a whole, not by its tiles.
  bool receivers_reflect_below(const StraightWay& way) const {
    return way.building == nullptr && uneven_ground_counts_in_sight();
  }
  bool find_wave_along_ground(bool through_building, std::uint32_t number, Vec3 point, ThreadState& state,
                              RooftopWave& wave) const;
  void arrive_along_ground(const StraightWay& way, std::uint32_t number, const RooftopWave& wave, ThreadState& state);
  // Of the straight ray's field, whatever its polarisation.
  LeftOfRay left_along_ground(const RooftopWave& wave) const;
  // The same of the ray to an element near uneven ground, with the wave that runs along that; none elsewhere.
  std::optional<LeftOfRay> left_near_ground(const StraightWay& way, std::uint32_t element, ThreadState& state,
                                            RooftopWave& wave) const;
  // Where uneven ground reflects what comes along it. REQUIRES: the number stands over the ground.
  Vec3 place_along_ground(const RooftopWave& wave, std::uint32_t number) const;
  // Where uneven ground reflects what comes straight or through the nearest building to the receiver over it, if
  // that is what the chain says.
  std::optional<Vec3> place_on_uneven_ground(const InteractionChain& chain, std::uint32_t number) const;
  // What uneven ground reflects to a number over it, as a plane from the antenna's foot to the one of the number would:
  // of that, the plane, and where. With `along_ground`, the wave along the ground of which `left` is what the straight
  // ray has, it is the rest.
  struct GroundBelowSight {
    LeftOfRay left;
    Vec3 normal, place;
    bool has_all_of_ground = false;  // OverRooftopPaths::Workspace
  };
  std::optional<GroundBelowSight> ground_below_sight(const StraightWay& way, std::uint32_t number, LeftOfRay left,
                                                     const RooftopWave* along_ground, ThreadState& state) const;

  // rooftop_departure.cpp: what departs over the roofs, at 1 m and without phase as Link::Departure: with what comes by
  // way of the ground, where the antenna stands over it and roofs do not hide that.
  // From the antenna by way of the ground to a point.
  struct GroundWay {
    Vec3 place;               // of the reflection
    Vec3 departure, arrival;  // unit, of travel before and after it
    Vec3 normal;              // of the ground
    double longer_m = 0;      // than the straight way to the point
    Complex factor;           // over what goes straight, but for the reflection and the phase of the longer way
  };
  GroundWay way_from_image(const PlaneImage& image, Vec3 to) const;
  double vegetation_by_ground(const GroundWay& way, Vec3 to) const;
  // What goes straight along a direction and by way of the ground, together; `in_step`: how far, 0 … 1. The gain
  // is that of the pattern over what both would bring without one.
  Link::Departure with_ground_way(const Link::Departure& straight, Vec3 direction, const GroundWay& way,
                                  double in_step) const;
  // Whether the antenna sees the ground where it reflects what comes over an edge to a point.
  bool sees_ground_behind(const StraightWay& straight_way, Vec3 edge, const PlaneImage& image, Vec3 point) const;
  // To the first edge of a path.
  Link::Departure departure_towards_roofs(const Link::Departure& straight, Vec3 target, const RooftopPath& path,
                                          ThreadState& state) const;
  // To a number in sight at a point, of which roofs leave what they do. Where they come near the way from the ground,
  // that is with it; and marked so (`as`: with_ground_as_…) where the ground's tiles would send it, too.
  Link::Departure departure_into_sight(const StraightWay& straight_way, const Link::Departure& straight,
                                       std::uint32_t number, std::uint8_t as, Vec3 point, LeftOfRay left,
                                       ThreadState& state);

  // bounce.cpp: reflections and diffractions, level by level, in chunks that keep memory small.
  // `level`: how often such tubes have bounced before, for the progress; scattered ones as many as leave them the
  // bounces that they were launched for.
  void bounce(TubeParts tubes, int level, Progress& progress);
  // Some groups on all threads; `work_before`: the part of the work that is done before each of them, and after the
  // last.
  void bounce_one_by_one(std::span<const TubeGroup> groups, std::span<const double> work_before, TubeParts& children,
                         Progress& progress);
  // bounce_batches.cpp: the same of some groups, by a bouncer that takes many tubes at once. Receivers, of which there
  // are few and of which more is asked, stay with the CPU.
  void bounce_in_batches(std::span<const TubeGroup> groups, TubeParts& children, Progress& progress);
  // Groups one after the other into batches; large ones in pieces.
  std::vector<std::vector<TubeGroup>> batches_of(std::span<const TubeGroup> groups) const;
  // What batches may have so that there are some for each thread.
  BatchLimits limits_of_batches(std::span<const TubeGroup> groups) const;
  std::size_t targets_of_row(std::uint32_t element) const;
  void add_to_batch(const TubeGroup& arrived, BatchState& state) const;
  void bounce_to_receivers(const TubeGroup& arrived);
  // The groups from `first` on that may bring a batch of children.
  std::size_t end_of_batch(std::span<const TubeGroup> groups, std::size_t first) const;
  // The members of an element's row that its rays are followed to.
  enum class FollowedTo { all, receivers };
  void bounce_tile(const TubeGroup& arrived, FollowedTo members, ThreadState& state, std::vector<Tube>& children);
  void bounce_edge(const TubeGroup& arrived, FollowedTo members, ThreadState& state, std::vector<Tube>& children);
  void collect_diffuse(const Tube& tube, std::uint32_t tile);
  // Of all tubes of a tile that may scatter.
  void collect_diffuse(const TubeGroup& arrived);
  const Link::Surface& surface(const Tile& tile) const { return view_.surface(tile); }
  class RaysOfThread;
  // Adds the tube that goes on to `element`, unless it is too weak or may do nothing there.
  void go_on(const Outgoing& outgoing, std::uint32_t element, ThreadState& state, std::vector<Tube>& children);
  // By what is in sight.
  void choose_pruning();
  // What is at elements by now, times Pruning::roulette: weaker tubes and rays are drawn there (go_on, is_drawn). Empty
  // without roulette.
  void prepare_roulette();
  // Adds what the bouncer, if there is one, has summed since the last time.
  void take_bounced();
  // What is at tiles so far, as an isotropic receiver would take it.
  std::vector<double> gains_so_far() const;
  // The same as known_gains_, with which scattered rays are compared; empty without such draws.
  void prepare_scattered_draw();
  // Of the tiles of an edge's row those to which the sources just found bring much, and some of the others: into
  // state.drawn.
  void draw_observers(const EdgeSegment& edge, std::span<const std::uint32_t> members, std::uint64_t seed,
                      ThreadState& state) const;
  bool may_do_anything(std::uint32_t element, int reflections, int diffractions) const;
  // The same of a ray with this chain.
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const;
  void read_row(std::uint32_t element, LaunchPhase phase, RowReader& reader) const;
  // Its tiles alone: what is diffuse arrives nowhere else.
  void read_tiles_of_row(std::uint32_t element, LaunchPhase phase, RowReader& reader) const {
    environment_.visibility.read_tiles_of_row(element, reader.row);
    count_row(phase, reader);
  }
  static void count_row(LaunchPhase phase, RowReader& reader) {
    ++reader.cost[phase].rows;
    reader.cost[phase].row_entries += reader.row.size();
  }
  static void count_hits(LaunchPhase phase, ThreadState& state) {
    state.cost[phase].tests += state.intervals.size();
    state.cost[phase].contributions += state.hits.size();
  }
  // The row of an element without members at which a ray with so many interactions can do nothing any more; `edges`:
  // whether there is anything to do at edges.
  void read_useful_row(std::uint32_t element, int interactions, bool edges, RowReader& reader) const;
  // What the rays of a group may do at the members of its row, but for arriving there.
  struct Onward {
    bool at_tiles = false, at_edges = false;
    bool any() const { return at_tiles || at_edges; }
  };
  Onward onward_of(const TubeGroup& arrived) const;
  // What tubes may hit: into reader.row, and the receivers.
  std::span<const std::uint32_t> read_row_for(const TubeGroup& arrived, FollowedTo members, Onward onward,
                                              RowReader& reader) const;
  bool is_in_reach(std::uint32_t element, int interactions) const {
    return interactions + environment_.reach.least_interactions(element) <= environment_.options.max_bounces;
  }
  bool can_arrive_from(std::uint32_t element) const {
    return environment_.points.tiles_are_targets() || !environment_.receiver_rows.seen_from(element).empty();
  }

  // arrival.cpp: one ray at one target, with its ground-reflected companion at ground tiles.
  void arrive(const RayEnding& ending, std::uint32_t number, ThreadState& state);
  void add_arrival(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadState& state);
  // Whether the plane of the ground below a receiver reflects a ray rather than tiles: one from an edge so low over
  // that plane that no tile stands for the reflection, which all but cancels it, or from a crest: there each tile has a
  // last crest of its own, and several would reflect the same wave; or one straight through a building, which may hide
  // the tiles that would reflect it.
  bool arrives_along_ground(const RayEnding& ending, std::uint32_t number) const;
  // A ray at a receiver, reflected once more at the plane of the ground below.
  void arrive_by_ground(const RayEnding& ending, std::uint32_t receiver_number, ThreadState& state);
  // The ground tile below a receiver; no_index where it does not stand over the ground.
  std::uint32_t receiver_ground(std::uint32_t number) const {
    return view_.environment.receiver_grounds[number - environment_.points.element_count()];
  }
  // Of a ray at a receiver, by what nothing is left of it.
  void count_without_power(const RayEnding& ending, const ArrivedRay& ray, RaysWithoutPower& counts) const;
  PairableRay as_pairable(const InteractionChain& chain, const Arrival& arrival, Complex phased,
                          std::uint32_t receiver) const;
  // Adds what pairs of them bring to receivers.
  void pair_rays(std::span<ArrivalSums> receivers);

  // diffuse.cpp: what a tube brings to a tile that scatters it, |E|² cosθ_i · reflectance in the mean over the tile,
  // and the pattern's gain in that mean.
  struct DiffuseIncidence {
    double power = 0, gain = 1;
  };
  DiffuseIncidence diffuse_incidence(const Tube& tube, const Tile& tile) const;
  // Nearer to the antenna its pattern may change from end to end of a tile.
  double pattern_near_m(const Tile& tile) const;
  bool is_pattern_near(std::uint32_t element) const;
  // Scattering as the last interaction, or with one more.
  void scatter_last(Progress& progress);
  void scatter_then_reflect(Progress& progress);
  void scatter_then_diffract(Progress& progress);
  // See scattering_view.h.
  double diffuse_intensity(std::uint32_t tile, Vec3 direction, AfterScattering after) const {
    return tesseray::diffuse_intensity(scattering_view_, tile, direction, after);
  }
  double reflectance(const Tile& tile, double cosine) const;
  // By the model's.
  double reflectance_at_incidence(const Tile& tile, double cosine) const;
  // One directive lobe more of what the tile scatters (scattering_lobes.h).
  void add_directive_lobe(const Tube& tube, std::uint32_t tile, AfterScattering after, double power);
  // The tiles of the row just read whose scattered power goes on at the element, thinned (weighted_sample.h): those of
  // which as much arrives there as the threshold asks for.
  void find_sources(AfterScattering after, std::uint32_t element, ThreadState& state) const;
  // What each tile scatters at most, as the gain at 1 m.
  void prepare_scatterers();
  std::span<const RoughScatterer> scatterers(AfterScattering after) const {
    return std::span(scatterers_).subspan(static_cast<std::size_t>(after) * diffuse_.size(), diffuse_.size());
  }
  // False when no tile scatters power of this kind: then no row need be read for it. REQUIRES: prepare_scatterers().
  bool has_power(AfterScattering after) const;
  // The tiles of a row that may bring as much to an element as the threshold asks for, or to a target as much as is
  // not drawn by chance, and those of the others that are: into state.drawn.
  void find_scattering(AfterScattering after, std::uint32_t number, std::span<const std::uint32_t> row,
                       ThreadState& state) const;
  // What they send there, per unit of their power, from their centroids.
  void radiate(AfterScattering after, std::span<const std::uint32_t> tiles, Vec3 point, RadiatedRays& rays) const;
  void gather_scattered(std::uint32_t number, std::span<const std::uint32_t> row, ThreadState& state) const;
  void prepare_diffuse();
  void reflect_diffuse(std::uint32_t tile, FollowedTo members, ThreadState& state);
  void diffract_diffuse(std::uint32_t edge, FollowedTo members, ThreadState& state);
  void lay_out_diffuse_edge_row(std::uint32_t edge, const Wedge& wedge, FollowedTo members, ThreadState& state) const;
  void add_diffuse_sums(ThreadState& state);
  // At a place of an edge segment's row.
  DiffuseTarget diffracted_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place,
                                  const ThreadState& state) const;
  void add_diffracted_beams(const EdgeSegment& edge, std::uint32_t element, ThreadState& state);
  // Members of the row just read at which diffuse power may arrive.
  std::span<const std::uint32_t> diffuse_targets_of_row(FollowedTo members, const ThreadState& state) const {
    const bool at_tiles = members == FollowedTo::all && environment_.points.tiles_are_targets();
    return at_tiles ? std::span<const std::uint32_t>(state.row) : std::span<const std::uint32_t>();
  }
  // Keeps the way for single rays when they are wanted and `number` is a receiver.
  void keep_scattered_way(std::uint32_t number, std::uint32_t tile, ElementsAfterScattering by, double gain_factor,
                          double length_m, ThreadState& state, bool cross_polarized = false) const;
  // The same for what one source sends to receivers by way of an edge, state.diffracted_once.
  void keep_diffracted_ways(const ScatteringSource& source, const EdgeSegment& edge, std::uint32_t element,
                            ThreadState& state) const;

  // scatter_batches.cpp: the same by a scatterer that takes many rows at once.
  void scatter_last_in_batches(Progress& progress);
  void reflect_in_batches(Progress& progress);
  void diffract_in_batches(Progress& progress);
  // Of the elements first … end − 1: to_receivers(element), then the batch with their rows by `scatterer`.
  using RowWork = PairCounts (LaunchScatterer::*)(const RowBatch&);
  template <class ToReceivers>
  void work_in_batches(LaunchPhase phase, std::uint32_t first, std::uint32_t end, RowWork work,
                       const ToReceivers& to_receivers, Progress& progress);
  // The elements first … end − 1 in as few batches as the scatterer's limits allow: where each begins, and the end.
  std::vector<std::uint32_t> row_batches(std::uint32_t first, std::uint32_t end) const;

  // scattered_tubes.cpp: scattering with two interactions after it, as tubes from the scattering tiles.
  void scatter_then_twice(Progress& progress);
  // By way of all elements from `first` to `last`.
  void launch_scattered(AfterScattering after, std::uint32_t first, std::uint32_t last, Progress& progress);
  void launch_scattered_at(AfterScattering after, std::uint32_t element, ThreadState& state, std::vector<Tube>& tubes);
  // What a scattering tile sends along `direction`, by the chain's kind and polarisation.
  Link::Departure scattered_departure(const InteractionChain& chain, Vec3 direction) const;
  // The field that a tile mirrors of scattered power: both polarisations alike.
  ComplexVec3 reflected_diffuse(const ComplexVec3& incident, Vec3 incidence, const Tile& tile) const;
  // True when what has been scattered meets an edge after this element, the first that follows.
  bool goes_on_at_edge(AfterScattering after, std::uint32_t first_element) const;
  void arrive_scattered(const RayEnding& ending, std::uint32_t number, ThreadState& state);
  // The row for tubes of scattered power: what they may go on to, or at last where they arrive.
  std::span<const std::uint32_t> read_row_of_scattered(const TubeGroup& arrived, RowReader& reader) const;
  static LaunchPhase phase_of(const Tube& tube) {
    return tube.chain.is_scattered() ? LaunchPhase::then_two : LaunchPhase::bounces;
  }

  // wideband_rays.cpp: what rays add to the state's wideband table; nothing where it is not wanted.
  bool wants_wideband() const;
  WidebandTable empty_wideband_table() const;
  // Where a ray leaves the antenna. `number`: of the target, or of the tile that scatters it, at the point `target`.
  Vec3 departure_direction(const InteractionChain& chain, std::uint32_t number, Vec3 target) const;
  Vec3 departure_direction(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number) const;
  void add_wideband(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadState& state) const;
  // Where the rays depart that a tile scatters: Σ power of a tube that comes there.
  void collect_departures(const Tube& tube, std::uint32_t tile, double power, AfterScattering after);
  const DirectionMoments& departures_of(std::uint32_t tile, AfterScattering after) const;
  // Of what one source sends by way of an edge, state.diffracted_once.
  void keep_diffracted_departures(const ScatteringSource& source, ThreadState& state) const;
  // The beam at a place of an edge's row.
  void add_wideband(const EdgeSegment& edge, std::uint32_t place, const DiffuseTarget& at_target, std::uint32_t number,
                    ThreadState& state) const;
  // A beam of diffuse rays along `direction`; `departures` with its powers.
  void add_wideband(const DiffuseBeam& beam, const DirectionMoments& departures, const DiffuseTarget& at_target,
                    std::uint32_t number, Vec3 direction, ThreadState& state) const;
  // One ray of what a tile scatters: `density` and `length_m` as in add_diffuse.
  void add_wideband(std::uint32_t tile, AfterScattering after, double density, double length_m,
                    const DiffuseTarget& at_target, std::uint32_t number, Vec3 direction, ThreadState& state) const;

  // vegetation_on_legs.cpp: from a point to a target, and by way of the ground below it: of a plane with this normal,
  // if any, else of the tile's.
  VegetationAtTarget vegetation_to_target(Vec3 from, std::uint32_t number, Vec3 ground_normal) const;
  // The factor of the amplitude between an element and a number that it sees; ground targets take the answer of their
  // tile's centroid for the ray and its companion.
  double vegetation_between(std::uint32_t element, std::uint32_t member) const;

  // ray_launcher.cpp: the threads' sums and rays as one result.
  RayLaunchingResult collect();
  std::vector<ArrivalSums> sums_of_threads() const;
  // REQUIRES: rays are recorded.
  std::vector<RaysWithoutPower> rays_without_power_of_threads() const;
  std::vector<Ray> strongest_rays(const std::vector<RecordedRay>& recorded);
  Ray as_ray(const RecordedRay& recorded) const;
  // The corner points of a ray to a receiver at `target`.
  std::vector<Vec3> trace(const RecordedRay& recorded, Vec3 target) const;

  // ray_losses.cpp: what each step of a ray took.
  class RayAccount;
  void add_losses(const RecordedRay& recorded, Ray& ray);

  std::size_t sum_count() const {
    return std::size_t{environment_.points.target_tile_count()} + environment_.points.receiver_count();
  }
  // REQUIRES: a receiver, or a tile when tiles are targets.
  std::size_t sum_index(std::uint32_t number) const {
    const TargetPoints& points = environment_.points;
    return points.is_receiver(number) ? points.target_tile_count() + (number - points.element_count()) : number;
  }
  // From the transmitter to a target.
  double straight_distance(std::uint32_t number) const { return straight_distances_[number]; }

  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  Link link_;
  InteractionLimits limits_;
  VegetationLoss vegetation_;
  LaunchView view_;
  std::vector<Complex> permittivities_;  // by material of the scene
  double roof_z_;                        // of the roof that the transmitter stands over; −∞ over the ground
  std::vector<double> straight_distances_;
  ScatteringColumns columns_;
  TileDiffusePowers diffuse_;               // empty when nothing scatters
  ScatteringView scattering_view_;          // see prepare_diffuse()
  std::vector<RoughScatterer> scatterers_;  // by AfterScattering, then by tile, see prepare_scatterers()
  std::vector<double> directive_lobes_;     // per tile and AfterScattering; empty with Lambert's lobe
  ScatteredRays scattered_rays_;
  std::vector<LeftInSight> left_in_sight_;            // see RayLaunchingResult
  std::vector<std::uint8_t> reached_over_rooftops_;   // by number, lit_as_…; empty without such rays
  std::vector<FirstEdge> first_edges_;                // by number, where angles are wanted: of rays over the roofs
  std::vector<DirectionMoments> diffuse_departures_;  // per tile and AfterScattering, where angles are wanted
  Pruning pruning_;
  std::vector<float> roulette_gain_;  // by element, see prepare_roulette()
  std::vector<float> known_gains_;    // by tile, see prepare_scattered_draw()
  std::vector<std::uint64_t> tubes_by_interactions_ = std::vector<std::uint64_t>(most_bounces + 1, 0);
  LaunchCost cost_;
  tbb::enumerable_thread_specific<ThreadState> states_;
  tbb::enumerable_thread_specific<BatchState> batch_states_;
  std::shared_ptr<const BuildingTransmission> building_;  // while rays go through it, and longer with ray_losses
  std::unique_ptr<LaunchBouncer> bouncer_;                // while the transmitter's own tubes bounce
  std::unique_ptr<LaunchScatterer> scatterer_;            // while power is scattered, with one interaction more at most
};

// The points of a ray through a chain of elements, from its source, a point or an edge, to the target (ray_path.cpp).
std::vector<Vec3> trace_chain(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source,
                              Vec3 target);
// The same of a ray that the chain's element number `scattered_at` scatters, at its centroid.
std::vector<Vec3> trace_scattered(const Tiling& tiling, const InteractionChain& chain, std::uint8_t scattered_at,
                                  const VirtualSource& source, Vec3 target);

}  // namespace tesseray
