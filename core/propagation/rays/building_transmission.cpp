// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/building_transmission.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/penetration.h"
#include "core/propagation/rays/surface_materials.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/walls.h"

namespace tesseray {
namespace {

// A way through less than this is none.
constexpr double least_way_m = 1e-3;
// Of walls that are nearer to each other than touch_m, so much side by side joins their solids; at a corner alone they
// stay two.
constexpr double shared_wall_m = 0.2;
// About what certainly hides nothing: above all tolerances of what does.
constexpr double margin_m = 0.1;

double distance_to(const Rings& rings, Vec2 p) { return contains(rings, p) ? 0.0 : distance_to_sides(rings, p); }

// Whether a piece of a side of `a` lies in `b`, or so near to it that there is no air between. Beside the side, on
// both hands: the solid of `b` may begin there, or be the same as that of `a`.
bool has_side_in(const Prism& a, const Prism& b) {
  std::vector<Interval> inside;
  for (const Ring& ring : a.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vec2 start = ring[i], way = ring[(i + 1) % ring.size()] - start;
      const double length_m = norm(way);
      if (length_m < shared_wall_m) continue;
      const Vec2 direction = (1.0 / length_m) * way, aside = touch_m * Vec2{-direction.y, direction.x};
      for (const Vec2 from : {start + aside, start - aside}) {
        inside.clear();
        append_inside_intervals(b.rings, from, direction, length_m, inside);
        for (const Interval& piece : inside) {
          if (piece.length() >= shared_wall_m) return true;
        }
      }
    }
  }
  return false;
}

double bottom_z(const Prism& prism) { return prism.on_ground ? -infinity : prism.bottom_z; }

// Whether a place is in a part, or so near to it that there is no air between.
bool touches(const Prism& prism, Vec3 place) {
  return place.z <= prism.top_z + touch_m && place.z >= bottom_z(prism) - touch_m &&
         distance_to(prism.rings, place.xy()) <= touch_m;
}

// Whether two parts are of one house: solids that touch, or floors in the air over others of their building.
bool are_of_one_house(const Prism& a, const Prism& b) {
  const bool is_air_between = std::max(bottom_z(a), bottom_z(b)) > std::min(a.top_z, b.top_z) + touch_m;
  if (is_air_between && a.building_id != b.building_id) return false;
  return has_side_in(a, b) || has_side_in(b, a);
}

}  // namespace

BuildingTransmission::BuildingTransmission(const Scene& scene, Vec3 antenna, double frequency_hz,
                                           const TransmissionOptions& options)
    : scene_(scene), frequency_hz_(frequency_hz), options_(options) {
  find_parts(antenna);
  if (parts_.empty()) return;
  scene_without_ = std::make_unique<Scene>(scene);
  std::vector<Prism>& others = scene_without_->prisms;
  others.clear();
  for (std::uint32_t p = 0; p < scene.prisms.size(); ++p) {
    if (!std::binary_search(parts_.begin(), parts_.end(), p)) others.push_back(scene.prisms[p]);
  }
  occlusion_ = std::make_unique<Occlusion>(*scene_without_);
}

void BuildingTransmission::find_parts(Vec3 antenna) {
  std::vector<double> distances_m;
  distances_m.reserve(scene_.prisms.size());
  for (const Prism& prism : scene_.prisms) distances_m.push_back(distance_to(prism.rings, antenna.xy()));
  const auto least = std::min_element(distances_m.begin(), distances_m.end());
  for (std::uint32_t p = 0; p < distances_m.size(); ++p) {
    if (distances_m[p] <= *least + coordinate_step_m) parts_.push_back(p);
  }
  add_rest_of_house();
  top_z_ = -infinity;
  for (const std::uint32_t part : parts_) {
    const Prism& prism = scene_.prisms[part];
    for (const Vec2 corner : prism.rings.front()) {
      bounds_.extend(corner - Vec2{margin_m, margin_m});
      bounds_.extend(corner + Vec2{margin_m, margin_m});
    }
    top_z_ = std::max(top_z_, prism.top_z + margin_m);
  }
}

void BuildingTransmission::add_rest_of_house() {
  if (parts_.empty()) return;
  const PrismIndex index(scene_);
  std::vector<bool> is_part(scene_.prisms.size(), false);
  for (const std::uint32_t part : parts_) is_part[part] = true;
  // Those that are added are asked in their turn.
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::uint32_t part = parts_[i];
    for (const std::uint32_t other : index.candidates(grown(index.bounds(part), touch_m))) {
      if (is_part[other] || !are_of_one_house(scene_.prisms[part], scene_.prisms[other])) continue;
      is_part[other] = true;
      parts_.push_back(other);
    }
  }
  std::sort(parts_.begin(), parts_.end());
}

bool BuildingTransmission::may_hide(Vec3 from, Vec3 to) const {
  const Vec3 way = to - from;
  double begin = 0, end = 1;  // of the way, where it passes over the bounds
  const auto clip = [&](double start, double along, double least, double most) {
    if (along == 0) return start >= least && start <= most;
    const double at_least = (least - start) / along, at_most = (most - start) / along;
    begin = std::max(begin, std::min(at_least, at_most));
    end = std::min(end, std::max(at_least, at_most));
    return begin <= end;
  };
  return clip(from.x, way.x, bounds_.min.x, bounds_.max.x) && clip(from.y, way.y, bounds_.min.y, bounds_.max.y) &&
         std::min(from.z + begin * way.z, from.z + end * way.z) <= top_z_;
}

std::vector<BuildingTransmission::Crossing> BuildingTransmission::crossings(Vec3 from, Vec3 to) const {
  const Vec3 way = to - from;
  const double length_m = norm(way), plan_m = norm(way.xy());
  std::vector<Crossing> found;
  std::vector<Interval> inside;
  for (const std::uint32_t part : parts_) {
    const Prism& prism = scene_.prisms[part];
    inside.clear();
    if (plan_m > 0) {
      append_inside_intervals(prism.rings, from.xy(), (1.0 / plan_m) * way.xy(), plan_m, inside);
      for (Interval& interval : inside)
        interval = {interval.low * length_m / plan_m, interval.high * length_m / plan_m};
    } else if (contains(prism.rings, from.xy())) {
      inside.push_back({0, length_m});
    }
    const double bottom = bottom_z(prism);
    const DefaultMaterials& defaults = scene_.default_materials;
    // A building's material is that of its walls.
    const std::uint16_t wall = surface_material(defaults, SurfaceKind::wall, prism.material),
                        roof = surface_material(defaults, SurfaceKind::roof, 0);
    for (const Interval& in_plan : inside) {
      Interval interval = in_plan;
      if (way.z != 0) {
        const double at_bottom = (bottom - from.z) / way.z * length_m,
                     at_top = (prism.top_z - from.z) / way.z * length_m;
        interval.low = std::max(interval.low, std::min(at_bottom, at_top));
        interval.high = std::min(interval.high, std::max(at_bottom, at_top));
      } else if (from.z <= bottom || from.z >= prism.top_z) {
        continue;
      }
      if (!(interval.high - interval.low > least_way_m)) continue;
      // Through the top or the bottom where the way is over the part's inside there.
      found.push_back({interval.low, interval.high, interval.low > in_plan.low ? roof : wall,
                       interval.high < in_plan.high ? roof : wall, part});
    }
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.begin_m < b.begin_m; });
  return found;
}

double BuildingTransmission::wall_loss_db(std::uint16_t material) const {
  return options_.wall_loss_db ? *options_.wall_loss_db
                               : wall_penetration_loss_db(scene_.materials[material].name, frequency_hz_);
}

bool BuildingTransmission::is_air_between(const Crossing& before, const Crossing& after, Vec3 from,
                                          Vec3 direction) const {
  if (after.begin_m <= before.end_m + least_way_m) return false;
  // A part does not touch itself: that is a yard, or a bay.
  if (before.part == after.part) return true;
  // Between walls that touch but for the data's precision the way may be long when it is askew.
  const Vec3 middle = from + (0.5 * (before.end_m + after.begin_m)) * direction;
  return !touches(scene_.prisms[before.part], middle) || !touches(scene_.prisms[after.part], middle);
}

double BuildingTransmission::loss_db(Vec3 from, Vec3 to) const {
  const std::vector<Crossing> parts = crossings(from, to);
  const Vec3 direction = normalized(to - from);
  double loss = 0;
  for (std::size_t first = 0; first < parts.size();) {
    // Parts that touch or overlap along the way are one solid, with one wall where it begins and one where it ends.
    std::size_t last = first, next = first + 1;
    for (; next < parts.size() && !is_air_between(parts[last], parts[next], from, direction); ++next) {
      if (parts[next].end_m > parts[last].end_m) last = next;
    }
    loss += wall_loss_db(parts[first].material_at_begin) + wall_loss_db(parts[last].material_at_end) +
            options_.indoor_db_per_m * (parts[last].end_m - parts[first].begin_m);
    first = next;
  }
  return loss;
}

double BuildingTransmission::amplitude(Vec3 from, Vec3 to) const { return std::sqrt(power_ratio(-loss_db(from, to))); }

}  // namespace tesseray
