// SPDX-License-Identifier: GPL-3.0-or-later
// From transmitters and receivers as read to points of the scene.
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/infinity.h"
#include "core/base/listed.h"
#include "core/base/units.h"
#include "core/scene/ground_plan/outer_walls.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/issue_text.h"
#include "core/scene/transmitter.h"

namespace tesseray {
namespace {

// Nearer to a surface than this a point counts as being on it, where no ray can start.
constexpr double least_clearance_m = 0.01;
// Of an extent that was taken from the points themselves: the numbers of both are rounded and transformed on their way.
constexpr double border_tolerance_m = 0.01;

// Collects what is wrong with each point, so that one error names them all.
class BadPlaces {
 public:
  BadPlaces(std::string what, std::string code) : what_(std::move(what)), code_(std::move(code)) {}

  void add(const ErrorPlace& place, const std::string& name, const std::string& reason, double outside_m) {
    constexpr double far_off_m = 100e3;
    is_far_off_ = is_far_off_ || outside_m > far_off_m;
    place_ = reasons_.empty() ? place : ErrorPlace{.file = place_.file, .layer = place_.layer};
    reasons_.push_back(name + " " + reason);
  }

  std::size_t count() const { return reasons_.size(); }

  void throw_if_any(std::string hint) const {
    if (reasons_.empty()) return;
    if (is_far_off_) hint += "; degrees may be exchanged: x is the longitude, y the latitude";
    throw Error(ErrorKind::invalid_input, code_, message(), hint, place_);
  }

  // The first of them with what is wrong. REQUIRES: count() > 0.
  std::string message() const {
    std::string message = reasons_.size() == 1 ? std::string() : std::to_string(reasons_.size()) + " " + what_ + ": ";
    constexpr std::size_t most_named = 10;
    for (std::size_t i = 0; i < std::min(reasons_.size(), most_named); ++i) {
      message += (i == 0 ? "" : "; ") + reasons_[i];
    }
    if (reasons_.size() > most_named) message += "; and " + std::to_string(reasons_.size() - most_named) + " more";
    return message;
  }

 private:
  std::string what_, code_;
  ErrorPlace place_;
  std::vector<std::string> reasons_;
  bool is_far_off_ = false;
};

// Names the points that stand elsewhere than they were given.
class MovedPoints {
 public:
  // `what` as of one: "transmitter".
  explicit MovedPoints(std::string what) : what_(std::move(what)) {}

  void add(const std::string& name) { names_.push_back(name); }

  void warn_if_any(Progress& progress) const {
    if (names_.empty()) return;
    constexpr std::size_t most_named = 10;
    const bool is_one = names_.size() == 1;
    progress.warn({"moved_before_walls", std::to_string(names_.size()) + " " + what_ + (is_one ? " is" : "s are") +
                                             " on a wall of a building, or less than 1 cm in front of it, and " +
                                             (is_one ? "is" : "are") +
                                             " taken as 1 cm in front of it: " + listed(names_, most_named)});
  }

 private:
  std::string what_;
  std::vector<std::string> names_;
};

// Where a point of the ground plan stands at its height.
struct Place {
  Vec3 position;
  std::string wrong = {};  // empty when a point may be there
  bool is_moved = false;   // in front of the walls that it was at
};

class Placement {
 public:
  explicit Placement(const Scene& scene) : scene_(scene), index_(scene), walls_(scene, index_) {}

  Vec2 local(Vec2 crs_position) const { return crs_position - scene_.frame.origin; }

  double distance_from_area(Vec2 p) const {
    const Rectangle& extent = scene_.extent;
    return norm(Vec2{std::max({extent.min.x - p.x, p.x - extent.max.x, 0.0}),
                     std::max({extent.min.y - p.y, p.y - extent.max.y, 0.0})});
  }

  Place place(Vec2 p, double height_above_ground_m) const {
    Place place{.position = at_height(p, ground_at(p) + height_above_ground_m)};
    place.wrong = outside_of_area(place.position);
    if (!place.wrong.empty()) return place;
    const PlaceAtWalls at_walls = walls_.place_at(place.position);
    place.is_moved = at_walls.place != p;
    if (place.is_moved) place.position = at_height(at_walls.place, ground_at(at_walls.place) + height_above_ground_m);
    place.wrong = within_solid(place.position, at_walls.enclosed);
    return place;
  }

  // Empty for a point inside.
  std::string outside_of_area(Vec3 p) const {
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) return "has no finite position";
    if (grown(scene_.extent, border_tolerance_m).contains(p.xy())) return {};
    return "is outside the area, " + distance(distance_from_area(p.xy())) + " from its border";
  }

  // The highest roof over p, at the eaves by the rounding of coordinates, too.
  std::optional<double> roof_at(Vec2 p) const {
    std::optional<double> highest;
    for (const std::uint32_t i : index_.candidates(grown({p, p}, OuterWalls::rounding_m))) {
      const Prism& prism = scene_.prisms[i];
      if (highest && prism.top_z <= *highest) continue;
      if (contains(prism.rings, p) || distance_to_sides(prism.rings, p) <= OuterWalls::rounding_m) {
        highest = prism.top_z;
      }
    }
    return highest;
  }

  std::string no_roof(Vec2 p) const {
    double nearest = infinity;
    for (const Prism& prism : scene_.prisms) nearest = std::min(nearest, distance_to_sides(prism.rings, p));
    const std::string text = "has its height above a roof, but no building is there";
    return std::isfinite(nearest) ? text + " (the nearest roof is " + distance(nearest) + " away)" : text;
  }

  double ground_at(Vec2 p) const { return scene_.terrain.height_at(p); }

 private:
  // Empty for a point in the open. `enclosed`: the prism whose walls leave it no room, or −1.
  std::string within_solid(Vec3 p, std::int64_t enclosed) const {
    const std::int64_t around = index_.prism_at(p), prism = around >= 0 ? around : enclosed;
    if (prism >= 0) {
      const Prism& building = scene_.prisms[static_cast<std::size_t>(prism)];
      const auto [roof, point] = metres_told_apart(building.top_z, p.z);
      return "is inside a building (feature " + std::to_string(building.source_feature) + ", roof at " + roof +
             ", point at " + point + ")";
    }
    const double ground = ground_at(p.xy());
    if (p.z >= ground + least_clearance_m) return {};
    const auto [surface, point] = metres_told_apart(ground, p.z);
    return "is not above the ground (ground at " + surface + ", point at " + point + ")";
  }

  const Scene& scene_;
  PrismIndex index_;
  OuterWalls walls_;
};

Transmitter placed(const RawTransmitter& raw, Vec3 position, double height_above_ground_m) {
  Transmitter transmitter;
  transmitter.name = raw.name;
  transmitter.position = position;
  transmitter.height_above_ground_m = height_above_ground_m;
  transmitter.frequency_hz = raw.frequency_hz;
  transmitter.erp_dbm = raw.erp_dbm;
  transmitter.antenna = raw.antenna;
  transmitter.antenna_details = raw.antenna_details;
  transmitter.azimuth_deg = raw.azimuth_deg;
  transmitter.grid_azimuth_deg = in_full_circle(raw.azimuth_deg - raw.meridian_convergence_deg);
  transmitter.downtilt_deg = raw.downtilt_deg;
  transmitter.polarization = raw.polarization;
  transmitter.diameter_m = raw.diameter_m;
  return transmitter;
}

}  // namespace

std::vector<Transmitter> place_transmitters(const std::vector<RawTransmitter>& raw, const Scene& scene,
                                            Progress& progress) {
  const Placement placement(scene);
  BadPlaces bad("transmitters cannot be where they are", "transmitter_place");
  MovedPoints moved("transmitter");
  std::vector<Transmitter> transmitters;
  transmitters.reserve(raw.size());
  for (const RawTransmitter& each : raw) {
    const std::string name = "transmitter \"" + each.name + "\"";
    const Vec2 p = placement.local(each.position);
    const double ground = placement.ground_at(p);
    double height_m = each.height_m;
    if (each.reference == HeightReference::sea) height_m -= ground;
    if (each.reference == HeightReference::roof) {
      const std::optional<double> roof = placement.roof_at(p);
      if (!roof) {
        const std::string outside = placement.outside_of_area(at_height(p, ground + each.height_m));
        bad.add(each.source, name, outside.empty() ? placement.no_roof(p) : outside, placement.distance_from_area(p));
        continue;
      }
      height_m = *roof + each.height_m - ground;
    }
    // By this height, and not by one that was given above something else: so the height above ground, which a result
    // tells, gives the same place again to the last bit.
    const Place place = placement.place(p, height_m);
    if (!place.wrong.empty()) {
      bad.add(each.source, name, place.wrong, placement.distance_from_area(p));
      continue;
    }
    if (place.is_moved) moved.add(each.name);
    transmitters.push_back(placed(each, place.position, height_m));
    transmitters.back().transmitter_id = static_cast<std::int64_t>(transmitters.size());
  }
  bad.throw_if_any(
      "move them or correct their heights, or make the environment with an EXTENT that holds them; "
      "ANTENNA_HEIGHT_REFERENCE says whether heights are above ground, roof or sea, and TRANSMITTERS_CRS in which CRS "
      "they are");
  moved.warn_if_any(progress);
  return transmitters;
}

std::vector<Receiver> place_receivers(const std::vector<RawReceiver>& raw, MisplacedReceivers misplaced,
                                      const Scene& scene, Progress& progress) {
  const Placement placement(scene);
  BadPlaces bad("receivers cannot be where they are", "receiver_place");
  MovedPoints moved("receiver");
  std::vector<Receiver> receivers;
  receivers.reserve(raw.size());
  for (const RawReceiver& each : raw) {
    const std::string name = "receiver " + std::to_string(each.feature_id);
    if (!each.problem.empty()) {
      bad.add(each.source, name, "(" + each.problem + ")", 0);
      continue;
    }
    const Vec2 p = placement.local(each.position);
    const Place place = placement.place(p, each.height_m);
    if (!place.wrong.empty()) {
      bad.add(each.source, name, place.wrong, placement.distance_from_area(p));
      continue;
    }
    if (place.is_moved) moved.add(std::to_string(each.feature_id));
    receivers.push_back({each.feature_id, place.position, each.height_m});
  }
  moved.warn_if_any(progress);
  if (misplaced == MisplacedReceivers::drop && !receivers.empty()) {
    if (bad.count() > 0) progress.warn({"receivers_left_out", "left out: " + bad.message()});
    return receivers;
  }
  bad.throw_if_any("move them, correct their heights, or leave them out (MISPLACED_RECEIVERS drop)");
  return receivers;
}

Receiver place_map_point(Vec2 position, double height_m, const std::string& height_parameter, const Scene& scene,
                         Progress& progress) {
  const Placement placement(scene);
  const Vec2 p = placement.local(position);
  const Place place = placement.place(p, height_m);
  if (!place.wrong.empty()) {
    const bool is_outside = !scene.extent.contains(p);
    throw Error(
        ErrorKind::invalid_input, "point_place", "the point " + place.wrong,
        is_outside
            ? "choose a point inside, x (or longitude) before y, and name the CRS of its coordinates if it is not the "
              "environment's: \"7.1,50.7 [EPSG:4326]\""
            : "choose a point in the open, or raise " + height_parameter + " above the roof");
  }
  if (place.is_moved) {
    progress.warn({"moved_before_walls",
                   "the point is on a wall of a building, or less than 1 cm in front of it, and is taken as 1 cm in "
                   "front of it"});
  }
  return {1, place.position, height_m};
}

}  // namespace tesseray
