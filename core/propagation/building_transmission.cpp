// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/building_transmission.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/penetration.h"
#include "core/propagation/surface_materials.h"
#include "core/scene/polygon.h"
#include "core/scene/prism_index.h"

namespace tesseray {
namespace {

// Parts whose solids come this near to each other touch.
constexpr double touch_m = 1e-3;
// About what certainly hides nothing: above all tolerances of what does.
constexpr double margin_m = 0.1;

double distance_to(const Rings& rings, Vec2 p) { return contains(rings, p) ? 0.0 : distance_to_sides(rings, p); }

}  // namespace

BuildingTransmission::BuildingTransmission(const Scene& scene, Vec3 antenna, double frequency_hz,
                                           const TransmissionOptions& options)
    : scene_(scene), frequency_hz_(frequency_hz), options_(options) {
  find_parts(antenna);
  if (parts_.empty()) return;
  scene_without_ = std::make_unique<Scene>(scene);
  const std::int64_t building_id = scene.prisms[parts_.front()].building_id;
  std::erase_if(scene_without_->prisms, [&](const Prism& prism) { return prism.building_id == building_id; });
  occlusion_ = std::make_unique<Occlusion>(*scene_without_);
}

void BuildingTransmission::find_parts(Vec3 antenna) {
  double least_m = infinity;
  std::int64_t nearest = 0;
  for (const Prism& prism : scene_.prisms) {
    const double distance_m = distance_to(prism.rings, antenna.xy());
    if (distance_m >= least_m) continue;
    least_m = distance_m;
    nearest = prism.building_id;
  }
  for (std::uint32_t p = 0; p < scene_.prisms.size(); ++p) {
    if (scene_.prisms[p].building_id == nearest) parts_.push_back(p);
  }
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
    const double bottom_z = prism.on_ground ? -infinity : prism.bottom_z;
    const auto material_of = [&](SurfaceKind kind) {
      return surface_material(scene_.default_materials, kind, prism.material);
    };
    const std::uint16_t wall = material_of(SurfaceKind::wall), roof = material_of(SurfaceKind::roof);
    for (const Interval& in_plan : inside) {
      Interval interval = in_plan;
      if (way.z != 0) {
        const double at_bottom = (bottom_z - from.z) / way.z * length_m,
                     at_top = (prism.top_z - from.z) / way.z * length_m;
        interval.low = std::max(interval.low, std::min(at_bottom, at_top));
        interval.high = std::min(interval.high, std::max(at_bottom, at_top));
      } else if (from.z <= bottom_z || from.z >= prism.top_z) {
        continue;
      }
      if (!(interval.high - interval.low > touch_m)) continue;
      // Through the top or the bottom where the way is over the part's inside there.
      found.push_back({interval.low, interval.high, interval.low > in_plan.low ? roof : wall,
                       interval.high < in_plan.high ? roof : wall});
    }
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.begin_m < b.begin_m; });
  return found;
}

double BuildingTransmission::wall_loss_db(std::uint16_t material) const {
  return options_.wall_loss_db ? *options_.wall_loss_db
                               : wall_penetration_loss_db(scene_.materials[material].name, frequency_hz_);
}

double BuildingTransmission::loss_db(Vec3 from, Vec3 to) const {
  const std::vector<Crossing> parts = crossings(from, to);
  double loss = 0;
  for (std::size_t first = 0; first < parts.size();) {
    // Parts that touch or overlap along the way are one solid, with one wall where it begins and one where it ends.
    double end_m = parts[first].end_m;
    std::uint16_t last_material = parts[first].material_at_end;
    std::size_t next = first + 1;
    for (; next < parts.size() && parts[next].begin_m <= end_m + touch_m; ++next) {
      if (parts[next].end_m <= end_m) continue;
      end_m = parts[next].end_m;
      last_material = parts[next].material_at_end;
    }
    loss += wall_loss_db(parts[first].material_at_begin) + wall_loss_db(last_material) +
            options_.indoor_db_per_m * (end_m - parts[first].begin_m);
    first = next;
  }
  return loss;
}

double BuildingTransmission::amplitude(Vec3 from, Vec3 to) const { return std::sqrt(power_ratio(-loss_db(from, to))); }

}  // namespace tesseray
